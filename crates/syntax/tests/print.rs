//! Printing: what is printed reads back as the same tree, keeps its comments, and does not change when printed again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use abridge_diag::{Diagnostic, FileId};
use abridge_syntax::ast::{Ast, Unit};
use abridge_syntax::{PrintConfig, parse_file, parse_formula, parse_substitution, print, print_expr, same_tree};
use abridge_value::Random;

const ASCII: PrintConfig = PrintConfig { unicode: false, width: 100 };
const UNICODE: PrintConfig = PrintConfig { unicode: true, width: 100 };
const NARROW: PrintConfig = PrintConfig { unicode: false, width: 30 };

type Parse = fn(FileId, &str) -> (Ast, Vec<Diagnostic>);

fn parsed(parse: Parse, text: &str) -> Result<Ast, String> {
    let (ast, diagnostics) = parse(FileId(0), text);
    match diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        None => Ok(ast),
        Some(error) => Err(format!("{} at {:?}\n{text}", error.message, error.span())),
    }
}

/// The comments of a file, without the blanks behind line comments.
fn comments(ast: &Ast) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for comment in &ast.comments {
        let text = if comment.is_line { comment.text.trim_end() } else { &comment.text };
        *counts.entry(text.to_owned()).or_default() += 1;
    }
    counts
}

/// Everything that holds of all printed texts.
fn check_printed(parse: Parse, ast: &Ast, config: PrintConfig) -> Result<String, String> {
    let printed = print(ast, config);
    let again = parsed(parse, &printed)?;
    if !same_tree(ast, &again) {
        return Err(format!("another tree\n{printed}"));
    }
    if comments(ast) != comments(&again) {
        return Err(format!("other comments\n{printed}"));
    }
    let twice = print(&again, config);
    if printed != twice {
        let lines = printed.lines().zip(twice.lines()).find(|(once, twice)| once != twice);
        return Err(format!("printed twice is different: {lines:?}\n{printed}\n-----\n{twice}"));
    }
    Ok(printed)
}

fn check(parse: Parse, text: &str, config: PrintConfig) -> String {
    let ast = parsed(parse, text).unwrap_or_else(|error| panic!("{error}"));
    check_printed(parse, &ast, config).unwrap_or_else(|error| panic!("{error}\n-----\n{text}"))
}

/// Checks one formula in both alphabets and several widths; `expected` is its ASCII form on one line.
#[track_caller]
fn check_formula(text: &str, expected: &str) {
    assert_eq!(check(parse_formula, text, ASCII).trim_end(), expected);
    check(parse_formula, text, UNICODE);
    check(parse_formula, text, NARROW);
}

#[track_caller]
fn check_unicode(text: &str, expected: &str) {
    assert_eq!(check(parse_formula, text, UNICODE).trim_end(), expected);
}

#[track_caller]
fn check_machine(text: &str, expected: &str) {
    let printed = check(parse_file, text, ASCII);
    assert_eq!(printed, expected, "\n{printed}");
    check(parse_file, text, UNICODE);
    check(parse_file, text, NARROW);
}

#[track_caller]
fn check_narrow(parse: Parse, text: &str, expected: &str) {
    let printed = check(parse, text, NARROW);
    assert_eq!(printed, expected, "\n{printed}");
}

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
    // A pragma without effect is a comment, and must not get an effect by being moved.
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

const LIFT: &str = r#"// A lift
MACHINE Lift(FLOORS, top_floor) CONSTRAINTS top_floor:NAT1&card(FLOORS)=3
SETS DIR={up,down};DOOR={open,closed}; PERSON
CONSTANTS start /*@ desc where it begins */,capacity PROPERTIES start : 0..top_floor & capacity=10
VARIABLES
  floor, // where it is
  door,  // open or closed
  inside
DEFINITIONS
 "LibraryStrings.def";
 MayMove(f)==f/=floor&door=closed; SET_PREF_MAXINT==20;
 Close == BEGIN door:=closed END
INVARIANT
  floor:0..top_floor & door:DOOR & /* who is
   in it */ inside<:PERSON
  // never too many
  & card(inside)<=capacity & (door=open or floor>=0&floor< -1=>(inside={}))
