//! Every predicate that the description of the externals gives as an example holds.

mod common;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_eval::{Env, EvalConfig, FileMetadata, Outside, World};
use abridge_explicit::judge;
use abridge_testkit::Project;

/// Names whose examples are skipped: they look at the search itself, use machines of the library, or need the maximum of an infinite set.
const REFUSED: [&str; 3] = ["random(", "STATE_", "MAXIMIZE"];

const LIBRARIES: [&str; 16] = [
    "LibraryStrings.def",
    "LibraryIO.def",
    "CHOOSE.def",
    "SORT.def",
    "SCCS.def",
    "LibraryMath.def",
    "LibraryReals.def",
    "LibraryBits.def",
    "LibraryHash.def",
    "LibraryProB.def",
    "LibraryMeta.def",
    "LibraryFiles.def",
    "LibraryCSV.def",
    "LibraryXML.def",
    "LibraryRegex.def",
    "LibrarySVG.def",
];

/// World with a few files and a fixed date in 2001.
struct FixedWorld;

const FILES: [(&str, &[u8]); 7] = [
    ("people.csv", b"id,name,tall\n1,Ann,TRUE\n,\"B, ob\",FALSE\n"),
    ("colours.csv", b"red,1\nblue,2\nred,1\n"),
    ("wide.csv", b"1,2,3\n"),
    ("notes.txt", b"first\r\nsecond\n"),
    ("latin.txt", b"\xe4"),
    ("data.xml", b"<?xml version='1.0'?>\n<a x='1'>\n <b>hello &amp; you</b>\n <b/>\n</a>"),
    ("data.json", br#"{"k": 1, "list": [true, {"x": "y"}], "none": null}"#),
];

impl Outside for FixedWorld {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let file = FILES.iter().find(|(name, _)| *name == path.trim_start_matches("./"));
        file.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn facts(&self, path: &str) -> io::Result<Option<FileMetadata>> {
        Ok(match path {
            "." | "./sub" => Some(FileMetadata {
                is_folder: true,
                is_readable: true,
                is_executable: true,
                ..FileMetadata::default()
            }),
            _ => self.read(path).ok().map(|bytes| FileMetadata {
                is_readable: true,
                size: bytes.len() as u64,
                modified: Some(7),
                ..FileMetadata::default()
            }),
        })
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        if folder != "." {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        Ok(FILES.iter().map(|(name, _)| (*name).to_owned()).chain(["sub".to_owned()]).collect())
    }

    fn full_path(&self, path: &str) -> io::Result<String> {
        Ok(path.replacen('.', "/desk", 1))
    }

    fn now(&self) -> i64 {
        1_000_000_000
    }
}

#[test]
fn documented_examples_hold() {
    let text = include_str!("../../sema/library/EXTERNALS.md");
    let mut n_checked = 0;
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```b" => inside = true,
            "```" => inside = false,
            // Machines of the library have constants of their own.
            line if inside
                && !REFUSED.iter().any(|name| line.contains(name))
                && !line.contains("int2")
                && !line.contains("append(")
                && !line.contains("decStr") =>
            {
                check_line(line);
                n_checked += 1;
            }
            _ => {}
        }
    }
    assert!(n_checked > 40, "only {n_checked} examples");
}

fn check_line(line: &str) {
    match answer(line) {
        Ok(holds) => assert!(holds, "{line}"),
        Err((id, message)) => panic!("{line}: {id}: {message}"),
    }
}

