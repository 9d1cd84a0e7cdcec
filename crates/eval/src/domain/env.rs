//! Environments: values of constants, variables and locals during an evaluation.
//!
//! An environment is persistent: cloning is cheap and a change makes a new one, so that a closure can keep its scope. A scope is restricted to the
//! names that a formula reads before it is kept. Otherwise equal sets would differ by irrelevant names.

use std::sync::Arc;

use abridge_model::ids::Id as _;
use abridge_model::{ConstId, LocalId, Target, VarId};
use abridge_value::Value;

use super::val::Val;

/// Value of each id, if it has one.
pub type Slots = Vec<Option<Val>>;

/// Values of all constants and variables. Variables that only an abstraction has are empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub constants: Arc<Slots>,
    pub variables: Arc<Slots>,
}

/// Constants, variables and locals. Persistent and cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Env {
    pub constants: Arc<Slots>,
    pub scope: Scope,
}

/// Variables and locals, as kept by a closure.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Scope {
    pub variables: Arc<Slots>,
    pub locals: Locals,
}

/// Locals in scope, innermost first. The list is as long as formulas nest, so searching it is cheap.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Locals(Option<Arc<Frame>>);

#[derive(PartialEq, Eq, Hash, Debug)]
struct Frame {
    local: LocalId,
    /// `None` between the declaration of a VAR local or output and its first assignment.
    val: Option<Val>,
    outer: Locals,
}

impl Env {
    /// Environment without values.
    pub fn empty() -> Env {
        Env { constants: Arc::default(), scope: Scope::default() }
    }

    pub fn new(state: &State) -> Env {
        let scope = Scope { variables: state.variables.clone(), locals: Locals::default() };
        Env { constants: state.constants.clone(), scope }
    }

    pub fn state(&self) -> State {
        State { constants: self.constants.clone(), variables: self.scope.variables.clone() }
    }

    pub fn constant(&self, id: ConstId) -> Option<&Val> {
        self.constants.get(id.index())?.as_ref()
    }

    pub fn variable(&self, id: VarId) -> Option<&Val> {
        self.scope.variables.get(id.index())?.as_ref()
    }

    pub fn local(&self, id: LocalId) -> Option<&Val> {
        self.scope.locals.get(id)
    }

    /// Environment with a local bound, which hides an outer one of the same id.
    #[must_use]
    pub fn bind(&self, local: LocalId, val: Val) -> Env {
        let mut env = self.clone();
        env.scope.locals.push(local, Some(val));
        env
    }

    #[must_use]
    pub fn bind_all(&self, bindings: impl IntoIterator<Item = (LocalId, Val)>) -> Env {
        let mut env = self.clone();
        for (local, val) in bindings {
            env.scope.locals.push(local, Some(val));
        }
        env
    }

    /// Environment with locals declared that have no value yet.
    #[must_use]
    pub fn declare(&self, locals: &[LocalId]) -> Env {
        let mut env = self.clone();
        for local in locals {
            env.scope.locals.push(*local, None);
        }
        env
    }

    #[must_use]
    pub fn with_constant(&self, id: ConstId, val: Val) -> Env {
        let mut env = self.clone();
        env.set_constant(id, val);
        env
    }

    /// Gives a constant a value, in place if nobody else has the constants.
    pub fn set_constant(&mut self, id: ConstId, val: Val) {
        set_slot(Arc::make_mut(&mut self.constants), id.index(), Some(val));
    }

