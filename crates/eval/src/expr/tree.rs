//! Trees: maps from paths to labels. A path is the sequence of branch numbers from the root.

use std::collections::BTreeMap;

use abridge_diag::with_stack;
use abridge_model::{ExprId, TreeOp};
use abridge_value::{Int, Set, Value, relation, sequence};

use crate::domain::{Env, ErrorKind, IllDefined, Result, SymbolicSet, Val};
use crate::interp::Session;

/// Parsed tree.
#[derive(Clone)]
struct Tree {
    label: Value,
    sons: Vec<Tree>,
}

type Path = Vec<i64>;

impl Session<'_> {
    pub(super) fn tree(&self, op: TreeOp, args: &[ExprId], env: &Env) -> Result<Val> {
        let args: Result<Vec<Val>> = args.iter().map(|arg| self.value(*arg, env)).collect();
        let args = args?;
        match (op, &args[..]) {
            (TreeOp::Tree | TreeOp::Btree, [labels]) => Ok(SymbolicSet::Tree(op, labels.clone()).into()),
            (TreeOp::Const, [label, sons]) => self.tree_const(label, sons, env),
            (TreeOp::Bin, [label]) => self.build(label, Vec::new(), env),
            (TreeOp::Bin, [left, label, right]) => {
                let sons = vec![self.parse(op, left, env)?, self.parse(op, right, env)?];
                self.build(label, sons, env)
            }
            (_, [tree]) => unary(op, &self.parse(op, tree, env)?, tree),
            (_, [tree, path, rest @ ..]) => self.at_path(op, &self.parse(op, tree, env)?, path, rest, env),
            _ => Err(ErrorKind::Internal("a tree operator has other arguments").into()),
        }
    }

    fn parse(&self, op: TreeOp, val: &Val, env: &Env) -> Result<Tree> {
        let set = self.enumerate(val, env)?;
        parse(&set).ok_or_else(|| bad(op, val).into())
    }

    fn build(&self, label: &Val, sons: Vec<Tree>, env: &Env) -> Result<Val> {
        Ok(Tree { label: self.finite(label, env)?, sons }.into_val())
    }

    /// `const(x, [t1, ...])`
    fn tree_const(&self, label: &Val, sons: &Val, env: &Env) -> Result<Val> {
        let sons = self.items("const", sons, env)?;
        let sons: Result<Vec<Tree>> = sons.into_iter().map(|son| self.parse(TreeOp::Const, &son.into(), env)).collect();
        self.build(label, sons?, env)
    }

    /// Operators on one node of a tree, given by its path.
    fn at_path(&self, op: TreeOp, tree: &Tree, path_val: &Val, rest: &[Val], env: &Env) -> Result<Val> {
        let outside = || IllDefined::BadOperand { operator: name(op), operand: path_val.clone() };
        let path = path_of(&self.enumerate(path_val, env)?).ok_or_else(outside)?;
        let place = tree.descend(&path).ok_or_else(outside)?;
        match (op, rest) {
            (TreeOp::Subtree, []) => Ok(place.clone().into_val()),
            (TreeOp::Arity, []) => Ok(Int::from(place.sons.len()).into()),
            (TreeOp::Rank, []) => Ok(Int::from(*path.last().ok_or_else(outside)?).into()),
            (TreeOp::Father, []) => Ok(path_set(path.split_last().ok_or_else(outside)?.1).into()),
            (TreeOp::Son, [index]) => {
                let number = index.int()?.to_usize().filter(|number| (1..=place.sons.len()).contains(number));
                let number =
                    number.ok_or_else(|| IllDefined::OutOfRange { operator: "son", operand: index.clone() })?;
                Ok(path_set(&[&path[..], &[number as i64]].concat()).into())
            }
            _ => Err(ErrorKind::Internal("a tree operator has other arguments").into()),
        }
    }
}

/// Operators on a tree as a whole.
fn unary(op: TreeOp, tree: &Tree, operand: &Val) -> Result<Val> {
    let mut labels = Vec::new();
    match op {
        TreeOp::Top => return Ok(tree.label.clone().into()),
        TreeOp::Sons => return Ok(sequence::from_items(tree.sons.iter().map(Tree::to_value)).into()),
        TreeOp::SizeT => return Ok(Int::from(tree.size()).into()),
        TreeOp::Mirror => return Ok(tree.mirror().into_val()),
        TreeOp::Left | TreeOp::Right => {
            let [left, right] = &tree.sons[..] else { return Err(bad(op, operand).into()) };
            return Ok((if op == TreeOp::Left { left } else { right }).clone().into_val());
        }
        TreeOp::Prefix => tree.prefix(&mut labels),
        TreeOp::Postfix => tree.postfix(&mut labels),
        TreeOp::Infix => {
            if !tree.is_binary() {
                return Err(bad(op, operand).into());
            }
            tree.infix(&mut labels);
        }
        _ => return Err(ErrorKind::Internal("a tree operator has other arguments").into()),
    }
    Ok(sequence::from_items(labels).into())
}

