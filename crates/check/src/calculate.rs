//! A calculator: the value of a formula, or the solutions of its free identifiers.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{Env, Interp, Notations, Result, Warning};
use abridge_model::ModelNode;
use abridge_model::{Expr, ExprId, LocalId, Model, PredId};

/// What a formula comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CalculatedAnswer {
    Value {
        value: String,
        ty: String,
    },
    Truth(bool),
    /// Values in the order of `names`; `is_complete` if there are no others.
    Solutions {
        names: Vec<(String, String)>,
        list: Vec<Vec<String>>,
        is_complete: bool,
    },
}

/// An answer and what makes it less than certain.
pub struct Calculation {
    pub answer: Result<CalculatedAnswer>,
    pub warnings: Vec<Warning>,
}

/// What a formula needs to know of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    Nothing,
    Constants,
    Variables,
}

/// The value of an expression.
pub fn evaluate(interp: &Interp<'_>, expr: ExprId, env: &Env) -> Calculation {
    let (session, model) = (interp.session(), interp.model());
    let answer = with_stack(|| {
        let val = session.value(expr, env)?;
        Ok(CalculatedAnswer::Value {
            value: Notations::new(model).value_text(model, expr, &val),
            ty: model.type_text(model.ty(expr)),
        })
    });
    Calculation { answer, warnings: session.take_warnings() }
}

/// The truth of a predicate or, if identifiers are free in it, at most `limit` of its solutions.
pub fn solve(interp: &Interp<'_>, free: &[LocalId], pred: PredId, env: &Env, limit: usize) -> Calculation {
    with_stack(|| solve_inner(interp, free, pred, env, limit))
}

fn solve_inner(interp: &Interp<'_>, free: &[LocalId], pred: PredId, env: &Env, limit: usize) -> Calculation {
    let (session, model) = (interp.session(), interp.model());
    if free.is_empty() {
        let answer = session.pred(pred, env).map(CalculatedAnswer::Truth);
        return Calculation { answer, warnings: session.take_warnings() };
    }
    let notations = Notations::new(model);
    let mut list: Vec<Vec<String>> = Vec::new();
    let mut is_complete = true;
    let outcome = session.solutions(free, pred, env, &mut |vals| {
        if list.len() == limit {
            is_complete = false;
            return ControlFlow::Break(());
        }
        list.push(free.iter().zip(vals).map(|(local, val)| notations.local_text(model, *local, &val)).collect());
        ControlFlow::Continue(())
    });
    let names = free.iter().map(|local| {
        let local = &model.locals[*local];
        (local.name.to_string(), model.type_text(local.ty))
    });
    let answer = outcome.map(|_| CalculatedAnswer::Solutions { names: names.collect(), list, is_complete });
    Calculation { answer, warnings: session.take_warnings() }
}

/// What is read below a node.
pub fn needs(model: &Model, node: ModelNode) -> Needs {
    let mut needs = Needs::Nothing;
    model.for_each_node(node, &mut |node| {
        if let ModelNode::Expr(id) = node {
            needs = needs.max(match model.expr(id) {
                Expr::Variable(_) | Expr::CallOperation(..) => Needs::Variables,
                Expr::Constant(_) => Needs::Constants,
                _ => Needs::Nothing,
            });
        }
    });
    needs
}
