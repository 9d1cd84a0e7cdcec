//! Sizes of deferred sets, and groups of constants that are known to be different.
//!
//! Every front end calls [`size`] once all types are ground. Only formulas of the model are read. The first rule that applies determines the size:
//!
//! 1. the size given by the user ([`Steering::set_sizes`](crate::Steering)),
//! 2. the size given by VALUES,
//! 3. `card(S) = n`,
//! 4. `S = {c1, ..., cn}` with distinct constants,
//! 5. a bijection with a product of finite sets (`make : A * B >->> S`, which makes `S` a set of records),
//! 6. the maximum of the default size and the known lower bounds.
//!
//! A wrong size makes PROPERTIES unsatisfiable, or the check is about another machine.

use std::collections::{HashMap, HashSet};

use abridge_diag::{Diagnostic, with_stack};
use num_bigint::BigInt;

use crate::{
    Arrow, BaseSet, BinaryOp, CarrierKind, Comparison, ConstId, Expr, ExprId, Model, Pred, PredId, SetId, Type, UnaryOp,
};

/// Maximum size of a deferred set.
const MAX_SIZE: u32 = 1_000_000;

/// Maximum number of constants that are compared pairwise.
const MAX_COMPARED: usize = 100;

/// Maximum number of bits of integers in the computation of sizes.
pub const MAX_BITS: u64 = 1 << 16;

/// Sizes all deferred sets of a model with ground types. Returns diagnostics for impossible sizes.
pub fn size(model: &mut Model) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let facts = SizeEvidence::of(model);
    model.distinct_constants.clear();
    for id in model.sets.ids() {
        let CarrierKind::Deferred { size: valued } = model.sets[id].kind else { continue };
        let clique = facts.distinct_group(model, id);
        let given = model.steering.set_sizes.iter().rev().find(|(set, _)| *set == id).map(|(_, size)| *size);
        let size = given
            .or((valued > 0).then_some(valued))
            .or_else(|| facts.cardinality.get(&id).copied())
            .or_else(|| facts.extension_size(id))
            .or_else(|| facts.n_records.get(&id).copied())
            .unwrap_or_else(|| {
                let bound = facts.lower_bound.get(&id).copied().unwrap_or(0);
                bound.max(clique.len() as u32).max(model.steering.preferences.default_set_size)
            });
        if size == 0 || size > MAX_SIZE {
            let message = format!("deferred set `{}` cannot have {size} elements", model.sets[id].name);
            diagnostics.push(
                Diagnostic::error("wrong-set-size", message)
                    .at(model.sets[id].origin.span)
                    .note(format!("a deferred set has between 1 and {MAX_SIZE} elements")),
            );
        }
        model.sets[id].kind = CarrierKind::Deferred { size };
        if !clique.is_empty() {
            model.distinct_constants.push(clique);
        }
    }
    diagnostics
}

/// Statements of PROPERTIES about the sizes of deferred sets.
#[derive(Default)]
struct SizeEvidence {
    cardinality: HashMap<SetId, u32>,
    lower_bound: HashMap<SetId, u32>,
    /// Size of the product that a set is in bijection with.
    n_records: HashMap<SetId, u32>,
    /// `S = {c1, ..., cn}`
    extension: HashMap<SetId, Vec<ConstId>>,
    distinct: Distinct,
}

/// Constants that are known to be different.
#[derive(Default)]
struct Distinct {
    pairs: HashSet<(ConstId, ConstId)>,
    /// Groups of parts: constants in different parts of a group are different. A group of `n` parts replaces `n * n` pairs.
    groups: Vec<Vec<Vec<ConstId>>>,
    /// Groups and parts of each constant.
    places: HashMap<ConstId, Vec<(usize, usize)>>,
}

impl Distinct {
    fn add_group(&mut self, parts: Vec<Vec<ConstId>>) {
        for (part, constants) in parts.iter().enumerate() {
            for constant in constants {
                self.places.entry(*constant).or_default().push((self.groups.len(), part));
            }
        }
        self.groups.push(parts);
    }

    fn contains(&self, left: ConstId, right: ConstId) -> bool {
        let places = |id| self.places.get(&id).map_or(&[][..], Vec::as_slice);
        let apart =
            |(group, part): &(usize, usize)| places(right).iter().any(|(other, at)| group == other && part != at);
        left != right && (self.pairs.contains(&(left.min(right), left.max(right))) || places(left).iter().any(apart))
    }
}

impl SizeEvidence {
    fn of(model: &Model) -> SizeEvidence {
        let mut facts = SizeEvidence::default();
        let values = constant_values(model);
        for conjunct in &model.properties {
            facts.learn(model, &values, conjunct.pred);
        }
        let complete: Vec<Vec<ConstId>> = facts
            .extension
            .iter()
            .filter(|(set, items)| facts.cardinality.get(set) == Some(&(items.len() as u32)))
            .map(|(_, items)| items.clone())
            .collect();
        for items in complete {
            facts.all_distinct(&items);
        }
        facts
    }