ASSERTIONS floor:NAT; /*@ label thm2 */ 1=1
INITIALISATION floor:=start||door:=closed||inside:={}
OPERATIONS
move(to)=PRE to:0..top_floor & MayMove(to) & !(p,q).(p:inside&q:inside&p/=q=>p|->q:id(PERSON)\/(PERSON*PERSON)) THEN floor:=to END
; // the doors
toggle = IF door=open THEN door:=closed ELSE door:=open END;
/* people */
people<--look=people:=inside;
enter(p)=SELECT p/:inside & door=open THEN inside:=inside\/{p} WHEN p:inside THEN skip END /*@ desc somebody enters */;
shuffle = BEGIN inside::POW(PERSON);VAR x IN x:=1;WHILE x<10 DO x:=x+1 INVARIANT x<=10 VARIANT 10-x END END; floor :(floor:0..top_floor & floor$0=floor) END
END // done
"#;

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

// Comments.

#[test]
fn comments_stay_where_they_were() {
    check_machine(
        "\
MACHINE M // the name
// before the clause
VARIABLES // behind the keyword
  // before x
  x, // behind x
  /* before y */ y, z /* behind z */
INVARIANT
  x : NAT & // behind a conjunct
  // before a conjunct
  /* touching */ y : NAT &
  z : /* inside */ NAT
INITIALISATION
  x, y, z := 1, 2, 3 // the start
OPERATIONS
  // before an operation
  a = /* behind the sign */
    PRE // behind PRE
      x = 1 // behind a guard
    THEN // behind THEN
      y := {1, // one
            2  // two
           }
      // before END
    END;
  // before another one
  b = skip
// before the last END
END
// at the end
",
        "\
MACHINE M // the name
// before the clause
VARIABLES // behind the keyword
  // before x
  x, // behind x
  /* before y */ y,
  z /* behind z */
INVARIANT
  x : NAT // behind a conjunct
  // before a conjunct
  & /* touching */ y : NAT
  & z : /* inside */ NAT
INITIALISATION
  x, y, z := 1, 2, 3 // the start
OPERATIONS
  // before an operation
  a = /* behind the sign */
    PRE // behind PRE
      x = 1 // behind a guard
    THEN // behind THEN
      y := {
        1, // one
        2 // two
      }
      // before END
    END;

  // before another one
  b = skip
// before the last END
END
// at the end
",
    );
}

#[test]
fn comments_around_keywords_stay_on_their_side() {
    check_machine(
        "\
MACHINE M
OPERATIONS
  a =
    IF x = 1 // the guard
    THEN // the keyword
      // the statement
      x := 2 // behind the statement
    // the other case
    ELSE // otherwise
      WHILE x > 1 /* the condition */ DO /* the loop */
        x := x - 1
        // x := x - 2
      INVARIANT x : NAT // stays positive
      VARIANT x
      END
    END;
  b =
    ANY y /* any */ WHERE // where
      y : NAT
      // & y > 1
    THEN
      LET z BE z = 1 /* z */ IN /* in */ x := z END
    END;
  c = CASE x /* what */ OF // cases
    // the first
    EITHER 1 /* one */ THEN skip // nothing
    // the second
    OR 2 THEN // something
      skip
    // the rest
    ELSE skip
      // done
    END // inner
    // outer
    END;
  d = VAR v /* local */ IN // body
      CHOICE skip // one
      OR // two
        skip
      // end
      END END
END
",
        "\
MACHINE M
OPERATIONS
  a =
    IF
      x = 1 // the guard
    THEN // the keyword
      // the statement
      x := 2 // behind the statement
    // the other case
    ELSE // otherwise
      WHILE x > 1 /* the condition */ DO /* the loop */
        x := x - 1
        // x := x - 2
      INVARIANT x : NAT // stays positive
      VARIANT x
      END
    END;

  b =
    ANY y /* any */ WHERE // where
      y : NAT
      // & y > 1
    THEN
      LET z BE z = 1 /* z */ IN /* in */ x := z END
    END;

  c =
    CASE x /* what */ OF // cases
      // the first
      EITHER 1 /* one */ THEN skip // nothing
      // the second
      OR 2 THEN // something
        skip
      // the rest
      ELSE
        skip
        // done
      END // inner
    // outer
    END;

  d =
    VAR v /* local */ IN // body
      CHOICE
        skip // one
      OR // two
        skip
      // end
      END
    END
END
",
    );
}

