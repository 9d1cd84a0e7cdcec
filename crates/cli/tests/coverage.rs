//! `abridge check --coverage` and the coverage of reports; preferences about what is not well-defined.

mod common;

use common::{Folder, abridge};

const MACHINE: &str = "MACHINE M VARIABLES x, s INVARIANT x : 0..3 & s : STRING INITIALISATION x := 0 || s := \"a,b\"
    OPERATIONS up = SELECT x < 3 THEN x := x + 1 END; reset = x := 0;
    never(n) = SELECT n : 1..9 & x > 1 & x + n > 50 & n /= 2 THEN x := n END END";

#[test]
fn tables_as_text_csv_and_json() {
    let folder = Folder::new("coverage");
    let (file, table) = (folder.file("M.mch", MACHINE), folder.path("table.csv"));
    let run = abridge(&["check", &file, "--coverage"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    for expected in [
        "  operation  transitions\n  up                   3\n  reset                4\n  never                0\n",
        "  4 states\n  variable  values  most frequent, with their states\n  x         4       0 (1), 1 (1), 2 (1), 3 (1)\n",
        "  s         1       \"a,b\" (4)\n",
        "guards that are true in none of 4 states\n  never  x + n > 50  --> ",
    ] {
        assert!(run.stdout.contains(expected), "{expected}\n{}", run.stdout);
    }
    let run = abridge(&["check", &file, &format!("--coverage={table}")]);
    assert!(!run.stdout.contains("coverage"), "{}", run.stdout);
    let csv = std::fs::read_to_string(&table).expect("written");
    assert_eq!(
        csv,
        "kind,name,value,count\noperation,up,,3\noperation,reset,,4\noperation,never,,0\nvariable,x,,4\nvalue,x,0,1\n\
         value,x,1,1\nvalue,x,2,1\nvalue,x,3,1\nvariable,s,,1\nvalue,s,\"\"\"a,b\"\"\",4\nguard,never,x + n > 50,0\n"
    );
    let covered = &abridge(&["check", &file, "--coverage", "--json"]).json()["state_coverage"];
    assert_eq!(covered["variables"][0]["values"], 4);
    assert_eq!(covered["guards_never_true"][0]["guard"], "x + n > 50");
    assert_eq!(abridge(&["check", &file, "--json"]).json()["state_coverage"], serde_json::Value::Null);
}

#[test]
fn what_the_figures_are_about_is_told() {
    let folder = Folder::new("coverage-caveats");
    let text = "MACHINE M SETS S VARIABLES x INVARIANT x <: S & card(x) < 2 INITIALISATION x := {}
        OPERATIONS add(e) = SELECT e : S - x THEN x := x \\/ {e} END END";
    let file = folder.file("M.mch", text);
    let run = abridge(&["check", &file, "--coverage"]);
    assert!(run.stdout.contains("  the search ended at a finding; `--find all` goes on\n"), "{}", run.stdout);
    assert!(
        run.stdout.contains("  states are representatives; `--symmetry off` covers all states\n"),
        "{}",
        run.stdout
    );
    let run = abridge(&["check", &file, "--coverage", "--engine", "symbolic", "--no-invariant", "--no-deadlock"]);
    assert!(run.stdout.contains("the symbolic engine has no values and guards"), "{}", run.stdout);
}

#[test]
fn a_report_has_coverage() {
    let folder = Folder::new("coverage-report");
    let (file, page) = (folder.file("M.mch", MACHINE), folder.path("out.html"));
    assert_eq!(abridge(&["check", &file, "--report", &page]).status, 0);
    let html = std::fs::read_to_string(&page).expect("written");
    for expected in [
        "<h3>Transitions per operation</h3>",
        "<h3>Guards that are true in none of 4 states</h3>",
        "<code>never</code>: <code>x + n &gt; 50</code>",
        "<summary><code>x</code>: 4 values</summary>",
        "<td>\"a,b\"</td><td class=\"n\">4</td>",
    ] {
        assert!(html.contains(expected), "{expected}\n{html}");
    }
}

#[test]
fn conditions_that_are_not_well_defined_are_found_on_request() {
    let folder = Folder::new("find-abort");
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0
        OPERATIONS op(n) = SELECT n : 0..2 & 2 / n = 1 THEN skip END; go = SELECT 1 / x > 5 THEN skip END; stay = skip END";
    let file = folder.file("M.mch", text);
    let status = |options: &[&str]| abridge(&[&["check", &file], options].concat()).status;
    assert_eq!(status(&[]), 75);
    assert_eq!(status(&["-p", "TRY_FIND_ABORT", "FALSE"]), 0);
    let searched = folder.file("N.mch", &text.replace("MACHINE M", "MACHINE N").replace("1 / x > 5", "x > 5"));
    let status = |options: &[&str]| abridge(&[&["check", &searched], options].concat()).status;
    assert_eq!(status(&[]), 0);
    assert_eq!(status(&["-p", "TRY_FIND_ABORT", "TRUE"]), 75);
    assert_eq!(status(&["-p", "TRY_FIND_ABORT", "TRUE", "--engine", "symbolic"]), 2);
}

#[test]
fn symmetry_is_as_the_machine_prefers_with_the_conventions_of_prob() {
    let states = |options: &[&str]| {
        let args = [&["check", "models/LoginVerySimple.mch", "--set-size", "Session=3", "--json"], options].concat();
        abridge(&args).json()["states"].as_u64()
    };
    assert_eq!(states(&["--compat", "prob"]), Some(8));
    assert_eq!(states(&["--compat", "prob", "-p", "SYMMETRY_MODE", "nauty"]), Some(4));
}

#[test]
fn a_report_has_the_goal() {
    let folder = Folder::new("coverage-goal");
    let (file, page) = (folder.file("M.mch", MACHINE), folder.path("out.html"));
    abridge(&["check", &file, "--goal", "x > 7", "--report", &page]);
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(html.contains("<tr><th>GOAL</th><td>x &gt; 7: satisfied by no reachable state</td></tr>"), "{html}");
}

#[test]
fn a_report_says_where_findings_are() {
    let folder = Folder::new("coverage-findings");
    let text = "MACHINE M VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
        OPERATIONS up = x := x + 1; bad = x := {1|->2}(x) END";
    let (file, page) = (folder.file("M.mch", text), folder.path("out.html"));
    abridge(&["check", &file, "--find", "all", "--max-depth", "6", "--report", &page]);
    let html = std::fs::read_to_string(&page).expect("written");
    for expected in [
        "<pre>error[outside-domain]: `{(1|-&gt;2)}` is applied to `0`, which is not in its domain\n",
        "M.mch:1:33</code></p>",
        "<h2>invariant violated after 5 steps: x : 0..3</h2>",
    ] {
        assert!(html.contains(expected), "{expected}\n{html}");
    }
}
