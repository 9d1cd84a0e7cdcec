//! Results of expressions: a concrete value, or a symbolic set, which is infinite, large, or not needed in full.
//!
//! A [`Val`] is a concrete value whenever possible; [`Val::pair`] and [`Val::record`] preserve that. Equality of `Val`s is structural: equal
//! `Val`s are equal sets, different ones may still be equal (see `sets/compare.rs` for the equality of B).

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use abridge_diag::{drop_in_turn, with_stack};
use abridge_model::{BaseSet, BinaryOp, ExprId, FreeTypeId, TreeOp, UnaryOp};
use abridge_value::{Int, Internable, Set, Value};

use super::env::Scope;
use super::error::{ErrorKind, Result};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Val {
    Value(Value),
    /// Pair with a component that is not concrete.
    Pair(Arc<(Val, Val)>),
    /// Record with a field that is not concrete; the number is the id of the record type.
    Record(u32, Arc<[Val]>),
    Symbolic(Arc<SymbolicNode>),
}

/// Symbolic set with its hash and nesting depth. Sets that a machine builds step by step may nest without bound, so recursion over them goes through
/// `with_stack`.
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

/// Set as a formula over evaluated operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymbolicSet {
    /// Base set other than BOOL, which is concrete.
    Base(BaseSet),
    FreeType(FreeTypeId),
    /// Operator with a set as result: `POW`, `seq`, `~`, ...
    Unary(UnaryOp, Val),
    Binary(BinaryOp, Val, Val),
    /// `struct(...)`, with the id of the record type.
    Struct(u32, Vec<Val>),
    /// `tree(S)`, `btree(S)`
    Tree(TreeOp, Val),
    /// Comprehension, lambda or UNION, with the values of the names that it reads.
    Closure(Closure),
    Successor,
    Predecessor,
    /// Constructor of a freetype as a function.
    Constructor(FreeTypeId, u32),
    /// Function or set under construction.
    Partial(Partial),
}

/// Finite function or set under construction, with undecided points. An answer that depends on those is
/// [`ErrorKind::Undetermined`]; any other answer is final.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Partial {
    /// Points are arguments; otherwise they are elements.
    pub is_function: bool,
    /// All points will be present.
    pub is_total: bool,
    pub is_injective: bool,
    /// Elements so far: pairs of a function, members of a set.
    pub decided: Set,
    /// Points decided not to be in the domain or set.
    pub absent: Set,
    /// Undecided points.
    pub open: Set,
}

/// Expression with bound variables, and the values of its free variables at the time of evaluation. Constants are not kept: they never change while a
/// value lives, and a recursive function reads itself.
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

    /// Decides many points at once, in the time of one pass through all of them.
    pub fn assign_all(&mut self, options: impl Iterator<Item = (Value, Option<Value>)>) {
        let (mut keys, mut absent, mut decided) = (Vec::new(), Vec::new(), Vec::new());
        for (key, option) in options {
            keys.push(key.clone());
            match option {
                None => absent.push(key),
                Some(value) if self.is_function => decided.push(Value::pair(key, value)),
                Some(_) => decided.push(key),
            }
        }
        self.open = self.open.difference(&keys.into_iter().collect());
        self.absent = self.absent.union(&absent.into_iter().collect());
        self.decided = self.decided.union(&decided.into_iter().collect());
    }

    /// The set itself once all points are decided.
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

    /// Nesting depth of operators in a symbolic set.
    pub fn depth(&self) -> u32 {
        match self {
            Val::Value(_) => 0,
            Val::Pair(pair) => pair.0.depth().max(pair.1.depth()),
            Val::Record(_, fields) => fields.iter().map(Val::depth).max().unwrap_or(0),
            Val::Symbolic(node) => node.depth,
        }
    }

    /// Whether both refer to the same symbolic set in memory. Sets that a machine builds from each other share parts, and visiting each occurrence
    /// would take time exponential in the number of steps.
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

    /// Approximate memory of a value. Symbolic sets are small apart from the values in them.
    fn owned_bytes(&self) -> usize {
        match self {
            Val::Value(value) => value.owned_bytes(),
            _ => size_of::<SymbolicNode>(),
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
    /// Operands that may themselves be symbolic.
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
    /// Queue of sets to drop, while a drop is in progress.
    static WAITING: RefCell<Option<Vec<SymbolicSet>>> = const { RefCell::new(None) };
}

/// Drops nested sets iteratively, since a machine can make chains of any length.
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
