//! Expressions and predicates, written as B and compared as B.

mod common;

use common::{check, fails, holds, prob_holds, refuted, undefined};

#[test]
fn numbers() {
    check("-7 / 2", "-3");
    check("7 / -2", "-3");
    check("-1 / 4", "0");
    check("7 mod 2", "1");
    check("2 ** 3 ** 2", "512");
    check("-2 ** 2", "4");
    check("2 ** 100 - 2 ** 100 + 1", "1");
    check("(-1) ** 3", "-1");
    check("0 ** 0", "1");
    check("max({3, 1, 2})", "3");
    check("min(NATURAL1)", "1");
    check("card(POW(1..100)) - 2 ** 100", "0");
    check("floor(2.7)", "2");
    check("ceiling(-2.2)", "-2");
    check("1.5e2 + real(1)", "151.0");
    check("SIGMA(x).(x : {1, 2, 3} | 1)", "3");
    check("SIGMA(x, y).(x : 1..3 & y : 1..x | x * y)", "25");
    check("PI(x).(x : 1..0 | x)", "1");
    check("PI(x).(x : 1..5 | x)", "120");
    fails("3 / 0", "division-by-zero");
    fails("-7 mod 2", "modulo-negative");
    fails("7 mod -2", "modulo-negative");
    fails("2 ** -1", "negative-exponent");
    fails("max(1..0)", "of-empty-set");
    fails("max(NATURAL)", "infinite-set");
    fails("card(NATURAL)", "infinite-set");
    fails("SIGMA(x).(x : NATURAL | x)", "unbounded-value");
    fails("2 ** 2 ** 30", "unsupported");
    fails("(2 ** 10000000) * (2 ** 10000000)", "unsupported");
    fails("PI(x).(x : 1..20 | 2 ** (1000000 + x))", "unsupported");
}

#[test]
fn sets() {
    check("{3, 1, 2, 1}", "{1,2,3}");
    check("{1, 2} \\/ {3}", "{1,2,3}");
    check("{1, 2, 3} /\\ 2..5", "{2,3}");
    check("NATURAL /\\ -3..2", "{0,1,2}");
    check("(1..5) - {2, 4}", "{1,3,5}");
    check("S - {b}", "{a,c}");
    check("D", "{D1,D2}");
    check("POW({1, 2})", "{{},{1},{1,2},{2}}");
    check("POW1({1, 2})", "{{1},{1,2},{2}}");
    check("FIN(BOOL)", "{{},{FALSE},{FALSE,TRUE},{TRUE}}");
    check("{1, 2} * {TRUE}", "[TRUE,TRUE]");
    check("union({{1}, {2, 3}})", "{1,2,3}");
    check("inter({{1, 2}, {2, 3}})", "{2}");
    check("union({s | s <: 1..2 & 1 = 2})", "{}");
    check("UNION(x).(x : 1..3 | {x, x * x})", "{1,2,3,4,9}");
    check("INTER(x).(x : 1..3 | x..5)", "{3,4,5}");
    check("{x | x : 1..10 & x mod 3 = 0}", "{3,6,9}");
    check("{x, y | x : 1..2 & y = x + 1}", "[2,3]");
    check("{x · x : 1..3 | x * x}", "{1,4,9}");
    check("{x | x = 1 or x = 3}", "{1,3}");
    check("{x | #y.(y : 1..3 & x = y * 2)}", "{2,4,6}");
    check("{x | x > 3 & x < 7}", "{4,5,6}");
    check("card(struct(f : BOOL, g : 1..2))", "4");
    fails("inter({s | s <: 1..2 & 1 = 2})", "of-empty-set");
    fails("INTER(x).(x : 1..0 | {x})", "of-empty-set");
}

