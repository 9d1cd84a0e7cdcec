//! Texts with errors: message, place and recovered tree.

use super::{recovered, refuse, refuse_file, refuse_substitution};
use crate::{parse_file, parse_formula, parse_substitution};

#[test]
fn sorts() {
    refuse("x<-1 & y=1", "predicate-expected \"x<-1\"");
    refuse("TRUE=TRUE & TRUE", "predicate-expected \"TRUE\"");
    refuse("(1=1)=TRUE", "expression-expected \"(1=1)\"");
    refuse("a = (b & c)", "expression-expected \"(b & c)\"");
    refuse("x+1 => y=2", "predicate-expected \"x+1\"");
    refuse("x => 3", "predicate-expected \"x => 3\"");
    refuse("f(x=1)", "expression-expected \"x=1\"");
    refuse("{x=1, 2, y=2}", "expression-expected \"x=1\"");
    refuse("IF p THEN 1 ELSE x=1 END", "expression-expected \"x=1\"");
    refuse("not(1)", "predicate-expected \"1\"");
    refuse("bool(TRUE)", "predicate-expected \"TRUE\"");
    refuse("{x|1}", "predicate-expected \"1\"");
    refuse_substitution("x := x=1", "expression-expected \"x=1\"");
    refuse_substitution("x := a=b || y := 2", "expression-expected \"a=b\"");
}

#[test]
fn parentheses() {
    refuse("not x=1", "missing-parentheses \"x\"");
    refuse("!x.x>1", "missing-parentheses \"x\"");
    refuse("#x.x=1 & y=2", "missing-parentheses \"x\"");
    refuse("%x.x:S|x", "missing-parentheses \"x\"");
    refuse("dom f", "missing-parentheses \"f\"");
    refuse("op()", "empty-parentheses \"()\"");
    refuse("() = 1", "empty-parentheses \"()\"");
    refuse("(x = 1 & y = 2", "unclosed-bracket \"(\"");
    refuse("f(x) = {a, (b} + 1 & z = 2", "unclosed-bracket \"(\"");
    refuse("x = 1) & y = 2 ] & z = ", "unmatched-bracket \")\"; unmatched-bracket \"]\"; missing-operand \"=\"");
    refuse_substitution("x := (a + b ; y := 3", "unclosed-bracket \"(\"");
    refuse_substitution("(x := 1; y := 2)", "parenthesised-substitution \"(\"");
    assert_eq!(recovered(parse_formula, "not x=1 & y=2"), "(& (not (= x 1)) (= y 2))");
}

#[test]
fn operators_of_other_languages() {
    refuse("x = 1 && y = 2", "foreign-operator \"&&\"");
    refuse("x = 1 and y = 2 AND z = 3", "foreign-operator \"and\"; foreign-operator \"AND\"");
    refuse("x = 1 || y = 2 OR z = 3", "foreign-operator \"||\"; foreign-operator \"OR\"");
    refuse("x == 1 & y != 2 & z <> 3", "foreign-operator \"==\"; foreign-operator \"!=\"; foreign-operator \"<>\"");
    refuse("x =< 3", "foreign-operator \"=<\"");
    refuse("x := 1 & y = 2", "assignment-in-formula \":=\"");
    refuse_substitution("x = 1", "comparison-as-substitution \"=\"");
    refuse_substitution("x : S", "comparison-as-substitution \":\"");
    refuse_substitution("x += 1", "unexpected-token \"+\"");
    assert_eq!(recovered(parse_formula, "a and b != 1"), "(& a (/= b 1))");
}

#[test]
fn operators_in_wrong_places() {
    refuse("a < b < c & d = 1", "chained-relation \"<\"");
    refuse("a = b = c", "chained-relation \"=\"");
    refuse("x:A<:B", "chained-relation \"<:\"");
    refuse("r~~", "double-inverse \"~\"");
    refuse("r~'a", "field-of-inverse \"'\"");
    refuse("- -x", "double-minus \"-\"");
    refuse("f;g", "unexpected-token \";\"");
    refuse("k(f;g)", "unexpected-token \";\"");
    refuse("[f;g]", "unexpected-token \";\"");
    refuse("2x", "bad-name \"2x\"");
    refuse("f(x).g", "unexpected-token \".\"");
    refuse("max(a,b)", "wrong-number-of-arguments \"max\"");
    refuse("1+2,x", "unexpected-list \"1+2\"");
}

#[test]
fn bound_variables() {
    refuse("{x|->y|->z | x=1}", "nested-maplet \"|->\"");
    refuse("{x.x:1..3|x*x}", "bad-bound-variable \"x.x:1..3\"");
    refuse("{f(x) | x : S}", "bad-bound-variable \"f(x)\"");
    refuse("{x | x : S | x+1}", "second-bar \"|\"");
    refuse("!x:S.(x>1)", "missing-dot \":\"");
    refuse("SIGMA(x).(x:S)", "missing-bar \")\"");
    refuse("IF x=1 THEN 2 END", "missing-else \"END\"");
}

