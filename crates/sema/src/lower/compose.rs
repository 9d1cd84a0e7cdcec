//! Composition of the project: machine instances, their order, and the names that each sees of the others.
//!
//! An *instance* is a machine under a prefix: `INCLUDES a.M, b.M` makes two instances of M with variables and operations of their own
//! and shared sets and constants. SEES and USES refer to the one instance that some machine includes or, if none does, create an instance whose
//! operations are transitions of their own. The abstraction of a refinement is an instance too.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use abridge_diag::{Diagnostic, SourceMap, Span, with_stack};
use abridge_model::{Abstraction, IdSet, Level, Model, ModelKind, OpId, SmolStr, Subst, SubstId, VarId};
use abridge_syntax::ast::{self, ExprId, MachineKind};

use crate::Options;
use crate::definitions::DefTable;
use crate::formula::{Formula, FormulaRole};
use crate::lower::{ClausePlace, Lower};
use crate::project::{RefKind, SourceProject, UnitId};
use crate::scope::{Access, Frames, InstanceNames, NameEntry, OpAccess, OpEntry, Symbol};
use crate::types::Unifier;
use crate::types::overload::Overloads;

/// Machine under a prefix.
pub(crate) struct MachineInstance {
    pub(crate) unit: UnitId,
    pub(crate) prefix: SmolStr,
    pub(crate) deps: Vec<Dependency>,
    /// The instance is part of the running system, not only of an abstraction.
    pub(crate) is_concrete: bool,
    /// No machine includes the instance, so that its operations are transitions.
    pub(crate) is_root: bool,
    pub(crate) names: InstanceNames,
    /// Operations that other machines may call or promote, by local name.
    pub(crate) exported: Vec<(SmolStr, OpId)>,
    pub(crate) initialisation: Option<SubstId>,
}

/// Use of an instance by another.
pub(crate) struct Dependency {
    pub(crate) kind: DependencyKind,
    pub(crate) to: usize,
    /// Prefix of the variables and operations of the other instance in the text.
    pub(crate) prefix: SmolStr,
    pub(crate) span: Span,
    pub(crate) args: Vec<ExprId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    Includes,
    Extends,
    Sees,
    Uses,
    Refines,
}

/// Result of composition.
#[derive(Default)]
pub(crate) struct Composed {
    pub(crate) model: Option<Model>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) formulas: Vec<Formula>,
}

/// Builds the model of a project whose files were parsed without errors in their structure.
pub(crate) fn compose(
    project: &SourceProject,
    options: &Options,
    sources: &SourceMap,
) -> (Option<Model>, Vec<Diagnostic>) {
    let Composed { model, diagnostics, .. } = compose_with(project, options, sources, &[]);
    (model, diagnostics)
}

/// [`compose`] with formulas beside the machine.
pub(crate) fn compose_with(
    project: &SourceProject,
    options: &Options,
    sources: &SourceMap,
    formulas: &[(UnitId, FormulaRole)],
) -> Composed {
    let Some(machine) = project.machine(project.main) else { return Composed::default() };
    let kind = match machine.kind {
        MachineKind::Refinement => ModelKind::Refinement,
        MachineKind::Implementation => ModelKind::Implementation,
        _ => ModelKind::Machine,
    };
    let mut model = Model::empty(machine.name.name.clone(), kind);
    let mut diagnostics = Vec::new();
    let defs = Rc::new(DefTable::of_machine(project, project.main, &mut diagnostics));
    model.steering.preferences = crate::preferences::collect(project, &defs, options, &mut diagnostics);
    let mut instances = Instances { project, list: Vec::new(), diagnostics };
    instances.build();
    let Instances { list, diagnostics, .. } = instances;
    let lower = Lower {
        project,
        options,
        sources,
        model,
        types: Unifier::new(),
        pending: Overloads::default(),
        diagnostics,
        frames: Frames::default(),
        names: InstanceNames::default(),
        defs: defs.clone(),
        place: ClausePlace::Properties,
        expansions: Vec::new(),
        unknown_names: HashSet::new(),
        depth: 0,
        n_expanded: 0,
        is_exhausted: false,
        beside: Default::default(),
        seen_calls: Vec::new(),
        warned_seen: HashSet::new(),
    };
    let composer = Composer {
        lower,
        instances: list,
        statics: HashMap::new(),
        defs: HashMap::from([(project.main, defs)]),
        concrete_variables: HashSet::new(),
        operation_sources: HashMap::new(),
    };
    with_stack(|| composer.run(formulas))
}

