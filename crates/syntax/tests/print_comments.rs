//! Comments and empty lines in printed texts, on machines of this repository and of the corpus. A comment at another place would describe something
//! else.

mod printing;

use std::path::{Path, PathBuf};

use abridge_syntax::ast::Ast;
use abridge_syntax::{parse_file, print};
use abridge_value::Random;
use printing::*;

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
    // A definition file has no keyword except the first.
    check_machine("\n// c\n\n\nDEFINITIONS\n\nA == 1;\n\n\nB == 2\n", "// c\n\nDEFINITIONS\n  A == 1;\n\n  B == 2\n");
    check_machine("// c\r\n\r\nDEFINITIONS A == 1;\r\nB == 2\r\n", "// c\n\nDEFINITIONS\n  A == 1;\n  B == 2\n");
}

#[test]
fn empty_lines_inside_comments_and_strings_are_no_empty_lines() {
    check_formula("a = 1 & /*\n\n*/ b = 1", "a = 1 /*\n\n*/\n& b = 1");
    check_formula("a = '''\n\n''' & b = 1", r#"a = "\n\n" & b = 1"#);
}

/// Text with comments of all kinds and empty lines inserted at every `every`-th place where a token may end.
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
    // Texts of pragmas must not be changed.
    let text = print(&ast, ASCII).replace("/*@ desc where it begins */", "").replace("/*@ label thm2 */", "");
    let text = text.replace("/*@ desc somebody enters */", "");
    for seed in 0..200 {
        let commented = commented(&text, 1 + seed % 50, seed as u64);
        for config in [ASCII, UNICODE, NARROW] {
            check(parse_file, &commented, config);
        }
    }
}

// The corpus.

/// Minimum number of accepted files, if the corpus exists. Most of its files are B.
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

/// Machines of the corpus that the parser accepts.
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
