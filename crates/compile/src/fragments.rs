//! Compiled fragments inside the interpreter: quantifiers, comprehensions, sums and loops whose names all have values.
//!
//! A fragment is compiled when it is first evaluated. If it stops, the interpreter evaluates the formula as if there were no fragment, so answers and
//! messages are the same.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use abridge_eval::{Env, Fragments, FreeNames, Interp, Session, State, SymbolicSet, Update, Val};
use abridge_model::ids::Id as _;
use abridge_model::{Expr, ExprId, PredId, QuantifiedOp, Subst, SubstId, Target};
use abridge_value::{Set, Value};
use rustc_hash::FxHashMap;

use crate::build::{CodeBuilder, Numbers, is_deterministic};
use crate::code::{Code, Exec, Test, While};
use crate::program::{Program, SlotLayout};
use crate::run::{Fast, Runtime, RuntimeMemory, Stop, is_unset};
use crate::success::SuccessRate;
use crate::symmetry::Stabiliser;

/// Compiled parts of the formulas of a model.
pub struct CompiledFragments {
    program: Program,
    preds: Vec<OnceLock<Option<Fragment<Test>>>>,
    exprs: Vec<OnceLock<Option<Fragment<Code>>>>,
    /// Images: last components of the elements of a comprehension, given the other components.
    images: Vec<OnceLock<Option<Fragment<Code>>>>,
    loops: Vec<OnceLock<Option<Fragment<Loop>>>>,
    initialisation: OnceLock<Option<Fragment<Exec>>>,
    /// Next free cache numbers.
    numbers: Mutex<Numbers>,
}

/// Loop with the names that it may write.
struct Loop {
    code: While,
    targets: Vec<(Target, usize)>,
}

struct Fragment<T> {
    code: T,
    names: Arc<FreeNames>,
    success: SuccessRate,
}

fn places<T>(n: usize) -> Vec<OnceLock<T>> {
    std::iter::repeat_with(OnceLock::new).take(n).collect()
}

impl CompiledFragments {
    pub fn new(model: &abridge_model::Model) -> CompiledFragments {
        let layout = SlotLayout::of(model);
        CompiledFragments {
            program: Program {
                layout,
                n_cells: 0,
                operations: Vec::new(),
                staged: Vec::new(),
                tests: Vec::new(),
                test_numbers: FxHashMap::default(),
            },
            preds: places(model.preds.len()),
            exprs: places(model.exprs.len()),
            images: places(model.exprs.len()),
            loops: places(model.substs.len()),
            initialisation: OnceLock::new(),
            numbers: Mutex::default(),
        }
    }

    fn build<T>(&self, interp: &Interp<'_>, build: impl FnOnce(&mut CodeBuilder<'_, '_>) -> Option<T>) -> Option<T> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut builder = CodeBuilder::new(interp, self.program.layout, *numbers);
        let built = build(&mut builder);
        *numbers = builder.numbers;
        built
    }

    fn pred_fragment(&self, interp: &Interp<'_>, id: PredId) -> Option<&Fragment<Test>> {
        let build = || {
            let code = self.build(interp, |builder| match builder.test(id) {
                Test::Interpret(..) => None,
                test => Some(test),
            })?;
            Some(Fragment { code, names: interp.names_of_pred(id), success: SuccessRate::default() })
        };
        self.preds[id.index()].get_or_init(build).as_ref()
    }

    fn expr_fragment(&self, interp: &Interp<'_>, id: ExprId) -> Option<&Fragment<Code>> {
        let build = || {
            let code = self.build(interp, |builder| match builder.operator(id) {
                Code::Interpret(..) | Code::Cell(..) => None,
                code => Some(code),
            })?;
            Some(Fragment { code, names: interp.names_of_expr(id), success: SuccessRate::default() })
        };
        self.exprs[id.index()].get_or_init(build).as_ref()
    }

    fn image_fragment(&self, interp: &Interp<'_>, id: ExprId) -> Option<&Fragment<Code>> {
        let build = || {
            let Expr::Comprehension { binder, pred, .. } = interp.model().expr(id) else { return None };
            let code = self.build(interp, |builder| builder.last_components(binder, *pred))?;
            let mut names = (*interp.names_of_pred(*pred)).clone();
            names.locals.retain(|local| binder.last() != Some(local));
            Some(Fragment { code, names: Arc::new(names), success: SuccessRate::default() })
        };
        self.images[id.index()].get_or_init(build).as_ref()
    }

    fn loop_fragment(&self, interp: &Interp<'_>, id: SubstId) -> Option<&Fragment<Loop>> {
        let build = || {
            let code = self.build(interp, |builder| match builder.exec(id)? {
                Exec::While(code) => {
                    let targets = builder.targets(id);
                    Some(Loop { code: *code, targets: targets.to_vec() })
                }
                _ => None,
            })?;
            let names = Arc::new(interp.names_of_subst(id));
            Some(Fragment { code, names, success: SuccessRate::default() })
        };
        self.loops[id.index()].get_or_init(build).as_ref()
    }

