//! Reductions described by definitions: GENERATOR_r, INVERSE_r, ORDER_r, CANONIZER_r, and the families expanded by `families.rs`.
//!
//! A body becomes an operation of the model that is not a transition, so evaluators and circuits treat it like any other operation. It must be a
//! function of the state. Substitutions that choose, block or call are rejected here, since a canonizer with two results would make counts depend on
//! chance. A definition with an error is ignored with a warning, since other tools read the file without it.

use std::rc::Rc;

use abridge_diag::{Diagnostic, Span};
use abridge_model::{
    DeclOrigin, Effects, LocalId, ModelNode, OpId, Operation, ReductionDef, ReductionKind, SmolStr, Subst, SubstId,
};
use abridge_syntax::ast::{self, DefinitionBody, Ident};

use crate::definitions::DefEntry;
use crate::families::{EXCHANGED, Family, FamilyKind, PREFIXES};
use crate::lower::{ClausePlace, Lower};
use crate::project::UnitId;
use crate::scope::{Ctx, FrameKind, LocalKind, Symbol};

const GENERATOR: &str = "GENERATOR_";
const INVERSE: &str = "INVERSE_";
const ORDER: &str = "ORDER_";
const CANONIZER: &str = "CANONIZER_";

/// Function on states in the source.
struct Written {
    /// Full name of the definition.
    name: SmolStr,
    span: Span,
    params: Vec<Ident>,
    unit: UnitId,
    body: Option<ast::SubstId>,
}

