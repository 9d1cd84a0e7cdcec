//! Undo tree: all steps of a dialogue, those that were undone included.
//!
//! A step that is taken again from the same place is the same node, so the tree grows by what is new only.

use abridge_check::Move;
use serde_json::json;

use super::Dialogue;
use crate::steps::event;
use crate::talk::Reply;

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// First steps, in the order in which they were taken.
    roots: Vec<usize>,
    /// The last step of the walk; nothing at the root.
    here: Option<usize>,
}

struct Node {
    step: Move,
    parent: Option<usize>,
    children: Vec<usize>,
}

impl Tree {
    /// Adds what is new in the history of a walk, and stands at its end.
    pub(super) fn record(&mut self, history: &[Move]) {
        self.here = None;
        for step in history {
            let known = self.children(self.here).iter().position(|child| self.nodes[*child].step == *step);
            let child = match known {
                // The child that was taken last is the last one.
                Some(idx) => self.children_mut().remove(idx),
                None => {
                    self.nodes.push(Node { step: step.clone(), parent: self.here, children: Vec::new() });
                    self.nodes.len() - 1
                }
            };
            self.children_mut().push(child);
            self.here = Some(child);
        }
    }

    fn children(&self, parent: Option<usize>) -> &[usize] {
        parent.map_or(&self.roots, |parent| &self.nodes[parent].children)
    }

    fn children_mut(&mut self) -> &mut Vec<usize> {
        match self.here {
            Some(here) => &mut self.nodes[here].children,
            None => &mut self.roots,
        }
    }

    /// The steps from the root to a node.
    fn path(&self, node: Option<usize>) -> Vec<Move> {
        let mut path = Vec::new();
        let mut next = node;
        while let Some(idx) = next {
            path.push(self.nodes[idx].step.clone());
            next = self.nodes[idx].parent;
        }
        path.reverse();
        path
    }

    /// The step that was taken last from here, and undone.
    fn next(&self) -> Option<usize> {
        self.children(self.here).last().copied()
    }

    /// The tree as text: one row per step. Where walks part, each begins with a dash, one level deeper; `values` tells steps apart that have no parameters, by the state before
    /// and the step.
    pub(super) fn reply(&self, values: &dyn Fn(Option<&[u32]>, &Move) -> String) -> Reply {
        let mut text = String::new();
        let mut list = Vec::new();
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        let go_on = |waiting: &mut Vec<(usize, usize)>, children: &[usize], depth: usize| {
            let inner = depth + usize::from(children.len() > 1);
            waiting.extend(children.iter().rev().map(|child| (*child, inner)));
        };
        go_on(&mut waiting, &self.roots, 0);
        while let Some((idx, depth)) = waiting.pop() {
            let node = &self.nodes[idx];
            let label = event(&node.step.name, &node.step.params, &node.step.outputs);
            let here = if self.here == Some(idx) { '*' } else { ' ' };
            let is_branch = self.children(node.parent).len() > 1;
            let (indent, dash) = (2 * depth.saturating_sub(1), if is_branch { "- " } else { "  " });
            let dash = if depth == 0 { "" } else { dash };
            let before = node.parent.map(|parent| self.nodes[parent].step.to.as_slice());
            let needs_values = is_branch && node.step.params.is_empty();
            let values = if needs_values { values(before, &node.step) } else { String::new() };
            let row = format!("{here}{:>3}  {:indent$}{dash}{label}  {values}", idx + 1, "");
            text += row.trim_end();
            text.push('\n');
            list.push(json!({ "number": idx + 1, "parent": node.parent.map(|parent| parent + 1), "step": label }));
            go_on(&mut waiting, &node.children, depth);
        }
        if text.is_empty() {
            text = "no steps yet\n".to_owned();
        }
        Reply::text(text, json!({ "tree": list, "here": self.here.map(|here| here + 1) }))
    }
}

impl Dialogue<'_> {
    pub(super) fn redo(&mut self) -> Reply {
        match self.tree.next() {
            Some(node) => self.stand_at(node),
            None => Reply::error("no step to redo"),
        }
    }

    pub(super) fn goto(&mut self, number: &str) -> Reply {
        let n_nodes = self.tree.nodes.len();
        match number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|idx| *idx < n_nodes) {
            Some(node) => self.stand_at(node),
            None if n_nodes == 0 => Reply::error("no steps yet"),
            None => Reply::error(format!("`goto` needs a number from 1 to {n_nodes}; `tree` prints them")),
        }
    }

    fn stand_at(&mut self, node: usize) -> Reply {
        let path = self.tree.path(Some(node));
        self.animation.retrace(path);
        Reply::place("")
    }
}
