//! Automata in the Hanoi omega-automata format, version 1: [`hoa`].
//!
//! The format knows infinite words only. A path that ends is written as a word that goes on with letters in which the proposition `alive` is false, as
//! other tools for finite traces do; `alive` is true on all letters with a step. With [`HoaWords::Infinite`], finite paths are left out, and so is
//! `alive`.

use std::fmt::Write as _;

use crate::automaton::{Automaton, MarkSet};
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::formula::Atoms;

/// Words that an exported automaton is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HoaWords {
    /// Infinite paths only.
    Infinite,
    /// Also paths that end, by the proposition `alive`.
    All,
}

/// Conjunctions of literals that a guard is written as; longer ones do not help anybody.
const MAX_CUBES: usize = 1 << 16;

/// The text of an automaton. `name` is the formula it is for.
pub fn hoa(automaton: &Automaton, bdds: &LetterBdds, atoms: &Atoms, name: &str, words: HoaWords) -> String {
    let mut out = String::from("HOA: v1\n");
    let has_end = words == HoaWords::All;
    let n_states = automaton.states.len() + usize::from(has_end);
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut propositions: Vec<String> = atoms.iter().map(|(_, atom)| quoted(&atom.to_string())).collect();
    if has_end {
        propositions.push(quoted("alive"));
    }
    let alive = atoms.len();
    let _ = writeln!(out, "name: {}\nStates: {n_states}\nStart: {}", quoted(name), automaton.initial);
    let _ = writeln!(out, "AP: {} {}", propositions.len(), propositions.join(" "));
    let inf: Vec<String> = (0..automaton.n_marks).map(|mark| format!("Inf({mark})")).collect();
    match automaton.n_marks {
        0 => out.push_str("acc-name: all\nAcceptance: 0 t\n"),
        1 => out.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n"),
        n => _ = writeln!(out, "acc-name: generalized-Buchi {n}\nAcceptance: {n} {}", inf.join("&")),
    }
    out.push_str("properties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    let end = automaton.states.len();
    for (number, state) in automaton.states.iter().enumerate() {
        let _ = writeln!(out, "State: {number}");
        for edge in &state.edges {
            let guard = with_alive(label(edge.guard, bdds), has_end.then_some((alive, true)));
            let _ = writeln!(out, "[{guard}] {}{}", edge.target, marks(edge.marks));
        }
        if has_end && state.last != bdd::FALSE {
            let guard = with_alive(label(state.last, bdds), Some((alive, false)));
            let _ = writeln!(out, "[{guard}] {end}");
        }
    }
    if has_end {
        let _ = writeln!(out, "State: {end}\n[!{alive}] {end}{}", marks(MarkSet::all(automaton.n_marks)));
    }
    out.push_str("--END--\n");
    out
}

fn marks(marks: MarkSet) -> String {
    let numbers: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}

fn with_alive(label: String, alive: Option<(usize, bool)>) -> String {
    match alive {
        None => label,
        Some((var, value)) => {
            let literal = format!("{}{var}", if value { "" } else { "!" });
            if label == "t" { literal } else { format!("({label})&{literal}") }
        }
    }
}

/// A guard as a disjunction of conjunctions of numbered propositions.
pub(crate) fn label(guard: LetterBdd, bdds: &LetterBdds) -> String {
    match guard {
        bdd::TRUE => return "t".into(),
        bdd::FALSE => return "f".into(),
        _ => {}
    }
    let literal = |(var, value): &(u32, bool)| format!("{}{var}", if *value { "" } else { "!" });
    let cube = |cube: &Vec<(u32, bool)>| cube.iter().map(literal).collect::<Vec<_>>().join("&");
    bdds.cubes(guard, MAX_CUBES).iter().map(cube).collect::<Vec<_>>().join(" | ")
}
