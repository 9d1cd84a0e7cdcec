//! The visibility tables of B, one test per relation between machines, one check per cell.
//!
//! The tables are those of the B-Book (chapter 12) and of the reference manual of Atelier B: for each kind of constituent of a machine `N`
//! and each clause of a machine that refers to `N`, whether the clause may mention it. A cell is `yes`, the id of an error, or the id of a
//! warning in parentheses where the rules of B forbid what is accepted. Abstract constants and variables are accepted in operations of
//! implementations, as ProB does.

use abridge_testkit::Project;

/// Sets, constants, variables and operations of all kinds.
const N: &str = "
    MACHINE N
    SETS S; E = {e1, e2}
    CONCRETE_CONSTANTS cc
    ABSTRACT_CONSTANTS ac
    PROPERTIES cc : 1..2 & ac : 1..2
    CONCRETE_VARIABLES cv
    ABSTRACT_VARIABLES av
    INVARIANT cv : 0..2 & av : 0..2
    INITIALISATION cv := 0 || av := 0
    OPERATIONS
      put(x) = PRE x : 0..2 THEN cv := x || av := x END;
      r <-- get = r := cv
    END";

/// A predicate over each kind of data.
const DATA: [(&str, &str); 6] = [
    ("deferred set", "card(S) > 0"),
    ("element", "e1 : E"),
    ("concrete constant", "cc > 0"),
    ("abstract constant", "ac > 0"),
    ("concrete variable", "cv >= 0"),
    ("abstract variable", "av >= 0"),
];

const CLAUSES: [&str; 5] = ["PROPERTIES", "INVARIANT", "ASSERTIONS", "INITIALISATION", "OPERATIONS"];

/// A machine that mentions a predicate in one clause. `header` says how it refers to others, `init` initialises what it inherits.
fn mentioning(header: &str, clause: &str, pred: &str, init: &str) -> String {
    let values = if header.starts_with("IMPLEMENTATION") { "VALUES k = 1" } else { "" };
    let variables = if header.starts_with("IMPLEMENTATION") { "CONCRETE_VARIABLES" } else { "VARIABLES" };
    let with_variable = |invariant: &str, value: &str, rest: &str| {
        format!("{header} {variables} w INVARIANT w : BOOL {invariant} INITIALISATION w := {value} {init} {rest} END")
    };
    match clause {
        "PROPERTIES" => {
            let start = if init.is_empty() { String::new() } else { format!("INITIALISATION skip {init}") };
            format!("{header} CONCRETE_CONSTANTS k PROPERTIES k = 1 & {pred} {values} {start} END")
        }
        "INVARIANT" => with_variable(&format!("& {pred}"), "TRUE", ""),
        "ASSERTIONS" => with_variable("", "TRUE", &format!("ASSERTIONS {pred}")),
        "INITIALISATION" => with_variable("", &format!("bool({pred})"), ""),
        _ => with_variable("", "TRUE", &format!("OPERATIONS q = w := bool({pred})")),
    }
}

