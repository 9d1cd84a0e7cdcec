//! The bottom of the stack that is explored: the system of the model and the evaluator of its steps.
//!
//! Everything above is generic over [`ModelSystem`]: reductions, temporal formulas, traces. Only here is it decided that a model is explored by the
//! explicit system, and that circuits evaluate blocks of its states. [`EvaluatedSystem`] is a system with such an evaluator; [`Unaided`] makes one of any
//! system of a model, which evaluates its steps itself.

use abridge_eval::Interp;
use abridge_explicit::{Explicit, SystemConfig};
use abridge_model_system::ModelSystem;
use abridge_reduce::Analysed;
use abridge_sliced::{CircuitUsage, Sliced};
use abridge_system::{Layer, MachineLayer};

use crate::Config;

/// System of a model, with the evaluator of its steps.
pub(crate) trait EvaluatedSystem: ModelSystem {
    /// System with the same states, steps and labels.
    type Evaluator<'a>: Analysed
    where
        Self: 'a;

    fn evaluator(&self, config: &Config) -> Self::Evaluator<'_>;

    /// The use that was made of circuits; nothing if the evaluator has none.
    fn usage(evaluator: &Self::Evaluator<'_>) -> Option<CircuitUsage>;
}

/// Makes the system of a model.
pub(crate) fn system_of(judge: Interp<'_>, config: SystemConfig) -> Explicit<'_> {
    Explicit::new(judge, config)
}

impl EvaluatedSystem for Explicit<'_> {
    type Evaluator<'a>
        = Sliced<'a>
    where
        Self: 'a;

    fn evaluator(&self, config: &Config) -> Sliced<'_> {
        Sliced::new(self, config.evaluator)
    }

    fn usage(evaluator: &Sliced<'_>) -> Option<CircuitUsage> {
        Some(evaluator.usage())
    }
}

/// System that evaluates its steps itself.
pub(crate) struct Unaided<'s, S>(pub(crate) &'s S);

impl<S: ModelSystem> Layer for Unaided<'_, S> {
    type Inner = S;
    type Worker<'a>
        = S::Worker<'a>
    where
        Self: 'a;

    fn inner(&self) -> &S {
        self.0
    }

    fn layer_worker(&self) -> S::Worker<'_> {
        self.0.worker()
    }

    /// Steps and states are those of the system, so its sleep sets are right here, too.
    fn layer_sleep_words(&self) -> usize {
        self.0.sleep_words()
    }
}

impl<S: ModelSystem> MachineLayer for Unaided<'_, S> {}

impl<S: ModelSystem> EvaluatedSystem for Unaided<'_, S> {
    type Evaluator<'a>
        = Unaided<'a, S>
    where
        Self: 'a;

    fn evaluator(&self, _: &Config) -> Unaided<'_, S> {
        Unaided(self.0)
    }

    fn usage(_: &Unaided<'_, S>) -> Option<CircuitUsage> {
        None
    }
}
