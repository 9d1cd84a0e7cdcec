//! Syntax tree of one file, close to the text.
//!
//! Predicates and expressions share one node type, [`Expr`], since B's grammar cannot tell them apart before definitions are known (`(a)` may be
//! either). [`Ast::sort`] says what is known about a formula. Nodes are stored in two arenas of the [`Ast`] and refer to each other by [`ExprId`] and
//! [`SubstId`]. So dropping a tree does not recurse, and ids can index side tables.
//!
//! Absent on purpose: parentheses (only the flag [`ExprNode::parens`], which equality ignores), comments (a list beside the
//! tree, [`Ast::comments`]), resolved names and types (see the crates `sema` and `model`).
//!
//! Conjunctions and disjunctions are n-ary: `a & b & c` is one node with three operands, so that a machine-written conjunction
//! of a million parts is a flat tree. `(a & b) & c` keeps its two levels.

mod access;

use abridge_diag::{FileId, Span};
pub use smol_str::SmolStr;

use crate::children::AstNode;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
    };
}
id_type!(
    /// Formula (predicate or expression) of an [`Ast`].
    ExprId
);
id_type!(
    /// Substitution of an [`Ast`].
    SubstId
);

/// One parsed file.
#[derive(Clone, Debug)]
pub struct Ast {
    pub file: FileId,
    pub unit: Unit,
    exprs: Vec<ExprNode>,
    substs: Vec<SubstNode>,
    /// Comments in the order of the text, without the pragmas that are part of the tree.
    pub comments: Vec<Comment>,
    /// Offsets of line starts, ascending.
    pub line_starts: Vec<u32>,
    /// Offsets of blank lines outside comments and strings.
    pub blank_lines: Vec<u32>,
    /// True if the parser skipped text after a syntax error, so formulas may be missing from the tree.
    pub skipped: bool,
    /// True if the skipped text may contain declarations.
    pub lost_names: bool,
}

