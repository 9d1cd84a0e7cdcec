//! Small machines of the kinds that the compiled form and the solver treat specially: the counts are known, and the plain interpreter
//! and the compiled form agree on them.

use abridge_check::{Config, Engine, Evaluator, Verdict, check};
use abridge_testkit::Project;

/// States and transitions with ProB's conventions.
fn counts(text: &str, compiled: bool) -> (u64, u64) {
    let model = Project::model_of(text);
    let mut config = Config { find_all: true, deadlock: false, ..Config::default() }.prob();
    config.system.compiled = compiled;
    let report = check(&model, &config, &mut ());
    assert!(report.limits.is_empty(), "{:?}\n{text}", report.limits);
    assert!(report.violations.is_empty(), "{:?}\n{text}", report.violations);
    (report.states, report.transitions)
}

fn agree(text: &str, expected: (u64, u64)) {
    for compiled in [true, false] {
        assert_eq!(counts(text, compiled), expected, "compiled: {compiled}\n{text}");
    }
}

#[test]
fn loops_run_in_place() {
    // The inner loop ends with what the outer one saw, parallel parts read old values, and `x$0` is what it was before.
    let text = "MACHINE M VARIABLES x, y, s INVARIANT x : NATURAL & y = 2 * x & s <: INTEGER & (x > 0 => card(s) = 5)
        INITIALISATION x, y, s := 0, 0, {}
        OPERATIONS
          sum = PRE x = 0 THEN
            VAR i, j IN
              i := 0;
              WHILE i < 5 DO
                j := 0;
                WHILE j < i DO j := j + 1 INVARIANT j <= i VARIANT i - j END;
                IF j mod 2 = 0 THEN x := x + j || y := y + 2 * j ELSE x, y := x + j, y + 2 * j END;
                s := s \\/ {3 * i};
                i := i + 1
              INVARIANT i : 0..5 & x >= x$0 VARIANT 5 - i END
            END
          END
        END";
    agree(text, (2, 2));
}

#[test]
fn loops_of_the_initialisation_are_run() {
    let text = "MACHINE M VARIABLES s, i INVARIANT i = 100 & card(s) = 67 & 99 : s & 4 /: s
        INITIALISATION
          s, i := {}, 0;
          WHILE i < 100 DO
            IF i mod 3 = 1 THEN s := s - {i, i + 1} ELSE s := s \\/ {i} END; i := i + 1
          INVARIANT i <= 100 VARIANT 100 - i END
        END";
    agree(text, (1, 1));
}

