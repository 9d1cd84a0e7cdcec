//! Display names of locals, free of capture.
//!
//! A local keeps its name unless the text would then have another meaning, since something else of the same name is used where the local is visible.
//! Such a local gets a number (`x_1`). One traversal finds these cases: it keeps a stack of binders per name, and renames every binder between a use
//! and the local that is used.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use abridge_diag::with_stack;

use super::words::ident;
use crate::ModelNode;
use crate::expr::{Binding, Expr};
use crate::ids::LocalId;
use crate::model::Model;
use crate::pred::Pred;
use crate::subst::{Subst, Target};

pub(super) struct DumpNames<'a> {
    model: &'a Model,
    /// New names; locals that keep their names are absent.
    shown: HashMap<LocalId, String>,
    /// LETs whose values use locals of the same LET, each given by its first local.
    chained: HashSet<LocalId>,
    taken: HashSet<Cow<'a, str>>,
}

impl<'a> DumpNames<'a> {
    /// Names for the text of a node in the scope of `params`.
    pub(super) fn of(model: &'a Model, root: ModelNode, params: &[LocalId]) -> Self {
        let mut renaming = Renaming::new(model);
        renaming.open(params);
        renaming.node(root);
        renaming.close(params);
        renaming.finish()
    }

    pub(super) fn local(&self, id: LocalId) -> Cow<'_, str> {
        match self.shown.get(&id) {
            Some(name) => Cow::Borrowed(name),
            None => ident(&self.model.locals[id].name),
        }
    }

    pub(super) fn target(&self, target: Target) -> Cow<'_, str> {
        match target {
            Target::Variable(id) => ident(&self.model.variables[id].name),
            Target::Local(id) => self.local(id),
        }
    }

    /// True if a value of a LET uses locals of the same LET.
    pub(super) fn is_chained(&self, bindings: &[Binding]) -> bool {
        bindings.first().is_some_and(|first| self.chained.contains(&first.local))
    }

    /// Name that does not occur in the text.
    pub(super) fn fresh(&mut self, base: &'static str) -> String {
        let name = fresh(&self.taken, base, &mut 0);
        self.taken.insert(Cow::Owned(name.clone()));
        name
    }
}

/// First of `base`, `base_1`, `base_2`, ... that is not taken, from `number` on.
fn fresh(taken: &HashSet<Cow<'_, str>>, base: &str, number: &mut u32) -> String {
    loop {
        let name = if *number == 0 { base.to_owned() } else { format!("{base}_{number}") };
        *number += 1;
        if !taken.contains(name.as_str()) {
            return name;
        }
    }
}

struct Renaming<'a> {
    model: &'a Model,
    /// Enclosing binders that keep their names so far, by name, outermost first.
    around: HashMap<&'a str, Vec<LocalId>>,
    bound: HashSet<LocalId>,
    /// Free locals of the text, the first one of each name. Further ones of that name are renamed.
    free: Vec<LocalId>,
    free_names: HashMap<&'a str, LocalId>,
    globals: HashSet<&'a str>,
    /// Locals to be renamed, in the order of discovery.
    renamed: Vec<LocalId>,
    is_renamed: HashSet<LocalId>,
    /// Locals that denote the value of a target after or before a substitution, with the suffix of the target's name.
    aliases: HashMap<LocalId, (Target, &'static str)>,
    /// Locals of the LETs whose values are being traversed, with the first local of their LET.
    in_values: HashMap<LocalId, LocalId>,
    chained: HashSet<LocalId>,
    taken: HashSet<Cow<'a, str>>,
}

impl<'a> Renaming<'a> {
    fn new(model: &'a Model) -> Self {
        Renaming {
            model,
            around: HashMap::new(),
            bound: HashSet::new(),
            free: Vec::new(),
            free_names: HashMap::new(),
            globals: HashSet::new(),
            renamed: Vec::new(),
            is_renamed: HashSet::new(),
            aliases: HashMap::new(),
            in_values: HashMap::new(),
            chained: HashSet::new(),
            taken: HashSet::new(),
        }
    }