#[test]
fn comments_before_a_clause_belong_to_the_one_they_are_aligned_with() {
    check_machine(
        "\
MACHINE M
  // about M
CONSTANTS
  x
  // , y
// about the properties
PROPERTIES
  x : NAT &
  // x > 1 &
  x < 5
  // & x < 4

END
",
        "\
MACHINE M
  // about M
CONSTANTS
  x
  // , y
// about the properties
PROPERTIES
  x : NAT
  // x > 1 &
  & x < 5
  // & x < 4

END
",
    );
}

#[test]
fn comments_between_two_tokens_stay_with_the_item() {
    check_formula("a /* a */, b", "(a /* a */, b)");
    check_formula("{a, /* b */ b}", "{a, /* b */ b}");
    check_formula("a /* a */ = /* b */ b", "a /* a */ = /* b */ b");
    check_formula("a=1 /* a */ & /* b */ b=1", "a = 1 /* a */ & /* b */ b = 1");
    check_formula("a=1 & /* b */\nb=1", "a = 1 /* b */\n& b = 1");
    check_formula("a=1\n/* b */ & b=1", "a = 1\n/* b */\n& b = 1");
    check_formula("a=1 &\n/* b */ /* c */ b=1", "a = 1 & /* b */ /* c */ b = 1");
    check_formula("a + /* b */ b /* c */ + c", "a + /* b */ b /* c */ + c");
    check_formula("{x /* x */ | /* p */ x = 1 /* end */}", "{x /* x */ | /* p */ x = 1 /* end */}");
    check_formula("f(/* a */ a, b /* b */)", "f(/* a */ a, b /* b */)");
    check_formula("{1 // one\n, 2\n // three\n, 3}", "{\n  1, // one\n  2,\n  // three\n  3\n}");
}

// Empty lines.

#[test]
fn the_users_empty_lines_stay() {
    check_machine(
        "\n\n\
// A machine


// with two remarks

MACHINE M

SETS

  A; B;

  C = {c,

    d}
VARIABLES x, y,


  z

INVARIANT

  x : NAT &

  y : NAT
  &
  z : NAT

  // the last

  & x = y
DEFINITIONS
  D == 1;

  E == 2;
  F == 3
INITIALISATION

  x := 1;

  y := 1; // one


  z := 1

  // done

OPERATIONS

  a = skip
  ;
  // b

  b = SELECT x = 1

      THEN

        skip

      WHEN x = 2 THEN skip

      ELSE

        skip

      END


END


// the end

",
        "\
// A machine

// with two remarks

MACHINE M

SETS
  A;
  B;

  C = {
    c,

    d
  }
VARIABLES
  x, y,

  z

INVARIANT
  x : NAT

  & y : NAT
  & z : NAT

  // the last

  & x = y
DEFINITIONS
  D == 1;

  E == 2;
  F == 3
INITIALISATION
  x := 1;

  y := 1; // one

  z := 1

  // done

OPERATIONS
  a = skip;

  // b

  b =
    SELECT x = 1 THEN
      skip

    WHEN x = 2 THEN
      skip

    ELSE
      skip
    END

END

// the end
",
    );
    // A definition file has no other keyword than the first.
    check_machine("\n// c\n\n\nDEFINITIONS\n\nA == 1;\n\n\nB == 2\n", "// c\n\nDEFINITIONS\n  A == 1;\n\n  B == 2\n");
    check_machine("// c\r\n\r\nDEFINITIONS A == 1;\r\nB == 2\r\n", "// c\n\nDEFINITIONS\n  A == 1;\n  B == 2\n");
}

