//! Which elements a model cannot tell apart (sections 3 and 6 of Leuschel, Butler, Spermann, Turner, "Symmetry Reduction for B by
//! Permutation Flooding").
//!
//! Elements of deferred sets, of set parameters and of enumerated sets are treated alike: what matters is whether the text of the model
//! changes when two of them are exchanged. Goes further than the paper: a literal such as `{s1, s2}` or `{s1 |-> 1, s2 |-> 1}` fixes
//! none of its elements, it only keeps them apart from others. What counts is text that is evaluated for what is asked: the
//! properties, the invariant, the initialisation, the operations, and assertions, the goal and temporal formulas if they are asked for.

use std::collections::{BTreeMap, HashSet};

use abridge_compile::Interchangeable;
use abridge_diag::{Span, with_stack};
use abridge_eval::Val;
use abridge_external::SILENT_PREDICATES;
use abridge_model::ModelNode;
use abridge_model::ids::Id as _;
use abridge_model::{BinaryOp, ConstId, Expr, ExprId, Model, OpId, Pred, SetId, Subst, Type, TypeId};
use abridge_system::Properties;
use abridge_value::{Set, Value, sequence};

use super::auto::PointInfo;
use super::group::{CarrierBlock, Group};

/// What is symmetric in a model, and why the rest is not.
#[derive(Clone, Debug)]
pub struct Symmetry {
    pub group: Group,
    /// One per given set, in the order of the model.
    pub carriers: Vec<Carrier>,
}

#[derive(Clone, Debug)]
pub struct Carrier {
    pub set: SetId,
    /// Positions of elements that may be exchanged with each other, at least two each.
    pub blocks: Vec<Vec<u32>>,
    /// The model says FORCE_SYMMETRY.
    pub is_forced: bool,
    /// Why elements are told apart; the first reason that was met for each.
    pub reasons: Vec<(u32, AsymmetryReason)>,
}

/// Why an element cannot be exchanged with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AsymmetryReason {
    /// The text names it here.
    Named(Span),
    /// It is the value of a constant that was chosen beforehand.
    Pinned(ConstId),
    /// Something whose result depends on the order or the names of the elements of the set.
    Ordered { name: String, span: Span },
    /// It is the only element of its set.
    Alone,
}

impl Symmetry {
    /// Elements that the text really cannot tell apart: not those of which it is only claimed.
    pub fn interchangeable(&self) -> Interchangeable {
        let honest = self.carriers.iter().filter(|carrier| !carrier.is_forced);
        Interchangeable::new(
            honest.flat_map(|carrier| carrier.blocks.iter().map(|block| (carrier.set.0, block.as_slice()))),
        )
    }
}

/// What is symmetric, given what is asked, further formulas that are evaluated, and which constants were fixed beforehand.
pub fn symmetry_of(model: &Model, asked: Properties, formulas: &[ModelNode], pinned: &[(ConstId, Val)]) -> Symmetry {
    with_stack(|| symmetry_of_inner(model, asked, formulas, pinned))
}

fn symmetry_of_inner(model: &Model, asked: Properties, formulas: &[ModelNode], pinned: &[(ConstId, Val)]) -> Symmetry {
    let mut mentions = Mentions::of(model, asked, formulas);
    for (constant, val) in pinned {
        if let Some(Value::Element { set, index }) = val.as_value() {
            mentions.fix(*set, *index, AsymmetryReason::Pinned(*constant));
        }
    }
    let forced = &model.steering.force_symmetry;
    let mut blocks = Vec::new();
    for (id, carrier) in model.sets.iter() {
        let is_free = |index: &u32| {
            let reason = mentions.fixed.get(&(id.0, *index));
            forced.contains(&id) && !matches!(reason, Some(AsymmetryReason::Pinned(_))) || reason.is_none()
        };
        if !mentions.ordered.contains_key(&id.0) {
            blocks.push(CarrierBlock { set: id.0, indices: (0..carrier.size()).filter(is_free).collect() });
        }
    }
    let group = mentions.split(Group::new(blocks), forced);
    let carriers = model.sets.ids().map(|id| mentions.carrier(model, &group, id)).collect();
    Symmetry { group, carriers }
}

