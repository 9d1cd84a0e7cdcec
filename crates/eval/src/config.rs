//! Configuration of an interpreter: choices that B leaves open, and limits.

use crate::memory::Memory;
use crate::world::World;

/// Choices and limits of an interpreter.
#[derive(Clone, Debug)]
pub struct EvalConfig {
    /// Treatment of an unknown that is neither bounded by its predicate nor of a finite type.
    pub unbounded: Unbounded,
    /// While values are searched for, an ill-defined condition on them counts as false (ProB's `TRY_FIND_ABORT=FALSE`); otherwise it is an
    /// error.
    pub ill_defined_search_is_false: bool,
    /// An ill-defined guard of an operation without parameters counts as false, though nothing is searched.
    pub ill_defined_guard_is_false: bool,
    /// An infinite function is assumed, with a warning, to be a member of a set of functions if that cannot be decided; otherwise it is an error.
    pub trust_infinite_functions: bool,
    /// Largest set that is listed element by element.
    pub max_set_size: u64,
    /// Budget of a session, in steps. A step is one node of a formula or one candidate value.
    pub fuel: u64,
    /// Number of candidates from which on a problem goes to the SAT solver.
    pub hard: u64,
    /// Steps of the probe before that.
    pub probe: u64,
    /// Conflicts after which the SAT solver gives up.
    pub conflicts: u64,
    /// Account of memory for large values.
    pub memory: Memory,
    /// Largest depth of recursive calls of functions and operations.
    pub max_calls: u32,
    /// The preference TIME_OUT of the model limits the time of single evaluations: a formula, a property of a state, the steps of an operation in a state.
    pub heeds_time_out: bool,
    /// Files and the clock, for external functions.
    pub world: World,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// An error at the place where the value is introduced.
    Error,
    /// Integers range over MININT..MAXINT, with a warning that the search is incomplete.
    PreferenceRange,
    /// A few values near the known bounds are tried, without a warning: a solution is real, and nothing follows if there is none.
    Nearby,
}

impl Default for EvalConfig {
    fn default() -> EvalConfig {
        EvalConfig {
            unbounded: Unbounded::Error,
            ill_defined_search_is_false: true,
            ill_defined_guard_is_false: false,
            trust_infinite_functions: true,
            max_set_size: 1 << 20,
            fuel: 1 << 30,
            hard: 1000,
            probe: 150_000,
            conflicts: 3_000_000,
            memory: Memory::default(),
            max_calls: 10_000,
            heeds_time_out: false,
            world: World::default(),
        }
    }
}

impl EvalConfig {
    /// Conventions of ProB.
    pub fn prob() -> EvalConfig {
        EvalConfig { unbounded: Unbounded::PreferenceRange, ill_defined_guard_is_false: true, ..EvalConfig::default() }
    }
}
