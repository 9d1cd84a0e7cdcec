//! The clauses of one machine instance.

use std::collections::HashMap;

use abridge_diag::{Diagnostic, Span};
use abridge_model::carriers;
use abridge_model::{
    CarrierKind, CarrierSet, Comparison, Conjunct, Constant, Constructor, Effects, Expr, ExprId, FreeType, IdSet,
    LocalId, OpId, Operation, Origin, Pred, PredId, SmolStr, Subst, SubstId, TypeId, Variable,
};
use abridge_syntax::ast::{self, ClauseKind, DeclaredIdent, DefinitionBody, Ident, Machine, SetDeclKind};

use crate::lower::compose::{Composer, DependencyKind, joined};
use crate::lower::definitions::{given, plural, with_params};
use crate::lower::{Lower, Place};
use crate::project::UnitId;
use crate::scope::{Access, Ctx, FrameKind, LocalKind, NameEntry, OpAccess, OpEntry, Symbol};
use crate::types::Unifier;

/// Which list a conjunct joins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    Properties,
    Invariant,
    Assertions,
}

impl Composer<'_> {
    /// Lowers one instance; those it depends on are done.
    pub(crate) fn instance(&mut self, idx: usize) {
        let unit = self.instances[idx].unit;
        let project = self.lower.project;
        let Some(machine) = project.machine(unit) else { return };
        self.lower.defs = self.definitions(unit);
        self.lower.names = self.inherited(idx);
        let mut body = InstanceBody { composer: self, idx, unit, machine };
        body.declare();
        body.static_clauses();
        body.invariant();
        let operations = body.declare_operations();
        body.initialisation();
        body.operation_bodies(&operations);
        body.promotions();
        self.lower.resolve_overloads();
        self.instances[idx].names = std::mem::take(&mut self.lower.names);
    }
}

struct InstanceBody<'c, 'a, 'm> {
    composer: &'c mut Composer<'a>,
    idx: usize,
    unit: UnitId,
    machine: &'m Machine,
}

/// An operation whose signature is declared and whose body is not lowered yet.
struct DeclaredOperation<'m> {
    op: OpId,
    ctx: Ctx,
    syntax: &'m ast::Operation,
    role: Role,
}

/// What the body of a declared operation is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is what the operation does.
    Whole,
    /// It is what OPERATIONS do for an operation that LOCAL_OPERATIONS specify and declare.
    Realisation,
}

impl<'m> InstanceBody<'_, '_, 'm> {
    fn clauses(&self) -> impl Iterator<Item = &'m ClauseKind> + use<'m> {
        self.machine.clauses.iter().map(|clause| &clause.kind)
    }

    fn origin(&self, span: Span, desc: Option<SmolStr>) -> Origin {
        Origin { machine: self.machine.name.name.clone(), span, desc }
    }

    fn prefix(&self) -> SmolStr {
        self.composer.instances[self.idx].prefix.clone()
    }

    fn is_refinement(&self) -> bool {
        self.composer.instances[self.idx].deps.iter().any(|dep| dep.kind == DependencyKind::Refines)
    }

    fn ctx(&mut self) -> Ctx {
        self.composer.lower.global(self.unit)
    }

    fn declare(&mut self) {
        match self.composer.statics.get(&self.unit) {
            Some(known) => {
                let known = known.clone();
                self.composer.lower.names.symbols.extend(known);
                self.params();
            }
            None => {
                self.params();
                self.sets();
                self.free_types();
                self.constants();
                let symbols = self.composer.lower.names.symbols.iter();
                let own = symbols
                    .filter(|(_, entry)| entry.is_own && !entry.is_param)
                    .map(|(name, entry)| (name.clone(), *entry));
                let own = own.filter(|(_, entry)| !matches!(entry.symbol, Symbol::Variable(..))).collect();
                self.composer.statics.insert(self.unit, own);
            }
        }
        self.variables();
    }

