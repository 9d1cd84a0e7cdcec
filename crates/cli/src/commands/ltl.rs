//! `abridge ltl`: a formula as the checker sees it, without a machine.
//!
//! The class says what a search for violations has to do, stutter invariance whether partial order reduction may help, and the automaton is the
//! one that the theory is about. Atoms stay text, so a formula with an unknown operation has an automaton like any other.

use std::fmt::Write as _;

use abridge_diag::{Diagnostic, SourceMap, visible};
use abridge_temporal::automaton::{Automaton, MarkSet};
use abridge_temporal::bdd::{self, LetterBdd, LetterBdds};
use abridge_temporal::formula::{Atoms, Ltl, LtlNode, TextRange, UnaryTemporal};
use abridge_temporal::{
    Budget, Class, ExpandError, ExpandedFormula, FairnessConstraint, GaveUp, HoaWords, LinearProperty, NoDomain,
    TemporalText, dot, expand, guard_texts, hoa, parse_ltl, satisfaction,
};
use clap::Args;
use serde_json::{Value, json};

use crate::commands::{complain, print_json};
use crate::exit::Exit;
use crate::out::out;
use crate::report::{count, json_diagnostics};
use abridge_draw::{Drawing, DrawnEdge, DrawnNode};

#[derive(Args)]
pub(crate) struct LtlOptions {
    /// LTL formula
    #[arg(allow_hyphen_values = true)]
    formula: String,
    /// Automaton of the paths that violate the formula, which a checker looks for
    #[arg(long)]
    violations: bool,
    /// Print the automaton in the Hanoi omega-automata format
    #[arg(long, group = "format")]
    hoa: bool,
    /// Print the automaton as a graph in DOT
    #[arg(long, group = "format")]
    dot: bool,
    /// Print the automaton as an SVG drawing
    #[arg(long, group = "format")]
    svg: bool,
}

/// A formula with its automaton.
struct ShownFormula {
    /// The formula that the automaton is for.
    name: String,
    atoms: Atoms,
    premises: Vec<Vec<FairnessConstraint>>,
    class: Class,
    is_stutter_invariant: bool,
    bdds: LetterBdds,
    automaton: Automaton,
    is_deterministic: bool,
}

pub(crate) fn run(options: &LtlOptions, json: bool) -> Exit {
    let text = options.formula.as_str();
    let mut sources = SourceMap::new();
    let file = sources.add("<formula>", text);
    let source = TemporalText { file, base: 0, text };
    let (ltl, mut diagnostics) = parse_ltl(source);
    let expanded = ltl.and_then(|ltl| match expand(&ltl, &mut NoDomain) {
        Ok(expanded) => Some((ltl, expanded)),
        Err(error) => {
            diagnostics.push(cannot_expand(&error, source));
            None
        }
    });
    let Some((ltl, expanded)) = expanded else {
        return fail(json, text, &sources, &diagnostics, Exit::WrongModel);
    };
    let shown = match shown(&ltl, expanded, options.violations) {
        Ok(shown) => shown,
        Err(_) => {
            let place = TextRange { start: 0, end: text.len() as u32 };
            let message = "the automaton of the formula is too large";
            diagnostics.push(Diagnostic::error("temporal-formula", message).at(source.span(place)));
            return fail(json, text, &sources, &diagnostics, Exit::Incomplete);
        }
    };
    let ShownFormula { name, atoms, bdds, automaton, .. } = &shown;
    if json {
        let mut value = shown_json(&shown);
        value["formula"] = json!(text);
        value["diagnostics"] = json!(json_diagnostics(&sources, &diagnostics));
        print_json(&value);
        return Exit::Ok;
    }
    complain(&sources, &diagnostics);
    if options.hoa {
        out!("{}", visible(&hoa(automaton, bdds, atoms, name, HoaWords::All)));
    } else if options.dot {
        out!("{}", visible(&dot(automaton, bdds, atoms, name)));
    } else if options.svg {
        out!("{}", drawing(&shown).svg());
    } else {
        out!("{}", visible(&table(&shown)));
    }
    Exit::Ok
}

