//! Free names of formulas and conjuncts of predicates, computed once per node.
//!
//! The planners ask for these for every constraint and unknown. A missing name makes a constraint look ready before its unknowns have values.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use abridge_diag::with_stack;
use abridge_model::ModelNode;
use abridge_model::ids::Id as _;
use abridge_model::{ConstId, Expr, ExprId, LocalId, Model, Pred, PredId, Subst, SubstId, Target, VarId};

/// Names that occur free, each list ascending.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FreeNames {
    pub locals: Vec<LocalId>,
    pub variables: Vec<VarId>,
    pub constants: Vec<ConstId>,
}

/// Free names and conjuncts of the formulas of one model.
pub struct NameCache {
    exprs: Vec<OnceLock<Arc<FreeNames>>>,
    preds: Vec<OnceLock<Arc<FreeNames>>>,
    conjuncts: Vec<OnceLock<Arc<[PredId]>>>,
}

impl NameCache {
    pub fn new(model: &Model) -> NameCache {
        NameCache {
            exprs: std::iter::repeat_with(OnceLock::new).take(model.exprs.len()).collect(),
            preds: std::iter::repeat_with(OnceLock::new).take(model.preds.len()).collect(),
            conjuncts: std::iter::repeat_with(OnceLock::new).take(model.preds.len()).collect(),
        }
    }

    pub fn of_expr(&self, model: &Model, id: ExprId) -> Arc<FreeNames> {
        let slot = &self.exprs[id.index()];
        slot.get_or_init(|| Arc::new(with_stack(|| self.compute(model, ModelNode::Expr(id))))).clone()
    }

    pub fn of_pred(&self, model: &Model, id: PredId) -> Arc<FreeNames> {
        let slot = &self.preds[id.index()];
        slot.get_or_init(|| Arc::new(with_stack(|| self.compute(model, ModelNode::Pred(id))))).clone()
    }

    /// Names that a substitution reads or may write.
    pub fn of_subst(&self, model: &Model, id: SubstId) -> FreeNames {
        with_stack(|| self.compute(model, ModelNode::Subst(id)))
    }

    /// Operands of nested conjunctions, in order.
    pub fn conjuncts(&self, model: &Model, id: PredId) -> Arc<[PredId]> {
        let slot = &self.conjuncts[id.index()];
        let split = || {
            let mut found = Vec::new();
            let mut open = vec![id];
            while let Some(id) = open.pop() {
                match model.pred(id) {
                    Pred::And(operands) => open.extend(operands.iter().rev()),
                    Pred::True => {}
                    _ => found.push(id),
                }
            }
            found.into()
        };
        slot.get_or_init(split).clone()
    }

    fn compute(&self, model: &Model, node: ModelNode) -> FreeNames {
        let mut names = Collected::default();
        if let ModelNode::Expr(id) = node {
            match model.expr(id) {
                Expr::Local(id) => _ = names.locals.insert(*id),
                Expr::Variable(id) => _ = names.variables.insert(*id),
                Expr::Constant(id) => _ = names.constants.insert(*id),
                Expr::CallOperation(op, _) => {
                    let effects = &model.operations[*op].effects;
                    names.variables.extend(effects.reads.iter());
                    names.constants.extend(effects.constants.iter());
                }
                _ => {}
            }
        }
        if let ModelNode::Subst(id) = node {
            names.add_subst(model, model.subst(id));
        }
        model.for_each_child(node, &mut |child| match child {
            ModelNode::Expr(id) => names.add(&self.of_expr(model, id)),
            ModelNode::Pred(id) => names.add(&self.of_pred(model, id)),
            ModelNode::Subst(id) => names.add(&self.of_subst(model, id)),
        });
        for local in model.bound_locals(node) {
            names.locals.remove(&local);
        }
        FreeNames {
            locals: names.locals.into_iter().collect(),
            variables: names.variables.into_iter().collect(),
            constants: names.constants.into_iter().collect(),
        }
    }
}

#[derive(Default)]
struct Collected {
    locals: BTreeSet<LocalId>,
    variables: BTreeSet<VarId>,
    constants: BTreeSet<ConstId>,
}

impl Collected {
    /// Adds the names that a substitution itself assigns or reads, without its parts.
    fn add_subst(&mut self, model: &Model, subst: &Subst) {
        for target in subst.targets() {
            match target {
                Target::Variable(id) => _ = self.variables.insert(*id),
                Target::Local(id) => _ = self.locals.insert(*id),
            }
        }
        if let Subst::Call { op, .. } = subst {
            let effects = &model.operations[*op].effects;
            self.variables.extend(effects.reads.iter().chain(effects.writes.iter()));
            self.constants.extend(effects.constants.iter());
        }
    }

    fn add(&mut self, names: &FreeNames) {
        self.locals.extend(&names.locals);
        self.variables.extend(&names.variables);
        self.constants.extend(&names.constants);
    }
}