/// Truth of a predicate, or id and text of the error. All libraries are available.
fn answer(line: &str) -> Result<bool, (String, String)> {
    let imports = LIBRARIES.map(|library| format!("\"{library}\";")).concat();
    let machine = format!(
        "MACHINE M SETS COLOUR = {{red, blue}}; DEFERRED DEFINITIONS {imports} SET_PREF_MAXINT == 17;
         EXTERNAL_FUNCTION_PROLOG_FUN == (STRING * INTEGER * INTEGER) --> INTEGER; PROLOG_FUN(f, m, x) == 0
         ASSERTIONS {line} END"
    );
    let project = Project::new(&[("M.mch", &machine)]);
    let model = project.analyse().model.unwrap_or_else(|| panic!("{line}\n{}", project.diagnostics()));
    let world = World::new(Arc::new(FixedWorld));
    let interp = judge(&model, EvalConfig { world, ..EvalConfig::default() });
    for assertion in &model.assertions {
        match interp.session().pred(assertion.pred, &Env::empty()) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => {
                let diagnostic = error.diagnostic(&model);
                assert!(diagnostic.span().is_some(), "{line}: the error has no place");
                return Err((diagnostic.id.to_string(), diagnostic.message));
            }
        }
    }
    Ok(true)
}

/// Error of a predicate that must fail.
fn error(line: &str) -> String {
    match answer(line) {
        Ok(holds) => panic!("{line} is {holds}"),
        Err((id, message)) => format!("{id}: {message}"),
    }
}

