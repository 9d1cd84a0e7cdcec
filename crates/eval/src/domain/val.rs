//! Results of expressions: a value, or a set that is kept as a formula because it is infinite, large, or not needed in full.
//!
//! [`Val`] is the value wherever it can be; [`Val::pair`] and [`Val::record`] keep that. Equality of `Val`s is structural: equal
//! `Val`s are equal sets, different ones may still be equal (see `sets/compare.rs` for the equality of B).

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use abridge_diag::{drop_in_turn, with_stack};
use abridge_model::{BaseSet, BinaryOp, ExprId, FreeTypeId, TreeOp, UnaryOp};
use abridge_value::{Int, Internable, PartPool, Set, Value};

use super::env::Scope;
use super::error::{ErrorKind, Result};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Val {
    Value(Value),
    /// Not both parts are values.
    Pair(Arc<(Val, Val)>),
    /// Not all fields are values; the number is that of the record type.
    Record(u32, Arc<[Val]>),
    Symbolic(Arc<SymbolicNode>),
}

/// A symbolic set, its hash and how deep its operators nest. Values that a machine builds step by step may nest without bound, so
/// whatever walks them watches the stack.
pub struct SymbolicNode {
    sym: SymbolicSet,
    hash: u64,
    depth: u32,
}

impl std::fmt::Debug for SymbolicNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        with_stack(|| self.sym.fmt(f))
    }
}

/// A set as a formula over evaluated operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymbolicSet {
    /// Never BOOL, which is a value.
    Base(BaseSet),
    FreeType(FreeTypeId),
    /// An operator that yields a set: `POW`, `seq`, `~`, ...
    Unary(UnaryOp, Val),
    Binary(BinaryOp, Val, Val),
    /// `struct(...)`, with the number of the record type.
    Struct(u32, Vec<Val>),
    /// `tree(S)`, `btree(S)`
    Tree(TreeOp, Val),
    /// A comprehension, lambda or UNION, with the values of the names that it reads.
    Closure(Closure),
    Successor,
    Predecessor,
    /// A constructor of a freetype as a function.
    Constructor(FreeTypeId, u32),
    /// A function or set under construction.
    Partial(Partial),
}

/// A finite function or set of which some points are not decided. Whatever depends on those is
/// [`ErrorKind::Undetermined`]; whatever does not is final.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Partial {
    /// Points are arguments; otherwise they are elements.
    pub is_function: bool,
    /// No point will be absent.
    pub is_total: bool,
    pub is_injective: bool,
    /// The elements so far: pairs of a function, members of a set.
    pub decided: Set,
    /// Points that are not in the domain, or not in the set.
    pub absent: Set,
    /// Points to be decided.
    pub open: Set,
}

/// An expression with bound variables, and what its free variables stood for when it was met. Constants are not kept: they never
/// change while a value lives, and a recursive function reads itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Closure {
    pub expr: ExprId,
    pub scope: Scope,
}

impl Partial {
    /// Decides a point.
    pub fn assign(&mut self, key: Value, option: Option<Value>) {
        self.open = self.open.remove(&key);
        match option {
            None => self.absent = self.absent.insert(key),
            Some(value) => {
                let element = if self.is_function { Value::pair(key, value) } else { key };
                self.decided = self.decided.insert(element);
            }
        }
    }

    /// The set itself once nothing is open.
    pub fn into_val(self) -> Val {
        if self.open.is_empty() { self.decided.into() } else { SymbolicSet::Partial(self).into() }
    }
}

impl Val {
    pub fn pair(first: Val, second: Val) -> Val {
        match (first, second) {
            (Val::Value(first), Val::Value(second)) => Val::Value(Value::pair(first, second)),
            parts => Val::Pair(Arc::new(parts)),
        }
    }