    /// Adds a name of this machine, reporting clashes; false if there is one.
    fn add_name(&mut self, ident: &Ident, symbol: Symbol, is_param: bool) -> bool {
        let entry = NameEntry { symbol, span: ident.span, is_param, is_own: true };
        let lower = &mut self.composer.lower;
        if let Some(definition) = lower.defs.get(&ident.name).map(|definition| definition.name.span) {
            let message = format!("the definition `{0}` hides the declared `{0}`", ident.name);
            let diagnostic = Diagnostic::warning("definition-hides-name", message).at(definition);
            lower.report(diagnostic.also(ident.span, "declared here").help("give one of them another name"));
        }
        if let Some(known) = lower.names.symbols.get(&ident.name).copied()
            && known.symbol != symbol
        {
            let passes = !known.is_own && known.span.file != ident.span.file;
            if !passes {
                lower.report(clash(ident, &known));
                // What follows from this is not worth a message of its own.
                lower.unknown_names.insert(ident.name.clone());
                return false;
            }
        }
        lower.names.symbols.insert(ident.name.clone(), entry);
        true
    }

    /// A name that the refinement keeps from its abstraction.
    fn kept(&self, name: &str) -> Option<Symbol> {
        if !self.is_refinement() {
            return None;
        }
        self.composer.lower.names.symbols.get(name).filter(|entry| !entry.is_own).map(|entry| entry.symbol)
    }

    fn params(&mut self) {
        let is_given = {
            let instances = &self.composer.instances;
            let mut users = instances.iter().flat_map(|instance| &instance.deps).filter(|dep| dep.to == self.idx);
            users.any(|dep| matches!(dep.kind, DependencyKind::Includes | DependencyKind::Extends))
        };
        for param in &self.machine.params {
            // By B's convention scalars have a lower-case letter in their name.
            let is_set = !param.name.chars().any(char::is_lowercase);
            if let Some(symbol) = self.kept(&param.name) {
                self.add_name(param, symbol, true);
                continue;
            }
            let lower = &mut self.composer.lower;
            if is_set && !is_given {
                let set = CarrierSet {
                    name: param.name.clone(),
                    kind: CarrierKind::Deferred { size: 0 },
                    origin: self.origin(param.span, None),
                };
                let set = self.composer.lower.model.sets.push(set);
                self.add_name(param, Symbol::Set(set), true);
                continue;
            }
            let ty = lower.types.fresh();
            let ty = if is_set { lower.types.pow(ty) } else { ty };
            let name = joined(&self.prefix(), &param.name);
            let origin = self.origin(param.span, None);
            let id = self.composer.lower.model.constants.push(Constant { name, ty, origin });
            self.add_name(param, Symbol::Constant(id), true);
        }
    }

    fn sets(&mut self) {
        for clause in self.clauses() {
            let ClauseKind::Sets(decls) = clause else { continue };
            for decl in decls {
                let elements: Vec<DeclaredIdent> = match &decl.kind {
                    SetDeclKind::Deferred => Vec::new(),
                    SetDeclKind::Enumerated(elements) => elements.clone(),
                    SetDeclKind::EnumeratedBy(name) => self.enumerated_by(name),
                };
                let kind = match &decl.kind {
                    SetDeclKind::Deferred => CarrierKind::Deferred { size: 0 },
                    _ => CarrierKind::Enumerated(elements.iter().map(|element| element.ident.name.clone()).collect()),
                };
                let ident = &decl.name.ident;
                let origin = self.origin(ident.span, decl.name.desc.clone());
                let set = self.composer.lower.model.sets.push(CarrierSet { name: ident.name.clone(), kind, origin });
                self.add_name(ident, Symbol::Set(set), false);
                for (index, element) in elements.iter().enumerate() {
                    self.add_name(&element.ident, Symbol::Element(set, index as u32), false);
                }
            }
        }
    }

    /// The elements of `S = D` where the definition `D` is `{a, b}`.
    fn enumerated_by(&mut self, name: &Ident) -> Vec<DeclaredIdent> {
        let lower = &mut self.composer.lower;
        if let Some(entry) = lower.defs.get(&name.name).cloned()
            && let DefinitionBody::Formula(body) = entry.body
        {
            let tree = lower.tree(entry.unit);
            let items: Option<Vec<DeclaredIdent>> = match &tree.expr(body).expr {
                ast::Expr::SetExtension(items) => items
                    .iter()
                    .map(|item| match &tree.expr(*item).expr {
                        ast::Expr::Ident(element) => {
                            let ident = Ident { name: element.clone(), span: tree.expr(*item).span };
                            Some(DeclaredIdent { ident, desc: None })
                        }
                        _ => None,
                    })
                    .collect(),
                _ => None,
            };
            if let Some(items) = items {
                return items;
            }
        }
        let message = format!("`{}` is not a definition that lists the elements of a set", name.name);
        lower.report(
            Diagnostic::error("not-an-enumeration", message)
                .at(name.span)
                .help(format!("define `{} == {{a, b, c}}` or list the elements here", name.name)),
        );
        Vec::new()
    }

