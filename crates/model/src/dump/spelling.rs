//! Spelling and binding strength of operators.
//!
//! Levels are those of the B language; a higher level binds tighter. A wrong level omits parentheses that the text needs.

use crate::expr::{BaseSet, BinaryOp, Expr, QuantifiedOp, TreeOp, UnaryOp};
use crate::pred::{Comparison, Pred};

/// Level inside the brackets of a keyword or an image, where even `;` and `||` need no parentheses.
pub(super) const BRACKETED: u16 = 20;
/// Level at which only `;` and `||` need parentheses.
pub(super) const TOP: u16 = 21;
const ARROW: u16 = 125;
/// Most operators on sets, relations and sequences.
const SETS: u16 = 160;
pub(super) const INTERVAL: u16 = 170;
const SUM: u16 = 180;
const PRODUCT: u16 = 190;
pub(super) const POWER: u16 = 200;
pub(super) const NEGATION: u16 = 210;
pub(super) const POSTFIX: u16 = 230;
const ATOM: u16 = 240;

/// `=>` and `<=>`. In B, `<=>` binds tightest, which surprises readers, so as an operand it always gets parentheses.
pub(super) const IMPLICATION: u16 = 30;
/// `&` and `or`, at one level.
pub(super) const JUNCTION: u16 = 40;

/// Notation of a binary operator.
pub enum BinaryForm {
    /// Between the operands, at a level. Operators of one level associate to the left.
    Infix(&'static str, u16),
    /// `**`, which associates to the right.
    Power,
    /// `prj1(S,T)`
    Function(&'static str),
    /// `f(x)`
    Apply,
    /// `r[S]`
    Image,
}

/// Notation of a binary operator.
pub fn binary(op: BinaryOp) -> BinaryForm {
    use BinaryForm::{Function, Infix};
    use BinaryOp::*;
    match op {
        Add | RealAdd => Infix("+", SUM),
        Subtract | RealSubtract | Difference => Infix("-", SUM),
        Multiply | RealMultiply | Cartesian => Infix("*", PRODUCT),
        Divide | RealDivide => Infix("/", PRODUCT),
        Modulo => Infix("mod", PRODUCT),
        Power | RealPower => BinaryForm::Power,
        Interval => Infix("..", INTERVAL),
        Union => Infix("\\/", SETS),
        Intersection => Infix("/\\", SETS),
        Pair => Infix("|->", SETS),
        Arrow(arrow) => Infix(arrow.text(), ARROW),
        Apply => BinaryForm::Apply,
        Image => BinaryForm::Image,
        DomainRestrict => Infix("<|", SETS),
        DomainSubtract => Infix("<<|", SETS),
        RangeRestrict => Infix("|>", SETS),
        RangeSubtract => Infix("|>>", SETS),
        Override => Infix("<+", SETS),
        Compose => Infix(";", BRACKETED),
        ParallelProduct => Infix("||", BRACKETED),
        DirectProduct => Infix("><", SETS),
        Iterate => Function("iterate"),
        Prj1 => Function("prj1"),
        Prj2 => Function("prj2"),
        Concat | StringConcat => Infix("^", SETS),
        InsertFront => Infix("->", SETS),
        InsertTail => Infix("<-", SETS),
        Take => Infix("/|\\", SETS),
        Drop => Infix("\\|/", SETS),
    }
}

/// True if an operand gets optional parentheses for readability: an arrow of arrows, another operator of a level with unrelated operators, or a
/// difference among set operators.
pub(super) fn is_confusing(operand: &Expr, text: &str, level: u16) -> bool {
    let Expr::Binary(op, ..) = operand else { return false };
    match binary(*op) {
        BinaryForm::Infix(inner, inner_level) => {
            let mixes = matches!(level, BRACKETED | SETS) && inner_level == level && inner != text;
            mixes || (level == ARROW && inner_level == ARROW) || (level == SETS && *op == BinaryOp::Difference)
        }
        _ => false,
    }
}

/// Binding strength of the text of an expression.
pub(super) fn level(expr: &Expr) -> u16 {
    match expr {
        Expr::Integer(value) if value.sign() == num_bigint::Sign::Minus => NEGATION,
        Expr::Real(value) if value.is_sign_negative() => NEGATION,
        Expr::Unary(UnaryOp::Negate | UnaryOp::RealNegate, _) => NEGATION,
        Expr::Unary(UnaryOp::Inverse, _) | Expr::Field(..) => POSTFIX,
        Expr::Binary(op, ..) => match binary(*op) {
            BinaryForm::Infix(_, level) => level,
            BinaryForm::Power => POWER,
            BinaryForm::Function(_) => ATOM,
            BinaryForm::Apply | BinaryForm::Image => POSTFIX,
        },
        _ => ATOM,
    }
}

pub(super) fn pred_level(pred: &Pred) -> u16 {
    match pred {
        Pred::Implies(..) | Pred::Equivalent(..) => IMPLICATION,
        Pred::And(_) | Pred::Or(_) => JUNCTION,
        _ => ATOM,
    }
}

/// Keyword of a unary operator in function notation. Negation and inverse have another notation.
pub fn unary(op: UnaryOp) -> &'static str {
    use UnaryOp::*;
    match op {
        Negate | RealNegate => "-",
        Inverse => "~",
        Floor => "floor",
        Ceiling => "ceiling",
        ToReal => "real",
        Max | RealMax => "max",
        Min | RealMin => "min",
        Card => "card",
        Pow => "POW",
        Pow1 => "POW1",
        Fin => "FIN",
        Fin1 => "FIN1",
        GeneralUnion => "union",
        GeneralInter => "inter",
        First => "prj1",
        Second => "prj2",
        Dom => "dom",
        Ran => "ran",
        Id => "id",
        Closure => "closure",
        Closure1 => "closure1",
        Fnc => "fnc",
        Rel => "rel",
        Seq => "seq",
        Seq1 => "seq1",
        Iseq => "iseq",
        Iseq1 => "iseq1",
        Perm => "perm",
        Size | StringSize => "size",
        SeqFirst => "first",
        SeqLast => "last",
        Front => "front",
        Tail => "tail",
        Rev | StringRev => "rev",
        GeneralConcat | StringGeneralConcat => "conc",
    }
}

/// Keyword of an operator on trees.
pub fn tree(op: TreeOp) -> &'static str {
    use TreeOp::*;
    match op {
        Tree => "tree",
        Btree => "btree",
        Const => "const",
        Top => "top",
        Sons => "sons",
        Prefix => "prefix",
        Postfix => "postfix",
        Infix => "infix",
        SizeT => "sizet",
        Mirror => "mirror",
        Rank => "rank",
        Father => "father",
        Son => "son",
        Subtree => "subtree",
        Arity => "arity",
        Bin => "bin",
        Left => "left",
        Right => "right",
    }
}

