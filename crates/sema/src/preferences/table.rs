//! Table of the preferences of ProB and their effect.
//!
//! Each preference is honoured, fixed at one value, or ignored with a reason that is shown to users. A preference that the code begins to read
//! becomes `Honoured`. A row that is `Honoured` without code that reads it would hide a setting without effect.

/// Effect of setting a preference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// The tool reads the preference. The text says what it does.
    Honoured(&'static str),
    /// The tool behaves as with this value. Other values are reported.
    Fixed {
        value: &'static str,
        because: &'static str,
    },
    /// Read only with `--prob-limits`.
    Cap,
    Ignored(UnreadReason),
}

/// Reason why a preference is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnreadReason {
    /// It configures the solver of ProB.
    Solver,
    /// It configures the display or log of ProB.
    Display,
    /// It configures the search or the state store of ProB.
    Search,
    /// It concerns formalisms other than classical B.
    OtherFormalism,
}

impl UnreadReason {
    pub(super) fn text(self) -> &'static str {
        match self {
            UnreadReason::Solver => "it configures the constraint solver of ProB; results do not depend on it",
            UnreadReason::Display => "it configures what ProB shows; results do not depend on it",
            UnreadReason::Search => {
                "it configures the search of ProB; `abridge check --help` lists the options of this search"
            }
            UnreadReason::OtherFormalism => "it concerns models that are not written in classical B",
        }
    }
}

/// Effect of a preference; `None` if ProB has no preference of this name.
pub(super) fn effect_of(name: &str) -> Option<Effect> {
    if DISPLAY_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return Some(Effect::Ignored(UnreadReason::Display));
    }
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, effect)| *effect)
}

/// Preference of ProB in the table for users.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreferenceRow {
    pub name: &'static str,
    /// `honoured`, `fixed`, `with --prob-limits` or `ignored`.
    pub effect: &'static str,
    /// Value of a fixed preference.
    pub value: Option<&'static str>,
    /// Meaning of the preference, or the reason why it has no effect.
    pub text: &'static str,
}

/// All known preferences, sorted by name.
pub fn preference_table() -> Vec<PreferenceRow> {
    let row = |(name, effect): &(&'static str, Effect)| {
        let (effect, value, text) = match *effect {
            Effect::Honoured(meaning) => ("honoured", None, meaning),
            Effect::Fixed { value, because } => ("fixed", Some(value), because),
            Effect::Cap => ("with --prob-limits", None, "it bounds the number of steps that are tried"),
            Effect::Ignored(reason) => ("ignored", None, reason.text()),
        };
        PreferenceRow { name, effect, value, text }
    };
    TABLE.iter().map(row).collect()
}

/// Names of all preferences, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

/// Families of preferences about colours, fonts, shapes and windows.
const DISPLAY_PREFIXES: [&str; 5] = ["TK_", "DOT_", "DOTTY_", "FONT_", "VISB_"];

const SOLVER: Effect = Effect::Ignored(UnreadReason::Solver);
const DISPLAY: Effect = Effect::Ignored(UnreadReason::Display);
const SEARCH: Effect = Effect::Ignored(UnreadReason::Search);
const OTHER: Effect = Effect::Ignored(UnreadReason::OtherFormalism);

const fn honoured(meaning: &'static str) -> Effect {
    Effect::Honoured(meaning)
}

const fn fixed(value: &'static str, because: &'static str) -> Effect {
    Effect::Fixed { value, because }
}