    fn free_types(&mut self) {
        for clause in self.clauses() {
            let ClauseKind::FreeTypes(decls) = clause else { continue };
            let mut declared = Vec::new();
            for decl in decls {
                if let Some(param) = decl.params.first() {
                    let message = format!("freetype `{}` has type parameters, which are not supported", decl.name.name);
                    self.composer.lower.report(
                        Diagnostic::error("unsupported-freetype", message)
                            .at(param.span)
                            .help("declare one freetype for each type it is used with"),
                    );
                }
                let origin = self.origin(decl.name.span, None);
                let constructors =
                    decl.constructors.iter().map(|c| Constructor { name: c.name.name.clone(), arg: None }).collect();
                let free = self.composer.lower.model.free_types.push(FreeType {
                    name: decl.name.name.clone(),
                    constructors,
                    origin,
                });
                declared.push((free, decl));
                self.add_name(&decl.name, Symbol::FreeType(free), false);
                for (index, constructor) in decl.constructors.iter().enumerate() {
                    self.add_name(&constructor.name, Symbol::Constructor(free, index as u32), false);
                }
            }
            // Arguments may mention any freetype of the clause.
            let ctx = self.ctx();
            self.composer.lower.place = Place::Properties;
            for (free, decl) in declared {
                let lower = &mut self.composer.lower;
                for (index, constructor) in decl.constructors.iter().enumerate() {
                    let Some(arg) = constructor.arg else { continue };
                    let set = lower.expr(ctx, arg);
                    let span = lower.span(set);
                    let elem = lower.expect_set(set, "a constructor's argument ranges over a set", span);
                    lower.model.free_types[free].constructors[index].arg = Some((set, elem));
                }
            }
        }
    }

    fn constants(&mut self) {
        for clause in self.clauses() {
            let (ClauseKind::Constants(decls) | ClauseKind::AbstractConstants(decls)) = clause else { continue };
            for decl in self.expanded(decls) {
                if let Some(symbol @ Symbol::Constant(_)) = self.kept(&decl.ident.name) {
                    self.add_name(&decl.ident, symbol, false);
                    continue;
                }
                let ty = self.composer.lower.types.fresh();
                let origin = self.origin(decl.ident.span, decl.desc.clone());
                let id =
                    self.composer.lower.model.constants.push(Constant { name: decl.ident.name.clone(), ty, origin });
                if !self.add_name(&decl.ident, Symbol::Constant(id), false) {
                    self.composer.lower.model.constants[id].ty = Unifier::ERROR;
                }
            }
        }
    }

    /// Declared names, definitions of identifier lists resolved.
    fn expanded(&self, decls: &[DeclaredIdent]) -> Vec<DeclaredIdent> {
        let lower = &self.composer.lower;
        let mut out = Vec::new();
        for decl in decls {
            let names = lower.defs.get(&decl.ident.name).and_then(|entry| lower.identifier_list(entry));
            match names {
                Some(names) => out.extend(names.into_iter().map(|name| DeclaredIdent {
                    ident: Ident { name, span: decl.ident.span },
                    desc: decl.desc.clone(),
                })),
                None => out.push(decl.clone()),
            }
        }
        out
    }

    fn variables(&mut self) {
        let is_abstract = !self.composer.instances[self.idx].is_concrete;
        for clause in self.clauses() {
            let (ClauseKind::Variables(decls) | ClauseKind::ConcreteVariables(decls)) = clause else { continue };
            for decl in self.expanded(decls) {
                if let Some(Symbol::Variable(id, Access::Abstract)) = self.kept(&decl.ident.name) {
                    let variable = &mut self.composer.lower.model.variables[id];
                    variable.is_abstract &= is_abstract;
                    self.composer.lower.names.symbols.remove(&decl.ident.name);
                    self.add_name(&decl.ident, Symbol::Variable(id, Access::Own), false);
                    continue;
                }
                let ty = self.composer.lower.types.fresh();
                let origin = self.origin(decl.ident.span, decl.desc.clone());
                let name = joined(&self.prefix(), &decl.ident.name);
                let id = self.composer.lower.model.variables.push(Variable { name, ty, is_abstract, origin });
                if !self.add_name(&decl.ident, Symbol::Variable(id, Access::Own), false) {
                    self.composer.lower.model.variables[id].ty = Unifier::ERROR;
                }
            }
        }
    }

