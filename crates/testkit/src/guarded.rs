//! Random machines of guarded commands: small state spaces with much to interleave, and whatever can go wrong with reductions.
//!
//! Guards and new values are drawn from formulas over booleans, a small set, integers, sets, a relation, a partial function and sometimes one to sets,
//! so that steps are independent often, but not always, and that invariants, assertions, guards and values fail or are ill-defined now and then. A third
//! of the machines has an integer without bounds that jumps between values at the edges of the widths that circuits have.

use std::fmt::Write as _;

use crate::Random;

/// The text of a machine.
pub fn machine(random: &mut Random) -> String {
    let is_calm = random.once_in(2);
    let n_variables = VARIABLES.len() - usize::from(random.once_in(2));
    let has_wide = random.once_in(3);
    GuardedMachine { random, local: None, is_calm, n_variables, has_wide }.text()
}

struct GuardedMachine<'r> {
    random: &'r mut Random,
    /// A local in scope and its kind.
    local: Option<(&'static str, GuardKind)>,
    /// Nothing is ill-defined, and little is asked.
    is_calm: bool,
    /// All variables, or all but the last.
    n_variables: usize,
    /// There is an integer without bounds, too.
    has_wide: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GuardKind {
    Bool,
    Elem,
    Int,
    Set,
    Relation,
    Function,
    /// A function to sets.
    Sets,
}

const VARIABLES: [(&str, GuardKind); 10] = [
    ("b1", GuardKind::Bool),
    ("b2", GuardKind::Bool),
    ("el", GuardKind::Elem),
    ("nn", GuardKind::Int),
    ("mm", GuardKind::Int),
    ("uu", GuardKind::Set),
    ("vv", GuardKind::Set),
    ("rr", GuardKind::Relation),
    ("ff", GuardKind::Function),
    ("gg", GuardKind::Sets),
];

/// Integers at the edges of bounds, of drifts and of the widths of circuits.
const EDGES: [&str; 12] = [
    "0",
    "3",
    "100",
    "127",
    "128",
    "549755813887",
    "549755813888",
    "-549755813952",
    "1099511627776",
    "-1099511627777",
    "9223372036854775807",
    "18446744073709551617",
];

/// Changes of an integer, around the largest that counts as a drift.
const CHANGES: [&str; 8] = ["+ 1", "- 1", "+ 63", "+ 64", "+ 65", "- 64", "- 65", "* 2"];

/// Sets of functions, and a member of each.
const FUNCTIONS_TO_SETS: [(&str, &str); 4] = [
    ("SS +-> POW(SS)", "{}"),
    ("SS +-> POW(SS)", "{s1 |-> {}, s2 |-> {s1}}"),
    ("SS --> POW(SS)", "{s1 |-> {}, s2 |-> {s1}, s3 |-> {}}"),
    ("(uu \\/ vv) +-> POW(SS)", "{s2 |-> {s3}}"),
];

impl GuardedMachine<'_> {
    fn text(&mut self) -> String {
        let mut text = String::from("MACHINE Random\nSETS SS = {s1, s2, s3}\n");
        let has_constant = self.random.once_in(3);
        if has_constant {
            text += "CONSTANTS kk\nPROPERTIES kk : 1..2\n";
        }
        let mut names: Vec<&str> = VARIABLES[..self.n_variables].iter().map(|(name, _)| *name).collect();
        names.extend(self.has_wide.then_some("ww"));
        let _ = write!(text, "VARIABLES {}\nINVARIANT\n  b1 : BOOL & b2 : BOOL & el : SS & ", names.join(", "));
        text += "nn : 0..3 & mm : 0..3 & uu <: SS & vv <: SS & rr : SS <-> SS & ff : SS +-> 0..3";
        let (function, start) = *self.random.pick(&FUNCTIONS_TO_SETS);
        if self.has_sets() {
            let _ = write!(text, " & gg : {function}");
        }
        if self.has_wide {
            text += " & ww : INTEGER";
        }
        let n_conjuncts = self.random.below(if self.is_calm { 2 } else { 3 });
        for _ in 0..n_conjuncts {
            let _ = write!(text, " &\n  ({})", self.pred(2));
        }
        if self.random.once_in(3) {
            let _ = write!(text, "\nASSERTIONS {}", self.pred(2));
        }
        text += "\nINITIALISATION\n  b1 := FALSE || b2 := TRUE || el := s1 || nn := 0 || mm := ";
        text += if has_constant { "kk" } else { "1" };
        text += if self.random.once_in(4) { " || uu :: {{}, {s1}}" } else { " || uu := {}" };
        text += " || vv := {s2} || rr := {s1|->s2} || ff := {s1|->1, s2|->0}";
        if self.has_sets() {
            let _ = write!(text, " || gg := {start}");
        }
        if self.has_wide {
            let _ = write!(text, " || ww := {}", self.random.pick(&EDGES));
        }
        text += "\nOPERATIONS\n";
        let n_operations = 2 + self.random.below(4);
        let operations: Vec<String> = (0..n_operations).map(|idx| self.operation(idx)).collect();
        text + &operations.join(";\n") + "\nEND\n"
    }

    fn has_sets(&self) -> bool {
        self.n_variables == VARIABLES.len()
    }

    fn operation(&mut self, idx: usize) -> String {
        let domain = *self.random.pick(&[
            ("SS", GuardKind::Elem),
            ("0..2", GuardKind::Int),
            ("uu", GuardKind::Elem),
            ("vv - uu", GuardKind::Elem),
        ]);
        let form = self.random.below(5);
        if form >= 2 {
            self.local = Some(("xx", domain.1));
        }
        let guard = if self.random.once_in(3) { self.pred(2) } else { format!("{} & {}", self.pred(1), self.pred(1)) };
        let body = self.body(2);
        self.local = None;
        let set = domain.0;
        match form {
            0 => format!("  op{idx} = SELECT {guard} THEN {body} END"),
            1 => format!("  op{idx} = PRE {guard} THEN {body} END"),
            2 | 3 => format!("  op{idx}(xx) = PRE xx : {set} & {guard} THEN {body} END"),
            _ => format!("  op{idx} = ANY xx WHERE xx : {set} & {guard} THEN {body} END"),
        }
    }

    fn body(&mut self, depth: usize) -> String {
        if self.has_wide && self.random.once_in(3) {
            return format!("ww := {}", self.wide());
        }
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            4 => format!("IF {} THEN {} ELSE {} END", self.pred(1), self.body(depth - 1), self.body(depth - 1)),
            5 => format!("CHOICE {} OR {} END", self.body(depth - 1), self.body(depth - 1)),
            6 => format!("BEGIN {}; {} END", self.body(depth - 1), self.body(depth - 1)),
            7 => {
                format!("SELECT {} THEN {} WHEN {} THEN {} END", self.pred(1), self.body(0), self.pred(1), self.body(0))
            }
            8 => match self.random.below(4) {
                0 => "el :: SS".to_owned(),
                1 => format!("nn :: 0..{}", self.random.below(3)),
                2 => format!("el :: {}", self.expr(GuardKind::Set, 1)),
                _ => format!("nn : (nn : 0..3 & {})", self.pred(1)),
            },
            0 => {
                let first = self.random.below(self.n_variables);
                let second = self.random.below(self.n_variables);
                if first == second {
                    return self.assignment(first);
                }
                format!("{} || {}", self.assignment(first), self.assignment(second))
            }
            _ => {
                let variable = self.random.below(self.n_variables);
                self.assignment(variable)
            }
        }
    }

    fn assignment(&mut self, variable: usize) -> String {
        let (name, kind) = VARIABLES[variable];
        match kind {
            GuardKind::Function if self.random.once_in(2) => {
                format!("{name}({}) := {}", self.expr(GuardKind::Elem, 1), self.expr(GuardKind::Int, 1))
            }
            GuardKind::Sets if self.random.once_in(2) => {
                let (elem, other) = (self.expr(GuardKind::Elem, 0), self.expr(GuardKind::Elem, 0));
                match self.random.below(3) {
                    0 if !self.is_calm => format!("{name}({elem}) := {name}({elem}) \\/ {{{other}}}"),
                    1 if !self.is_calm => format!("{name}({elem}) := {name}({elem}) - {{{other}}}"),
                    _ => format!("{name}({elem}) := {}", self.expr(GuardKind::Set, 1)),
                }
            }
            _ => format!("{name} := {}", self.expr(kind, 2)),
        }
    }

    /// A value of the integer without bounds. It grows up to some point only, so that there are few states.
    fn wide(&mut self) -> String {
        let (edge, other) = (*self.random.pick(&EDGES), *self.random.pick(&EDGES));
        match self.random.below(4) {
            0 => edge.to_owned(),
            1 => self.expr(GuardKind::Int, 1),
            _ => format!("IF ww < {edge} THEN {other} ELSE ww {} END", self.random.pick(&CHANGES)),
        }
    }

    fn pred(&mut self, depth: usize) -> String {
        if self.has_wide && self.random.once_in(5) {
            return format!("ww {} {}", self.random.pick(&["<", "=", ">=", "/="]), self.random.pick(&EDGES));
        }
        let deeper = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 7 } else { 13 }) {
            0 | 1 => format!("b{} = {}", 1 + self.random.below(2), self.random.pick(&["TRUE", "FALSE"])),
            2 => format!("el {} {}", self.random.pick(&["=", "/="]), self.expr(GuardKind::Elem, 0)),
            3 => format!(
                "{} {} {}",
                self.random.pick(&["nn", "mm"]),
                self.random.pick(&["<", "=", ">="]),
                self.random.below(4)
            ),
            4 | 5 => {
                let elem = self.expr(GuardKind::Elem, 0);
                let sets = ["uu", "vv", "dom(ff)", "ran(rr)", "dom(gg)", "gg(el)"];
                let n_sets = if !self.has_sets() { 4 } else { sets.len() - usize::from(self.is_calm) };
                format!("{elem} {} {}", self.random.pick(&[":", "/:"]), self.random.pick(&sets[..n_sets]))
            }
            6 => format!("uu /\\ vv {} {{}}", self.random.pick(&["=", "/="])),
            7 => format!("({} or {})", self.pred(deeper), self.pred(deeper)),
            8 => format!("not({})", self.pred(deeper)),
            9 => format!("({} => {})", self.pred(deeper), self.pred(deeper)),
            10 => format!("{} < {}", self.expr(GuardKind::Int, 1), self.expr(GuardKind::Int, 1)),
            11 => format!("({}) <: ({})", self.expr(GuardKind::Set, 1), self.expr(GuardKind::Set, 1)),
            _ => format!("!zz.(zz : ({}) => zz : ({}))", self.expr(GuardKind::Set, 1), self.expr(GuardKind::Set, 1)),
        }
    }

    fn expr(&mut self, kind: GuardKind, depth: usize) -> String {
        if let Some((name, of)) = self.local
            && of == kind
            && self.random.once_in(2)
        {
            return name.to_owned();
        }
        let deeper = depth.saturating_sub(1);
        let is_deep = depth > 0 && !self.random.once_in(3);
        match (kind, is_deep) {
            (GuardKind::Bool, false) => (*self.random.pick(&["TRUE", "FALSE", "b1", "b2"])).to_owned(),
            (GuardKind::Bool, true) => format!("bool({})", self.pred(deeper)),
            (GuardKind::Elem, false) => (*self.random.pick(&["s1", "s2", "s3", "el"])).to_owned(),
            (GuardKind::Elem, true) => match self.random.below(3) {
                0 if !self.is_calm => "rr(el)".to_owned(),
                _ => self.expr(GuardKind::Elem, 0),
            },
            (GuardKind::Int, false) => (*self.random.pick(&["0", "1", "2", "nn", "mm"])).to_owned(),
            (GuardKind::Int, true) if self.is_calm => match self.random.below(3) {
                0 => format!("(nn + {}) mod 3", 1 + self.random.below(2)),
                1 => format!("card({})", self.expr(GuardKind::Set, deeper)),
                _ => format!("min({{{}, 2}})", self.random.pick(&["nn + 1", "mm + 1"])),
            },
            (GuardKind::Int, true) => match self.random.below(6) {
                0 => format!("{} + 1", self.random.pick(&["nn", "mm"])),
                1 => format!("{} - 1", self.random.pick(&["nn", "mm"])),
                2 => format!("ff({})", self.expr(GuardKind::Elem, 0)),
                3 => format!("card({})", self.expr(GuardKind::Set, deeper)),
                4 => format!("({} mod 4)", self.expr(GuardKind::Int, deeper)),
                _ => format!("(1 / {})", self.random.pick(&["nn", "2", "1"])),
            },
            (GuardKind::Set, false) => (*self.random.pick(&["uu", "vv", "SS", "{s1}", "{el}"])).to_owned(),
            (GuardKind::Set, true) => match self.random.below(5) {
                0 | 1 => format!("{} \\/ {{{}}}", self.random.pick(&["uu", "vv"]), self.expr(GuardKind::Elem, deeper)),
                2 => format!("{} - {{{}}}", self.random.pick(&["uu", "vv"]), self.expr(GuardKind::Elem, deeper)),
                3 => format!("rr[{}]", self.expr(GuardKind::Set, deeper)),
                _ => "dom(ff)".to_owned(),
            },
            (GuardKind::Relation, _) => match self.random.below(4) {
                0 => format!("rr \\/ {{{} |-> {}}}", self.expr(GuardKind::Elem, 0), self.expr(GuardKind::Elem, 0)),
                1 => format!("({}) <| rr", self.expr(GuardKind::Set, deeper)),
                2 => format!("rr |>> ({})", self.expr(GuardKind::Set, deeper)),
                _ => format!("rr <+ {{{} |-> {}}}", self.expr(GuardKind::Elem, 0), self.expr(GuardKind::Elem, 0)),
            },
            (GuardKind::Function, _) => match self.random.below(3) {
                0 => format!("ff <+ {{{} |-> {}}}", self.expr(GuardKind::Elem, 0), self.expr(GuardKind::Int, deeper)),
                1 => format!("{{{}}} <<| ff", self.expr(GuardKind::Elem, 0)),
                _ => format!("ff |>> {{{}}}", self.expr(GuardKind::Int, 0)),
            },
            (GuardKind::Sets, _) => match self.random.below(4) {
                0 => format!("gg <+ {{{} |-> ({})}}", self.expr(GuardKind::Elem, 0), self.expr(GuardKind::Set, deeper)),
                1 => format!("{{{}}} <<| gg", self.expr(GuardKind::Elem, 0)),
                2 => format!("gg - {{{} |-> {}}}", self.expr(GuardKind::Elem, 0), self.expr(GuardKind::Set, 0)),
                _ => format!("({}) <| gg", self.expr(GuardKind::Set, 0)),
            },
        }
    }
}
