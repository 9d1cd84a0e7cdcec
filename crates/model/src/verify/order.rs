//! Promise `acyclic`, and a topological order of the nodes: every node before its operands.

use super::{Faults, Promise};
use crate::ids::Id as _;
use crate::model::Model;
use crate::walk::Node;

/// All nodes, parents first; `None` if the graph has a cycle.
pub(super) fn parents_first(model: &Model, faults: &mut Faults) -> Option<Vec<Node>> {
    let numbering = Numbering::of(model);
    let mut marks = vec![Mark::New; numbering.len()];
    let mut children_first = Vec::with_capacity(numbering.len());
    let mut steps: Vec<Step> = all_nodes(model).map(Step::Enter).collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(node) => match marks[numbering.index(node)] {
                Mark::New => {
                    marks[numbering.index(node)] = Mark::Open;
                    steps.push(Step::Leave(node));
                    model.for_each_child(node, &mut |child| steps.push(Step::Enter(child)));
                }
                // A node entered before an open node is left was pushed by the open node or a descendant.
                Mark::Open => {
                    faults.add(Promise::Acyclic, node, "lies below itself");
                    return None;
                }
                Mark::Done => {}
            },
            Step::Leave(node) => {
                marks[numbering.index(node)] = Mark::Done;
                children_first.push(node);
            }
        }
    }
    children_first.reverse();
    Some(children_first)
}

enum Step {
    Enter(Node),
    Leave(Node),
}

#[derive(Clone, Copy)]
enum Mark {
    New,
    Open,
    Done,
}

fn all_nodes(model: &Model) -> impl Iterator<Item = Node> {
    let exprs = model.exprs.ids().map(Node::Expr);
    exprs.chain(model.preds.ids().map(Node::Pred)).chain(model.substs.ids().map(Node::Subst))
}

/// Consecutive numbers for the nodes of all three kinds, so that one vector holds something for each.
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

    pub(super) fn index(self, node: Node) -> usize {
        match node {
            Node::Expr(id) => id.index(),
            Node::Pred(id) => self.n_exprs + id.index(),
            Node::Subst(id) => self.n_exprs + self.n_preds + id.index(),
        }
    }
}
