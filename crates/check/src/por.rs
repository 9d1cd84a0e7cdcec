//! Partial order reduction: whether and how.

use abridge_deps::{Asked, Depth};
use abridge_reduce::Por;

use crate::Config;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PorMode {
    Off,
    /// Whatever seems worth it.
    Auto,
    /// By what operations read and write, element by element.
    Syntactic,
    /// Also by what a SAT solver says about all states.
    Semantic,
}

/// Conflicts until the solver gives up on a question.
const FEW_CONFLICTS: u64 = 2_000;
const MANY_CONFLICTS: u64 = 100_000;

/// Nothing if steps must not be left out.
pub(crate) fn settings(config: &Config) -> Option<Por> {
    // Which steps are tried under a cap depends on which states are visited.
    if config.system.max_operations.is_some() || config.system.max_initialisations.is_some() {
        return None;
    }
    let (depth, max_setups) = match config.por {
        PorMode::Off => return None,
        PorMode::Auto => (Depth::Semantic { conflicts: FEW_CONFLICTS }, 8),
        PorMode::Syntactic => (Depth::Syntactic, u32::MAX),
        PorMode::Semantic => (Depth::Semantic { conflicts: MANY_CONFLICTS }, u32::MAX),
    };
    let asked = Asked {
        deadlock: config.deadlock,
        invariant: config.invariant,
        assertions: config.assertions,
        goal: config.goal,
    };
    Some(Por { depth, asked, max_setups, twin: config.check_por })
}