#[test]
fn relations() {
    check("{1 |-> 2, 1 |-> 3}[{1}]", "{2,3}");
    check("dom({1 |-> 2, 3 |-> 4})", "{1,3}");
    check("ran({1 |-> 2, 3 |-> 4})", "{2,4}");
    check("{1 |-> 2}~", "{(2|->1)}");
    check("({1 |-> 2} ; {2 |-> 3})", "{(1|->3)}");
    check("{1} <| {1 |-> 2, 3 |-> 4}", "{(1|->2)}");
    check("{1} <<| {1 |-> 2, 3 |-> 4}", "{(3|->4)}");
    check("{1 |-> 2, 3 |-> 4} |> {2}", "{(1|->2)}");
    check("{1 |-> 2, 3 |-> 4} |>> {2}", "{(3|->4)}");
    check("{1 |-> 2, 3 |-> 4} <+ {1 |-> 9}", "{(1|->9),(3|->4)}");
    check("closure1({1 |-> 2, 2 |-> 3})", "{(1|->2),(1|->3),(2|->3)}");
    check("closure({a |-> b})", "{(a|->a),(a|->b),(b|->b),(c|->c)}");
    check("iterate({a |-> b}, 0)", "{(a|->a),(b|->b),(c|->c)}");
    check("iterate({1 |-> 2, 2 |-> 3}, 2)", "{(1|->3)}");
    check("fnc({1 |-> 2, 1 |-> 3})", "{(1|->{2,3})}");
    check("rel({1 |-> {2, 3}})", "{(1|->2),(1|->3)}");
    check("({1 |-> 2} || {3 |-> 4})", "{(1|->3|->(2|->4))}");
    check("{1 |-> 2} >< {1 |-> 3}", "{(1|->(2|->3))}");
    check("id({a, b})", "{(a|->a),(b|->b)}");
    check("{1 |-> 2}(1)", "2");
    check("prj1({1}, {2})", "{(1|->2|->1)}");
    check("prj1(INTEGER, INTEGER)(4 |-> 2)", "4");
    check("prj1(4 |-> 2)", "4");
    check("succ(3) + pred(3)", "6");
    check("card({a, b} --> {1, 2, 3})", "9");
    // Longer than the longest list.
    check("card(%x.(x : 1..1100000 | x * 2))", "1100000");
    check("card({x, y | x : 1..600000 & y : {x, -x}})", "1200000");
    check("{a} <-> {1}", "{{},{(a|->1)}}");
    check("{a, b} >->> {1, 2}", "{{(a|->1),(b|->2)},{(a|->2),(b|->1)}}");
    check("{a} +->> {1}", "{{(a|->1)}}");
    check("card(S >+> 1..2)", "13");
    check("card(1..3 -->> 1..2)", "6");
    check("card(S <<->> BOOL)", "25");
    fails("{1 |-> 2, 1 |-> 3}(1)", "not-functional");
    fails("{1 |-> 2}(3)", "outside-domain");
    fails("prj1(1..3, 1..3)(9 |-> 2)", "outside-domain");
    fails("iterate({1 |-> 2}, -1)", "out-of-range");
    fails("rel({1 |-> {2}, 1 |-> {3}})", "bad-operand");
}

#[test]
fn sequences() {
    check("[5, 6, 7] /|\\ 2", "[5,6]");
    check("[5, 6, 7] /|\\ 9", "[5,6,7]");
    check("[5, 6, 7] \\|/ 2", "{(1|->7)}");
    check("4 -> [5] <- 6", "[4,5,6]");
    check("[1] ^ [2]", "[1,2]");
    check("conc([[1], [], [2]])", "[1,2]");
    check("rev([1, 2])", "[2,1]");
    check("first([4, 5]) + last([4, 5])", "9");
    check("front([4, 5])", "{(1|->4)}");
    check("tail([4, 5])", "{(1|->5)}");
    check("size([4, 5])", "2");
    check("perm({1, 2})", "{[1,2],[2,1]}");
    check("card(iseq(S))", "16");
    check("card(iseq1(S))", "15");
    check("seq({x | x : 1..0})", "{{}}");
    check("([2, 3, 5] ; %x.(x : INTEGER | x * x))", "[4,9,25]");
    fails("first(tail([1]))", "empty-sequence");
    fails("size({2 |-> 1})", "not-a-sequence");
    fails("[1] \\|/ 2", "out-of-range");
    fails("[1] /|\\ -1", "out-of-range");
    fails("card(seq(S))", "infinite-set");
    holds("[1, 2] : seq(NATURAL)");
    holds("[] : seq(NATURAL) & [] /: seq1(NATURAL)");
    holds("[a, a] : seq1(S) & [a, a] /: iseq(S) & [b, a] : iseq1(S) & [c, b, a] : perm(S)");
    refuted("{2 |-> a} : seq(S)");
}