impl Lower<'_> {
    /// Reads the reductions of the main machine.
    pub(crate) fn reductions(&mut self, unit: UnitId) {
        let defs = self.defs.clone();
        let mut found: Vec<ReductionDef> = Vec::new();
        for entry in defs.iter().filter(|entry| !entry.is_cyclic && entry.external.is_none()) {
            let name = &entry.name.name;
            let reduction = if let Some(short) = name.strip_prefix(CANONIZER) {
                self.canonizer(unit, entry, short)
            } else if let Some(short) = name.strip_prefix(GENERATOR) {
                self.generated(unit, entry, short)
            } else {
                continue;
            };
            found.extend(reduction);
        }
        let project = self.project;
        for family in &project.families {
            found.extend(self.family(unit, family));
        }
        found.sort_by_key(|reduction| reduction.span.start);
        for reduction in found {
            let known = self.model.steering.reductions.iter().find(|known| known.name == reduction.name);
            if let Some(known) = known {
                let message = format!("there are two reductions `{}`", reduction.name);
                let diagnostic = Diagnostic::warning("wrong-reduction", message).at(reduction.span);
                let diagnostic = diagnostic.also(known.span, "the first one, which counts");
                self.report(diagnostic.help("give one of them another name"));
                continue;
            }
            self.model.steering.reductions.push(reduction);
        }
        self.note_ignored_reductions();
        for entry in defs.iter() {
            let name = &entry.name.name;
            let short = [INVERSE, ORDER].into_iter().find_map(|prefix| name.strip_prefix(prefix));
            let is_known = |short: &str| defs.contains(&format!("{GENERATOR}{short}"));
            let is_family = |short: &str| project.families.iter().any(|family| family.name == short);
            if let Some(short) = short.filter(|short| !is_known(short) && !is_family(short))
                && matches!(entry.body, DefinitionBody::Substitution(_))
            {
                let message = format!("`{name}` has no effect");
                let diagnostic = Diagnostic::warning("ignored-steering", message).at(entry.name.span);
                self.report(diagnostic.note(format!("there is no definition `{GENERATOR}{short}`")));
            }
        }
    }

    /// Remembers what a user may ask for in vain, so that the answer can point to the diagnostic.
    fn note_ignored_reductions(&mut self) {
        let prefixes = || [CANONIZER, GENERATOR].into_iter().chain(PREFIXES.iter().map(|(prefix, _)| *prefix));
        let defs = self.defs.clone();
        for entry in defs.iter() {
            let name = &entry.name.name;
            let Some(short) = prefixes().find_map(|prefix| name.strip_prefix(prefix)) else { continue };
            let steering = &mut self.model.steering;
            if !short.is_empty() && steering.reductions.iter().all(|known| known.name != short) {
                steering.ignored_reductions.push((SmolStr::from(short), name.clone()));
            }
        }
    }

    fn canonizer(&mut self, unit: UnitId, entry: &Rc<DefEntry>, short: &str) -> Option<ReductionDef> {
        let written = written(entry);
        if let Some(param) = entry.params.first() {
            let message = format!("`{}` has a parameter", entry.name.name);
            let diagnostic = Diagnostic::warning("wrong-reduction", message).at(param.span);
            self.report(
                diagnostic.help("a canonizer is a function of the state alone; generators may have parameters"),
            );
            return None;
        }
        let op = self.function(unit, &written)?;
        let (name, span) = (SmolStr::from(short), entry.name.span);
        Some(ReductionDef { name, span, kind: ReductionKind::Canonizer(op), expansion: None })
    }

    fn generated(&mut self, unit: UnitId, entry: &Rc<DefEntry>, short: &str) -> Option<ReductionDef> {
        let generator = self.function(unit, &written(entry))?;
        let inverse = self.defs.get(&format!("{INVERSE}{short}")).cloned();
        let inverse = match inverse {
            Some(inverse) if inverse.params.len() != entry.params.len() => {
                let message = format!("`{}` has other parameters than `{}`", inverse.name.name, entry.name.name);
                let diagnostic = Diagnostic::warning("wrong-reduction", message).at(inverse.name.span);
                self.report(diagnostic.also(entry.name.span, "the generator"));
                None
            }
            inverse => inverse.and_then(|inverse| self.function(unit, &written(&inverse))),
        };
        let order = self.order(unit, short);
        let kind = ReductionKind::Generated { generator, inverse, order, permuted: None };
        Some(ReductionDef { name: SmolStr::from(short), span: entry.name.span, kind, expansion: None })
    }

    fn order(&mut self, unit: UnitId, short: &str) -> Option<abridge_model::ExprId> {
        let entry = self.defs.get(&format!("{ORDER}{short}")).cloned()?;
        match entry.body {
            DefinitionBody::Formula(body) if entry.params.is_empty() => {
                self.place = ClausePlace::Steering;
                self.optional(unit, &entry, |this, ctx| this.expr(ctx, body))
            }
            _ => {
                let message = format!("`{}` is not an expression about a state", entry.name.name);
                self.report(Diagnostic::warning("wrong-reduction", message).at(entry.name.span));
                None
            }
        }
    }

    fn family(&mut self, unit: UnitId, family: &Family) -> Option<ReductionDef> {
        let body = match self.tree(family.unit).unit {
            ast::Unit::Substitution(body) => Some(body),
            _ => None,
        };
        let is_permutation = family.kind == FamilyKind::Permutation;
        let exchanged = EXCHANGED.iter().filter(|_| is_permutation);
        let params = exchanged.map(|name| Ident { name: SmolStr::from(*name), span: family.span }).collect();
        let prefix = if family.kind.is_canonizer() { CANONIZER } else { GENERATOR };
        let name = SmolStr::from(format!("{prefix}{}", family.name));
        let written = Written { name, span: family.span, params, unit: family.unit, body };
        let op = self.function(unit, &written)?;
        let order = if family.kind.is_canonizer() { None } else { self.order(unit, &family.name) };
        let set = family.set.as_ref().and_then(|set| self.names.symbols.get(set)).map(|entry| entry.symbol);
        let permuted = match set {
            Some(Symbol::Set(id)) if is_permutation => Some(id),
            _ => None,
        };
        let kind = match family.kind.is_canonizer() {
            true => ReductionKind::Canonizer(op),
            false => ReductionKind::Generated { generator: op, inverse: None, order, permuted },
        };
        let expansion = Some(SmolStr::from(&family.text));
        Some(ReductionDef { name: family.name.clone(), span: family.span, kind, expansion })
    }

    /// Lowers a function on states. Returns `None`, after a report, if it is not a function.
    fn function(&mut self, unit: UnitId, written: &Written) -> Option<OpId> {
        let Some(body) = written.body else {
            let message = format!("`{}` is not a substitution", written.name);
            let diagnostic = Diagnostic::warning("wrong-reduction", message).at(written.span);
            self.report(diagnostic.help("write it between `BEGIN` and `END`: `BEGIN x := E END`"));
            return None;
        };
        let snapshot = self.snapshot();
        let ctx = Ctx { unit: written.unit, ..self.global(unit) };
        self.place = ClausePlace::Operation;
        let locals: Vec<(SmolStr, LocalId, LocalKind)> = written
            .params
            .iter()
            .map(|id| (id.name.clone(), self.add_local(id.name.clone(), id.span), LocalKind::Parameter))
            .collect();
        let params: Vec<LocalId> = locals.iter().map(|(_, local, _)| *local).collect();
        let ctx = self.push_frame(ctx, FrameKind::Locals(locals));
        let body = self.subst(ctx, body);
        self.resolve_overloads_from(snapshot.pending);
        for local in &params {
            let (ty, local) = (self.model.locals[*local].ty, self.model.locals[*local].clone());
            if self.types.has_unknown(ty) {
                let message = format!("the type of parameter `{}` cannot be inferred", local.name);
                self.report(Diagnostic::error("unknown-type", message).at(local.span));
            }
        }
        self.reject_choices(&written.name, body, !params.is_empty());
        self.place = ClausePlace::Steering;
        if !self.keep(snapshot, &written.name) {
            return None;
        }
        let machine = self.model.name.clone();
        Some(self.model.operations.push(Operation {
            name: written.name.clone(),
            params,
            outputs: Vec::new(),
            body,
            is_top_level: false,
            refines: None,
            effects: Effects::default(),
            origin: DeclOrigin { machine, span: written.span, desc: None },
        }))
    }

    /// Rejects substitutions that choose, block or call. A function has one result in every state.
    fn reject_choices(&mut self, name: &str, body: SubstId, has_params: bool) {
        let mut wrong: Vec<(SubstId, &str)> = Vec::new();
        let model = &self.model;
        model.for_each_node(ModelNode::Subst(body), &mut |node| {
            let ModelNode::Subst(id) = node else { return };
            let what = match model.subst(id) {
                Subst::Choice(_) | Subst::Any { .. } | Subst::BecomesElement { .. } | Subst::BecomesSuch { .. } => {
                    "chooses among several results"
                }
                Subst::Select { .. } => "may have no result, or several",
                Subst::Pre { .. } if id != body || !has_params => "has a precondition",
                Subst::Assert { .. } => "has an assertion",
                Subst::Call { .. } | Subst::External(..) => "calls an operation",
                _ => return,
            };
            wrong.push((id, what));
        });
        for (id, what) in wrong {
            let message = format!("`{name}` {what}; it must be a function of the state");
            let help = match self.model.subst(id) {
                Subst::Pre { .. } => "only the parameters of a generator have a precondition, around the whole",
                Subst::Call { .. } | Subst::External(..) => "write the body of the operation, or a definition of it",
                _ => "use `:=`, IF, CASE, LET and VAR",
            };
            self.report(Diagnostic::error("wrong-reduction", message).at(self.model.substs[id].span).help(help));
        }
    }
}

/// Definition as a function on states.
fn written(entry: &DefEntry) -> Written {
    let body = match entry.body {
        DefinitionBody::Substitution(body) => Some(body),
        DefinitionBody::Formula(_) => None,
    };
    Written {
        name: entry.name.name.clone(),
        span: entry.name.span,
        params: entry.params.clone(),
        unit: entry.unit,
        body,
    }
}
