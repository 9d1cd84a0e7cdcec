//! Small inputs that together use every construct of the language, for mutation.
//!
//! [`built_in`] are those written here, all of them accepted by the front end; [`all`] adds the machines of the `models/` folder.

use std::fs;
use std::path::Path;

/// The seeds of this file: machines, and formulas and substitutions each inside a machine that declares what they mention.
pub fn built_in() -> Vec<String> {
    let machines = MACHINES.iter().map(|text| (*text).to_owned());
    let predicates = PREDICATES.iter().map(|text| around(&format!("ASSERTIONS {text}"), ""));
    let expressions = EXPRESSIONS.iter().map(|text| around(&format!("ASSERTIONS {text} = {text}"), ""));
    let substitutions =
        SUBSTITUTIONS.iter().map(|text| around("", &format!("; go(p, p2) = PRE p : T & p2 : INTEGER THEN {text} END")));
    machines.chain(predicates).chain(expressions).chain(substitutions).collect()
}

/// The built-in seeds and the files of `models/`.
pub fn all() -> Vec<String> {
    let mut seeds = built_in();
    seeds.extend(in_folder(&crate::models::path("")));
    seeds
}

/// The B files in and below a folder, in the order of their names; none if it cannot be read.
pub fn in_folder(folder: &Path) -> Vec<String> {
    let is_b = |path: &Path| {
        path.extension().is_some_and(|suffix| ["mch", "ref", "imp", "sys", "def"].iter().any(|known| suffix == *known))
    };
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
        open.extend(folders);
        found.extend(files.into_iter().filter(|path| is_b(path)));
    }
    found.sort();
    found
        .iter()
        .filter_map(|path| fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

/// A machine with something of every type.
fn around(clause: &str, operation: &str) -> String {
    format!(
        "MACHINE M
SETS S; T = {{a, b, c}}
CONSTANTS k
PROPERTIES k : 1..3
VARIABLES x, y, z, A, B, f, g, r, s, ss, w, rc, tr, bb
INVARIANT
  x : INTEGER & y : INTEGER & z : REAL & A <: INTEGER & B <: INTEGER & f : INTEGER +-> INTEGER & g : T --> (T +-> INTEGER)
  & r : T <-> T & s : seq(INTEGER) & ss : POW(POW(T)) & w : STRING & rc : struct(n : INTEGER, m : BOOL) & tr : tree(INTEGER)
  & bb : BOOL
{clause}
INITIALISATION
  x := 0 || y := 0 || z := 0.0 || A := {{}} || B := {{}} || f := {{}} || g := T * {{{{}}}} || r := {{}} || s := [] || ss := {{}}
  || w := \"\" || rc := rec(n : 0, m : TRUE) || tr := bin(1) || bb := TRUE
OPERATIONS
  set(e) = PRE e : T THEN bb := bool(e = a) END;
  o, o2 <-- get(e) = PRE e : T THEN o := x || o2 :: r[{{e}}] END
{operation}
END
"
    )
}

const PREDICATES: &[&str] = &[
    "btrue",
    "bfalse or btrue",
    "x = 1 or y = 2 & x /= 3",
    "x = 1 => y = 2 <=> x < 3 & x <= y",
    "not(x > 1) & not(x >= 1)",
    "x : A & x /: B & A <: B & A <<: B & A /<: B & A /<<: B",
    "!e.(e : A => e > 0)",
    "!(d, e).(d : A & e : B => d + e > 0)",
    "#d, e.(d : A & e = d)",
    "!e.(e : T => #e.(e : A & x = e))",
    "@finite(A)",
    "@partition(A, {1}, {2, 3}, B)",
    "IF x = 1 THEN y = 1 ELSIF x = 2 THEN y = 2 ELSE y = 3 END",
    "LET d, e BE d = x & e = y IN d < e END",
    "[x, y := 1, 2] (x < y)",
    "/*@label first */ x = 1 & /*@label \"second one\" */ y = 2 /*@desc some words */",
    "x ∈ ℤ ∧ y ∉ A ∨ ¬(x ≠ y) ⇒ x ≤ y",
    "∀e·(e ∈ A ⇒ e ≥ 0) ⇔ ∃e·(e ∈ B ∧ ⊤)",
    "A ⊆ B & A ⊂ B & A ⊈ B & A ⊄ B & B ⊇ A & B ⊃ A & A ∋ x & A ∌ y",
    "{} : POW(A) & x |-> y : f & (x, y) : f",
    "(1 = 1) & ((x = 1) => ((y = 2)))",
    "x=2or y=3",
    "\"a\" = \"b\" & w = '''several
lines''' & w = ```text ${x + 1} and ${w}```",
    "f = %e.(e : A | e + 1) & x < -1",
    "bb = TRUE & bb /= bool(x = 1)",
];

const EXPRESSIONS: &[&str] = &[
    "1",
    "007",
    "0xFF",
    "123456789012345678901234567890",
    "1.5e2",
    "MAXINT + MININT",
    "-x - -2 * y / 3 mod 4 ** 2 ** 2",
    "-2 ** 2",
    "(x + y) * (x - y)",
    "max(A \\/ {1}) + min({1, 2})",
    "card(A /\\ B) + card(A - B) + card(A \\ B)",
    "SIGMA(e).(e : A | e * e) + PI(e).(e : B | e)",
    "z + 1.0 - z * 2.5 / 3.0",
    "floor(z) + ceiling(z)",
    "real(x)",
    "x..y",
    "{}",
    "{1, 2, 3}",
    "{e | e : A & e > 1}",
    "{d, e | d : A & e : B}",
    "{(d, e) | d : A & e : B}",
    "{d |-> e | d : A & e : B}",
    "{e · e : A | e * e}",
    "{(e).e : A | e * e}",
    "/*@symbolic */ {e | e : NATURAL}",
    "/*@symbolic */ %e.(e : NATURAL | e)",
    "POW(A) \\/ POW1(A) \\/ FIN(A) \\/ FIN1(B)",
    "union(ss) \\/ inter({T})",
    "UNION(e).(e : A | {e}) /\\ INTER(e).(e : {1} | {e})",
    "A * B",
    "A × B",
    "T <-> T",
    "(T +-> T) \\/ (T --> T) \\/ (T >+> T) \\/ (T >-> T) \\/ (T +->> T) \\/ (T -->> T) \\/ (T >+>> T) \\/ (T >->> T)",
    "(T <<-> T) \\/ (T <->> T) \\/ (T <<->> T)",
    "dom(r) \\/ ran(r) \\/ r[{a}] \\/ r~[{a}]",
    "id(T) \\/ (r ; r) \\/ (r ∘ r)",
    "({a} <| r) \\/ ({a} <<| r) \\/ (r |> {a}) \\/ (r |>> {a}) \\/ (r <+ {a |-> b})",
    "r >< r",
    "(r || f)",
    "prj1(T, A) \\/ @prj1",
    "prj2(T, A)",
    "prj1(a |-> 1)",
    "iterate(r, 2) \\/ closure(r) \\/ closure1(r)",
    "fnc(r)",
    "rel(fnc(r))",
    "f(1)",
    "g(a)(b)",
    "%(d, e).(d : A & e : B | d + e)(1, 2)",
    "succ(1) + pred(2)",
    "seq(T) \\/ seq1(T) \\/ iseq(T) \\/ iseq1(T) \\/ perm(T)",
    "[1, 2, 3] ^ s",
    "1 -> s <- 2",
    "(s /|\\ 2) ^ (s \\|/ 1)",
    "size(s) + first(s) + last(s)",
    "front(s) ^ tail(s) ^ rev(s)",
    "conc([s, s])",
    "w ^ \"tail\"",
    "size(w)",
    "rec(n : 1, m : TRUE)",
    "struct(n : A, m : BOOL)",
    "rc'n + rec(n : 1, m : FALSE)'n",
    "bool(x = 1)",
    "IF x = 1 THEN 1 ELSIF x = 2 THEN 2 ELSE 3 END",
    "LET e BE e = x + 1 IN e * e END",
    "sizet(tr) + top(tr) + arity(tr, []) + rank(tr, [1])",
    "const(1, [tr, tr])",
    "bin(tr, 1, tr)",
    "(subtree(tr, []) \\/ mirror(tr)) \\/ (left(tr) \\/ right(tr))",
    "son(tr, [], 1) ^ father(tr, [1])",
    "prefix(tr) ^ postfix(tr) ^ infix(tr)",
    "sons(tr)",
    "btree(A)",
    "(1, 2, 3)",
    "(a |-> b |-> c)",
    "`x` + `y`",
    "A ∪ B ∩ {1} ∖ ∅",
    "f(x) + k",
    "STRING",
    "(INT \\/ NAT \\/ NAT1 \\/ NATURAL \\/ NATURAL1 \\/ INTEGER)",
    "BOOL * FLOAT",
    "ℙ(ℤ)",
    "λe·(e ∈ ℕ | e + 1)",
    "∑(e)·(e ∈ A | e) + ∏(e)·(e ∈ A | e)",
    "(T → T) ∪ (T ↣ T) ∪ (T ⇸ T) ∪ (T ⤔ T) ∪ (T ⤖ T)",
    "({a} ◁ r) ∪ ({a} ⩤ r) ∪ (r ▷ {a}) ∪ (r ⩥ {a})",
    "{x ↦ y}",
];

const SUBSTITUTIONS: &[&str] = &[
    "skip",
    "BEGIN x := 1; y := x END",
    "x, y := y, x",
    "x := 1 || y := 2; A := {x}",
    "f(x) := 1; g(a)(b) := 2",
    "rc'n := 1",
    "x :: A",
    "x, y :: A * B",
    "x : (x > x$0 & x < x$0 + 3)",
    "x, y : (x = y$0 & y = x$0)",
    "PRE x = 1 THEN x := 2 END",
    "ASSERT x = 1 THEN x := 2 END",
    "SELECT x = 1 THEN x := 2 END",
    "SELECT x = 1 THEN x := 2 WHEN x = 2 THEN x := 3 WHEN x = 3 THEN skip ELSE x := 1 END",
    "IF x = 1 THEN x := 2 END",
    "IF x = 1 THEN x := 2 ELSIF x = 2 THEN x := 3 ELSE skip END",
    "CHOICE x := 1 OR x := 2 OR skip END",
    "CASE x OF EITHER 1 THEN x := 2 OR 2, 3 THEN x := 4 ELSE skip END END",
    "CASE p OF EITHER a THEN skip OR b, c THEN x := 1 END END",
    "ANY d, e WHERE d : A & e : B THEN x := d || y := e END",
    "LET d, e BE d = x & e = y IN x := e || y := d END",
    "VAR d, e IN d := x; e := d; x := e END",
    "WHILE x < 3 DO x := x + 1 INVARIANT x : 0..3 & x >= x$0 VARIANT 3 - x END",
];

const MACHINES: &[&str] = &[
    "#!/usr/bin/env abridge
// A line comment.
MACHINE Main
/* A comment. */
SETS PID; DOOR = {open, shut} /*@desc two states */
ABSTRACT_CONSTANTS n, limit
CONCRETE_CONSTANTS m
PROPERTIES n : NAT1 & limit = n + 1 & m : DOOR & card(PID) = 3
VARIABLES door /*@desc the door */, inside
INVARIANT /*@label typing */ door : DOOR & inside <: PID & card(inside) <= limit
ASSERTIONS door = open or door = shut; card(inside) <= 3
INITIALISATION door := shut || inside := {}
OPERATIONS
  enter(p) = PRE p : PID & p /: inside & door = open THEN inside := inside \\/ {p} END /*@desc somebody comes in */;
  leave(p) = SELECT p : inside THEN inside := inside - {p} END;
  r <-- count = r := card(inside);
  turn = IF door = open THEN door := shut ELSE door := open END
END
",
    "MODEL Main(ELEM, low, high)
CONSTRAINTS low : NAT & high : NAT & low <= high
CONCRETE_VARIABLES v
ABSTRACT_VARIABLES u
INVARIANT v : low..high & u <: ELEM
INITIALISATION BEGIN v := low; u := {} END
OPERATIONS add(e) = PRE e : ELEM THEN u := u \\/ {e} END
END
",
    "SYSTEM Main
VARIABLES x
INVARIANT x : INTEGER
INITIALIZATION x := 0
EVENTS
  inc = SELECT x < 3 THEN x := x + 1 END;
  wit = WITNESS x = 1 THEN skip END
END
",
    "MACHINE Main
DEFINITIONS
  \"LibraryStrings.def\";
  \"Extra.def\";
  sum(d, e) == d + e;
  half(e) == #d.(d : NATURAL & d + d = e);
  both == v, w;
  COLOURS == {red, green};
  reset == BEGIN v := 0 || w := 0 END;
  put(e) == v := e;
  GOAL == v = 3;
  SET_PREF_MAXINT == 7;
  scope_S == 1..4;
  ASSERT_LTL == \"G{v >= 0}\";
  ASSERT_CTL_1 == \"EF{v = 3}\";
  HEURISTIC_FUNCTION == v + w;
  EXTERNAL_FUNCTION_TWICE == INTEGER --> INTEGER;
  TWICE(e) == 0;
  EXTERNAL_PREDICATE_CHECK(K) == K * K;
  CHECK(d, e) == 1 = 1;
  EXTERNAL_SUBSTITUTION_SAY(K) == K;
  SAY(e) == skip;
SETS S; C = COLOURS
VARIABLES both
INVARIANT v : INTEGER & w : INTEGER & (half(w) => sum(v, w) * 2 > extra(1)) & CHECK(v, w)
INITIALISATION reset
OPERATIONS
  go = put(TWICE(v));
  say = BEGIN SAY(v); v := STRING_LENGTH(\"abc\") END
END
//# Extra.def
DEFINITIONS
  extra(e) == e + base;
  base == 10
",
    "MACHINE Main
FREETYPES
  Tree = leaf(INTEGER), node(Tree * Tree), empty;
  Option = none, some(BOOL)
CONSTANTS t, depth
PROPERTIES t = node(leaf(1) |-> leaf(2)) & depth : INTEGER & leaf~(leaf(1)) = 1
VARIABLES v
INVARIANT v : Option
INITIALISATION v := none
OPERATIONS set(e) = PRE e : BOOL THEN v := some(e) END
END
",
    "MACHINE Main
SEES Seen
INCLUDES a.Part, b.Part, Bounded(3)
EXTENDS Extra
PROMOTES a.up, tick
VARIABLES z
INVARIANT z : INTEGER & a.x >= 0 & z <= most
INITIALISATION z := a.x
OPERATIONS
  both = BEGIN a.up || b.up END;
  n <-- ask = n <-- a.value;
  store = z <-- b.value
END
//# Seen.mch
MACHINE Seen
SETS COLOUR = {red, green}
CONSTANTS most
PROPERTIES most = 3
END
//# Part.mch
MACHINE Part
SEES Seen
VARIABLES x
INVARIANT x : 0..most
INITIALISATION x := 0
OPERATIONS
  up = PRE x < most THEN x := x + 1 END;
  n <-- value = n := x
END
//# Bounded.mch
MACHINE Bounded(top)
CONSTRAINTS top : NAT1
VARIABLES level
INVARIANT level : 0..top
INITIALISATION level := 0
OPERATIONS tick = level :: 0..top
END
//# Extra.mch
MACHINE Extra
USES Other
OPERATIONS say(e) = PRE e : THINGS THEN skip END
END
//# Other.mch
MACHINE Other
SETS THINGS = {one, two}
END
",
    "REFINEMENT Main
REFINES Abstract
VARIABLES q, flag
INVARIANT q : seq(E) & flag : BOOL & ran(q) = pool
INITIALISATION q := [] || flag := FALSE
OPERATIONS
  put(e) = PRE e : E & e /: ran(q) THEN q := q <- e END;
  e <-- get = PRE q /= [] THEN e := first(q) || q := tail(q) END
END
//# Abstract.mch
MACHINE Abstract
SETS E = {e1, e2, e3}
VARIABLES pool, flag
INVARIANT pool <: E & flag : BOOL
INITIALISATION pool := {} || flag := FALSE
OPERATIONS
  put(e) = PRE e : E & e /: pool THEN pool := pool \\/ {e} END;
  e <-- get = PRE pool /= {} THEN ANY d WHERE d : pool THEN e := d || pool := pool - {d} END END
END
",
    "IMPLEMENTATION Main
REFINES Abstract
IMPORTS Cell
VALUES K = 3
CONCRETE_VARIABLES c
INVARIANT c = v
INITIALISATION c := 0
OPERATIONS
  step = VAR t IN t <-- read; helper(t) END
LOCAL_OPERATIONS
  helper(e) = PRE e : INTEGER THEN c := e END
END
//# Abstract.mch
MACHINE Abstract
CONSTANTS K
PROPERTIES K : NAT
VARIABLES v
INVARIANT v : INTEGER
INITIALISATION v := 0
OPERATIONS step = v :: INTEGER
END
//# Cell.mch
MACHINE Cell
CONCRETE_VARIABLES cell
INVARIANT cell : INTEGER
INITIALISATION cell := 1
OPERATIONS e <-- read = e := cell; write(e) = PRE e : INTEGER THEN cell := e END
END
",
    "/*@generated */
MACHINE Main
SEES Lib /*@file \"lib/Lib.mch\" */
EXPRESSIONS double(e) == e + e
PREDICATES positive(e) == e > 0
VARIABLES x
INVARIANT x : INTEGER & positive(double(x + lib))
INITIALISATION x := 1
END
//# lib/Lib.mch
MACHINE Lib
CONSTANTS lib
PROPERTIES lib = 1
END
",
    "DEFINITIONS
  one == 1;
  both(x, y) == x = y & y = one;
  act(x) == BEGIN v := x END
",
];
