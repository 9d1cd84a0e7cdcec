//! Labels of steps: the locals whose values distinguish the instances of an operation.
//!
//! Reductions and symbolic engines split an operation into one instance per value of its label. A label must include every local that the body reads;
//! otherwise several instances would be taken for one.

use crate::ModelNode;
use crate::ids::{LocalId, OpId};
use crate::{Expr, Model, Subst};

impl Model {
    /// Locals that label the steps of an operation: its parameters or, if it has none, the locals of an ANY around its body.
    pub fn label_locals(&self, op: OpId) -> Vec<LocalId> {
        let operation = &self.operations[op];
        if !operation.params.is_empty() {
            return operation.params.clone();
        }
        let mut body = operation.body;
        loop {
            match self.subst(body) {
                Subst::Pre { body: inner, .. } if body == operation.body => body = *inner,
                Subst::Select { branches, otherwise: None } if branches.len() == 1 => body = branches[0].1,
                Subst::Any { binder, body: inner, .. } => {
                    let mut is_read: Vec<bool> = vec![false; binder.len()];
                    self.for_each_node(ModelNode::Subst(*inner), &mut |node| {
                        if let ModelNode::Expr(id) = node
                            && let Expr::Local(local) = self.expr(id)
                            && let Some(idx) = binder.iter().position(|other| other == local)
                        {
                            is_read[idx] = true;
                        }
                    });
                    let read = binder.iter().zip(is_read).filter(|(_, is_read)| *is_read);
                    return read.map(|(local, _)| *local).collect();
                }
                _ => return Vec::new(),
            }
        }
    }
}
