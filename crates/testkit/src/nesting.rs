//! Machines that nest one construct deeply, and everything that can be done with a machine.
//!
//! [`cases`] has a case for each construct of the language; [`everything`] parses, types, prints, dumps, animates and checks it with every
//! evaluator and reduction. Whatever recurses over formulas, types or values without an eye on the stack dies of one of them. A case
//! that is refused, or that a limit ends, is fine.

use std::num::NonZero;
use std::path::Path;

use abridge_check::{
    Animation, Config, Method, Place as At, PorMode, SpaceView, check, evaluate, fingerprint, solve, space,
    state_graph, symmetry_of,
};
use abridge_diag::{FileId, RenderConfig, render, with_stack};
use abridge_eval::Env;
use abridge_explicit::{Explicit, judge};
use abridge_model::{Model, dump};
use abridge_model_system::ModelSystem as _;
use abridge_sema::{FormulaBody, FormulaRole, FormulaText, analyse_formulas};
use abridge_syntax::{PrintConfig, parse_file, print, same_tree};
use abridge_system::Properties;

use crate::Project;
use crate::nesting::Place::{Expression, Predicate, Statements, Substitution};

/// A machine in which something nests.
pub struct NestingCase {
    pub name: String,
    pub text: String,
    /// What nests, to be evaluated by itself.
    formula: Option<String>,
}

/// What a nested formula is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Expression,
    Predicate,
    Substitution,
    /// Substitutions in sequence, which need a block.
    Statements,
}

/// A name, what it is, what comes before each level, the innermost part, and what comes after each level. `nn` is an integer variable, `pp` one
/// of a deferred set.
type NestingRow = (&'static str, Place, &'static str, &'static str, &'static str);