/// Largest number of instances. A chain of machines that each include two copies of the next would otherwise grow exponentially.
const MAX_INSTANCES: usize = 1_000;

struct Instances<'a> {
    project: &'a SourceProject,
    list: Vec<MachineInstance>,
    diagnostics: Vec<Diagnostic>,
}

impl Instances<'_> {
    /// Finds all instances: first the included ones, then the seen ones that no machine includes.
    fn build(&mut self) {
        let main = self.add(self.project.main, SmolStr::default(), true);
        self.list[main].is_root = true;
        let mut next = 0;
        let mut seen_done = 0;
        loop {
            while next < self.list.len() && self.list.len() <= MAX_INSTANCES {
                self.resolve_inclusions(next);
                next += 1;
            }
            if self.list.len() > MAX_INSTANCES {
                self.report_too_many();
                break;
            }
            if seen_done == self.list.len() {
                break;
            }
            self.resolve_sees(seen_done);
            seen_done += 1;
        }
        self.mark_concrete(main);
    }

    fn report_too_many(&mut self) {
        let message = format!("the project has more than {MAX_INSTANCES} copies of machines");
        let first = self.list[0].deps.first().map(|dep| dep.span);
        let diagnostic = Diagnostic::error("too-many-machines", message);
        let diagnostic = first.into_iter().fold(diagnostic, Diagnostic::at);
        self.diagnostics.push(
            diagnostic.note("each prefix under which a machine is included makes a copy of all that it includes"),
        );
    }

    fn add(&mut self, unit: UnitId, prefix: SmolStr, is_root: bool) -> usize {
        self.list.push(MachineInstance {
            unit,
            prefix,
            deps: Vec::new(),
            is_concrete: false,
            is_root,
            names: InstanceNames::default(),
            exported: Vec::new(),
            initialisation: None,
        });
        self.list.len() - 1
    }

    fn find(&self, unit: UnitId, prefix: &str) -> Option<usize> {
        self.list.iter().position(|instance| instance.unit == unit && instance.prefix == prefix)
    }

    fn resolve_inclusions(&mut self, from: usize) {
        let project = self.project;
        let (unit, prefix) = (self.list[from].unit, self.list[from].prefix.clone());
        if let Some(refined) = project.unit(unit).refines {
            let to = self.find(refined, &prefix).unwrap_or_else(|| self.add(refined, prefix.clone(), false));
            let span = project
                .machine(unit)
                .map(|machine| machine.refines.as_ref().unwrap_or(&machine.name))
                .map(|ident| ident.span);
            if let Some(span) = span {
                self.list[from].deps.push(Dependency {
                    kind: DependencyKind::Refines,
                    to,
                    prefix: SmolStr::default(),
                    span,
                    args: Vec::new(),
                });
            }
        }
        for reference in &project.unit(unit).refs {
            let kind = match reference.kind {
                RefKind::Includes | RefKind::Imports => DependencyKind::Includes,
                RefKind::Extends => DependencyKind::Extends,
                RefKind::Sees | RefKind::Uses => continue,
            };
            let local = reference.syntax.prefix.clone().unwrap_or_default();
            let full = joined(&prefix, &local);
            let to = match self.find(reference.unit, &full) {
                Some(to) => {
                    self.check_included_once(from, to, reference.syntax.span);
                    to
                }
                None => self.add(reference.unit, full, false),
            };
            let (span, args) = (reference.syntax.span, reference.syntax.args.clone());
            self.list[from].deps.push(Dependency { kind, to, prefix: local, span, args });
        }
    }

    /// Reports an instance that is included twice, other than by a refinement and its abstraction.
    fn check_included_once(&mut self, from: usize, to: usize, span: Span) {
        let earlier =
            self.list.iter().enumerate().flat_map(|(idx, instance)| instance.deps.iter().map(move |dep| (idx, dep)));
        let earlier = earlier
            .filter(|(_, dep)| dep.to == to && matches!(dep.kind, DependencyKind::Includes | DependencyKind::Extends));
        let clash = earlier
            .filter(|(idx, _)| *idx == from || !self.linked_by_refinement(*idx, from))
            .map(|(_, dep)| dep.span)
            .next();
        if let Some(first) = clash {
            let name =
                self.project.machine(self.list[to].unit).map(|machine| machine.name.name.clone()).unwrap_or_default();
            let diagnostic =
                Diagnostic::error("included-twice", format!("machine `{name}` is included twice under the same name"));
            self.diagnostics.push(
                diagnostic
                    .at(span)
                    .also(first, "first included here")
                    .help(format!("give the copies different prefixes: `a.{name}, b.{name}`")),
            );
        }
    }

    fn linked_by_refinement(&self, left: usize, right: usize) -> bool {
        let level = |idx: usize| -> HashSet<UnitId> {
            let mut units = HashSet::new();
            let mut unit = Some(self.list[idx].unit);
            while let Some(id) = unit.filter(|id| units.insert(*id)) {
                unit = self.project.unit(id).refines;
            }
            units
        };
        left != right && (level(left).contains(&self.list[right].unit) || level(right).contains(&self.list[left].unit))
    }

    fn resolve_sees(&mut self, from: usize) {
        let project = self.project;
        let unit = self.list[from].unit;
        for reference in &project.unit(unit).refs {
            let kind = match reference.kind {
                RefKind::Sees => DependencyKind::Sees,
                RefKind::Uses => DependencyKind::Uses,
                _ => continue,
            };
            let local = reference.syntax.prefix.clone().unwrap_or_default();
            let span = reference.syntax.span;
            let candidates: Vec<usize> = (0..self.list.len())
                .filter(|idx| self.list[*idx].unit == reference.unit && ends_with(&self.list[*idx].prefix, &local))
                .collect();
            let exact = candidates.iter().copied().find(|idx| self.list[*idx].prefix == local);
            let to = match (candidates.as_slice(), exact) {
                ([only], _) => *only,
                (_, Some(exact)) => exact,
                ([], _) => self.add(reference.unit, SmolStr::default(), true),
                ([first, ..], _) => {
                    self.report_ambiguous(&reference.syntax.name.name, &candidates, span);
                    *first
                }
            };
            if to == from {
                continue;
            }
            self.list[from].deps.push(Dependency { kind, to, prefix: local, span, args: Vec::new() });
        }
    }

    fn report_ambiguous(&mut self, name: &str, candidates: &[usize], span: Span) {
        let prefixes: Vec<String> =
            candidates.iter().map(|idx| format!("`{}.{name}`", self.list[*idx].prefix)).collect();
        let message = format!("machine `{name}` is seen, but it is included more than once: {}", prefixes.join(", "));
        self.diagnostics.push(
            Diagnostic::error("ambiguous-seen", message)
                .at(span)
                .help("name the copy that is meant, or include the machine only once"),
        );
    }

    fn mark_concrete(&mut self, main: usize) {
        let mut open = vec![main];
        while let Some(idx) = open.pop() {
            if std::mem::replace(&mut self.list[idx].is_concrete, true) {
                continue;
            }
            let deps = self.list[idx].deps.iter().filter(|dep| dep.kind != DependencyKind::Refines);
            open.extend(deps.map(|dep| dep.to));
        }
    }
}

