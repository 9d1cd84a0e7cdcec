//! Random pairs of machines, one of which may refine the other.
//!
//! The abstraction is a small machine of guarded commands over a deferred set. The refinement says the same about variables of its own,
//! glued to those of the abstraction, and then is changed in a few places: guards come and go, choices are made, outputs and new
//! values differ, operations appear and vanish. So some pairs refine, some nearly do, and what goes wrong goes wrong deep inside
//! a run. Machines that never refine would test one answer only. Some pairs have formulas that have no value in some states.

use std::fmt::Write as _;

use crate::Random;

/// The texts of two machines, `Abs.mch` and `Con.ref`.
pub struct PairText {
    pub abstraction: String,
    pub refinement: String,
    /// New operations are taken to do nothing in the abstraction.
    pub new_is_skip: bool,
}

/// A random pair.
pub fn pair(random: &mut Random) -> PairText {
    let is_partial = random.once_in(3);
    let random = &mut Source { random, is_partial };
    let ops: Vec<Op> = (0..2 + random.below(3)).map(|number| op(random, number)).collect();
    let start = start(random);
    let abstraction = machine(&Names::abstraction(), "MACHINE Abs", "", &start, &ops);
    let mut refined = ops.clone();
    let mut refined_start = start;
    for _ in 0..random.below(4) {
        mutate(random, &mut refined, &mut refined_start);
    }
    let names = Names::refinement(random);
    let refinement = machine(&names, "REFINEMENT Con REFINES Abs", &names.gluing(), &refined_start, &refined);
    PairText { abstraction, refinement, new_is_skip: random.once_in(2) }
}

/// Random numbers, and whether some formulas may have no value.
struct Source<'r> {
    random: &'r mut Random,
    is_partial: bool,
}

impl Source<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn once_in(&mut self, number: usize) -> bool {
        self.random.once_in(number)
    }

    /// One of the formulas, sometimes one that may have no value.
    fn pick(&mut self, total: &[&str], partial: &[&str]) -> String {
        let is_partial = self.is_partial && !partial.is_empty() && self.random.once_in(4);
        (*self.random.pick(if is_partial { partial } else { total })).to_owned()
    }
}

/// An operation over placeholders: `$s` for a set, `$n` for a number, `$b` for a boolean; `$n!` assigns.
#[derive(Clone)]
struct Op {
    name: String,
    has_param: bool,
    output: Option<String>,
    is_select: bool,
    guards: Vec<String>,
    /// New values of the set, the number and the boolean.
    changes: [Option<String>; 3],
}

const GUARDS: [&str; 9] =
    ["$s = {}", "$s /= {}", "$n < 2", "$n = 0", "$n > 0", "$b = TRUE", "$b = FALSE", "card($s) < 2", "not($s = SS)"];
const PARAM_GUARDS: [&str; 3] = ["xx : $s", "xx /: $s", "xx : $s or $n = 1"];
const NEW_SETS: [&str; 6] =
    ["$s! := {kk}", "$s! := {}", "$s! := SS", "$s! := SS - $s", "$s! :: {$s, {}}", "$s! :: POW($s)"];
const PARAM_SETS: [&str; 4] = ["$s! := $s \\/ {xx}", "$s! := $s - {xx}", "$s! := {xx}", "$s! :: {$s \\/ {xx}, $s}"];
const NEW_NUMBERS: [&str; 6] = [
    "$n! := ($n + 1) mod 3",
    "$n! := 0",
    "$n! :: 0..2",
    "$n! :: {$n, 2}",
    "IF $b = TRUE THEN $n! := 1 ELSE $n! := $n END",
    "CHOICE $n! := 0 OR $n! := $n END",
];
const NEW_BOOLEANS: [&str; 4] = ["$b! := TRUE", "$b! := bool($n = 1)", "$b! :: BOOL", "$b! := bool(not($b = TRUE))"];
const OUTPUTS: [&str; 5] = ["rr := $n", "rr := card($s)", "rr :: {0, $n}", "rr :: 0..1", "rr := 1"];

/// Formulas that have no value where the number is 0, or where a parameter or `kk` is outside the set.
const PARTIAL_GUARDS: [&str; 4] =
    ["2 / $n > 1", "$b = TRUE or 2 / $n = 1", "$b = TRUE & 2 mod $n = 0", "%yy.(yy : $s | 1)(kk) = 1"];
const PARTIAL_PARAM_GUARDS: [&str; 2] = ["%yy.(yy : $s | 1)(xx) = 1", "xx : $s or 2 / $n = 1"];
const PARTIAL_SETS: [&str; 2] = ["$s! := {%yy.(yy : $s | yy)(kk)}", "IF 2 / $n = 1 THEN $s! := {} ELSE $s! := $s END"];
const PARTIAL_PARAM_SETS: [&str; 2] =
    ["$s! := {%yy.(yy : $s | yy)(xx)}", "CHOICE $s! := $s OR $s! := {%yy.(yy : $s | yy)(xx)} END"];