const ROWS: &[NestingRow] = &[
    ("brackets", Expression, "(", "nn", ")"),
    ("minus", Expression, "-(", "nn", ")"),
    ("sum", Expression, "(nn + ", "nn", ")"),
    ("sum on the left", Expression, "", "nn", " + nn"),
    ("product", Expression, "(1 * ", "nn", ")"),
    ("power", Expression, "(1 ** ", "nn", ")"),
    ("quotient", Expression, "", "nn", " / 1"),
    ("modulo", Expression, "", "nn", " mod 2"),
    ("maximum", Expression, "max({", "nn", "})"),
    ("interval", Expression, "min(", "nn", " .. 3)"),
    ("cardinality", Expression, "card({", "nn", "})"),
    ("pair on the right", Expression, "(pp |-> ", "pp", ")"),
    ("pair on the left", Expression, "", "pp", " |-> pp"),
    ("singleton", Expression, "{", "pp", "}"),
    ("two elements", Expression, "{{},", "{pp}", "}"),
    ("sequence", Expression, "[", "pp", "]"),
    ("record", Expression, "rec(aa : ", "pp", ")"),
    ("record of two", Expression, "rec(aa : pp, bb : ", "pp", ")"),
    ("field", Expression, "rec(aa : ", "nn", ")'aa"),
    ("freetype", Expression, "cons(pp |-> ", "nil", ")"),
    ("union", Expression, "({nn} \\/ ", "{nn}", ")"),
    ("union on the left", Expression, "", "{nn}", " \\/ {nn}"),
    ("intersection", Expression, "({nn} /\\ ", "{nn}", ")"),
    ("difference", Expression, "({nn} - ", "{nn}", ")"),
    ("product of sets", Expression, "", "{pp}", " * {pp}"),
    ("product of sets on the right", Expression, "({pp} * ", "{pp}", ")"),
    ("generalised union", Expression, "union({", "{nn}", "})"),
    ("generalised intersection", Expression, "inter({", "{nn}", "})"),
    ("power set", Expression, "POW(", "{pp}", ")"),
    ("finite subsets", Expression, "FIN1(", "NATURAL", ")"),
    ("sequences", Expression, "seq(", "SS", ")"),
    ("injective sequences", Expression, "iseq1(", "SS", ")"),
    ("permutations", Expression, "perm(", "{pp}", ")"),
    ("functions", Expression, "({pp} --> ", "{pp}", ")"),
    ("relations", Expression, "({pp} <-> ", "{pp}", ")"),
    ("infinite functions", Expression, "(NATURAL +-> ", "NATURAL", ")"),
    ("records", Expression, "struct(aa : ", "SS", ")"),
    ("domain", Expression, "dom({", "{nn}", "} * {nn})"),
    ("range of an inverse", Expression, "ran({", "nn", " |-> nn}~)"),
    ("inverse", Expression, "(", "{nn |-> nn}", "~)"),
    ("identity", Expression, "id(", "{pp}", ")"),
    ("composition", Expression, "({1 |-> 1} ; ", "{1 |-> nn}", ")"),
    ("override", Expression, "({1 |-> nn} <+ ", "{1 |-> nn}", ")"),
    ("override on the left", Expression, "", "{1 |-> nn}", " <+ {1 |-> nn}"),
    ("domain restriction", Expression, "({nn} <| ", "{nn |-> nn}", ")"),
    ("range subtraction", Expression, "(", "{nn |-> nn}", " |>> {5})"),
    ("direct product", Expression, "dom((", "{nn |-> nn}", " >< {nn |-> nn})~)"),
    ("parallel product", Expression, "({1 |-> 1} || ", "{1 |-> 1}", ")"),
    ("image", Expression, "{0 |-> 0, 1 |-> 1}[", "{nn}", "]"),
    ("application", Expression, "{0 |-> 0, 1 |-> 1}(", "nn", ")"),
    ("sequence and application", Expression, "[", "nn", "](1)"),
    ("closure", Expression, "closure1(", "{nn |-> nn}", ")"),
    ("iterate", Expression, "iterate(", "{nn |-> nn}", ", 1)"),
    ("projection", Expression, "prj1(INTEGER, INTEGER)(", "nn", " |-> 1)"),
    ("function of a relation", Expression, "rel(fnc(", "{nn |-> nn}", "))"),
    ("concatenation", Expression, "([nn] ^ ", "[nn]", ")"),
    ("general concatenation", Expression, "conc([", "[nn]", "])"),
    ("reverse", Expression, "rev(", "[nn]", ")"),
    ("prepend", Expression, "(nn -> ", "[nn]", ")"),
    ("append", Expression, "", "[nn]", " <- nn"),
    ("take", Expression, "(", "[nn]", " /|\\ 1)"),
    ("strings", Expression, "(\"\" ^ ", "\"a\"", ")"),
    ("reals", Expression, "(0.5 + ", "real(nn)", ")"),
    ("floor", Expression, "real(floor(", "real(nn)", "))"),
    ("truth", Expression, "bool(TRUE = ", "bool(nn = 1)", ")"),
    ("conditional", Expression, "IF nn = 1 THEN 2 ELSE ", "nn", " END"),
    ("conditional, true", Expression, "IF nn >= 0 THEN ", "nn", " ELSE 2 END"),
    ("condition", Expression, "IF nn = ", "nn", " THEN 1 ELSE 0 END"),
    ("let", Expression, "LET xx BE xx = nn IN ", "nn", " END"),
    ("let of a let", Expression, "LET xx BE xx = (", "nn", ") IN xx END"),
    ("sum over a set", Expression, "SIGMA(xx).(xx : {1} | ", "nn", ")"),
    ("sum that is read", Expression, "SIGMA(xx).(xx : {", "nn", "} | xx)"),
    ("product over a set", Expression, "PI(xx).(xx : {nn} | ", "nn", ")"),
    ("union over a set", Expression, "UNION(xx).(xx : {nn} | ", "{nn}", ")"),
    ("intersection over a set", Expression, "INTER(xx).(xx : {nn} | ", "{nn}", ")"),
    ("lambda", Expression, "%xx.(xx : {pp} | ", "pp", ")"),
    ("lambda and application", Expression, "(%xx.(xx : {1} | ", "nn", "))(1)"),
    ("infinite lambda", Expression, "(%xx.(xx : INTEGER | ", "nn", "))(1)"),
    ("comprehension", Expression, "{xx | xx = ", "pp", "}"),
    ("comprehension inside", Expression, "{xx | xx : ", "{nn}", " & xx : 0 .. 1}"),
    ("infinite comprehension", Expression, "{xx | xx : INTEGER & xx /: ", "{nn}", "}"),
    ("tree", Expression, "const(pp, [", "const(pp, [])", "])"),
    ("not", Predicate, "not(", "nn = 1", ")"),
    ("and", Predicate, "(nn = 1 & ", "nn = 1", ")"),
    ("or", Predicate, "(nn = 1 or ", "nn = 1", ")"),
    ("and or", Predicate, "(nn = 1 or (nn = 0 & ", "nn = 0", "))"),
    ("implication", Predicate, "(nn = 0 => ", "nn = 1", ")"),
    ("implication on the left", Predicate, "(", "nn = 1", " => nn = 0)"),
    ("equivalence", Predicate, "(nn = 0 <=> ", "nn = 1", ")"),
    ("for all", Predicate, "!xx.(xx : {nn} => ", "nn = 1", ")"),
    ("for all of elements", Predicate, "!xx.(xx : {pp} => ", "pp : SS", ")"),
    ("exists", Predicate, "#xx.(xx : {nn} & ", "nn = 1", ")"),
    ("exists of integers", Predicate, "#xx.(xx = nn & ", "nn = 1", ")"),
    ("exists before", Predicate, "#xx.(", "nn = 1", " & xx : {nn})"),
    ("let of predicates", Predicate, "LET xx BE xx = nn IN ", "nn = 1", " END"),
    ("conditional predicate", Predicate, "IF nn = 1 THEN nn = 0 ELSE ", "nn = 1", " END"),
    ("condition of a predicate", Predicate, "bool(", "nn = 1", ") = TRUE"),
    ("member of a comprehension", Predicate, "nn : {xx | xx : 0 .. 1 & ", "nn = 1", "}"),
    ("subset", Predicate, "{xx | xx : 0 .. 1 & ", "nn = 1", "} <: {nn}"),
    ("begin", Substitution, "BEGIN ", "nn := 1 - nn", " END"),
    ("if", Substitution, "IF nn >= 0 THEN ", "nn := 1 - nn", " END"),
    ("else", Substitution, "IF nn < 0 THEN skip ELSE ", "nn := 1 - nn", " END"),
    ("select", Substitution, "SELECT nn >= 0 THEN ", "nn := 1 - nn", " END"),
    ("select else", Substitution, "SELECT nn < 0 THEN skip ELSE ", "nn := 1 - nn", " END"),
    ("pre", Substitution, "PRE nn >= 0 THEN ", "nn := 1 - nn", " END"),
    ("assert", Substitution, "ASSERT nn >= 0 THEN ", "nn := 1 - nn", " END"),
    ("choice", Substitution, "CHOICE nn := nn OR ", "nn := 1 - nn", " END"),
    ("any", Substitution, "ANY xx WHERE xx = nn THEN ", "nn := 1 - nn", " END"),
    ("any of a carrier", Substitution, "ANY xx WHERE xx : SS & xx = pp THEN ", "nn := 1 - nn", " END"),
    ("let of substitutions", Substitution, "LET xx BE xx = nn IN ", "nn := 1 - nn", " END"),
    ("var", Substitution, "VAR xx IN xx := nn; ", "nn := 1 - nn", " END"),
    ("case", Substitution, "CASE nn OF EITHER 5 THEN skip ELSE ", "nn := 1 - nn", " END END"),
    ("while", Substitution, "WHILE nn = 0 DO ", "nn := 1", " INVARIANT nn : 0 .. 1 VARIANT 1 - nn END"),
    ("sequence of statements", Statements, "nn := nn; ", "nn := 1 - nn", ""),
    ("sequence in blocks", Substitution, "BEGIN nn := nn; ", "nn := 1 - nn", " END"),
    ("sequence with choices", Statements, "nn :: {nn}; ", "nn := 1 - nn", ""),
    ("parallel", Substitution, "skip || ", "nn := 1 - nn", ""),
    ("parallel blocks", Substitution, "BEGIN skip || ", "nn := 1 - nn", " END"),
];

