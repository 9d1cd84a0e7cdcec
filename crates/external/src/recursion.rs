//! REC_LET and REC: recursive functions.
//!
//! `REC_LET("f", E)` is `E`, and inside of it `REC("f", x)` is `E` applied to `x`. Names are lexical: a call refers to the innermost enclosing
//! REC_LET of its name. The function is evaluated again at each call, so it may read constants only: variables or locals might have other values than
//! at the REC_LET.

use abridge_eval::{Env, Result, Session, Val};
use abridge_model::ModelNode;
use abridge_model::{Expr, ExprId, Model};
use rustc_hash::FxHashMap;

use crate::unsupported_use;

/// Function that each call of REC applies.
pub(crate) struct Recursion(FxHashMap<ExprId, ExprId>);

impl Recursion {
    pub(crate) fn of(model: &Model) -> Recursion {
        let mut functions: FxHashMap<ExprId, (ExprId, usize)> = FxHashMap::default();
        for id in model.exprs.ids() {
            let Some((name, function)) = named(model, id, "REC_LET") else { continue };
            let (mut calls, mut n_nodes) = (Vec::new(), 0);
            model.for_each_node(ModelNode::Expr(function), &mut |node| {
                n_nodes += 1;
                if let ModelNode::Expr(call) = node
                    && named(model, call, "REC").is_some_and(|(other, _)| other == name)
                {
                    calls.push(call);
                }
            });
            for call in calls {
                let inner = functions.entry(call).or_insert((function, n_nodes));
                if n_nodes < inner.1 {
                    *inner = (function, n_nodes);
                }
            }
        }
        Recursion(functions.into_iter().map(|(call, (function, _))| (call, function)).collect())
    }

    /// Value of `REC(name, arg)`.
    pub(crate) fn call(&self, session: &Session<'_>, call: ExprId, arg: ExprId, env: &Env) -> Result<Val> {
        let Some(function) = self.0.get(&call) else {
            return Err(unsupported_use("REC", "without a REC_LET around it that has its name"));
        };
        let names = session.interp().names_of_expr(*function);
        if !names.locals.is_empty() || !names.variables.is_empty() {
            return Err(unsupported_use("REC_LET", "of a function that reads more than constants"));
        }
        let arg = session.value(arg, env)?;
        session.call(|| session.apply(&session.expr(*function, env)?, &arg, env))
    }
}

/// Name and second argument of a call of an external, if the name is a literal.
fn named<'m>(model: &'m Model, id: ExprId, external: &str) -> Option<(&'m str, ExprId)> {
    let Expr::External(found, args) = model.expr(id) else { return None };
    let [name, arg] = args.as_slice() else { return None };
    match model.expr(*name) {
        Expr::String(name) if model.externals[*found].name == external => Some((name, *arg)),
        _ => None,
    }
}