/// What the text says about elements.
struct Mentions<'m> {
    model: &'m Model,
    fixed: BTreeMap<(u32, u32), AsymmetryReason>,
    /// Sets whose elements are told apart as a whole.
    ordered: BTreeMap<u32, AsymmetryReason>,
    /// Literals of several elements.
    literals: Vec<(Value, Span)>,
    known: HashSet<Value>,
    operations: HashSet<OpId>,
    /// Expressions that are known to be no literals: those below them are asked about again.
    no_literals: HashSet<ExprId>,
    waiting: Vec<ModelNode>,
}

/// A literal with more elements fixes them all, if its set is as large.
const MAX_LITERAL: usize = 2_000;

impl<'m> Mentions<'m> {
    fn of(model: &'m Model, asked: Properties, formulas: &[ModelNode]) -> Self {
        let mut mentions = Mentions {
            model,
            fixed: BTreeMap::new(),
            ordered: BTreeMap::new(),
            literals: Vec::new(),
            known: HashSet::new(),
            operations: HashSet::new(),
            no_literals: HashSet::new(),
            waiting: Vec::new(),
        };
        let conjuncts = |is_asked: bool, list: &'m [abridge_model::Conjunct]| {
            list.iter()
                .filter(move |conjunct| is_asked && !conjunct.is_gluing)
                .map(|conjunct| ModelNode::Pred(conjunct.pred))
        };
        mentions.waiting.extend(conjuncts(true, &model.properties));
        mentions.waiting.extend(conjuncts(asked.invariant, &model.invariant));
        mentions.waiting.extend(conjuncts(asked.assertions, &model.assertions));
        mentions.waiting.extend(model.steering.goal.filter(|_| asked.goal).map(ModelNode::Pred));
        mentions.waiting.extend(model.steering.scope.map(ModelNode::Pred));
        mentions.waiting.push(ModelNode::Subst(model.initialisation));
        let arguments = model.free_types.values().flat_map(|free| free.constructors.iter().filter_map(|one| one.arg));
        mentions.waiting.extend(arguments.map(|(set, _)| ModelNode::Expr(set)));
        model.transitions().for_each(|(op, _)| mentions.enter(op));
        mentions.waiting.extend_from_slice(formulas);
        while let Some(node) = mentions.waiting.pop() {
            mentions.look(node);
        }
        mentions
    }

    fn enter(&mut self, op: OpId) {
        if self.operations.insert(op) {
            self.waiting.push(ModelNode::Subst(self.model.operations[op].body));
        }
    }

    fn fix(&mut self, set: u32, index: u32, reason: AsymmetryReason) {
        self.fixed.entry((set, index)).or_insert(reason);
    }

    fn look(&mut self, node: ModelNode) {
        let model = self.model;
        match node {
            ModelNode::Expr(id) => {
                let span = model.exprs[id].span;
                match model.expr(id) {
                    Expr::Element(set, index) => self.fix(set.0, *index, AsymmetryReason::Named(span)),
                    Expr::SetExtension(_)
                    | Expr::SequenceExtension(_)
                    | Expr::Record(_)
                    | Expr::Binary(BinaryOp::Pair, ..) => {
                        if let Some(literal) = literal(model, id, &mut self.no_literals) {
                            if self.known.insert(literal.clone()) {
                                self.literals.push((literal, span));
                            }
                            return;
                        }
                    }
                    Expr::Template(parts) => {
                        let parts = parts.iter().map(|part| model.ty(*part));
                        self.tell_apart(parts, "a template", span);
                    }
                    Expr::External(external, args) => {
                        let name = model.externals[*external].name.as_str();
                        let types = args.iter().map(|arg| model.ty(*arg));
                        if !is_symmetric(model, name, types.clone().collect()) {
                            self.tell_apart(types.chain([model.ty(id)]), name, span);
                        }
                    }
                    Expr::CallOperation(op, _) => {
                        self.enter(*op);
                        if chooses(model, *op) {
                            self.tell_all_apart(model.operations[*op].name.as_str(), span);
                        }
                    }
                    _ => {}
                }
            }
            ModelNode::Pred(id) => {
                if let Pred::External(external, args) = model.pred(id) {
                    let name = model.externals[*external].name.as_str();
                    let types: Vec<TypeId> = args.iter().map(|arg| model.ty(*arg)).collect();
                    if !is_symmetric(model, name, types.clone()) {
                        self.tell_apart(types.into_iter(), name, model.preds[id].span);
                    }
                }
            }
            // External substitutions print and report, which changes no state.
            ModelNode::Subst(id) => {
                if let Subst::Call { op, .. } = model.subst(id) {
                    self.enter(*op);
                }
            }
        }
        let waiting = &mut self.waiting;
        model.for_each_child(node, &mut |child| waiting.push(child));
    }

    /// The elements in values of these types are not interchangeable.
    fn tell_apart(&mut self, types: impl Iterator<Item = TypeId>, name: &str, span: Span) {
        let mut sets = HashSet::new();
        types.for_each(|ty| given_sets(self.model, ty, &mut sets, &mut HashSet::new()));
        for set in sets {
            self.ordered.entry(set).or_insert_with(|| AsymmetryReason::Ordered { name: name.to_owned(), span });
        }
    }

    /// No elements at all are interchangeable.
    fn tell_all_apart(&mut self, name: &str, span: Span) {
        for set in self.model.sets.ids() {
            self.ordered.entry(set.0).or_insert_with(|| AsymmetryReason::Ordered { name: name.to_owned(), span });
        }
    }

    /// The group of permutations that leave all literals as they are, too.
    fn split(&mut self, mut group: Group, forced: &[SetId]) -> Group {
        for (literal, span) in std::mem::take(&mut self.literals) {
            let mut info = PointInfo::default();
            let val = Val::Value(literal);
            if group.is_trivial() || !info.describe_alone(&group, &val) {
                continue;
            }
            let is_forced = |point: u32| forced.contains(&SetId(group.element(point).0));
            let twins = info.twins_alone(&group, MAX_LITERAL);
            let mut classes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for point in 0..group.n_points() as u32 {
                let class = if is_forced(point) {
                    group.ranges().find(|range| range.contains(&point)).map_or(point, |range| range.start)
                } else {
                    twins[point as usize]
                };
                classes.entry(class).or_default().push(point);
            }
            let mut blocks = Vec::new();
            for points in classes.into_values() {
                let set = group.element(points[0]).0;
                let indices: Vec<u32> = points.iter().map(|point| group.element(*point).1).collect();
                if let [index] = indices[..] {
                    self.fix(set, index, AsymmetryReason::Named(span));
                }
                blocks.push(CarrierBlock { set, indices });
            }
            blocks.sort_by(|left, right| (left.set, &left.indices).cmp(&(right.set, &right.indices)));
            group = Group::new(blocks);
        }
        group
    }

    fn carrier(&self, model: &Model, group: &Group, id: SetId) -> Carrier {
        let blocks: Vec<Vec<u32>> =
            group.blocks().iter().filter(|block| block.set == id.0).map(|block| block.indices.clone()).collect();
        let is_forced = model.steering.force_symmetry.contains(&id);
        let alone = (0..model.sets[id].size()).filter(|index| group.point(id.0, *index).is_none());
        let reason = |index: u32| {
            let reason = self.ordered.get(&id.0).or_else(|| self.fixed.get(&(id.0, index)));
            (index, reason.cloned().unwrap_or(AsymmetryReason::Alone))
        };
        Carrier { set: id, is_forced, reasons: alone.map(reason).collect(), blocks }
    }
}