    fn initialisation(&self, interp: &Interp<'_>) -> Option<&Fragment<Exec>> {
        let id = interp.model().initialisation;
        let build = || {
            let code = self.build(interp, |builder| builder.exec(id))?;
            let names = Arc::new(interp.names_of_subst(id));
            Some(Fragment { code, names, success: SuccessRate::default() })
        };
        self.initialisation.get_or_init(build).as_ref()
    }
}

impl Fragments for CompiledFragments {
    fn pred(&self, session: &Session<'_>, id: PredId, env: &Env) -> Option<bool> {
        let fragment = self.pred_fragment(session.interp(), id)?;
        self.run(session, fragment, env, |runtime| runtime.test(&fragment.code))
    }

    fn expr(&self, session: &Session<'_>, id: ExprId, env: &Env) -> Option<Value> {
        let is_symbolic = match session.model().expr(id) {
            Expr::Comprehension { symbolic, .. } => *symbolic,
            Expr::Quantified { op: QuantifiedOp::RealSigma | QuantifiedOp::RealPi, .. } => true,
            Expr::Quantified { symbolic, .. } => *symbolic,
            Expr::SetImage { .. } => false,
            _ => true,
        };
        if is_symbolic {
            return None;
        }
        let fragment = self.expr_fragment(session.interp(), id)?;
        self.run(session, fragment, env, |runtime| runtime.code(&fragment.code))
    }

    fn images(&self, session: &Session<'_>, comprehension: ExprId, env: &Env) -> Option<Set> {
        let fragment = self.image_fragment(session.interp(), comprehension)?;
        let images = self.run(session, fragment, env, |runtime| runtime.code(&fragment.code))?;
        images.as_set().cloned()
    }

    fn while_loop(&self, session: &Session<'_>, id: SubstId, env: &Env) -> Option<Update> {
        debug_assert!(matches!(session.model().subst(id), Subst::While { .. }));
        let fragment = self.loop_fragment(session.interp(), id)?;
        self.run(session, fragment, env, |runtime| {
            let Loop { code, targets } = &fragment.code;
            let mut update = Update::new();
            runtime.while_loop(code, &mut |runtime| {
                let assigned = targets.iter().map(|(target, slot)| {
                    let val = runtime.slots[*slot].clone();
                    (*target, (!is_unset(&val)).then_some(val))
                });
                update = assigned.collect();
                Ok(())
            })?;
            if update.is_empty() { Err(Stop::Escape) } else { Ok(update) }
        })
    }

    fn initialise(&self, session: &Session<'_>, constants: &State, found: &mut dyn FnMut(State) -> bool) -> bool {
        let Some(fragment) = self.initialisation(session.interp()) else { return false };
        let env = Env::new(constants);
        let mut is_over = false;
        let done = self.run(session, fragment, &env, |runtime| {
            runtime.declare_variables();
            runtime.exec(&fragment.code, &mut |runtime| {
                is_over = found(runtime.initial_state(constants)?);
                if is_over { Err(Stop::Escape) } else { Ok(()) }
            })
        });
        is_over || done.is_some()
    }
}

impl CompiledFragments {
    /// One initial state per orbit, with the size of its orbit; `None` if that is not possible or there is no choice.
    pub fn initialise_by_orbit(
        &self,
        session: &Session<'_>,
        constants: &State,
        group: &Stabiliser,
    ) -> Option<Vec<(State, u64)>> {
        let fragment = self.initialisation(session.interp())?;
        if is_deterministic(&fragment.code) {
            return None;
        }
        self.run(session, fragment, &Env::new(constants), |runtime| {
            runtime.declare_variables();
            runtime.initial_states_by_orbit(&fragment.code, constants, group)
        })
    }

    /// Runs a fragment with the values of its names; `None` if it stops.
    fn run<'s, T, R>(
        &'s self,
        session: &Session<'s>,
        fragment: &'s Fragment<T>,
        env: &Env,
        run: impl FnOnce(&mut Runtime<'s>) -> Fast<R>,
    ) -> Option<R> {
        if !fragment.success.is_worthwhile() || reads_partial(&fragment.names, env) {
            return None;
        }
        let kept = session.take_scratch().and_then(|kept| kept.downcast::<RuntimeMemory>().ok());
        let mut memory = kept.unwrap_or_else(|| Box::new(RuntimeMemory::new(self.program.layout)));
        let mut runtime = Runtime::with_memory(&self.program, session.inner(), std::mem::take(&mut *memory));
        runtime.load(env, &fragment.names);
        let answer = run(&mut runtime);
        let answer = runtime.end(answer);
        session.leave(&runtime.session);
        *memory = runtime.into_memory();
        session.keep_scratch(memory);
        fragment.success.count(answer.is_ok());
        answer.ok()
    }
}

/// Whether some name stands for a value under construction, which only the plain interpreter can evaluate.
fn reads_partial(names: &FreeNames, env: &Env) -> bool {
    let is_partial = |val: Option<&Val>| matches!(val.and_then(Val::as_sym), Some(SymbolicSet::Partial(_)));
    names.constants.iter().any(|id| is_partial(env.constant(*id)))
        || names.locals.iter().any(|id| is_partial(env.local(*id)))
}