#[test]
fn files_are_read_as_text() {
    check_line(
        r#"READ_FILE_AS_STRING("notes.txt") = CODES_TO_STRING([102,105,114,115,116,13,10,115,101,99,111,110,100,10])"#,
    );
    check_line(r#"READ_FILE_AS_STRINGS("notes.txt") = ["first", "second"]"#);
    check_line(r#"READ_FILE_AS_STRING("latin.txt") = "ä""#);
    check_line(r#"SHA_HASH_FILE_HEX("latin.txt") = SHA_HASH_FILE_HEX("./latin.txt")"#);
    let missing = error(r#"READ_FILE_AS_STRING("nowhere.txt") = "x""#);
    assert!(missing.starts_with("data-unreadable: `nowhere.txt` cannot be read"), "{missing}");
}

#[test]
fn files_and_folders_have_properties() {
    check_line(
        r#"FILES(".") = {"people.csv", "colours.csv", "wide.csv", "notes.txt", "latin.txt", "data.xml", "data.json"}"#,
    );
    check_line(
        r#"DIRECTORIES(".") = {"sub"} & FULL_DIRECTORIES(".") = {"/desk/sub"} & "/desk/wide.csv" : FULL_FILES(".")"#,
    );
    check_line(
        r#"FILE_EXISTS("wide.csv") & not(FILE_EXISTS("sub")) & DIRECTORY_EXISTS(".") & not(DIRECTORY_EXISTS("wide.csv"))"#,
    );
    check_line(r#"FILE_PROPERTY("wide.csv", "readable") & not(FILE_PROPERTY("wide.csv", "executable"))"#);
    check_line(
        r#"FILE_PROPERTY_VALUE("wide.csv", "size_in_bytes") = 6 & FILE_PROPERTY_VALUE("wide.csv", "modify_timestamp") = 7"#,
    );
    check_line(r#"DIRECTORY_PROPERTY(".", "searchable")"#);
    assert!(error(r#"FILES("nowhere") = {}"#).starts_with("external-failed"));
    assert!(error(r#"FILE_PROPERTY("nowhere", "readable")"#).starts_with("external-failed"));
    assert!(error(r#"FILE_PROPERTY("wide.csv", "pretty")"#).starts_with("external-failed"));
    assert!(error(r#"FILE_PROPERTY_VALUE("wide.csv", "create_timestamp") = 0"#).starts_with("external-failed"));
    assert!(error(r#"DIRECTORY_PROPERTY_VALUE(".", "create_timestamp") = 0"#).starts_with("external-failed"));
}

#[test]
fn tables_are_read_by_their_type() {
    check_line(r#"READ_CSV("people.csv", TRUE, FALSE) = {(1, "Ann", TRUE), (-1, "B, ob", FALSE)}"#);
    check_line(r#"READ_CSV("people.csv", TRUE, FALSE) = {rec(a:1, b:"Ann", c:TRUE), rec(a:-1, b:"B, ob", c:FALSE)}"#);
    check_line(r#"READ_CSV("colours.csv", FALSE, FALSE) = {(red, 1), (blue, 2)}"#);
    check_line(r#"READ_CSV_SEQUENCE("colours.csv", FALSE, FALSE) = [(red, 1), (blue, 2), (red, 1)]"#);
    check_line(r#"READ_CSV("wide.csv", FALSE, TRUE) = {1.0}"#);
    check_line(r#"READ_CSV_STRINGS("people.csv")(2) = {"name" |-> "B, ob", "tall" |-> "FALSE"}"#);
    assert!(error(r#"READ_CSV("wide.csv", FALSE, FALSE) = {1}"#).contains("line 1: there are more fields"));
    assert!(error(r#"READ_CSV("wide.csv", FALSE, FALSE) = {(1, 2, 3, 4)}"#).contains("line 1: there are fewer fields"));
    assert!(error(r#"READ_CSV("colours.csv", FALSE, FALSE) = {(1, 1)}"#).contains("`red` is no value of type INTEGER"));
    assert!(error(r#"READ_CSV("nowhere.csv", FALSE, FALSE) = {1}"#).starts_with("data-unreadable"));
}

#[test]
fn documents_are_sequences_of_elements() {
    check_line(
        r#"READ_XML("data.xml", "auto") = [
            rec(recId:1, pId:0, element:"a", attributes:{"x" |-> "1"}, meta:{"xmlLineNumber" |-> "2"}),
            rec(recId:2, pId:1, element:"b", attributes:{"text" |-> "hello & you"}, meta:{"xmlLineNumber" |-> "3"}),
            rec(recId:3, pId:1, element:"b", attributes:{}, meta:{"xmlLineNumber" |-> "4"})]"#,
    );
    check_line(
        r#"!i.(i : 1..3 => #(d, e).(d = READ_XML("data.xml", "auto")(i) & e = READ_XML_FROM_STRING(WRITE_XML_TO_STRING(READ_XML("data.xml", "auto")))(i)
            & d'element = e'element & d'attributes = e'attributes & d'pId = e'pId))"#,
    );
    check_line(
        r#"READ_JSON("data.json") = [
            rec(recId:1, pId:0, element:"", attributes:{"k" |-> "1"}, meta:{}),
            rec(recId:2, pId:1, element:"list", attributes:{"1" |-> "true"}, meta:{}),
            rec(recId:3, pId:2, element:"2", attributes:{"x" |-> "y"}, meta:{})]"#,
    );
    let entities = "<!DOCTYPE a [<!ENTITY e '<b/>'>]>\\n<a>&e;<c/></a>";
    check_line(&format!(
        r#"{{i, l | i : 1..3 & l = READ_XML_FROM_STRING("{entities}")(i)'meta("xmlLineNumber")}} = ["2", "1", "2"]"#
    ));
    assert!(error(r#"READ_XML_FROM_STRING("<a>") = []"#).contains("the text is no XML"));
    assert!(error(r#"READ_JSON("data.xml") = []"#).contains("the text is no JSON"));
    let orphan = r#"WRITE_XML_TO_STRING([rec(recId:1, pId:7, element:"a", attributes:{}, meta:{})]) = """#;
    assert!(error(orphan).contains("the sequence is no document"));
}

#[test]
fn regular_expressions_beyond_the_examples() {
    check_line(r#"REGEX_IMATCH("ABC", "[a-c]+") & not(REGEX_MATCH("ABC", "[a-c]+")) & not(REGEX_MATCH("ab\n", "ab"))"#);
    check_line(r#"GET_IS_REGEX("(") = FALSE & GET_IS_REGEX_MATCH("ab", "a|ab") = TRUE & not(IS_REGEX("a)|(b"))"#);
    check_line(r#"REGEX_IREPLACE("aXbx", "x", "$$$&") = "a$Xb$x" & REGEX_REPLACE("abc", "z*", "-") = "-a-b-c-""#);
    check_line(r#"REGEX_ISEARCH_STR("xAb", "ab") = "Ab" & REGEX_ISEARCH_ALL("aA", "a") = ["a", "A"]"#);
    check_line(r#"REGEX_ISEARCH("äAb", 2, "(a)(z)?")'position = 2 & REGEX_SEARCH("ab", 9, "a")'position = -1"#);
    check_line(r#"REGEX_ISEARCH("äAb", 2, "(a)(z)?")'submatches = ["A", ""]"#);
    check_line(r#"REGEX_SEARCH_STR("price: 12 EUR", "[0-9]+(?= EUR)") = "12""#);
    assert!(error(r#"REGEX_MATCH("a", "(")"#).contains("is no regular expression"));
    assert!(error(r#"REGEX_SEARCH("a", 0, "a")'position = 1"#).contains("not positive"));
}

#[test]
fn the_clock_stands_still_in_utc() {
    check_line(r#"TIME("now") = 1000000000 & TIME("year") = 2001 & TIME("month") = 9 & TIME("day") = 9"#);
    check_line(r#"TIME("hour") = 1 & TIME("min") = 46 & TIME("sec") = 40"#);
    check_line(r#"TIMESTAMP(2001, 9, 9, 1, 46, 40) = 1000000000 & TIMESTAMP_INFO("day", -1) = 31"#);
    check_line("WALLTIME = 0 & DELTA_WALLTIME = 0 & RUNTIME = 0");
    assert!(error("TIMESTAMP(2001, 2, 29, 0, 0, 0) = 0").contains("no date and time"));
    assert!(error("TIMESTAMP(2001, 2, 28, 24, 0, 0) = 0").contains("no date and time"));
    assert!(error(r#"TIME("week") = 0"#).contains("`week`"));
}

#[test]
fn the_model_knows_itself() {
    check_line(r#"GET_PREF("MAXINT") = "17" & GET_PREF_DEFAULT("MAXINT") = "3" & GET_PREF("MININT") = "-1""#);
    check_line(r#"PROJECT_INFO("main-machine") = {"M"} & PROJECT_INFO("sets") = {"COLOUR", "DEFERRED"}"#);
    check_line(r#"PROJECT_STATISTICS("enumerated_sets") = 1 & PROJECT_STATISTICS("deferred_sets") = 1"#);
    check_line(r#"MACHINE_INFO("M", "TYPE") = "abstract_machine" & ARGC = 0"#);
    assert!(error(r#"GET_PREF("NOTHING") = """#).starts_with("unsupported"));
    assert!(error(r#"PROJECT_INFO("weather") = {}"#).starts_with("unsupported"));
    assert!(error(r#"ARGV(1) = """#).starts_with("external-failed"));
}

#[test]
fn texts_of_drawings_refuse_what_is_no_number() {
    check_line(r#"svg_set_polygon_auto({1, 2, 4}, 2, 3) = "2,0 2,3 6,3 6,0 8,0 8,3 10,3 10,0 ""#);
    check_line(r#"svg_train(1, 2, 3, 1, 4) = "3,4 9,4 8,0 3,0 3,4 ""#);
    assert!(error("svg_dasharray_for_intervals([(5, 9), (7, 8)]) = \"\"").contains("overlap"));
}

#[test]
fn what_looks_at_the_search_is_refused() {
    for call in [r#"STATE_SUCC(0, 1)"#, r#"ENABLED("x")"#, r#"READ_LINE("notes.txt") = """#, r#"EOF("notes.txt")"#] {
        assert!(error(call).starts_with("unsupported"), "{call}");
    }
}

#[test]
fn an_infinite_set_has_a_maximum_if_it_is_bounded() {
    check_line("MAXIMIZE({s, v, w | v : 1..20 & w : NATURAL & s = v - w}) = (20, 20, 0)");
    check_line("MAXIMIZE({s, w | w : NATURAL & w > 1000 & s = -w}) = (-1001, 1001)");
    check_line("MAXIMIZE({(3, 1), (7, 0), (5, 9)}) = (7, 0) & MAXIMIZE(4..9) = 9");
    assert!(error("MAXIMIZE({s | s : INTEGER & s > 3}) = 0").starts_with("unbounded-value"));
    assert!(error("MAXIMIZE({s | s : 1..3 & s > 3}) = 0").contains("the set is empty"));
}

/// Truth of all assertions of a machine, or the text of their errors, in each of its set-ups.
fn in_all_setups(text: &str) -> Vec<Vec<Result<bool, String>>> {
    let project = Project::new(&[("M.mch", text)]);
    let model = project.analyse().model.unwrap_or_else(|| panic!("{text}\n{}", project.diagnostics()));
    let interp = judge(&model, EvalConfig::default());
    let session = interp.session();
    let mut answers = Vec::new();
    session.setup_constants(&mut |state| {
        let env = Env::new(&state.unwrap_or_else(|error| panic!("{text}\n{error:?}")));
        let holds = |assertion: &abridge_model::Conjunct| {
            let answer = session.pred(assertion.pred, &env);
            answer.map_err(|error| error.diagnostic(&model).message)
        };
        answers.push(model.assertions.iter().map(holds).collect());
        ControlFlow::Continue(())
    });
    answers
}

const RECURSION: &str = "DEFINITIONS
    EXTERNAL_FUNCTION_REC(A, B) == (STRING * A) --> B; REC(F, A) == F(A);
    EXTERNAL_FUNCTION_REC_LET(A) == (STRING * A) --> A; REC_LET(F, A) == A";

#[test]
fn functions_call_themselves_by_name() {
    let answers = in_all_setups(&format!(
        "MACHINE M {RECURSION} CONSTANTS fac, even, k PROPERTIES k = 2 &
         fac = REC_LET(\"f\", %x.(x = 1 | 1) \\/ %x.(x > 1 | x * REC(\"f\", x - 1))) &
         even = REC_LET(\"f\", %x.(x < k | bool(x = 0)) \\/ %x.(x >= k | REC(\"f\", x - k)))
         ASSERTIONS fac(5) = 120; even(10) = TRUE; even(7) = FALSE; fac(0) = 1 END"
    ));
    let [answers] = answers.as_slice() else { panic!("{} set-ups", answers.len()) };
    assert_eq!(answers[..3], [Ok(true), Ok(true), Ok(true)]);
    assert!(answers[3].as_ref().is_err_and(|message| message.contains("not in its domain")), "{:?}", answers[3]);
}

#[test]
fn the_innermost_function_of_a_name_is_called() {
    let answers = in_all_setups(&format!(
        "MACHINE M {RECURSION} CONSTANTS g PROPERTIES
         g = REC_LET(\"f\", %x.(x = 0 | 0) \\/ %x.(x > 0 |
                 REC_LET(\"f\", %y.(y : INTEGER | y + 100))(x)))
         ASSERTIONS g(1) = 101; g(0) = 0 END"
    ));
    assert_eq!(answers, [[Ok(true), Ok(true)]]);
    let refused = in_all_setups(&format!(
        "MACHINE M {RECURSION} CONSTANTS g PROPERTIES
         g = %k.(k : 1..2 | REC_LET(\"f\", %x.(x <= k | k) \\/ %x.(x > k | REC(\"f\", x - 1))))
         ASSERTIONS g(1)(5) = 1 END"
    ));
    assert!(matches!(&refused[..], [answers] if answers[0].is_err()), "{refused:?}");
}

#[test]
fn a_constant_is_determined_if_the_other_properties_leave_one_value() {
    let machine = |properties: &str| {
        in_all_setups(&format!(
            "MACHINE M DEFINITIONS EXTERNAL_PREDICATE_IS_DETERMINED == (INTEGER); IS_DETERMINED(V) == (V = V)
             CONSTANTS a, b PROPERTIES {properties} ASSERTIONS IS_DETERMINED(b) END"
        ))
    };
    assert_eq!(machine("a = 5 & b : 1..3 & IS_DETERMINED(a) & not(IS_DETERMINED(b))").len(), 3);
    assert_eq!(machine("a : 1..4 & a * a = 9 & b : 1..2 & IS_DETERMINED(a)").len(), 2);
    assert_eq!(machine("a = 5 & b : 1..3 & IS_DETERMINED(b)").len(), 0);
    assert_eq!(machine("a = 5 & b : 1..2 & not(IS_DETERMINED(b))"), [[Ok(true)], [Ok(true)]]);
}