#[test]
fn empty_lines_inside_comments_and_strings_are_no_empty_lines() {
    check_formula("a = 1 & /*\n\n*/ b = 1", "a = 1 /*\n\n*/\n& b = 1");
    check_formula("a = '''\n\n''' & b = 1", r#"a = "\n\n" & b = 1"#);
}

/// The text with comments of all kinds and empty lines at every so many places where a token may end.
fn commented(text: &str, every: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut commented = String::new();
    let mut in_string = false;
    let mut previous = ' ';
    for ch in text.chars() {
        commented.push(ch);
        in_string ^= ch == '"' && previous != '\\';
        previous = ch;
        if !in_string && " \n({[,".contains(ch) && random.once_in(every) {
            let number = random.below(1_000_000);
            let gap = ["", " ", "  ", "\n", "\n  ", "\n\n    "][random.below(6)];
            commented += &match random.below(8) {
                0 => format!("/* {number} */{gap}"),
                1 => format!("// {number}\n{}", gap.trim_start_matches('\n')),
                2 => format!("\n/* {number} */{gap}"),
                3 => format!("\n  // {number}\n"),
                4 => format!("/* {number}\n more */{gap}"),
                5 => format!("\n\n  // {number}\n\n"),
                6 => format!("\n /* {number} */ /* again */{gap}"),
                _ => "\n\n".to_owned(),
            };
        }
    }
    commented
}

#[test]
fn forall_comments_in_a_machine() {
    let mut ast = parsed(parse_file, LIFT).unwrap();
    ast.comments.clear();
    // The text of pragmas must not be touched.
    let text = print(&ast, ASCII).replace("/*@ desc where it begins */", "").replace("/*@ label thm2 */", "");
    let text = text.replace("/*@ desc somebody enters */", "");
    for seed in 0..200 {
        let commented = commented(&text, 1 + seed % 50, seed as u64);
        for config in [ASCII, UNICODE, NARROW] {
            check(parse_file, &commented, config);
        }
    }
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

// The corpus.

/// Most of its files are B; a corpus that is there and is not read must not pass.
const MIN_ACCEPTED: usize = 1_000;

fn corpus() -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/machines");
    let mut files = Vec::new();
    if path.is_dir() {
        files_under(&path, &mut files);
        files.sort();
    } else {
        println!("SKIPPED: there are no machines at {}", path.display());
    }
    files
}

fn files_under(dir: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() { files_under(&path, files) } else { files.push(path) }
    }
}

/// The machines of the corpus that the parser accepts.
fn accepted(files: &[PathBuf]) -> impl Iterator<Item = (&Path, Ast)> {
    files.iter().filter_map(|path| {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let ast = parsed(parse_file, &String::from_utf8_lossy(&bytes)).ok()?;
        Some((path.as_path(), ast))
    })
}

#[test]
fn every_machine_of_the_corpus_reads_back_the_same() {
    let files = corpus();
    let mut n_accepted = 0;
    for (path, ast) in accepted(&files) {
        n_accepted += 1;
        for config in [ASCII, UNICODE, NARROW] {
            if let Err(mistake) = check_printed(parse_file, &ast, config) {
                panic!("{} ({config:?}): {mistake}", path.display());
            }
        }
    }
    println!("{n_accepted} of {} files", files.len());
    assert!(files.is_empty() || n_accepted > MIN_ACCEPTED, "only {n_accepted} files were printed");
}

#[test]
fn forall_comments_in_the_corpus() {
    let files = corpus();
    let mut n_commented = 0;
    for (idx, (path, mut ast)) in accepted(&files).enumerate() {
        ast.comments.clear();
        let text = print(&ast, ASCII);
        if text.contains("/*@") || text.contains("```") || text.len() > 50_000 {
            continue;
        }
        let seed = idx as u64;
        let commented = parsed(parse_file, &commented(&text, 1 + idx % 50, seed)).unwrap();
        if let Err(mistake) = check_printed(parse_file, &commented, ASCII) {
            panic!("{}: {mistake}", path.display());
        }
        n_commented += 1;
    }
    assert!(files.is_empty() || n_commented > MIN_ACCEPTED / 2, "only {n_commented} files were printed");
}
