//! Random machines with everything: reals, strings, records, freetypes, sequences, integers at the edges of machine words, constants,
//! two deferred sets, non-determinism of every kind, and whatever can be ill-defined.
//!
//! Formulas are expanded from templates: `$int` is a hole for an integer, `$$` the name that the template binds, `$-int` a hole where that
//! name is not known. A machine declares some
//! of the variables only, so that its state space stays small. If a kind of value were missing here, a mistake about it would be
//! found by users; [`crate::compare`] is what the machines are for.

use std::fmt::Write as _;

use crate::Choose;

/// The text of a machine; the same for the same choices.
pub fn machine<C: Choose>(random: &mut C) -> String {
    let is_calm = random.once_in(3);
    let mut kinds: Vec<ValueKind> = vec![ValueKind::S, ValueKind::T];
    let n_kinds = 2 + random.below(4);
    for _ in 0..n_kinds {
        let kind = *random.pick(&KINDS);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut variables: Vec<(String, ValueKind)> =
        kinds.iter().map(|kind| (format!("v{}", kind.row().0), *kind)).collect();
    if random.once_in(3) {
        let kind = *random.pick(&kinds);
        variables.push((format!("w{}", kind.row().0), kind));
    }
    DrawnMachine { random, is_calm, constants: Vec::new(), variables, locals: Vec::new(), n_names: 0 }.text()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueKind {
    Pred,
    Bool,
    /// Elements of the enumerated set, and of the two deferred ones.
    E,
    S,
    T,
    Int,
    Big,
    Real,
    Str,
    Rec,
    Free,
    Seq,
    Set,
    Rel,
    Fun,
    /// Weights: a function to reals.
    Wei,
    Fam,
}

/// Kinds of variables beside elements of the deferred sets.
const KINDS: [ValueKind; 17] = [
    ValueKind::Bool,
    ValueKind::E,
    ValueKind::S,
    ValueKind::T,
    ValueKind::Int,
    ValueKind::Int,
    ValueKind::Big,
    ValueKind::Big,
    ValueKind::Real,
    ValueKind::Str,
    ValueKind::Rec,
    ValueKind::Free,
    ValueKind::Seq,
    ValueKind::Set,
    ValueKind::Rel,
    ValueKind::Fun,
    ValueKind::Wei,
];

const BIG: &[&str] = &[
    "0",
    "100",
    "2147483647",
    "2147483648",
    "(-2147483648)",
    "(-2147483649)",
    "549755813887",
    "549755813888",
    "549755813889",
    "9223372036854775807",
    "9223372036854775808",
    "(-9223372036854775808)",
    "(-9223372036854775809)",
];

/// The word for holes, the type, a small set of values, literals, and templates. A template with a `?` in front may be ill-defined.
type TemplateRow = (&'static str, &'static str, &'static str, &'static [&'static str], &'static [&'static str]);

impl ValueKind {
    const ALL: [ValueKind; 17] = [
        ValueKind::Pred,
        ValueKind::Bool,
        ValueKind::E,
        ValueKind::S,
        ValueKind::T,
        ValueKind::Int,
        ValueKind::Big,
        ValueKind::Real,
        ValueKind::Str,
        ValueKind::Rec,
        ValueKind::Free,
        ValueKind::Seq,
        ValueKind::Set,
        ValueKind::Rel,
        ValueKind::Fun,
        ValueKind::Wei,
        ValueKind::Fam,
    ];

    fn row(self) -> TemplateRow {
        match self {
            ValueKind::Pred => ("pred", "", "", &["btrue"], PREDICATES),
            ValueKind::Bool => ("bool", "BOOL", "BOOL", &["TRUE", "FALSE"], &["bool($pred)", "$rec'on"]),
            ValueKind::E => ("e", "EE", "EE", &["e1", "e2", "e3"], &["IF $pred THEN $e ELSE $e END"]),
            ValueKind::S => ("s", "SS", "SS", &[], ELEMENTS),
            ValueKind::T => ("t", "TT", "TT", &[], &["IF $pred THEN $t ELSE $t END", "?$rel($s)", "?{$s |-> $t}($s)"]),
            ValueKind::Int => ("int", "INTEGER", "(0..2)", &["0", "1", "2", "(-1)"], INTEGERS),
            ValueKind::Big => ("big", "INTEGER", "{100, 549755813888, 9223372036854775807}", BIG, BIG_INTEGERS),
            ValueKind::Real => {
                ("real", "REAL", "{0.1, 0.2, 1.5}", &["0.1", "0.2", "0.3", "0.6", "1.0", "(-2.5)"], REALS)
            }
            ValueKind::Str => ("str", "STRING", "{\"\", \"a\"}", &["\"\"", "\"a\"", "\"b c\""], STRINGS),
            ValueKind::Rec => (
                "rec",
                "struct(num : INTEGER, on : BOOL)",
                "struct(num : 0..1, on : BOOL)",
                &["rec(num : 0, on : TRUE)"],
                &["rec(num : $int, on : $bool)", "IF $pred THEN $rec ELSE $rec END"],
            ),
            ValueKind::Free => ("free", "LL", "{nil, cons(TRUE |-> nil)}", &["nil", "cons(TRUE |-> nil)"], FREE),
            ValueKind::Seq => ("seq", "seq(SS)", "iseq(SS)", &["((1..0) * SS)"], SEQUENCES),
            ValueKind::Set => ("set", "POW(SS)", "POW(SS)", &["SS", "(SS - SS)"], SETS),
            ValueKind::Rel => ("rel", "SS <-> TT", "(SS --> TT)", &["(SS * TT)", "({} <| (SS * TT))"], RELATIONS),
            ValueKind::Fun => ("fun", "SS +-> INTEGER", "(SS --> 0..1)", &["(SS * {1})", "(SS * (1..0))"], FUNCTIONS),
            ValueKind::Wei => {
                ("wei", "SS +-> REAL", "(SS --> {0.1, 0.2, 0.3})", &["(SS * {0.1})", "(SS * {0.3})"], WEIGHTS)
            }
            ValueKind::Fam => ("fam", "POW(POW(SS))", "{{}, {SS}}", &["{{}, SS}", "{SS - SS}"], FAMILIES),
        }
    }

    fn of_word(word: &str) -> Option<ValueKind> {
        ValueKind::ALL.into_iter().find(|kind| kind.row().0 == word)
    }
}

const PREDICATES: &[&str] = &[
    "$int < $int",
    "$int = $int",
    "$big <= $big",
    "$big = $big",
    "$big > 100",
    "$big < 549755813890",
    "$big <= 9223372036854775808",
    "$bool = TRUE",
    "$e /= $e",
    "$s = $s",
    "$s : $set",
    "$t /= $t",
    "$s |-> $t : $rel",
    "$set <: $set",
    "$set /\\ $set = {}",
    "$str = $str",
    "$real < $real",
    "$real = $real",
    "SIGMA(yy).(yy : dom($wei) | $wei(yy)) = $real",
    "$free /= nil",
    "$rec = $rec",
    "$seq = []",
    "$seq : iseq(SS)",
    "$set : $fam",
    "$fun : SS +-> 0..2",
    "?%zz.(zz : INTEGER & zz > $int | zz mod 3 - $int) : INTEGER +-> NATURAL",
    "$rel : SS --> TT",
    "card($set) = $int",
    "SIGMA(yy).(yy : SS & yy : dom($wei) | 1) > $int",
    "not($pred)",
    "($pred or $pred)",
    "($pred & $pred)",
    "($pred => $pred)",
    "!$$:s.($$ : SS & $$ : $set => $pred)",
    "#$$:s.($$ : SS & $pred)",
    "#$$:int.($$ : 0..2 & $pred)",
    "!$$:t.($$ : TT => $pred)",
    "!$$:set.($$ <: SS & $$ <: $set => $pred)",
    "LET $$:int BE $$ = $-int IN $pred END",
];

const ELEMENTS: &[&str] = &[
    "IF $pred THEN $s ELSE $s END",
    "[$s, $s](1)",
    "?first($seq)",
    "?last($seq)",
    "?$seq($int)",
    "?($rel~)($t)",
    "?{TRUE |-> $s}($bool)",
];

const INTEGERS: &[&str] = &[
    "($int + 1) mod 4",
    "card($set)",
    "card($rel)",
    "size($seq)",
    "min({$int, 2})",
    "max({$int, $int})",
    "$rec'num",
    "card({zz | zz : 0..2 & zz < $int})",
    "SIGMA($$:s).($$ : SS & $$ : $set | card({$$} <| $rel))",
    "card(union($fam))",
    "IF $pred THEN $int ELSE $int END",
    "LET $$:int BE $$ = $-int IN min({$$, 1}) END",
    "floor($real)",
    "?$int - $int",
    "?$int / $int",
    "?$int mod $int",
    "?2 ** $int",
    "?$fun($s)",
    "?min(ran($fun))",
    "?max({zz | zz : 0..3 & zz < $int})",
    "?PI($$:s).($$ : SS & $$ : $set | $fun($$))",
    "?card(inter($fam))",
];

const BIG_INTEGERS: &[&str] = &[
    "$big + 1",
    "$big - 1",
    "$big + $int",
    "-($big)",
    "max({$big, $big})",
    "$big * 2",
    "$big / 2",
    "IF $big > $big THEN $big ELSE $big END",
    "?$big / $int",
    "?$big mod $big",
];

const REALS: &[&str] = &[
    "$real + $real",
    "$real * 0.5",
    "real($int)",
    "SIGMA($$:s).($$ : SS & $$ : dom($wei) | $wei($$))",
    "max({$real, $real})",
    "?$real / $real",
    "?$wei($s)",
];

const STRINGS: &[&str] =
    &["IF size($str) < 2 THEN $str ^ $str ELSE $str END", "rev($str)", "IF $pred THEN $str ELSE $str END"];

const FREE: &[&str] =
    &["IF $free = nil THEN cons($bool |-> nil) ELSE nil END", "cons($bool |-> nil)", "?prj2(BOOL, LL)(cons~($free))"];

const SEQUENCES: &[&str] = &[
    "[$s]",
    "IF size($seq) < 2 THEN $seq <- $s ELSE $seq END",
    "IF size($seq) < 2 THEN $s -> $seq ELSE $seq END",
    "rev($seq)",
    "$seq /|\\ 1",
    "?tail($seq)",
    "?front($seq)",
    "?$seq \\|/ $int",
];

const SETS: &[&str] = &[
    "{$s}",
    "{$s, $s}",
    "$set \\/ $set",
    "$set /\\ $set",
    "$set - $set",
    "ran($seq)",
    "dom($rel)",
    "dom($fun)",
    "$rel~[{$t}]",
    "union($fam)",
    "{$$:s | $$ : SS & $$ : $set & $pred}",
    "UNION($$:s).($$ : SS & $$ : $set | {$$, $s})",
    "dom($fun |> {$int})",
    "?inter($fam)",
    "?{$$:s | $$ : SS & $fun($$) < $int}",
];

const RELATIONS: &[&str] = &[
    "{$s |-> $t}",
    "$rel \\/ {$s |-> $t}",
    "$set <| $rel",
    "$set <<| $rel",
    "$rel |> {$t}",
    "$rel <+ {$s |-> $t}",
    "$set * {$t}",
    "%$$:s.($$ : SS & $$ : $set | $t)",
    "(id($set) ; $rel)",
];

const FUNCTIONS: &[&str] = &[
    "$fun <+ {$s |-> $int}",
    "$set <<| $fun",
    "$fun |> 0..1",
    "%$$:s.($$ : SS & $$ : $set | card({$$} \\/ $set))",
    "?%$$:s.($$ : SS & $$ : $set | $fun($$))",
];

const WEIGHTS: &[&str] = &["{$s |-> $real}", "$set * {$real}", "$wei <+ {$s |-> $real}", "$set <| $wei"];

const FAMILIES: &[&str] = &["{$set}", "{$set, $set}", "$fam \\/ {$set}", "POW($set)", "?$fam - {$set}"];

struct DrawnMachine<'r, C> {
    random: &'r mut C,
    /// Little can be ill-defined.
    is_calm: bool,
    constants: Vec<(String, ValueKind)>,
    variables: Vec<(String, ValueKind)>,
    locals: Vec<(String, ValueKind)>,
    n_names: usize,
}

impl<C: Choose> DrawnMachine<'_, C> {
    fn text(&mut self) -> String {
        let mut text = String::from("MACHINE M\nSETS SS; TT; EE = {e1, e2, e3}\nFREETYPES LL = nil, cons(BOOL * LL)\n");
        self.declare_constants(&mut text);
        let _ = writeln!(text, "VARIABLES {}", names(&self.variables));
        text += "INVARIANT\n";
        let typing: Vec<String> = self.variables.clone().iter().map(|variable| self.typing(variable)).collect();
        text += &typing.join(" &\n");
        let n_conjuncts = self.random.below(3);
        for _ in 0..n_conjuncts {
            let _ = write!(text, " &\n  ({})", self.expr(ValueKind::Pred, 2));
        }
        if self.random.once_in(4) {
            let _ = write!(text, "\nASSERTIONS\n  {}", self.expr(ValueKind::Pred, 2));
        }
        let start: Vec<String> = self.variables.clone().iter().map(|variable| self.start(variable)).collect();
        let _ = write!(text, "\nINITIALISATION\n{}\nOPERATIONS\n", start.join(" ||\n"));
        let n_operations = 1 + self.random.below(4);
        let operations: Vec<String> = (0..n_operations).map(|idx| self.operation(idx)).collect();
        text + &operations.join(";\n") + "\nEND\n"
    }

    fn declare_constants(&mut self, text: &mut String) {
        let n_constants = self.random.below(3);
        for idx in 0..n_constants {
            let kind = *self.random.pick(&[
                ValueKind::Int,
                ValueKind::Big,
                ValueKind::S,
                ValueKind::Set,
                ValueKind::Fun,
                ValueKind::Wei,
                ValueKind::Bool,
            ]);
            self.constants.push((format!("c{idx}"), kind));
        }
        if !self.constants.is_empty() {
            let _ = writeln!(text, "CONSTANTS {}", names(&self.constants));
        }
        let _ = write!(text, "PROPERTIES\n  card(SS) = {} & card(TT) = 2", 2 + self.random.below(2));
        let constants = self.constants.clone();
        for (name, kind) in &constants {
            let _ = write!(text, " &\n  {name} : {}", kind.row().2);
        }
        text.push('\n');
    }

    fn typing(&mut self, (name, kind): &(String, ValueKind)) -> String {
        let (_, ty, range, ..) = kind.row();
        let set = if self.random.once_in(4) { range } else { ty };
        format!("  {name} : {set}")
    }

    fn start(&mut self, (name, kind): &(String, ValueKind)) -> String {
        let (_, _, range, literals, _) = kind.row();
        if literals.is_empty() || self.random.once_in(5) {
            return format!("  {name} :: {range}");
        }
        format!("  {name} := {}", self.random.pick(literals))
    }

    fn operation(&mut self, idx: usize) -> String {
        let n_params = self.random.below(3);
        let params: Vec<(String, ValueKind)> = (0..n_params)
            .map(|idx| {
                let kinds = [
                    ValueKind::S,
                    ValueKind::T,
                    ValueKind::Int,
                    ValueKind::E,
                    ValueKind::Bool,
                    ValueKind::Set,
                    ValueKind::Big,
                ];
                (format!("p{idx}"), *self.random.pick(&kinds))
            })
            .collect();
        self.locals.extend(params.clone());
        let ranges: Vec<String> = params.iter().map(|(name, kind)| format!("{name} : {}", self.range(*kind))).collect();
        let guard = self.expr(ValueKind::Pred, 2);
        let guard = if ranges.is_empty() { guard } else { format!("{} & {guard}", ranges.join(" & ")) };
        let mut body = self.body(2);
        let mut head = format!("op{idx}");
        if !params.is_empty() {
            let _ = write!(head, "({})", names(&params));
        }
        if self.random.once_in(5) {
            head = format!("out <-- {head}");
            let kind =
                *self.random.pick(&[ValueKind::Int, ValueKind::Set, ValueKind::Big, ValueKind::Real, ValueKind::Str]);
            body = format!("BEGIN {body} END || out := {}", self.expr(kind, 1));
        }
        self.locals.clear();
        let word = *self.random.pick(&["PRE", "SELECT"]);
        format!("  {head} = {word} {guard} THEN {body} END")
    }

    fn body(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.assignment();
        }
        match self.random.below(14) {
            0 => self.parallel(),
            1 => format!(
                "IF {} THEN {} ELSE {} END",
                self.expr(ValueKind::Pred, 1),
                self.body(depth - 1),
                self.body(depth - 1)
            ),
            2 => format!("CHOICE {} OR {} END", self.body(depth - 1), self.body(depth - 1)),
            3 => format!("BEGIN {}; {} END", self.body(depth - 1), self.body(depth - 1)),
            4 => format!(
                "SELECT {} THEN {} WHEN {} THEN {} END",
                self.expr(ValueKind::Pred, 1),
                self.body(0),
                self.expr(ValueKind::Pred, 1),
                self.body(0)
            ),
            5 | 6 => {
                let kind = *self.random.pick(&[
                    ValueKind::S,
                    ValueKind::T,
                    ValueKind::Int,
                    ValueKind::Set,
                    ValueKind::Fun,
                    ValueKind::Bool,
                ]);
                let (name, (guard, body)) =
                    self.bound(kind, |this| (this.expr(ValueKind::Pred, 1), this.body(depth - 1)));
                format!("ANY {name} WHERE {name} : {} & {guard} THEN {body} END", self.range(kind))
            }
            7 => {
                let (name, kind) = self.variable();
                format!("{name} :: {}", kind.row().2)
            }
            8 => {
                let (name, kind) = self.variable();
                format!("{name} : ({name} : {} & {})", kind.row().2, self.expr(ValueKind::Pred, 1))
            }
            9 => {
                let kind = *self.random.pick(&[ValueKind::Int, ValueKind::Set, ValueKind::S]);
                let value = self.expr(kind, 1);
                let (name, body) = self.bound(kind, |this| this.body(depth - 1));
                format!("LET {name} BE {name} = {value} IN {body} END")
            }
            10 => {
                let (value, first) = (self.expr(ValueKind::Int, 1), self.body(0));
                format!("CASE {value} OF EITHER 0 THEN {first} OR 1, 2 THEN {} ELSE skip END END", self.body(0))
            }
            11 => {
                let (name, body) = self.bound(ValueKind::Int, |this| this.body(0));
                format!(
                    "VAR {name} IN {name} := 0; WHILE {name} < 2 DO {body}; {name} := {name} + 1 INVARIANT {name} : 0..2 VARIANT 2 - {name} END END"
                )
            }
            _ => self.assignment(),
        }
    }

    /// A small set of values or, now and then, the whole type, which may be infinite.
    fn range(&mut self, kind: ValueKind) -> &'static str {
        let (_, ty, range, ..) = kind.row();
        if self.random.once_in(24) { ty } else { range }
    }

    fn parallel(&mut self) -> String {
        let (first, second) = (self.variable(), self.variable());
        if first == second {
            return self.assignment_to(&first);
        }
        format!("{} || {}", self.assignment_to(&first), self.assignment_to(&second))
    }

    fn variable(&mut self) -> (String, ValueKind) {
        self.random.pick(&self.variables).clone()
    }

    fn assignment(&mut self) -> String {
        let variable = self.variable();
        self.assignment_to(&variable)
    }

    fn assignment_to(&mut self, (name, kind): &(String, ValueKind)) -> String {
        match kind {
            ValueKind::Fun if self.random.once_in(2) => {
                format!("{name}({}) := {}", self.expr(ValueKind::S, 1), self.expr(ValueKind::Int, 1))
            }
            ValueKind::Rec if self.random.once_in(2) => format!("{name}'num := {}", self.expr(ValueKind::Int, 1)),
            ValueKind::Set | ValueKind::Rel | ValueKind::Fun | ValueKind::Seq if self.random.once_in(6) => {
                format!("{name} := {{}}")
            }
            kind => format!("{name} := {}", self.expr(*kind, 2)),
        }
    }

    /// A formula of a kind in parentheses, or a name or literal.
    fn expr(&mut self, kind: ValueKind, depth: usize) -> String {
        let (_, _, _, literals, templates) = kind.row();
        if depth > 0 && (kind == ValueKind::Pred || !self.random.once_in(3)) {
            let allowed: Vec<&str> =
                templates.iter().copied().filter(|template| !self.is_calm || !template.starts_with('?')).collect();
            let template = *self.random.pick(&allowed);
            return format!("({})", self.expand(template.trim_start_matches('?'), depth - 1));
        }
        let known = self.constants.iter().chain(&self.variables).chain(&self.locals).chain(&self.locals);
        let mut leaves: Vec<String> = known.filter(|(_, of)| *of == kind).map(|(name, _)| name.clone()).collect();
        if kind == ValueKind::Pred {
            return self.simple_predicate();
        }
        leaves.extend(literals.iter().map(|text| (*text).to_owned()));
        self.random.pick(&leaves).clone()
    }

    /// A predicate without a deeper one.
    fn simple_predicate(&mut self) -> String {
        let kinds: Vec<ValueKind> = self.variables.iter().map(|(_, kind)| *kind).collect();
        let kind = *self.random.pick(&kinds);
        let op = *self.random.pick(&["=", "/="]);
        format!("{} {op} {}", self.expr(kind, 0), self.expr(kind, 0))
    }

    /// Fills the holes of a template. `$$:kind` introduces the bound name.
    fn expand(&mut self, template: &str, depth: usize) -> String {
        if let Some((before, after)) = template.split_once("$$:") {
            let end = after.find(|ch: char| !ch.is_ascii_lowercase()).unwrap_or(after.len());
            let kind = ValueKind::of_word(&after[..end]).expect("a kind");
            let rest = format!("{before}$${}", &after[end..]);
            let (_, text) = self.bound(kind, |this| {
                let name = this.locals.last().map(|(name, _)| name.clone()).unwrap_or_default();
                this.expand(&rest.replace("$$", &name), depth)
            });
            return text;
        }
        let mut parts = template.split('$');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (part, hidden) = match part.strip_prefix('-') {
                Some(part) => (part, self.locals.pop()),
                None => (part, None),
            };
            let end = part.find(|ch: char| !ch.is_ascii_lowercase()).unwrap_or(part.len());
            let kind = ValueKind::of_word(&part[..end]).expect("a hole names a kind");
            text += &self.expr(kind, depth);
            text += &part[end..];
            self.locals.extend(hidden);
        }
        text
    }

    fn bound<R>(&mut self, kind: ValueKind, content: impl FnOnce(&mut Self) -> R) -> (String, R) {
        self.n_names += 1;
        let name = format!("x{}", self.n_names);
        self.locals.push((name.clone(), kind));
        let result = content(self);
        self.locals.pop();
        (name, result)
    }
}

fn names(list: &[(String, ValueKind)]) -> String {
    list.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Project, Random};

    #[test]
    fn machines_are_accepted() {
        for seed in 0..2_000 {
            let text = machine(&mut Random::new(seed));
            let project = Project::new(&[("M.mch", &text)]);
            assert!(!project.analyse().has_errors(), "seed {seed}: {}\n{text}", project.diagnostics());
        }
    }
}
