//! Promise `acyclic`, and a topological order of the nodes: every node before its operands.

use super::{Faults, Promise};
use crate::ModelNode;
use crate::ids::Id as _;
use crate::model::Model;

/// All nodes, parents first; `None` if the graph has a cycle.
pub(super) fn parents_first(model: &Model, faults: &mut Faults) -> Option<Vec<ModelNode>> {
    let numbering = Numbering::of(model);
    let mut colours = vec![Colour::New; numbering.len()];
    let mut children_first = Vec::with_capacity(numbering.len());
    let mut visits: Vec<Visit> = all_nodes(model).map(Visit::Enter).collect();
    while let Some(visit) = visits.pop() {
        match visit {
            Visit::Enter(node) => match colours[numbering.index(node)] {
                Colour::New => {
                    colours[numbering.index(node)] = Colour::Open;
                    visits.push(Visit::Leave(node));
                    model.for_each_child(node, &mut |child| visits.push(Visit::Enter(child)));
                }
                // A node that is met again while it is open was pushed by itself or by a node below it.
                Colour::Open => {
                    faults.add(Promise::Acyclic, node, "lies below itself");
                    return None;
                }
                Colour::Done => {}
            },
            Visit::Leave(node) => {
                colours[numbering.index(node)] = Colour::Done;
                children_first.push(node);
            }
        }
    }
    children_first.reverse();
    Some(children_first)
}

enum Visit {
    Enter(ModelNode),
    Leave(ModelNode),
}

#[derive(Clone, Copy)]
enum Colour {
    New,
    Open,
    Done,
}

fn all_nodes(model: &Model) -> impl Iterator<Item = ModelNode> {
    let exprs = model.exprs.ids().map(ModelNode::Expr);
    exprs.chain(model.preds.ids().map(ModelNode::Pred)).chain(model.substs.ids().map(ModelNode::Subst))
}

/// Consecutive numbers for nodes of all three kinds, so that one vector has an entry per node.
#[derive(Clone, Copy)]
pub(super) struct Numbering {
    n_exprs: usize,
    n_preds: usize,
    n_substs: usize,
}

impl Numbering {
    pub(super) fn of(model: &Model) -> Self {
        Numbering { n_exprs: model.exprs.len(), n_preds: model.preds.len(), n_substs: model.substs.len() }
    }

    pub(super) fn len(self) -> usize {
        self.n_exprs + self.n_preds + self.n_substs
    }

    pub(super) fn index(self, node: ModelNode) -> usize {
        match node {
            ModelNode::Expr(id) => id.index(),
            ModelNode::Pred(id) => self.n_exprs + id.index(),
            ModelNode::Subst(id) => self.n_exprs + self.n_preds + id.index(),
        }
    }
}
