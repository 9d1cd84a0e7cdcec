//! Choices that B leaves open and limits of one interpreter.

use crate::memory::Memory;
use crate::world::World;

/// Choices and limits of one interpreter.
#[derive(Clone, Debug)]
pub struct Config {
    /// A value that is neither bounded by its predicate nor of a finite type.
    pub unbounded: Unbounded,
    /// While values are searched for, a condition on them that is not well-defined counts as false (ProB's
    /// `TRY_FIND_ABORT=FALSE`); otherwise it is an error.
    pub ill_defined_search_is_false: bool,
    /// The same for a guard whose operation has no parameters, so that nothing is searched.
    pub ill_defined_guard_is_false: bool,
    /// An infinite function whose membership in a set of functions cannot be decided is taken to be a member, with a warning;
    /// otherwise it is an error.
    pub trust_infinite_functions: bool,
    /// The largest set that is listed element by element.
    pub max_set_size: u64,
    /// Steps of evaluation until a call gives up; a step is one node of a formula or one candidate value.
    pub fuel: u64,
    /// Problems with at least so many candidates go to a SAT solver.
    pub hard: u64,
    /// Steps of plain search before they do.
    pub probe: u64,
    /// Conflicts until the SAT solver gives up on a problem.
    pub conflicts: u64,
    /// Memory for large values; what would take more is not evaluated.
    pub memory: Memory,
    /// How deep functions and operations may call themselves.
    pub max_calls: u32,
    /// Files and the clock, for externals that ask for them.
    pub world: World,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// An error at the place where the value is introduced.
    Error,
    /// Integers range over MININT..MAXINT, with a warning that the search is incomplete.
    PreferenceRange,
}

impl Default for Config {
    fn default() -> Config {
        Config {
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
            world: World::default(),
        }
    }
}

impl Config {
    /// ProB's conventions.
    pub fn prob() -> Config {
        Config { unbounded: Unbounded::PreferenceRange, ill_defined_guard_is_false: true, ..Config::default() }
    }
}
