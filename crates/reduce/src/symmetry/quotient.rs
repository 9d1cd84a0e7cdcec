//! Quotient of a system: each state stands for its orbit.

use std::io;
use std::ops::ControlFlow;

use abridge_system::{Alike, Completeness, Gap, Layer, Marks, Origin, Pause, Step, Steps, System, Worker, WorkerLayer};

/// Classes of states, each with a representative that is one of them.
///
/// Whoever implements it promises that members of a class have corresponding steps: if one leads to a state, the others lead to members
/// of that state's class. Representatives follow from values alone, never from the numbers that values happened to get.
pub trait Quotient: Sync {
    type Canonizer<'a>: Canonizer
    where
        Self: 'a;

    fn canonizer(&self) -> Self::Canonizer<'_>;

    /// One that knows all classes, also if the quotient has been given up as not worth its price: two states are in one class if it maps them
    /// to one.
    fn judge(&self) -> Self::Canonizer<'_> {
        self.canonizer()
    }

    /// Called now and then while no thread looks for representatives, with the number of states so far.
    fn tidy(&self, n_states: u64) {
        let _ = n_states;
    }

    /// Bytes of what is kept.
    fn bytes(&self) -> u64;

    /// Whether representatives follow from the states themselves rather than from which of a class was met first, so that a saved search
    /// can be gone on with.
    fn is_lasting(&self) -> bool;
}

/// Finds representatives on behalf of one thread.
pub trait Canonizer {
    /// Replaces a state by the representative of its class. A representative stays as it is.
    fn represent(&mut self, state: &mut [u32]);

    /// Replaces the target of a step. That of a step that leaves a state as it is needs no replacement: sources are representatives.
    fn represent_target(&mut self, source: Option<&[u32]>, target: &mut [u32]) {
        if Some(&*target) != source {
            self.represent(target);
        }
    }

    /// The permutation that made the last representative of its state, by the images of points; empty if none moved. Nothing if the method does not tell.
    fn images(&self) -> Option<&[u32]> {
        None
    }

    /// Representatives are shown in traces, as results of the canonizer, where no real states are found for them.
    fn is_shown(&self) -> bool {
        false
    }

    /// Elements that can be exchanged without changing a representative, if there are any that it pays to know of.
    fn alike(&mut self, state: &[u32]) -> Option<&dyn Alike> {
        let _ = state;
        None
    }

    /// The same as long as nothing has a value.
    fn alike_at_first(&mut self) -> Option<&dyn Alike> {
        None
    }
}

/// Notes on steps which permutation led from their targets to the representatives.
pub trait Turns: Sync {
    /// The marks of a step that had these, with its permutation.
    fn turned(&self, marks: Marks, images: &[u32]) -> Marks;
}

/// A system of representatives. Every transition out of a representative counts, also those whose targets are in one class.
pub struct Quotiented<'s, S, Q> {
    system: &'s S,
    quotient: &'s Q,
    turns: Option<&'s dyn Turns>,
}

impl<'s, S: System, Q: Quotient> Quotiented<'s, S, Q> {
    pub fn new(system: &'s S, quotient: &'s Q) -> Self {
        Quotiented { system, quotient, turns: None }
    }

    /// The same with permutations on steps, if the quotient tells them.
    #[must_use]
    pub fn annotated(self, turns: Option<&'s dyn Turns>) -> Self {
        Quotiented { turns, ..self }
    }
}

impl<S: System, Q: Quotient> Layer for Quotiented<'_, S, Q> {
    type Inner = S;
    type Worker<'a>
        = QuotientedWorker<'a, S::Worker<'a>, Q::Canonizer<'a>>
    where
        Self: 'a;

    fn inner(&self) -> &S {
        self.system
    }

    fn layer_worker(&self) -> Self::Worker<'_> {
        QuotientedWorker {
            worker: self.system.worker(),
            width: self.system.width(),
            steps: Steps::new(self.system.width()),
            representer: Representer { canonizer: self.quotient.canonizer(), target: Vec::new(), turns: self.turns },
        }
    }

    fn layer_tidy(&self, n_states: u64) -> usize {
        self.quotient.tidy(n_states);
        self.system.tidy(n_states)
    }

    fn layer_may_look_ahead(&self) -> bool {
        self.system.may_look_ahead() && self.quotient.is_lasting()
    }

    fn layer_bytes(&self) -> u64 {
        self.quotient.bytes()
    }

    fn layer_save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        if !self.quotient.is_lasting() {
            let message = "a search by this method of symmetry reduction cannot be saved";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        self.system.save(marks, sink)
    }
}

