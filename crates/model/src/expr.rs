//! Typed expressions.
//!
//! Overloads are resolved: `-` is [`BinaryOp::Subtract`], [`BinaryOp::RealSubtract`] or [`BinaryOp::Difference`]. Synonyms are replaced: `MAXINT` by
//! an integer, `NAT` by an interval, `(a,b)` by a pair, `r∘s` by a composition with exchanged operands, ELSIF by a nested IF. So evaluators need one
//! case per meaning.

use abridge_diag::Span;
use num_bigint::BigInt;
use smol_str::SmolStr;

use crate::ids::{ConstId, ExprId, ExternalId, FreeTypeId, LocalId, OpId, PredId, SetId, TypeId, VarId};

#[derive(Clone, Debug)]
pub struct ExprNode {
    pub expr: Expr,
    pub ty: TypeId,
    /// Source place; for an expanded definition, the place in its body.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Expr {
    Integer(BigInt),
    Real(f64),
    String(SmolStr),
    Bool(bool),
    /// Element of an enumerated set, by position. Formulas given beside a machine may also name elements of deferred sets.
    Element(SetId, u32),
    Constant(ConstId),
    Variable(VarId),
    Local(LocalId),
    /// Deferred or enumerated set as a value.
    Carrier(SetId),
    /// Freetype as the set of its values.
    FreeType(FreeTypeId),
    BaseSet(BaseSet),
    /// `{}` or `[]`; the node has the type.
    EmptySet,
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    Tree(TreeOp, Vec<ExprId>),
    /// At least one element.
    SetExtension(Vec<ExprId>),
    /// At least one item.
    SequenceExtension(Vec<ExprId>),
    /// One value per field, in the order of the record type.
    Record(Vec<ExprId>),
    /// `struct(f: S, ...)`: one set per field, in the order of the record type.
    StructSet(Vec<ExprId>),
    /// Field by position in the record type.
    Field(ExprId, u32),
    /// Record with one field replaced.
    WithField(ExprId, u32, ExprId),
    /// `{x, y | P}`. `symbolic` requests that the set stays symbolic.
    Comprehension {
        binder: Vec<LocalId>,
        pred: PredId,
        symbolic: bool,
    },
    /// `{x . P | E}`
    SetImage {
        binder: Vec<LocalId>,
        pred: PredId,
        expr: ExprId,
    },
    Quantified {
        op: QuantifiedOp,
        binder: Vec<LocalId>,
        pred: PredId,
        expr: ExprId,
        symbolic: bool,
    },
    If(PredId, ExprId, ExprId),
    /// The value of a binding may use earlier bindings.
    Let {
        bindings: Vec<Binding>,
        body: ExprId,
    },
    /// `bool(P)`
    BoolOf(PredId),
    /// Constructor of a freetype, by position: a value if it takes no argument, otherwise a function.
    Constructor(FreeTypeId, u32),
    /// `succ` and `pred` as functions on INTEGER.
    Successor,
    Predecessor,
    /// `@prj1` and `@prj2`: projections on the whole type.
    FirstProjection,
    SecondProjection,
    /// Concatenation of text parts and printed values.
    Template(Vec<ExprId>),
    External(ExternalId, Vec<ExprId>),
    /// Query operation used as an expression.
    CallOperation(OpId, Vec<ExprId>),
}

/// Binding `local = value` of a LET.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    pub local: LocalId,
    pub value: ExprId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BaseSet {
    Integer,
    Natural,
    Natural1,
    Bool,
    String,
    Real,
}

/// `%`, `SIGMA`, `PI`, `UNION`, `INTER`: operators with a binder, a predicate and an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifiedOp {
    Lambda,
    Sigma,
    Pi,
    RealSigma,
    RealPi,
    Union,
    Inter,
}