/// Depths beyond which something takes long: values that are large, or many ways to do without.
const SLOW: &[(&str, usize)] = &[
    ("identity", 12),
    ("cardinality", 60),
    ("product of sets", 12),
    ("product of sets on the right", 12),
    ("lambda", 12),
    ("tree", 100),
    ("append", 300),
    ("prepend", 300),
    ("concatenation", 300),
    ("sum", 600),
    ("sum on the left", 600),
    ("select else", 600),
    // A value is hashed and compared with everything inside at every level that makes one.
    ("freetype", 1_000),
    ("records", 3_000),
    ("comprehension", 3_000),
    ("parallel product", 3_000),
];

/// Machines that nest things as deep as `depth`.
pub fn cases(depth: usize) -> Vec<NestingCase> {
    let mut cases = formulas(depth);
    cases.extend(substitutions(depth));
    cases.extend(chains(depth / 5));
    cases.extend(loops(depth));
    cases
}

/// Machines with nested expressions and predicates.
pub fn formulas(depth: usize) -> Vec<NestingCase> {
    rows(depth, |place| matches!(place, Expression | Predicate))
}

/// Machines with nested substitutions.
pub fn substitutions(depth: usize) -> Vec<NestingCase> {
    rows(depth, |place| matches!(place, Substitution | Statements))
}