    fn learn(&mut self, model: &Model, values: &HashMap<ConstId, BigInt>, pred: PredId) {
        match model.pred(pred) {
            Pred::And(parts) => parts.iter().for_each(|part| with_stack(|| self.learn(model, values, *part))),
            Pred::Compare(Comparison::Equal, left, right) => {
                self.learn_equal(model, values, *left, *right);
                self.learn_equal(model, values, *right, *left);
            }
            Pred::Compare(Comparison::Member, _, set) => {
                if let Expr::Binary(BinaryOp::Arrow(Arrow::BIJECTION), from, to) = model.expr(*set) {
                    self.learn_records(model, values, *from, *to);
                    self.learn_records(model, values, *to, *from);
                }
            }
            Pred::Compare(op @ (Comparison::Less | Comparison::LessEqual), low, high) => {
                if let (Some(bound), Some(set)) = (integer(model, values, *low), counted_set(model, *high)) {
                    let bound = if *op == Comparison::Less { bound + 1 } else { bound };
                    if let Ok(bound) = u32::try_from(bound) {
                        let known = self.lower_bound.entry(set).or_insert(0);
                        *known = bound.max(*known);
                    }
                }
            }
            Pred::Not(inner) => match model.pred(*inner) {
                Pred::Compare(Comparison::Equal, left, right) => {
                    if let (Some(left), Some(right)) = (constant(model, *left), constant(model, *right)) {
                        self.differ(left, right);
                    }
                }
                Pred::Compare(Comparison::Member, left, right) => {
                    if let (Some(left), Some(items)) = (constant(model, *left), extension(model, *right)) {
                        self.distinct.add_group(vec![vec![left], items]);
                    }
                }
                _ => {}
            },
            Pred::Partition(whole, parts) => {
                let parts: Vec<Vec<ConstId>> =
                    parts.iter().map(|part| extension(model, *part).unwrap_or_default()).collect();
                if let (Expr::Carrier(set), true) = (model.expr(*whole), parts.iter().all(|part| !part.is_empty())) {
                    self.extension.insert(*set, parts.concat());
                }
                self.distinct.add_group(parts);
            }
            _ => {}
        }
    }

    fn learn_equal(&mut self, model: &Model, values: &HashMap<ConstId, BigInt>, left: ExprId, right: ExprId) {
        match model.expr(left) {
            Expr::Unary(UnaryOp::Card, set) => {
                let Some(size) = integer(model, values, right).and_then(|size| u32::try_from(size).ok()) else {
                    return;
                };
                if let Expr::Carrier(set) = model.expr(*set) {
                    self.cardinality.insert(*set, size);
                } else if let Some(items) = extension(model, *set).filter(|items| items.len() == size as usize) {
                    self.all_distinct(&items);
                }
            }
            Expr::Carrier(set) => {
                if let Some(items) = extension(model, right) {
                    self.extension.insert(*set, items);
                }
            }
            Expr::Binary(BinaryOp::Intersection, one, other) if matches!(model.expr(right), Expr::EmptySet) => {
                if let (Some(one), Some(other)) = (extension(model, *one), extension(model, *other)) {
                    self.distinct.add_group(vec![one, other]);
                }
            }
            _ => {}
        }
    }

    fn learn_records(&mut self, model: &Model, values: &HashMap<ConstId, BigInt>, product: ExprId, set: ExprId) {
        if let (Expr::Binary(BinaryOp::Cartesian, ..), Expr::Carrier(set)) = (model.expr(product), model.expr(set))
            && let Some(size) = finite_size(model, values, product)
        {
            self.n_records.insert(*set, size);
        }
    }

    fn differ(&mut self, left: ConstId, right: ConstId) {
        self.distinct.pairs.insert((left.min(right), left.max(right)));
    }

    fn all_distinct(&mut self, items: &[ConstId]) {
        self.distinct.add_group(items.iter().map(|item| vec![*item]).collect());
    }

    /// Size of `S = {c1, ..., cn}`, if the constants are known to be distinct.
    fn extension_size(&self, set: SetId) -> Option<u32> {
        let items = self.extension.get(&set)?;
        let is_listed = |group: &Vec<Vec<ConstId>>| {
            group.len() == items.len() && group.iter().zip(items).all(|(part, item)| part[..] == [*item])
        };
        let differ = |i: usize| items[i + 1..].iter().all(|other| self.distinct.contains(items[i], *other));
        let distinct =
            self.distinct.groups.iter().any(is_listed) || (items.len() <= MAX_COMPARED && (0..items.len()).all(differ));
        distinct.then_some(items.len() as u32)
    }