/// `yes`, or the ids of what is said, warnings in parentheses.
fn outcome(files: &[(&str, &str)]) -> String {
    let analysis = Project::new(files).analyse();
    let mut ids: Vec<String> = Vec::new();
    for one in &analysis.diagnostics {
        let id = if one.is_error() { one.id.to_owned() } else { format!("({})", one.id) };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    match ids.is_empty() {
        true => "yes".to_owned(),
        false => ids.join(" "),
    }
}

struct Relation {
    /// The start of the machine that refers to `N`.
    header: &'static str,
    /// The file of that machine.
    file: &'static str,
    /// What initialises inherited variables.
    init: &'static str,
}

impl Relation {
    fn new(header: &'static str, file: &'static str) -> Self {
        Relation { header, file, init: "" }
    }

    fn outcome(&self, text: &str) -> String {
        let machine = "MACHINE A OPERATIONS q = skip END";
        outcome(&[(self.file, text), ("N.mch", N), ("A.mch", machine)])
    }

    /// Compares one row of the data table for each kind of data, in the order of [`DATA`] and [`CLAUSES`].
    fn data(&self, rows: [[&str; 5]; 6]) {
        for ((kind, pred), row) in DATA.iter().zip(rows) {
            for (clause, expected) in CLAUSES.iter().zip(row) {
                let found = self.outcome(&mentioning(self.header, clause, pred, self.init));
                assert_eq!(found, expected, "{}: {kind} in {clause}", self.header);
            }
        }
    }

    /// Compares a machine that has one more clause.
    fn with(&self, clause: &str, expected: &str) {
        let start = match self.init {
            "" => String::new(),
            init => format!("INITIALISATION skip {init}"),
        };
        let found = self.outcome(&format!("{} {start} {clause} END", self.header));
        assert_eq!(found, expected, "{} {clause}", self.header);
    }
}

const ALL: [&str; 5] = ["yes"; 5];
const STATE: [&str; 5] = ["variable-not-visible", "yes", "yes", "yes", "yes"];
const SEEN: [&str; 5] = ["variable-not-visible", "(seen-in-invariant)", "(seen-in-invariant)", "yes", "yes"];
const REPLACED: [&str; 5] = ["variable-not-visible", "yes", "yes", "abstract-variable", "abstract-variable"];

const ASSIGN: &str = "OPERATIONS q = cv := 1";
const QUERY: &str = "OPERATIONS r <-- q = r <-- get";
const MODIFY: &str = "OPERATIONS q = put(1)";
const PROMOTE: &str = "PROMOTES put";

#[test]
fn a_machine_that_sees() {
    let sees = Relation::new("MACHINE M SEES N", "M.mch");
    sees.data([ALL, ALL, ALL, ALL, SEEN, SEEN]);
    sees.with(ASSIGN, "writes-seen-variable");
    sees.with(QUERY, "yes");
    sees.with(MODIFY, "seen-call");
    sees.with("VARIABLES w INVARIANT w = 0 INITIALISATION w := 0 || put(1)", "seen-call");
    sees.with("DEFINITIONS go == put(1) OPERATIONS q = go", "seen-call");
    sees.with(PROMOTE, "unknown-operation");
}

#[test]
fn a_machine_that_uses() {
    let uses = Relation::new("MACHINE M USES N", "M.mch");
    uses.data([ALL, ALL, ALL, ALL, STATE, STATE]);
    uses.with(ASSIGN, "writes-seen-variable");
    uses.with(QUERY, "(used-call)");
    uses.with(MODIFY, "(used-call)");
    uses.with(PROMOTE, "unknown-operation");
}

#[test]
fn a_machine_that_includes() {
    let includes = Relation::new("MACHINE M INCLUDES N", "M.mch");
    includes.data([ALL, ALL, ALL, ALL, STATE, STATE]);
    includes.with(ASSIGN, "writes-included-variable");
    includes.with(QUERY, "yes");
    includes.with(MODIFY, "yes");
    includes.with(PROMOTE, "yes");
}

#[test]
fn a_machine_that_extends() {
    let extends = Relation::new("MACHINE M EXTENDS N", "M.mch");
    extends.data([ALL, ALL, ALL, ALL, STATE, STATE]);
    extends.with(ASSIGN, "writes-included-variable");
    extends.with(QUERY, "yes");
    extends.with(MODIFY, "yes");
}

#[test]
fn a_refinement_and_its_abstraction() {
    let refines = Relation { init: "; cv := 0", ..Relation::new("REFINEMENT M REFINES N", "M.ref") };
    refines.data([ALL, ALL, ALL, ALL, STATE, REPLACED]);
    refines.with(ASSIGN, "yes");
    refines.with("OPERATIONS q = av := 1", "abstract-variable");
    refines.with(QUERY, "unknown-operation unknown-type");
}

#[test]
fn an_implementation_and_its_abstraction() {
    let refines = Relation { init: "; cv := 0", ..Relation::new("IMPLEMENTATION M REFINES N", "M.imp") };
    refines.data([ALL, ALL, ALL, ALL, STATE, REPLACED]);
    refines.with(ASSIGN, "yes");
    refines.with("OPERATIONS q = av := 1", "abstract-variable");
    refines.with("VALUES cc = 1; S = 1..2", "yes");
}

#[test]
fn a_refinement_that_sees_or_includes() {
    let sees = Relation::new("REFINEMENT M REFINES A SEES N", "M.ref");
    sees.data([ALL, ALL, ALL, ALL, SEEN, SEEN]);
    sees.with(ASSIGN, "writes-seen-variable");
    sees.with(QUERY, "yes");
    sees.with(MODIFY, "seen-call");
    let includes = Relation::new("REFINEMENT M REFINES A INCLUDES N", "M.ref");
    includes.data([ALL, ALL, ALL, ALL, STATE, STATE]);
    includes.with(ASSIGN, "writes-included-variable");
    includes.with(MODIFY, "yes");
    includes.with(PROMOTE, "yes");
}

#[test]
fn an_implementation_that_sees_imports_or_extends() {
    let sees = Relation::new("IMPLEMENTATION M REFINES A SEES N", "M.imp");
    sees.data([ALL, ALL, ALL, ALL, SEEN, SEEN]);
    sees.with(ASSIGN, "writes-seen-variable");
    sees.with(QUERY, "yes");
    sees.with(MODIFY, "seen-call");
    sees.with("CONCRETE_CONSTANTS k PROPERTIES k : 1..2 VALUES k = cc", "yes");
    for header in ["IMPLEMENTATION M REFINES A IMPORTS N", "IMPLEMENTATION M REFINES A EXTENDS N"] {
        let imports = Relation::new(header, "M.imp");
        imports.data([ALL, ALL, ALL, ALL, STATE, STATE]);
        imports.with(ASSIGN, "writes-included-variable");
        imports.with(QUERY, "yes");
        imports.with(MODIFY, "yes");
        imports.with("CONCRETE_CONSTANTS k PROPERTIES k : 1..2 VALUES k = cc", "yes");
    }
}

/// A machine with parameters, for the cells about them.
const P: &str = "
    MACHINE P(T, n)
    CONSTRAINTS n : 1..2
    VARIABLES pv
    INVARIANT pv <: T & card(pv) <= n
    INITIALISATION pv := {}
    END";

#[test]
fn parameters() {
    let cells = [
        // Of the machine itself.
        ("MACHINE M(T, n) CONSTRAINTS n : 1..2 CONSTANTS k PROPERTIES k = n END", "parameter-not-visible"),
        ("MACHINE M(T, n) CONSTRAINTS n : 1..2 VARIABLES w INVARIANT w : T & n > 0 INITIALISATION w :: T END", "yes"),
        ("MACHINE M(T, n) CONSTRAINTS n : 1..2 CONSTANTS k PROPERTIES k = 1 ASSERTIONS n > 0 END", "yes"),
        ("MACHINE M(n) CONSTRAINTS n : 1..k CONSTANTS k PROPERTIES k = 1 END", "constant-not-visible"),
        ("MACHINE M(T, n) CONSTRAINTS n : 1..2 INCLUDES P(T, n) END", "yes"),
        // Of one that is included: its user has the arguments.
        ("MACHINE M INCLUDES P({TRUE}, 1) ASSERTIONS n > 0 END", "unknown-identifier"),
        // Of one that is used.
        ("MACHINE M USES P VARIABLES w INVARIANT w <: T & n > 0 INITIALISATION w := {} END", "yes"),
        ("MACHINE M USES P VARIABLES w INVARIANT w : T INITIALISATION w :: T OPERATIONS q = w :: T END", "yes"),
        ("MACHINE M USES P CONSTANTS k PROPERTIES k = n END", "parameter-not-visible"),
        ("MACHINE M(n) CONSTRAINTS n : BOOL USES P ASSERTIONS n = TRUE END", "yes"),
        // Of one that is seen.
        ("MACHINE M SEES P OPERATIONS r <-- q = r := n END", "unknown-identifier"),
    ];
    for (text, expected) in cells {
        let found = outcome(&[("M.mch", text), ("P.mch", P)]);
        let first = found.split(' ').next().unwrap_or_default();
        assert_eq!(first, expected, "{text}");
    }
}

#[test]
fn arguments_of_included_machines() {
    let cells = [
        ("MACHINE M INCLUDES P(E, c) SETS E = {a} CONSTANTS c PROPERTIES c = 1 END", "yes"),
        ("MACHINE M INCLUDES P({1}, w) VARIABLES w INVARIANT w = 1 INITIALISATION w := 1 END", "variable-not-visible"),
        ("MACHINE M SEES N INCLUDES P(E, cc) END", "yes"),
        ("MACHINE M SEES N INCLUDES P(E, cv) END", "variable-not-visible"),
    ];
    for (text, expected) in cells {
        assert_eq!(outcome(&[("M.mch", text), ("P.mch", P), ("N.mch", N)]), expected, "{text}");
    }
}

#[test]
fn promoted_operations_are_operations_of_the_machine() {
    let middle = "MACHINE K INCLUDES N PROMOTES put END";
    let files = |main| [("M.mch", main), ("K.mch", middle), ("N.mch", N)];
    assert_eq!(outcome(&files("MACHINE M INCLUDES K OPERATIONS q = put(1) END")), "yes");
    assert_eq!(outcome(&files("MACHINE M INCLUDES K PROMOTES put END")), "yes");
    assert_eq!(outcome(&files("MACHINE M SEES K OPERATIONS q = put(1) END")), "seen-call");
    let hidden = outcome(&files("MACHINE M INCLUDES K OPERATIONS r <-- q = r <-- get END"));
    assert!(hidden.starts_with("unknown-operation"), "{hidden}");
}

#[test]
fn concrete_variables_are_kept_over_several_levels() {
    let first = "REFINEMENT R1 REFINES N INITIALISATION cv := 0 END";
    let second = "
        REFINEMENT R2 REFINES R1 INITIALISATION cv := 0
        OPERATIONS put(x) = cv := x; r <-- get = r := cv END";
    let project = Project::new(&[("R2.ref", second), ("R1.ref", first), ("N.mch", N)]);
    let model = project.analyse().model.expect("a model");
    let state: Vec<&str> = model.state_variables().map(|(_, variable)| variable.name.as_str()).collect();
    assert_eq!(state, ["cv"]);
}

#[test]
fn a_variable_of_an_imported_machine_takes_the_place_of_a_concrete_one() {
    let implementation = "
        IMPLEMENTATION I REFINES N IMPORTS K INITIALISATION skip
        OPERATIONS put(x) = set(x); r <-- get = r := cv END";
    let imported = "
        MACHINE K CONCRETE_VARIABLES cv INVARIANT cv : 0..2 INITIALISATION cv := 0
        OPERATIONS set(x) = PRE x : 0..2 THEN cv := x END END";
    let files = [("I.imp", implementation), ("N.mch", N), ("K.mch", imported)];
    assert_eq!(outcome(&files), "yes");
    let model = Project::new(&files).analyse().model.expect("a model");
    let state: Vec<&str> = model.state_variables().map(|(_, variable)| variable.origin.machine.as_str()).collect();
    assert_eq!(state, ["K"]);
}

#[test]
fn a_machine_that_only_the_abstraction_sees_is_not_seen() {
    let machine = "MACHINE M SEES N VARIABLES w INVARIANT w : 0..2 INITIALISATION w := 0 OPERATIONS q = w := cv END";
    let refinement = |sees: &str| {
        format!("REFINEMENT R REFINES M {sees} VARIABLES w INITIALISATION w := 0 OPERATIONS q = w := cv END")
    };
    let found = |sees: &str| outcome(&[("R.ref", &refinement(sees)), ("M.mch", machine), ("N.mch", N)]);
    assert_eq!(found(""), "abstract-variable");
    assert_eq!(found("SEES N"), "yes");
}

#[test]
fn loop_invariants_and_assertions_may_mention_replaced_variables() {
    let start = "IMPLEMENTATION M REFINES N DEFINITIONS glued == (ww = av) CONCRETE_VARIABLES ww INVARIANT ww : 0..9
        INITIALISATION cv := 0; ww := 0 OPERATIONS q =";
    for cell in [
        "WHILE ww < 2 DO ww := ww + 1 INVARIANT ww <= 9 & av >= 0 VARIANT 9 - ww END",
        "WHILE ww < 2 DO ww := ww + 1 INVARIANT ww <= 9 & glued VARIANT 9 - ww END",
        "ASSERT ww <= 9 & av >= 0 THEN skip END",
        "ASSERT glued THEN skip END",
    ] {
        let text = format!("{start} {cell} END");
        assert_eq!(outcome(&[("M.imp", &text), ("N.mch", N)]), "(abstract-loop-invariant)", "{cell}");
    }
}
