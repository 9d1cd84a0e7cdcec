//! Labels of steps: the locals whose values tell the instances of an operation apart.
//!
//! Reductions and symbolic engines treat an operation as one instance for each value of its label. A label that left out a local which the body reads
//! would make one instance of several.

use crate::ModelNode;
use crate::ids::{LocalId, OpId};
use crate::{Expr, Model, Subst};

impl Model {
    /// What labels the steps of an operation: its parameters or, without any, what an ANY around its body chooses for the body.
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