    /// Large group of pairwise distinct constants of a deferred set, found greedily; a single constant if nothing is known.
    fn distinct_group(&self, model: &Model, set: SetId) -> Vec<ConstId> {
        let is_element =
            |id: &ConstId| matches!(model.types.get(model.constants[*id].ty), Type::Given(of) if *of == set);
        let candidates: Vec<ConstId> = model.constants.ids().filter(is_element).collect();
        let mut best: Vec<ConstId> = candidates.first().copied().into_iter().collect();
        // Each start takes time quadratic in the number of constants.
        let n_starts = (MAX_COMPARED * MAX_COMPARED * MAX_COMPARED) / (candidates.len() * candidates.len()).max(1);
        for start in candidates.iter().take(n_starts) {
            let mut group = vec![*start];
            for candidate in &candidates {
                if group.iter().all(|member| self.distinct.contains(*member, *candidate)) {
                    group.push(*candidate);
                }
            }
            if group.len() > best.len() {
                best = group;
            }
        }
        for group in &self.distinct.groups {
            let mut members: Vec<ConstId> =
                group.iter().filter_map(|part| part.iter().copied().find(is_element)).collect();
            members.sort();
            members.dedup();
            if members.len() > best.len() {
                best = members;
            }
        }
        best.sort();
        best
    }
}

/// Values of the constants with an equation `c = n`.
pub fn constant_values(model: &Model) -> HashMap<ConstId, BigInt> {
    let mut values = HashMap::new();
    for conjunct in &model.properties {
        if let Pred::Compare(Comparison::Equal, left, right) = model.pred(conjunct.pred) {
            for (left, right) in [(left, right), (right, left)] {
                if let (Expr::Constant(id), Some(value)) = (model.expr(*left), integer(model, &HashMap::new(), *right))
                {
                    values.insert(*id, value);
                }
            }
        }
    }
    values
}

/// Value of an integer expression without unknowns.
pub fn integer(model: &Model, values: &HashMap<ConstId, BigInt>, id: ExprId) -> Option<BigInt> {
    let value = match model.expr(id) {
        Expr::Integer(value) => Some(value.clone()),
        Expr::Constant(id) => values.get(id).cloned(),
        Expr::Unary(UnaryOp::Negate, operand) => integer(model, values, *operand).map(|value| -value),
        Expr::Unary(UnaryOp::Card, set) => match model.expr(*set) {
            Expr::Carrier(set) => match &model.sets[*set].kind {
                CarrierKind::Enumerated(elements) => Some(BigInt::from(elements.len())),
                CarrierKind::Deferred { .. } => None,
            },
            _ => None,
        },
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), left, right) => {
            // Sums of thousands of terms are not evaluated, so the recursion stays shallow.
            let left = match model.expr(*left) {
                Expr::Binary(..) if !matches!(model.expr(*right), Expr::Integer(_) | Expr::Constant(_)) => return None,
                _ => with_stack(|| integer(model, values, *left))?,
            };
            let right = with_stack(|| integer(model, values, *right))?;
            Some(match op {
                BinaryOp::Add => left + right,
                BinaryOp::Subtract => left - right,
                _ => left * right,
            })
        }
        _ => None,
    };
    // Larger numbers are not sizes, and products of them are expensive.
    value.filter(|value| value.bits() <= MAX_BITS)
}

/// Size of BOOL, enumerated sets, intervals and their products.
fn finite_size(model: &Model, values: &HashMap<ConstId, BigInt>, set: ExprId) -> Option<u32> {
    match model.expr(set) {
        Expr::BaseSet(BaseSet::Bool) => Some(2),
        Expr::Carrier(set) => match &model.sets[*set].kind {
            CarrierKind::Enumerated(elements) => u32::try_from(elements.len()).ok(),
            CarrierKind::Deferred { .. } => None,
        },
        Expr::Binary(BinaryOp::Interval, low, high) => {
            let size = integer(model, values, *high)? - integer(model, values, *low)? + 1;
            u32::try_from(size).ok()
        }
        Expr::Binary(BinaryOp::Cartesian, left, right) => {
            let left = with_stack(|| finite_size(model, values, *left))?;
            left.checked_mul(with_stack(|| finite_size(model, values, *right))?)
        }
        _ => None,
    }
}

/// The set `S` in `card(S)`.
fn counted_set(model: &Model, id: ExprId) -> Option<SetId> {
    match model.expr(id) {
        Expr::Unary(UnaryOp::Card, set) => match model.expr(*set) {
            Expr::Carrier(set) => Some(*set),
            _ => None,
        },
        _ => None,
    }
}

fn constant(model: &Model, id: ExprId) -> Option<ConstId> {
    match model.expr(id) {
        Expr::Constant(id) => Some(*id),
        _ => None,
    }
}

/// Constants of an expression such as `{a, b} \/ {c}`.
fn extension(model: &Model, id: ExprId) -> Option<Vec<ConstId>> {
    let mut items = Vec::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        match model.expr(id) {
            Expr::SetExtension(elements) => {
                for element in elements {
                    items.push(constant(model, *element)?);
                }
            }
            Expr::Binary(BinaryOp::Union, left, right) => open.extend([*right, *left]),
            _ => return None,
        }
    }
    Some(items)
}
