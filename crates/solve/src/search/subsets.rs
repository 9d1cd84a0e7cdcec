//! Bounds of an unknown set, and of the items of a set literal: elements that it must contain and that it cannot contain, from equations and
//! inclusions of unions, intersections and differences whose other operands are known.

use std::ops::RangeInclusive;

use abridge_eval::{ConstraintKind, Operand, Relation, Size, SymbolicSet, Unknown, Val};
use abridge_model::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use abridge_value::{Int, Set, Value, relation};

use super::choose::{Best, SolverBranch};
use super::{SearchNode, SolutionSearch, pattern};

/// Largest type that serves as an upper bound, in elements.
const MAX_TYPE_ELEMENTS: u64 = 1 << 12;
/// Largest number of sets between the bounds that are listed in advance.
const MAX_LISTED_SETS: u64 = 1 << 11;
/// Depth of nested operators that are examined.
const MAX_DEPTH: u32 = 16;

/// Bounds of an unknown set.
struct Between {
    unknown: Unknown,
    least: Set,
    /// `None` while nothing bounds it from above.
    most: Option<Set>,
    excluded: Set,
    /// Bounds of the elements, if they are integers.
    lo: Option<Int>,
    hi: Option<Int>,
    /// Bounds of the number of elements.
    fewest: Option<Int>,
    largest: Option<Int>,
    /// Some constraint gives a bound, beside the type.
    is_told: bool,
}

/// Known relation between an expression and a set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// `expr <: set`
    Within,
    /// `set <: expr`
    Contains,
    /// `expr /\ set = {}`
    Avoids,
}

impl Between {
    fn at_least(&mut self, set: &Set) {
        self.is_told |= !set.is_empty();
        self.least = self.least.union(set);
    }

    fn at_most(&mut self, set: &Set) {
        self.is_told = true;
        self.most = Some(match &self.most {
            Some(most) => most.intersection(set),
            None => set.clone(),
        });
    }

    /// Adds bounds of the elements.
    fn is_between(&mut self, lo: Option<Int>, hi: Option<Int>) {
        self.lo = self.lo.take().into_iter().chain(lo).max();
        self.hi = self.hi.take().into_iter().chain(hi).min();
    }

    /// Adds bounds of the number of elements.
    fn has(&mut self, fewest: Option<Int>, largest: Option<Int>) {
        self.is_told |= fewest.is_some() || largest.is_some();
        self.fewest = self.fewest.take().into_iter().chain(fewest).max();
        self.largest = self.largest.take().into_iter().chain(largest).min();
    }

    fn exclude(&mut self, set: &Set) {
        self.is_told |= !set.is_empty();
        self.excluded = self.excluded.union(set);
    }
}