fn rows(depth: usize, is_meant: impl Fn(Place) -> bool) -> Vec<NestingCase> {
    let bound = |name: &str| SLOW.iter().find(|(slow, _)| *slow == name).map_or(depth, |(_, most)| depth.min(*most));
    let rows = ROWS.iter().filter(|(_, place, ..)| is_meant(*place));
    rows.map(|row| nested(row, bound(row.0))).collect()
}

fn nested((name, place, before, innermost, after): &NestingRow, depth: usize) -> NestingCase {
    let formula = format!("{}{innermost}{}", before.repeat(depth), after.repeat(depth));
    let text = match place {
        Expression => machine(
            "vv = {f} or nn = nn",
            "vv := {f}",
            "step = SELECT vv = {f} THEN nn := 1 - nn || vv := {f} END",
            &formula,
        ),
        Predicate => machine("{f} or nn = nn", "vv := 0", "step = SELECT {f} THEN nn := 1 - nn END", &formula),
        Substitution => machine("nn = nn", "vv := 0; {f}", "step = {f}", &formula),
        Statements => machine("nn = nn", "vv := 0; {f}", "step = BEGIN {f} END", &formula),
    };
    let formula = matches!(place, Expression | Predicate).then_some(formula);
    NestingCase { name: (*name).to_owned(), text, formula }
}

/// A machine with a formula in the place of each `{f}`.
fn machine(invariant: &str, initialisation: &str, operation: &str, formula: &str) -> String {
    let text = format!(
        "MACHINE M SETS SS FREETYPES LL = nil, cons(SS * LL) VARIABLES nn, pp, vv
        INVARIANT nn : 0 .. 1 & pp : SS & ({invariant})
        INITIALISATION BEGIN nn := 0; pp :: SS; {initialisation} END
        OPERATIONS {operation};
        move = ANY qq WHERE qq : SS & qq /= pp THEN pp := qq END END"
    );
    text.replace("{f}", formula)
}