#[test]
fn what_exists_says_what_is_sought() {
    let text = "MACHINE M VARIABLES x INVARIANT x <: 1..10
        INITIALISATION x := {}
        OPERATIONS
          add = ANY n WHERE n <: 1..10 & card(x) < 2 & #u.(u : (1..10) - x & n = x \\/ {u}) THEN x := n END;
          r <-- pairs = r := card({p | p <: 1..10 & #(a, b).(a : 1..10 & b : 1..10 & p = {a, b})})
        END";
    // 1 + 10 + 45 states; 10 additions to nothing, 9 to each singleton, one result in each state.
    agree(text, (56, 1 + 10 + 90 + 56));
}

#[test]
fn repeated_solutions_count_once_in_sums() {
    let text = "MACHINE M VARIABLES x INVARIANT x : NATURAL
        INITIALISATION x := 0
        OPERATIONS
          r <-- sum = r := SIGMA(p).(p : POW((1..3) * {x}) & #(a, b).(a : 1..3 & b : 1..3 & p = {a |-> x, b |-> x}) | card(p));
          set = PRE x = 0 & SIGMA(p).(p : POW((1..3) * {x}) & #(a, b).(a : 1..3 & b : 1..3 & p = {a |-> x, b |-> x}) | card(p)) = 9
            THEN x := 1 END
        END";
    agree(text, (2, 4));
}

#[test]
fn sequences_are_taken_apart() {
    let text = "MACHINE M SETS S = {a, b, c} CONSTANTS z, u, v
        PROPERTIES z = [a, b, c, c, a] & z = u ^ [c] ^ v
        VARIABLES x, y INVARIANT x ^ y = rev(z) & #(p, q).(z = p ^ [b] ^ q & size(p) = 1) & not(#(p, q).(z = p ^ [b, b] ^ q))
        INITIALISATION x, y : (x ^ y = rev(z))
        OPERATIONS
          ending(i, s) = PRE s <- i = z THEN skip END;
          both(s, t) = PRE conc([[a], s, t]) = z & size(t) = 2 THEN skip END
        END";
    // Two ways for u and v, six splits each, two steps from each.
    agree(text, (2 + 12, 2 + 12 + 24));
}

#[test]
fn sets_are_bounded_from_both_sides() {
    let text = "MACHINE M SETS S = {a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4, b5, b6, b7, b8, b9}
        CONSTANTS all, p, q, r, t
        PROPERTIES all = S * S & p \\/ q \\/ r = all & p /\\ q = {} & p /\\ r = {} & q /\\ r = {} & q = {a1} * S & r = {a2} * S
          & t <: S & {a1, a2} <: t & t - {a1} <: {a2, a3, a4} & a4 /: t
        ASSERTIONS card(p) = 16 * 18
        END";
    // Only whether a3 is in t is open.
    agree(text, (4, 4));
}

#[test]
fn disjoint_sets_are_found_one_after_the_other() {
    let text = "MACHINE M SETS S CONSTANTS a, b, c PROPERTIES card(S) = 4 & a <: S & b <: S & c <: S
        & a /\\ b = {} & a /\\ c = {} & b /\\ c = {} & a /= {} & b /= {} & c /= {} END";
    // Each element goes into one of three sets or none, and no set is empty: 4^4 - 3 * 3^4 + 3 * 2^4 - 1 = 60.
    agree(text, (120, 120));
}

#[test]
fn symbolic_functions_are_applied_again_and_again() {
    let text = "MACHINE M ABSTRACT_CONSTANTS carry, fact
        PROPERTIES
          carry = /*@symbolic*/ {m, n, c | m : 1..3 --> 0..1 & n : 1..3 --> 0..1 & c : 1..3 --> 0..1 & c(1) = 0
            & !r.(r : 2..3 => c(r) = (m(r - 1) + n(r - 1) + c(r - 1)) / 2)}
          & fact : INTEGER +-> INTEGER & fact = /*@symbolic*/ %x.(x : NATURAL | IF x = 0 THEN 1 ELSE x * fact(x - 1) END)
        VARIABLES m, n INVARIANT m : 1..3 --> 0..1 & n : 1..3 --> 0..1
        INITIALISATION m, n := [1, 1, 1], [0, 0, 0]
        OPERATIONS
          add(o) = PRE o = %i.(i : 1..3 | (m(i) + n(i) + carry(m |-> n)(i)) mod 2) THEN n := o END;
          check = PRE fact(m(1) + 4) = 120 & !x.(x : 1..6 => fact(x) = x * fact(x - 1)) THEN skip END
        END";
    // Adding seven to nothing, modulo eight, goes round.
    agree(text, (1 + 8, 1 + 1 + 16));
}

#[test]
fn solutions_of_constants_are_tabulated_and_lambdas_applied() {
    let text = "MACHINE M CONSTANTS next PROPERTIES next = %x.(x : 0..5 | (x + 1) mod 6)
        VARIABLES f INVARIANT f : 0..5 --> 0..1 & !(x, y).(x : 0..5 & y : 0..5 & next(next(x)) = y => f(x) = f(y))
        INITIALISATION f := %x.(x : 0..5 | x mod 2)
        OPERATIONS
          turn(n) = PRE n : 0..2 & %x.(x : 0..5 | f((x + n) mod 6))(n) = f(0) THEN
            f := %x.(x : 0..5 | f((x + n) mod 6))
          END;
          outside = PRE %x.(x : 0..5 | f(x))(f(0) + 6) = 0 THEN f := {} END
        END";
    // From each of two states: n = 0 and n = 2 stay, n = 1 looks two further and turns; the last is never well-defined.
    agree(text, (3, 1 + 1 + 6));
}

#[test]
fn what_determines_the_others_is_tried_first() {
    // Each would take a million trials or more in the other order.
    let text = "MACHINE M VARIABLES x INVARIANT x : NATURAL
        INITIALISATION x := 0
        OPERATIONS
          root(y, z) = PRE y : 0..999 & z : 0..999 & y * y = z & z > 900 THEN skip END;
          same(a, b, c, d) = PRE a : 0..999 & b : 0..999 & c : 0..999 & d = a & c = b * b & c /= b * b THEN skip END
        END";
    // 31^2 = 961.
    agree(text, (1, 1 + 1));
}

#[test]
fn items_of_literals_are_found_in_known_sets() {
    let text = "MACHINE M VARIABLES x INVARIANT x : INTEGER
        INITIALISATION x := 0
        OPERATIONS
          order(a, b, c) = PRE {a, b} \\/ {c} = 50001..50003 & a < b & b < c THEN skip END;
          powers = PRE {y | #n.(n : 1..32 & y = 2 ** n)} /\\ (2 ** 20)..(2 ** 64) = {z | #n.(n : 20..32 & z = 2 ** n)} THEN skip END
        END";
    agree(text, (1, 3));
}

#[test]
fn sets_follow_from_their_images_and_extrema() {
    let text = "MACHINE M CONSTANTS e, x, n
        PROPERTIES e = id(BOOL * BOOL * BOOL * BOOL * BOOL) & e~[x] = BOOL * BOOL * {TRUE} * BOOL * BOOL
          & n : POW1(NATURAL) & min(n) = 990 & max(n) <= 993 & card(n) = 3
        ASSERTIONS card(x) = 16
        END";
    // Beside 990, two of the other three.
    agree(text, (6, 6));
}

#[test]
fn quantifiers_over_a_set_under_construction_cut_the_search() {
    let names: Vec<String> = (0..40).map(|n| format!("e{n}")).collect();
    let text = format!(
        "MACHINE M SETS S = {{{}}} CONSTANTS a, b, r
        PROPERTIES a = {{e0, e2}} & r = a * {{e1, e3, e5}} & b <: S
          & !(x, y).(x : a & y : b => x |-> y : r) & !(x, y).(x |-> y : r => x : a & y : b)
        ASSERTIONS b = {{e1, e3, e5}}
        END",
        names.join(", ")
    );
    agree(&text, (2, 2));
}

#[test]
fn tables_follow_the_constants() {
    let text = "MACHINE M CONSTANTS k, s
        PROPERTIES k : 1..3 & s <: 1..4 & !(x, y).(x : 1..4 & y = x mod (k + 1) & y = 0 => x : s)
          & !(x, y).(x : 1..4 & y = x mod (k + 1) & y = 0 => x : s \\/ {k})
        END";
    // 2 and 4, 3, or 4 must be in s.
    agree(text, (40, 40));
}

#[test]
fn quantifiers_over_a_function_under_construction_wait() {
    // The bound variables are bounded by the function alone, and lie beyond MAXINT.
    let text = "MACHINE M CONSTANTS f, g
        PROPERTIES f : 11..16 --> 11..16 & !(i, j).(i |-> j : f => i + j = 27)
          & g : 11..16 +-> 11..16 & !(i, j).(i |-> j : g & i : dom(g) => j = f(i)) & !k.(k : ran(f) => k : dom(g))
        END";
    agree(text, (2, 2));
}

#[test]
fn candidates_that_depend_on_nothing_are_sifted_once() {
    let text = "MACHINE M VARIABLES p INVARIANT p : 1..3 +-> 1..3
        INITIALISATION p := {}
        OPERATIONS
          set(i, v) = PRE i : 1..3 & v : 1..3 & i /: dom(p) THEN p(i) := v END;
          solve = ANY s WHERE s : 1..3 --> 1..3 & !(i, j).(i : 1..3 & j : 1..3 & i < j => s(i) /= s(j)) & p <: s
            THEN p := s END
        END";
    // Each of three places is set in one of three ways where it is free; each permutation completes its eight parts.
    agree(text, (64, 1 + 3 * 3 * 16 + 6 * 8));
}

#[test]
fn members_of_constant_sets_are_looked_up_by_equations() {
    // Pairs with a product or a quotient that a variable says; those without a quotient do not count.
    let text = "MACHINE M CONSTANTS S PROPERTIES S = {a, b | a : 0..12 & b : 0..12 & a <= b}
        VARIABLES x, n INVARIANT x : 0..13 & n : 0..91
        INITIALISATION x, n := 0, 91
        OPERATIONS
          step = PRE x < 13 THEN
            x := x + 1 || n := card({p, q | (p |-> q) : S & p * q = x}) END;
          r <-- quotients = r := card({p, q | (p |-> q) : S & q /= 0 & p / q = x})
        END";
    agree(text, (15, 1 + 1 + 13 + 14));
    let text = "MACHINE M CONSTANTS alone PROPERTIES
        alone = {a, b | a : 2..30 & b : a..30 & {c, d | (c |-> d) : {e, f | e : 2..30 & f : e..30} & c * d = a * b} = {a |-> b}} &
        card(alone) = 205
        END";
    agree(text, (2, 2));
}

#[test]
fn functions_of_the_state_are_looked_through_for_a_value() {
    // Arguments outside the domain and those with several images are excluded; a symbolic function cannot be looked through.
    let text = "MACHINE M SETS S = {a, b, c} VARIABLES f, r, g, n
        INVARIANT f : (0..1) * (0..1) --> 0..2 & r : S <-> BOOL & g(1) = 2 & n : 0..3
        INITIALISATION
          f := {(0, 0) |-> 1, (0, 1) |-> 2, (1, 0) |-> 1, (1, 1) |-> 0} ||
          r := {a |-> TRUE, b |-> TRUE, b |-> FALSE} || g := %x.(x : INTEGER | x + 1) || n := 0
        OPERATIONS
          pick(i, j) = PRE i : -1..5 & j : -1..1 & f(i, j) = 1 THEN n := i END;
          symbolic(i) = PRE i : 0..3 & g(i) = 3 THEN n := i END;
          drop = ANY x WHERE x : S & TRUE = r(x) THEN r := r - {x |-> TRUE} END
        END";
    // Two relations and three numbers; two picks and one symbolic step in each state, one drop where it is possible.
    agree(text, (6, 1 + 6 * 3 + 3));
}

#[test]
fn what_is_kept_for_an_element_follows_the_constants() {
    let text = "MACHINE M SETS S = {a, b, c} CONSTANTS f PROPERTIES f : S --> 0..1 VARIABLES x
        INVARIANT x <: S & !e.(e : x => f(e) + 1 = 2 & card(f~[{f(e)}]) >= card(x))
        INITIALISATION x := {}
        OPERATIONS
          add(e) = PRE e : S - x & f(e) * 2 = 2 THEN x := x \\/ {e} END
        END";
    // The subsets of what is mapped to one, for each of eight functions, which are states too.
    agree(text, (8 + 27, 8 + 8 + 27));
}

#[test]
fn functions_of_constant_sets_are_tried_point_by_point() {
    // Carries of additions: each function is determined by the arguments, one point after the other. The existential statement must
    // not take points that are not decided for missing.
    let text = "MACHINE M CONSTANTS F, n PROPERTIES n = 5 & F = 1..n --> 0..1
        VARIABLES x, y, k INVARIANT x : F & y : F & k : 0..32
        INITIALISATION x, y := %i.(i : 1..n | 0), %i.(i : 1..n | i mod 2) || k := 1
        OPERATIONS
          carry = ANY c WHERE c : F & c(1) = 0 & !i.(i : 2..n => c(i) = (x(i-1) + y(i-1) + c(i-1)) / 2)
            THEN x := c || k := card({d | d : F & #i.(i : 1..n & d(i) + x(i) = 2)}) END;
          flip(i) = PRE i : 1..n THEN x(i) := 1 - x(i) END
        END";
    let (states, transitions) = counts(text, false);
    assert!(states > 32);
    agree(text, (states, transitions));
}

#[test]
fn conditions_say_what_is_sought() {
    // As a translation of conditional expressions writes them; with neither condition, any set will do.
    let text = "MACHINE M SETS S = {a, b, c, d} VARIABLES x, y INVARIANT x <: S * BOOL & y : S
        INITIALISATION x, y := {}, a
        OPERATIONS
          put(e) = PRE e : S THEN
            x := {t, z | t : BOOL & z : POW(S * BOOL) & (e = y => z = ({e} <| x) - {e |-> t}) & (not(e = y) => z = x \\/ {y |-> TRUE})}(TRUE)
            || y := e END;
          r <-- free = r := card({z | z <: S * BOOL & (x = {} => z = {y |-> TRUE}) & (y = b => z = x) & (y /: dom(x) => z = x)})
        END";
    let (states, transitions) = counts(text, false);
    assert!(states > 4);
    agree(text, (states, transitions));
}

/// More valuations of constants than are compiled: states under the others are left to memos, whose tables are large enough to be prefetched.
#[test]
fn valuations_beyond_the_limit_are_left_to_memos() {
    let machine = |most: u32, n_steps: u32| {
        format!(
            "MACHINE M CONSTANTS cc, dd PROPERTIES cc : 1..{most} & dd : 1..{most} VARIABLES tc, te, pc, mm
            INVARIANT tc : 0..39 & te : 0..39 & pc : 0..2 & mm : 0..{n_steps} & tc - te < 50
            INITIALISATION tc, te, pc, mm := 0, 0, 0, {n_steps}
            OPERATIONS
                up(nn) = SELECT pc = 0 & nn : 1..cc & tc + nn < 40 & mm > 0 THEN tc := tc + nn || pc := 1 || mm := mm - 1 END;
                over(nn) = SELECT pc = 1 & nn : 1..dd & te + nn < 40 THEN te := te + nn || pc := 2 END;
                on = SELECT pc = 2 THEN pc := 0 END END"
        )
    };
    // With few valuations a trial compiles all of them.
    for (most, n_steps, n_states) in [(6, 5, 40_000), (2, 30, 6_000)] {
        let model = Project::model_of(&machine(most, n_steps));
        let [memo, sliced, auto] = [Evaluator::Memo, Evaluator::Sliced, Evaluator::Auto].map(|evaluator| {
            let config = Config { find_all: true, deadlock: false, evaluator, ..Config::default() };
            let report = check(&model, &config, &mut ());
            assert!(report.limits.is_empty() && report.violations.is_empty(), "{:?}", report.limits);
            (report.states, report.transitions)
        });
        assert!(memo == sliced && memo == auto && memo.0 > n_states, "{memo:?} {sliced:?} {auto:?}");
    }
}

#[test]
fn closed_sets_with_ill_defined_elements_are_errors_for_every_evaluator_and_engine() {
    let sets = [
        "UNION(x).(x : SS | {last((1..0) * SS)})",
        "UNION(x).(x : SS | {max({}) |-> x}[{1}])",
        "ran(%x.(x : SS | last((1..0) * {x})))",
    ];
    for set in sets {
        let text = format!(
            "MACHINE M SETS SS = {{s1, s2, s3}} VARIABLES v INVARIANT v <: SS INITIALISATION v := SS
             OPERATIONS op = BEGIN v := {set} END END"
        );
        let model = Project::model_of(&text);
        let verdict = |engine, evaluator| {
            let config = Config { engine, evaluator, deadlock: false, ..Config::default() };
            check(&model, &config, &mut ()).verdict
        };
        for evaluator in [Evaluator::Memo, Evaluator::Sliced] {
            assert_eq!(verdict(Engine::Explicit, evaluator), Verdict::Violated, "{evaluator:?}\n{text}");
        }
        assert_eq!(verdict(Engine::Symbolic, Evaluator::Auto), Verdict::Violated, "{text}");
    }
}

/// Which of several parts has assigned a variable depends on the branches that were taken.
#[test]
fn parallel_parts_may_assign_the_same_variable() {
    let text = "MACHINE M DEFINITIONS SET_PREF_ALLOW_SIMULTANEOUS_ASSIGNMENTS == TRUE SETS SS = {aa, bb, cc}
        VARIABLES xx INVARIANT xx : SS INITIALISATION xx := aa
        OPERATIONS set = IF xx = aa THEN xx := bb END || IF xx = bb THEN xx := cc ELSE skip END END";
    let model = Project::model_of(text);
    for (engine, evaluator) in [
        (Engine::Explicit, Evaluator::Memo),
        (Engine::Explicit, Evaluator::Sliced),
        (Engine::Symbolic, Evaluator::Auto),
    ] {
        let report = check(&model, &Config { find_all: true, engine, evaluator, ..Config::default() }, &mut ());
        assert_eq!((report.verdict, report.states), (Verdict::Holds, 3), "{engine:?} {evaluator:?}");
    }
    agree(text, (3, 1 + 3));
}

/// Four rows that differ in pairs, of three values each: 43 million candidates, or a short proof by circuits. A row gets a name first, in every way there is.
#[test]
fn rows_of_a_board_are_compared_under_their_names() {
    let different = "!y.(y : 1..4 & x < y => row(1) /= board(y)(1))";
    let named = [
        format!("!x.(x : 1..4 => !row.(row : {{board(x)}} => {different}))"),
        format!("!x.(x : 1..4 => !row.(row = board(x) => {different}))"),
        format!("!(x, row).(x : 1..4 & row : {{board(x)}} => {different})"),
        format!("!x.(x : 1..4 => LET row BE row = board(x) IN {different} END)"),
        format!("!(x, row, v).(x : 1..4 & row |-> v : {{board(x) |-> x}} => {different})"),
        "!x.(x : 1..4 => !v.(v : board(x)(1)..board(x)(1) => !y.(y : 1..4 & x < y => v /= board(y)(1))))".to_owned(),
    ];
    for formula in named {
        let text = format!(
            "MACHINE M CONSTANTS board PROPERTIES board : 1..4 --> (1..4 --> 0..2) & {formula}\n\
             VARIABLES n INVARIANT n = 0 INITIALISATION n := 0 END\n"
        );
        let mut config = Config::default();
        config.eval.fuel = 5_000_000;
        let report = check(&Project::model_of(&text), &config, &mut ());
        assert_eq!((report.states, report.limits), (0, Vec::new()), "{formula}");
    }
}

#[test]
fn images_of_a_function_decide_its_points() {
    // Each condition twice: as it is, and hidden from the solver.
    let conditions = [
        "dom(f |> {1, 2}) = {1, 3}",
        "dom(f |>> {0}) <: {2}",
        "f~[{1}] = {2, 3}",
        "f[{1, 2}] = {0, 4}",
        "{0, 4} <: f[{1, 2}]",
        "ran({1} <<| f) <: 0..1",
        "2 : ran(f) & 3 : dom(f)",
        "f /\\ {1 |-> 1, 2 |-> 2} = {2 |-> 2}",
        "f \\/ {1 |-> 1} = {1 |-> 1, 2 |-> 3, 3 |-> 0}",
        "f - {1 |-> 1} <: {1 |-> 2, 2 |-> 2, 3 |-> 3}",
        "(f ; s) = {1 |-> 1, 2 |-> 4}",
        "(t ; f) = {5 |-> 0, 6 |-> 4}",
        "f <+ {1 |-> 0} = {1 |-> 0, 2 |-> 4, 3 |-> 1}",
        "s |> dom(f) = {0 |-> 1, 1 |-> 2}",
        "dom(f) <| t~ = {1 |-> 5, 3 |-> 6}",
        "t~[dom(f)] = {5}",
        "dom(f) * {7} = {1 |-> 7, 3 |-> 7}",
        "{7} * ran(f) <: {7 |-> 0, 7 |-> 1}",
        "ran(f) = {8}",
    ];
    for candidates in ["1..3 --> 0..4", "1..3 +-> 0..4", "1..3 >+> 0..4", "1..3 <-> 0..2"] {
        let told = |condition: &str| format!("{{f | f : {candidates} & {condition}}}");
        let claims: Vec<String> = conditions
            .iter()
            .map(|condition| format!("{} = {}", told(condition), told(&format!("bool({condition}) = TRUE"))))
            .collect();
        let text = format!(
            "MACHINE M CONSTANTS s, t PROPERTIES s = %x.(x : 0..4 | x + 1) & t = {{5 |-> 1, 6 |-> 3}} ASSERTIONS {} END",
            claims.join(" & ")
        );
        agree(&text, (2, 2));
    }
}

#[test]
fn long_functions_follow_from_their_inverse_images() {
    let text = "MACHINE M CONSTANTS D, r, f, g, h, i
        PROPERTIES D = 1..300 & r = {x | x : D & x mod 7 = 3} & f : D --> BOOL & dom(f |> {TRUE}) = r
          & i : POW((D +-> D) * (D +-> D)) & i = {} & g : D --> 0..9 & g~[0..8] = r & g[r] = {4} & h <: D & 1..290 \\/ h = D & h /\\ 1..290 = {5}
        ASSERTIONS f = %x.(x : D | bool(x : r)); g = (D * {9}) <+ (r * {4}); card(h) = 11
        END";
    agree(text, (2, 2));
}

#[test]
fn bounds_cut_wide_intervals() {
    let text =
        "MACHINE M CONSTANTS big PROPERTIES big = 4294967295 VARIABLES v INVARIANT v : 0..3 INITIALISATION v := 0
        OPERATIONS
          none = SELECT v < 3 & not(#x.(x : 0..big & x < 0 - v)) THEN v := v + 1 END;
          product = SELECT not(#x.(x : 0..4294967295 & x * 2 < 0 - v)) THEN v := 0 END;
          sum = SELECT !x.(x : 0..4294967295 & x + v < 5 => x < 5) THEN v := 0 END;
          end = ANY x WHERE x : 0..4294967295 & x > 4294967293 + v THEN v := x mod 4 END;
          set(x) = PRE x : 0..big & x < v THEN v := x END;
          count = SELECT card({x | x : 0..4294967295 & x < v & x <= 1}) = v THEN skip END
        END";
    // Beside the set-up and the initialisation: none 3, product and sum 4 each, end 2 + 1, set 1 + 2 + 3, count 3.
    agree(text, (5, 25));
}

#[test]
fn a_condition_that_says_nothing_about_parts_waits_for_the_whole() {
    // No sum over a set is known before the set is, and there are many sets to compare it with.
    let text = "MACHINE M SETS S = {a, b, c, d, e, f, g, h, i, j, k} CONSTANTS w, v, best
        PROPERTIES w = {a |-> 3, b |-> 4, c |-> 5, d |-> 9, e |-> 14, f |-> 8, g |-> 7, h |-> 2, i |-> 6, j |-> 11, k |-> 13}
          & v = {a |-> 3, b |-> 4, c |-> 4, d |-> 10, e |-> 15, f |-> 7, g |-> 8, h |-> 1, i |-> 6, j |-> 12, k |-> 13}
          & best <: S & SIGMA(x).(x : best | w(x)) <= 30
          & !s.(s <: S & SIGMA(x).(x : s | w(x)) <= 30 => SIGMA(x).(x : s | v(x)) <= SIGMA(x).(x : best | v(x)))
        ASSERTIONS best : {{d, e, g}, {a, d, g, j}}; SIGMA(x).(x : best | v(x)) = 33
        END";
    agree(text, (4, 4));
}

#[test]
fn a_part_without_outcomes_ends_all_parts_beside_it() {
    let text = "MACHINE M VARIABLES x, f INVARIANT x : INTEGER & f : 1..64 --> BOOL
        INITIALISATION x :: INTEGER || f :: 1..64 --> BOOL
        END";
    let model = Project::model_of(text);
    for compiled in [true, false] {
        let mut config = Config::default();
        config.system.compiled = compiled;
        let report = check(&model, &config, &mut ());
        assert_eq!((report.verdict, report.states), (Verdict::Incomplete, 0), "compiled: {compiled}");
    }
}

#[test]
fn long_identities_are_not_listed() {
    let text = "MACHINE M CONSTANTS n, s PROPERTIES n = 1000000000000 & s = 1..n
        ASSERTIONS id(s) : perm(s) & id(s) : iseq1(1..n + 1) & id(s) /: perm(1..n + 1) & id(2..n) /: seq(s);
          id(s) : s >->> s & id(s) : s --> NATURAL & id(s) : 0..n >+> s & id(s) /: 0..n --> s & id(s) /: s -->> 0..n & id(s) : s <-> s;
          id({}) : iseq(s) & id({}) /: seq1(s) & id(1..2) : perm({1, 2}) & id(1..2) /: perm({1, 2, 3}) & id({1, 3}) /: seq(s)
        END";
    agree(text, (2, 2));
}