impl SolutionSearch<'_> {
    /// Offers the sets between bounds; `false` if the bounds contradict each other.
    pub(super) fn offer_between(&self, node: &SearchNode, best: &mut Best) -> bool {
        for unknown in node.open.iter() {
            let Some(elements) = self.elements_of_type(*unknown) else { continue };
            let mut between = Between {
                unknown: *unknown,
                least: Set::EMPTY,
                most: elements,
                excluded: Set::EMPTY,
                lo: None,
                hi: None,
                fewest: None,
                largest: None,
                is_told: false,
            };
            for constraint in node.constraints.iter().filter(|constraint| constraint.mentions(*unknown)) {
                if let ConstraintKind::Relation(relation, left, right) = &constraint.kind {
                    self.bound_set(*relation, left, right, node, &mut between);
                }
            }
            if let (Some(lo), Some(hi)) = (between.lo.clone(), between.hi.clone()) {
                between.at_most(&Set::interval(lo, hi));
            }
            if between.is_told && !offer(&between, best) {
                return false;
            }
        }
        true
    }

    /// Candidates for the items of a set literal within a known set: `{a, b} \/ {c} = S`, `{x |-> y} <: r`.
    pub(super) fn offer_items(&self, node: &SearchNode, best: &mut Best) {
        for (idx, constraint) in node.constraints.iter().enumerate() {
            let ConstraintKind::Relation(relation @ (Relation::Equal | Relation::Subset), left, right) =
                &constraint.kind
            else {
                continue;
            };
            self.offer_items_of(idx, left, right, node, best);
            if *relation == Relation::Equal {
                self.offer_items_of(idx, right, left, node, best);
            }
        }
    }

    fn offer_items_of(&self, constraint: usize, expr: &Operand, whole: &Operand, node: &SearchNode, best: &mut Best) {
        let Operand::Expr(id) = expr else { return };
        let mut items = Vec::new();
        self.open_items(*id, node, &mut items);
        if items.is_empty() {
            return;
        }
        let Some(set) = self.known_set(whole, node) else { return };
        for item in items {
            let (pattern, set) = (Operand::Expr(item), set.clone());
            best.offer(set.len(), SolverBranch::Elements { constraint, pattern, set: set.into(), exact: false });
        }
    }

    /// Collects the items with unknowns in the set literals of a union.
    fn open_items(&self, id: ExprId, node: &SearchNode, out: &mut Vec<ExprId>) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match self.session.model().expr(id) {
                Expr::Binary(BinaryOp::Union, left, right) => open.extend([*right, *left]),
                Expr::SetExtension(items) => {
                    out.extend(
                        items
                            .iter()
                            .filter(|item| pattern::classify(self.session, &Operand::Expr(**item), &node.open).binds),
                    );
                }
                _ => {}
            }
        }
    }

    /// Possible elements of an unknown set, if its type has few; `None` if the unknown is no set.
    #[expect(clippy::option_option, reason = "not a set, or a set without a bound")]
    fn elements_of_type(&self, unknown: Unknown) -> Option<Option<Set>> {
        let model = self.session.model();
        let Type::Pow(elem) = model.types.get(unknown.ty(model)) else { return None };
        let all = self.session.type_set(*elem);
        Some(match self.session.size(&all) {
            Size::AtMost(n) if n <= MAX_TYPE_ELEMENTS => self.session.enumerate(&all, &abridge_eval::Env::empty()).ok(),
            _ => None,
        })
    }

    fn bound_set(&self, relation: Relation, left: &Operand, right: &Operand, node: &SearchNode, out: &mut Between) {
        let mut both = |expr: &Operand, known: &Operand| {
            let (Operand::Expr(expr), Some(set)) = (expr, self.known_set(known, node)) else { return };
            self.bound_by(*expr, Bound::Within, &set, node, out, 0);
            self.bound_by(*expr, Bound::Contains, &set, node, out, 0);
        };
        match relation {
            Relation::Equal => {
                both(left, right);
                both(right, left);
            }
            Relation::Subset => {
                if let (Operand::Expr(expr), Some(set)) = (left, self.known_set(right, node)) {
                    self.bound_by(*expr, Bound::Within, &set, node, out, 0);
                }
                if let (Some(set), Operand::Expr(expr)) = (self.known_set(left, node), right) {
                    self.bound_by(*expr, Bound::Contains, &set, node, out, 0);
                }
            }
            Relation::Member => {
                if let (Some(value), Operand::Expr(expr)) = (self.known_value(left, node), right) {
                    self.bound_by(*expr, Bound::Contains, &Set::singleton(value), node, out, 0);
                }
                if let (Operand::Expr(expr), Some(of)) = (left, self.power_set_of(right, node)) {
                    self.bound_by(*expr, Bound::Within, &of, node, out, 0);
                }
            }
            Relation::NotMember => {
                if let (Some(value), Operand::Expr(expr)) = (self.known_value(left, node), right) {
                    self.bound_by(*expr, Bound::Avoids, &Set::singleton(value), node, out, 0);
                }
            }
            Relation::NotEqual | Relation::Less | Relation::LessEqual => {}
        }
        self.bound_elements(relation, left, right, node, out);
        self.bound_size(relation, left, right, node, out);
    }

    /// `card(s) = n`, `card(s) < n` and the like.
    fn bound_size(&self, relation: Relation, left: &Operand, right: &Operand, node: &SearchNode, out: &mut Between) {
        let is_size = |term: &Operand| {
            let Operand::Expr(id) = term else { return false };
            matches!(self.session.model().expr(*id), Expr::Unary(UnaryOp::Card, of) if self.is_it(*of, node, out))
        };
        let known = |term: &Operand| self.known_value(term, node).and_then(|value| value.as_int());
        let strict = if relation == Relation::Less { Int::ONE } else { Int::ZERO };
        match (relation, is_size(left), is_size(right)) {
            (Relation::Equal, true, false) => out.has(known(right), known(right)),
            (Relation::Equal, false, true) => out.has(known(left), known(left)),
            (Relation::Less | Relation::LessEqual, true, false) => {
                out.has(None, known(right).map(|most| &most - &strict));
            }
            (Relation::Less | Relation::LessEqual, false, true) => {
                out.has(known(left).map(|least| &least + &strict), None);
            }
            _ => {}
        }
    }

    /// `min(s) = n`, `max(s) < n` and the like. The empty set has neither, and counts as no solution.
    fn bound_elements(
        &self,
        relation: Relation,
        left: &Operand,
        right: &Operand,
        node: &SearchNode,
        out: &mut Between,
    ) {
        if !self.session.config().ill_defined_search_is_false {
            return;
        }
        let extremum = |term: &Operand| {
            let Operand::Expr(id) = term else { return None };
            match self.session.model().expr(*id) {
                Expr::Unary(op @ (UnaryOp::Min | UnaryOp::Max), of) if self.is_it(*of, node, out) => Some(*op),
                _ => None,
            }
        };
        let known = |term: &Operand| self.known_value(term, node).and_then(|value| value.as_int());
        let strict = if relation == Relation::Less { Int::ONE } else { Int::ZERO };
        match (relation, extremum(left), extremum(right)) {
            (Relation::Equal, Some(op), None) => self.bound_extremum(op, known(right), out),
            (Relation::Equal, None, Some(op)) => self.bound_extremum(op, known(left), out),
            (Relation::Less | Relation::LessEqual, Some(UnaryOp::Max), None) => {
                out.is_between(None, known(right).map(|hi| &hi - &strict));
            }
            (Relation::Less | Relation::LessEqual, None, Some(UnaryOp::Min)) => {
                out.is_between(known(left).map(|lo| &lo + &strict), None);
            }
            _ => {}
        }
    }

    fn bound_extremum(&self, op: UnaryOp, value: Option<Int>, out: &mut Between) {
        let Some(value) = value else { return };
        out.at_least(&Set::singleton(Value::int(value.clone())));
        if op == UnaryOp::Min { out.is_between(Some(value), None) } else { out.is_between(None, Some(value)) }
    }

    pub(super) fn known_value(&self, term: &Operand, node: &SearchNode) -> Option<Value> {
        if !term.is_ready(self.session, &node.open) {
            return None;
        }
        let val = term.eval(self.session, &node.env).ok()?;
        let val = match val.as_sym().map(|_| self.session.size(&val)) {
            Some(Size::AtMost(n)) if n <= MAX_TYPE_ELEMENTS => self.session.force(&val, &node.env).ok()?,
            Some(_) => return None,
            None => val,
        };
        val.as_value().cloned()
    }

    fn known_set(&self, term: &Operand, node: &SearchNode) -> Option<Set> {
        self.known_value(term, node)?.as_set().cloned()
    }

    /// `S` of a term `POW(S)`, `FIN1(S)` and so on.
    fn power_set_of(&self, term: &Operand, node: &SearchNode) -> Option<Set> {
        if !term.is_ready(self.session, &node.open) {
            return None;
        }
        let val = term.eval(self.session, &node.env).ok()?;
        match val.as_sym()? {
            SymbolicSet::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, of) => {
                self.known_set(&Operand::Known(of.clone()), node)
            }
            _ => None,
        }
    }

    fn is_it(&self, id: ExprId, node: &SearchNode, out: &Between) -> bool {
        self.as_unknown(&Operand::Expr(id), node) == Some(out.unknown)
    }

    /// Bounds the unknown by a relation between an expression that contains it and a known set.
    fn bound_by(&self, id: ExprId, bound: Bound, set: &Set, node: &SearchNode, out: &mut Between, depth: u32) {
        if self.is_it(id, node, out) {
            return match bound {
                Bound::Within => out.at_most(set),
                Bound::Contains => out.at_least(set),
                Bound::Avoids => out.exclude(set),
            };
        }
        let Expr::Binary(op, left, right) = self.session.model().expr(id) else { return };
        if depth >= MAX_DEPTH || (set.is_empty() && bound != Bound::Within) {
            return;
        }
        let known = |id: ExprId| self.known_set(&Operand::Expr(id), node);
        // Value of the known operand, and the other operand.
        let beside_known = || {
            let operands = [(*left, *right), (*right, *left)].into_iter();
            operands.filter_map(|(one, other)| Some((known(one)?, other)))
        };
        let mut operand = |id: ExprId, bound: Bound, set: &Set| self.bound_by(id, bound, set, node, out, depth + 1);
        match (bound, op) {
            (Bound::Within | Bound::Avoids, BinaryOp::Union) | (Bound::Contains, BinaryOp::Intersection) => {
                operand(*left, bound, set);
                operand(*right, bound, set);
            }
            (Bound::Within, BinaryOp::Intersection) => {
                beside_known().for_each(|(known, other)| operand(other, Bound::Avoids, &known.difference(set)));
            }
            (Bound::Contains, BinaryOp::Union) => {
                beside_known().for_each(|(known, other)| operand(other, Bound::Contains, &set.difference(&known)));
            }
            (Bound::Avoids, BinaryOp::Intersection) => {
                beside_known().for_each(|(known, other)| operand(other, Bound::Avoids, &known.intersection(set)));
            }
            (Bound::Contains, BinaryOp::Difference) => {
                operand(*left, Bound::Contains, set);
                operand(*right, Bound::Avoids, set);
            }
            (Bound::Within | Bound::Avoids, BinaryOp::Difference) => {
                let is_within = bound == Bound::Within;
                if let Some(less) = known(*right) {
                    operand(*left, bound, &if is_within { set.union(&less) } else { set.difference(&less) });
                }
                if let Some(from) = known(*left) {
                    let taken = if is_within { from.difference(set) } else { from.intersection(set) };
                    operand(*right, Bound::Contains, &taken);
                }
            }
            (Bound::Within, BinaryOp::Image) => {
                if let Some(relation) = known(*left) {
                    let outside = relation::range_subtract(&relation, set);
                    operand(*right, Bound::Avoids, &relation::dom(&outside));
                }
            }
            (Bound::Contains, BinaryOp::Image) => {
                if let Some(relation) = known(*left) {
                    operand(*right, Bound::Contains, &only_keys(&relation, set));
                }
            }
            _ => {}
        }
    }
}