/// Many small things that make something deep together: definitions, alternatives, equations.
pub fn chains(depth: usize) -> Vec<NestingCase> {
    let many = |row: &dyn Fn(usize) -> String, between: &str| (1..=depth).map(row).collect::<Vec<_>>().join(between);
    let case = |name: &str, text: String| NestingCase { name: name.to_owned(), text, formula: None };
    let elsif = many(&|idx| format!("ELSIF nn = {} THEN skip", idx + 5), " ");
    let when = many(&|idx| format!("WHEN nn = {} THEN skip", idx + 5), " ");
    let or = many(&|idx| format!("OR {} THEN skip", idx + 5), " ");
    vec![
        case(
            "definitions",
            format!(
                "MACHINE M DEFINITIONS d0 == nn; {} VARIABLES nn INVARIANT d{depth} >= 0 INITIALISATION nn := 0
                OPERATIONS step = SELECT d{depth} >= 0 THEN nn := 1 - nn END END",
                many(&|idx| format!("d{idx} == -(d{})", idx - 1), "; ")
            ),
        ),
        case("elsif", machine("nn = nn", "vv := 0", "step = IF nn = 5 THEN skip {f} ELSE nn := 1 - nn END", &elsif)),
        case("when", machine("nn = nn", "vv := 0", "step = SELECT nn = 5 THEN skip {f} ELSE nn := 1 - nn END", &when)),
        case(
            "alternatives",
            machine("nn = nn", "vv := 0", "step = CASE nn OF EITHER 5 THEN skip {f} ELSE nn := 1 END END", &or),
        ),
        case(
            "types by equations",
            format!(
                "MACHINE M CONSTANTS c0, {} PROPERTIES {} & c{depth} : 0 .. 1 END",
                many(&|idx| format!("c{idx}"), ", "),
                many(&|idx| format!("c{} = {{c{idx}}}", idx - 1), " & ")
            ),
        ),
        case(
            "constants by equations",
            format!(
                "MACHINE M CONSTANTS c0, {} PROPERTIES {} & c{depth} : 0 .. 1 END",
                many(&|idx| format!("c{idx}"), ", "),
                many(&|idx| format!("c{} = c{idx} + 1", idx - 1), " & ")
            ),
        ),
        case(
            "identifiers of a tuple",
            machine("nn = nn", "vv := 0", "step = SELECT {f} THEN nn := 1 - nn END", &{
                let names = many(&|idx| format!("x{idx}"), ", ");
                format!("card({{{names} | {}}}) = 1", many(&|idx| format!("x{idx} = pp"), " & "))
            }),
        ),
    ]
}

/// Values that a loop makes deep.
pub fn loops(n_rounds: usize) -> Vec<NestingCase> {
    let case = |name: &str, first: &str, next: &str, look: &str| {
        let text = format!(
            "MACHINE M SETS SS FREETYPES LL = nil, cons(SS * LL) VARIABLES nn, pp, vv
            INVARIANT nn : 0 .. 1 & pp : SS & ({look} or nn = nn)
            INITIALISATION BEGIN nn := 0; pp :: SS; vv := {first} END
            OPERATIONS step = VAR ii, ww IN ii := 0; ww := {first};
                WHILE ii < {n_rounds} DO ww := {next}; ii := ii + 1 INVARIANT 0 = 0 VARIANT {n_rounds} - ii END;
                vv := ww; nn := 1 - nn END;
            look = SELECT {look} THEN nn := 0 END;
            again = SELECT vv = {first} THEN nn := 0 END;
            move = ANY qq WHERE qq : SS & qq /= pp THEN pp := qq END END"
        );
        NestingCase { name: name.to_owned(), text, formula: None }
    };
    vec![
        case("freetype of a loop", "nil", "cons(pp |-> ww)", "vv = nil"),
        case("closures of a loop", "%xx.(xx : INTEGER | xx)", "%xx.(xx : INTEGER | ww(xx) + 1)", "vv(1) = 1"),
        case(
            "closures in pairs",
            "(%xx.(xx : INTEGER | xx)) |-> 1",
            "%xx.(xx : INTEGER | (prj1(INTEGER <-> INTEGER, INTEGER)(ww))(xx)) |-> 1",
            "prj2(INTEGER <-> INTEGER, INTEGER)(vv) = 1",
        ),
        case("sets of a loop", "{xx | xx : INTEGER & xx > 5}", "{xx | xx : INTEGER & xx : ww}", "7 : vv"),
        case("unions of a loop", "{xx | xx : INTEGER & xx > 5}", "ww \\/ {xx | xx : INTEGER & xx < ii}", "7 : vv"),
        case("overrides of a loop", "%xx.(xx : INTEGER | xx)", "ww <+ %xx.(xx : INTEGER & xx > ii | xx)", "vv(1) = 1"),
        case("compositions of a loop", "succ", "(ww ; succ)", "vv(1) = 1"),
        case("inverses of a loop", "%xx.(xx : INTEGER | xx + 1)", "ww~", "vv(1) = 1"),
        case("sequence of a loop", "[pp]", "ww <- pp", "vv(1) = pp"),
    ]
}

