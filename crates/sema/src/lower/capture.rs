//! Capture: arguments of definitions below binders of their bodies.
//!
//! `egt(x) == #y.(y < 100 & x < y)` applied to `y + 1` brings a `y` of the caller below the `y` of the body. Definitions are hygienic: the two stay
//! apart, since arguments are lowered in the frame of the use. ProB substitutes the argument into the body, so that its names are captured, except
//! for an argument that is a single name, for which it renames the binder. If the results can differ there is a warning. With the conventions of
//! ProB the argument is lowered below the binders.

use std::collections::HashSet;

use abridge_diag::Diagnostic;
use abridge_model::{LocalId, SmolStr};
use abridge_syntax::AstNode;
use abridge_syntax::ast;

use crate::lower::Lower;
use crate::scope::{Ctx, FrameKind, LocalMeaning};

/// Largest number of nested arguments examined, since definitions may double at each level.
const MAX_ARGUMENTS: usize = 100;

impl Lower<'_> {
    /// Context in which to lower the argument of a formal that is used at `ctx`.
    pub(crate) fn argument_ctx(&mut self, ctx: Ctx, arg: ast::ExprId, at: Ctx) -> Ctx {
        if self.is_plain_name(arg, at) || self.frames.binder_in_definition(ctx.frame, |_| true).is_none() {
            return at;
        }
        if self.options.captures {
            let binders = self.frames.binders_of_definition(ctx.frame);
            self.expanded(binders.len(), self.tree(at.unit).expr(arg).span);
            return self.push_frame(at, FrameKind::Locals(binders));
        }
        let mentioned = self.names_in(arg, at);
        if let Some((name, local)) = self.frames.binder_in_definition(ctx.frame, |name| mentioned.contains(name)) {
            self.warn_capture(arg, at, &name, local);
        }
        at
    }

    /// True if an argument is a name other than a formal of an outer definition.
    fn is_plain_name(&self, arg: ast::ExprId, at: Ctx) -> bool {
        match &self.tree(at.unit).expr(arg).expr {
            ast::Expr::Ident(name) => !matches!(self.frames.find(at.frame, name), Some(LocalMeaning::Formal(..))),
            _ => false,
        }
    }

    /// Free names of an argument, including those of arguments that it passes on.
    fn names_in(&self, arg: ast::ExprId, at: Ctx) -> HashSet<SmolStr> {
        let mut names = HashSet::new();
        // Arguments to examine. The flag is true if an argument is passed on unchanged.
        let mut open = vec![(arg, at, true)];
        let mut n_seen = 0;
        while let Some((arg, at, is_whole)) = open.pop().filter(|_| n_seen < MAX_ARGUMENTS) {
            n_seen += 1;
            if is_whole && self.is_plain_name(arg, at) {
                continue;
            }
            let tree = self.tree(at.unit);
            let is_whole = is_whole && matches!(tree.expr(arg).expr, ast::Expr::Ident(_));
            let mut hidden: HashSet<&SmolStr> = HashSet::new();
            let mut mentioned: Vec<&SmolStr> = Vec::new();
            tree.for_each_node(AstNode::Expr(arg), &mut |node| {
                let AstNode::Expr(id) = node else { return };
                let expr = &tree.expr(id).expr;
                hidden.extend(expr.binder().iter().map(|ident| &ident.name));
                if let ast::Expr::Ident(name) = expr {
                    mentioned.push(name);
                }
            });
            for name in mentioned.into_iter().filter(|name| !hidden.contains(name)) {
                match self.frames.find(at.frame, name) {
                    Some(LocalMeaning::Formal(arg, at)) => open.push((arg, at, is_whole)),
                    _ => _ = names.insert(name.clone()),
                }
            }
        }
        names
    }

    fn warn_capture(&mut self, arg: ast::ExprId, at: Ctx, name: &str, local: LocalId) {
        let span = self.tree(at.unit).expr(arg).span;
        let message = format!("`{name}` in this argument is not the `{name}` that the definition binds");
        let diagnostic = Diagnostic::warning("definition-capture", message).at(span);
        let diagnostic = diagnostic.also(self.model.locals[local].span, "bound here");
        self.report(
            diagnostic
                .note("ProB and `--compat prob` read it as the bound variable")
                .help("give the bound variable a name that arguments do not use"),
        );
    }
}