/// Effects by name, sorted.
const TABLE: &[(&str, Effect)] = &[
    ("ALLOW_COMPLEX_LETS", honoured("the value of a name of a LET may mention other names of the same LET")),
    ("ALLOW_INCOMPLETE_SETUP_CONSTANTS", fixed("FALSE", "a state has values for all constants")),
    ("ALLOW_LOCAL_OPERATION_CALLS", honoured("an operation may call another one of the same machine")),
    (
        "ALLOW_NEW_OPERATIONS_IN_REFINEMENT",
        honoured("`abridge refine` takes new operations for hidden steps, as with `--new skip`"),
    ),
    ("ALLOW_OPERATION_CALLS_FOR_USES", honoured("operations of machines that are used may be called")),
    ("ALLOW_OPERATION_CALLS_IN_EXPRESSIONS", honoured("expressions may call operations that only read")),
    ("ALLOW_OUTPUT_READING", fixed("TRUE", "an output may be read once it has a value")),
    ("ALLOW_REALS", fixed("default", "classical B has reals")),
    ("ALLOW_SIMULTANEOUS_ASSIGNMENTS", honoured("two parallel parts may assign the same variable")),
    ("ALLOW_UNTYPED_IDENTIFIERS", honoured("a name whose type nothing tells is accepted")),
    ("ASSERT_CHECKING", fixed("TRUE", "conditions of ASSERT are checked where they are met")),
    ("AUTO_DETECT_THEORY_MAPPING", OTHER),
    ("BOOL_AS_PREDICATE", fixed("FALSE", "a predicate over BOOL is written `b = TRUE`")),
    ("CACHE_OPERATIONS", SEARCH),
    ("CHR", SOLVER),
    ("CLPFD", SOLVER),
    ("COMPRESSION", SEARCH),
    ("CSE", SOLVER),
    ("CSE_PRED", SOLVER),
    ("CSE_SUBST", SOLVER),
    ("DATA_VALIDATION", SOLVER),
    ("DEFAULT_SETSIZE", honoured("number of elements of a deferred set that nothing else sizes")),
    ("DETECT_LAMBDAS", SOLVER),
    ("DISPROVER_MODE", SOLVER),
    ("DOUBLE_EVALUATION", SOLVER),
    ("ENUMERATE_INFINITE_TYPES", SOLVER),
    ("EXPAND_CLOSURES_FOR_STATE", SEARCH),
    ("EXPAND_FORALL_UPTO", SOLVER),
    ("FORGET_STATE_SPACE", SEARCH),
    ("IGNORE_HASH_COLLISIONS", fixed("FALSE", "states are compared as a whole")),
    ("IGNORE_PRJ_TYPES", fixed("FALSE", "`prj1(S,T)` and `prj2(S,T)` are defined on `S*T` only")),
    ("INVARIANT_CHECKING", fixed("TRUE", "`--no-invariant` leaves the invariant out")),
    ("JVM_PARSER_HEAP_MB", SEARCH),
    ("KODKOD", SOLVER),
    ("KODKOD_MAX_NR_SOLS", SOLVER),
    ("KODKOD_ONLY_FULL", SOLVER),
    ("KODKOD_RAISE_WARNINGS", SOLVER),
    ("KODKOD_SAT_SOLVER", SOLVER),
    ("KODKOD_SYMMETRY", SOLVER),
    ("LIFT_EXISTS", SOLVER),
    ("LTL_SAFETY_MODEL_CHECK", SEARCH),
    ("LTSMIN", SEARCH),
    ("MAXINT", honoured("value of MAXINT, and of the bound of values that nothing bounds")),
    ("MAX_DISPLAY_SET", DISPLAY),
    ("MAX_INITIALISATIONS", Effect::Cap),
    ("MAX_OPERATIONS", Effect::Cap),
    ("MC_DFS_BFS_MODE", SEARCH),
    ("MEMO", SOLVER),
    ("MEMOIZE_FUNCTIONS", SOLVER),
    ("MININT", honoured("value of MININT")),
    ("NUMBER_OF_ANIMATED_ABSTRACTIONS", OTHER),
    ("NUMBER_OF_SKIPPED_REFINEMENTS", OTHER),
    ("OPERATION_REUSE", SEARCH),
    ("OPTIMIZE_AST", SOLVER),
    ("PARTITION_PROPERTIES", SOLVER),
    ("PERFORMANCE_INFO", DISPLAY),
    ("PGE", SEARCH),
    ("POR", honoured("partial order reduction of `abridge check`, as `--por semantic` unless it is `off`")),
    ("PROB_SAFE_MODE", SEARCH),
    ("PROOF_INFO", SEARCH),
    ("RAISE_ABORT_IMMEDIATELY", SOLVER),
    ("RANDOMISE_ENUMERATION_ORDER", SEARCH),
    ("RANDOMISE_OPERATION_ORDER", SEARCH),
    ("REDUCE", honoured("reductions that the machine describes, as `--reduce`")),
    ("REMOVE_IMPLIED_CONSTRAINTS", SOLVER),
    ("REQUIRE_OUTPUT_ASSIGNMENT", fixed("FALSE", "an output that is not assigned has no value")),
    ("SAFETY_MODEL_CHECK", SEARCH),
    ("SAFE_MODE", SEARCH),
    ("SHOW_EVENTB_ANY_VALUES", honoured("the values of an outermost ANY are shown as parameters")),
    ("SMT", SOLVER),
    ("SMT_SUPPORTED_INTERPRETER", SOLVER),
    ("SOLVER_FOR_PROPERTIES", SOLVER),
    ("SOLVER_STRENGTH", SOLVER),
    ("STATIC_SYMMETRY_DETECTION", SEARCH),
    ("STORE_DETAILED_TRANSITION_INFOS", SEARCH),
    ("STRICT_RAISE_ENUM_WARNINGS", SOLVER),
    ("STRICT_RAISE_WARNINGS", DISPLAY),
    ("STRING_AS_SEQUENCE", fixed("TRUE", "`^`, `size`, `rev` and `conc` accept strings")),
    ("SYMBOLIC", honoured("lambda functions stay formulas instead of being enumerated")),
    (
        "SYMMETRY_MODE",
        honoured(
            "symmetry reduction of `abridge check`: `off`, `flood`, `nauty` (`--symmetry canon`) or `hash` (`marker --precise`)",
        ),
    ),
    ("TIME_OUT", honoured("milliseconds that one evaluation may take; 0 for no limit, which is the default")),
    ("TRACE_INFO", DISPLAY),
    ("TRACE_UPON_ERROR", DISPLAY),
    (
        "TREAT_OUTERMOST_PRE_AS_SELECT",
        fixed("TRUE", "the precondition of an operation that is a step decides whether the step exists"),
    ),
    (
        "TRY_FIND_ABORT",
        honoured(
            "conditions that are not well-defined are findings of `abridge check` (TRUE) or false (FALSE); without it, they are false while values are searched for",
        ),
    ),
    ("TYPE_CHECK_DEFINITIONS", fixed("FALSE", "definitions that nothing uses are not checked")),
    ("USE_CHR_SOLVER", SOLVER),
    ("USE_CLPFD_SOLVER", SOLVER),
    ("USE_COMMON_SUBEXPRESSION_ELIMINATION", SOLVER),
    ("USE_PO", SEARCH),
    ("USE_RECORD_CONSTRUCTION", SOLVER),
    ("USE_SCOPE_DEFINITION", honoured("FALSE: the definition SCOPE is not heeded")),
    ("USE_SMT_MODE", SOLVER),
    ("USE_STATIC_ORDERING", SOLVER),
    ("WARN_ABOUT_DEFINITIONS", DISPLAY),
    ("WARN_IF_ENUMERATION_EXCEEDS", DISPLAY),
];

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn rows_are_sorted_and_unique() {
        let is_before = |pair: &[(&str, _)]| pair[0].0 < pair[1].0;
        assert!(TABLE.windows(2).all(is_before), "{:?}", TABLE.windows(2).find(|pair| !is_before(pair)));
    }
}
