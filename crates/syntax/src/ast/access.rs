//! Accessors of a tree: its arenas, its texts, and properties of nodes that do not depend on the meaning of names.
//!
//! The parser fills a tree through functions that are private to the crate. All other code only reads.

use super::*;

impl ClauseKind {
    /// Names that a clause of constants or variables declares.
    pub fn declared(&self) -> &[DeclaredIdent] {
        match self {
            ClauseKind::Constants(list) | ClauseKind::AbstractConstants(list) => list,
            ClauseKind::Variables(list) | ClauseKind::ConcreteVariables(list) => list,
            _ => &[],
        }
    }
}

impl Ast {
    /// Empty tree, to be filled by the parser.
    pub(crate) fn new(file: FileId) -> Self {
        let span = Span::new(file, 0, 0);
        let unit = Unit::Formula(ExprId(0));
        let mut ast = Ast {
            file,
            unit,
            exprs: Vec::new(),
            substs: Vec::new(),
            comments: Vec::new(),
            line_starts: vec![0],
            blank_lines: Vec::new(),
            skipped: false,
            lost_names: false,
        };
        // Expression 0 is an error node, so that every unit is valid from the start.
        ast.push_expr(Expr::Error, span);
        ast
    }

    pub fn expr(&self, id: ExprId) -> &ExprNode {
        &self.exprs[id.0 as usize]
    }

    pub fn subst(&self, id: SubstId) -> &SubstNode {
        &self.substs[id.0 as usize]
    }

    pub fn n_exprs(&self) -> usize {
        self.exprs.len()
    }

    pub(crate) fn expr_mut(&mut self, id: ExprId) -> &mut ExprNode {
        &mut self.exprs[id.0 as usize]
    }

    /// Adds a formula. Its sort and depth follow from its operands, which must be in the tree already.
    pub(crate) fn push_expr(&mut self, expr: Expr, span: Span) -> ExprId {
        let sort = self.sort_of(&expr);
        let mut depth = 1;
        expr.for_each_child(&mut |child| depth = depth.max(1 + self.expr(child).depth));
        self.exprs.push(ExprNode { expr, span, parens: false, symbolic: false, sort, depth });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds a substitution. Its depth follows from its parts, which must be in the tree already.
    pub(crate) fn push_subst(&mut self, subst: Subst, span: Span) -> SubstId {
        let mut depth = 1;
        subst.for_each_child(&mut |child| {
            let child_depth = match child {
                AstNode::Expr(id) => self.expr(id).depth,
                AstNode::Subst(id) => self.subst(id).depth,
            };
            depth = depth.max(1 + child_depth);
        });
        self.substs.push(SubstNode { subst, span, depth });
        SubstId(self.substs.len() as u32 - 1)
    }

    /// Numbers of formulas and substitutions, for [`Ast::truncate`].
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.exprs.len(), self.substs.len())
    }

    /// Removes all nodes added since a call of [`Ast::len`].
    pub(crate) fn truncate(&mut self, (n_exprs, n_substs): (usize, usize)) {
        self.exprs.truncate(n_exprs);
        self.substs.truncate(n_substs);
    }

    pub(crate) fn reserve(&mut self, n_exprs: usize) {
        self.exprs.reserve_exact(n_exprs);
    }

    /// Place where a quantifier, comprehension or substitution first binds a name.
    pub fn bound_name(&self, name: &str) -> Option<Span> {
        let in_formulas = self.exprs.iter().map(|node| node.expr.binder());
        let in_substitutions = self.substs.iter().map(|node| node.subst.binder());
        let bound = in_formulas.chain(in_substitutions).flatten().filter(|ident| ident.name == name);
        bound.map(|ident| ident.span).min()
    }

    /// Machine of the file, if it has one.
    pub fn machine(&self) -> Option<&Machine> {
        match &self.unit {
            Unit::Machine(machine) => Some(machine),
            _ => None,
        }
    }

    /// Sort of a formula, as far as the grammar determines it.
    pub fn sort(&self, id: ExprId) -> Sort {
        self.expr(id).sort
    }

    fn sort_of(&self, expr: &Expr) -> Sort {
        match expr {
            Expr::Error | Expr::Ident(_) => Sort::Unknown,
            // Only a named head can be the definition of a predicate.
            Expr::Apply(head, _) if matches!(self.expr(*head).expr, Expr::Ident(_) | Expr::Error) => Sort::Unknown,
            Expr::Atom(Atom::BTrue | Atom::BFalse) => Sort::Predicate,
            Expr::Not(_) | Expr::And(_) | Expr::Or(_) => Sort::Predicate,
            Expr::Forall { .. } | Expr::Exists { .. } => Sort::Predicate,
            Expr::Substituted(_) | Expr::Labelled { .. } => Sort::Predicate,
            Expr::Builtin(Builtin::Finite | Builtin::Partition, _) => Sort::Predicate,
            Expr::Binary(op, ..) if op.yields_predicate() => Sort::Predicate,
            Expr::If { branches, otherwise } => {
                let results = branches.iter().map(|(_, result)| *result).chain([*otherwise]);
                let known = results.map(|result| self.sort(result)).find(|sort| *sort != Sort::Unknown);
                known.unwrap_or(Sort::Unknown)
            }
            Expr::Let { body, .. } => self.sort(*body),
            Expr::Described { expr, .. } => self.sort(*expr),
            _ => Sort::Expression,
        }
    }
}

impl BinaryOp {
    /// True for connectives and relations. All other operators yield expressions.
    pub fn yields_predicate(self) -> bool {
        self.takes_predicates() || self.is_relation()
    }

    /// True for `=>` and `<=>`.
    pub fn takes_predicates(self) -> bool {
        matches!(self, BinaryOp::Implies | BinaryOp::Equivalent)
    }

    /// True for `=`, `:`, `<:`, `<` and similar operators.
    pub fn is_relation(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            Equal
                | NotEqual
                | Member
                | NotMember
                | Subset
                | NotSubset
                | StrictSubset
                | NotStrictSubset
                | Less
                | LessEqual
                | Greater
                | GreaterEqual
        )
    }
}

impl PartialEq for Ident {
    /// Compares names and ignores their places.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of ten megabytes such as `x=1 & x=1 & ...` has millions of nodes, so larger nodes would take gigabytes.
    #[test]
    fn nodes_are_small() {
        assert!(size_of::<ExprNode>() <= 56, "{} bytes", size_of::<ExprNode>());
        assert!(size_of::<SubstNode>() <= 80, "{} bytes", size_of::<SubstNode>());
    }
}