/// The keys that alone have some of the images.
fn only_keys(relation: &Set, images: &Set) -> Set {
    let inverse = relation::inverse(&relation::range_restrict(relation, images));
    images.iter().filter_map(|image| relation::apply(&inverse, &image).ok()).collect()
}

/// Offers the sets between the bounds; `false` if there are none.
fn offer(between: &Between, best: &mut Best) -> bool {
    let Between { unknown, least, most, excluded, .. } = between;
    if !least.is_disjoint(excluded) || most.as_ref().is_some_and(|most| !least.is_subset(most)) {
        return false;
    }
    let Some(most) = most else { return true };
    let free = most.difference(excluded).difference(least);
    let Some(sizes) = sizes(between, &free) else { return false };
    let n_sets = sizes.clone().try_fold(0, |sum: u64, size| sum.checked_add(choices(free.len(), size)));
    let (cost, set): (u64, Val) = match n_sets.filter(|n_sets| *n_sets <= MAX_LISTED_SETS) {
        Some(n_sets) => (n_sets, all_between(least, &free, sizes).into()),
        None => {
            let n_free = u32::try_from(free.len()).unwrap_or(u32::MAX);
            let cost = 1_u64.checked_shl(n_free).unwrap_or(u64::MAX);
            (cost, SymbolicSet::unary(UnaryOp::Pow, most.difference(excluded).into()))
        }
    };
    best.offer(cost, SolverBranch::Values { constraint: None, unknown: *unknown, set });
    true
}

