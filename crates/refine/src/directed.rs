//! Abstract choices that kept variables decide.
//!
//! An abstract outcome is related to a concrete one only if the variables that both levels keep are equal. So where a substitution
//! chooses a value for such a variable, and assigns it nowhere else, one choice is enough: the concrete value. Without this, an
//! abstraction that leaves its variables open has as many outcomes as they have values. A variable that is assigned twice on a path is
//! left alone, since its first value may differ from its last.

use std::sync::Arc;

use abridge_eval::{Slots, State};
use abridge_model::ids::Id as _;

use abridge_model::{IdSet, Model, ModelNode, Subst, SubstId, VarId};

use crate::events::Letter;

/// Kept variables whose value is known where an outcome is looked for.
pub(crate) struct Directed {
    initialisation: IdSet<VarId>,
    /// By the position of the operation.
    operations: Vec<IdSet<VarId>>,
}

impl Directed {
    pub(crate) fn new(abstracted: &Model, kept: &[VarId], letters: &[Letter]) -> Directed {
        let of = |body: SubstId| chosen_once(abstracted, body, kept);
        Directed {
            initialisation: of(abstracted.initialisation),
            operations: letters.iter().map(|letter| of(abstracted.operations[letter.op].body)).collect(),
        }
    }

    /// Values for the choices of the initialisation; nothing if there are none to decide.
    pub(crate) fn initialisation(&self, concrete: &State) -> Option<Arc<Slots>> {
        values(&self.initialisation, concrete)
    }

    /// The same for an operation.
    pub(crate) fn operation(&self, position: usize, concrete: &State) -> Option<Arc<Slots>> {
        values(&self.operations[position], concrete)
    }

    /// Outcomes of some operation are found one by one, so that listing all of them would be a waste.
    pub(crate) fn has_operations(&self) -> bool {
        self.operations.iter().any(|variables| !variables.is_empty())
    }
}

fn values(variables: &IdSet<VarId>, concrete: &State) -> Option<Arc<Slots>> {
    let value = |(idx, val): (usize, &Option<abridge_eval::Val>)| {
        val.clone().filter(|val| variables.contains(VarId::from_index(idx)) && val.as_value().is_some())
    };
    (!variables.is_empty()).then(|| Arc::new(concrete.variables.iter().enumerate().map(value).collect()))
}

/// Kept variables that a body chooses a value for, and assigns in no other place. Operations that it calls may assign anything.
fn chosen_once(model: &Model, body: SubstId, kept: &[VarId]) -> IdSet<VarId> {
    let (mut assigned, mut twice, mut chosen) = (IdSet::new(), IdSet::new(), IdSet::new());
    let mut is_open = false;
    model.for_each_node(ModelNode::Subst(body), &mut |node| {
        let ModelNode::Subst(id) = node else { return };
        let subst = model.subst(id);
        is_open |= matches!(subst, Subst::While { .. } | Subst::Call { .. } | Subst::External(..));
        let is_choice = matches!(subst, Subst::BecomesElement { .. } | Subst::BecomesSuch { .. });
        for id in subst.targets().iter().filter_map(|target| target.variable()) {
            if assigned.contains(id) {
                twice.insert(id);
            }
            assigned.insert(id);
            if is_choice {
                chosen.insert(id);
            }
        }
    });
    let decided = kept.iter().copied().filter(|id| !is_open && chosen.contains(*id) && !twice.contains(*id));
    decided.collect()
}
