//! Definitions visible in one machine: its own and those of the definition files that it imports.
//!
//! Definitions are expanded later, by `lower`, at each use. This module finds duplicates, cycles and the declarations of external definitions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use abridge_diag::{Diagnostic, Span, with_stack};
use abridge_model::{ExternalKind, Logic, SmolStr};
use abridge_syntax::AstNode;
use abridge_syntax::ast::{self, ClauseKind, Definition, DefinitionBody, Ident};

use crate::project::{SourceProject, UnitId};

/// Definition.
pub(crate) struct DefEntry {
    /// File whose tree holds the body.
    pub(crate) unit: UnitId,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Ident>,
    pub(crate) body: DefinitionBody,
    /// Declaration that makes it external.
    pub(crate) external: Option<(ExternalKind, Rc<DefEntry>)>,
    /// The definition is part of a reported cycle, so that a use is not reported again.
    pub(crate) is_cyclic: bool,
}

/// Definitions visible in a machine, by name.
#[derive(Default)]
pub(crate) struct DefTable {
    entries: HashMap<SmolStr, Rc<DefEntry>>,
    /// Names in the order of the text, imported ones at the place of the import.
    order: Vec<SmolStr>,
    /// Temporal properties with the same name as another definition; all of them are checked.
    namesakes: Vec<Rc<DefEntry>>,
}

/// Prefixes of definitions that are temporal formulas.
pub(crate) const TEMPORAL_PREFIXES: [(&str, Logic); 2] = [("ASSERT_LTL", Logic::Ltl), ("ASSERT_CTL", Logic::Ctl)];

const EXTERNAL_PREFIXES: [(&str, ExternalKind); 3] = [
    ("EXTERNAL_FUNCTION_", ExternalKind::Function),
    ("EXTERNAL_PREDICATE_", ExternalKind::Predicate),
    ("EXTERNAL_SUBSTITUTION_", ExternalKind::Substitution),
];