#[test]
fn a_bad_conjunct_does_not_hide_the_next() {
    let input = "x + * 3 = 2 & y = ; & z = 3";
    refuse(input, "missing-operand \"+\"; missing-operand \"=\"");
    assert_eq!(recovered(parse_formula, "x = & y = 1 & (z = ) & a => b"), "(=> (& <error> (= y 1) <error> a) b)");
    let input = "MACHINE M PROPERTIES a = ( & b = 2 & c = ) & d = 4 ASSERTIONS x; y = ; z END";
    assert_eq!(
        recovered(parse_file, input),
        "(machine M (properties (& (= a (& <error> (= b 2) <error>)) (= d 4))) (assertions x <error> z))"
    );
}

#[test]
fn characters() {
    refuse("x ⋀ y", "unexpected-character \"⋀\"");
    refuse("x ∊ y", "unexpected-character \"∊\"");
    refuse("x = _y", "unexpected-character \"_\"");
    refuse("x ?? = 1", "unexpected-character \"??\"");
    refuse("x\u{fffd} = 1", "unexpected-character \"\u{fffd}\"");
    refuse("x$1 = 2", "bad-dollar \"$1\"");
    refuse("\"abc", "unclosed-string \"\\\"\"");
    refuse("x = \"abc\n & y = 1", "unclosed-string \"\\\"\"");
    refuse("'''abc", "unclosed-string \"'''\"");
    refuse("x /* abc", "unclosed-comment \"/*\"");
    refuse("```abc", "unclosed-string \"```\"");
    refuse("`a.b`", "bad-name \"`a.b`\"");
    refuse("`a", "unclosed-name \"`a\"");
    refuse("@foo(x)", "unexpected-character \"@foo\"");
}

#[test]
fn words_of_blocks() {
    refuse_substitution("PRE x=1 x:=2 END", "missing-keyword \"x\"");
    refuse_substitution("IF x=1 DO x:=2 END", "missing-keyword \"DO\"");
    refuse_substitution("WHILE x<1 DO x:=2 END", "missing-keyword \"END\"");
    refuse_substitution("WHILE x<1 DO x:=2 VARIANT x INVARIANT x=1 END", "missing-keyword \"VARIANT\"");
    refuse_substitution("IF x=1 THEN x:=2 ELSE IF y=2 THEN y:=3 END", "missing-end \"\"");
    refuse_substitution("CASE x OF EITHER 1 THEN skip OR 2 THEN skip END", "missing-end \"\"");
    refuse_substitution("IF p THEN skip ELSEIF q THEN skip END", "foreign-operator \"ELSEIF\"");
    refuse_substitution("LET x = 1 IN skip END", "missing-keyword \"=\"");
    refuse_substitution("BEGIN x := 1; END", "trailing-semicolon \";\"");
    refuse_substitution("x := 1 y := 2", "missing-separator \"y\"");
    refuse_substitution("VAR x := 1 IN skip END; x = 1", "missing-keyword \":=\"; comparison-as-substitution \"=\"");
    refuse_substitution("f(x) :: S", "bad-assignment-target \"f(x)\"");
    refuse_substitution("r'a(1) := 3", "bad-assignment-target \"(\"");
    assert_eq!(
        recovered(parse_substitution, "PRE x=1 x:=2 END; IF x = THEN y:=1 END; z := ; a := 1"),
        "(; (pre (= x 1) (:= [x] [2])) (if <error> (:= [y] [1])) (:= [z] [<error>]) (:= [a] [1]))"
    );
}

#[test]
fn names() {
    let input = "MACHINE M VARIABLES x, first INVARIANT first : NAT INITIALISATION first := 1 END";
    refuse_file(input, "keyword-as-name \"first\"");
    refuse_substitution("first := 3", "keyword-as-name \"first\"");
    refuse_file(
        "MACHINE M OPERATIONS THEN = skip; max = skip END",
        "keyword-as-name \"THEN\"; keyword-as-name \"max\"",
    );
}

