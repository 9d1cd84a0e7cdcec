//! Spelling and priority of every operator: one table for parser and printer.
//!
//! Priorities are the numbers of the B language reference; a higher one binds tighter. Operators associate to the left, `**` to the right, and
//! relations do not associate. A wrong entry changes the meaning of formulas.

use crate::ast::{Atom, BinaryOp, Builtin, Quantifier};

/// Associativity of operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assoc {
    Left,
    Right,
    None,
}

/// `=>`
pub const IMPLIES: u16 = 30;
/// `&` and `or`, at one level.
pub const JUNCTION: u16 = 40;
/// `<=>`
pub const EQUIVALENT: u16 = 60;
/// `=`, `:`, `<` and similar operators.
pub const RELATION: u16 = 110;
/// A `desc` pragma after a formula.
pub const DESCRIPTION: u16 = 50;
/// `E ⦂ T`
pub const OF_TYPE: u16 = 120;
/// `;` and `||` between expressions, allowed only inside brackets.
pub const COMPOSITION: u16 = 20;
/// Unary minus.
pub const NEGATION: u16 = 210;
/// `~`, `[..]`, `(..)`, `'`.
pub const POSTFIX: u16 = 230;

/// Properties of an infix operator.
pub struct OperatorInfo {
    pub ascii: &'static str,
    pub unicode: &'static str,
    pub priority: u16,
    pub assoc: Assoc,
}

const fn left(ascii: &'static str, unicode: &'static str, priority: u16) -> OperatorInfo {
    OperatorInfo { ascii, unicode, priority, assoc: Assoc::Left }
}

const fn relation(ascii: &'static str, unicode: &'static str) -> OperatorInfo {
    OperatorInfo { ascii, unicode, priority: RELATION, assoc: Assoc::None }
}

impl BinaryOp {
    pub const fn info(self) -> OperatorInfo {
        use BinaryOp::*;
        match self {
            Implies => left("=>", "⇒", IMPLIES),
            Equivalent => left("<=>", "⇔", EQUIVALENT),
            Equal => relation("=", "="),
            NotEqual => relation("/=", "≠"),
            Member => relation(":", "∈"),
            NotMember => relation("/:", "∉"),
            Subset => relation("<:", "⊆"),
            NotSubset => relation("/<:", "⊈"),
            StrictSubset => relation("<<:", "⊂"),
            NotStrictSubset => relation("/<<:", "⊄"),
            Less => relation("<", "<"),
            LessEqual => relation("<=", "≤"),
            Greater => relation(">", ">"),
            GreaterEqual => relation(">=", "≥"),
            Compose => left(";", ";", COMPOSITION),
            ParallelProduct => left("||", "∥", COMPOSITION),
            Relation => left("<->", "↔", 125),
            PartialFunction => left("+->", "⇸", 125),
            TotalFunction => left("-->", "→", 125),
            PartialInjection => left(">+>", "⤔", 125),
            TotalInjection => left(">->", "↣", 125),
            PartialSurjection => left("+->>", "⤀", 125),
            TotalSurjection => left("-->>", "↠", 125),
            PartialBijection => left(">+>>", ">+>>", 125),
            TotalBijection => left(">->>", "⤖", 125),
            TotalRelation => left("<<->", "<<->", 125),
            SurjectionRelation => left("<->>", "<->>", 125),
            TotalSurjectionRelation => left("<<->>", "<<->>", 125),
            Override => left("<+", "<+", 160),
            DirectProduct => left("><", "⊗", 160),
            BackwardCompose => left("∘", "∘", 160),
            Concat => left("^", "⌒", 160),
            DomainRestrict => left("<|", "◁", 160),
            DomainSubtract => left("<<|", "⩤", 160),
            RangeRestrict => left("|>", "▷", 160),
            RangeSubtract => left("|>>", "⩥", 160),
            InsertFront => left("->", "⇾", 160),
            InsertTail => left("<-", "⇽", 160),
            Union => left("\\/", "∪", 160),
            Intersection => left("/\\", "∩", 160),
            RestrictFront => left("/|\\", "↑", 160),
            RestrictTail => left("\\|/", "↓", 160),
            Maplet => left("|->", "↦", 160),
            Interval => left("..", "‥", 170),
            Minus => left("-", "−", 180),
            Add => left("+", "+", 180),
            SetMinus => left("\\", "∖", 180),
            Times => left("*", "∗", 190),
            Cartesian => left("×", "×", 190),
            Divide => left("/", "÷", 190),
            Modulo => left("mod", "mod", 190),
            Power => OperatorInfo { ascii: "**", unicode: "**", priority: 200, assoc: Assoc::Right },
        }
    }
}

impl Quantifier {
    pub const fn spelling(self, unicode: bool) -> &'static str {
        match (self, unicode) {
            (Quantifier::Lambda, false) => "%",
            (Quantifier::Lambda, true) => "λ",
            (Quantifier::Sigma, false) => "SIGMA",
            (Quantifier::Sigma, true) => "∑",
            (Quantifier::Pi, false) => "PI",
            (Quantifier::Pi, true) => "∏",
            (Quantifier::Union, false) => "UNION",
            (Quantifier::Union, true) => "⋃",
            (Quantifier::Inter, false) => "INTER",
            (Quantifier::Inter, true) => "⋂",
        }
    }
}