/// Steps of evaluation until a formula is given up.
const MAX_FUEL: u64 = 200_000;
const MAX_STATES: u64 = 6;
const MAX_SHOWN: usize = 3;

/// Does everything with a machine; `told` hears what comes next. False if the machine is refused.
pub fn everything(case: &NestingCase, mut told: impl FnMut(&str)) -> bool {
    told("typecheck");
    let project = Project::new(&[("M.mch", &case.text)]);
    let analysis = project.analyse();
    for diagnostic in analysis.diagnostics.iter().take(MAX_SHOWN) {
        let _ = render(&analysis.sources, diagnostic, RenderConfig::default());
    }
    told("fmt");
    for tree in &analysis.trees {
        let printed = print(tree, PrintConfig::default());
        let again = parse_file(FileId(0), &printed).0;
        assert!(analysis.has_errors() || same_tree(tree, &again), "printed text is another tree");
    }
    let Some(model) = &analysis.model else {
        assert!(analysis.has_errors(), "there is no model, and nothing says why");
        return false;
    };
    told("show");
    let _ = dump::dump(model);
    let _ = symmetry_of(model, PROPERTIES, &[], &[]);
    for (name, config) in ways() {
        told(name);
        let _ = fingerprint(model, std::iter::empty(), &config);
        let _ = check(model, &config, &mut ());
    }
    told("animate");
    with_stack(|| animate(model));
    told("graph");
    let _ = space(model, &limited(), SpaceView::Quotient, MAX_SHOWN);
    let _ = state_graph(model, &limited(), 1, &mut ());
    if let Some(formula) = &case.formula {
        told("eval");
        with_stack(|| calculate(formula));
    }
    true
}

const PROPERTIES: Properties = Properties { invariant: true, assertions: true, goal: true, propositions: true };

fn limited() -> Config {
    let mut config = Config { max_states: Some(MAX_STATES), ..Config::default() };
    config.eval.fuel = MAX_FUEL;
    config
}

fn ways() -> Vec<(&'static str, Config)> {
    let mut plain = limited();
    (plain.system.compiled, plain.system.memo) = (false, false);
    let two = NonZero::new(2).unwrap_or(NonZero::<usize>::MIN);
    vec![
        ("plain", plain),
        ("compiled", limited()),
        ("two workers", Config { workers: two, find_all: true, ..limited() }),
        ("symmetry", Config { symmetry: Method::Auto, ..limited() }),
        ("canonical graphs", Config { symmetry: Method::Canon, ..limited() }),
        ("flooding", Config { symmetry: Method::Flood, ..limited() }),
        ("markers", Config { symmetry: Method::Marker { is_precise: true }, ..limited() }),
        ("partial order", Config { por: PorMode::Semantic, ..limited() }),
    ]
}

fn system(model: &Model) -> Explicit<'_> {
    let config = limited();
    Explicit::new(judge(model, config.eval), config.system)
}

fn animate(model: &Model) {
    let system = system(model);
    let mut animation = Animation::new(&system, MAX_SHOWN);
    for _ in 0..MAX_SHOWN {
        animation.take(0);
    }
    let _ = animation.trace();
}

/// Evaluates a formula in a state of a machine that does without it.
fn calculate(formula: &str) {
    let project = Project::new(&[("M.mch", &machine("nn = nn", "vv := 0", "step = skip", ""))]);
    let text = FormulaText { source: "<formula>".to_owned(), text: formula.to_owned(), role: FormulaRole::Any };
    let analysis = analyse_formulas(&project, Some(Path::new("M.mch")), &[text], &project.options);
    let (Some(model), Some(formula)) = (&analysis.model, analysis.formulas.first()) else { return };
    let system = system(model);
    let mut animation = Animation::new(&system, MAX_SHOWN);
    animation.take(0);
    let place = At::of_words(&system, animation.state());
    let env = place.state().map_or_else(Env::empty, Env::new);
    let _ = match formula.body {
        FormulaBody::Pred(pred) => solve(system.judge(), &formula.free, pred, &env, MAX_SHOWN),
        FormulaBody::Expr(expr) => evaluate(system.judge(), expr, &env),
    };
}
