//! Steps that are not picked from the list: typed with their parameters, described by a predicate, or left to chance.
//!
//! Given parameters are not enumerated, so that a step can be taken even if its operation has infinitely many. Formulas live in a model of their own beside the machine;
//! its steps are found by the judge and shown by the machine of the dialogue, whose states are numbered otherwise.

use std::ops::ControlFlow;

use abridge_check::{Execution, Place};
use abridge_eval::{Env, PrescribedChoices, Val};
use abridge_explicit::Explicit;
use abridge_model::{LocalId, Model, OpId, PredId, Subst, dump};
use abridge_model_system::{ModelSystem as _, executions};
use abridge_sema::{FormulaBody, FormulaRole, FormulaText};
use abridge_value::Random;

use super::{Dialogue, refused};
use crate::commands::system_of;
use crate::formulas::analyse_one;
use crate::load::load_with;
use crate::report::{count, quoted};
use crate::steps::event;
use crate::talk::Reply;

/// Solutions of a predicate about parameters that are tried.
const MAX_TRIED_PARAMETERS: usize = 10_000;

impl Dialogue<'_> {
    /// Takes a step that is typed with its parameters; nothing if the text names no operation.
    pub(super) fn typed(&mut self, text: &str) -> Option<Reply> {
        let (name, arguments) = match text.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.trim_end().strip_suffix(')')?),
            None => (text, ""),
        };
        let (op, operation) = self.model.transitions().find(|(_, op)| op.name == name)?;
        let arguments = split_arguments(arguments);
        let n_params = operation.params.len();
        if arguments.len() != n_params {
            let listed = self.animation.choices().list.iter().find(|step| step.name == name);
            let example = listed.map(|step| format!("; listed is `{}`", event(&step.name, &step.params, &[])));
            let example = example.unwrap_or_default();
            let message = format!("`{name}` has {}, not {}{example}", count(n_params, "parameter"), arguments.len());
            return Some(Reply::error(message));
        }
        let local = |id: &LocalId| self.model.locals[*id].name.clone();
        let texts: Vec<FormulaText> = (operation.params.iter().map(local).zip(arguments))
            .map(|(local, text)| FormulaText {
                source: format!("<{local}>"),
                text,
                role: FormulaRole::ValueOfLocal { operation: name.into(), local },
            })
            .collect();
        Some(self.take_given(op, &texts))
    }

    /// Takes a step with the values of formulas as parameters.
    fn take_given(&mut self, op: OpId, texts: &[FormulaText]) -> Reply {
        let place @ Place::Running(_) = self.place() else { return self.uninitialised() };
        let analysis = load_with(Some(self.file), texts, self.model_options);
        let Some(model) = &analysis.model else { return refused(&analysis) };
        let system = system_of(model, &self.config());
        let session = system.judge().session();
        let env = place.state().map_or_else(Env::empty, Env::new);
        let mut given = Vec::new();
        for (formula, local) in analysis.formulas.iter().zip(&model.operations[op].params) {
            let FormulaBody::Expr(expr) = formula.body else { return Reply::error("a parameter is not a value") };
            match session.value(expr, &env) {
                Ok(val) => given.push((*local, val)),
                Err(error) => return Reply::error(error.diagnostic(model).message),
            }
        }
        match called(&system, op, &place, given.clone()) {
            Ok(outcomes) if outcomes.is_empty() => {
                let blocking = false_condition(&system, op, &env.bind_all(given));
                let condition = blocking.map(|pred| {
                    let text = dump::pred_text(model, pred);
                    format!("`{}` is false", quoted(&analysis.sources, Some(model.preds[pred].span), &text))
                });
                let why = condition.unwrap_or_else(|| "its guard or precondition is false".to_owned());
                Reply::error(format!("the step is not possible here: {why}"))
            }
            Ok(outcomes) => self.follow_first(&outcomes),
            Err(message) => Reply::error(message),
        }
    }

    /// Takes the first of some steps.
    fn follow_first(&mut self, outcomes: &[Execution]) -> Reply {
        let Some(first) = outcomes.first() else { return Reply::error("the step is not possible here") };
        self.animation.follow([first.shown(self.system)]);
        match outcomes.len() {
            1 => Reply::place(""),
            n => Reply::place(format!("first of {n} outcomes\n")),
        }
    }

    /// Takes a step of an operation whose parameters and results satisfy a predicate.
    pub(super) fn exec(&mut self, text: &str) -> Reply {
        let (name, pred) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let pred = if pred.trim().is_empty() { "btrue" } else { pred.trim() };
        let Some((op, _)) = self.model.transitions().find(|(_, op)| op.name == name) else {
            return Reply::error(match name {
                "" => "`exec` needs an operation and a predicate, for example: exec press n > 1".to_owned(),
                _ => format!("no operation `{name}`{}", self.similar(name)),
            });
        };
        let place @ Place::Running(_) = self.place() else { return self.uninitialised() };
        let analysis = analyse_one(Some(self.file), pred, FormulaRole::Any, self.model_options);
        let (model, formula) = match (&analysis.model, analysis.formulas.first()) {
            (Some(model), Some(formula)) => (model, formula),
            _ => return refused(&analysis),
        };
        let FormulaBody::Pred(pred) = formula.body else { return Reply::error("`exec` needs a predicate") };
        let operation = &model.operations[op];
        let place_of = |free: &LocalId| {
            let name = &model.locals[*free].name;
            operation.params.iter().chain(&operation.outputs).position(|local| model.locals[*local].name == *name)
        };
        let places: Vec<Option<usize>> = formula.free.iter().map(place_of).collect();
        if let Some(idx) = places.iter().position(Option::is_none) {
            let free = &model.locals[formula.free[idx]].name;
            return Reply::error(format!("`{name}` has no parameter or result `{free}`"));
        }
        let places: Vec<usize> = places.into_iter().flatten().collect();
        let system = system_of(model, &self.config());
        let n_params = operation.params.len();
        let asked = AskedStep { system: &system, op, place: &place, free: &formula.free, places: &places };
        // Parameters that the predicate is about are taken from its solutions, since the operation may not bound them.
        let is_about_all = n_params > 0 && (0..n_params).all(|idx| places.contains(&idx));
        // Where its solutions cannot be listed, those of the operation may be.
        let is_solved = is_about_all && places.iter().all(|idx| *idx < n_params);
        let solved = if is_solved { asked.by_solution(pred).ok() } else { None };
        let found = solved.map_or_else(|| asked.by_listing(pred), Ok);
        match found {
            Ok(Some(step)) => self.follow_first(&[step]),
            Ok(None) => Reply::error(format!("no step of `{name}` satisfies the predicate here")),
            Err(message) => Reply::error(message),
        }
    }

    /// Takes the first set-up and the first initialisation.
    pub(super) fn initialise(&mut self) -> Reply {
        while !matches!(self.place(), Place::Running(_)) {
            if !self.animation.take(0) {
                return Reply { is_ok: false, ..Reply::place("the machine cannot be initialised\n") };
            }
        }
        Reply::place("")
    }

    /// Takes random steps, at most as many as are asked for.
    pub(super) fn walk(&mut self, text: &str) -> Reply {
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        let (n_steps, seed) = match numbers.as_deref() {
            Ok([n_steps]) => (*n_steps, getrandom::u64().unwrap_or_default() % 1_000_000),
            Ok([n_steps, seed]) => (*n_steps, *seed),
            _ => return Reply::error("`walk` needs a number of steps and may have a seed, for example: walk 100 7"),
        };
        let mut random = Random::new(seed);
        let mut taken = 0;
        while taken < n_steps && !self.session.is_interrupted() {
            let n_choices = self.animation.choices().list.len();
            if n_choices == 0 {
                break;
            }
            self.animation.take(random.below(n_choices));
            taken += 1;
        }
        let stop = if taken == n_steps {
            ""
        } else if self.session.is_interrupted() {
            ", interrupted"
        } else {
            ", no step leads on"
        };
        Reply::place(format!("{} taken{stop} (seed {seed})\n", count(taken as usize, "random step")))
    }
}

