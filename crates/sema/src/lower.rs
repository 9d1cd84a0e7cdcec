//! Lowering of syntax trees to the typed model.
//!
//! [`Lower`] traverses the trees once per machine instance and builds model nodes whose `ty` is at first an index into the [`Unifier`];
//! [`Lower::finish`] replaces them by ground types. Definitions are expanded at each use: the body is lowered in a frame that maps each formal to
//! its actual argument. So no names are captured, and every use is typed on its own.
//!
//! `formula.rs` and `operators.rs` lower predicates and expressions, `definitions.rs` expands definitions, `substitution.rs` lowers substitutions,
//! `machine.rs` the clauses of one machine instance, `operations.rs` its operations. `inherited.rs` handles inheritance from an abstraction,
//! `compose.rs` the project as a whole.

mod beside;
mod builtins;
mod capture;
mod compose;
mod dead_choices;
mod definitions;
mod finish;
mod formula;
mod inherited;
mod lets;
mod machine;
mod mismatch;
mod operations;
mod operators;
mod reductions;
mod steering;
mod substitution;
mod visible;

use std::rc::Rc;

use abridge_diag::{Diagnostic, MAX_DEPTH, SourceMap, Span, expect_depth, with_stack};
use abridge_model::{
    Expr, ExprId, ExprNode, Local, LocalId, Model, OpId, Pred, PredId, PredNode, SmolStr, Subst, SubstId, SubstNode,
};
use abridge_syntax::ast::{self, Ident};

pub(crate) use compose::{compose, compose_with};

use crate::Options;
use crate::definitions::DefTable;
use crate::project::{SourceProject, UnitId};
use crate::scope::{Ctx, FrameId, FrameKind, Frames, InstanceNames, LocalKind};
use crate::types::overload::Overloads;
use crate::types::{Ty, Unifier};

/// Largest number of nodes created by expansions. Definitions that double at each level would otherwise exhaust the memory.
const MAX_EXPANDED_NODES: usize = 1_000_000;

/// Largest number of nodes.
const MAX_NODES: usize = 16_000_000;

/// Largest depth of nodes, after expansion of definitions and of lists into nested pairs. The text of a file nests less deeply. Every pass over the
/// model may recurse this deep.
const MAX_LOWERED_DEPTH: usize = 2 * MAX_DEPTH as usize;

/// Clause being lowered, which decides the visible names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClausePlace {
    Constraints,
    Properties,
    Invariant,
    Assertions,
    Initialisation,
    Operation,
    /// Actual parameters of an included machine.
    Arguments,
    /// Definitions that steer checking.
    Steering,
}

pub(crate) struct Lower<'a> {
    pub(crate) project: &'a SourceProject,
    pub(crate) options: &'a Options,
    pub(crate) sources: &'a SourceMap,
    pub(crate) model: Model,
    pub(crate) types: Unifier,
    pub(crate) pending: Overloads,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) frames: Frames,
    /// Global names of the machine instance being lowered.
    pub(crate) names: InstanceNames,
    pub(crate) defs: Rc<DefTable>,
    pub(crate) place: ClausePlace,
    /// Uses of definitions being expanded, outermost first.
    pub(crate) expansions: Vec<Span>,
    /// Names that were reported, each once.
    pub(crate) unknown_names: std::collections::HashSet<SmolStr>,
    /// Depth of the node being lowered.
    pub(crate) depth: usize,
    /// Number of nodes created by expansions so far.
    pub(crate) n_expanded: usize,
    /// A limit on nodes or depth was exceeded and reported.
    pub(crate) is_exhausted: bool,
    pub(crate) beside: beside::Beside,
    /// Calls of operations of seen machines, with their spans.
    pub(crate) seen_calls: Vec<(OpId, Span)>,
    /// Variables of seen machines that were warned about.
    pub(crate) warned_seen: std::collections::HashSet<SmolStr>,
}

