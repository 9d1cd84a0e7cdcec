//! IS_DETERMINED: true if the predicates around a call leave one value for its argument.
//!
//! In a state, constants and variables have one value each. Among the properties, an argument is determined if it has the same value in all solutions
//! of the other properties. An argument with bound names is refused, since the predicates about these names are not known here.

use std::ops::ControlFlow;

use abridge_eval::{Env, Problem, Result, Session, Unknown, Val};
use abridge_model::ModelNode;
use abridge_model::{ExprId, Model, Pred, PredId};
use rustc_hash::FxHashSet;

use crate::unsupported_use;

/// Arguments of calls in the properties.
pub(crate) struct Determined(FxHashSet<ExprId>);

impl Determined {
    pub(crate) fn of(model: &Model) -> Determined {
        let mut args = FxHashSet::default();
        for property in &model.properties {
            model.for_each_node(ModelNode::Pred(property.pred), &mut |node| args.extend(argument(model, node)));
        }
        Determined(args)
    }

    /// Truth value of `IS_DETERMINED(arg)`.
    pub(crate) fn holds(&self, session: &Session<'_>, arg: ExprId) -> Result<bool> {
        if !session.interp().names_of_expr(arg).locals.is_empty() {
            return Err(unsupported_use("IS_DETERMINED", "of a bound name"));
        }
        if !self.0.contains(&arg) {
            return Ok(true);
        }
        let model = session.model();
        let mut problem = Problem::of_unknowns(session, model.constants.ids().map(Unknown::Constant).collect());
        problem.samples_strings = true;
        for property in model.properties.iter().filter(|property| !asks(model, property.pred)) {
            problem.require(session, property.pred);
        }
        let mut first: Option<Val> = None;
        let flow = session.solve(problem, &Env::empty(), &mut |env| {
            let val = session.value(arg, env)?;
            let is_same = first.as_ref().is_none_or(|first| *first == val);
            first = Some(val);
            Ok(if is_same { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(flow.is_continue())
    }
}

/// Argument of a call of IS_DETERMINED; `None` for other nodes.
fn argument(model: &Model, node: ModelNode) -> Option<ExprId> {
    let ModelNode::Pred(id) = node else { return None };
    match model.pred(id) {
        Pred::External(external, args) if model.externals[*external].name == "IS_DETERMINED" => args.first().copied(),
        _ => None,
    }
}

/// True if a predicate contains a call of IS_DETERMINED.
fn asks(model: &Model, pred: PredId) -> bool {
    let mut asks = false;
    model.for_each_node(ModelNode::Pred(pred), &mut |node| asks |= argument(model, node).is_some());
    asks
}
