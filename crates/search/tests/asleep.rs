//! Sleep sets beside steps that are missing: no state is lost that a search without them visits.

use std::num::NonZero;

use abridge_search::{Exploration, SearchConfig, Strategy, explore};
use abridge_system::{
    Ahead, Alike, Completeness, FindingKind, Gap, Origin, Pause, Properties, Question, Steps, System, Worker,
};

/// Words of a state.
const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const W: usize = 3;
/// Height at which `Y` can be set, and the last one.
const JUMP: u32 = 20;
const TOP: u32 = 30;
/// States of a level that has begun to spread: enough for a large block.
const WIDTH: u32 = 300;

/// What is wrong with the first state, where the step that sets `X` is missing.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Missing {
    Nothing,
    Failed,
    IllDefined,
}

/// A state climbs, spreads, and jumps back to the start with `Y` set. There `X` can be set (step 1) and `Y` be cleared (step 0), independently of each other. So
/// where both happen, clearing sleeps after setting, since setting is possible after clearing: in the first state.
struct Climber {
    missing: Missing,
    sleeps: bool,
}

impl System for Climber {
    type Worker<'a> = Climbing<'a>;

    fn width(&self) -> usize {
        4
    }

    fn worker(&self) -> Climbing<'_> {
        Climbing { climber: self, announced: Vec::new() }
    }

    fn sleep_words(&self) -> usize {
        usize::from(self.sleeps)
    }
}

struct Climbing<'a> {
    climber: &'a Climber,
    /// States with their sleep sets.
    announced: Vec<(Vec<u32>, u64)>,
}

impl Worker for Climbing<'_> {
    fn expand(
        &mut self,
        origin: Origin<'_>,
        _: Option<&dyn Alike>,
        out: &mut Steps,
        _: &mut Pause<'_>,
    ) -> Completeness {
        let Origin::State(state) = origin else {
            out.push(0, 1, &[0; 4]);
            return Completeness::Whole;
        };
        let announced = self.announced.iter().find(|(words, _)| words == state);
        let asleep = announced.map_or(0, |(_, asleep)| *asleep);
        let target = |word: usize, value: u32| {
            let mut target = state.to_vec();
            target[word] = value;
            target
        };
        let clears = state[Y] == 1;
        if clears && asleep & 1 == 1 {
            out.push_known(0);
        } else if clears {
            out.push(0, 1, &target(Y, 0));
        }
        let is_missing = state == [0; 4] && self.climber.missing != Missing::Nothing;
        if state[X] == 0 && state[Z] == 0 && !is_missing {
            out.push(1, 1, &target(X, 1));
            out.set_sleep_set([u64::from(clears)].into_iter());
        }
        if state[X] == 0 && state[Y] == 0 {
            if state[Z] < TOP {
                out.push(2, 1, &target(Z, state[Z] + 1));
            }
            if state[Z] == 1 && state[W] == 0 {
                (1..=WIDTH).for_each(|width| out.push(3, 1, &target(W, width)));
            }
            if state[Z] == JUMP {
                out.push(4, 1, &[0, 1, 0, 0]);
            }
        }
        match self.climber.missing {
            Missing::Failed if is_missing => return Completeness::Missing(Gap::Failed),
            Missing::IllDefined if is_missing => out.push_ill_defined(1),
            _ => {}
        }
        Completeness::Whole
    }

    fn announce(&mut self, states: &[Ahead], question: Question) {
        self.announced.clear();
        if let Question::Successors = question {
            let with_set = states.iter().map(|state| (state.words.clone(), state.asleep.first().copied().unwrap_or(0)));
            self.announced.extend(with_set);
        }
    }

    fn inspect(&mut self, _: &[u32], _: Option<&[u32]>, _: Properties, _: &mut dyn FnMut(FindingKind)) -> Completeness {
        Completeness::Whole
    }
}

fn explored(missing: Missing, sleeps: bool, workers: usize) -> Exploration {
    let config = SearchConfig {
        strategy: Strategy::BreadthFirst,
        properties: Properties::default(),
        deadlock: false,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::new(workers).expect("some workers"),
    };
    explore(&Climber { missing, sleeps }, &config, &mut ())
}

#[test]
fn a_step_that_is_missing_early_is_not_taken_for_known() {
    for missing in [Missing::Nothing, Missing::Failed, Missing::IllDefined] {
        let plain = explored(missing, false, 1);
        assert!(plain.table.len() > 25 * WIDTH as usize);
        for workers in [1, 3] {
            let asleep = explored(missing, true, workers);
            assert_eq!(asleep.table.len(), plain.table.len(), "{missing:?}, {workers} workers");
            assert_eq!(asleep.transitions, plain.transitions, "{missing:?}, {workers} workers");
        }
    }
}
