//! Printing of formulas, substitutions and machines: parentheses, blanks, line breaks, size and depth.

mod printing;

use abridge_syntax::ast::Unit;
use abridge_syntax::{parse_formula, parse_substitution, print, print_expr};
use printing::*;

// Formulas.

#[test]
fn blanks_that_keep_tokens_apart() {
    check_formula("x< -1", "x < -1");
    check_formula("x<-1", "x <- 1");
    check_formula("a- -b", "a - -b");
    check_formula("a*-1", "a * -1");
    check_formula("-(-x)", "-(-x)");
    check_formula("-(2**3)", "-(2 ** 3)");
    check_formula("-2**2", "-2 ** 2");
    check_formula("2**-3**4", "2 ** -3 ** 4");
    check_formula("<>", "[]");
    check_formula("1..3", "1..3");
    check_formula("-1..x$0", "-1..x$0");
    check_formula("m.x..y", "m.x..y");
    check_formula("1..n-1", "1 .. n - 1");
    check_formula("(1..n)..m", "(1..n)..m");
}

#[test]
fn parentheses_where_they_are_needed_or_were_written() {
    check_formula("(a)", "(a)");
    check_formula("((a))", "(a)");
    check_formula("a-(b-c)-d", "a - (b - c) - d");
    check_formula("(a**b)**c**d", "(a ** b) ** c ** d");
    check_formula("(f;g||h)", "(f ; g || h)");
    check_formula("dom(f;g)", "dom(f ; g)");
    check_formula("{f;g}", "{(f ; g)}");
    check_formula("r[f;g]", "r[(f ; g)]");
    check_formula("h((f;g))", "h((f ; g))");
    check_formula("f(x)(y)[S]'a", "f(x)(y)[S]'a");
    check_formula("r~[S]", "r~[S]");
    check_formula("(r~)~", "(r~)~");
    check_formula("(r~)'f", "(r~)'f");
    check_formula("(-f)(x)", "(-f)(x)");
    check_formula("%x.(x:S|x)(3)", "%x.(x : S | x)(3)");
    check_formula("(IF P THEN f ELSE g END)(3)", "(IF P THEN f ELSE g END)(3)");
}

#[test]
fn connectives() {
    check_formula("a=1 & b=2 & c=3", "a = 1 & b = 2 & c = 3");
    check_formula("(a=1 & b=2) & c=3", "(a = 1 & b = 2) & c = 3");
    check_formula("a=1 & (b=2 & c=3)", "a = 1 & (b = 2 & c = 3)");
    check_formula("a=1 or b=2 & c=3", "(a = 1 or b = 2) & c = 3");
    check_formula("a=1 or (b=2 & c=3)", "a = 1 or (b = 2 & c = 3)");
    check_formula("a=1 <=> b=2 & c=3", "a = 1 <=> b = 2 & c = 3");
    check_formula("a=1 => b=2 => c=3", "a = 1 => b = 2 => c = 3");
    check_formula("a=1 => (b=2 => c=3)", "a = 1 => (b = 2 => c = 3)");
    check_formula("not(a=1 & b=2)", "not(a = 1 & b = 2)");
    check_formula("not((a=1))", "not((a = 1))");
    check_formula("[x,y:=E,F]x=y", "[x, y := E, F](x = y)");
}

#[test]
fn binders() {
    check_formula("!x.(x:S=>x>0)", "!x.(x : S => x > 0)");
    check_formula("#(x,y).(x=y)", "#(x, y).(x = y)");
    check_formula("SIGMA x.(x:S|x)", "SIGMA(x).(x : S | x)");
    check_formula("{x,y|x=y}", "{x, y | x = y}");
    check_formula("{(x,y)|x=y}", "{x, y | x = y}");
    check_formula("{x|->y|x=y}", "{x |-> y | x = y}");
    check_formula("{x·x:S|x+1}", "{(x) . x : S | x + 1}");
    check_formula("/*@symbolic*/{x|x:S}", "/*@ symbolic */ {x | x : S}");
    check_formula("(f /*@symbolic*/ ; g)", "(f /*@ symbolic */ ; g)");
    check_formula("LET x BE x=1 IN x+1 END", "LET x BE x = 1 IN x + 1 END");
    check_formula("rec(f:E,(g:F))'f", "rec(f: E, g: F)'f");
}

