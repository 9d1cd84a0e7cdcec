//! Must-write sets: variables that an operation assigns in every outcome.
//!
//! They are under-approximations: a missing variable is sound, an additional one is not, since users conclude that its old value does not matter.

use std::collections::HashMap;

use abridge_diag::with_stack;

use crate::ids::{IdSet, OpId, SubstId, VarId};
use crate::model::Model;
use crate::subst::Subst;

/// Variables that every outcome of an operation assigns. Missing entries are sound, additional ones are not.
pub fn must_write(model: &Model, op: OpId) -> IdSet<VarId> {
    Must { model, open: Vec::new(), done: HashMap::new() }.operation(op)
}

struct Must<'a> {
    model: &'a Model,
    /// Operations on the call stack. A recursive call is assumed to assign nothing.
    open: Vec<OpId>,
    /// Results of callees; sound for recursive calls as well.
    done: HashMap<OpId, IdSet<VarId>>,
}

impl Must<'_> {
    fn operation(&mut self, op: OpId) -> IdSet<VarId> {
        if let Some(done) = self.done.get(&op) {
            return done.clone();
        }
        if self.open.contains(&op) || self.open.len() > 64 {
            return IdSet::new();
        }
        self.open.push(op);
        let written = self.subst(self.model.operations[op].body);
        self.open.pop();
        self.done.insert(op, written.clone());
        written
    }

    fn subst(&mut self, id: SubstId) -> IdSet<VarId> {
        with_stack(|| self.subst_inner(id))
    }

    fn subst_inner(&mut self, id: SubstId) -> IdSet<VarId> {
        let subst = self.model.subst(id);
        let mut written: IdSet<VarId> = subst.targets().iter().filter_map(|target| target.variable()).collect();
        match subst {
            Subst::Pre { body, .. } | Subst::Assert { body, .. } | Subst::Any { body, .. } => self.subst(*body),
            Subst::Let { body, .. } | Subst::Var { body, .. } => self.subst(*body),
            // Without ELSE, there is no outcome if no branch is enabled.
            Subst::Select { branches, otherwise } => {
                let bodies = branches.iter().map(|(_, body)| *body).chain(*otherwise).collect();
                self.all(bodies)
            }
            Subst::Choice(parts) => self.all(parts.clone()),
            Subst::If { branches, otherwise: Some(otherwise) } => {
                self.all(branches.iter().map(|(_, body)| *body).chain([*otherwise]).collect())
            }
            Subst::Case { branches, otherwise: Some(otherwise), .. } => {
                self.all(branches.iter().map(|(_, body)| *body).chain([*otherwise]).collect())
            }
            Subst::Sequence(parts) | Subst::Parallel(parts) => {
                for part in parts {
                    written.union_with(&self.subst(*part));
                }
                written
            }
            Subst::Call { op, .. } => {
                written.union_with(&self.operation(*op));
                written
            }
            _ => written,
        }
    }

    /// Variables that all alternatives assign.
    fn all(&mut self, alternatives: Vec<SubstId>) -> IdSet<VarId> {
        let mut sets = alternatives.into_iter().map(|body| self.subst(body)).collect::<Vec<_>>().into_iter();
        let Some(first) = sets.next() else { return IdSet::new() };
        sets.fold(first, |kept, set| kept.iter().filter(|id| set.contains(*id)).collect())
    }
}