#[test]
fn clauses() {
    let input = "MACHINE M VARIABLE x INVARIANTS x:NAT INITIALIZATION x:=0 OPERATION inc = skip END";
    refuse_file(input, "unknown-clause \"VARIABLE\"; unknown-clause \"INVARIANTS\"; unknown-clause \"OPERATION\"");
    assert_eq!(
        recovered(parse_file, input),
        "(machine M (variables [x]) (invariant (: x NAT)) (init (:= [x] [0])) (operations (op [] inc [] skip)))"
    );
    refuse_file(
        "MACHINE M VISIBLE_CONSTANTS c PROPERTIES c = 1 HIDDEN_VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 END",
        "unknown-clause \"VISIBLE_CONSTANTS\"; unknown-clause \"HIDDEN_VARIABLES\"",
    );
    refuse_file("MACHINE M SETS S SETS T END", "duplicate-clause \"SETS\"");
    refuse_file("MACHINE M IMPORTS N END", "clause-not-allowed \"IMPORTS\"");
    refuse_file("IMPLEMENTATION M REFINES N VARIABLES x END", "clause-not-allowed \"VARIABLES\"");
    refuse_file("MACHINE M REFINES N END", "clause-not-allowed \"REFINES\"");
    refuse_file("REFINEMENT M END", "missing-clause \"REFINEMENT\"");
    refuse_file("MACHINE M(S,p) END", "missing-clause \"p\"");
    refuse_file("MACHINE M CONSTANTS c END", "missing-clause \"CONSTANTS\"");
    refuse_file("MACHINE M VARIABLES c END", "missing-clause \"VARIABLES\"; missing-clause \"VARIABLES\"");
    refuse_file("REFINEMENT M REFINES N VARIABLES c CONSTANTS d END", "");
    refuse_file("MACHINE M INVARIANT x=1; y=2 END", "wrong-separator \";\"");
    refuse_file("MACHINE M INVARIANT x=1; OPERATIONS a=skip END", "trailing-semicolon \";\"");
    refuse_file(
        "MACHINE M SETS S=, T; U={}; V W END",
        "unexpected-token \",\"; empty-set \"{}\"; unexpected-token \"W\"",
    );
    refuse_file("MACHINE M SEES N(1) PROMOTES END", "unexpected-arguments \"N(1)\"; unexpected-token \"END\"");
    refuse_file("MACHINE M INVARIANT x:NAT y:NAT SETS S T END", "missing-separator \"y\"; unexpected-token \"T\"");
    refuse_file("MACHINE M", "missing-end \"\"");
    refuse_file("MACHINE M END END x", "text-after-end \"END\"");
    refuse_file("MACHIN M END", "no-machine \"MACHIN\"");
    refuse_file("", "no-machine \"\"");
    refuse_file("x = 1", "no-machine \"x\"");
}

#[test]
fn operations() {
    refuse_file("MACHINE M OPERATIONS a = x:=1; y:=2 END", "body-needs-begin \":=\"");
    refuse_file(
        "MACHINE M OPERATIONS a(x:NAT) = skip; b = x = 1 END",
        "typed-declaration \":\"; comparison-as-substitution \"=\"",
    );
    refuse_file("MACHINE M OPERATIONS a = skip; END", "trailing-semicolon \";\"");
    refuse_file("MACHINE M OPERATIONS a() == skip END", "empty-parentheses \"()\"; wrong-sign \"==\"");
    refuse_file("MACHINE M OPERATIONS a = BEGIN skip END END; b = skip END", "extra-end \"END\"");
    refuse_file("MACHINE M OPERATIONS a = skip b = skip END", "missing-separator \"b\"");
    let input =
        "MACHINE M OPERATIONS a = PRE x=1 THEN y:=2; b = BEGIN skip END; c = x := ; d = ANY x WHERE THEN skip END END";
    refuse_file(input, "missing-end \";\"; unexpected-token \";\"; unexpected-token \"THEN\"");
    assert_eq!(
        recovered(parse_file, input),
        "(machine M (operations (op [] a [] <error>) (op [] b [] (begin skip)) (op [] c [] (:= [x] [<error>])) \
         (op [] d [] (any [x] <error> skip))))"
    );
}

#[test]
fn definitions() {
    refuse_file("DEFINITIONS S == x:=1||y:=2; T == 1", "body-needs-begin \"||\"");
    refuse_file("DEFINITIONS A = 1; B := 2", "wrong-sign \"=\"; wrong-sign \":=\"");
    refuse_file("DEFINITIONS A == 1 B == 2", "missing-separator \"B\"");
    refuse_file("DEFINITIONS A == x + ; B == (1; C == 2", "missing-operand \"+\"; unclosed-bracket \"(\"");
    refuse_file("DEFINITIONS A == IF p THEN x:=1 ELSE y END END", "");
    refuse_file("DEFINITIONS A == IF p THEN x:= ELSE y END END", "unexpected-token \"ELSE\"");
    assert_eq!(
        recovered(parse_file, "DEFINITIONS A == x + ; B == (1; C == 2"),
        "[(== A [] <error>) (== B [] <error>) (== C [] 2)]"
    );
}
