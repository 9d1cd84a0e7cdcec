//! Values of a function, and elements of a set, that follow from what an expression with it yields: `dom(f |> {TRUE}) = R`, `f~[V] = R`,
//! `f[S] <: T`, `r <: (f ; g)`.
//!
//! Such an expression distributes over unions: its value is the union of what the candidates (pairs of the function, elements of the set) yield one
//! by one. A candidate that yields an element outside of the known set is impossible. An element of the known set has *supports*, the candidates
//! that yield it; if all of them are at one point, that point has one of their values. A candidate that is removed without need loses solutions.

use abridge_diag::with_stack;
use abridge_eval::{
    Constraint, ConstraintKind, OpenUnknowns, Operand, Relation, Result, Size, SymbolicSet, Unknown, Val,
};
use abridge_model::{BinaryOp, Expr, ExprId, UnaryOp};
use abridge_value::{Set, Value, relation};
use rustc_hash::FxHashMap;

use super::pointwise::OpenPoint;
use super::{SearchNode, SolutionSearch};

/// Most candidates that are looked at, and most elements that they yield.
const MAX_YIELD: usize = 1 << 16;
/// Depth of nested operators that are examined.
const MAX_DEPTH: u32 = 16;
/// Passes over all elements with their supports.
const MAX_PASSES: u32 = 8;

/// Elements of the value of an expression, each with the candidate that yields it, or with none if it is in the value in any case.
type Yield = Vec<(Value, Option<usize>)>;

/// Known relation between an expression that distributes over the candidates and a set.
struct SupportedSet {
    elements: Yield,
    set: Set,
    /// `expression <: set`
    is_within: bool,
    /// `set <: expression`
    is_contained: bool,
}

/// Candidate: the value at a point, or the element of a set.
struct Candidate {
    point: usize,
    value: Value,
    element: Value,
    is_possible: bool,
}

/// Supports of an element among the possible candidates.
enum Supports {
    Anyway,
    AtPoint(usize, Vec<usize>),
    AtSeveralPoints,
}

/// No candidates are left that satisfy a constraint.
struct Contradiction;