    fn name(&self, local: LocalId) -> &'a str {
        &self.model.locals[local].name
    }

    fn open(&mut self, locals: &[LocalId]) {
        for (idx, local) in locals.iter().enumerate() {
            let name = self.name(*local);
            self.taken.insert(Cow::Borrowed(name));
            self.bound.insert(*local);
            let around = self.around.entry(name).or_default();
            // Two locals of one binder must differ in the text even if neither is used.
            let repeats = around.last().is_some_and(|last| locals[..idx].contains(last));
            if repeats {
                self.rename(*local);
            } else if !self.is_renamed.contains(local) {
                around.push(*local);
            }
        }
    }

    fn close(&mut self, locals: &[LocalId]) {
        for local in locals.iter().rev() {
            self.bound.remove(local);
            let name = self.name(*local);
            if let Some(around) = self.around.get_mut(name) {
                around.pop_if(|last| last == local);
            }
        }
    }

    fn rename(&mut self, local: LocalId) {
        if self.is_renamed.insert(local) {
            self.renamed.push(local);
        }
    }

    fn use_global(&mut self, name: &'a str) {
        self.taken.insert(Cow::Borrowed(name));
        self.globals.insert(name);
        self.rename_inside(name, None);
    }

    /// Renames the enclosing binders of a name that lie inside the binder of `meant`.
    fn rename_inside(&mut self, name: &str, meant: Option<LocalId>) {
        let Some(around) = self.around.get_mut(name) else { return };
        let first = around.iter().rposition(|local| Some(*local) == meant).map_or(0, |idx| idx + 1);
        let inside = around.split_off(first);
        inside.into_iter().for_each(|local| self.rename(local));
    }

    fn use_local(&mut self, local: LocalId) {
        if let Some(first) = self.in_values.get(&local) {
            self.chained.insert(*first);
        }
        if let Some((target, _)) = self.aliases.get(&local) {
            return self.use_target(*target);
        }
        let name = self.name(local);
        self.taken.insert(Cow::Borrowed(name));
        if self.is_renamed.contains(&local) {
            return;
        }
        if self.bound.contains(&local) {
            return self.rename_inside(name, Some(local));
        }
        let first = *self.free_names.entry(name).or_insert_with(|| {
            self.free.push(local);
            local
        });
        if first == local {
            self.rename_inside(name, None);
        } else {
            self.rename(local);
        }
    }

    fn use_target(&mut self, target: Target) {
        match target {
            Target::Variable(id) => self.use_global(&self.model.variables[id].name),
            Target::Local(id) => self.use_local(id),
        }
    }

    fn node(&mut self, node: ModelNode) {
        with_stack(|| match node {
            ModelNode::Expr(id) => self.expr(node, self.model.expr(id)),
            ModelNode::Pred(id) => match self.model.pred(id) {
                Pred::Let { bindings, body } => self.let_in(bindings, ModelNode::Pred(*body)),
                Pred::External(external, _) => {
                    self.use_global(&self.model.externals[*external].name);
                    self.operands(node);
                }
                _ => self.operands(node),
            },
            ModelNode::Subst(id) => self.subst(node, self.model.subst(id)),
        });
    }

    fn expr(&mut self, node: ModelNode, expr: &'a Expr) {
        let model = self.model;
        match expr {
            Expr::Local(local) => return self.use_local(*local),
            Expr::Let { bindings, body } => return self.let_in(bindings, ModelNode::Expr(*body)),
            Expr::Variable(id) => self.use_global(&model.variables[*id].name),
            Expr::Constant(id) => self.use_global(&model.constants[*id].name),
            Expr::Carrier(id) => self.use_global(&model.sets[*id].name),
            Expr::FreeType(id) => self.use_global(&model.free_types[*id].name),
            Expr::Element(set, idx) => {
                if let crate::CarrierKind::Enumerated(elements) = &model.sets[*set].kind {
                    self.use_global(&elements[*idx as usize]);
                }
            }
            Expr::Constructor(free, idx) => {
                self.use_global(&model.free_types[*free].constructors[*idx as usize].name);
            }
            Expr::External(id, _) => self.use_global(&model.externals[*id].name),
            Expr::CallOperation(id, _) => self.use_global(&model.operations[*id].name),
            _ => {}
        }
        self.operands(node);
    }

    fn subst(&mut self, node: ModelNode, subst: &'a Subst) {
        subst.targets().iter().for_each(|target| self.use_target(*target));
        match subst {
            Subst::Let { bindings, body } => return self.let_in(bindings, ModelNode::Subst(*body)),
            Subst::BecomesSuch { targets, new, pred } => {
                self.aliases.extend(new.iter().zip(targets).map(|(local, target)| (*local, (*target, ""))));
                return self.node(ModelNode::Pred(*pred));
            }
            Subst::While { before, .. } => {
                self.aliases.extend(before.iter().map(|(target, local)| (*local, (*target, "$0"))));
                return self.model.for_each_child(node, &mut |child| self.node(child));
            }
            Subst::Call { op, .. } => self.use_global(&self.model.operations[*op].name),
            Subst::External(id, _) => self.use_global(&self.model.externals[*id].name),
            _ => {}
        }
        self.operands(node);
    }

    fn operands(&mut self, node: ModelNode) {
        let model = self.model;
        let locals = model.bound_locals(node);
        self.open(&locals);
        model.for_each_child(node, &mut |child| self.node(child));
        self.close(&locals);
    }

    /// Traverses a LET. In B, all equations of a LET see all its names, so a value that refers to an outer thing of such a name forces a renaming.
    fn let_in(&mut self, bindings: &[Binding], body: ModelNode) {
        let Some(first) = bindings.first() else { return self.node(body) };
        let locals: Vec<LocalId> = bindings.iter().map(|binding| binding.local).collect();
        self.open(&locals);
        self.in_values.extend(locals.iter().map(|local| (*local, first.local)));
        bindings.iter().for_each(|binding| self.node(ModelNode::Expr(binding.value)));
        locals.iter().for_each(|local| _ = self.in_values.remove(local));
        self.node(body);
        self.close(&locals);
    }

    fn finish(mut self) -> DumpNames<'a> {
        for local in std::mem::take(&mut self.free) {
            if self.globals.contains(self.name(local)) {
                self.rename(local);
            }
        }
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut shown = HashMap::new();
        for local in &self.renamed {
            let base = self.name(*local).trim_end_matches("$0");
            let name = fresh(&self.taken, base, numbers.entry(base).or_insert(1));
            shown.insert(*local, ident(&name).into_owned());
            self.taken.insert(Cow::Owned(name));
        }
        let mut names = DumpNames { model: self.model, shown, chained: self.chained, taken: self.taken };
        for (local, (target, mark)) in self.aliases {
            let name = format!("{}{mark}", names.target(target));
            names.shown.insert(local, name);
        }
        names
    }
}