impl Lower<'_> {
    pub(crate) fn tree(&self, unit: UnitId) -> &ast::Ast {
        self.project.ast(unit)
    }

    /// Context of a clause: the file of the machine, and no locals.
    pub(crate) fn global(&mut self, unit: UnitId) -> Ctx {
        Ctx { unit, frame: self.frames.push(None, FrameKind::Global) }
    }

    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        if let (Some(use_site), Some(primary)) = (self.expansions.first(), diagnostic.span())
            && (use_site.file != primary.file || primary.start < use_site.start || use_site.end < primary.end)
        {
            diagnostic = diagnostic.also(*use_site, "in the expansion of this definition");
        }
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn add_expr(&mut self, expr: Expr, ty: Ty, span: Span) -> ExprId {
        self.count_node(span);
        self.model.exprs.push(ExprNode { expr, ty, span })
    }

    pub(crate) fn add_pred(&mut self, pred: Pred, span: Span) -> PredId {
        self.count_node(span);
        self.model.preds.push(PredNode { pred, span })
    }

    pub(crate) fn add_subst(&mut self, subst: Subst, span: Span) -> SubstId {
        self.count_node(span);
        self.model.substs.push(SubstNode { subst, span })
    }

    /// Runs `content` at `n_levels` more depth, with enough stack; `None`, after a report, if that is too deep.
    pub(crate) fn deeper<R>(&mut self, n_levels: usize, span: Span, content: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth + n_levels > MAX_LOWERED_DEPTH {
            if !self.is_exhausted {
                self.is_exhausted = true;
                let message =
                    format!("this is nested more than {MAX_LOWERED_DEPTH} levels deep once definitions are expanded");
                let diagnostic = Diagnostic::error("nested-too-deep", message).at(span);
                self.report(
                    diagnostic.help("make the definitions constants or functions, or write long tuples as sets"),
                );
            }
            return None;
        }
        self.depth += n_levels;
        expect_depth(self.depth);
        let result = with_stack(|| content(self));
        self.depth -= n_levels;
        Some(result)
    }

    /// Counts a new node. Once there are too many, lowering yields error nodes.
    fn count_node(&mut self, span: Span) {
        self.expanded(usize::from(!self.expansions.is_empty()), span);
    }

    /// Counts nodes added by expansions.
    pub(crate) fn expanded(&mut self, n_parts: usize, span: Span) {
        let n_nodes = self.model.exprs.len() + self.model.preds.len() + self.model.substs.len();
        self.n_expanded += n_parts;
        if (n_nodes >= MAX_NODES || self.n_expanded >= MAX_EXPANDED_NODES) && !self.is_exhausted {
            self.is_exhausted = true;
            let message = "the machine is too large once its definitions are expanded";
            let (limit, of) =
                if n_nodes >= MAX_NODES { (MAX_NODES, "in all") } else { (MAX_EXPANDED_NODES, "from definitions") };
            let diagnostic = Diagnostic::error("expansion-too-large", message).at(span);
            self.report(
                diagnostic
                    .note(format!("more than {limit} formulas {of}"))
                    .help("make the definitions constants or functions"),
            );
        }
    }

    /// Expression node for a reported mistake.
    pub(crate) fn error_expr(&mut self, span: Span) -> ExprId {
        self.add_expr(Expr::EmptySet, Unifier::ERROR, span)
    }

    /// Predicate node for a reported mistake.
    pub(crate) fn error_pred(&mut self, span: Span) -> PredId {
        self.add_pred(Pred::True, span)
    }

    pub(crate) fn ty(&self, expr: ExprId) -> Ty {
        self.model.exprs[expr].ty
    }

    pub(crate) fn span(&self, expr: ExprId) -> Span {
        self.model.exprs[expr].span
    }

    pub(crate) fn add_local(&mut self, name: SmolStr, span: Span) -> LocalId {
        let ty = self.types.fresh();
        self.model.locals.push(Local { name, ty, span })
    }

    /// Makes a frame that binds names to fresh locals. A name that is a definition of an identifier list stands for the list.
    pub(crate) fn bind(&mut self, ctx: Ctx, ids: &[Ident], kind: LocalKind) -> (Ctx, Vec<LocalId>) {
        let ids = self.expand_identifiers(ids);
        let mut entries: Vec<(SmolStr, LocalId, LocalKind)> = Vec::with_capacity(ids.len());
        let mut first_of = std::collections::HashMap::new();
        for id in &ids {
            if let Some(first) = first_of.insert(id.name.clone(), id.span) {
                let diagnostic =
                    Diagnostic::error("duplicate-identifier", format!("`{}` is declared twice in one list", id.name));
                self.report(diagnostic.at(id.span).also(first, "first declared here"));
                continue;
            }
            let local = self.add_local(id.name.clone(), id.span);
            entries.push((id.name.clone(), local, kind));
        }
        let locals = entries.iter().map(|(_, local, _)| *local).collect();
        let frame = self.frames.push(Some(ctx.frame), FrameKind::Locals(entries));
        (Ctx { frame, ..ctx }, locals)
    }

    pub(crate) fn local_expr(&mut self, local: LocalId, span: Span) -> ExprId {
        let ty = self.model.locals[local].ty;
        self.add_expr(Expr::Local(local), ty, span)
    }

    /// Short piece of source text for messages.
    pub(crate) fn snippet(&self, span: Span) -> String {
        const MAX_LEN: usize = 40;
        let mut out: Vec<char> = Vec::new();
        for ch in self.sources.snippet(span).trim().chars() {
            match ch.is_whitespace() {
                true if out.last() == Some(&' ') => {}
                true => out.push(' '),
                false => out.push(ch),
            }
            if out.len() > MAX_LEN {
                out.truncate(MAX_LEN - 3);
                out.extend("...".chars());
                break;
            }
        }
        out.into_iter().collect()
    }

    pub(crate) fn push_frame(&mut self, ctx: Ctx, kind: FrameKind) -> Ctx {
        let frame: FrameId = self.frames.push(Some(ctx.frame), kind);
        Ctx { frame, ..ctx }
    }
}