/// The value of an expression that is made of elements, numbers, strings and booleans only.
fn literal(model: &Model, id: ExprId, no_literals: &mut HashSet<ExprId>) -> Option<Value> {
    if no_literals.contains(&id) {
        return None;
    }
    let mut all =
        |ids: &[ExprId]| ids.iter().map(|id| literal(model, *id, no_literals)).collect::<Option<Vec<Value>>>();
    let value = match model.expr(id) {
        Expr::Integer(int) => i64::try_from(int).ok().map(Value::Int),
        Expr::String(text) => Some(Value::string(text.as_str())),
        Expr::Bool(flag) => Some(Value::Bool(*flag)),
        Expr::Element(set, index) => Some(Value::element(set.0, *index)),
        Expr::EmptySet => Some(Value::Set(Set::EMPTY)),
        Expr::Binary(BinaryOp::Pair, left, right) => all(&[*left, *right]).and_then(|parts| {
            let [left, right] = <[Value; 2]>::try_from(parts).ok()?;
            Some(Value::pair(left, right))
        }),
        Expr::SetExtension(items) => all(items).map(|items| Value::Set(items.into_iter().collect())),
        Expr::SequenceExtension(items) => all(items).map(|items| Value::Set(sequence::from_items(items))),
        Expr::Record(items) => all(items).map(|items| Value::record(model.ty(id).index() as u32, items)),
        _ => None,
    };
    if value.is_none() {
        no_literals.insert(id);
    }
    value
}

