//! Steps between two given states, found by the judge.
//!
//! The values of the target prescribe choices, so that a step is found among very many without listing them.

use std::ops::ControlFlow;

use abridge_eval::{PrescribedChoices, State};
use abridge_model::OpId;
use abridge_model::ids::Id as _;
use abridge_model_system::{Execution, ModelSystem as _, Place, executions, is_initialised};

use crate::system::Explicit;

/// Fuel of the judge for finding a set-up or an initialisation again. To find one among very many may take longer than the whole search with
/// faster evaluators took; then it is reported as not found.
const START_FUEL: u64 = 1 << 24;

impl Explicit<'_> {
    /// Step between two states that the judge finds, if any; `from` is `None` for the root.
    pub fn execution_between(&self, from: Option<&[u32]>, to: &[u32]) -> Option<Execution> {
        let Some(from) = from.filter(|from| is_initialised(from)) else {
            return self.start_between(from, to);
        };
        let quick = self.operation_memos.iter().find_map(|operation| match &operation.by_orbit {
            Some(_) => self.step_of_many(operation, from, to),
            None => self.step_between(operation.op, from, to, PrescribedChoices::default()),
        });
        quick.or_else(|| {
            let many = self.operation_memos.iter().filter(|operation| operation.by_orbit.is_some());
            many.map(|operation| operation.op)
                .find_map(|op| self.step_between(op, from, to, PrescribedChoices::default()))
        })
    }

    /// Set-up or initialisation that leads to a state.
    fn start_between(&self, from: Option<&[u32]>, to: &[u32]) -> Option<Execution> {
        let (from, to) = (Place::of_words(self, from), Place::of_words(self, Some(to)));
        let wanted = to.state()?;
        if matches!((&from, &to), (Place::Start, Place::SetUp(_))) {
            return self.is_setup(wanted).then(|| Execution::bare(to.clone()));
        }
        // The known values of the target prescribe choices first. If that leads nowhere, all choices are listed.
        let prescribed = PrescribedChoices { locals: Vec::new(), variables: Some(wanted.variables.clone()) };
        let is_found = [prescribed, PrescribedChoices::default()].into_iter().any(|prescribed| {
            let session = self.judge.session();
            session.limit(START_FUEL);
            session.prescribe(prescribed);
            let mut is_found = false;
            executions(self, &session, &from, None, &mut |execution| {
                is_found = execution.is_ok_and(|execution| execution.to == to);
                if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            is_found
        });
        is_found.then(|| Execution::bare(to.clone()))
    }

    /// Whether the constants of a state satisfy the properties.
    fn is_setup(&self, target: &State) -> bool {
        let given = self.model().constants.ids().filter_map(|id| Some((id, target.constants[id.index()].clone()?)));
        // Given constants are only checked. If that cannot be decided, an enumeration may still find them.
        [&given.collect(), &self.pinned].into_iter().any(|given| {
            let session = self.judge.session();
            session.limit(START_FUEL);
            let mut is_found = false;
            session.setup_with(given, None, &mut |state| {
                is_found = state.is_ok_and(|state| state.constants == target.constants);
                if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            is_found
        })
    }

    /// Step of an operation between two states, with prescribed choices.
    pub(crate) fn step_between(
        &self,
        op: OpId,
        from: &[u32],
        to: &[u32],
        prescribed: PrescribedChoices,
    ) -> Option<Execution> {
        let (state, _) = self.decode(from);
        let (target, _) = self.decode(to);
        let session = self.judge().session();
        session.prescribe(prescribed);
        let mut found = None;
        session.operation(op, &state, &mut |transition| match transition {
            Ok(transition) if transition.state.variables == target.variables => {
                let (params, outputs) = (transition.params, transition.outputs);
                found = Some(Execution { op: Some(op), params, outputs, to: Place::Running(transition.state) });
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        found
    }
}
