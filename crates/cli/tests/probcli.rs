//! `abridge probcli`: command lines as they appear in scripts and documentation of ProB.

mod common;

use common::{Folder, abridge};

/// Command lines, the commands that they become, and how many options have no effect or cannot be done.
const LINES: &[(&str, &[&str], usize, usize)] = &[
    ("M.mch -model_check", &["check M.mch --compat prob --no-temporal"], 0, 0),
    ("--model-check M.mch", &["check M.mch --compat prob --no-temporal"], 0, 0),
    ("M.mch -mc 1000", &["check M.mch --compat prob --max-states 1000 --no-temporal"], 0, 0),
    ("-mc 100000 -nodead M.mch", &["check M.mch --compat prob --max-states 100000 --no-deadlock --no-temporal"], 0, 0),
    ("M.mch -mc 10 -noinv", &["check M.mch --compat prob --max-states 10 --no-invariant --no-temporal"], 0, 0),
    (
        "M.mch -mc 10 -noass -nogoal",
        &["check M.mch --compat prob --max-states 10 --no-assertions --no-goal --no-temporal"],
        0,
        0,
    ),
    ("M.mch -model_check -bf", &["check M.mch --compat prob --strategy bfs --no-temporal"], 0, 0),
    ("M.mch -model_check -df", &["check M.mch --compat prob --strategy dfs --no-temporal"], 0, 0),
    ("M.mch -model_check -mc_mode df", &["check M.mch --compat prob --strategy dfs --no-temporal"], 0, 0),
    ("M.mch -model_check -mc_mode mixed", &["check M.mch --compat prob --strategy mixed --no-temporal"], 0, 0),
    ("M.mch -model_check -mc_mode random", &["check M.mch --compat prob --no-temporal"], 1, 0),
    ("M.mch -model_check -mc_mode heuristic", &["check M.mch --compat prob --no-temporal"], 1, 0),
    ("M.mch -model_check -disable_timeout", &["check M.mch -p TIME_OUT 0 --compat prob --no-temporal"], 0, 0),
    ("M.mch -model_check -timeout 5000", &["check M.mch --compat prob --time 5 --no-temporal"], 0, 0),
    (
        "M.mch -p MAX_OPERATIONS 20 -model_check",
        &["check M.mch -p MAX_OPERATIONS 20 --compat prob --prob-limits --no-temporal"],
        0,
        0,
    ),
    (
        "M.mch -mc 100 -csv quick_operation_coverage ops.csv",
        &["check M.mch --compat prob --max-states 100 --coverage=ops.csv --no-temporal"],
        0,
        0,
    ),
    ("M.mch -model_check -global_time_out 1500", &["check M.mch --compat prob --time 1.5 --no-temporal"], 0, 0),
    ("M.mch -model_check -p MAXINT 10", &["check M.mch -p MAXINT 10 --compat prob --no-temporal"], 0, 0),
    (
        "M.mch -p MAXINT 10 -p MININT -5 -mc 5",
        &["check M.mch -p MAXINT 10 -p MININT -5 --compat prob --max-states 5 --no-temporal"],
        0,
        0,
    ),
    (
        "M.mch -card S 3 -card T 4 -model_check",
        &["check M.mch --set-size S=3 --set-size T=4 --compat prob --no-temporal"],
        0,
        0,
    ),
    (
        "M.mch -p SYMMETRY_MODE hash -model_check",
        &["check M.mch -p SYMMETRY_MODE hash --compat prob --no-temporal"],
        0,
        0,
    ),
    ("M.mch -por ample_sets -model_check", &["check M.mch --compat prob --por semantic --no-temporal"], 0, 0),
    ("M.mch -por off -model_check", &["check M.mch --compat prob --por off --no-temporal"], 0, 0),
    ("M.mch -mc_with_tlc", &["check M.mch --compat prob --no-temporal"], 1, 0),
    ("M.mch -mc_with_lts_min_seq", &["check M.mch --compat prob --no-temporal"], 1, 0),
    ("M.mch -nodead -mc_with_lts_sym", &["check M.mch --compat prob --no-deadlock --no-temporal"], 1, 0),
    ("-p MAX_INITIALISATIONS 0 -p STRICT_CLASH_CHECKING TRUE -lint -wd-check -release_java_parser M.mch", &[], 2, 2),
    (
        "-model-check -mc-mode bf -p DOT_IDS TRUE -memory -disable-timeout --coverage-summary M.mch -dot state_space_sfdp s.dot",
        &[
            "graph M.mch -p DOT_IDS TRUE -p TIME_OUT 0 --compat prob -o s.dot --max-states 100000",
            "check M.mch -p DOT_IDS TRUE -p TIME_OUT 0 --compat prob --strategy bfs --coverage --no-temporal",
        ],
        1,
        0,
    ),
    (
        "M.mch -nodead -model_check -p COMPRESSION true -p DOT_ENGINE neato -dotexpr transition_diagram card(x) s.dot",
        &[
            "graph M.mch -p COMPRESSION true -p DOT_ENGINE neato --compat prob --project 'card(x)' -o s.dot --max-states 100000",
            "check M.mch -p COMPRESSION true -p DOT_ENGINE neato --compat prob --no-deadlock --no-temporal",
        ],
        0,
        0,
    ),
    (
        "-model_check -nodead -save all -his t.json -his_option show_states -spdot s.dot -l p.log -ll -c M.mch",
        &[
            "graph M.mch --compat prob -o s.dot --max-states 100000",
            "check M.mch --compat prob --no-deadlock --coverage --save-trace t.json --no-temporal",
        ],
        3,
        1,
    ),
    (
        "M.mch -model_check -nodead -timeout 100000 -scope x<4 -c",
        &["check M.mch --compat prob --no-deadlock --time 100 --scope 'x<4' --coverage --no-temporal"],
        0,
        0,
    ),
    ("M.mch -init -silent -expcterr setup_constants_fails", &["animate M.mch --compat prob --do init"], 1, 0),
    (
        "-bmc 5 -noinv -nodead -noass -nogoal -save all M.mch",
        &[
            "check M.mch --compat prob --max-depth 6 --no-invariant --no-deadlock --no-assertions --no-goal --no-temporal",
        ],
        1,
        1,
    ),
    ("M.mch -symbolic_model_check ic3", &["check M.mch --compat prob --engine symbolic --no-temporal"], 1, 0),
    (
        "M.mch -ltlassertions",
        &["check M.mch --compat prob --no-invariant --no-deadlock --no-assertions --no-goal"],
        0,
        0,
    ),
    (
        "M.mch -ltlassertions -ltllimit 500",
        &["check M.mch --compat prob --max-states 500 --no-invariant --no-deadlock --no-assertions --no-goal"],
        0,
        0,
    ),
    ("M.mch -model_check -ltlassertions", &["check M.mch --compat prob"], 0, 0),
    (
        "M.mch -ltlformula GF{x=1}",
        &[
            "check M.mch --compat prob --ltl 'GF{x=1}' --no-temporal --no-invariant --no-deadlock --no-assertions --no-goal",
        ],
        0,
        0,
    ),
    (
        "M.mch -ctlformula EF{x=1}",
        &[
            "check M.mch --compat prob --ctl 'EF{x=1}' --no-temporal --no-invariant --no-deadlock --no-assertions --no-goal",
        ],
        0,
        0,
    ),
    (
        "M.mch -ltlfile f.ltl",
        &[
            "check M.mch --compat prob --formulas f.ltl --no-temporal --no-invariant --no-deadlock --no-assertions --no-goal",
        ],
        0,
        0,
    ),
    ("M.mch -goal x=2 -model_check", &["check M.mch --compat prob --goal x=2 --no-temporal"], 0, 0),
    ("M.mch -init -i", &["animate M.mch --compat prob --do init", "animate M.mch --compat prob"], 0, 0),
    ("M.mch -i -his out.prob2trace", &["animate M.mch --compat prob"], 1, 0),
    (
        "M.mch -mc 1002 -nodead -bf -hash64 275624188322798846",
        &["check M.mch --compat prob --max-states 1002 --no-deadlock --strategy bfs --no-temporal"],
        0,
        1,
    ),
    (
        "M.mch -mc_with_lts_seq -ltsmin-option por -nodead",
        &["check M.mch --compat prob --no-deadlock --no-temporal"],
        2,
        0,
    ),
    ("M.mch -enabling_analysis_csv o.csv", &[], 0, 1),
    ("M.mch -feasibility_analysis_csv 100 o.csv", &[], 0, 1),
    ("M.mch -csvexpr eval_table x o.csv", &[], 0, 1),
    ("M.mch", &["typecheck M.mch"], 0, 0),
    (
        "phonebook7.mch -p MAX_OPERATIONS 99 -mc 10 -spdot out.dot -p DOT_LEAVES FALSE -mc_mode df",
        &[
            "graph phonebook7.mch -p MAX_OPERATIONS 99 -p DOT_LEAVES FALSE --compat prob -o out.dot --max-states 10",
            "check phonebook7.mch -p MAX_OPERATIONS 99 -p DOT_LEAVES FALSE --compat prob --prob-limits --max-states 10 --strategy dfs \
             --no-temporal",
        ],
        0,
        0,
    ),
    (
        "--model-check -disable-time-out -p OPERATION_REUSE full -pref_group model_check unlimited -p COMPRESSION TRUE -noass -memory M.mch",
        &[
            "check M.mch -p TIME_OUT 0 -p OPERATION_REUSE full -p COMPRESSION TRUE --compat prob --no-assertions --no-temporal",
        ],
        1,
        1,
    ),
    ("M.mch -cbc_tests 1000 '' tests.xml -save states.xml", &[], 0, 2),
    (
        "M.mch -model_check -cbc all -cbc_deadlock -p DEFAULT_SETSIZE 2",
        &["check M.mch -p DEFAULT_SETSIZE 2 --compat prob --no-temporal"],
        0,
        2,
    ),
    (
        "M.mch -model-check -spdot s.dot",
        &["graph M.mch --compat prob -o s.dot --max-states 100000", "check M.mch --compat prob --no-temporal"],
        0,
        0,
    ),
    (
        "M.mch -model-check -spdot s.svg",
        &["graph M.mch --compat prob -o s.svg", "check M.mch --compat prob --no-temporal"],
        0,
        0,
    ),
    ("M.mch -assertions", &["check M.mch --compat prob --no-invariant --no-deadlock --no-goal --no-temporal"], 0, 0),
    ("R.ref -refchk M.mch", &["refine R.ref --against M.mch"], 0, 0),
    ("M.mch -init", &["animate M.mch --compat prob --do init"], 0, 0),
    (
        "M.mch -init -model_check",
        &["animate M.mch --compat prob --do init", "check M.mch --compat prob --no-temporal"],
        0,
        0,
    ),
    ("M.mch -init -animate 5", &["animate M.mch --compat prob --do init --do 'walk 5' --do trace"], 0, 0),
    ("M.mch -animate 5", &["animate M.mch --compat prob --do init --do 'walk 5' --do trace"], 0, 0),
    ("M.mch -execute 20", &["animate M.mch --compat prob --do init --do 'walk 20' --do trace"], 1, 0),
    (
        "M.mch -animate 5 -his out.prob2trace",
        &["animate M.mch --compat prob --do init --do 'walk 5' --do trace --do 'save out.prob2trace'"],
        0,
        0,
    ),
    (
        "M.mch -his out.prob2trace -animate 5",
        &["animate M.mch --compat prob --do init --do 'walk 5' --do trace --do 'save out.prob2trace'"],
        0,
        0,
    ),
    ("M.mch -his out.prob2trace -typecheck", &["typecheck M.mch"], 1, 0),
    ("M.mch -init -nodead -coverage -max_depth 4", &["animate M.mch --compat prob --do init"], 3, 0),
    (
        "M.mch -mc 9 -his out.prob2trace -his_option show_states",
        &["check M.mch --compat prob --max-states 9 --save-trace out.prob2trace --no-temporal"],
        1,
        0,
    ),
    ("M.mch -trace_replay json t.prob2trace", &["trace replay M.mch --compat prob t.prob2trace"], 0, 0),
    ("M.mch -trace_replay prolog t.trace", &[], 0, 1),
    ("M.mch -t", &[], 0, 1),
    ("M.mch -eval x+1", &["eval M.mch --compat prob -- 'x+1'"], 0, 0),
    ("-eval 1+1", &["eval --compat prob -- '1+1'"], 0, 0),
    ("M.mch -repl", &["repl M.mch --compat prob"], 0, 0),
    ("M.mch -typecheck", &["typecheck M.mch"], 0, 0),
    ("M.mch -dot state_space out.dot", &["graph M.mch --compat prob -o out.dot"], 0, 0),
    ("M.mch -spdot out.dot", &["graph M.mch --compat prob -o out.dot"], 0, 0),
    ("M.mch -dot enable_graph out.dot", &[], 0, 1),
    ("M.mch -cbc all", &[], 0, 1),
    ("M.mch -cbc_assertions -model_check", &["check M.mch --compat prob --no-temporal"], 0, 1),
    ("M.mch -csv event_hierarchy o.csv -mc 5", &["check M.mch --compat prob --max-states 5 --no-temporal"], 0, 1),
    (
        "M.mch -model_check -coverage -strict -v -cache /tmp/c",
        &["check M.mch --compat prob --coverage --no-temporal"],
        3,
        0,
    ),
    ("M.mch -model_check -profile", &["check M.mch --compat prob --profile --no-temporal"], 0, 0),
    (
        "-model_check -nodead -noinv -noass -p MAX_INITIALISATIONS 2048 -mc_mode bf -spdot S.statespace.dot M.mch",
        &[
            "graph M.mch -p MAX_INITIALISATIONS 2048 --compat prob -o S.statespace.dot --max-states 100000",
            "check M.mch -p MAX_INITIALISATIONS 2048 --compat prob --no-deadlock --no-invariant --no-assertions --prob-limits \
             --strategy bfs --no-temporal",
        ],
        0,
        0,
    ),
    (
        "-model_check -p MAX_INITIALISATIONS 204800 -p MAX_OPERATIONS 204800 -pp P.mch M.mch",
        &[
            "check M.mch -p MAX_INITIALISATIONS 204800 -p MAX_OPERATIONS 204800 --compat prob --prob-limits --no-temporal",
        ],
        0,
        1,
    ),
    (
        "M.mch -model_check -p DEFAULT_SETSIZE 2 -p MAX_OPERATIONS 1000 -p TIME_OUT 30000",
        &[
            "check M.mch -p DEFAULT_SETSIZE 2 -p MAX_OPERATIONS 1000 -p TIME_OUT 30000 --compat prob --prob-limits --no-temporal",
        ],
        0,
        0,
    ),
    (
        "-model_check -nodead -save allstate -his historytmp -his_option show_states -spdot statespace.txt -l pl.log -ll -c M.mch",
        &[
            "graph M.mch --compat prob -o statespace.txt --max-states 100000",
            "check M.mch --compat prob --no-deadlock --coverage --save-trace historytmp --no-temporal",
        ],
        3,
        1,
    ),
    (
        "-mc 100 -mc_mode random -p MAX_INITIALISATIONS 100 -p RANDOMISE_ENUMERATION_ORDER TRUE -p MAX_DISPLAY_SET -1 M.mch",
        &[
            "check M.mch -p MAX_INITIALISATIONS 100 -p RANDOMISE_ENUMERATION_ORDER TRUE -p MAX_DISPLAY_SET -1 --compat prob \
             --max-states 100 --prob-limits --no-temporal",
        ],
        1,
        0,
    ),
    ("M.mch -init -silent", &["animate M.mch --compat prob --do init"], 1, 0),
    (
        "machines/build-job.mch -model_check -nodead",
        &["check machines/build-job.mch --compat prob --no-deadlock --no-temporal"],
        0,
        0,
    ),
    ("M.mch -cbc_assertions", &[], 0, 1),
    ("M.mch -cbc_deadlock", &[], 0, 1),
    ("M.mch -animate 20", &["animate M.mch --compat prob --do init --do 'walk 20' --do trace"], 0, 0),
    (
        "M.mch -nodead -csp-guide pdpa.csp -ltlformula G([a]=>F[b]) -dot history evidence.dot",
        &[
            "check M.mch --compat prob --no-deadlock --ltl 'G([a]=>F[b])' --no-temporal --no-invariant --no-assertions --no-goal",
        ],
        0,
        2,
    ),
    (
        "M.mch -ltlformula Gtrue -p COMPRESSION TRUE -p OPERATION_REUSE TRUE -dotexpr transition_diagram (x,y) evidence.dot",
        &[
            "graph M.mch -p COMPRESSION TRUE -p OPERATION_REUSE TRUE --compat prob --project '(x,y)' -o evidence.dot --max-states 100000",
            "check M.mch -p COMPRESSION TRUE -p OPERATION_REUSE TRUE --compat prob --ltl Gtrue --no-temporal --no-invariant \
             --no-deadlock --no-assertions --no-goal",
        ],
        0,
        0,
    ),
    ("M.mch -dot state_space_sfdp test.dot", &["graph M.mch --compat prob -o test.dot"], 0, 0),
    ("M.mch -trace_replay json good.prob2trace -strict", &["trace replay M.mch --compat prob good.prob2trace"], 1, 0),
    ("M.mch -mcm_tests 10 2000 x=1 tests.xml", &[], 0, 1),
    ("M.mch -cbc_tests 5 x=1 tests.xml", &[], 0, 1),
    ("M.mch -pp_with_name PPDIFF out.mch", &[], 0, 1),
    ("M.mch -ltsmin2 /tmp/ltsmin.probz", &[], 0, 1),
    ("M.mch -- 30 data/port_scan.log", &[], 0, 1),
    ("-prefs prefs.pl -model_check -l log.txt M.mch", &["check M.mch --compat prob --no-temporal"], 1, 1),
];