    /// CONSTRAINTS, actual parameters, PROPERTIES and VALUES.
    fn static_clauses(&mut self) {
        let ctx = self.ctx();
        self.composer.lower.place = Place::Constraints;
        for clause in self.clauses() {
            if let ClauseKind::Constraints(pred) = clause {
                self.conjoin(ctx, *pred, Clause::Properties);
            }
        }
        self.actual_params(ctx);
        let is_first = !self.composer.instances[..]
            .iter()
            .enumerate()
            .any(|(idx, other)| idx != self.idx && other.unit == self.unit && !other.names.symbols.is_empty());
        self.composer.lower.place = Place::Properties;
        for clause in self.clauses().filter(|_| is_first) {
            match clause {
                ClauseKind::Properties(pred) => self.conjoin(ctx, *pred, Clause::Properties),
                ClauseKind::Values(values) => values.iter().for_each(|value| self.valuation(ctx, value)),
                _ => {}
            }
        }
        self.composer.lower.resolve_overloads();
    }

    /// Equates the parameters of included machines with what this machine gives them.
    fn actual_params(&mut self, ctx: Ctx) {
        self.composer.lower.place = Place::Arguments;
        for dep_idx in 0..self.composer.instances[self.idx].deps.len() {
            let dep = &self.composer.instances[self.idx].deps[dep_idx];
            if !matches!(dep.kind, DependencyKind::Includes | DependencyKind::Extends) {
                continue;
            }
            let (to, span, args) = (dep.to, dep.span, dep.args.clone());
            let project = self.composer.lower.project;
            let Some(other) = project.machine(self.composer.instances[to].unit) else { continue };
            if other.params.len() != args.len() {
                self.report_machine_arity(to, other, args.len(), span);
                continue;
            }
            for (param, arg) in other.params.iter().zip(args) {
                let symbol = self.composer.instances[to].names.symbols.get(&param.name).map(|entry| entry.symbol);
                let Some(symbol @ Symbol::Constant(_)) = symbol else { continue };
                let lower = &mut self.composer.lower;
                let formal = lower.symbol(symbol, param.span);
                let actual = lower.expr(ctx, arg);
                let span = lower.span(actual);
                let origin = Some((param.span, "declared here".to_owned()));
                let why = format!("parameter `{}` of `{}` is {{}}", param.name, other.name.name);
                lower.expect_from(actual, lower.ty(formal), &why, span, origin);
                let pred = lower.add_pred(Pred::Compare(Comparison::Equal, formal, actual), span);
                self.add_conjunct(pred, Vec::new(), Clause::Properties);
            }
        }
    }

    /// A machine is given the wrong number of arguments, so that its parameters get no types.
    fn report_machine_arity(&mut self, to: usize, machine: &Machine, n_args: usize, span: Span) {
        let wanted = plural(machine.params.len(), "parameter");
        let message = format!("machine `{}` has {wanted}, but is given {}", machine.name.name, given(n_args));
        let lower = &mut self.composer.lower;
        let diagnostic = Diagnostic::error("wrong-arity", message).at(span).also(machine.name.span, "declared here");
        lower.report(diagnostic.help(format!("write `{}`", with_params(&machine.name.name, &machine.params))));
        for param in &machine.params {
            let entry = self.composer.instances[to].names.symbols.get(&param.name);
            if let Some(Symbol::Constant(id)) = entry.map(|entry| entry.symbol) {
                let ty = lower.model.constants[id].ty;
                let _ = lower.types.unify(ty, Unifier::ERROR, span);
            }
        }
    }