pub struct QuotientedWorker<'a, W, C> {
    worker: W,
    width: usize,
    /// Steps between plain states.
    steps: Steps,
    representer: Representer<'a, C>,
}

/// Steps that are taken over without asking whether to end.
const STEPS_PER_POLL: usize = 256;
/// Steps that are kept while twins are in use.
const MAX_ALIKE_STEPS: usize = 256;

struct Representer<'a, C> {
    canonizer: C,
    target: Vec<u32>,
    turns: Option<&'a dyn Turns>,
}

impl<C: Canonizer> Representer<'_, C> {
    /// Takes over plain steps, with targets replaced by representatives, unless that is to end early. The state that they leave is a
    /// representative itself.
    fn take(
        &mut self,
        source: Option<&[u32]>,
        steps: &mut Steps,
        is_stopped: impl Fn() -> bool,
        out: &mut Steps,
    ) -> Completeness {
        steps.ill_defined().iter().for_each(|operation| out.push_ill_defined(*operation));
        out.is_reduced |= steps.is_reduced;
        out.puts_off |= steps.puts_off;
        if steps.ending().is_some() {
            out.set_ending(steps.ending());
        }
        let mut completeness = Completeness::Whole;
        for (idx, mut step) in steps.iter().enumerate() {
            if idx % STEPS_PER_POLL == STEPS_PER_POLL - 1 && is_stopped() {
                completeness = Completeness::Missing(Gap::Stopped);
                break;
            }
            self.target.clear();
            self.target.extend_from_slice(step.target);
            self.canonizer.represent_target(source, &mut self.target);
            if Some(step.target) != source
                && let Some((turns, images)) =
                    self.turns.zip(self.canonizer.images()).filter(|(_, images)| moves(images))
            {
                step.marks = turns.turned(step.marks, images);
            }
            // Symmetric targets tend to follow each other.
            let is_same = |last: &Step<'_>| {
                last.operation == step.operation
                    && (last.label, last.marks) == (step.label, step.marks)
                    && last.target == self.target
            };
            match out.last().filter(is_same) {
                Some(_) => out.add_count(out.len() - 1, step.count),
                None => out.push_like(&step, 0, &self.target),
            }
        }
        steps.clear();
        completeness
    }
}

/// Whether a permutation moves anything.
fn moves(images: &[u32]) -> bool {
    images.iter().zip(0..).any(|(image, point)| *image != point)
}

impl<W: Worker, C: Canonizer> WorkerLayer for QuotientedWorker<'_, W, C> {
    type Inner = W;

    fn inner(&self) -> &W {
        &self.worker
    }

    fn inner_mut(&mut self) -> &mut W {
        &mut self.worker
    }

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        _: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        let QuotientedWorker { worker, width, steps, representer } = self;
        if steps.wants_labels() != out.wants_labels() {
            *steps = if out.wants_labels() { Steps::with_labels(*width) } else { Steps::new(*width) };
        }
        // A step that counts for others has one label and not theirs.
        let alike = match origin {
            _ if out.wants_labels() || !worker.wants_alike(origin) => None,
            Origin::Root => representer.canonizer.alike_at_first(),
            Origin::State(state) => representer.canonizer.alike(state),
        };
        // While twins are in use, no step can be taken. Where there are many steps nevertheless, they are listed anew and taken as they come.
        let mut is_long = false;
        let by_orbit = alike.map(|alike| {
            worker.expand(origin, Some(alike), steps, &mut |steps| {
                is_long = steps.len() > MAX_ALIKE_STEPS;
                if is_long { ControlFlow::Break(()) } else { pause(out) }
            })
        });
        let found = match by_orbit.filter(|_| !is_long) {
            Some(found) => found,
            None => {
                steps.clear();
                let mut taken = Completeness::Whole;
                let found = worker.expand(origin, None, steps, &mut |steps| {
                    taken = taken.and(representer.take(origin.state(), steps, || false, out));
                    pause(out)
                });
                found.and(taken)
            }
        };
        found.and(representer.take(origin.state(), steps, || worker.is_stopped(), out))
    }

    /// The representatives of symmetric choices are the same, so whoever is outside cannot make use of more.
    fn layer_wants_alike(&self, _: Origin<'_>) -> bool {
        false
    }
}