fn fail(json: bool, text: &str, sources: &SourceMap, diagnostics: &[Diagnostic], exit: Exit) -> Exit {
    if json {
        print_json(&json!({ "formula": text, "diagnostics": json_diagnostics(sources, diagnostics) }));
    } else {
        complain(sources, diagnostics);
    }
    exit
}

fn cannot_expand(error: &ExpandError, source: TemporalText<'_>) -> Diagnostic {
    let (message, place) = match error {
        ExpandError::NoValues(name, place) => {
            (format!("the values of `{name}` are known with a machine only: abridge check FILE --ltl .."), *place)
        }
        ExpandError::NoInstances(place) => {
            ("`WEF` and `SEF` may stand only before the first `=>` of the whole formula".to_owned(), *place)
        }
        ExpandError::TooLarge(place) => ("the formula becomes too large".to_owned(), *place),
    };
    Diagnostic::error("temporal-formula", message).at(source.span(place))
}

fn shown(ltl: &Ltl, expanded: ExpandedFormula, of_violations: bool) -> Result<ShownFormula, GaveUp> {
    let budget = Budget::default();
    let LinearProperty { class, is_stutter_invariant, .. } = LinearProperty::new(&expanded, &budget)?;
    let mut expanded = expanded;
    let mut name = ltl.to_string();
    if of_violations {
        let formula = &mut expanded.formula;
        let (root, place) = (formula.root(), formula.place(formula.root()));
        formula.push(LtlNode::Unary(UnaryTemporal::Not, root), place);
        name = formula.to_string();
    }
    let (mut bdds, automaton) = satisfaction(&expanded, &budget)?;
    let is_deterministic = automaton.is_deterministic(&mut bdds);
    let ExpandedFormula { formula, premises } = expanded;
    Ok(ShownFormula {
        name,
        atoms: formula.atoms,
        premises,
        class,
        is_stutter_invariant,
        bdds,
        automaton,
        is_deterministic,
    })
}

/// What a search for a violation of such a formula has to find.
fn task(class: Class) -> &'static str {
    match class {
        Class::Safety => "a violation shows after finitely many steps",
        Class::Guarantee => "satisfaction shows after finitely many steps",
        Class::Obligation => "a combination of safety and guarantee",
        Class::Weak => "a violation is a loop in an accepting component",
        Class::General => "a violation is a loop with all marks",
    }
}

/// Premises as written: alternatives joined by `or`.
fn premises_text(shown: &ShownFormula) -> Option<String> {
    let alternative =
        |all: &Vec<FairnessConstraint>| all.iter().map(|one| one.text(&shown.atoms)).collect::<Vec<_>>().join(" & ");
    let text = shown.premises.iter().map(alternative).collect::<Vec<_>>().join(" or ");
    (!text.is_empty()).then_some(text)
}

fn yes(truth: bool) -> &'static str {
    if truth { "yes" } else { "no" }
}

fn marks_text(marks: MarkSet) -> String {
    marks.iter().map(|mark| format!("({mark})")).collect::<Vec<_>>().join(" ")
}