/// A question for a step of an operation. Free identifiers of the predicate stand for parameters and results, by their places.
struct AskedStep<'a, 'm> {
    system: &'a Explicit<'m>,
    op: OpId,
    place: &'a Place,
    free: &'a [LocalId],
    places: &'a [usize],
}

impl AskedStep<'_, '_> {
    fn env(&self) -> Env {
        self.place.state().map_or_else(Env::empty, Env::new)
    }

    /// The first step with parameters that solve the predicate.
    fn by_solution(&self, pred: PredId) -> Result<Option<Execution>, String> {
        let model: &Model = self.system.model();
        let session = self.system.judge().session();
        let (mut found, mut failure, mut n_tried) = (None, None, 0);
        let outcome = session.solutions(self.free, pred, &self.env(), &mut |vals| {
            n_tried += 1;
            let given = self.places.iter().zip(vals);
            let given = given.map(|(idx, val)| (model.operations[self.op].params[*idx], val.clone())).collect();
            match called(self.system, self.op, self.place, given) {
                Ok(outcomes) => found = outcomes.into_iter().next(),
                Err(message) => failure = Some(message),
            }
            match found.is_some() || n_tried == MAX_TRIED_PARAMETERS {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        match (found, outcome, failure) {
            (Some(found), ..) => Ok(Some(found)),
            (None, Err(error), _) => Err(error.diagnostic(model).message),
            (None, _, Some(message)) => Err(message),
            (None, ..) if n_tried == MAX_TRIED_PARAMETERS => {
                Err(format!("none of the first {n_tried} solutions of the predicate is a step"))
            }
            (None, ..) => Ok(None),
        }
    }

    /// The first of all steps of the operation that satisfies the predicate.
    fn by_listing(&self, pred: PredId) -> Result<Option<Execution>, String> {
        let session = self.system.judge().session();
        let (mut found, mut failure) = (None, None);
        executions(self.system, &session, self.place, Some(self.op), &mut |step| {
            let truth = step.and_then(|step| {
                let vals: Vec<Option<Val>> =
                    step.params.iter().cloned().map(Some).chain(step.outputs.iter().cloned()).collect();
                let bound = self.free.iter().zip(self.places);
                let bound = bound.filter_map(|(free, idx)| Some((*free, vals[*idx].clone()?)));
                session.pred(pred, &self.env().bind_all(bound)).map(|truth| truth.then_some(step))
            });
            match truth {
                Ok(Some(step)) => {
                    found = Some(step);
                    return ControlFlow::Break(());
                }
                Ok(None) => {}
                Err(error) => failure = Some(error.diagnostic(self.system.model()).message),
            }
            ControlFlow::Continue(())
        });
        match (found, failure) {
            (None, Some(message)) => Err(message),
            (found, _) => Ok(found),
        }
    }
}

/// All outcomes of an operation with given parameters.
fn called(
    system: &Explicit<'_>,
    op: OpId,
    place: &Place,
    given: Vec<(LocalId, Val)>,
) -> Result<Vec<Execution>, String> {
    let session = system.judge().session();
    session.prescribe(PrescribedChoices { locals: given, variables: None });
    let (mut outcomes, mut failure) = (Vec::new(), None);
    executions(system, &session, place, Some(op), &mut |step| {
        match step {
            Ok(step) => outcomes.push(step),
            Err(error) => failure = Some(error.diagnostic(system.model()).message),
        }
        ControlFlow::Continue(())
    });
    match failure {
        Some(message) if outcomes.is_empty() => Err(message),
        _ => Ok(outcomes),
    }
}

/// The first condition of an operation that is false; nothing if it is inside of a choice, or has no value.
fn false_condition(system: &Explicit<'_>, op: OpId, env: &Env) -> Option<PredId> {
    let (judge, model) = (system.judge(), system.model());
    let session = judge.session();
    let mut body = model.operations[op].body;
    loop {
        let (pred, inner) = match model.subst(body) {
            Subst::Pre { pred, body } => (*pred, *body),
            Subst::Select { branches, otherwise: None } if branches.len() == 1 => branches[0],
            _ => return None,
        };
        for conjunct in judge.conjuncts(pred).iter() {
            if !session.pred(*conjunct, env).ok()? {
                return Some(*conjunct);
            }
        }
        body = inner;
    }
}

/// Arguments between commas that are not inside brackets or strings.
fn split_arguments(text: &str) -> Vec<String> {
    let (mut arguments, mut start, mut depth, mut is_string) = (Vec::new(), 0, 0_u32, false);
    for (idx, ch) in text.char_indices() {
        match ch {
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(text[start..idx].trim().to_owned());
                start = idx + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        arguments.push(text[start..].trim().to_owned());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::split_arguments;

    #[test]
    fn arguments_end_at_commas_outside_of_brackets_and_strings() {
        assert_eq!(split_arguments("1, {2,3}, (a,b), \"x,y\""), ["1", "{2,3}", "(a,b)", "\"x,y\""]);
        assert_eq!(split_arguments(" "), [""; 0]);
    }
}