/// Whether a set of pairs is a tree, whatever its labels.
pub(crate) fn is_tree(set: &Set) -> bool {
    parse(set).is_some()
}

/// Whether every node of the tree has two sons or none.
pub(crate) fn is_binary(set: &Set) -> bool {
    parse(set).is_some_and(|tree| tree.is_binary())
}

fn parse(set: &Set) -> Option<Tree> {
    let mut labels: BTreeMap<Path, Value> = BTreeMap::new();
    for (path, label) in relation::pairs(set) {
        if labels.insert(path_of(path.as_set()?)?, label).is_some() {
            return None;
        }
    }
    let tree = take(&mut labels, &mut Vec::new())?;
    // Remaining labels are not reachable from the root.
    labels.is_empty().then_some(tree)
}

fn take(labels: &mut BTreeMap<Path, Value>, path: &mut Path) -> Option<Tree> {
    let label = labels.remove(path)?;
    let mut sons = Vec::new();
    for number in 1.. {
        path.push(number);
        let son = with_stack(|| take(labels, path));
        path.pop();
        match son {
            Some(son) => sons.push(son),
            None => break,
        }
    }
    Some(Tree { label, sons })
}

fn path_of(set: &Set) -> Option<Path> {
    let numbers = sequence::items(set)?.into_iter().map(|number| number.as_int()?.to_i64());
    numbers.collect()
}

fn path_set(path: &[i64]) -> Set {
    sequence::from_items(path.iter().map(|number| Value::Int(*number)))
}

impl Tree {
    fn into_val(self) -> Val {
        self.to_value().into()
    }

    fn to_value(&self) -> Value {
        let mut pairs = Vec::new();
        self.collect(&mut Vec::new(), &mut pairs);
        Value::Set(pairs.into_iter().collect())
    }

    fn collect(&self, path: &mut Path, pairs: &mut Vec<Value>) {
        pairs.push(Value::pair(Value::Set(path_set(path)), self.label.clone()));
        for (number, son) in (1..).zip(&self.sons) {
            path.push(number);
            with_stack(|| son.collect(path, pairs));
            path.pop();
        }
    }

    fn descend(&self, path: &[i64]) -> Option<&Tree> {
        path.iter().try_fold(self, |tree, number| tree.sons.get(usize::try_from(number.checked_sub(1)?).ok()?))
    }

    fn size(&self) -> usize {
        1 + self.sons.iter().map(|son| with_stack(|| son.size())).sum::<usize>()
    }

    fn mirror(&self) -> Tree {
        let sons = self.sons.iter().rev().map(|son| with_stack(|| son.mirror())).collect();
        Tree { label: self.label.clone(), sons }
    }

    fn is_binary(&self) -> bool {
        matches!(self.sons.len(), 0 | 2) && self.sons.iter().all(|son| with_stack(|| son.is_binary()))
    }

    fn prefix(&self, out: &mut Vec<Value>) {
        out.push(self.label.clone());
        self.sons.iter().for_each(|son| with_stack(|| son.prefix(out)));
    }

    fn postfix(&self, out: &mut Vec<Value>) {
        self.sons.iter().for_each(|son| with_stack(|| son.postfix(out)));
        out.push(self.label.clone());
    }

    fn infix(&self, out: &mut Vec<Value>) {
        if let Some(left) = self.sons.first() {
            with_stack(|| left.infix(out));
        }
        out.push(self.label.clone());
        if let Some(right) = self.sons.get(1) {
            with_stack(|| right.infix(out));
        }
    }
}

fn bad(op: TreeOp, operand: &Val) -> IllDefined {
    IllDefined::BadOperand { operator: name(op), operand: operand.clone() }
}

fn name(op: TreeOp) -> &'static str {
    match op {
        TreeOp::Tree => "tree",
        TreeOp::Btree => "btree",
        TreeOp::Const => "const",
        TreeOp::Top => "top",
        TreeOp::Sons => "sons",
        TreeOp::Prefix => "prefix",
        TreeOp::Postfix => "postfix",
        TreeOp::Infix => "infix",
        TreeOp::SizeT => "sizet",
        TreeOp::Mirror => "mirror",
        TreeOp::Rank => "rank",
        TreeOp::Father => "father",
        TreeOp::Son => "son",
        TreeOp::Subtree => "subtree",
        TreeOp::Arity => "arity",
        TreeOp::Bin => "bin",
        TreeOp::Left => "left",
        TreeOp::Right => "right",
    }
}
