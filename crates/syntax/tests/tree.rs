//! Traversal of trees: its labels, and comparison of trees by labels.

use abridge_diag::{Diagnostic, FileId, Span};
use abridge_syntax::ast::Ast;
use abridge_syntax::{Visitor, parse_file, parse_formula, parse_substitution, same_tree, walk};

/// Text with one indented line per node.
#[derive(Default)]
struct Dump {
    text: String,
    depth: usize,
}

impl Visitor for Dump {
    fn enter(&mut self, label: &str, _: Span) {
        self.text += &format!("{}{label}\n", "  ".repeat(self.depth));
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

fn dump(ast: &Ast) -> String {
    let mut dump = Dump::default();
    walk(ast, &mut dump);
    assert_eq!(dump.depth, 0);
    dump.text
}

#[test]
fn labels() {
    let text = "MACHINE M(P) SETS S; T={a /*@desc d*/,b} CONSTANTS c PROPERTIES c : T & (f;g) /= {} \
                OPERATIONS o <-- op(x) = PRE x : S THEN o := {y | y : T} || skip END END";
    assert_eq!(
        dump(&parse_file(FileId(0), text).0),
        "\
Machine(M)
  Parameter(P)
  Clause(SETS)
    DeferredSet
      Name(S)
    EnumeratedSet
      Name(T)
      Name(a)
        Description(\"d\")
      Name(b)
  Clause(CONSTANTS)
    Name(c)
  Clause(PROPERTIES)
    And
      Binary(Member)
        Ident(c)
        Ident(T)
      Binary(NotEqual)
        Binary(Compose)
          Ident(f)
          Ident(g)
        Atom(EmptySet)
  Clause(OPERATIONS)
    Operation(op)
      Output(o)
      Parameter(x)
      Pre
        Binary(Member)
          Ident(x)
          Ident(S)
        Parallel
          Assign(1)
            Ident(o)
            Comprehension(y)
              Binary(Member)
                Ident(y)
                Ident(T)
          Skip
"
    );
}

#[test]
fn places_parentheses_and_comments_do_not_matter() {
    let one = parse_formula(FileId(0), "a+b*c /* x */").0;
    let two = parse_formula(FileId(0), "(a) +\n((b*c))").0;
    assert!(same_tree(&one, &two));
}

/// Asserts that texts, separated by two blanks or a line end, have pairwise different trees.
fn check_different(texts: &str, parse: fn(FileId, &str) -> (Ast, Vec<Diagnostic>)) {
    let texts = texts.lines().flat_map(|line| line.trim().split("  ")).filter(|text| !text.is_empty());
    let trees: Vec<(&str, Ast)> = texts.map(|text| (text, parse(FileId(0), text).0)).collect();
    for (idx, (text, tree)) in trees.iter().enumerate() {
        for (other_idx, (other_text, other)) in trees.iter().enumerate() {
            assert_eq!(same_tree(tree, other), idx == other_idx, "{text} and {other_text}");
        }
    }
}

#[test]
fn different_formulas_are_different_trees() {
    let texts = r#"
        a  b  `a,b`  a$0  1  01  1.0  "a"  "b"  ```a```  ```a${a}```  ```${a}a```  a+b  b+a  a-b  (a,b)  a|->b  {a,b}
        [a,b]  {{a},b}  {{a,b}}  {a|b}  {a,b|c}  {a|->b|c}  {`a, b`|c}  {a·b|c}  /*@symbolic*/{a|b}  %a.(b|c)
        SIGMA a.(b|c)  !a.(b)  #a.(b)  #(a,b).(b)  a & b & c  (a & b) & c  a & (b & c)  a or b or c  /*@label a*/b
        /*@label c*/b  /*@label a*//*@label c*/b  a /*@desc a*/  a /*@desc b*/  f(a,b)  f((a,b))  f(a)(b)  f[a]  f'a
        f'b  rec(a:b)  struct(a:b)  rec(b:b)  dom(a)  `dom`(a)  ran(a)  left(a)  `left`(a)  [a:=b]c  [a,b:=b,c]c
        LET a BE b IN c END  LET b BE b IN c END  IF a THEN b ELSE c END  IF a THEN b ELSIF a THEN b ELSE c END  a⦂b
        -a  a~  not(a)  {}  []
    "#;
    check_different(texts, parse_formula);
}

#[test]
fn different_substitutions_are_different_trees() {
    let texts = r#"
        skip  BEGIN skip END  a:=b  a,b:=c  a:=b,c  a,b:=c,d  a::b  a,b::b  a:(b)  PRE a THEN skip END
        ASSERT a THEN skip END  WITNESS a THEN skip END  SELECT a THEN skip END  IF a THEN skip END
        IF a THEN skip ELSE skip END  IF a THEN skip ELSIF a THEN skip END  SELECT a THEN skip ELSE skip END
        CHOICE skip OR skip END  CASE a OF EITHER b THEN skip OR c,d THEN skip END END
        CASE a OF EITHER b,c THEN skip OR d THEN skip END END  CASE a OF EITHER b,c THEN skip ELSE skip END END
        ANY a WHERE b THEN skip END  LET a BE b IN skip END  VAR a IN skip END  VAR b IN skip END
        WHILE a DO skip INVARIANT b VARIANT c END  a  a(b)  a(b,c)  b<--a  b<--a(c)  b,c<--a  skip;skip  skip||skip
        skip;skip;skip  skip||skip;skip
    "#;
    check_different(texts, parse_substitution);
}

#[test]
fn different_machines_are_different_trees() {
    let texts = r#"
        MACHINE M END  MACHINE N END  MODEL M END  MACHINE M(P) END  /*@generated*/ MACHINE M END
        /*@package a*/ MACHINE M END  /*@import-package a*/ MACHINE M END  MACHINE M SEES A END  MACHINE M USES A END
        MACHINE M INCLUDES A END  MACHINE M EXTENDS A END  MACHINE M SEES A,B END  MACHINE M SEES a.A END
        MACHINE M INCLUDES A(1) END  MACHINE M SEES A /*@file "b"*/ END  MACHINE M PROMOTES A END
        MACHINE M SETS A END  MACHINE M SETS A; B END  MACHINE M SETS A={B} END  MACHINE M SETS A=B END
        MACHINE M SETS A /*@desc b*/ END  MACHINE M FREETYPES A=b END  MACHINE M FREETYPES A(x)=b END
        MACHINE M FREETYPES A=b(x) END  MACHINE M ASSERTIONS a END  MACHINE M ASSERTIONS a;a END
        MACHINE M INVARIANT a END  MACHINE M PROPERTIES a END  MACHINE M OPERATIONS a=skip END
        MACHINE M OPERATIONS a(b)=skip END  MACHINE M OPERATIONS b<--a=skip END  MACHINE M OPERATIONS a ref b=skip END
        MACHINE M OPERATIONS a=skip /*@desc b*/ END  MACHINE M OPERATIONS a=skip;b=skip END
        MACHINE M DEFINITIONS "a" END  MACHINE M DEFINITIONS a==b END  MACHINE M DEFINITIONS a(b)==b END
        MACHINE M DEFINITIONS a==skip END  DEFINITIONS a==b  DEFINITIONS a==b;c==b
    "#;
    check_different(texts, parse_file);
}
