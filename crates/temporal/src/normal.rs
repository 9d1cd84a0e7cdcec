//! Negation normal forms over future operators: [`Forms`].
//!
//! Paths may be finite, so there are two next operators: `X φ` asks for a step, `N φ` (weak next) holds where the path ends. Both are
//! needed, because they are each other's negations; with one of them, `not X φ` would have no normal form. `U` ends its waiting where
//! the path ends, unsatisfied; `R` satisfied. Forms exist once, and constructors simplify.
//!
//! Every rule has a dual, and disjunction, release and weak next are built as negations of conjunction, until and next. So
//! there is one place for each rule, and a wrong rule shows twice. Rules are from Somenzi and Bloem, "Efficient Büchi automata from LTL formulae"
//! (2000) and Etessami and Holzmann, "Optimizing Büchi automata" (2000), less those that are false on finite paths: `X G F φ` is not
//! `G F φ` in a last state.

use abridge_diag::with_stack;
use rustc_hash::FxHashMap;

/// A form in a [`Forms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Nf(u32);

pub(crate) const FALSE: Nf = Nf(0);
pub(crate) const TRUE: Nf = Nf(1);

/// A proposition: an atom of the formula, the value of a monitor, or a hidden one. The numbers are those of BDD variables.
pub(crate) type PropVar = u32;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Form {
    Const(bool),
    Literal(PropVar, bool),
    /// At least two forms, ascending.
    And(Box<[Nf]>),
    Or(Box<[Nf]>),
    /// Strong: there is a step.
    Next(Nf),
    /// Weak: true where the path ends.
    WeakNext(Nf),
    Until(Nf, Nf),
    Release(Nf, Nf),
}

#[derive(Clone, Copy, Default, Debug)]
struct Traits {
    /// No temporal operator.
    is_propositional: bool,
    /// What satisfies the form still does with any prefix.
    is_eventual: bool,
    /// All suffixes of what satisfies the form do, too.
    is_universal: bool,
}

/// Beyond this many forms in all, or parts of one conjunction, the comparisons of simplification are left out: they would take longer than the
/// formula is worth.
const MAX_COMPARED_FORMS: usize = 4_000;
const MAX_COMPARED_PARTS: usize = 40;

/// All forms of a translation, each once.
#[derive(Clone, Debug)]
pub(crate) struct Forms {
    list: Vec<Form>,
    traits: Vec<Traits>,
    ids: FxHashMap<Form, Nf>,
    negations: FxHashMap<Nf, Nf>,
    implications: FxHashMap<(Nf, Nf), bool>,
    /// What [`Forms::until`] has made.
    untils: FxHashMap<(Nf, Nf), Nf>,
}

impl Forms {
    pub(crate) fn new() -> Forms {
        let mut forms = Forms {
            list: Vec::new(),
            traits: Vec::new(),
            ids: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
            untils: FxHashMap::default(),
        };
        forms.intern(Form::Const(false));
        forms.intern(Form::Const(true));
        forms
    }