#[test]
fn symbolic_sets() {
    check("%x.(x : NATURAL | x * x)(12)", "144");
    check("iterate(%x.(x : INTEGER | x * x), 3)(2)", "256");
    check("%(x, y).(x : 1..2 & y : 1..2 | x + y)(1, 2)", "3");
    check("{x, y | x : NATURAL & y = x + 1}(6)", "7");
    check("%x.(x : NATURAL | x + 1)[{1, 2}]", "{2,3}");
    check("{3, 4} <| %x.(x : NATURAL | x + 1)", "{(3|->4),(4|->5)}");
    check("dom(%x.(x : 1..3 | 1 / (x - 2)))", "{1,2,3}");
    check("(%x.(x : INTEGER | x + 1) ; %x.(x : INTEGER | x * 2))(5)", "12");
    check("(%x.(x : INTEGER | x + 1) <+ {3 |-> 0})(3)", "0");
    check("(%x.(x : INTEGER | x + 1) <+ {3 |-> 0})(4)", "5");
    check("%x.(x : INTEGER | x + 1)~(4)", "3");
    check("(INTEGER * {1})(5)", "1");
    check("closure1(%x.(x : 1..3 | x + 1))", "{(1|->2),(1|->3),(1|->4),(2|->3),(2|->4),(3|->4)}");
    check("closure1(%x.(x : NATURAL & x < 5 | x + 1))[{3}]", "{4,5}");
    check("dom(%x.(x : NATURAL | x))", "NATURAL");
    check("NATURAL \\/ {-1}", "(NATURAL \\/ {-1})");
    check("(0..2147483647) - {0}", "(1..2147483647)");
    holds("5 : NATURAL & -1 /: NATURAL & 0 /: NATURAL1");
    holds("{1, 2} : POW(NATURAL) & {1, 2} <: NATURAL & NATURAL1 <: NATURAL");
    refuted("INTEGER <: NATURAL");
    holds("NATURAL /= INTEGER & NATURAL = NATURAL & NATURAL /= {1}");
    holds("NATURAL * NATURAL <: INTEGER * INTEGER");
    holds("{1 |-> 2} : NATURAL +-> NATURAL");
    refuted("{1 |-> 2} : NATURAL --> NATURAL");
    holds("%x.(x : NATURAL | x + 1) : NATURAL --> NATURAL");
    refuted("%x.(x : NATURAL | x - 1) : NATURAL --> NATURAL");
    holds("%x.(x : 1..3 | x) : 1..3 >->> 1..3");
    holds("3 |-> 4 : %x.(x : NATURAL | x + 1) & 3 |-> 5 /: %x.(x : NATURAL | x + 1)");
    holds("not(@finite(NATURAL)) & @finite(POW(1..3)) & NATURAL /: FIN(INTEGER) & {1} : FIN(INTEGER)");
    holds("1000 : UNION(x).(x : NATURAL & x < 10000 | {x * 2})");
    holds("\"abc\" : STRING & {\"a\"} <: STRING");
    holds("7 : {x | x : NATURAL & x mod 2 = 1}");
    holds("1..1000000000 <: NATURAL & 5 : 1..1000000000 & card(1..1000000000) = 1000000000");
    holds("POW(1..3) <: POW(NATURAL) & POW(NATURAL1) <: POW(NATURAL)");
    holds("(1..3 --> 1..3) <: (1..3 +-> NATURAL)");
    fails("card({x | x : INTEGER})", "unbounded-value");
}

#[test]
fn records_strings_trees_freetypes() {
    check("rec(b : 1, a : TRUE)", "rec(a:TRUE,b:1)");
    check("rec(a : 1, b : 2)'b", "2");
    holds("rec(b : 1, a : 2) = rec(a : 2, b : 1)");
    holds("rec(a : 1, b : TRUE) : struct(a : NATURAL, b : BOOL)");
    refuted("rec(a : -1, b : TRUE) : struct(a : NATURAL, b : BOOL)");
    check("\"a\" ^ \"b\"", "\"ab\"");
    check("size(\"abc\")", "3");
    check("top(const(1, [bin(2), bin(3)]))", "1");
    check("prefix(const(1, [bin(2), bin(3)]))", "[1,2,3]");
    check("postfix(const(1, [bin(2), bin(3)]))", "[2,3,1]");
    check("infix(bin(bin(2), 1, bin(3)))", "[2,1,3]");
    check("sizet(bin(bin(2), 1, bin(3)))", "3");
    check("mirror(bin(bin(2), 1, bin(3)))", "{({}|->1),({(1|->1)}|->3),({(1|->2)}|->2)}");
    check("arity(const(1, [bin(2)]), [])", "1");
    check("rank(const(1, [bin(2), bin(3)]), [2])", "2");
    check("subtree(const(1, [bin(2)]), [1])", "{({}|->2)}");
    check("left(bin(bin(2), 1, bin(3)))", "{({}|->2)}");
    holds("bin(1) : tree(NATURAL) & {} /: tree(NATURAL) & bin(bin(2), 1, bin(3)) : btree(1..3)");
    refuted("const(1, [bin(2)]) : btree(1..3)");
    check("cons(1 |-> nil)", "cons(1|->nil)");
    check("cons~(cons(1 |-> nil))", "(1|->nil)");
    holds("cons(1 |-> nil) : L & cons(1 |-> nil) /= nil & f1(TRUE) /= f1(FALSE)");
    check("F", "{f0,f1(FALSE),f1(TRUE)}");
    fails("cons~(nil)", "outside-domain");
    holds("{x | x : 1..3 & cons(x |-> nil) = cons(2 |-> nil)} = {2}");
}