impl SolutionSearch<'_> {
    /// Whether some constraint relates a known set with an expression that distributes over the elements of the unknown.
    pub(super) fn is_supported(&self, unknown: Unknown, node: &SearchNode) -> bool {
        let mut open = node.open.clone();
        open.push(unknown);
        node.constraints.iter().any(|constraint| self.sides(unknown, constraint, &open).is_some())
    }

    /// Whether the pairs of the functions, or elements of the sets, in a set of those can be looked at one by one.
    pub(super) fn has_few_candidates(&self, set: &Val) -> bool {
        let size = |set: &Val| match self.session.size(set) {
            Size::AtMost(size) => size,
            _ => u64::MAX,
        };
        let n_candidates = match set.as_sym() {
            Some(SymbolicSet::Unary(UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1, base)) => size(base),
            Some(SymbolicSet::Binary(BinaryOp::Arrow(_), from, to)) => size(from).saturating_mul(size(to)),
            _ => return false,
        };
        n_candidates <= MAX_YIELD as u64
    }

    /// Removes options of the points that cannot satisfy the constraints; all options, if there is no solution.
    pub(super) fn narrow_points(
        &self,
        unknown: Unknown,
        is_function: bool,
        node: &SearchNode,
        points: &mut [OpenPoint],
    ) -> Result<()> {
        if !self.is_supported(unknown, node)
            || points.iter().map(|point| point.options.len()).sum::<usize>() > MAX_YIELD
        {
            return Ok(());
        }
        let mut candidates = candidates(is_function, points);
        let supported = self.supported_sets(unknown, &candidates, node)?;
        if supported.is_empty() {
            return Ok(());
        }
        let mut is_needed = vec![false; points.len()];
        let is_solvable = narrow(&supported, &mut candidates, &mut is_needed).is_ok();
        let mut left: Vec<Vec<Option<Value>>> = points
            .iter()
            .zip(&is_needed)
            .map(|(point, is_needed)| if !is_needed && point.options.contains(&None) { vec![None] } else { Vec::new() })
            .collect();
        for candidate in candidates.into_iter().filter(|candidate| candidate.is_possible) {
            left[candidate.point].push(Some(candidate.value));
        }
        for (point, left) in points.iter_mut().zip(left) {
            point.options = if is_solvable { left.into() } else { [].into() };
        }
        Ok(())
    }

    fn supported_sets(
        &self,
        unknown: Unknown,
        candidates: &[Candidate],
        node: &SearchNode,
    ) -> Result<Vec<SupportedSet>> {
        let mut open = node.open.clone();
        open.push(unknown);
        let mut found = Vec::new();
        for constraint in &node.constraints {
            let Some((relation, expr, known, is_left)) = self.sides(unknown, constraint, &open) else { continue };
            let source = YieldSource { unknown, candidates, open: &open, node };
            let Some(elements) = self.yields(expr, &source) else { continue };
            self.session.ticks(elements.len() as u64)?;
            let set = match relation {
                Relation::Member => self.known_value(known, node).map(Set::singleton),
                _ => self.finite_set(known, &node.env),
            };
            let Some(set) = set else { continue };
            let is_equal = relation == Relation::Equal;
            found.push(SupportedSet {
                elements,
                set,
                is_within: is_equal || is_left,
                is_contained: is_equal || !is_left,
            });
        }
        Ok(found)
    }

    /// A distributing expression and the known operand of a constraint, and whether the expression is on the left.
    fn sides<'c>(
        &self,
        unknown: Unknown,
        constraint: &'c Constraint,
        open: &OpenUnknowns,
    ) -> Option<(Relation, ExprId, &'c Operand, bool)> {
        let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { return None };
        let known_left = left.is_ready(self.session, open);
        if !matches!(relation, Relation::Equal | Relation::Subset | Relation::Member)
            || known_left == right.is_ready(self.session, open)
            || !known_left && *relation == Relation::Member
        {
            return None;
        }
        let (expr, known) = if known_left { (right, left) } else { (left, right) };
        let Operand::Expr(id) = expr else { return None };
        self.distributes(*id, unknown, open, 0).then_some((*relation, *id, known, !known_left))
    }

    fn is_unknown(&self, id: ExprId, unknown: Unknown) -> bool {
        match self.session.model().expr(id) {
            Expr::Local(local) => Unknown::Local(*local) == unknown,
            Expr::Constant(constant) => Unknown::Constant(*constant) == unknown,
            _ => false,
        }
    }

    /// Whether an expression is built from the unknown and known sets by operators that distribute over unions.
    fn distributes(&self, id: ExprId, unknown: Unknown, open: &OpenUnknowns, depth: u32) -> bool {
        if self.is_unknown(id, unknown) {
            return true;
        }
        let is_known = |id: ExprId| Operand::Expr(id).is_ready(self.session, open);
        let goes_on = |id: ExprId| depth < MAX_DEPTH && self.distributes(id, unknown, open, depth + 1);
        match self.session.model().expr(id) {
            Expr::Unary(UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Inverse, operand) => goes_on(*operand),
            Expr::Binary(BinaryOp::Union, left, right) => {
                (goes_on(*left) || is_known(*left)) && (goes_on(*right) || is_known(*right))
            }
            Expr::Binary(op, left, right) if distributes_left(*op) && is_known(*right) => goes_on(*left),
            Expr::Binary(op, left, right) if distributes_right(*op) && is_known(*left) => goes_on(*right),
            _ => false,
        }
    }

    /// What the candidates yield; `None` if a known operand has no finite value, or if there is too much.
    fn yields(&self, id: ExprId, source: &YieldSource<'_>) -> Option<Yield> {
        if self.is_unknown(id, source.unknown) {
            let elements = source.candidates.iter().map(|candidate| candidate.element.clone());
            return Some(elements.zip((0..).map(Some)).collect());
        }
        let is_known = |id: ExprId| Operand::Expr(id).is_ready(self.session, source.open);
        let known = |id: ExprId| self.finite_set(&Operand::Expr(id), &source.node.env);
        if is_known(id) {
            let set = known(id).filter(|set| set.len() <= MAX_YIELD as u64)?;
            return Some(set.iter().map(|element| (element, None)).collect());
        }
        let of = |id: ExprId| with_stack(|| self.yields(id, source));
        let elements = match self.session.model().expr(id) {
            Expr::Unary(op, operand) => mapped_by(*op, of(*operand)?),
            Expr::Binary(BinaryOp::Union, left, right) => {
                let mut elements = of(*left)?;
                elements.extend(of(*right)?);
                Some(elements)
            }
            Expr::Binary(op, left, right) if is_known(*right) => {
                let set = known(*right)?;
                let mut elements = beside_right(*op, of(*left)?, &set)?;
                if *op == BinaryOp::Override {
                    elements.extend(set.iter().take(MAX_YIELD + 1).map(|element| (element, None)));
                }
                Some(elements)
            }
            Expr::Binary(op, left, right) => beside_left(*op, &known(*left)?, of(*right)?),
            _ => None,
        };
        elements.filter(|elements| elements.len() <= MAX_YIELD)
    }
}

