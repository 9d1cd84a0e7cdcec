//! Water jugs: a small machine without any B in it.
//!
//! Two jugs of different sizes are filled, emptied and poured into each other, until the larger one holds a wanted amount. It exists to
//! show that verdicts, traces, animation and graphs need no more than the traits of `system`, and as a tiny system with a known answer.

use std::ops::ControlFlow;

use abridge_system::{
    Completeness, Explanation, FindingKind, Listing, Machine, Move, Named, Origin, Part, Pause, Properties, Remarks,
    RuleWorker, Rules, Steps, System,
};

/// A puzzle with two jugs. The invariant says that the larger one never holds the wanted amount.
#[derive(Clone, Copy, Debug)]
pub struct Jugs {
    pub small: u32,
    pub large: u32,
    pub wanted: u32,
}

const OPERATIONS: [&str; 4] = ["start", "fill", "empty", "pour"];
const NAMES: [&str; 2] = ["small", "large"];

impl Jugs {
    fn size(self, jug: usize) -> u32 {
        [self.small, self.large][jug]
    }

    /// The steps out of a state: operation, the jug that it is about, and the next state.
    fn steps(self, state: &[u32]) -> Vec<(u32, usize, [u32; 2])> {
        let mut steps = Vec::new();
        for jug in 0..2 {
            let (other, amounts) = (1 - jug, [state[0], state[1]]);
            let mut push = |operation: u32, change: &dyn Fn(&mut [u32; 2])| {
                let mut next = amounts;
                change(&mut next);
                if next != amounts {
                    steps.push((operation, jug, next));
                }
            };
            push(1, &|next| next[jug] = self.size(jug));
            push(2, &|next| next[jug] = 0);
            push(3, &|next| {
                let poured = next[jug].min(self.size(other) - next[other]);
                next[jug] -= poured;
                next[other] += poured;
            });
        }
        steps
    }
}

impl System for Jugs {
    type Worker<'a> = RuleWorker<'a, Jugs>;

    fn width(&self) -> usize {
        2
    }

    fn worker(&self) -> RuleWorker<'_, Jugs> {
        RuleWorker(self)
    }
}

impl Rules for Jugs {
    fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, _: &mut Pause<'_>) {
        match origin {
            Origin::Root => out.push(0, 1, &[0, 0]),
            Origin::State(state) => {
                self.steps(state).into_iter().for_each(|(operation, _, next)| out.push(operation, 1, &next));
            }
        }
    }

    fn add_findings(&self, state: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind)) {
        if asked.invariant && state[1] == self.wanted {
            found(FindingKind::Invariant(0));
        }
    }
}

impl Machine for Jugs {
    fn operation_name(&self, operation: u32) -> String {
        OPERATIONS[operation as usize].to_owned()
    }

    fn operations(&self) -> Vec<u32> {
        vec![1, 2, 3]
    }

    fn is_running(&self, origin: Origin<'_>) -> bool {
        origin != Origin::Root
    }

    fn start_name(&self, _: &[u32]) -> String {
        OPERATIONS[0].to_owned()
    }

    fn values(&self, state: &[u32]) -> Vec<Named> {
        let named = |(name, amount): (&&str, &u32)| Named {
            name: (*name).to_owned(),
            text: amount.to_string(),
            is_opaque: false,
        };
        NAMES.iter().zip(state).map(named).collect()
    }

    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        let steps = match origin {
            Origin::Root => vec![(0, 0, [0, 0])],
            Origin::State(state) => self.steps(state),
        };
        for (number, jug, next) in steps.into_iter().filter(|(number, ..)| operation.is_none_or(|one| one == *number)) {
            let params = (number > 0).then(|| ("jug".to_owned(), NAMES[jug].to_owned()));
            let step = Move {
                operation: number,
                name: self.operation_name(number),
                params: params.into_iter().collect(),
                outputs: Vec::new(),
                to: next.to_vec(),
            };
            if found(Ok(step)) == ControlFlow::Break(()) {
                break;
            }
        }
        Completeness::Whole
    }

    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation> {
        match kind {
            FindingKind::Invariant(_) if state[1] == self.wanted => Some(Explanation {
                property: Some((format!("large /= {}", self.wanted), None)),
                parts: vec![Part { text: "large".to_owned(), span: None, value: state[1].to_string() }],
                reasons: Vec::new(),
                error: None,
            }),
            FindingKind::Deadlock if self.steps(state).is_empty() => Some(Explanation::default()),
            _ => None,
        }
    }

    fn remarks(&self) -> Remarks {
        Remarks::default()
    }
}