#[test]
fn logic() {
    holds("#x.(x : 1..3 & 6 / x = 2)");
    holds("!y.(y : {0, 1} => y = 0 or 1 / y = 1)");
    holds("!x.(x : 1..3 => x < 4)");
    refuted("!x.(x : 1..3 => x < 3)");
    holds("!(x, y).(x : 1..3 & y : 1..3 & x < y => x <= y - 1)");
    holds("!x.(x : 1..0 => 1 / 0 = x)");
    holds("not(1 / 0 = 1 & 1 = 2)");
    holds("1 = 1 or 1 / 0 = 1");
    holds("1 = 2 => 1 / 0 = 1");
    undefined("1 / 0 = 1 or 1 = 1", "division-by-zero");
    undefined("1 / 0 = 1 & 1 = 1", "division-by-zero");
    undefined("!x.(x : 0..3 => 1 / x <= 1)", "division-by-zero");
    refuted("!x.(x : 0..3 => x < 3 & 1 / x < 5)");
    holds("IF 1 = 1 THEN 2 = 2 ELSE 1 / 0 = 1 END");
    holds("LET x BE x = 3 IN x * x = 9 END");
    holds("@partition(1..3, {1}, {2, 3}) & not(@partition(1..3, {1, 2}, {2, 3}))");
    holds("1..2 <<: 1..3 & not(1..3 <<: 1..3) & 1..3 /<<: 1..3");
    holds("(1 = 1 <=> 2 = 2) & TRUE /= FALSE & bool(1 = 2) = FALSE");
    holds("#x.(x = 5) & #x.(x : NATURAL & x + x = 10) & not(#x.(x : NATURAL & x + x = 11))");
    holds("{x | x : 1..4 & #y.(y : NATURAL & y + y = x)} = {2, 4}");
    holds("#(x, y).(x : NATURAL & y : NATURAL & x + y = 7 & x - y = 1)");
    holds("!x.(x : NATURAL & x < 100 => x : 0..99)");
    holds("#(x, y).(x |-> y : {1 |-> 2, 3 |-> 4} & x + y = 7)");
    holds("#s.(s <: 1..4 & card(s) = 3 & 2 /: s)");
    holds("#f.(f : 1..3 >->> S & f(2) = a)");
    holds("{s | !x.(x : s => x * x = 4) & !x.(x : {2} => x : s)} = {{2}, {-2, 2}}");
    holds("{r | !(x, y).(x |-> y : r => x : 1..2 & y = x + 1) & card(r) = 1} = {{1 |-> 2}, {2 |-> 3}}");
    undefined("#s.(!x.(x : s => x > 4) & 5 /: s & 6 : s)", "unbounded-value");
    undefined("#(x, y).(x : INTEGER & y : INTEGER & x * x - 61 * y * y = 1 & y > 3)", "unbounded-value");
    prob_holds("#(x, y).(x : INTEGER & y : INTEGER & x * x - 61 * y * y = 1 & y > 3)", false, true);
    prob_holds("#x.(x : NATURAL & x * x * x = 8)", true, false);
}