/// True if a prefix is `local` or ends with `.local`.
fn ends_with(prefix: &str, local: &str) -> bool {
    local.is_empty() || prefix == local || prefix.strip_suffix(local).is_some_and(|rest| rest.ends_with('.'))
}

/// `a.b` from `a` and `b`, either of which may be empty.
pub(crate) fn joined(prefix: &str, name: &str) -> SmolStr {
    match (prefix, name) {
        ("", name) => SmolStr::from(name),
        (prefix, "") => SmolStr::from(prefix),
        (prefix, name) => SmolStr::from(format!("{prefix}.{name}")),
    }
}

/// Lowering of all instances, one after the other.
pub(crate) struct Composer<'a> {
    pub(crate) lower: Lower<'a>,
    pub(crate) instances: Vec<MachineInstance>,
    /// Sets, constants and freetypes of lowered machines, which all instances of a machine share.
    pub(crate) statics: HashMap<UnitId, Vec<(SmolStr, NameEntry)>>,
    pub(crate) defs: HashMap<UnitId, Rc<DefTable>>,
    /// Variables that refinements keep without declaring them.
    pub(crate) concrete_variables: HashSet<VarId>,
    /// Sources of operations, for those that refine them.
    pub(crate) operation_sources: HashMap<OpId, OperationSource>,
}

/// Source of an operation.
#[derive(Clone)]
pub(crate) struct OperationSource {
    pub(crate) instance: usize,
    pub(crate) params: Vec<SmolStr>,
    pub(crate) outputs: Vec<SmolStr>,
    pub(crate) body: ast::SubstId,
}

