//! Contract of the model: properties that the front end guarantees and every reader of a [`Model`] relies on.
//! Debug builds check them after each construction.
//!
//! A reader may rely on these promises and on no others. The text of a [`Fault`] begins with the name of the broken promise.
//!
//! 1. `ids`: every id that the model holds is in range of its table; so are the positions of elements in their carrier set and
//!    of constructors in their freetype.
//! 2. `acyclic`: no node lies below itself. A node may have several parents, and nothing is said about the order of ids. Calls
//!    of operations may be recursive.
//! 3. `types`: the parts of a type have smaller ids than the type; a record type has at least one field, and its fields are in
//!    the order of their names, all different.
//! 4. `carriers`: every carrier set has at least one element and every freetype at least one constructor; the set of a
//!    constructor's argument has the type POW of the argument's type and reads no variable.
//! 5. `typed`: the type of every expression fits its operator and the types of its operands, the operands of every predicate fit
//!    it, and a record's values, sets and field positions fit its record type. A LET's local has the type of its value, a CASE's values
//!    have that of its selector, a loop's variant is an INTEGER.
//! 6. `shape`: And, Or, Sequence and Parallel have at least two parts; extensions, binders, LET, VAR, CHOICE, SELECT, IF and CASE
//!    have at least one, and so has every branch of a CASE; assignments have targets; only functions are injective arrows.
//! 7. `externals`: a function, predicate or substitution that is implemented natively is used as what it is.
//! 8. `bound-once`: every local is bound in exactly one place: as a parameter or output of an operation, by a binder, LET or VAR,
//!    as a `new` of BecomesSuch or a `before` of While.
//! 9. `scope`: a local is used only below the node, or in the operation, that binds it. A LET's value sees the LET's earlier
//!    locals only, `new` is seen by the predicate alone, `before` by the loop's invariant and variant alone.
//! 10. `targets`: the targets of one substitution are all different; the locals among them, and among the targets of a `before`,
//!     are outputs or of a VAR.
//! 11. `assigned`: Assign has as many values as targets, of equal types; the set of BecomesElement has the type POW of the
//!     targets' types as a left-nested pair; `new` is one local per target, of its type; a `before` has its target's type.
//! 12. `calls`: a call has as many arguments and outputs as the operation has parameters and outputs, of equal types. An operation
//!     called in an expression has outputs, which together (as a left-nested pair) are its value, and writes no variable.
//! 13. `properties`: the properties read no variable.
//! 14. `abstract`: neither transitions nor the initialisation nor the steering formulas read or write a variable that only an
//!     abstraction has, calls included.
//! 15. `effects`: the effects of operations and the reads and constants of conjuncts hold at least what [`effects`] computes.
//! 16. `gluing`: a conjunct is gluing exactly if the variables it is said to read include one that only an abstraction has.
//! 17. `refines`: no operation refines itself.
//! 18. `distinct`: each group of distinct constants has at least one; all its constants are different and have the type of one
//!     deferred set, which no other group has.
//!
//! Not promised: that the branches of a Parallel write different variables (a preference allows common ones), that all nodes are reachable, that an
//! initialisation assigns every variable, that outputs are assigned or never read, that names differ. `scope` and the promises after `calls` are
//! about reachable nodes, the other promises about all nodes.
//!
//! The check takes linear time, except for a logarithmic factor for shared nodes and the cost of [`effects::compute`]. Start with [`verify`].
//!
//! [`effects`]: crate::effects
//! [`effects::compute`]: crate::effects::compute

mod ids;
mod machine;
mod operators;
mod order;
mod scope;
mod shape;
mod substs;
mod typing;

#[cfg(test)]
pub(crate) mod build;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::Model;
use crate::ModelNode;

/// Broken promise: its name, the place and an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault(pub String);

/// Checks a model and returns its faults. Faults that make further checks meaningless are returned alone.
pub fn verify(model: &Model) -> Vec<Fault> {
    let mut faults = Faults(Vec::new());
    let Some(order) = ordered(model, &mut faults) else { return faults.0 };
    typing::check(model, &mut faults);
    shape::check(model, &mut faults);
    substs::check(model, &mut faults);
    scope::check(model, &order, &mut faults);
    machine::check(model, &mut faults);
    faults.0
}

/// Faults of the promises `ids` and `acyclic`, without which the model cannot be read safely.
pub(crate) fn structure(model: &Model) -> Vec<Fault> {
    let mut faults = Faults(Vec::new());
    ordered(model, &mut faults);
    faults.0
}

/// All nodes, parents first; `None` if an id is out of range or a node lies below itself.
fn ordered(model: &Model, faults: &mut Faults) -> Option<Vec<ModelNode>> {
    ids::check(model, faults);
    if !faults.0.is_empty() {
        return None;
    }
    order::parents_first(model, faults)
}

/// Promises of the list above.
#[derive(Clone, Copy)]
enum Promise {
    Ids,
    Acyclic,
    Types,
    Carriers,
    Typed,
    Shape,
    Externals,
    BoundOnce,
    Scope,
    Targets,
    Assigned,
    Calls,
    Properties,
    Abstract,
    Effects,
    Gluing,
    Refines,
    Distinct,
}

impl Promise {
    fn name(self) -> &'static str {
        match self {
            Promise::Ids => "ids",
            Promise::Acyclic => "acyclic",
            Promise::Types => "types",
            Promise::Carriers => "carriers",
            Promise::Typed => "typed",
            Promise::Shape => "shape",
            Promise::Externals => "externals",
            Promise::BoundOnce => "bound-once",
            Promise::Scope => "scope",
            Promise::Targets => "targets",
            Promise::Assigned => "assigned",
            Promise::Calls => "calls",
            Promise::Properties => "properties",
            Promise::Abstract => "abstract",
            Promise::Effects => "effects",
            Promise::Gluing => "gluing",
            Promise::Refines => "refines",
            Promise::Distinct => "distinct",
        }
    }
}

struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, promise: Promise, place: impl fmt::Debug, text: impl fmt::Display) {
        self.0.push(Fault(format!("{}: {place:?}: {text}", promise.name())));
    }
}