/// Declares an enumeration of operators and the list of its members, so that the list is complete.
macro_rules! operators {
    ($name:ident { $($(#[$doc:meta])* $plain:ident,)* } $({ $($(#[$more_doc:meta])* $more:ident($of:ty),)* })?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name {
            $($(#[$doc])* $plain,)*
            $($($(#[$more_doc])* $more($of),)*)?
        }

        impl $name {
            /// All operators without parameters.
            pub const ALL: &[$name] = &[$($name::$plain,)*];
        }
    };
}

operators! {
    UnaryOp {
        // numbers
        Negate,
        RealNegate,
        Floor,
        Ceiling,
        ToReal,
        Max,
        Min,
        RealMax,
        RealMin,
        // sets
        Card,
        Pow,
        Pow1,
        Fin,
        Fin1,
        GeneralUnion,
        GeneralInter,
        // pairs and relations
        First,
        Second,
        Dom,
        Ran,
        Inverse,
        Id,
        Closure,
        Closure1,
        Fnc,
        Rel,
        // sequences
        Seq,
        Seq1,
        Iseq,
        Iseq1,
        Perm,
        Size,
        SeqFirst,
        SeqLast,
        Front,
        Tail,
        Rev,
        GeneralConcat,
        // strings as sequences
        StringSize,
        StringRev,
        StringGeneralConcat,
    }
}

operators! {
    BinaryOp {
        // numbers
        Add,
        Subtract,
        Multiply,
        Divide,
        Modulo,
        Power,
        RealAdd,
        RealSubtract,
        RealMultiply,
        RealDivide,
        RealPower,
        Interval,
        // sets
        Union,
        Intersection,
        Difference,
        Cartesian,
        // pairs and relations
        Pair,
        Apply,
        Image,
        DomainRestrict,
        DomainSubtract,
        RangeRestrict,
        RangeSubtract,
        Override,
        /// `(p ; q)`
        Compose,
        DirectProduct,
        ParallelProduct,
        Iterate,
        /// `prj1(S, T)`
        Prj1,
        Prj2,
        // sequences
        Concat,
        InsertFront,
        InsertTail,
        /// `s /|\ n`
        Take,
        /// `s \|/ n`
        Drop,
        StringConcat,
    }
    {
        /// Set of relations or functions.
        Arrow(Arrow),
    }
}

/// Properties that distinguish `<->`, `+->`, `>->>` and the other arrows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arrow {
    pub functional: bool,
    pub total: bool,
    pub injective: bool,
    pub surjective: bool,
}

/// Operators on trees, with arguments as in B.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TreeOp {
    Tree,
    Btree,
    Const,
    Top,
    Sons,
    Prefix,
    Postfix,
    Infix,
    SizeT,
    Mirror,
    Rank,
    Father,
    Son,
    Subtree,
    Arity,
    /// `bin(x)` and `bin(l, x, r)`
    Bin,
    Left,
    Right,
}

impl Arrow {
    pub const RELATION: Arrow = Arrow { functional: false, total: false, injective: false, surjective: false };
    pub const PARTIAL: Arrow = Arrow { functional: true, ..Arrow::RELATION };
    pub const TOTAL: Arrow = Arrow { total: true, ..Arrow::PARTIAL };
    pub const BIJECTION: Arrow = Arrow { injective: true, surjective: true, ..Arrow::TOTAL };

    /// ASCII spelling of the arrow.
    pub fn text(self) -> &'static str {
        match (self.functional, self.total, self.injective, self.surjective) {
            (false, false, _, false) => "<->",
            (false, true, _, false) => "<<->",
            (false, false, _, true) => "<->>",
            (false, true, _, true) => "<<->>",
            (true, false, false, false) => "+->",
            (true, true, false, false) => "-->",
            (true, false, true, false) => ">+>",
            (true, true, true, false) => ">->",
            (true, false, false, true) => "+->>",
            (true, true, false, true) => "-->>",
            (true, false, true, true) => ">+>>",
            (true, true, true, true) => ">->>",
        }
    }
}