#[test]
fn names_and_literals() {
    check_formula("`dom`(x)", "`dom`(x)");
    check_formula("`left`(x)+left(x)+left", "`left`(x) + left(x) + left");
    check_formula("`abc`", "abc");
    check_formula("`a b`.c", "`a b`.c");
    check_formula("` x`+`/**/x`+`1x`+`é`", "` x` + `/**/x` + `1x` + é");
    check_formula(r"`a\`b\\`", r"`a\`b\\`");
    check_formula("x₁′", "x₁′");
    check_formula(r#""\d\\d\"'\n""#, r#""\\d\\d\"'\n""#);
    check_formula("'''a\n\"b\"'''", r#""a\n\"b\"""#);
    check_formula("```a${x+1}\\${b}```", "```a${x + 1}\\${b}```");
    check_formula("0x0F+007+1.50e-3", "0x0F + 007 + 1.50e-3");
}

#[test]
fn pragmas() {
    check_formula("/*@label a*/x=1&/*@label \"b c\"*/y=2", "/*@ label a */ x = 1 & /*@ label \"b c\" */ y = 2");
    check_formula("x=1/*@desc one*/&y=2", "x = 1 /*@ desc one */ & y = 2");
    check_formula("(/*@label a*/x=1/*@desc b*/)<=>y=2", "(/*@ label a */ x = 1 /*@ desc b */) <=> y = 2");
    // A pragma without effect becomes a comment, so that it has no effect at its new place either.
    let ast = parsed(parse_formula, "x + /*@ symbolic */ 1").unwrap();
    assert_eq!(print(&ast, ASCII), "x + /* @ symbolic */ 1\n");
}

#[test]
fn unicode() {
    check_unicode("!x.(x:NATURAL1 => x>=1 & not(x/:S))", "∀x·(x ∈ ℕ1 ⇒ x ≥ 1 ∧ ¬(x ∉ S))");
    check_unicode("%x.(x:POW(S)|-x)", "λx·(x ∈ ℙ(S) | −x)");
    check_unicode("{x·x:S|x~}", "{x · x ∈ S | x⁻¹}");
    check_unicode("{(x,y).x/=y|x|->y}", "{x, y · x ≠ y | x ↦ y}");
    check_unicode("f:A-->(B<<->C)&f/={}", "f ∈ A → (B <<-> C) ∧ f ≠ ∅");
    check_unicode("(1..3)*S\\/T-U", "(1‥3) ∗ S ∪ T − U");
}

#[test]
fn one_formula_on_one_line() {
    let text = format!("{{{}}} =\n\n/* c */\n\nx /*@ desc two\nlines */", ["abc"; 50].join(",\n\n"));
    let ast = parsed(parse_formula, &text).unwrap();
    let Unit::Formula(root) = ast.unit else { panic!("not a formula") };
    let line = print_expr(&ast, root, ASCII);
    assert!(line.ends_with("abc} = x /*@ desc two lines */"), "{line}");
}

// Layout.

#[test]
fn long_formulas_break_at_their_loosest_operators() {
    check_narrow(
        parse_formula,
        "first_long_name + second_long_name * third_long_name - fourth_long_name = 0",
        "\
first_long_name
  + second_long_name
    * third_long_name
  - fourth_long_name = 0
",
    );
    check_narrow(
        parse_formula,
        "f : A --> B & (a_long_name = 1 or another_name = 2) & !x.(x : some_set => x > lower_bound)",
        "\
f : A --> B
& (
    a_long_name = 1
    or another_name = 2
  )
& !x.(
    x : some_set
    => x > lower_bound
  )
",
    );
    check_narrow(
        parse_formula,
        "s = {1,2,3,4,5,6,7,8,9,10,11,12} & t = {x | x : some_set & x > lower_bound} & u = (a,b)",
        "\
s = {
  1, 2, 3, 4, 5, 6, 7, 8, 9,
  10, 11, 12
}
& t = {x |
    x : some_set
    & x > lower_bound
  }
& u = (a, b)
",
    );
}

#[test]
fn long_substitutions_break() {
    check_narrow(
        parse_substitution,
        "IF x = 1 THEN y := 2 ELSE y := 3 END; x, y := 1, 2 || z :: {1, 2}",
        "\
IF x = 1 THEN
  y := 2
ELSE
  y := 3
END;
x, y := 1, 2 || z :: {1, 2}
",
    );
    check_narrow(
        parse_substitution,
        "ANY x, y WHERE x : some_set & y : another_set THEN CASE x OF EITHER 1, 2 THEN skip OR 3 THEN a, f(x) <-- op(y) END END END",
        "\
ANY x, y WHERE
  x : some_set
  & y : another_set
THEN
  CASE x OF
    EITHER 1, 2 THEN skip
    OR 3 THEN
      a, f(x) <-- op(y)
    END
  END
END
",
    );
}

#[test]
fn a_machine() {
    check_machine(LIFT, LIFT_PRINTED);
}

const LIFT_PRINTED: &str = r#"// A lift
MACHINE Lift(FLOORS, top_floor)
CONSTRAINTS
  top_floor : NAT1 & card(FLOORS) = 3
SETS
  DIR = {up, down};
  DOOR = {open, closed};
  PERSON
CONSTANTS
  start /*@ desc where it begins */,
  capacity
PROPERTIES
  start : 0..top_floor & capacity = 10
VARIABLES
  floor, // where it is
  door, // open or closed
  inside
DEFINITIONS
  "LibraryStrings.def";
  MayMove(f) == f /= floor & door = closed;
  SET_PREF_MAXINT == 20;
  Close == BEGIN door := closed END
INVARIANT
  floor : 0..top_floor
  & door : DOOR /* who is
   in it */
  & inside <: PERSON
  // never too many
  & card(inside) <= capacity
  & ((door = open or floor >= 0) & floor < -1 => (inside = {}))
ASSERTIONS
  floor : NAT;
  /*@ label thm2 */ 1 = 1
INITIALISATION
  floor := start || door := closed || inside := {}
OPERATIONS
  move(to) =
    PRE
      to : 0..top_floor
      & MayMove(to)
      & !(p, q).(p : inside & q : inside & p /= q => p |-> q : id(PERSON) \/ (PERSON * PERSON))
    THEN
      floor := to
    END; // the doors

  toggle = IF door = open THEN door := closed ELSE door := open END;

  /* people */
  people <-- look = people := inside;

  enter(p) =
    SELECT p /: inside & door = open THEN
      inside := inside \/ {p}
    WHEN p : inside THEN
      skip
    END /*@ desc somebody enters */;

  shuffle =
    BEGIN
      inside :: POW(PERSON);
      VAR x IN
        x := 1;
        WHILE x < 10 DO
          x := x + 1
        INVARIANT x <= 10
        VARIANT 10 - x
        END
      END;
      floor : (floor : 0..top_floor & floor$0 = floor)
    END
END // done
"#;

#[test]
fn other_files() {
    check_machine(
        "/* c */ /*@package a.b*/ /*@generated*/ IMPLEMENTATION I(p) REFINES R IMPORTS a.M(1,2) /*@file \"x/y.mch\"*/, N \
         VALUES s=1;t={} LOCAL_OPERATIONS op=skip OPERATIONS x,y<--e(p) = skip END",
        "\
/* c */
/*@ package a.b */
/*@ generated */
IMPLEMENTATION I(p)
REFINES R
IMPORTS
  a.M(1, 2) /*@ file \"x/y.mch\" */, N
VALUES
  s = 1;
  t = {}
LOCAL_OPERATIONS
  op = skip
OPERATIONS
  x, y <-- e(p) = skip
END
",
    );
    check_machine(
        "SYSTEM S SETS A; B FREETYPES T(X)=c0,c1(X*INTEGER) ABSTRACT_VARIABLES x CONCRETE_VARIABLES y INVARIANT x=y \
         INITIALIZATION x,y:=1,1 EVENTS e ref f = skip END",
        "\
SYSTEM S
SETS
  A; B
FREETYPES
  T(X) = c0, c1(X * INTEGER)
ABSTRACT_VARIABLES
  x
CONCRETE_VARIABLES
  y
INVARIANT
  x = y
INITIALISATION
  x, y := 1, 1
EVENTS
  e ref f = skip
END
",
    );
    check_machine(
        "#! a script\n// library\nDEFINITIONS \"a.def\"; // one\n L == a,b;\n S(x) == BEGIN x:=1 END; // two\n",
        "\
#! a script
// library
DEFINITIONS
  \"a.def\"; // one
  L == (a, b);
  S(x) == BEGIN x := 1 END // two
",
    );
}

// Size and depth.

#[test]
fn large_and_deep_formulas() {
    let n = 100_000;
    check(parse_formula, &format!("{{{}}}", (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",")), ASCII);
    check(parse_formula, &vec!["x = 1"; n].join(" & "), ASCII);
    check(parse_formula, &vec!["x"; 15_000].join(" + "), ASCII);
    check(parse_formula, &vec!["x"; 5_000].join(" ** "), ASCII);
    let depth = 5_000;
    for (open, leaf, close) in
        [("{", "x", "}"), ("(x+", "x", ")"), ("not(", "x=1", ")"), ("!x.(x:S=>", "x=1", ")"), ("f(", "x", ")")]
    {
        check(parse_formula, &format!("{}{leaf}{}", open.repeat(depth), close.repeat(depth)), ASCII);
    }
    for open in ["BEGIN ", "IF x=1 THEN ", "ANY x WHERE x=1 THEN "] {
        check(parse_substitution, &format!("{}skip{}", open.repeat(depth), " END".repeat(depth)), ASCII);
    }
}