impl Atom {
    pub const fn spelling(self, unicode: bool) -> &'static str {
        match (self, unicode) {
            (Atom::BTrue, false) => "btrue",
            (Atom::BTrue, true) => "⊤",
            (Atom::BFalse, false) => "bfalse",
            (Atom::BFalse, true) => "⊥",
            (Atom::True, _) => "TRUE",
            (Atom::False, _) => "FALSE",
            (Atom::Bool, _) => "BOOL",
            (Atom::Integer, false) => "INTEGER",
            (Atom::Integer, true) => "ℤ",
            (Atom::Natural, false) => "NATURAL",
            (Atom::Natural, true) => "ℕ",
            (Atom::Natural1, false) => "NATURAL1",
            (Atom::Natural1, true) => "ℕ1",
            (Atom::Int, _) => "INT",
            (Atom::Nat, _) => "NAT",
            (Atom::Nat1, _) => "NAT1",
            (Atom::String, _) => "STRING",
            (Atom::Real, false) => "REAL",
            (Atom::Real, true) => "ℝ",
            (Atom::Float, _) => "FLOAT",
            (Atom::MaxInt, _) => "MAXINT",
            (Atom::MinInt, _) => "MININT",
            (Atom::EmptySet, false) => "{}",
            (Atom::EmptySet, true) => "∅",
            (Atom::EmptySequence, _) => "[]",
            (Atom::Succ, _) => "succ",
            (Atom::Pred, _) => "pred",
            (Atom::Prj1, _) => "@prj1",
            (Atom::Prj2, _) => "@prj2",
        }
    }
}

/// Arity and spelling of a keyword function.
pub struct BuiltinInfo {
    pub name: &'static str,
    pub unicode: &'static str,
    pub arity: std::ops::RangeInclusive<usize>,
    /// Keyword only as the head of a call; elsewhere an identifier.
    pub contextual: bool,
}

const fn function(name: &'static str, arity: std::ops::RangeInclusive<usize>) -> BuiltinInfo {
    BuiltinInfo { name, unicode: name, arity, contextual: false }
}

const fn symbol(name: &'static str, unicode: &'static str) -> BuiltinInfo {
    BuiltinInfo { name, unicode, arity: 1..=1, contextual: false }
}

const fn contextual(name: &'static str, arity: std::ops::RangeInclusive<usize>) -> BuiltinInfo {
    BuiltinInfo { name, unicode: name, arity, contextual: true }
}

impl Builtin {
    pub const ALL: [Builtin; 55] = {
        use Builtin::*;
        [
            Bool,
            Finite,
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
            Prj1,
            Prj2,
            Closure,
            Closure1,
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
            Tree,
            Btree,
            Const,
            Top,
            Sons,
            Prefix,
            Postfix,
            SizeT,
            Mirror,
            Rank,
            Father,
            Son,
            Subtree,
            Arity,
            Bin,
            Left,
            Right,
            Infix,
        ]
    };

    pub const fn info(self) -> BuiltinInfo {
        use Builtin::*;
        match self {
            Bool => function("bool", 1..=1),
            Finite => function("@finite", 1..=1),
            Partition => function("@partition", 1..=usize::MAX),
            Max => function("max", 1..=1),
            Min => function("min", 1..=1),
            Card => function("card", 1..=1),
            // These are recent keywords, which older machines use as names.
            Floor => contextual("floor", 1..=1),
            Ceiling => contextual("ceiling", 1..=1),
            Real => contextual("real", 1..=1),
            Pow => symbol("POW", "ℙ"),
            Pow1 => symbol("POW1", "ℙ1"),
            Fin => function("FIN", 1..=1),
            Fin1 => function("FIN1", 1..=1),
            GeneralUnion => function("union", 1..=1),
            GeneralInter => function("inter", 1..=1),
            Dom => function("dom", 1..=1),
            Ran => function("ran", 1..=1),
            Id => function("id", 1..=1),
            Prj1 => function("prj1", 1..=2),
            Prj2 => function("prj2", 1..=2),
            Closure => function("closure", 1..=1),
            Closure1 => function("closure1", 1..=1),
            Iterate => function("iterate", 2..=2),
            Fnc => function("fnc", 1..=1),
            Rel => function("rel", 1..=1),
            Seq => function("seq", 1..=1),
            Seq1 => function("seq1", 1..=1),
            Iseq => function("iseq", 1..=1),
            Iseq1 => function("iseq1", 1..=1),
            Perm => function("perm", 1..=1),
            Size => function("size", 1..=1),
            First => function("first", 1..=1),
            Last => function("last", 1..=1),
            Front => function("front", 1..=1),
            Tail => function("tail", 1..=1),
            Rev => function("rev", 1..=1),
            Conc => function("conc", 1..=1),
            Tree => contextual("tree", 1..=1),
            Btree => contextual("btree", 1..=1),
            Const => contextual("const", 2..=2),
            Top => contextual("top", 1..=1),
            Sons => contextual("sons", 1..=1),
            Prefix => contextual("prefix", 1..=1),
            Postfix => contextual("postfix", 1..=1),
            SizeT => contextual("sizet", 1..=1),
            Mirror => contextual("mirror", 1..=1),
            Rank => contextual("rank", 2..=2),
            Father => contextual("father", 2..=2),
            Son => contextual("son", 3..=3),
            Subtree => contextual("subtree", 2..=2),
            Arity => contextual("arity", 2..=2),
            Bin => contextual("bin", 1..=3),
            Left => contextual("left", 1..=1),
            Right => contextual("right", 1..=1),
            Infix => contextual("infix", 1..=1),
        }
    }
}