impl DefTable {
    pub(crate) fn get(&self, name: &str) -> Option<&Rc<DefEntry>> {
        self.entries.get(name)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rc<DefEntry>> {
        self.order.iter().filter_map(|name| self.entries.get(name))
    }

    /// Temporal properties with the same name as an entry of the table.
    pub(crate) fn namesakes(&self) -> &[Rc<DefEntry>] {
        &self.namesakes
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(SmolStr::as_str)
    }

    /// Collects the definitions of a machine.
    pub(crate) fn of_machine(project: &SourceProject, unit: UnitId, diagnostics: &mut Vec<Diagnostic>) -> DefTable {
        let mut table = DefTable::default();
        let mut done = Vec::new();
        table.add_unit(project, unit, &mut done, diagnostics);
        table.reject_cycles(project, diagnostics);
        table.attach_externals();
        table.reject_shadowing_params(diagnostics);
        table
    }

    fn add_unit(
        &mut self,
        project: &SourceProject,
        unit: UnitId,
        done: &mut Vec<UnitId>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if done.contains(&unit) {
            return;
        }
        done.push(unit);
        for (import, _) in &project.unit(unit).imports {
            with_stack(|| self.add_unit(project, *import, done, diagnostics));
        }
        for definition in definitions_of(project.ast(unit)) {
            if let Definition::Named { name, params, body, .. } = definition {
                let (name, params, body) = (name.clone(), params.clone(), *body);
                self.add(DefEntry { unit, name, params, body, external: None, is_cyclic: false }, diagnostics);
            }
        }
    }

    fn add(&mut self, entry: DefEntry, diagnostics: &mut Vec<Diagnostic>) {
        let name = entry.name.name.clone();
        if let Some(earlier) = self.entries.get(&name) {
            if TEMPORAL_PREFIXES.iter().any(|(prefix, _)| name.starts_with(prefix)) {
                self.namesakes.push(Rc::new(entry));
                return;
            }
            diagnostics.push(
                Diagnostic::error("duplicate-definition", format!("`{name}` is defined twice"))
                    .at_saying(entry.name.span, "defined again")
                    .also(earlier.name.span, "first defined here")
                    .help("remove one of them, or give it another name"),
            );
            return;
        }
        self.order.push(name.clone());
        self.entries.insert(name, Rc::new(entry));
    }

    /// Links `N` with `EXTERNAL_FUNCTION_N` and the like.
    fn attach_externals(&mut self) {
        for (prefix, kind) in EXTERNAL_PREFIXES {
            let declared: Vec<Rc<DefEntry>> =
                self.iter().filter(|entry| entry.name.name.starts_with(prefix)).cloned().collect();
            for declaration in declared {
                let name = &declaration.name.name[prefix.len()..];
                if let Some(entry) = self.entries.get_mut(name)
                    && let Some(entry) = Rc::get_mut(entry)
                {
                    entry.external = Some((kind, declaration));
                }
            }
        }
    }

    fn reject_cycles(&mut self, project: &SourceProject, diagnostics: &mut Vec<Diagnostic>) {
        let graph: HashMap<SmolStr, Vec<(SmolStr, Span)>> =
            self.iter().map(|entry| (entry.name.name.clone(), self.used_by(project, entry))).collect();
        let mut state: HashMap<&str, bool> = HashMap::new();
        let mut cyclic: HashSet<SmolStr> = HashSet::new();
        for root in &self.order {
            // Depth-first search with an explicit stack; `false` in `state` marks definitions on the path.
            let mut path: Vec<(&str, usize)> = vec![(root, 0)];
            if state.contains_key(root.as_str()) {
                continue;
            }
            state.insert(root, false);
            while let Some((name, next)) = path.last_mut() {
                let Some((used, span)) = graph.get(*name).and_then(|uses| uses.get(*next)) else {
                    state.insert(name, true);
                    path.pop();
                    continue;
                };
                *next += 1;
                match state.get(used.as_str()) {
                    Some(true) => {}
                    Some(false) => {
                        let start = path.iter().position(|(name, _)| name == used).unwrap_or(0);
                        let chain: Vec<&str> = path[start..].iter().map(|(name, _)| *name).collect();
                        // There may be as many cycles as paths; one for each name is enough.
                        if chain.iter().any(|name| !cyclic.contains(*name)) {
                            diagnostics.push(cycle(&chain, *span));
                            cyclic.extend(chain.iter().map(|name| SmolStr::from(*name)));
                        }
                    }
                    None => {
                        state.insert(used, false);
                        path.push((used, 0));
                    }
                }
            }
        }
        for name in cyclic {
            if let Some(entry) = self.entries.get_mut(&name).and_then(Rc::get_mut) {
                entry.is_cyclic = true;
            }
        }
    }

    /// True if another definition declares this one as external. Its body is then unused.
    fn is_external(&self, entry: &DefEntry) -> bool {
        EXTERNAL_PREFIXES.iter().any(|(prefix, _)| self.contains(&format!("{prefix}{}", entry.name.name)))
    }

    /// Definitions used in the body of a definition.
    fn used_by(&self, project: &SourceProject, entry: &DefEntry) -> Vec<(SmolStr, Span)> {
        if self.is_external(entry) {
            return Vec::new();
        }
        let tree = project.ast(entry.unit);
        let root = match entry.body {
            DefinitionBody::Formula(id) => AstNode::Expr(id),
            DefinitionBody::Substitution(id) => AstNode::Subst(id),
        };
        let mut hidden: HashSet<&SmolStr> = entry.params.iter().map(|param| &param.name).collect();
        let mut used: Vec<(SmolStr, Span)> = Vec::new();
        tree.for_each_node(root, &mut |node| match node {
            AstNode::Expr(id) => {
                let node = tree.expr(id);
                hidden.extend(node.expr.binder().iter().map(|ident| &ident.name));
                if let ast::Expr::Ident(name) | ast::Expr::Before(name) = &node.expr {
                    used.push((name.clone(), node.span));
                }
            }
            AstNode::Subst(id) => {
                if let ast::Subst::Call { name, .. } = &tree.subst(id).subst {
                    used.push((name.name.clone(), name.span));
                }
            }
        });
        used.retain(|(name, _)| self.entries.contains_key(name) && !hidden.contains(name));
        used
    }

    /// Rejects parameters with the name of a definition, which would be ambiguous in the body.
    fn reject_shadowing_params(&self, diagnostics: &mut Vec<Diagnostic>) {
        for entry in self.iter().filter(|entry| entry.external.is_none()) {
            for param in &entry.params {
                if let Some(other) = self.get(&param.name).filter(|other| other.external.is_none()) {
                    let message =
                        format!("parameter `{}` of `{}` is also the name of a definition", param.name, entry.name.name);
                    diagnostics.push(
                        Diagnostic::error("definition-parameter-clash", message)
                            .at(param.span)
                            .also(other.name.span, "the definition")
                            .help("rename the parameter"),
                    );
                }
            }
        }
    }
}

fn cycle(chain: &[&str], span: Span) -> Diagnostic {
    let message = match chain {
        [name] => format!("definition `{name}` uses itself"),
        chain => format!("definitions use each other in a cycle: {} -> {}", chain.join(" -> "), chain[0]),
    };
    Diagnostic::error("cyclic-definition", message)
        .at(span)
        .help("definitions are expanded where they are used; a recursive function is a constant with an equation in PROPERTIES")
}

/// Definitions in a file, including those in the clauses EXPRESSIONS and PREDICATES of ProB.
pub(crate) fn definitions_of(tree: &ast::Ast) -> Vec<&Definition> {
    match &tree.unit {
        ast::Unit::Definitions(list) => list.iter().collect(),
        ast::Unit::Machine(machine) => {
            let lists = machine.clauses.iter().filter_map(|clause| match &clause.kind {
                ClauseKind::Definitions(list) | ClauseKind::Expressions(list) | ClauseKind::Predicates(list) => {
                    Some(list)
                }
                _ => None,
            });
            lists.flatten().collect()
        }
        ast::Unit::Formula(_) | ast::Unit::Substitution(_) => Vec::new(),
    }
}
