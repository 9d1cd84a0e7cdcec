//! Automata as graphs for Graphviz: [`dot`]; guards as texts: [`guard_texts`].
//!
//! Edges carry their guards, written with the atoms of the formula, and their marks. A state that accepts the end of a path has a second line that says for which last letters.

use std::fmt::Write as _;

use crate::automaton::Automaton;
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::formula::{AtomId, Atoms};

/// Guards with more conjunctions are cut.
const MAX_CUBES: usize = 20;

/// The text of a graph. `name` is the formula it is for.
pub fn dot(automaton: &Automaton, bdds: &LetterBdds, atoms: &Atoms, name: &str) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
    let mut out = format!("digraph automaton {{\n  label={}; rankdir=LR;\n  node [shape=circle];\n", quoted(name));
    let _ = writeln!(out, "  start [shape=point];\n  start -> {};", automaton.initial);
    for (number, state) in automaton.states.iter().enumerate() {
        let label = match state.last {
            bdd::FALSE => number.to_string(),
            bdd::TRUE => format!("{number}\nmay end"),
            last => format!("{number}\nmay end if {}", guard(last, bdds, atoms)),
        };
        let _ = writeln!(out, "  {number} [label={}];", quoted(&label));
        for edge in &state.edges {
            let marks: String = edge.marks.iter().map(|mark| format!(" ({mark})")).collect();
            let label = format!("{}{marks}", guard(edge.guard, bdds, atoms));
            let _ = writeln!(out, "  {number} -> {} [label={}];", edge.target, quoted(&label));
        }
    }
    out.push_str("}\n");
    out
}

fn guard(guard: LetterBdd, bdds: &LetterBdds, atoms: &Atoms) -> String {
    guard_texts(guard, bdds, atoms).join("\nor ")
}

/// A guard that is not false, as conjunctions of literals; one of them holds. The last one is `..` if there are too many.
pub fn guard_texts(guard: LetterBdd, bdds: &LetterBdds, atoms: &Atoms) -> Vec<String> {
    if guard == bdd::TRUE {
        return vec!["true".into()];
    }
    let literal = |(var, value): &(u32, bool)| {
        let atom = atoms.get(AtomId(*var));
        if *value { atom.to_string() } else { format!("not {atom}") }
    };
    let cubes = bdds.cubes(guard, MAX_CUBES + 1);
    let mut texts: Vec<String> =
        cubes.iter().take(MAX_CUBES).map(|cube| cube.iter().map(literal).collect::<Vec<_>>().join(" & ")).collect();
    if cubes.len() > MAX_CUBES {
        texts.push("..".into());
    }
    texts
}
