//! A system in which each state stands for its class.

use std::io;
use std::ops::ControlFlow;

use abridge_system::{Ahead, Alike, FindingKind, Pause, Properties, Question, Steps, System, Worker};

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

/// A system of representatives. Every transition out of a representative counts, also those whose targets are in one class.
pub struct Quotiented<'s, S, Q> {
    system: &'s S,
    quotient: &'s Q,
}

impl<'s, S: System, Q: Quotient> Quotiented<'s, S, Q> {
    pub fn new(system: &'s S, quotient: &'s Q) -> Self {
        Quotiented { system, quotient }
    }
}

impl<S: System, Q: Quotient> System for Quotiented<'_, S, Q> {
    type Worker<'a>
        = QuotientedWorker<S::Worker<'a>, Q::Canonizer<'a>>
    where
        Self: 'a;

    fn width(&self) -> usize {
        self.system.width()
    }

    fn worker(&self) -> Self::Worker<'_> {
        QuotientedWorker {
            worker: self.system.worker(),
            steps: Steps::new(self.width()),
            representer: Representer { canonizer: self.quotient.canonizer(), target: Vec::new() },
        }
    }

    fn tidy(&self, n_states: u64) -> usize {
        self.quotient.tidy(n_states);
        self.system.tidy(n_states)
    }

    fn tidy_part(&self) {
        self.system.tidy_part();
    }

    fn may_look_ahead(&self) -> bool {
        self.system.may_look_ahead() && self.quotient.is_lasting()
    }

    fn bytes(&self) -> u64 {
        self.system.bytes() + self.quotient.bytes()
    }

    fn save(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        if !self.quotient.is_lasting() {
            let message = "a search by this method of symmetry reduction cannot be saved";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        self.system.save(marks, sink)
    }

    fn save_notes(&self) -> Vec<u8> {
        self.system.save_notes()
    }

    fn restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        self.system.restore(marks, source, notes)
    }
}

pub struct QuotientedWorker<W, C> {
    worker: W,
    /// Steps between plain states.
    steps: Steps,
    representer: Representer<C>,
}

/// So many steps are taken over without asking whether to end.
const PATIENCE: usize = 256;

struct Representer<C> {
    canonizer: C,
    target: Vec<u32>,
}

impl<C: Canonizer> Representer<C> {
    /// Takes over plain steps, with targets replaced by representatives, unless that is to end early. The state that they leave is one.
    fn take(&mut self, source: &[u32], steps: &mut Steps, is_stopped: impl Fn() -> bool, out: &mut Steps) {
        out.is_ill_defined |= steps.is_ill_defined;
        out.is_incomplete |= steps.is_incomplete;
        out.is_reduced |= steps.is_reduced;
        for (idx, (operation, count, target)) in steps.iter().enumerate() {
            if idx % PATIENCE == PATIENCE - 1 && is_stopped() {
                out.is_incomplete = true;
                break;
            }
            self.target.clear();
            self.target.extend_from_slice(target);
            if target != source {
                self.canonizer.represent(&mut self.target);
            }
            // Symmetric targets tend to follow each other.
            match out.last() {
                Some((last, words)) if last == operation && words == self.target => out.add_count(out.len() - 1, count),
                _ => out.push(operation, count, &self.target),
            }
        }
        steps.clear();
    }
}

impl<W: Worker, C: Canonizer> Worker for QuotientedWorker<W, C> {
    fn initial(&mut self, out: &mut Steps) {
        self.initial_by_parts(out, &mut |_| ControlFlow::Continue(()));
    }

    fn initial_by_parts(&mut self, out: &mut Steps, pause: &mut Pause<'_>) {
        let QuotientedWorker { worker, steps, representer } = self;
        let alike = representer.canonizer.alike_at_first();
        if !alike.is_some_and(|alike| worker.initial_alike(alike, steps)) {
            worker.initial_by_parts(steps, &mut |steps| {
                representer.take(&[], steps, || false, out);
                pause(out)
            });
        }
        representer.take(&[], steps, || worker.is_stopped(), out);
    }

    fn announce(&mut self, states: &[Ahead], question: Question) {
        self.worker.announce(states, question);
    }

    fn is_stopped(&self) -> bool {
        self.worker.is_stopped()
    }

    fn successors(&mut self, state: &[u32], out: &mut Steps) {
        let alike = if self.worker.wants_alike(state) { self.representer.canonizer.alike(state) } else { None };
        match alike {
            Some(alike) => self.worker.successors_alike(state, alike, &mut self.steps),
            None => self.worker.successors(state, &mut self.steps),
        }
        self.representer.take(state, &mut self.steps, || self.worker.is_stopped(), out);
    }

    fn inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) {
        self.worker.inspect(state, before, asked, found);
    }
}