/// Possible numbers of free elements in the set; `None` if no number satisfies the bounds of its size.
fn sizes(between: &Between, free: &Set) -> Option<RangeInclusive<u64>> {
    let n_sure = Int::from(between.least.len());
    let at_least = between.fewest.as_ref().map_or(Int::ZERO, |fewest| fewest - &n_sure).max(Int::ZERO);
    let at_most = between.largest.as_ref().map(|largest| largest - &n_sure);
    let at_most = at_most.into_iter().chain([Int::from(free.len())]).min()?;
    (at_least <= at_most).then_some(at_least.to_u64()?..=at_most.to_u64()?)
}

/// Binomial coefficient, saturating.
fn choices(n: u64, size: u64) -> u64 {
    let mut ways = 1_u64;
    for chosen in 0..size.min(n - size) {
        let Some(product) = ways.checked_mul(n - chosen) else { return u64::MAX };
        ways = product / (chosen + 1);
    }
    ways
}

/// All unions of `least` with a subset of `free` of one of the sizes.
fn all_between(least: &Set, free: &Set, sizes: RangeInclusive<u64>) -> Set {
    let mut n_left = free.len();
    let mut sets = vec![(least.clone(), 0)];
    for value in free {
        n_left -= 1;
        let with: Vec<(Set, u64)> = sets
            .iter()
            .filter(|(_, size)| size < sizes.end())
            .map(|(set, size)| (set.insert(value.clone()), size + 1))
            .collect();
        sets.retain(|(_, size)| size + n_left >= *sizes.start());
        sets.extend(with);
    }
    sets.into_iter().filter(|(_, size)| sizes.contains(size)).map(|(set, _)| Value::Set(set)).collect()
}
