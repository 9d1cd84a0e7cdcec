//! Lowering of the clauses of one machine instance.

use abridge_diag::{Diagnostic, Span};
use abridge_model::carriers;
use abridge_model::{
    CarrierKind, CarrierSet, Comparison, Conjunct, Constant, Constructor, DeclOrigin, Expr, ExprId, FreeType, IdSet,
    Pred, PredId, SetId, SmolStr, Variable,
};
use abridge_syntax::ast::{self, ClauseKind, DeclaredIdent, DefinitionBody, Ident, Machine, SetDeclKind};

use crate::lower::compose::{Composer, DependencyKind, joined};
use crate::lower::definitions::{given, plural, with_params};
use crate::lower::{ClausePlace, Lower};
use crate::project::UnitId;
use crate::scope::{Access, Ctx, NameEntry, Symbol};
use crate::types::Unifier;

/// List that a conjunct belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    Properties,
    Invariant,
    Assertions,
}

impl Composer<'_> {
    /// Lowers one instance, after those that it depends on.
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

pub(super) struct InstanceBody<'c, 'a, 'm> {
    pub(super) composer: &'c mut Composer<'a>,
    pub(super) idx: usize,
    unit: UnitId,
    machine: &'m Machine,
}

impl<'m> InstanceBody<'_, '_, 'm> {
    pub(super) fn clauses(&self) -> impl Iterator<Item = &'m ClauseKind> + use<'m> {
        self.machine.clauses.iter().map(|clause| &clause.kind)
    }

    pub(super) fn origin(&self, span: Span, desc: Option<SmolStr>) -> DeclOrigin {
        DeclOrigin { machine: self.machine.name.name.clone(), span, desc }
    }

    pub(super) fn prefix(&self) -> SmolStr {
        self.composer.instances[self.idx].prefix.clone()
    }

    fn is_refinement(&self) -> bool {
        self.composer.instances[self.idx].deps.iter().any(|dep| dep.kind == DependencyKind::Refines)
    }

    pub(super) fn ctx(&mut self) -> Ctx {
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

    /// Adds a name of this machine; `false`, after a report, if it clashes.
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
                // Follow-up errors about the name are not reported.
                lower.unknown_names.insert(ident.name.clone());
                return false;
            }
        }
        lower.names.symbols.insert(ident.name.clone(), entry);
        true
    }

    /// Name that the refinement keeps from its abstraction.
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
            // By convention of B, scalar parameters have a lower-case letter in their name.
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
                if let Some(set) = self.kept_set(ident, &kind) {
                    self.add_name(ident, Symbol::Set(set), false);
                    for (index, element) in elements.iter().enumerate() {
                        self.add_name(&element.ident, Symbol::Element(set, index as u32), false);
                    }
                    continue;
                }
                let origin = self.origin(ident.span, decl.name.desc.clone());
                let set = self.composer.lower.model.sets.push(CarrierSet { name: ident.name.clone(), kind, origin });
                self.add_name(ident, Symbol::Set(set), false);
                for (index, element) in elements.iter().enumerate() {
                    self.add_name(&element.ident, Symbol::Element(set, index as u32), false);
                }
            }
        }
    }

    /// Set of the abstraction that this machine declares again with the same elements. It is the same set; otherwise the two machines could not be
    /// compared.
    fn kept_set(&self, ident: &Ident, kind: &CarrierKind) -> Option<SetId> {
        let Some(Symbol::Set(set)) = self.kept(&ident.name) else { return None };
        let known = &self.composer.lower.model.sets[set].kind;
        let is_same = match (known, kind) {
            (CarrierKind::Deferred { .. }, CarrierKind::Deferred { .. }) => true,
            (known, kind) => known == kind,
        };
        is_same.then_some(set)
    }

    /// Elements of `S = D`, where the definition `D` is `{a, b}`.
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
            self.composer.lower.place = ClausePlace::Properties;
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

    /// Declared names, with identifier lists expanded.
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
            let is_concrete = matches!(clause, ClauseKind::ConcreteVariables(_));
            for decl in self.expanded(decls) {
                if let Some(Symbol::Variable(id, Access::Abstract)) = self.kept(&decl.ident.name) {
                    self.composer.concrete_variables.extend(is_concrete.then_some(id));
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
                self.composer.concrete_variables.extend(is_concrete.then_some(id));
                if !self.add_name(&decl.ident, Symbol::Variable(id, Access::Own), false) {
                    self.composer.lower.model.variables[id].ty = Unifier::ERROR;
                }
            }
        }
        self.keep_concrete_variables();
    }

    /// CONSTRAINTS, actual parameters, PROPERTIES and VALUES.
    fn static_clauses(&mut self) {
        let ctx = self.ctx();
        self.composer.lower.place = ClausePlace::Constraints;
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
        self.composer.lower.place = ClausePlace::Properties;
        for clause in self.clauses().filter(|_| is_first) {
            match clause {
                ClauseKind::Properties(pred) => self.conjoin(ctx, *pred, Clause::Properties),
                ClauseKind::Values(values) => values.iter().for_each(|value| self.valuation(ctx, value)),
                _ => {}
            }
        }
        self.composer.lower.resolve_overloads();
    }

    /// Equates the parameters of included machines with the actual arguments.
    fn actual_params(&mut self, ctx: Ctx) {
        self.composer.lower.place = ClausePlace::Arguments;
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

    /// Reports a wrong number of machine arguments, after which its parameters have no types.
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
        for (place, kind) in
            [(ClausePlace::Invariant, Clause::Invariant), (ClausePlace::Assertions, Clause::Assertions)]
        {
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

    /// Adds the conjuncts of the predicate of a clause, each on its own.
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

    /// Adds the operands of a conjunction that a definition expanded to.
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
        self.composer.lower.place = ClausePlace::Initialisation;
        for clause in self.clauses() {
            if let ClauseKind::Initialisation(body) = clause {
                let body = self.composer.lower.subst(ctx, *body);
                self.composer.instances[self.idx].initialisation = Some(body);
            }
        }
        self.composer.lower.resolve_overloads();
    }
}

/// Error about a name that is declared twice, or that another machine already has.
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

/// Labels around a predicate.
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
    /// Number of elements of an interval with known bounds.
    fn interval_size(&self, id: ExprId) -> Option<u32> {
        let Expr::Binary(abridge_model::BinaryOp::Interval, low, high) = self.model.expr(id) else { return None };
        let values = carriers::constant_values(&self.model);
        let integer = |id: &ExprId| carriers::integer(&self.model, &values, *id);
        u32::try_from(integer(high)? - integer(low)? + 1).ok()
    }
}
