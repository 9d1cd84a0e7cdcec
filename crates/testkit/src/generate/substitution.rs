//! Random substitutions that assign given variables.

use super::{GeneratedType, Generator};
use crate::Choose as _;

impl Generator<'_> {
    /// A substitution that assigns none but the targets, in parallel each at most once.
    pub fn subst(&mut self, targets: &[(String, GeneratedType)], depth: usize) -> String {
        if depth == 0 || targets.is_empty() {
            return self.assignment(targets, 1);
        }
        let depth = depth - 1;
        match self.choices.below(16) {
            0..=3 => self.assignment(targets, depth),
            4 | 5 => {
                let (left, right) = targets.split_at(self.choices.below(targets.len()));
                format!("{} || {}", self.subst(left, depth), self.subst(right, depth))
            }
            6 => format!("BEGIN {} ; {} END", self.subst(targets, depth), self.subst(targets, depth)),
            7 => {
                let word = *self.choices.pick(&["PRE", "ASSERT", "SELECT"]);
                format!("{word} {} THEN {} END", self.pred(depth), self.subst(targets, depth))
            }
            8 => format!(
                "SELECT {} THEN {} WHEN {} THEN {} ELSE {} END",
                self.pred(depth),
                self.subst(targets, depth),
                self.pred(depth),
                self.subst(targets, depth),
                self.subst(targets, depth)
            ),
            9 => format!("IF {} THEN {} END", self.pred(depth), self.subst(targets, depth)),
            10 => format!(
                "IF {} THEN {} ELSIF {} THEN {} ELSE {} END",
                self.pred(depth),
                self.subst(targets, depth),
                self.pred(depth),
                self.subst(targets, depth),
                self.subst(targets, depth)
            ),
            11 => format!("CHOICE {} OR {} END", self.subst(targets, depth), self.subst(targets, depth)),
            12 => {
                let (value, first) = (self.expr(&GeneratedType::Integer, depth), self.subst(targets, depth));
                let (second, otherwise) = (self.subst(targets, depth), self.subst(targets, depth));
                format!("CASE {value} OF EITHER 0 THEN {first} OR 1, 2 THEN {second} ELSE {otherwise} END END")
            }
            13 => {
                let ty = self.element_type();
                let (name, (guard, body)) = self.bound(&ty, |this| (this.pred(depth), this.subst(targets, depth)));
                format!("ANY {name} WHERE {name} : {} & {guard} THEN {body} END", self.range(&ty))
            }
            14 => {
                let ty = self.element_type();
                let value = self.expr(&ty, depth);
                let (name, body) = self.bound(&ty, |this| this.subst(targets, depth));
                format!("LET {name} BE {name} = {value} IN {body} END")
            }
            _ => self.local_variable(targets, depth),
        }
    }

    fn assignment(&mut self, targets: &[(String, GeneratedType)], depth: usize) -> String {
        if targets.is_empty() {
            return "skip".to_owned();
        }
        let (name, ty) = self.choices.pick(targets).clone();
        match (self.choices.below(8), &ty) {
            (0, _) => "skip".to_owned(),
            (1, _) => format!("{name} :: {}", self.range(&ty)),
            (2, _) => format!("{name} : ({name} : {} & {})", self.range(&ty), self.pred(depth)),
            (3, GeneratedType::Pow(_)) => format!("{name} := {{}}"),
            (4, GeneratedType::Pow(elem)) if matches!(**elem, GeneratedType::Pair(..)) => {
                let GeneratedType::Pair(from, to) = &**elem else { return "skip".to_owned() };
                format!("{name}({}) := {}", self.expr(from, depth), self.expr(to, depth))
            }
            (5, GeneratedType::Record(fields)) => {
                let (field, field_ty) = self.choices.pick(fields).clone();
                format!("{name}'{field} := {}", self.expr(&field_ty, depth))
            }
            (6, _) if targets.len() > 1 => {
                let names: Vec<&str> = targets.iter().map(|(name, _)| name.as_str()).collect();
                let values: Vec<String> = targets.iter().map(|(_, ty)| self.expr(ty, depth)).collect();
                format!("{} := {}", names.join(", "), values.join(", "))
            }
            _ => format!("{name} := {}", self.expr(&ty, depth)),
        }
    }

    /// A VAR block; with a loop that ends if the local counts it.
    fn local_variable(&mut self, targets: &[(String, GeneratedType)], depth: usize) -> String {
        if self.choices.below(2) == 1 {
            let (name, body) = self.bound(&GeneratedType::Integer, |this| this.subst(targets, depth));
            return format!(
                "VAR {name} IN {name} := 0; WHILE {name} < 2 DO {name} := {name} + 1 || {body} INVARIANT {name} : 0..2 VARIANT 2 - {name} \
                 END END"
            );
        }
        let ty = self.element_type();
        let value = self.expr(&ty, depth);
        let name = self.fresh_name();
        let mut inner = targets.to_vec();
        inner.push((name.clone(), ty.clone()));
        self.scope.push((name.clone(), ty));
        let body = self.subst(&inner, depth);
        self.scope.pop();
        format!("VAR {name} IN {name} := {value}; {body} END")
    }
}