/// What the value of a distributing expression comes from.
struct YieldSource<'s> {
    unknown: Unknown,
    candidates: &'s [Candidate],
    open: &'s OpenUnknowns,
    node: &'s SearchNode,
}

fn distributes_left(op: BinaryOp) -> bool {
    use BinaryOp as Op;
    matches!(
        op,
        Op::Intersection
            | Op::Difference
            | Op::Cartesian
            | Op::Image
            | Op::DomainRestrict
            | Op::RangeRestrict
            | Op::RangeSubtract
            | Op::Compose
            | Op::Override
    )
}

fn distributes_right(op: BinaryOp) -> bool {
    use BinaryOp as Op;
    matches!(
        op,
        Op::Intersection
            | Op::Cartesian
            | Op::Image
            | Op::DomainRestrict
            | Op::DomainSubtract
            | Op::RangeRestrict
            | Op::Compose
    )
}

fn candidates(is_function: bool, points: &[OpenPoint]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (point, OpenPoint { key, options }) in points.iter().enumerate() {
        for value in options.iter().flatten() {
            let element = if is_function { Value::pair(key.clone(), value.clone()) } else { key.clone() };
            found.push(Candidate { point, value: value.clone(), element, is_possible: true });
        }
    }
    found
}

/// Each element replaced by some others; `None` if they are too many.
fn replaced<I: IntoIterator<Item = Value>>(elements: Yield, mut by: impl FnMut(Value) -> I) -> Option<Yield> {
    let mut found = Yield::new();
    for (element, candidate) in elements {
        let others = by(element).into_iter().take(MAX_YIELD + 1 - found.len());
        found.extend(others.map(|element| (element, candidate)));
        if found.len() > MAX_YIELD {
            return None;
        }
    }
    Some(found)
}

/// Elements that a condition admits.
fn kept(mut elements: Yield, mut keep: impl FnMut(&Value) -> bool) -> Option<Yield> {
    elements.retain(|(element, _)| keep(element));
    Some(elements)
}

/// Pairs whose components a condition admits.
fn kept_pairs(elements: Yield, mut keep: impl FnMut(&Value, &Value) -> bool) -> Option<Yield> {
    kept(elements, |pair| pair.as_pair().is_some_and(|(first, second)| keep(first, second)))
}

/// Pairs replaced by what a function makes of their components.
fn of_pairs<I: IntoIterator<Item = Value>>(elements: Yield, mut by: impl FnMut(Value, Value) -> I) -> Option<Yield> {
    replaced(elements, |pair| {
        let parts = pair.as_pair().map(|(first, second)| (first.clone(), second.clone()));
        parts.map(|(first, second)| by(first, second)).into_iter().flatten()
    })
}

fn mapped_by(op: UnaryOp, elements: Yield) -> Option<Yield> {
    match op {
        UnaryOp::Dom => of_pairs(elements, |first, _| Some(first)),
        UnaryOp::Ran => of_pairs(elements, |_, second| Some(second)),
        UnaryOp::Inverse => of_pairs(elements, |first, second| Some(Value::pair(second, first))),
        _ => None,
    }
}