    fn valuation(&mut self, ctx: Ctx, value: &ast::Valuation) {
        let lower = &mut self.composer.lower;
        match lower.names.symbols.get(&value.name.name).map(|entry| entry.symbol) {
            Some(Symbol::Set(set)) => {
                let value_expr = lower.expr(ctx, value.value);
                match lower.interval_size(value_expr) {
                    Some(size) => lower.model.sets[set].kind = CarrierKind::Deferred { size },
                    None => {
                        let message = format!(
                            "the value of the set `{}` is not an interval with known bounds and is ignored",
                            value.name.name
                        );
                        lower.report(
                            Diagnostic::warning("set-value-ignored", message)
                                .at(lower.span(value_expr))
                                .note("VALUES give a set its size only: as in ProB, its elements are no integers"),
                        );
                    }
                }
            }
            Some(symbol) => {
                let formal = lower.symbol(symbol, value.name.span);
                let actual = lower.expr(ctx, value.value);
                let span = value.name.span.to(lower.span(actual));
                lower.expect_like(formal, actual, span);
                let pred = lower.add_pred(Pred::Compare(Comparison::Equal, formal, actual), span);
                self.add_conjunct(pred, Vec::new(), Clause::Properties);
            }
            None => _ = lower.unknown(ctx, &value.name.name, value.name.span),
        }
    }

    fn invariant(&mut self) {
        let ctx = self.ctx();
        for (place, kind) in [(Place::Invariant, Clause::Invariant), (Place::Assertions, Clause::Assertions)] {
            self.composer.lower.place = place;
            for clause in self.clauses() {
                match clause {
                    ClauseKind::Invariant(pred) if kind == Clause::Invariant => self.conjoin(ctx, *pred, kind),
                    ClauseKind::Assertions(preds) if kind == Clause::Assertions => {
                        for pred in preds {
                            let labels = labels_of(self.composer.lower.tree(self.unit), *pred);
                            let pred = self.composer.lower.pred(ctx, *pred);
                            self.add_conjunct(pred, labels, kind);
                        }
                    }
                    _ => {}
                }
            }
            self.composer.lower.resolve_overloads();
        }
    }

    /// Adds each conjunct of a clause's predicate on its own.
    fn conjoin(&mut self, ctx: Ctx, pred: ast::ExprId, clause: Clause) {
        let mut open = vec![(pred, Vec::new())];
        while let Some((id, labels)) = open.pop() {
            let lower = &mut self.composer.lower;
            match &lower.project.ast(ctx.unit).expr(id).expr {
                ast::Expr::And(items) => open.extend(items.iter().rev().map(|item| (*item, labels.clone()))),
                ast::Expr::Described { expr, .. } => open.push((*expr, labels)),
                ast::Expr::Labelled { labels: more, pred } => {
                    let labels = labels.into_iter().chain(more.iter().cloned()).collect();
                    open.push((*pred, labels));
                }
                _ => {
                    let pred = lower.pred(ctx, id);
                    self.split(pred, &labels, clause);
                }
            }
        }
    }

    /// A definition may expand to a conjunction; its parts are conjuncts too.
    fn split(&mut self, pred: PredId, labels: &[SmolStr], clause: Clause) {
        let mut open = vec![pred];
        while let Some(pred) = open.pop() {
            match self.composer.lower.model.pred(pred) {
                Pred::And(parts) => open.extend(parts.iter().rev()),
                _ => self.add_conjunct(pred, labels.to_vec(), clause),
            }
        }
    }

    fn add_conjunct(&mut self, pred: PredId, labels: Vec<SmolStr>, clause: Clause) {
        let model = &mut self.composer.lower.model;
        let span = model.preds[pred].span;
        let machine = self.machine.name.name.clone();
        let conjunct =
            Conjunct { pred, labels, machine, span, reads: IdSet::new(), constants: IdSet::new(), is_gluing: false };
        match clause {
            Clause::Properties => model.properties.push(conjunct),
            Clause::Invariant => model.invariant.push(conjunct),
            Clause::Assertions => model.assertions.push(conjunct),
        }
    }

    fn initialisation(&mut self) {
        let ctx = self.ctx();
        self.composer.lower.place = Place::Initialisation;
        for clause in self.clauses() {
            if let ClauseKind::Initialisation(body) = clause {
                let body = self.composer.lower.subst(ctx, *body);
                self.composer.instances[self.idx].initialisation = Some(body);
            }
        }
        self.composer.lower.resolve_overloads();
    }