    /// Environment with targets assigned.
    #[must_use]
    pub fn assign<'a>(&self, changes: impl Iterator<Item = (Target, &'a Option<Val>)>) -> Env {
        self.clone().assigned(changes)
    }

    /// [`Env::assign`] that consumes the environment, and changes unshared parts in place.
    #[must_use]
    pub fn assigned<'a>(mut self, changes: impl Iterator<Item = (Target, &'a Option<Val>)>) -> Env {
        for (target, val) in changes {
            match target {
                Target::Variable(id) => set_slot(Arc::make_mut(&mut self.scope.variables), id.index(), val.clone()),
                Target::Local(local) => self.scope.locals = self.scope.locals.replaced(local, val),
            }
        }
        self
    }

    /// Environment without locals, for the body of a called operation.
    #[must_use]
    pub fn without_locals(&self) -> Env {
        let scope = Scope { variables: self.scope.variables.clone(), locals: Locals::default() };
        Env { constants: self.constants.clone(), scope }
    }

    /// Environment of a closure: its scope, with the constants of this one.
    #[must_use]
    pub fn enter(&self, scope: &Scope) -> Env {
        Env { constants: self.constants.clone(), scope: scope.clone() }
    }
}

fn set_slot(slots: &mut Slots, index: usize, val: Option<Val>) {
    if slots.len() <= index {
        slots.resize(index + 1, None);
    }
    slots[index] = val;
}

impl Scope {
    /// Scope restricted to these names, so that scopes are equal if the names have equal values.
    pub fn restricted(&self, variables: &[VarId], locals: &[LocalId]) -> Scope {
        let mut kept = Scope::default();
        if let Some(last) = variables.last() {
            let slots = Arc::make_mut(&mut kept.variables);
            slots.resize(last.index() + 1, None);
            for id in variables {
                slots[id.index()] = self.variables.get(id.index()).cloned().flatten();
            }
        }
        for local in locals {
            if let Some(val) = self.locals.get(*local) {
                kept.locals.push(*local, Some(val.clone()));
            }
        }
        kept
    }
}

impl Locals {
    fn get(&self, id: LocalId) -> Option<&Val> {
        let mut frame = self.0.as_deref();
        while let Some(Frame { local, val, outer }) = frame {
            if *local == id {
                return val.as_ref();
            }
            frame = outer.0.as_deref();
        }
        None
    }

    /// All bindings, outermost first.
    pub fn frames(&self) -> impl Iterator<Item = (LocalId, &Option<Val>)> {
        let mut frames = Vec::new();
        let mut frame = self.0.as_deref();
        while let Some(Frame { local, val, outer }) = frame {
            frames.push((*local, val));
            frame = outer.0.as_deref();
        }
        frames.into_iter().rev()
    }

    /// Locals from bindings, outermost first.
    pub fn of_frames(frames: impl IntoIterator<Item = (LocalId, Option<Val>)>) -> Locals {
        let mut locals = Locals::default();
        frames.into_iter().for_each(|(local, val)| locals.push(local, val));
        locals
    }

    fn push(&mut self, local: LocalId, val: Option<Val>) {
        *self = Locals(Some(Arc::new(Frame { local, val, outer: self.clone() })));
    }

    /// Locals with the leaves of their values changed; `None` if none changes.
    pub fn map_leaves(&self, change: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<Locals> {
        let frame = self.0.as_deref()?;
        let val = frame.val.as_ref().and_then(|val| val.map_leaves(change));
        let outer = frame.outer.map_leaves(change);
        if val.is_none() && outer.is_none() {
            return None;
        }
        let mut locals = outer.unwrap_or_else(|| frame.outer.clone());
        locals.push(frame.local, val.or_else(|| frame.val.clone()));
        Some(locals)
    }

    /// Locals with the innermost binding of an id replaced in place, so that assignments in a loop do not lengthen the list.
    fn replaced(&self, local: LocalId, val: &Option<Val>) -> Locals {
        let mut above = Vec::new();
        let mut frame = self.0.as_deref();
        while let Some(found) = frame.filter(|frame| frame.local != local) {
            above.push(found);
            frame = found.outer.0.as_deref();
        }
        let mut locals = match frame {
            Some(found) => found.outer.clone(),
            None => {
                above.clear();
                self.clone()
            }
        };
        locals.push(local, val.clone());
        for frame in above.into_iter().rev() {
            locals.push(frame.local, frame.val.clone());
        }
        locals
    }
}