/// `elements op set`
fn beside_right(op: BinaryOp, elements: Yield, set: &Set) -> Option<Yield> {
    match op {
        BinaryOp::Intersection => kept(elements, |element| set.contains(element)),
        BinaryOp::Difference => kept(elements, |element| !set.contains(element)),
        BinaryOp::Cartesian => {
            replaced(elements, |first| set.iter().map(move |second| Value::pair(first.clone(), second)))
        }
        BinaryOp::Image => of_pairs(elements, |first, second| set.contains(&first).then_some(second)),
        BinaryOp::DomainRestrict => replaced(elements, |key| {
            relation::images(set, &key).map(|image| Value::pair(key.clone(), image)).collect::<Vec<_>>()
        }),
        BinaryOp::RangeRestrict => kept_pairs(elements, |_, second| set.contains(second)),
        BinaryOp::RangeSubtract => kept_pairs(elements, |_, second| !set.contains(second)),
        BinaryOp::Compose => of_pairs(elements, |first, second| {
            relation::images(set, &second).map(|image| Value::pair(first.clone(), image)).collect::<Vec<_>>()
        }),
        BinaryOp::Override => kept_pairs(elements, |first, _| !relation::in_domain(set, first)),
        _ => None,
    }
}

/// `set op elements`
fn beside_left(op: BinaryOp, set: &Set, elements: Yield) -> Option<Yield> {
    match op {
        BinaryOp::Intersection => kept(elements, |element| set.contains(element)),
        BinaryOp::Cartesian => {
            replaced(elements, |second| set.iter().map(move |first| Value::pair(first, second.clone())))
        }
        BinaryOp::Image => replaced(elements, |key| relation::images(set, &key).collect::<Vec<_>>()),
        BinaryOp::DomainRestrict => kept_pairs(elements, |first, _| set.contains(first)),
        BinaryOp::DomainSubtract => kept_pairs(elements, |first, _| !set.contains(first)),
        BinaryOp::RangeRestrict => replaced(elements, |image| {
            relation::keys_of(set, &image).map(|key| Value::pair(key, image.clone())).collect::<Vec<_>>()
        }),
        BinaryOp::Compose => of_pairs(elements, |first, second| {
            relation::keys_of(set, &first).map(|key| Value::pair(key, second.clone())).collect::<Vec<_>>()
        }),
        _ => None,
    }
}

/// Removes candidates, and finds the points that need a value.
fn narrow(
    supported: &[SupportedSet],
    candidates: &mut [Candidate],
    is_needed: &mut [bool],
) -> std::result::Result<(), Contradiction> {
    for SupportedSet { elements, set, .. } in supported.iter().filter(|supported| supported.is_within) {
        for (_, candidate) in elements.iter().filter(|(element, _)| !set.contains(element)) {
            candidates[candidate.ok_or(Contradiction)?].is_possible = false;
        }
    }
    let mut of_point: Vec<Vec<usize>> = vec![Vec::new(); is_needed.len()];
    for (idx, candidate) in candidates.iter().enumerate() {
        of_point[candidate.point].push(idx);
    }
    for _ in 0..MAX_PASSES {
        let mut has_changed = false;
        for supported in supported.iter().filter(|supported| supported.is_contained) {
            let by_element = supports(supported, candidates);
            for element in &supported.set {
                match by_element.get(&element).ok_or(Contradiction)? {
                    Supports::AtPoint(point, sole) => {
                        is_needed[*point] = true;
                        for other in of_point[*point].iter().filter(|other| !sole.contains(other)) {
                            has_changed |= std::mem::replace(&mut candidates[*other].is_possible, false);
                        }
                    }
                    Supports::Anyway | Supports::AtSeveralPoints => {}
                }
            }
        }
        if !has_changed {
            break;
        }
    }
    Ok(())
}

/// Supports of all elements that have some.
fn supports<'s>(supported: &'s SupportedSet, candidates: &[Candidate]) -> FxHashMap<&'s Value, Supports> {
    let mut found: FxHashMap<&Value, Supports> = FxHashMap::default();
    for (element, candidate) in &supported.elements {
        let Some(candidate) = *candidate else {
            found.insert(element, Supports::Anyway);
            continue;
        };
        let Candidate { point, is_possible: true, .. } = candidates[candidate] else { continue };
        match found.entry(element).or_insert_with(|| Supports::AtPoint(point, Vec::new())) {
            Supports::AtPoint(other, sole) if *other == point => sole.push(candidate),
            several @ Supports::AtPoint(..) => *several = Supports::AtSeveralPoints,
            Supports::Anyway | Supports::AtSeveralPoints => {}
        }
    }
    found
}