/// The given sets whose elements occur in values of a type.
fn given_sets(model: &Model, ty: TypeId, found: &mut HashSet<u32>, seen: &mut HashSet<TypeId>) {
    if !seen.insert(ty) {
        return;
    }
    match model.types.get(ty) {
        Type::Integer | Type::Bool | Type::String | Type::Real => {}
        Type::Given(set) => {
            found.insert(set.0);
        }
        Type::Pow(elem) => given_sets(model, *elem, found, seen),
        Type::Pair(first, second) => {
            given_sets(model, *first, found, seen);
            given_sets(model, *second, found, seen);
        }
        Type::Record(fields) => fields.iter().for_each(|(_, ty)| given_sets(model, *ty, found, seen)),
        Type::Free(free) => {
            let arguments = model.free_types[*free].constructors.iter().filter_map(|constructor| constructor.arg);
            arguments.for_each(|(_, ty)| given_sets(model, ty, found, seen));
        }
    }
}

/// Whether elements that move may occur in values of a type. A set may be kept as a formula, in which anything can occur.
pub(super) fn may_move(model: &Model, group: &Group, ty: TypeId) -> bool {
    match model.types.get(ty) {
        Type::Integer | Type::Bool | Type::String | Type::Real => false,
        Type::Given(set) => group.moves(set.0),
        Type::Pair(first, second) => may_move(model, group, *first) || may_move(model, group, *second),
        Type::Record(fields) => fields.iter().any(|(_, ty)| may_move(model, group, *ty)),
        Type::Pow(_) | Type::Free(_) => true,
    }
}

/// Whether an operation chooses among elements. A call in an expression has the first of its outcomes as its value, in the order of the elements.
fn chooses(model: &Model, op: OpId) -> bool {
    let mut found = false;
    let mut known = HashSet::from([op]);
    let mut waiting = vec![op];
    while let Some(op) = waiting.pop() {
        model.for_each_node(ModelNode::Subst(model.operations[op].body), &mut |node| {
            let ModelNode::Subst(id) = node else { return };
            match model.subst(id) {
                Subst::Any { .. } | Subst::BecomesElement { .. } | Subst::BecomesSuch { .. } => found = true,
                Subst::Call { op, .. } if known.insert(*op) => waiting.push(*op),
                _ => {}
            }
        });
    }
    found
}

/// Externals whose result is permuted when their arguments are, beside [`SILENT_PREDICATES`] and SQUASH of sequences. All others are taken to tell elements apart:
/// they choose, sort, print or hash. A name that does not belong here makes verdicts wrong; `testkit/tests/equivariance.rs` tries each.
pub const SYMMETRIC_EXTERNALS: [&str; 15] = [
    "MU",
    "MU_WD",
    "SCCS",
    "CLOSURE1",
    "REPLACE",
    "FORCE",
    "ASSERT_EXPR",
    "ASSERT_TRUE",
    "SYMBOLIC",
    "COPY",
    "ENUM",
    "STORE",
    "KODKOD",
    "vprintf",
    "fvprintf",
];

fn is_symmetric(model: &Model, name: &str, types: Vec<TypeId>) -> bool {
    match name {
        // In the order of the numbers in the domain.
        "SQUASH" => types
            .first()
            .and_then(|ty| model.types.relation(*ty))
            .is_some_and(|(domain, _)| model.types.get(domain) == &Type::Integer),
        _ => SYMMETRIC_EXTERNALS.contains(&name) || SILENT_PREDICATES.contains(&name),
    }
}
