//! Random predicates and expressions of a given type.
//!
//! [`Generator::expr`] is the entry; below it one function per kind of type. Everything is written with its parentheses.

use super::{GeneratedType, Generator};
use crate::Choose as _;

const ARROWS: [&str; 12] = ["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"];

impl Generator<'_> {
    /// An expression of a type, over the names in scope.
    pub fn expr(&mut self, ty: &GeneratedType, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.choices.below(8) {
            0 | 1 => self.leaf(ty),
            2 => self.of_any_type(ty, depth - 1),
            _ => self.operator(ty, depth - 1),
        }
    }

    /// A predicate over the names in scope.
    pub fn pred(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.comparison(0);
        }
        let depth = depth - 1;
        match self.choices.below(14) {
            0..=4 => self.comparison(depth),
            5 => format!("({} & {})", self.pred(depth), self.pred(depth)),
            6 => format!("({} or {})", self.pred(depth), self.pred(depth)),
            7 => format!("({} => {})", self.pred(depth), self.pred(depth)),
            8 => format!("({} <=> {})", self.pred(depth), self.pred(depth)),
            9 => format!("not({})", self.pred(depth)),
            10 => {
                let ty = self.element_type();
                let (name, (guard, body)) = self.bound(&ty, |this| (this.pred(depth), this.pred(depth)));
                format!("!{name}.({name} : {} & {guard} => {body})", self.range(&ty))
            }
            11 => {
                let ty = self.element_type();
                let (name, body) = self.bound(&ty, |this| this.pred(depth));
                format!("#{name}.({name} : {} & {body})", self.range(&ty))
            }
            12 => format!("IF {} THEN {} ELSE {} END", self.pred(depth), self.pred(depth), self.pred(depth)),
            _ => {
                let ty = self.element_type();
                let value = self.expr(&ty, depth);
                let (name, body) = self.bound(&ty, |this| this.pred(depth));
                format!("LET {name} BE {name} = {value} IN {body} END")
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> String {
        let ty = self.element_type();
        match self.choices.below(8) {
            0 | 1 => {
                let op = *self.choices.pick(&["=", "/="]);
                format!("{} {op} {}", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            2 | 3 => {
                let op = *self.choices.pick(&[":", "/:"]);
                format!("{} {op} {}", self.expr(&ty, depth), self.expr(&GeneratedType::pow(ty), depth))
            }
            4 => {
                let op = *self.choices.pick(&["<:", "<<:", "/<:", "/<<:", "=", "/="]);
                let set = GeneratedType::pow(ty);
                let right = if self.choices.below(4) == 1 { "{}".to_owned() } else { self.expr(&set, depth) };
                format!("{} {op} {right}", self.expr(&set, depth))
            }
            5 | 6 => {
                let op = *self.choices.pick(&["<", "<=", ">", ">="]);
                format!(
                    "{} {op} {}",
                    self.expr(&GeneratedType::Integer, depth),
                    self.expr(&GeneratedType::Integer, depth)
                )
            }
            _ => {
                let set = GeneratedType::pow(ty);
                match self.choices.below(3) {
                    0 => self.choices.pick(&["btrue", "bfalse"]).to_string(),
                    1 => format!("@finite({})", self.expr(&set, depth)),
                    _ => {
                        let (whole, part) = (self.expr(&set, depth), self.expr(&set, depth));
                        format!("@partition({whole}, {part}, {})", self.expr(&set, depth))
                    }
                }
            }
        }
    }

    /// A name in scope, or the simplest value.
    fn leaf(&mut self, ty: &GeneratedType) -> String {
        let names: Vec<&String> = self.scope.iter().filter(|(_, known)| known == ty).map(|(name, _)| name).collect();
        let which = self.choices.below(names.len() + 1);
        if let Some(name) = which.checked_sub(1).and_then(|idx| names.get(idx)) {
            return (*name).clone();
        }
        match ty {
            GeneratedType::Integer => self.choices.pick(&["0", "1", "2", "3", "(-1)", "MAXINT", "MININT"]).to_string(),
            GeneratedType::Bool => self.choices.pick(&["TRUE", "FALSE"]).to_string(),
            GeneratedType::String => self.choices.pick(&["\"\"", "\"a\"", "\"bc\"", "'''d'''"]).to_string(),
            GeneratedType::Real => self.choices.pick(&["0.0", "1.5", "(-2.25)"]).to_string(),
            GeneratedType::Given(set) => {
                let elements = self.sets[*set].1.clone();
                if elements.is_empty() { self.named(ty) } else { self.choices.pick(&elements).clone() }
            }
            GeneratedType::Pow(elem) => format!("{{{}}}", self.leaf(elem)),
            GeneratedType::Pair(first, second) => format!("({} |-> {})", self.leaf(first), self.leaf(second)),
            GeneratedType::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name} : {}", self.leaf(ty))).collect();
                format!("rec({})", fields.join(", "))
            }
        }
    }

    /// The first name of a type.
    fn named(&self, ty: &GeneratedType) -> String {
        let found = self.scope.iter().find(|(_, known)| known == ty);
        found.map(|(name, _)| name.clone()).expect("every deferred set has a named element")
    }

    /// What every type has: application, projections, fields, IF, LET, definitions.
    fn of_any_type(&mut self, ty: &GeneratedType, depth: usize) -> String {
        let other = self.element_type();
        match self.choices.below(9) {
            0 => format!(
                "{}({})",
                self.expr(&GeneratedType::relation(other.clone(), ty.clone()), depth),
                self.expr(&other, depth)
            ),
            1 => format!("IF {} THEN {} ELSE {} END", self.pred(depth), self.expr(ty, depth), self.expr(ty, depth)),
            2 => {
                let value = self.expr(&other, depth);
                let (name, body) = self.bound(&other, |this| this.expr(ty, depth));
                format!("LET {name} BE {name} = {value} IN {body} END")
            }
            3 => {
                let function = *self.choices.pick(&["first", "last"]);
                format!("{function}({})", self.expr(&GeneratedType::sequence(ty.clone()), depth))
            }
            4 => format!("prj1({})", self.expr(&GeneratedType::pair(ty.clone(), other), depth)),
            5 => format!("prj2({})", self.expr(&GeneratedType::pair(other, ty.clone()), depth)),
            6 => format!("{}'n", self.expr(&GeneratedType::Record(vec![("a", other), ("n", ty.clone())]), depth)),
            7 if self.config.trees => format!("top({})", self.expr(&GeneratedType::tree(ty.clone()), depth)),
            _ => {
                let known = self.definitions.iter().find(|(_, _, result)| result == ty).cloned();
                match known {
                    Some((name, param, _)) => format!("{name}({})", self.expr(&param, depth)),
                    None => self.leaf(ty),
                }
            }
        }
    }

    fn operator(&mut self, ty: &GeneratedType, depth: usize) -> String {
        match ty {
            GeneratedType::Integer => self.integer(depth),
            GeneratedType::Bool => format!("bool({})", self.pred(depth)),
            GeneratedType::String => {
                let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
                if self.choices.below(2) == 0 { format!("({left} ^ {right})") } else { format!("rev({left})") }
            }
            GeneratedType::Real => match self.choices.below(5) {
                0 => format!("real({})", self.expr(&GeneratedType::Integer, depth)),
                1 => format!("(-{})", self.parenthesised(ty, depth)),
                _ => {
                    let op = *self.choices.pick(&["+", "-", "*", "/"]);
                    format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
                }
            },
            GeneratedType::Given(_) => self.of_any_type(ty, depth),
            GeneratedType::Pair(first, second) => match self.choices.below(2) {
                0 => format!("({} |-> {})", self.expr(first, depth), self.expr(second, depth)),
                _ => format!("({}, {})", self.expr(first, depth), self.expr(second, depth)),
            },
            GeneratedType::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name} : {}", self.expr(ty, depth))).collect();
                format!("rec({})", fields.join(", "))
            }
            GeneratedType::Pow(elem) => match &**elem {
                GeneratedType::Integer if self.choices.below(3) == 0 => self.integers(depth),
                GeneratedType::Pow(inner) if self.choices.below(3) > 0 => self.family(inner, depth),
                GeneratedType::Pair(first, second) if self.choices.below(3) > 0 => self.relation(first, second, depth),
                elem => self.set(elem, depth),
            },
        }
    }

    fn parenthesised(&mut self, ty: &GeneratedType, depth: usize) -> String {
        format!("({})", self.expr(ty, depth))
    }

    fn integer(&mut self, depth: usize) -> String {
        let ty = GeneratedType::Integer;
        match self.choices.below(12) {
            0..=3 => {
                let op = *self.choices.pick(&["+", "-", "*", "/", "mod"]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            4 => format!("({} ** {})", self.expr(&ty, depth), self.choices.pick(&["2", "0", "3"])),
            5 => format!("(-{})", self.parenthesised(&ty, depth)),
            6 => {
                let set = GeneratedType::pow(self.element_type());
                format!("card({})", self.expr(&set, depth))
            }
            7 => {
                let function = *self.choices.pick(&["max", "min"]);
                format!("{function}({})", self.expr(&GeneratedType::pow(ty), depth))
            }
            8 => {
                let word = *self.choices.pick(&["SIGMA", "PI"]);
                let over = self.element_type();
                let (name, (guard, body)) = self.bound(&over, |this| (this.pred(depth), this.expr(&ty, depth)));
                format!("{word}({name}).({name} : {} & {guard} | {body})", self.range(&over))
            }
            9 => {
                let elem = if self.config.strings && self.choices.below(3) == 1 {
                    GeneratedType::String
                } else {
                    GeneratedType::sequence(self.base_type())
                };
                format!("size({})", self.expr(&elem, depth))
            }
            10 if self.config.trees => {
                let tree = GeneratedType::tree(self.base_type());
                match self.choices.below(3) {
                    0 => format!("sizet({})", self.expr(&tree, depth)),
                    1 => format!("arity({}, {})", self.expr(&tree, depth), self.path(depth)),
                    _ => format!("rank({}, {})", self.expr(&tree, depth), self.path(depth)),
                }
            }
            11 if self.config.reals => {
                let function = *self.choices.pick(&["floor", "ceiling"]);
                format!("{function}({})", self.expr(&GeneratedType::Real, depth))
            }
            _ => format!("{}({})", self.choices.pick(&["succ", "pred"]), self.expr(&ty, depth)),
        }
    }

    fn path(&mut self, depth: usize) -> String {
        self.expr(&GeneratedType::sequence(GeneratedType::Integer), depth)
    }

    fn integers(&mut self, depth: usize) -> String {
        match self.choices.below(4) {
            0..=2 => format!(
                "({} .. {})",
                self.expr(&GeneratedType::Integer, depth),
                self.expr(&GeneratedType::Integer, depth)
            ),
            _ => self.choices.pick(&["INT", "NAT", "NAT1"]).to_string(),
        }
    }

    /// What every set type has.
    fn set(&mut self, elem: &GeneratedType, depth: usize) -> String {
        let ty = GeneratedType::pow(elem.clone());
        let other = self.element_type();
        match self.choices.below(13) {
            0 | 1 => {
                let n_items = 1 + self.choices.below(3);
                let items: Vec<String> = (0..n_items).map(|_| self.expr(elem, depth)).collect();
                format!("{{{}}}", items.join(", "))
            }
            2..=4 => {
                let op = *self.choices.pick(&["\\/", "/\\", "-", "\\"]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            5 => {
                let (name, body) = self.bound(elem, |this| this.pred(depth));
                let range = self.expr(&ty, depth);
                format!("{{{name} | {name} : {range} & {body}}}")
            }
            6 => {
                let (name, (guard, body)) = self.bound(&other, |this| (this.pred(depth), this.expr(elem, depth)));
                format!("{{({name}).{name} : {} & {guard} | {body}}}", self.range(&other))
            }
            7 => {
                let function = *self.choices.pick(&["union", "inter"]);
                format!("{function}({})", self.expr(&GeneratedType::pow(ty), depth))
            }
            8 => {
                let word = *self.choices.pick(&["UNION", "INTER"]);
                let (name, (guard, body)) = self.bound(&other, |this| (this.pred(depth), this.expr(&ty, depth)));
                format!("{word}({name}).({name} : {} & {guard} | {body})", self.range(&other))
            }
            9 => format!("dom({})", self.expr(&GeneratedType::relation(elem.clone(), other), depth)),
            10 => format!("ran({})", self.expr(&GeneratedType::relation(other, elem.clone()), depth)),
            11 => {
                let relation = GeneratedType::relation(other.clone(), elem.clone());
                format!("{}[{}]", self.expr(&relation, depth), self.expr(&GeneratedType::pow(other), depth))
            }
            _ => match elem {
                GeneratedType::Record(fields) => {
                    let field = |(name, ty): &(&str, GeneratedType)| {
                        format!("{name} : {}", self.expr(&GeneratedType::pow(ty.clone()), depth))
                    };
                    let fields: Vec<String> = fields.iter().map(field).collect();
                    format!("struct({})", fields.join(", "))
                }
                elem => self.operand_range(elem),
            },
        }
    }

    /// Sets of sets.
    fn family(&mut self, inner: &GeneratedType, depth: usize) -> String {
        match inner {
            GeneratedType::Pair(first, second) if self.choices.below(2) == 1 => {
                if **first == GeneratedType::Integer && self.choices.below(2) == 1 {
                    let function = *self.choices.pick(&["seq", "seq1", "iseq", "iseq1", "perm"]);
                    return format!("{function}({})", self.expr(&GeneratedType::pow((**second).clone()), depth));
                }
                let op = *self.choices.pick(&ARROWS);
                let (first, second) = (GeneratedType::pow((**first).clone()), GeneratedType::pow((**second).clone()));
                format!("({} {op} {})", self.expr(&first, depth), self.expr(&second, depth))
            }
            inner => {
                let function = *self.choices.pick(&["POW", "POW1", "FIN", "FIN1"]);
                format!("{function}({})", self.expr(&GeneratedType::pow(inner.clone()), depth))
            }
        }
    }

    fn relation(&mut self, first: &GeneratedType, second: &GeneratedType, depth: usize) -> String {
        match (first, second) {
            (GeneratedType::Integer, _) if self.choices.below(2) == 1 => return self.sequence(second, depth),
            (_, label)
                if *first == GeneratedType::sequence(GeneratedType::Integer)
                    && self.config.trees
                    && self.choices.below(2) == 1 =>
            {
                return self.tree(label, depth);
            }
            _ if first == second && self.choices.below(3) == 1 => return self.homogeneous(first, depth),
            (_, GeneratedType::Pow(image)) if self.choices.below(5) == 1 => {
                return format!(
                    "fnc({})",
                    self.expr(&GeneratedType::relation(first.clone(), (**image).clone()), depth)
                );
            }
            (GeneratedType::Pair(a, b), GeneratedType::Pair(c, d)) if self.choices.below(4) == 1 => {
                let left = GeneratedType::relation((**a).clone(), (**c).clone());
                let right = GeneratedType::relation((**b).clone(), (**d).clone());
                return format!("({} || {})", self.expr(&left, depth), self.expr(&right, depth));
            }
            (_, GeneratedType::Pair(a, b)) if self.choices.below(4) == 1 => {
                let left = GeneratedType::relation(first.clone(), (**a).clone());
                let right = GeneratedType::relation(first.clone(), (**b).clone());
                return format!("({} >< {})", self.expr(&left, depth), self.expr(&right, depth));
            }
            (GeneratedType::Pair(a, b), _) if (**a == *second || **b == *second) && self.choices.below(3) == 1 => {
                let function = if **a == *second { "prj1" } else { "prj2" };
                let (left, right) = (GeneratedType::pow((**a).clone()), GeneratedType::pow((**b).clone()));
                return format!("{function}({}, {})", self.expr(&left, depth), self.expr(&right, depth));
            }
            _ => {}
        }
        self.any_relation(first, second, depth)
    }

    fn any_relation(&mut self, first: &GeneratedType, second: &GeneratedType, depth: usize) -> String {
        let ty = GeneratedType::relation(first.clone(), second.clone());
        let (domain, range) = (GeneratedType::pow(first.clone()), GeneratedType::pow(second.clone()));
        match self.choices.below(10) {
            0 => format!("({} * {})", self.expr(&domain, depth), self.expr(&range, depth)),
            1 => format!("({} × {})", self.expr(&domain, depth), self.expr(&range, depth)),
            2 => {
                let op = *self.choices.pick(&["<|", "<<|"]);
                format!("({} {op} {})", self.expr(&domain, depth), self.expr(&ty, depth))
            }
            3 => {
                let op = *self.choices.pick(&["|>", "|>>"]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&range, depth))
            }
            4 => format!("({} <+ {})", self.expr(&ty, depth), self.expr(&ty, depth)),
            5 => format!("{}~", self.parenthesised(&GeneratedType::relation(second.clone(), first.clone()), depth)),
            6 => {
                let (name, (guard, body)) = self.bound(first, |this| (this.pred(depth), this.expr(second, depth)));
                format!("%{name}.({name} : {} & {guard} | {body})", self.expr(&domain, depth))
            }
            7 => {
                let middle = self.element_type();
                let left = GeneratedType::relation(first.clone(), middle.clone());
                let right = GeneratedType::relation(middle, second.clone());
                let (left, right) = (self.expr(&left, depth), self.expr(&right, depth));
                if self.choices.below(2) == 0 { format!("({left} ; {right})") } else { format!("({right} ∘ {left})") }
            }
            8 => format!("rel({})", self.expr(&GeneratedType::relation(first.clone(), range), depth)),
            _ => {
                let (left, right) = (self.fresh_name(), self.fresh_name());
                self.scope.extend([(left.clone(), first.clone()), (right.clone(), second.clone())]);
                let body = self.pred(depth);
                self.scope.truncate(self.scope.len() - 2);
                format!(
                    "{{{left}, {right} | {left} : {} & {right} : {} & {body}}}",
                    self.range(first),
                    self.range(second)
                )
            }
        }
    }

    /// Relations on one type.
    fn homogeneous(&mut self, elem: &GeneratedType, depth: usize) -> String {
        let ty = GeneratedType::relation(elem.clone(), elem.clone());
        match self.choices.below(4) {
            0 => format!("id({})", self.expr(&GeneratedType::pow(elem.clone()), depth)),
            1 => format!("closure1({})", self.expr(&ty, depth)),
            2 => format!("closure({})", self.expr(&ty, depth)),
            _ => format!("iterate({}, {})", self.expr(&ty, depth), self.choices.pick(&["0", "1", "2"])),
        }
    }

    fn sequence(&mut self, elem: &GeneratedType, depth: usize) -> String {
        let ty = GeneratedType::sequence(elem.clone());
        match self.choices.below(8) {
            0 | 1 => {
                let n_items = 1 + self.choices.below(3);
                let items: Vec<String> = (0..n_items).map(|_| self.expr(elem, depth)).collect();
                format!("[{}]", items.join(", "))
            }
            2 => {
                let left = if self.choices.below(3) == 1 { "[]".to_owned() } else { self.expr(&ty, depth) };
                format!("({left} ^ {})", self.expr(&ty, depth))
            }
            3 => format!("({} -> {})", self.expr(elem, depth), self.expr(&ty, depth)),
            4 => format!("({} <- {})", self.expr(&ty, depth), self.expr(elem, depth)),
            5 => {
                let op = *self.choices.pick(&["/|\\", "\\|/"]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&GeneratedType::Integer, depth))
            }
            6 => format!("conc({})", self.expr(&GeneratedType::sequence(ty), depth)),
            _ => {
                let function = *self.choices.pick(&["front", "tail", "rev"]);
                format!("{function}({})", self.expr(&ty, depth))
            }
        }
    }

    fn tree(&mut self, label: &GeneratedType, depth: usize) -> String {
        let ty = GeneratedType::tree(label.clone());
        match self.choices.below(6) {
            0 | 1 => format!("bin({})", self.expr(label, depth)),
            2 => format!("bin({}, {}, {})", self.expr(&ty, depth), self.expr(label, depth), self.expr(&ty, depth)),
            3 => format!("const({}, {})", self.expr(label, depth), self.expr(&GeneratedType::sequence(ty), depth)),
            4 => format!("subtree({}, {})", self.expr(&ty, depth), self.path(depth)),
            _ => {
                let function = *self.choices.pick(&["mirror", "left", "right"]);
                format!("{function}({})", self.expr(&ty, depth))
            }
        }
    }

    /// Runs `content` with a fresh name in scope, and returns the name as well.
    pub(super) fn bound<R>(&mut self, ty: &GeneratedType, content: impl FnOnce(&mut Self) -> R) -> (String, R) {
        let name = self.fresh_name();
        self.scope.push((name.clone(), ty.clone()));
        let result = content(self);
        self.scope.pop();
        (name, result)
    }
}