pub(super) fn quantified(op: QuantifiedOp) -> &'static str {
    match op {
        QuantifiedOp::Lambda => "%",
        QuantifiedOp::Sigma | QuantifiedOp::RealSigma => "SIGMA",
        QuantifiedOp::Pi | QuantifiedOp::RealPi => "PI",
        QuantifiedOp::Union => "UNION",
        QuantifiedOp::Inter => "INTER",
    }
}

/// Keyword of a predefined set.
pub fn base_set(set: BaseSet) -> &'static str {
    match set {
        BaseSet::Integer => "INTEGER",
        BaseSet::Natural => "NATURAL",
        BaseSet::Natural1 => "NATURAL1",
        BaseSet::Bool => "BOOL",
        BaseSet::String => "STRING",
        BaseSet::Real => "REAL",
    }
}

pub(super) fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "=",
        Comparison::Member => ":",
        Comparison::Subset => "<:",
        Comparison::StrictSubset => "<<:",
        Comparison::Less | Comparison::RealLess => "<",
        Comparison::LessEqual | Comparison::RealLessEqual => "<=",
    }
}

/// Spelling of the negated relation, if B has one.
pub(super) fn negated(op: Comparison) -> Option<&'static str> {
    match op {
        Comparison::Equal => Some("/="),
        Comparison::Member => Some("/:"),
        Comparison::Subset => Some("/<:"),
        Comparison::StrictSubset => Some("/<<:"),
        Comparison::Less | Comparison::LessEqual | Comparison::RealLess | Comparison::RealLessEqual => None,
    }
}

/// Spelling of the converse relation, if B has one.
pub(super) fn mirrored(op: Comparison) -> Option<&'static str> {
    match op {
        Comparison::Less | Comparison::RealLess => Some(">"),
        Comparison::LessEqual | Comparison::RealLessEqual => Some(">="),
        Comparison::Equal | Comparison::Member | Comparison::Subset | Comparison::StrictSubset => None,
    }
}