    /// LOCAL_OPERATIONS come first, for OPERATIONS may realise them.
    fn declare_operations(&mut self) -> Vec<DeclaredOperation<'m>> {
        self.composer.lower.place = Place::Operation;
        let mut declared: Vec<DeclaredOperation<'m>> = Vec::new();
        for clause in self.clauses() {
            let ClauseKind::LocalOperations(list) = clause else { continue };
            declared.extend(list.iter().map(|syntax| self.declare_operation(syntax, OpAccess::Local)));
        }
        let specified: HashMap<&'m SmolStr, (OpId, &'m Ident)> =
            declared.iter().map(|local| (&local.syntax.name.name, (local.op, &local.syntax.name))).collect();
        let mut realised: HashMap<OpId, &Ident> = HashMap::new();
        for clause in self.clauses() {
            let ClauseKind::Operations(list) = clause else { continue };
            for syntax in list {
                let Some((op, specification)) = specified.get(&syntax.name.name) else {
                    declared.push(self.declare_operation(syntax, OpAccess::Own));
                    continue;
                };
                match realised.insert(*op, &syntax.name) {
                    Some(first) => self.report_second_operation(&syntax.name, first.span),
                    None => declared.extend(self.realise_operation(*op, specification, syntax)),
                }
            }
        }
        declared
    }

    /// An operation among OPERATIONS that LOCAL_OPERATIONS specify is that operation: it has the same parameters and
    /// outputs, and is as local.
    fn realise_operation(
        &mut self,
        op: OpId,
        specification: &Ident,
        syntax: &'m ast::Operation,
    ) -> Option<DeclaredOperation<'m>> {
        let ctx = self.ctx();
        let lower = &mut self.composer.lower;
        let operation = &lower.model.operations[op];
        let (params, outputs) = (operation.params.clone(), operation.outputs.clone());
        if params.len() != syntax.params.len() || outputs.len() != syntax.outputs.len() {
            let message = format!("operation `{}` has another heading in LOCAL_OPERATIONS", syntax.name.name);
            lower.report(
                Diagnostic::error("wrong-arity", message)
                    .at(syntax.name.span)
                    .also(specification.span, "specified here")
                    .help("repeat the parameters and outputs of the specification"),
            );
            return None;
        }
        let named = |ids: &[Ident], locals: &[LocalId], kind: LocalKind| -> Vec<_> {
            ids.iter().zip(locals).map(|(id, local)| (id.name.clone(), *local, kind)).collect()
        };
        let mut locals = named(&syntax.params, &params, LocalKind::Parameter);
        locals.extend(named(&syntax.outputs, &outputs, LocalKind::Output));
        let ctx = lower.push_frame(ctx, FrameKind::Locals(locals));
        Some(DeclaredOperation { op, ctx, syntax, role: Role::Realisation })
    }

    fn declare_operation(&mut self, syntax: &'m ast::Operation, access: OpAccess) -> DeclaredOperation<'m> {
        let ctx = self.ctx();
        let name = joined(&self.prefix(), &syntax.name.name);
        let origin = self.origin(syntax.name.span, syntax.desc.clone());
        let lower = &mut self.composer.lower;
        let mut first_of: HashMap<&SmolStr, &Ident> = HashMap::new();
        for id in syntax.params.iter().chain(&syntax.outputs) {
            let first = *first_of.entry(&id.name).or_insert(id);
            if first.span != id.span {
                let message =
                    format!("`{}` is declared twice in the heading of operation `{}`", id.name, syntax.name.name);
                lower.report(
                    Diagnostic::error("duplicate-identifier", message)
                        .at(id.span)
                        .also(first.span, "first declared here"),
                );
            }
        }
        let mut declare = |ids: &[Ident], kind: LocalKind| -> Vec<_> {
            ids.iter().map(|id| (id.name.clone(), lower.add_local(id.name.clone(), id.span), kind)).collect()
        };
        let params = declare(&syntax.params, LocalKind::Parameter);
        let outputs = declare(&syntax.outputs, LocalKind::Output);
        let ids = |list: &[(SmolStr, _, LocalKind)]| list.iter().map(|(_, local, _)| *local).collect();
        lower.unify_namesakes(&params, &outputs);
        let operation = Operation {
            name,
            params: ids(&params),
            outputs: ids(&outputs),
            body: SubstId(0),
            is_top_level: false,
            refines: None,
            effects: Effects::default(),
            origin,
        };
        let op = lower.model.operations.push(operation);
        let ctx = lower.push_frame(ctx, FrameKind::Locals(params.into_iter().chain(outputs).collect()));
        self.add_operation_name(&syntax.name, op, access);
        self.link_abstract_operation(syntax, op);
        if access == OpAccess::Own {
            self.composer.instances[self.idx].exported.push((syntax.name.name.clone(), op));
        }
        DeclaredOperation { op, ctx, syntax, role: Role::Whole }
    }

    fn add_operation_name(&mut self, name: &Ident, op: OpId, access: OpAccess) {
        let lower = &mut self.composer.lower;
        let known = lower.names.operations.insert(name.name.clone(), OpEntry { op, access });
        if let Some(known) = known.filter(|known| matches!(known.access, OpAccess::Own | OpAccess::Local)) {
            let first = lower.model.operations[known.op].origin.span;
            self.report_second_operation(name, first);
        }
    }

    fn report_second_operation(&mut self, name: &Ident, first: Span) {
        let message = format!("operation `{}` is declared twice", name.name);
        self.composer.lower.report(
            Diagnostic::error("duplicate-name", message)
                .at_saying(name.span, "declared again")
                .also(first, "first declared here"),
        );
    }

    /// A refined operation has the parameter and output types of the abstract one.
    fn link_abstract_operation(&mut self, syntax: &ast::Operation, op: OpId) {
        let deps = &self.composer.instances[self.idx].deps;
        let Some(dep) = deps.iter().find(|dep| dep.kind == DependencyKind::Refines) else { return };
        let wanted = syntax.refines.as_ref().unwrap_or(&syntax.name);
        let exported = &self.composer.instances[dep.to].exported;
        let Some((_, abstract_op)) = exported.iter().find(|(name, _)| *name == wanted.name).cloned() else {
            if let Some(refined) = &syntax.refines {
                let message = format!("the abstraction has no operation `{}`", refined.name);
                self.composer.lower.report(Diagnostic::error("unknown-operation", message).at(refined.span));
            }
            return;
        };
        let lower = &mut self.composer.lower;
        lower.model.operations[op].refines = Some(abstract_op);
        // The place is the abstract operation's, for that is where the type comes from.
        let pairs = |model: &abridge_model::Model| -> Vec<(TypeId, TypeId, Span)> {
            let (own, other) = (&model.operations[op], &model.operations[abstract_op]);
            if own.params.len() != other.params.len() || own.outputs.len() != other.outputs.len() {
                return Vec::new();
            }
            let own = own.params.iter().chain(&own.outputs).map(|local| &model.locals[*local]);
            let other = other.params.iter().chain(&other.outputs).map(|local| &model.locals[*local]);
            own.zip(other).map(|(own, other)| (own.ty, other.ty, other.span)).collect()
        };
        for (own, other, span) in pairs(&lower.model) {
            lower.agree(own, other, |own, other| format!("this is {own} here, but {other} in the abstraction"), span);
        }
    }

    fn operation_bodies(&mut self, declared: &[DeclaredOperation<'m>]) {
        for operation in declared {
            let lower = &mut self.composer.lower;
            lower.place = Place::Operation;
            let body = lower.subst(operation.ctx, operation.syntax.body);
            let operation_body = match operation.role {
                Role::Whole => body,
                Role::Realisation => lower.under_precondition(operation.op, body),
            };
            lower.model.operations[operation.op].body = operation_body;
            lower.resolve_overloads();
        }
    }

    /// Operations of included machines that this machine offers as its own.
    fn promotions(&mut self) {
        let mut promoted: Vec<(SmolStr, OpId)> = Vec::new();
        for dep in self.composer.instances[self.idx].deps.iter().filter(|dep| dep.kind == DependencyKind::Extends) {
            let exported = &self.composer.instances[dep.to].exported;
            promoted.extend(exported.iter().map(|(name, op)| (joined(&dep.prefix, name), *op)));
        }
        for clause in self.clauses() {
            let ClauseKind::Promotes(names) = clause else { continue };
            for name in names {
                match self.composer.lower.names.operations.get(&name.name) {
                    Some(OpEntry { op, access: OpAccess::Included }) => promoted.push((name.name.clone(), *op)),
                    _ => self.report_unknown_promotion(name),
                }
            }
        }
        let exported = &mut self.composer.instances[self.idx].exported;
        for (name, op) in promoted {
            if !exported.iter().any(|(_, known)| *known == op) {
                exported.push((name, op));
            }
        }
    }

    fn report_unknown_promotion(&mut self, name: &Ident) {
        let lower = &mut self.composer.lower;
        let included = lower.names.operations.iter().filter(|(_, entry)| entry.access == OpAccess::Included);
        let near = crate::suggest::nearest(&name.name, included.map(|(name, _)| name.as_str())).map(str::to_owned);
        let mut diagnostic = Diagnostic::error(
            "unknown-operation",
            format!("no included machine has an operation `{}` to promote", name.name),
        )
        .at(name.span);
        diagnostic = match (lower.names.operations.get(&name.name).map(|entry| entry.access), near) {
            (Some(OpAccess::Seen | OpAccess::Used), _) => {
                diagnostic.help("its machine is only seen or used; operations are promoted from machines in INCLUDES")
            }
            (Some(OpAccess::Own | OpAccess::Local), _) => {
                diagnostic.help("operations of the machine itself need no PROMOTES")
            }
            (_, Some(near)) => diagnostic.help(format!("a similar name exists: `{near}`")),
            _ => diagnostic,
        };
        lower.report(diagnostic);
    }
}

/// A name that is declared twice, or that another machine already has.
fn clash(ident: &Ident, known: &NameEntry) -> Diagnostic {
    let name = &ident.name;
    if known.is_own && known.span.file == ident.span.file {
        let diagnostic = Diagnostic::error("duplicate-name", format!("`{name}` is declared twice"));
        return diagnostic.at_saying(ident.span, "declared again").also(known.span, "first declared here");
    }
    let (what, help) = match known.symbol {
        Symbol::Variable(..) => {
            ("a variable", "choose another name, or include the other machine with a prefix: `a.M`")
        }
        Symbol::Constant(_) => ("a constant", "choose another name"),
        Symbol::Set(_) | Symbol::FreeType(_) => ("a set", "choose another name"),
        Symbol::Element(..) | Symbol::Constructor(..) => ("an element of a set", "choose another name"),
    };
    let message = format!("`{name}` is already the name of {what} of another machine");
    let diagnostic = Diagnostic::error("name-clash", message).at_saying(ident.span, "declared again");
    diagnostic.also(known.span, "first declared here").help(help)
}

/// The labels around a predicate.
fn labels_of(tree: &ast::Ast, mut id: ast::ExprId) -> Vec<SmolStr> {
    let mut labels = Vec::new();
    loop {
        match &tree.expr(id).expr {
            ast::Expr::Labelled { labels: more, pred } => {
                labels.extend(more.iter().cloned());
                id = *pred;
            }
            ast::Expr::Described { expr, .. } => id = *expr,
            _ => return labels,
        }
    }
}

impl Lower<'_> {
    /// Parameters of one name were reported; that one of them has no type is not worth a message.
    fn unify_namesakes(&mut self, params: &[(SmolStr, LocalId, LocalKind)], outputs: &[(SmolStr, LocalId, LocalKind)]) {
        let mut first_of = std::collections::HashMap::new();
        for (name, local, _) in params.iter().chain(outputs) {
            let ty = self.model.locals[*local].ty;
            let first = *first_of.entry(name).or_insert(ty);
            let _ = self.types.unify(first, ty, self.model.locals[*local].span);
        }
    }

    /// What an operation does that LOCAL_OPERATIONS specify: callers answer for the precondition of the specification, and
    /// the rest of it is replaced.
    fn under_precondition(&mut self, op: OpId, realisation: SubstId) -> SubstId {
        let specification = self.model.operations[op].body;
        match &mut self.model.substs[specification].subst {
            Subst::Pre { body, .. } => {
                *body = realisation;
                specification
            }
            _ => realisation,
        }
    }

    /// The number of elements of an interval with known bounds.
    fn interval_size(&self, id: ExprId) -> Option<u32> {
        let Expr::Binary(abridge_model::BinaryOp::Interval, low, high) = self.model.expr(id) else { return None };
        let values = carriers::constant_values(&self.model);
        let integer = |id: &ExprId| carriers::integer(&self.model, &values, *id);
        u32::try_from(integer(high)? - integer(low)? + 1).ok()
    }
}