#[test]
fn a_witness_nearby_decides_an_unbounded_quantifier() {
    holds("#x.(x > 100 & x mod 7 = 3)");
    holds("#(x, y).(x : NATURAL1 & y : NATURAL1 & x * x - 2 * y * y = 1)");
    holds("#(a1, b1, c1).(a1 : NATURAL1 & b1 : NATURAL1 & c1 : NATURAL1 & a1 * a1 + b1 * b1 = c1 * c1)");
    holds("#(s, t).(s <: INTEGER & !x.(x : s => x : t) & card(s) = 3)");
    holds("#s.(s : STRING & s /= \"word\")");
    refuted("!x.(x : NATURAL => x * x > x)");
    refuted("!s.(s <: NATURAL => s = NATURAL or s <: NATURAL1)");
    refuted("!(x, y).(x : INTEGER & y : INTEGER => x - y = y - x)");
    undefined("!(x, y).(x : INTEGER & y : INTEGER => (x + y) * (x + y) >= 4 * x * y)", "unbounded-value");
}

#[test]
fn powers_and_products_bound_their_operands() {
    holds("{x | x * x * x = -27} = {-3} & {x | x ** 5 = 32} = {2} & {x | x * x * x = 50} = {}");
    holds("{x | x ** 3 : 8..64} = {2, 3, 4} & {x | x ** 4 < 17} = -2..2 & {x | x ** 3 : -8..0} = {-2, -1, 0}");
    holds("card({x, y | x * x + y * y = 25}) = 12");
    holds("{x | 2 ** x = 1024} = {10} & {x | 3 ** x < 28} = 0..3 & {x | 2 ** x = 0} = {}");
    holds("{x, y | x * y = 6 & x > 0} = {1 |-> 6, 2 |-> 3, 3 |-> 2, 6 |-> 1} & card({x, y | x * y = -6}) = 8");
    holds("{x | x * x = 2 * x + 3} = {-1, 3} & {x | x * x * x = 7 * x - 6} = {-3, 1, 2}");
    holds("{x | (x + 1) * (x - 2) <= 0} = -1..2 & {x | x * x + 1 <= 0} = {}");
    holds("{x | x * x * x > 100 & x * x < 50} = 5..7 & {x | 100 - x * x * x * x >= 0} = -3..3");
}

#[test]
fn items_of_a_sequence_are_elements_of_its_base() {
    let known = "7, 8, 9, 10, 11, 12";
    holds(&format!("{{x, y | [1, x, 3, x + 1, 4, y, {known}] : perm(1..12)}} = {{5 |-> 2}}"));
    holds("{x, y | [x, y] : iseq(1..2)} = {1 |-> 2, 2 |-> 1} & card({x, y | [x, y] : seq(1..2)}) = 4");
    holds("{x, y | [x, y, 3] : perm(1..4)} = {} & {x | [x] : seq1({3} - {3})} = {}");
}

#[test]
fn applied_lambdas_bound_their_arguments() {
    let double = "f = %x.(x : INTEGER | x + x)";
    holds(&format!("#(f, y).({double} & f(f(f(y))) = 1000)"));
    refuted(&format!("#(f, y).({double} & f(f(f(f(y)))) = 1000)"));
    holds("#(f, y).(f = %x.(x : INTEGER | x * x * x) & f(f(y)) = 134217728)");
    refuted("#(f, y).(f = %x.(x : INTEGER | x * x * x) & f(f(y)) = 134217721)");
    holds("#(f, k).(f = %x.(x : INTEGER | x + k) & k : NATURAL & f(0) * f(2) = 120)");
    refuted("#(f, k).(f = %x.(x : INTEGER | x + k) & k : NATURAL & f(0) * f(2) = 121)");
    // A lambda that applies itself is no bound.
    undefined("#(f, y).(f = %x.(x : INTEGER | f(x - 1) + f(x - 2)) & f(y) = 3)", "unbounded-value");
}

#[test]
fn some_quantifiers_over_infinite_sets_are_decided_by_their_form() {
    holds("!s.(s <: NATURAL => s = NATURAL or s <<: NATURAL)");
    holds("!s.(s <<: NATURAL => s /= NATURAL & s <: NATURAL)");
    holds("!(s, t).(s <: NATURAL & t <: NATURAL & s <: t & t <: s => t = s)");
    holds("!(x, s, t).(x : INTEGER & s <: INTEGER & t <: INTEGER => (x : s - t <=> (x : s & x /: s /\\ t)))");
    holds("!(x, y).(x : INTEGER & y : INTEGER => x < y or x = y or x > y)");
    holds("!x.(x : REAL => x = x)");
    undefined("!x.(x : INTEGER => 1 / x = 1 / x or x = 0)", "unbounded-value");
}