    pub(crate) fn get(&self, form: Nf) -> &Form {
        &self.list[form.0 as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn is_propositional(&self, form: Nf) -> bool {
        self.traits[form.0 as usize].is_propositional
    }

    fn is_eventual(&self, form: Nf) -> bool {
        self.traits[form.0 as usize].is_eventual
    }

    fn is_universal(&self, form: Nf) -> bool {
        self.traits[form.0 as usize].is_universal
    }

    fn intern(&mut self, form: Form) -> Nf {
        if let Some(known) = self.ids.get(&form) {
            return *known;
        }
        let id = Nf(self.list.len() as u32);
        self.traits.push(self.traits_of(&form));
        self.list.push(form.clone());
        self.ids.insert(form, id);
        id
    }

    fn traits_of(&self, form: &Form) -> Traits {
        let of = |form: &Nf| self.traits[form.0 as usize];
        match form {
            Form::Const(_) => Traits { is_propositional: true, is_eventual: true, is_universal: true },
            Form::Literal(..) => Traits { is_propositional: true, ..Traits::default() },
            Form::And(parts) | Form::Or(parts) => Traits {
                is_propositional: parts.iter().all(|part| of(part).is_propositional),
                is_eventual: parts.iter().all(|part| of(part).is_eventual),
                is_universal: parts.iter().all(|part| of(part).is_universal),
            },
            Form::Next(operand) => Traits { is_eventual: of(operand).is_eventual, ..Traits::default() },
            Form::WeakNext(operand) => Traits { is_universal: of(operand).is_universal, ..Traits::default() },
            Form::Until(left, right) => Traits {
                is_propositional: false,
                is_eventual: *left == TRUE || of(right).is_eventual,
                is_universal: of(right).is_universal,
            },
            Form::Release(left, right) => Traits {
                is_propositional: false,
                is_eventual: of(right).is_eventual,
                is_universal: *left == FALSE || of(right).is_universal,
            },
        }
    }

    pub(crate) fn literal(&mut self, var: PropVar, is_positive: bool) -> Nf {
        self.intern(Form::Literal(var, is_positive))
    }

    pub(crate) fn constant(value: bool) -> Nf {
        if value { TRUE } else { FALSE }
    }

    /// The negation. Simplified forms have simplified negations, because each rule has its dual.
    pub(crate) fn not(&mut self, form: Nf) -> Nf {
        if let Some(known) = self.negations.get(&form) {
            return *known;
        }
        let negated = with_stack(|| match self.get(form).clone() {
            Form::Const(value) => Forms::constant(!value),
            Form::Literal(var, value) => self.literal(var, !value),
            Form::And(parts) => {
                let parts = self.not_all(&parts);
                self.intern(Form::Or(parts))
            }
            Form::Or(parts) => {
                let parts = self.not_all(&parts);
                self.intern(Form::And(parts))
            }
            Form::Next(operand) => {
                let operand = self.not(operand);
                self.intern(Form::WeakNext(operand))
            }
            Form::WeakNext(operand) => {
                let operand = self.not(operand);
                self.intern(Form::Next(operand))
            }
            Form::Until(left, right) => {
                let (left, right) = (self.not(left), self.not(right));
                self.intern(Form::Release(left, right))
            }
            Form::Release(left, right) => {
                let (left, right) = (self.not(left), self.not(right));
                self.intern(Form::Until(left, right))
            }
        });
        self.negations.insert(form, negated);
        self.negations.insert(negated, form);
        negated
    }

    fn not_all(&mut self, parts: &[Nf]) -> Box<[Nf]> {
        let mut parts: Vec<Nf> = parts.iter().map(|part| self.not(*part)).collect();
        parts.sort_unstable();
        parts.into()
    }

    pub(crate) fn or(&mut self, parts: Vec<Nf>) -> Nf {
        let parts = parts.into_iter().map(|part| self.not(part)).collect();
        let all = self.and(parts);
        self.not(all)
    }

    pub(crate) fn or2(&mut self, left: Nf, right: Nf) -> Nf {
        self.or(vec![left, right])
    }

    pub(crate) fn and2(&mut self, left: Nf, right: Nf) -> Nf {
        self.and(vec![left, right])
    }

    pub(crate) fn release(&mut self, left: Nf, right: Nf) -> Nf {
        let (left, right) = (self.not(left), self.not(right));
        let until = self.until(left, right);
        self.not(until)
    }

    pub(crate) fn weak_next(&mut self, operand: Nf) -> Nf {
        let operand = self.not(operand);
        let next = self.next(operand);
        self.not(next)
    }

    pub(crate) fn finally(&mut self, operand: Nf) -> Nf {
        self.until(TRUE, operand)
    }

    pub(crate) fn globally(&mut self, operand: Nf) -> Nf {
        self.release(FALSE, operand)
    }

    pub(crate) fn next(&mut self, operand: Nf) -> Nf {
        if operand == FALSE { FALSE } else { self.intern(Form::Next(operand)) }
    }

    pub(crate) fn until(&mut self, left: Nf, right: Nf) -> Nf {
        if let Some(known) = self.untils.get(&(left, right)) {
            return *known;
        }
        let until = with_stack(|| self.until_here(left, right));
        self.untils.insert((left, right), until);
        until
    }

    fn until_here(&mut self, left: Nf, right: Nf) -> Nf {
        if left == FALSE || self.is_eventual(right) || self.implies(left, right) {
            return right;
        }
        let not_right = self.not(right);
        let left = if self.implies(not_right, left) { TRUE } else { left };
        match (self.get(left).clone(), self.get(right).clone()) {
            // a U (c U d) = c U d if a implies c, among them F (c U d).
            (_, Form::Until(inner, _)) if self.implies(left, inner) => return right,
            (Form::Const(true), Form::Until(_, last)) => return self.until(TRUE, last),
            (Form::Until(_, last), _) if last == right => return left,
            // F X d = X F d: both ask for a step to a place from which d comes.
            (Form::Const(true), Form::Next(operand)) => {
                let finally = self.finally(operand);
                return self.next(finally);
            }
            (Form::Next(first), Form::Next(second)) => {
                let until = self.until(first, second);
                return self.next(until);
            }
            // F (c or e) = F c or e if e is eventual; F (c & u) = F c & u if u is eventual and universal.
            (Form::Const(true), Form::Or(parts)) => return self.finally_or(&parts),
            (Form::Const(true), Form::And(parts)) => {
                let is_alternating = |part: &Nf| self.is_eventual(*part) && self.is_universal(*part);
                let (mut outside, inside): (Vec<Nf>, Vec<Nf>) = parts.iter().partition(|part| is_alternating(part));
                if !outside.is_empty() {
                    let inside = self.and(inside);
                    outside.push(self.finally(inside));
                    return self.and(outside);
                }
            }
            _ => {}
        }
        self.intern(Form::Until(left, right))
    }

    fn finally_or(&mut self, parts: &[Nf]) -> Nf {
        let (mut outside, inside): (Vec<Nf>, Vec<Nf>) = parts.iter().partition(|part| self.is_eventual(**part));
        if outside.is_empty() {
            let all = self.intern(Form::Or(parts.into()));
            return self.intern(Form::Until(TRUE, all));
        }
        let inside = self.or(inside);
        outside.push(self.finally(inside));
        self.or(outside)
    }

    pub(crate) fn and(&mut self, parts: Vec<Nf>) -> Nf {
        with_stack(|| self.and_here(parts))
    }

    fn and_here(&mut self, parts: Vec<Nf>) -> Nf {
        let mut flat: Vec<Nf> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.get(part) {
                Form::And(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|part| *part != TRUE);
        if flat.contains(&FALSE) {
            return FALSE;
        }
        let kept = if flat.len() > MAX_COMPARED_PARTS {
            flat
        } else {
            if let Some(merged) = self.merge(&flat) {
                return self.and(merged);
            }
            let Some(kept) = self.without_implied(&flat) else { return FALSE };
            kept
        };
        match kept.as_slice() {
            [] => TRUE,
            [only] => *only,
            _ => self.intern(Form::And(kept.into())),
        }
    }

    /// The conjunction of obligations, none of them dropped for the sake of another.
    pub(crate) fn obligations(&mut self, mut parts: Vec<Nf>) -> Nf {
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [] => TRUE,
            [only] => *only,
            _ => self.intern(Form::And(parts.into())),
        }
    }

    /// Conjuncts that no other implies; `None` if two exclude each other.
    fn without_implied(&mut self, parts: &[Nf]) -> Option<Vec<Nf>> {
        let mut kept: Vec<Nf> = parts.to_vec();
        for (idx, left) in parts.iter().enumerate() {
            let not_left = self.not(*left);
            if parts.contains(&not_left) || parts[idx + 1..].iter().any(|right| self.implies(*right, not_left)) {
                return None;
            }
            if parts.iter().any(|right| right != left && kept.contains(right) && self.implies(*right, *left)) {
                kept.retain(|part| part != left);
            }
        }
        Some(kept)
    }

    /// Two conjuncts made one: next operators, releases with one left side, untils with one right side, `F G`.
    fn merge(&mut self, parts: &[Nf]) -> Option<Vec<Nf>> {
        for (idx, first) in parts.iter().enumerate() {
            let first_form = self.get(*first).clone();
            if matches!(first_form, Form::Const(_) | Form::Literal(..) | Form::And(_) | Form::Or(_)) {
                continue;
            }
            for (second_idx, second) in parts.iter().enumerate().skip(idx + 1) {
                let Some(merged) = self.merge_two(&first_form, *second) else { continue };
                let others = parts.iter().enumerate().filter(|(other, _)| *other != idx && *other != second_idx);
                return Some(others.map(|(_, part)| *part).chain([merged]).collect());
            }
        }
        None
    }

    fn merge_two(&mut self, first: &Form, second: Nf) -> Option<Nf> {
        match (first, self.get(second).clone()) {
            (Form::Next(left), Form::Next(right) | Form::WeakNext(right))
            | (Form::WeakNext(left), Form::Next(right)) => {
                let both = self.and2(*left, right);
                Some(self.next(both))
            }
            (Form::WeakNext(left), Form::WeakNext(right)) => {
                let both = self.and2(*left, right);
                Some(self.weak_next(both))
            }
            (Form::Release(left, first), Form::Release(other, second)) if *left == other => {
                let both = self.and2(*first, second);
                Some(self.release(other, both))
            }
            (Form::Until(first, right), Form::Until(second, other)) if *right == other => {
                let both = self.and2(*first, second);
                Some(self.until(both, other))
            }
            (Form::Until(TRUE, first), Form::Until(TRUE, second)) => {
                let (Form::Release(FALSE, first), Form::Release(FALSE, second)) = (self.get(*first), self.get(second))
                else {
                    return None;
                };
                let (first, second) = (*first, *second);
                let both = self.and2(first, second);
                let globally = self.globally(both);
                Some(self.finally(globally))
            }
            _ => None,
        }
    }

    /// Implication as far as the forms show it.
    pub(crate) fn implies(&mut self, left: Nf, right: Nf) -> bool {
        if left == right || left == FALSE || right == TRUE {
            return true;
        }
        if left == TRUE || right == FALSE || self.len() > MAX_COMPARED_FORMS {
            return false;
        }
        if let Some(known) = self.implications.get(&(left, right)) {
            return *known;
        }
        let answer = with_stack(|| self.implies_by_left(left, right) || self.implies_by_right(left, right));
        self.implications.insert((left, right), answer);
        answer
    }

    fn implies_by_left(&mut self, left: Nf, right: Nf) -> bool {
        let is_eventual = self.is_eventual(right);
        match self.get(left).clone() {
            Form::Or(parts) => parts.iter().all(|part| self.implies(*part, right)),
            Form::And(parts) => parts.iter().any(|part| self.implies(*part, right)),
            Form::Until(first, second) => {
                self.implies(second, right)
                    && (is_eventual || self.implies(first, right) || self.until_within(first, right))
            }
            Form::Release(_, second) => self.implies(second, right),
            Form::Next(operand) => {
                is_eventual && self.implies(operand, right)
                    || match *self.get(right) {
                        Form::Next(other) | Form::WeakNext(other) => self.implies(operand, other),
                        _ => false,
                    }
            }
            Form::WeakNext(operand) => match *self.get(right) {
                Form::WeakNext(other) => self.implies(operand, other),
                _ => false,
            },
            Form::Const(_) | Form::Literal(..) => false,
        }
    }

    /// Waiting in `first` for `right`, which is an until, is waiting for it.
    fn until_within(&mut self, first: Nf, right: Nf) -> bool {
        match *self.get(right) {
            Form::Until(waiting, _) => self.implies(first, waiting),
            _ => false,
        }
    }

    fn implies_by_right(&mut self, left: Nf, right: Nf) -> bool {
        let is_universal = self.is_universal(left);
        match self.get(right).clone() {
            Form::And(parts) => parts.iter().all(|part| self.implies(left, *part)),
            Form::Or(parts) => parts.iter().any(|part| self.implies(left, *part)),
            Form::Release(first, second) => {
                self.implies(left, second)
                    && (is_universal || self.implies(left, first) || self.releases_within(left, first))
            }
            Form::Until(_, second) => self.implies(left, second),
            Form::WeakNext(operand) => is_universal && self.implies(left, operand),
            Form::Const(_) | Form::Literal(..) | Form::Next(_) => false,
        }
    }

    /// What releases `left`, which is a release, implies `first`.
    fn releases_within(&mut self, left: Nf, first: Nf) -> bool {
        match *self.get(left) {
            Form::Release(releasing, _) => self.implies(releasing, first),
            _ => false,
        }
    }
}