fn probcli(options: &[&str], line: &str) -> common::Run {
    let words: Vec<&str> = ["probcli"].iter().chain(options).copied().chain(line.split(' ')).collect();
    abridge(&words)
}

#[test]
fn command_lines_become_commands() {
    assert!(LINES.len() >= 50);
    for (line, commands, n_notes, n_missing) in LINES {
        let run = probcli(&["--explain"], line);
        let found: Vec<&str> = run.stdout.lines().filter_map(|line| line.strip_prefix("abridge ")).collect();
        assert_eq!(found, *commands, "{line}: {}{}", run.stdout, run.stderr);
        let count = |prefix: &str| run.stdout.lines().filter(|line| line.starts_with(prefix)).count();
        assert_eq!((count("note: "), count("warning: ")), (*n_notes, *n_missing), "{line}: {}", run.stdout);
        assert_eq!(run.status, if *n_missing > 0 { 20 } else { 0 }, "{line}");
    }
}

#[test]
fn what_is_not_known_ends_the_run() {
    for (line, message) in [
        ("M.mch -nothing_of_this", "unknown option `-nothing_of_this`"),
        ("M.mch -model_chekc", "a similar one exists: `-model_check`"),
        ("-model_check", "no machine is given"),
        ("M.mch -mc", "`-mc` needs 1 value"),
        ("M.mch -mc many", "`many` is not a number"),
        ("M.mch N.mch -model_check", "two machines"),
        ("M.mch -mc_mode sideways", "unknown mode of search"),
        ("M.mch -eval_file no.formula", "cannot read `no.formula`: no such file"),
        ("M.mch -expcterr surprise", "unknown kind of error `surprise`; known are deadlock, invariant_violation,"),
    ] {
        let run = probcli(&[], line);
        assert_eq!(run.status, 2, "{line}");
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

#[test]
fn commands_are_executed() {
    let folder = Folder::new("probcli");
    let file = folder.file(
        "M.mch",
        "MACHINE M DEFINITIONS ASSERT_LTL == \"G {x < 3}\" VARIABLES x INVARIANT x : 0..MAXINT INITIALISATION x := 0
         OPERATIONS r <-- up = BEGIN x := x + 1 || r := x END END",
    );
    for (options, status, text) in [
        ("-model_check", 12, "invariant violated after 5 steps: x : 0..MAXINT"),
        ("-model_check -expcterr invariant_violation", 0, "invariant violated"),
        ("-model_check -expcterr deadlock", 1, "invariant violated"),
        ("-model_check -p MAXINT 5", 12, "invariant violated after 7 steps"),
        ("-mc 2", 20, "no violation found (stopped after 2 states"),
        ("-ltlassertions -ltllimit 9", 13, "ASSERT_LTL"),
        ("-animate 2", 0, "    3  up --> 1"),
        ("-eval x+41", 0, "41 : INTEGER"),
        ("-evalf x>3", 0, "FALSE"),
        ("-mc 100 -goal x=2", 0, "goal reached after 3 steps"),
        ("-mc 100 -noinv -goal x=9 -scope x<3", 0, "  no reachable state satisfies GOAL\n"),
        ("-bmc 2", 20, "no violation found"),
        ("-bmc 4", 12, "invariant violated after 5 steps"),
        ("-cbc all", 20, ""),
        ("-version", 0, "abridge "),
        ("-mc 10 -p TIME_OUT 60000 -disable_timeout", 12, "invariant violated"),
    ] {
        let run = probcli(&[], &format!("{file} {options}"));
        assert_eq!(run.status, status, "{options}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(text), "{options}: {}", run.stdout);
    }
    let file = folder.file("N.mch", "MACHINE N CONSTANTS c PROPERTIES c : 1..2 & c > 5 END");
    for options in ["-init -expcterr setup_constants_fails", "-model_check -expcterr setup_constants_fails"] {
        let run = probcli(&[], &format!("{file} {options}"));
        assert_eq!(run.status, 0, "{options}: {}{}", run.stdout, run.stderr);
    }
}

/// The page for people who come from ProB has a row for every option.
#[test]
fn the_page_has_all_options() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/from-prob.md")).expect("the page");
    let json = abridge(&["probcli", "--list", "--json"]).json();
    let rows = json["options"].as_array().expect("rows");
    assert!(rows.len() >= 60, "{}", rows.len());
    for row in rows {
        let names: Vec<String> = row["options"]
            .as_array()
            .expect("names")
            .iter()
            .map(|name| format!("`-{}`", name.as_str().expect("a name")))
            .collect();
        let (done, becomes) = (row["done"].as_str().expect("a verdict"), row["becomes"].as_str().expect("a text"));
        let line = format!("| {} | {done} | {} |", names.join(", "), becomes.replace('|', "\\|"));
        assert!(page.contains(&line), "missing in docs/from-prob.md:\n{line}");
    }
}