#[derive(Clone, Debug)]
pub struct ExprNode {
    pub expr: Expr,
    pub span: Span,
    /// Written in parentheses; kept for the printer, not part of the meaning.
    pub parens: bool,
    /// Has a `symbolic` pragma.
    pub symbolic: bool,
    /// Predicate or expression, as far as the grammar can tell; see [`Ast::sort`].
    pub sort: Sort,
    /// One more than the depth of the deepest operand; at most [`abridge_diag::MAX_DEPTH`].
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub struct SubstNode {
    pub subst: Subst,
    pub span: Span,
    /// One more than the depth of the deepest part; bounded like [`ExprNode::depth`].
    pub depth: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    pub span: Span,
    /// Text with delimiters.
    pub text: SmolStr,
    pub is_line: bool,
    /// True if only blanks precede it on its line.
    pub own_line: bool,
    /// End of the previous token; 0 if there is none.
    pub after: u32,
    /// Start of the next token, or end of the text.
    pub before: u32,
}

/// Occurrence of a name. Dotted names (`m.x`) are one identifier. The text has no back quotes.
#[derive(Clone, Debug)]
pub struct Ident {
    pub name: SmolStr,
    pub span: Span,
}

/// Declared name with the text of its `desc` pragma.
#[derive(Clone, Debug)]
pub struct DeclaredIdent {
    pub ident: Ident,
    pub desc: Option<SmolStr>,
}

/// Content of a file.
#[derive(Clone, Debug)]
pub enum Unit {
    Machine(Machine),
    /// Definition file.
    Definitions(Vec<Definition>),
    /// Single formula, for instance from a prompt.
    Formula(ExprId),
    /// Single substitution.
    Substitution(SubstId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MachineKind {
    Machine,
    Model,
    System,
    Refinement,
    Implementation,
}

#[derive(Clone, Debug)]
pub struct Machine {
    pub kind: MachineKind,
    pub name: Ident,
    pub params: Vec<Ident>,
    pub refines: Option<Ident>,
    /// Clauses in the order of the text.
    pub clauses: Vec<Clause>,
    pub pragmas: Vec<MachinePragma>,
    /// Range from the first keyword to END.
    pub span: Span,
}

/// Pragma before the machine keyword.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MachinePragma {
    Package(SmolStr),
    ImportPackage(SmolStr),
    Generated,
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub kind: ClauseKind,
    /// Place of the keyword.
    pub keyword: Span,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ClauseKind {
    Constraints(ExprId),
    Sees(Vec<MachineRef>),
    Uses(Vec<MachineRef>),
    Includes(Vec<MachineRef>),
    Extends(Vec<MachineRef>),
    Imports(Vec<MachineRef>),
    Promotes(Vec<Ident>),
    Sets(Vec<SetDecl>),
    FreeTypes(Vec<FreeType>),
    /// CONSTANTS or CONCRETE_CONSTANTS.
    Constants(Vec<DeclaredIdent>),
    AbstractConstants(Vec<DeclaredIdent>),
    Properties(ExprId),
    Values(Vec<Valuation>),
    /// VARIABLES or ABSTRACT_VARIABLES.
    Variables(Vec<DeclaredIdent>),
    ConcreteVariables(Vec<DeclaredIdent>),
    Invariant(ExprId),
    Assertions(Vec<ExprId>),
    Initialisation(SubstId),
    /// OPERATIONS or EVENTS.
    Operations(Vec<Operation>),
    LocalOperations(Vec<Operation>),
    Definitions(Vec<Definition>),
    /// EXPRESSIONS clause of ProB: named expressions with parameters.
    Expressions(Vec<Definition>),
    /// PREDICATES clause of ProB: named predicates with parameters.
    Predicates(Vec<Definition>),
}

/// Reference to another machine: `[prefix.]Name[(args)]`.
#[derive(Clone, Debug)]
pub struct MachineRef {
    /// `a.b` in `a.b.Name`.
    pub prefix: Option<SmolStr>,
    /// `Name` in `a.b.Name`.
    pub name: Ident,
    pub args: Vec<ExprId>,
    /// Path of a `file` pragma.
    pub file: Option<SmolStr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct SetDecl {
    pub name: DeclaredIdent,
    pub kind: SetDeclKind,
}

#[derive(Clone, Debug)]
pub enum SetDeclKind {
    Deferred,
    Enumerated(Vec<DeclaredIdent>),
    /// `S = D`, where `D` is a definition with a body `{a, b, ...}`.
    EnumeratedBy(Ident),
}

#[derive(Clone, Debug)]
pub struct FreeType {
    pub name: Ident,
    pub params: Vec<Ident>,
    pub constructors: Vec<FreeConstructor>,
}

#[derive(Clone, Debug)]
pub struct FreeConstructor {
    pub name: Ident,
    pub arg: Option<ExprId>,
}

/// Entry `id = E` of a VALUES clause.
#[derive(Clone, Debug)]
pub struct Valuation {
    pub name: Ident,
    pub value: ExprId,
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub outputs: Vec<Ident>,
    pub name: Ident,
    pub params: Vec<Ident>,
    /// `abs` in `e ref abs = ...`.
    pub refines: Option<Ident>,
    pub body: SubstId,
    pub desc: Option<SmolStr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Definition {
    /// `"file.def";`
    Import {
        path: SmolStr,
        span: Span,
    },
    Named {
        name: Ident,
        params: Vec<Ident>,
        body: DefinitionBody,
        span: Span,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefinitionBody {
    /// Predicate, expression, or a name or call whose first use determines its sort.
    Formula(ExprId),
    Substitution(SubstId),
}

/// Sort of a formula, as far as the grammar determines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Predicate,
    Expression,
    /// Name or call, which may be a definition of either sort, or a formula with syntax errors.
    Unknown,
}

/// Predicates and expressions. Files can have millions of nodes, so rare and large variants are boxed. A test bounds the size.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// Formula with a syntax error, which has been reported.
    Error,
    Ident(SmolStr),
    /// `x$0`
    Before(SmolStr),
    /// Digits as written, decimal or `0x...`.
    Integer(SmolStr),
    /// Number as written.
    Real(SmolStr),
    /// Value of a literal, with escapes resolved.
    String(SmolStr),
    /// ```` ```text${expr}text``` ````
    Template(Vec<TemplatePart>),
    Atom(Atom),
    /// Unary minus.
    Neg(ExprId),
    /// `r~`
    Inverse(ExprId),
    /// `not(P)`
    Not(ExprId),
    /// At least two operands.
    And(Vec<ExprId>),
    /// At least two operands.
    Or(Vec<ExprId>),
    Binary(BinaryOp, ExprId, ExprId),
    /// Keyword applied to arguments: `dom(r)`, `prj1(S,T)`, `bool(P)`, `@partition(S,A,B)`, `father(t,p)`.
    Builtin(Builtin, Vec<ExprId>),
    /// `f(a, b)`: application of a function, use of a definition or, as a substitution, call of an operation.
    Apply(ExprId, Vec<ExprId>),
    /// `r[S]`
    Image(ExprId, ExprId),
    /// `r'field`
    Field(ExprId, Box<Ident>),
    /// `(a, b, c)` with at least two components.
    Tuple(Vec<ExprId>),
    /// `{a, b}` with at least one element.
    SetExtension(Vec<ExprId>),
    /// `[a, b]` with at least one item.
    SequenceExtension(Vec<ExprId>),
    /// `{x, y | P}`, or `{x|->y | P}` if `maplets`.
    Comprehension {
        ids: Box<[Ident]>,
        pred: ExprId,
        maplets: bool,
    },
    /// `{x . P | E}`
    SetImage {
        ids: Box<[Ident]>,
        pred: ExprId,
        expr: ExprId,
    },
    /// `%x.(P|E)`, `SIGMA(x).(P|E)`, ...
    Quantified {
        kind: Quantifier,
        ids: Box<[Ident]>,
        pred: ExprId,
        expr: ExprId,
    },
    Forall {
        ids: Box<[Ident]>,
        pred: ExprId,
    },
    Exists {
        ids: Box<[Ident]>,
        pred: ExprId,
    },
    /// `rec(f: E, ...)`
    Record(Vec<(Ident, ExprId)>),
    /// `struct(f: S, ...)`
    Struct(Vec<(Ident, ExprId)>),
    /// `IF c THEN a ELSIF d THEN b ELSE e END` with at least one branch.
    If {
        branches: Vec<(ExprId, ExprId)>,
        otherwise: ExprId,
    },
    /// `LET ids BE pred IN body END`
    Let {
        ids: Box<[Ident]>,
        pred: ExprId,
        body: ExprId,
    },
    /// `[x, y := E, F] P`
    Substituted(Box<Substituted>),
    /// `E ⦂ T`
    OfType(ExprId, ExprId),
    /// `/*@ label a */ P`
    Labelled {
        labels: Vec<SmolStr>,
        pred: ExprId,
    },
    /// `E /*@ desc text */`
    Described {
        expr: ExprId,
        text: SmolStr,
    },
}

/// `[x, y := E, F] P`
#[derive(Clone, PartialEq, Debug)]
pub struct Substituted {
    pub ids: Vec<Ident>,
    pub values: Vec<ExprId>,
    pub pred: ExprId,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TemplatePart {
    Text(SmolStr),
    Expr(ExprId),
}

/// Keywords that are complete formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    BTrue,
    BFalse,
    True,
    False,
    Bool,
    Integer,
    Natural,
    Natural1,
    Int,
    Nat,
    Nat1,
    String,
    Real,
    Float,
    MaxInt,
    MinInt,
    EmptySet,
    /// `[]` or `<>`
    EmptySequence,
    Succ,
    Pred,
    /// `@prj1`: projection with an inferred type.
    Prj1,
    Prj2,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    Lambda,
    Sigma,
    Pi,
    Union,
    Inter,
}

/// Keyword functions. Comments give the number of arguments if it is not one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `bool(P)`
    Bool,
    /// `@finite(S)`
    Finite,
    /// `@partition(S, ...)`: at least one
    Partition,
    Max,
    Min,
    Card,
    Floor,
    Ceiling,
    Real,
    Pow,
    Pow1,
    Fin,
    Fin1,
    GeneralUnion,
    GeneralInter,
    Dom,
    Ran,
    Id,
    /// one (the component of a pair) or two (the projection relation)
    Prj1,
    /// one (the component of a pair) or two (the projection relation)
    Prj2,
    Closure,
    Closure1,
    /// two
    Iterate,
    Fnc,
    Rel,
    Seq,
    Seq1,
    Iseq,
    Iseq1,
    Perm,
    Size,
    First,
    Last,
    Front,
    Tail,
    Rev,
    Conc,
    /// `succ(x)` and `pred(x)` are applications of the atoms, not builtins.
    Tree,
    Btree,
    /// two
    Const,
    Top,
    Sons,
    Prefix,
    Postfix,
    SizeT,
    Mirror,
    /// two
    Rank,
    /// two
    Father,
    /// three
    Son,
    /// two
    Subtree,
    /// two
    Arity,
    /// one or three
    Bin,
    Left,
    Right,
    Infix,
}

/// Infix operators. Priorities and spellings are in `operators.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    // predicates from predicates
    Implies,
    Equivalent,
    // predicates from expressions
    Equal,
    NotEqual,
    Member,
    NotMember,
    Subset,
    NotSubset,
    StrictSubset,
    NotStrictSubset,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    // expressions
    /// `;`
    Compose,
    /// `||`
    ParallelProduct,
    Relation,
    PartialFunction,
    TotalFunction,
    PartialInjection,
    TotalInjection,
    PartialSurjection,
    TotalSurjection,
    PartialBijection,
    TotalBijection,
    TotalRelation,
    SurjectionRelation,
    TotalSurjectionRelation,
    Override,
    DirectProduct,
    /// `∘`
    BackwardCompose,
    Concat,
    DomainRestrict,
    DomainSubtract,
    RangeRestrict,
    RangeSubtract,
    /// `->`
    InsertFront,
    /// `<-`
    InsertTail,
    Union,
    Intersection,
    /// `/|\`
    RestrictFront,
    /// `\|/`
    RestrictTail,
    Maplet,
    Interval,
    /// `-`: subtraction or set difference.
    Minus,
    Add,
    /// `\`
    SetMinus,
    /// `*`: product or cartesian product.
    Times,
    /// `×`
    Cartesian,
    Divide,
    Modulo,
    Power,
}

/// Substitutions (statements).
#[derive(Clone, Debug)]
pub enum Subst {
    /// Substitution with a syntax error, which has been reported.
    Error,
    Skip,
    /// BEGIN ... END
    Block(SubstId),
    /// `a, f(x), r'g := E, F, G`
    Assign {
        targets: Vec<ExprId>,
        values: Vec<ExprId>,
    },
    /// `x, y :: S`
    BecomesElement {
        targets: Vec<Ident>,
        set: ExprId,
    },
    /// `x, y : (P)`
    BecomesSuch {
        targets: Vec<Ident>,
        pred: ExprId,
    },
    Pre {
        pred: ExprId,
        body: SubstId,
    },
    Assert {
        pred: ExprId,
        body: SubstId,
    },
    Witness {
        pred: ExprId,
        body: SubstId,
    },
    Select {
        branches: Vec<(ExprId, SubstId)>,
        otherwise: Option<SubstId>,
    },
    If {
        branches: Vec<(ExprId, SubstId)>,
        otherwise: Option<SubstId>,
    },
    Choice(Vec<SubstId>),
    Case {
        selector: ExprId,
        branches: Vec<(Vec<ExprId>, SubstId)>,
        otherwise: Option<SubstId>,
    },
    Any {
        ids: Vec<Ident>,
        pred: ExprId,
        body: SubstId,
    },
    Let {
        ids: Vec<Ident>,
        pred: ExprId,
        body: SubstId,
    },
    Var {
        ids: Vec<Ident>,
        body: SubstId,
    },
    While {
        condition: ExprId,
        body: SubstId,
        invariant: ExprId,
        variant: ExprId,
    },
    /// `x, f(1) <-- op(a)` or `op(a)`: call of an operation or, without outputs, possibly use of a definition.
    Call {
        outputs: Vec<ExprId>,
        name: Box<Ident>,
        args: Vec<ExprId>,
    },
    /// `S ; T` with at least two parts.
    Sequence(Vec<SubstId>),
    /// `S || T` with at least two parts.
    Parallel(Vec<SubstId>),
}