impl Composer<'_> {
    fn run(mut self, formulas: &[(UnitId, FormulaRole)]) -> Composed {
        let order = self.order();
        for idx in &order {
            self.instance(*idx);
        }
        let main = 0;
        self.lower.names = self.instances[main].names.clone();
        self.lower.defs = self.definitions(self.instances[main].unit);
        self.top_level(&order);
        self.initialisations(&order);
        let unit = self.instances[main].unit;
        self.lower.steering(unit);
        let formulas = self.lower.formulas(formulas);
        let (model, diagnostics) = self.lower.finish();
        Composed { model, diagnostics, formulas }
    }

    /// Instances in topological order: each after those that it depends on.
    fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut done = vec![false; self.instances.len()];
        for idx in 0..self.instances.len() {
            self.visit(idx, &mut done, &mut order);
        }
        order
    }

    fn visit(&self, idx: usize, done: &mut [bool], order: &mut Vec<usize>) {
        if std::mem::replace(&mut done[idx], true) {
            return;
        }
        for dep in &self.instances[idx].deps {
            with_stack(|| self.visit(dep.to, done, order));
        }
        order.push(idx);
    }

    pub(crate) fn definitions(&mut self, unit: UnitId) -> Rc<DefTable> {
        let lower = &mut self.lower;
        let table = self.defs.entry(unit);
        table.or_insert_with(|| Rc::new(DefTable::of_machine(lower.project, unit, &mut lower.diagnostics))).clone()
    }

    /// Names that an instance sees of others, before its own declarations.
    pub(crate) fn inherited(&mut self, idx: usize) -> InstanceNames {
        let mut names = InstanceNames::default();
        let mut clashes = Vec::new();
        for dep in &self.instances[idx].deps {
            let other = &self.instances[dep.to];
            for (name, entry) in &other.names.symbols {
                if let Some((name, entry)) = passed_on(name, entry, dep) {
                    let keep = names.symbols.get(&name).is_some_and(|known| known.is_own || !entry.is_own);
                    let clash = names
                        .symbols
                        .get(&name)
                        .filter(|known| known.symbol != entry.symbol && known.is_own && entry.is_own);
                    if let Some(known) = clash {
                        clashes.push((name.clone(), *known, entry, dep.span));
                    }
                    if !keep {
                        names.symbols.insert(name, entry);
                    }
                }
            }
            if dep.kind == DependencyKind::Refines {
                continue;
            }
            let access = match dep.kind {
                DependencyKind::Sees => OpAccess::Seen,
                DependencyKind::Uses => OpAccess::Used,
                _ => OpAccess::Included,
            };
            for (name, op) in &other.exported {
                names.operations.insert(joined(&dep.prefix, name), OpEntry { op: *op, access });
            }
        }
        // A hash map has no order, so diagnostics are sorted.
        clashes.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        let machine = machine_name(self.lower.project, self.instances[idx].unit);
        let reports =
            clashes.into_iter().map(|(name, known, entry, span)| clash_of(&machine, &name, &known, &entry, span));
        self.lower.diagnostics.extend(reports);
        names
    }

    /// Marks the operations that are transitions: those of the main machine and of machines that are seen and not included.
    fn top_level(&mut self, order: &[usize]) {
        let roots = order.iter().filter(|idx| self.instances[**idx].is_root && self.instances[**idx].is_concrete);
        let ops: Vec<OpId> = roots.flat_map(|idx| self.instances[*idx].exported.iter().map(|(_, op)| *op)).collect();
        for op in ops {
            self.lower.model.operations[op].is_top_level = true;
        }
    }

    fn initialisations(&mut self, order: &[usize]) {
        let of = |concrete: bool| -> Vec<SubstId> {
            let instances =
                order.iter().map(|idx| &self.instances[*idx]).filter(|instance| instance.is_concrete == concrete);
            instances.filter_map(|instance| instance.initialisation).collect()
        };
        let (concrete, abstracted) = (of(true), of(false));
        let lower = &mut self.lower;
        let file = lower.tree(lower.project.main).file;
        let fallback =
            lower.project.machine(lower.project.main).map_or(Span::new(file, 0, 0), |machine| machine.name.span);
        lower.model.initialisation = lower.in_sequence(concrete, fallback);
        if let Some(refined) = lower.project.unit(lower.project.main).refines {
            let initialisation = lower.in_sequence(abstracted, fallback);
            let name = machine_name(lower.project, refined);
            lower.model.abstraction = Some(Abstraction { name, initialisation });
            self.levels(order, fallback);
        }
    }

    /// Refinement levels: the main machine and its abstractions, or the abstraction that the user named, each with its instances.
    fn levels(&mut self, order: &[usize], fallback: Span) {
        let project = self.lower.project;
        let mut next = Some(0);
        for distance in 0.. {
            let Some(idx) = next else { break };
            if distance == 0 || project.against.is_none_or(|unit| unit == self.instances[idx].unit) {
                let level = self.level(idx, distance, order, fallback);
                self.lower.model.levels.push(level);
            }
            let refined = self.instances[idx].deps.iter().find(|dep| dep.kind == DependencyKind::Refines);
            next = refined.map(|dep| dep.to);
        }
    }

    fn level(&mut self, top: usize, distance: usize, order: &[usize], fallback: Span) -> Level {
        let mut is_inside = vec![false; self.instances.len()];
        let mut open = vec![top];
        while let Some(idx) = open.pop() {
            if !std::mem::replace(&mut is_inside[idx], true) {
                let deps = self.instances[idx].deps.iter().filter(|dep| dep.kind != DependencyKind::Refines);
                open.extend(deps.map(|dep| dep.to));
            }
        }
        let inside: Vec<usize> = order.iter().copied().filter(|idx| is_inside[*idx]).collect();
        let instances = || inside.iter().map(|idx| &self.instances[*idx]);
        let mut variables = IdSet::new();
        for instance in instances() {
            for entry in instance.names.symbols.values() {
                if let Symbol::Variable(id, Access::Own) = entry.symbol {
                    variables.insert(id);
                }
            }
        }
        let offering = inside.iter().filter(|idx| **idx == top || self.instances[**idx].is_root);
        let operations = offering.clone().flat_map(|idx| self.instances[*idx].exported.iter().cloned()).collect();
        let only_seen = offering.filter(|idx| **idx != top);
        let seen = only_seen.flat_map(|idx| self.instances[*idx].exported.iter().map(|(_, op)| *op)).collect();
        let machines = instances().map(|instance| machine_name(self.lower.project, instance.unit)).collect();
        let parts = instances().filter_map(|instance| instance.initialisation).collect();
        let name = machine_name(self.lower.project, self.instances[top].unit);
        let initialisation = self.lower.in_sequence(parts, fallback);
        Level { name, distance, machines, variables, operations, seen, initialisation }
    }
}