const PARTIAL_NUMBERS: [&str; 2] = ["$n! := 2 / $n", "CHOICE $n! := 0 OR $n! := 2 / $n END"];
const PARTIAL_OUTPUTS: [&str; 2] = ["rr := 2 / $n", "CHOICE rr := 1 OR rr := 2 mod $n END"];
const PARTIAL_STARTS: [&str; 2] = ["$n! := 2 / card(SS - {kk})", "CHOICE $n! := 0 OR $n! := 2 / card(SS - {kk}) END"];

fn op(random: &mut Source<'_>, number: usize) -> Op {
    let has_param = random.once_in(2);
    let mut op = Op {
        name: format!("op{number}"),
        has_param,
        output: random.once_in(3).then(|| random.pick(&OUTPUTS, &PARTIAL_OUTPUTS)),
        is_select: random.once_in(3),
        guards: Vec::new(),
        changes: [None, None, None],
    };
    for _ in 0..random.below(3) {
        op.guards.push(guard(random, has_param));
    }
    for which in 0..3 {
        if random.once_in(2) {
            op.changes[which] = Some(change(random, has_param, which));
        }
    }
    op
}

fn guard(random: &mut Source<'_>, has_param: bool) -> String {
    match has_param && random.once_in(2) {
        true => random.pick(&PARAM_GUARDS, &PARTIAL_PARAM_GUARDS),
        false => random.pick(&GUARDS, &PARTIAL_GUARDS),
    }
}

fn change(random: &mut Source<'_>, has_param: bool, which: usize) -> String {
    match which {
        0 if has_param && random.once_in(2) => random.pick(&PARAM_SETS, &PARTIAL_PARAM_SETS),
        0 => random.pick(&NEW_SETS, &PARTIAL_SETS),
        1 => random.pick(&NEW_NUMBERS, &PARTIAL_NUMBERS),
        _ => random.pick(&NEW_BOOLEANS, &[]),
    }
}

fn start(random: &mut Source<'_>) -> Vec<String> {
    let set = random.pick(&["$s! := {}", "$s! := SS", "$s! := {kk}", "$s! :: POW(SS)"], &[]);
    let number = random.pick(&["$n! := 0", "$n! :: 0..1"], &PARTIAL_STARTS);
    let boolean = random.pick(&["$b! := FALSE", "$b! :: BOOL"], &[]);
    vec![set, number, boolean]
}

/// Makes a choice of a substitution, where it has one.
fn chosen(text: &str) -> Option<String> {
    let swaps = [
        ("$s! :: {$s, {}}", "$s! := $s"),
        ("$s! :: POW($s)", "$s! := {}"),
        ("$s! :: POW(SS)", "$s! := {}"),
        ("$s! :: {$s \\/ {xx}, $s}", "$s! := $s \\/ {xx}"),
        ("$n! :: 0..2", "$n! := 1"),
        ("$n! :: 0..1", "$n! := 0"),
        ("$n! :: {$n, 2}", "$n! := 2"),
        ("CHOICE $n! := 0 OR $n! := $n END", "$n! := 0"),
        ("$b! :: BOOL", "$b! := TRUE"),
        ("rr :: {0, $n}", "rr := 0"),
        ("rr :: 0..1", "rr := 1"),
    ];
    swaps.iter().find(|(from, _)| *from == text).map(|(_, to)| (*to).to_owned())
}

fn mutate(random: &mut Source<'_>, ops: &mut Vec<Op>, start: &mut [String]) {
    let at = random.below(ops.len());
    let has_param = ops[at].has_param;
    match random.below(10) {
        0 => ops[at].guards.push(guard(random, has_param)),
        1 => _ = ops[at].guards.pop(),
        2 => {
            let which = random.below(3);
            ops[at].changes[which] = Some(change(random, has_param, which));
        }
        3 if ops[at].output.is_some() => ops[at].output = Some(random.pick(&OUTPUTS, &PARTIAL_OUTPUTS)),
        4 if ops.len() > 2 => _ = ops.remove(at),
        5 => {
            let mut new = op(random, 7);
            new.output = None;
            new.is_select = true;
            if ops.iter().all(|op| op.name != new.name) {
                ops.push(new);
            }
        }
        6 => ops[at].is_select = !ops[at].is_select,
        7 => {
            let text = &mut start[random.below(3)];
            *text = chosen(text).unwrap_or_else(|| text.clone());
        }
        _ => {
            let op = &mut ops[at];
            for text in op.changes.iter_mut().flatten().chain(&mut op.output) {
                *text = chosen(text).unwrap_or_else(|| text.clone());
            }
        }
    }
}

/// How the variables of a machine are read and written.
struct Names {
    suffix: &'static str,
    /// The number is kept as its distance from two.
    is_flipped: bool,
    /// The gluing invariant has no value where both numbers are 0.
    is_partial: bool,
}

impl Names {
    fn abstraction() -> Names {
        Names { suffix: "", is_flipped: false, is_partial: false }
    }