fn table(shown: &ShownFormula) -> String {
    let ShownFormula { automaton, .. } = shown;
    let mut text = format!("{}\n", shown.name);
    let _ = writeln!(text, "class              {} ({})", shown.class.name(), task(shown.class));
    let _ = writeln!(text, "stutter-invariant  {}", yes(shown.is_stutter_invariant));
    if let Some(premises) = premises_text(shown) {
        let _ = writeln!(text, "fairness           {premises}");
    }
    let sizes =
        [(automaton.states.len(), "state"), (automaton.n_edges(), "edge"), (automaton.n_marks as usize, "mark")];
    let sizes = sizes.map(|(n, noun)| count(n, noun)).join(", ");
    let kind = if shown.is_deterministic { "deterministic" } else { "nondeterministic" };
    let _ = writeln!(text, "automaton          {sizes}; {kind}; starts in {}\n", automaton.initial);
    let mut rows = vec![["state", "to", "marks", "if"].map(str::to_owned)];
    let mut add = |source: usize, target: &str, marks: MarkSet, guard: LetterBdd| {
        for (line, condition) in guard_texts(guard, &shown.bdds, &shown.atoms).into_iter().enumerate() {
            rows.push(match line {
                0 => [source.to_string(), target.to_owned(), marks_text(marks), condition],
                _ => [String::new(), String::new(), String::new(), format!("or {condition}")],
            });
        }
    };
    for (number, state) in automaton.states.iter().enumerate() {
        for edge in &state.edges {
            add(number, &edge.target.to_string(), edge.marks, edge.guard);
        }
        if state.last != bdd::FALSE {
            add(number, "end", MarkSet::default(), state.last);
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for [source, target, marks, condition] in &rows {
        let _ = writeln!(text, "{source:0$}  {target:1$}  {marks:2$}  {condition}", widths[0], widths[1], widths[2]);
    }
    text
}

fn drawing(shown: &ShownFormula) -> Drawing {
    let ShownFormula { automaton, bdds, atoms, .. } = shown;
    let mut rows: Vec<Option<u32>> = vec![None; automaton.states.len()];
    rows[automaton.initial as usize] = Some(1);
    let mut queue = vec![automaton.initial];
    let mut at = 0;
    while let Some(source) = queue.get(at).copied() {
        at += 1;
        for edge in &automaton.states[source as usize].edges {
            if rows[edge.target as usize].is_none() {
                rows[edge.target as usize] = rows[source as usize].map(|row| row + 1);
                queue.push(edge.target);
            }
        }
    }
    let mut drawing = Drawing::default();
    // The first node is where the automaton starts.
    drawing.nodes.push(DrawnNode { lines: vec![shown.name.clone()], ..DrawnNode::default() });
    let mut edge = |from: usize, to: usize, label: String| {
        drawing.edges.push(DrawnEdge { from, to, label, is_dashed: false });
    };
    edge(0, automaton.initial as usize + 1, String::new());
    for (number, state) in automaton.states.iter().enumerate() {
        for step in &state.edges {
            for condition in guard_texts(step.guard, bdds, atoms) {
                let label = format!("{condition} {}", marks_text(step.marks));
                edge(number + 1, step.target as usize + 1, label.trim_end().to_owned());
            }
        }
    }
    for (number, state) in automaton.states.iter().enumerate() {
        let mut lines = vec![number.to_string()];
        match state.last {
            bdd::FALSE => {}
            bdd::TRUE => lines.push("may end".to_owned()),
            last => lines.extend(guard_texts(last, bdds, atoms).iter().map(|text| format!("may end if {text}"))),
        }
        let row = rows[number].unwrap_or(1);
        drawing.nodes.push(DrawnNode { lines, row, is_round: true, ..DrawnNode::default() });
    }
    drawing
}

fn shown_json(shown: &ShownFormula) -> Value {
    let guard = |guard: LetterBdd| match guard {
        bdd::FALSE => Vec::new(),
        guard => guard_texts(guard, &shown.bdds, &shown.atoms),
    };
    let states = shown.automaton.states.iter().map(|state| {
        let edges = state.edges.iter().map(|edge| {
            json!({
                "to": edge.target,
                "guard": guard(edge.guard),
                "marks": edge.marks.iter().collect::<Vec<u32>>(),
            })
        });
        json!({ "edges": edges.collect::<Vec<Value>>(), "last": guard(state.last) })
    });
    json!({
        "class": shown.class.name(),
        "is_stutter_invariant": shown.is_stutter_invariant,
        "fairness": premises_text(shown),
        "atoms": shown.atoms.iter().map(|(_, atom)| atom.to_string()).collect::<Vec<String>>(),
        "automaton": {
            "formula": shown.name,
            "initial": shown.automaton.initial,
            "n_marks": shown.automaton.n_marks,
            "is_deterministic": shown.is_deterministic,
            "states": states.collect::<Vec<Value>>(),
        },
    })
}