impl Lower<'_> {
    fn in_sequence(&mut self, parts: Vec<SubstId>, fallback: Span) -> SubstId {
        match parts.as_slice() {
            [] => self.add_subst(Subst::Skip, fallback),
            [only] => *only,
            [.., last] => {
                let span = self.model.substs[*last].span;
                self.add_subst(Subst::Sequence(parts), span)
            }
        }
    }
}

pub(crate) fn machine_name(project: &SourceProject, unit: UnitId) -> SmolStr {
    project.machine(unit).map(|machine| machine.name.name.clone()).unwrap_or_default()
}

/// Error about a name declared by two machines that a machine refers to.
fn clash_of(machine: &str, name: &str, known: &NameEntry, entry: &NameEntry, span: Span) -> Diagnostic {
    let message = format!("`{name}` is declared by two machines that `{machine}` refers to");
    let diagnostic = Diagnostic::error("name-clash", message).at(span);
    let diagnostic = diagnostic.also(known.span, "declared here").also(entry.span, "and declared here");
    diagnostic.help(match entry.symbol {
        Symbol::Variable(..) => "include one of them with a prefix: `a.M`",
        _ => "rename one of them; prefixes do not change the names of sets and constants",
    })
}

/// Name of another instance as a dependent instance sees it, if it does.
fn passed_on(name: &SmolStr, entry: &NameEntry, dep: &Dependency) -> Option<(SmolStr, NameEntry)> {
    if dep.kind == DependencyKind::Refines {
        let symbol = match entry.symbol {
            // This includes variables of a machine that the abstraction sees; a refinement that sees that machine too regains access.
            Symbol::Variable(id, _) => Symbol::Variable(id, Access::Abstract),
            symbol => symbol,
        };
        return Some((name.clone(), NameEntry { symbol, is_own: false, ..*entry }));
    }
    match entry.symbol {
        Symbol::Variable(id, Access::Own | Access::Included) => {
            let access = match dep.kind {
                DependencyKind::Sees => Access::Seen,
                DependencyKind::Uses => Access::Used,
                _ => Access::Included,
            };
            Some((joined(&dep.prefix, name), NameEntry { symbol: Symbol::Variable(id, access), ..*entry }))
        }
        Symbol::Variable(..) => None,
        // A used machine shares its parameters too; own parameters of the same name take precedence.
        _ if entry.is_param && dep.kind == DependencyKind::Uses => {
            Some((name.clone(), NameEntry { is_own: false, ..*entry }))
        }
        _ if entry.is_param => None,
        _ => Some((name.clone(), *entry)),
    }
}