    fn refinement(random: &mut Source<'_>) -> Names {
        let is_partial = random.is_partial && random.once_in(6);
        match random.below(4) {
            0 => Names { suffix: "", is_flipped: false, is_partial },
            1 | 2 => Names { suffix: "1", is_flipped: false, is_partial },
            _ => Names { suffix: "1", is_flipped: true, is_partial },
        }
    }

    fn gluing(&self) -> String {
        let number = match (self.is_flipped, self.is_partial) {
            (false, false) => "nn1 = nn",
            (true, false) => "nn1 = 2 - nn",
            (false, true) => "(nn1 = nn or 2 / nn1 = 2 / nn)",
            (true, true) => "2 / (2 - nn1) = 2 / nn",
        };
        match (self.suffix, self.is_partial) {
            ("", false) => String::new(),
            ("", true) => " & 2 / nn : 0..2".to_owned(),
            _ => format!(" & ss1 = ss & {number} & bb1 = bb"),
        }
    }

    fn text(&self, text: &str) -> String {
        let suffix = self.suffix;
        let mut text = text.to_owned();
        if self.is_flipped {
            text = flipped(&text);
        }
        let number = if self.is_flipped { format!("(2 - nn{suffix})") } else { format!("nn{suffix}") };
        text.replace("$s!", &format!("ss{suffix}"))
            .replace("$n!", &format!("nn{suffix}"))
            .replace("$b!", &format!("bb{suffix}"))
            .replace("$s", &format!("ss{suffix}"))
            .replace("$n", &number)
            .replace("$b", &format!("bb{suffix}"))
    }
}

/// Writes of the number, in terms of its distance from two.
fn flipped(text: &str) -> String {
    match text {
        "$n! := ($n + 1) mod 3" => "$n! := 2 - (($n + 1) mod 3)".to_owned(),
        "$n! := 0" => "$n! := 2".to_owned(),
        "$n! := 2" => "$n! := 0".to_owned(),
        "$n! :: 0..1" => "$n! :: 1..2".to_owned(),
        "$n! :: {$n, 2}" => "$n! :: {2 - $n, 0}".to_owned(),
        "IF $b = TRUE THEN $n! := 1 ELSE $n! := $n END" => {
            "IF $b = TRUE THEN $n! := 1 ELSE $n! := 2 - $n END".to_owned()
        }
        "CHOICE $n! := 0 OR $n! := $n END" => "CHOICE $n! := 2 OR $n! := 2 - $n END".to_owned(),
        "$n! := 2 / $n" => "$n! := 2 - 2 / $n".to_owned(),
        "CHOICE $n! := 0 OR $n! := 2 / $n END" => "CHOICE $n! := 2 OR $n! := 2 - 2 / $n END".to_owned(),
        "$n! := 2 / card(SS - {kk})" => "$n! := 2 - 2 / card(SS - {kk})".to_owned(),
        "CHOICE $n! := 0 OR $n! := 2 / card(SS - {kk}) END" => {
            "CHOICE $n! := 2 OR $n! := 2 - 2 / card(SS - {kk}) END".to_owned()
        }
        other => other.to_owned(),
    }
}

fn machine(names: &Names, heading: &str, gluing: &str, start: &[String], ops: &[Op]) -> String {
    let suffix = names.suffix;
    let mut text = format!("{heading}\n");
    if heading.starts_with("MACHINE") {
        text += "SETS SS\nCONSTANTS kk\nPROPERTIES kk : SS\n";
    }
    let _ = writeln!(text, "VARIABLES ss{suffix}, nn{suffix}, bb{suffix}");
    let _ = writeln!(text, "INVARIANT ss{suffix} <: SS & nn{suffix} : 0..2 & bb{suffix} : BOOL{gluing}");
    let start: Vec<String> = start.iter().map(|part| names.text(part)).collect();
    let _ = writeln!(text, "INITIALISATION {}\nOPERATIONS", start.join(" || "));
    let ops: Vec<String> = ops.iter().map(|op| operation(names, op)).collect();
    text + &ops.join(";\n") + "\nEND\n"
}

fn operation(names: &Names, op: &Op) -> String {
    let output = if op.output.is_some() { "rr <-- " } else { "" };
    let param = if op.has_param { "(xx)" } else { "" };
    let guards: Vec<String> = op.guards.iter().map(|guard| format!("({})", names.text(guard))).collect();
    let mut parts: Vec<String> = op.changes.iter().chain([&op.output]).flatten().map(|part| names.text(part)).collect();
    if parts.is_empty() {
        parts.push("skip".to_owned());
    }
    let mut body = parts.join(" || ");
    let mut conditions = guards;
    if op.is_select && !conditions.is_empty() {
        body = format!("SELECT {} THEN {body} END", conditions.join(" & "));
        conditions.clear();
    }
    if op.has_param {
        conditions.insert(0, "xx : SS".to_owned());
    }
    if conditions.is_empty() {
        return format!("  {output}{}{param} = BEGIN {body} END", op.name);
    }
    format!("  {output}{}{param} = PRE {} THEN {body} END", op.name, conditions.join(" & "))
}