    pub fn record(shape: u32, fields: Vec<Val>) -> Val {
        let values: Option<Vec<Value>> = fields.iter().map(|field| field.as_value().cloned()).collect();
        match values {
            Some(values) => Val::Value(Value::record(shape, values)),
            None => Val::Record(shape, fields.into()),
        }
    }

    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Val::Value(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_set(&self) -> Option<&Set> {
        self.as_value().and_then(Value::as_set)
    }

    pub fn as_sym(&self) -> Option<&SymbolicSet> {
        match self {
            Val::Symbolic(sym) => Some(sym),
            _ => None,
        }
    }

    pub fn as_closure(&self) -> Option<&Closure> {
        match self.as_sym()? {
            SymbolicSet::Closure(closure) => Some(closure),
            _ => None,
        }
    }

    /// Both components of a pair.
    pub fn split(&self) -> Result<(Val, Val)> {
        match self {
            Val::Value(Value::Pair(pair)) => Ok((Val::Value(pair.0.clone()), Val::Value(pair.1.clone()))),
            Val::Pair(pair) => Ok((pair.0.clone(), pair.1.clone())),
            _ => Err(ErrorKind::Internal("a pair is expected").into()),
        }
    }

    pub fn field(&self, field: u32) -> Result<Val> {
        let found = match self {
            Val::Value(Value::Record(record)) => record.fields().get(field as usize).cloned().map(Val::Value),
            Val::Record(_, fields) => fields.get(field as usize).cloned(),
            _ => None,
        };
        found.ok_or_else(|| ErrorKind::Internal("a record with this field is expected").into())
    }

    pub fn int(&self) -> Result<Int> {
        let int = self.as_value().and_then(Value::as_int);
        int.ok_or_else(|| ErrorKind::Internal("an integer is expected").into())
    }

    pub fn real(&self) -> Result<f64> {
        let real = self.as_value().and_then(Value::as_real);
        real.ok_or_else(|| ErrorKind::Internal("a real is expected").into())
    }

    pub fn bool(&self) -> Result<bool> {
        let flag = self.as_value().and_then(Value::as_bool);
        flag.ok_or_else(|| ErrorKind::Internal("a boolean is expected").into())
    }

    pub fn str(&self) -> Result<&str> {
        let text = self.as_value().and_then(Value::as_str);
        text.ok_or_else(|| ErrorKind::Internal("a string is expected").into())
    }

    /// How deep operators nest in a symbolic set.
    pub fn depth(&self) -> u32 {
        match self {
            Val::Value(_) => 0,
            Val::Pair(pair) => pair.0.depth().max(pair.1.depth()),
            Val::Record(_, fields) => fields.iter().map(Val::depth).max().unwrap_or(0),
            Val::Symbolic(node) => node.depth,
        }
    }

    /// True for two references to one symbolic set. Sets that a machine makes of each other share their parts, and walking each occurrence would take
    /// time exponential in the number of steps.
    pub fn is_same(&self, other: &Val) -> bool {
        matches!((self, other), (Val::Symbolic(left), Val::Symbolic(right)) if Arc::ptr_eq(left, right))
    }

    pub fn is_empty_set(&self) -> bool {
        self.as_set().is_some_and(Set::is_empty)
    }
}

impl SymbolicSet {
    pub fn unary(op: UnaryOp, operand: Val) -> Val {
        SymbolicSet::Unary(op, operand).into()
    }

    pub fn binary(op: BinaryOp, left: Val, right: Val) -> Val {
        SymbolicSet::Binary(op, left, right).into()
    }
}

impl Internable for Val {
    fn as_small(&self) -> Option<u32> {
        match self {
            Val::Value(value) => value.as_small(),
            _ => None,
        }
    }

    /// Symbolic sets are formulas, which are small but for the values in them.
    fn owned_bytes(&self) -> usize {
        match self {
            Val::Value(value) => value.owned_bytes(),
            _ => size_of::<SymbolicNode>(),
        }
    }

    fn with_shared_parts(&self, pool: &PartPool) -> Val {
        match self {
            Val::Value(value) => Val::Value(value.with_shared_parts(pool)),
            _ => self.clone(),
        }
    }
}

impl From<SymbolicSet> for Val {
    fn from(sym: SymbolicSet) -> Val {
        let mut hasher = DefaultHasher::new();
        sym.hash(&mut hasher);
        let depth = 1 + sym.parts().map(Val::depth).max().unwrap_or(0);
        Val::Symbolic(Arc::new(SymbolicNode { hash: hasher.finish(), depth, sym }))
    }
}

impl SymbolicSet {
    /// The operands that may be symbolic themselves.
    fn parts(&self) -> impl Iterator<Item = &Val> {
        let (few, many): ([Option<&Val>; 2], &[Val]) = match self {
            SymbolicSet::Unary(_, operand) | SymbolicSet::Tree(_, operand) => ([Some(operand), None], &[]),
            SymbolicSet::Binary(_, left, right) => ([Some(left), Some(right)], &[]),
            SymbolicSet::Struct(_, fields) => ([None, None], fields),
            _ => ([None, None], &[]),
        };
        few.into_iter().flatten().chain(many)
    }
}

impl Deref for SymbolicNode {
    type Target = SymbolicSet;
    fn deref(&self) -> &SymbolicSet {
        &self.sym
    }
}

impl PartialEq for SymbolicNode {
    fn eq(&self, other: &SymbolicNode) -> bool {
        std::ptr::eq(self, other)
            || (self.hash, self.depth) == (other.hash, other.depth) && with_stack(|| self.sym == other.sym)
    }
}

impl Eq for SymbolicNode {}

impl Hash for SymbolicNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

thread_local! {
    /// What is left to drop, while something is being dropped.
    static WAITING: RefCell<Option<Vec<SymbolicSet>>> = const { RefCell::new(None) };
}

/// One after the other: a chain of formulas is as long as the machine likes.
impl Drop for SymbolicNode {
    fn drop(&mut self) {
        let sym = std::mem::replace(&mut self.sym, SymbolicSet::Successor);
        if !matches!(sym, SymbolicSet::Successor) {
            drop_in_turn(&WAITING, sym);
        }
    }
}

impl From<Value> for Val {
    fn from(value: Value) -> Val {
        Val::Value(value)
    }
}

impl From<Set> for Val {
    fn from(set: Set) -> Val {
        Val::Value(Value::Set(set))
    }
}

impl From<Int> for Val {
    fn from(int: Int) -> Val {
        Val::Value(Value::int(int))
    }
}

impl From<bool> for Val {
    fn from(flag: bool) -> Val {
        Val::Value(Value::Bool(flag))
    }
}
