//! Token kinds and reserved words.
//!
//! The table of reserved words is sorted; [`reserved`] would miss words that are out of order.

use crate::ast::{Atom, BinaryOp, Builtin, Quantifier};

/// Token: kind and position. Its text is looked up in the source on demand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    EndOfFile,
    /// Name that is not reserved.
    Ident,
    /// `` `name` ``
    QuotedIdent,
    /// Decimal or hexadecimal.
    Integer,
    Real,
    /// `"..."`
    String,
    /// `'''...'''`
    LongString,
    /// Three back quotes that open a template.
    TemplateOpen,
    TemplateText,
    /// `${`
    TemplateExprOpen,
    /// `}` that closes a `${`.
    TemplateExprClose,
    /// Three back quotes that close a template.
    TemplateClose,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Semicolon,
    Bar,
    /// ASCII dot, inside names and after bound variables.
    Dot,
    /// `·`, only after bound variables.
    MiddleDot,
    /// `'`
    Quote,
    /// `~`
    Inverse,
    /// `$0`
    DollarZero,
    /// `:=`
    Assign,
    /// `::`
    BecomesElement,
    /// `<--`
    Outputs,
    /// `==`
    DefinedAs,
    /// `⦂`
    OfType,
    And,
    Or,
    Not,
    Forall,
    Exists,
    Quantifier(Quantifier),
    /// Infix operator other than `&`, `or` and `;`.
    Op(BinaryOp),
    /// Relation with its operands exchanged, such as `∋`.
    Reversed(BinaryOp),
    Atom(Atom),
    Builtin(Builtin),
    Keyword(Keyword),
}

/// Keywords of machines, clauses and substitutions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Keyword {
    Machine,
    Model,
    System,
    Refinement,
    Implementation,
    Refines,
    Constraints,
    Sees,
    Uses,
    Includes,
    Extends,
    Imports,
    Promotes,
    Sets,
    FreeTypes,
    Constants,
    ConcreteConstants,
    AbstractConstants,
    Properties,
    Values,
    Variables,
    AbstractVariables,
    ConcreteVariables,
    Invariant,
    Assertions,
    Initialisation,
    Operations,
    Events,
    LocalOperations,
    Definitions,
    Expressions,
    Predicates,
    Any,
    Assert,
    Be,
    Begin,
    Case,
    Choice,
    Do,
    Either,
    Else,
    Elsif,
    End,
    If,
    In,
    Let,
    Of,
    /// `OR` in CHOICE and CASE.
    Or,
    Pre,
    Rec,
    Select,
    Skip,
    Struct,
    Then,
    Var,
    Variant,
    When,
    Where,
    While,
    Witness,
}

impl Keyword {
    /// True if the keyword starts a clause of a machine. INVARIANT also occurs inside WHILE.
    pub(crate) fn is_clause(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Constraints
                | Sees
                | Uses
                | Includes
                | Extends
                | Imports
                | Promotes
                | Sets
                | FreeTypes
                | Constants
                | ConcreteConstants
                | AbstractConstants
                | Properties
                | Values
                | Variables
                | AbstractVariables
                | ConcreteVariables
                | Invariant
                | Assertions
                | Initialisation
                | Operations
                | Events
                | LocalOperations
                | Definitions
                | Expressions
                | Predicates
                | Refines
        )
    }

    /// True if the keyword starts a machine.
    pub(crate) fn is_machine(self) -> bool {
        use Keyword::*;
        matches!(self, Machine | Model | System | Refinement | Implementation)
    }

    /// True if the keyword opens a block with an END of its own.
    pub(crate) fn opens_block(self) -> bool {
        use Keyword::*;
        matches!(self, Any | Assert | Begin | Case | Choice | Either | If | Let | Pre | Select | Var | While | Witness)
    }

    /// True if the keyword starts a substitution and never a formula.
    pub(crate) fn starts_only_substitution(self) -> bool {
        use Keyword::*;
        matches!(self, Any | Assert | Begin | Case | Choice | Pre | Select | Skip | Var | While | Witness)
    }
}

use Keyword as K;
use TokenKind as T;

/// All reserved words, sorted, so that [`reserved`] compares only words with the right first letter.
const RESERVED: &[(&str, TokenKind)] = &[
    ("ABSTRACT_CONSTANTS", T::Keyword(K::AbstractConstants)),
    ("ABSTRACT_VARIABLES", T::Keyword(K::AbstractVariables)),
    ("ANY", T::Keyword(K::Any)),
    ("ASSERT", T::Keyword(K::Assert)),
    ("ASSERTIONS", T::Keyword(K::Assertions)),
    ("BE", T::Keyword(K::Be)),
    ("BEGIN", T::Keyword(K::Begin)),
    ("BOOL", T::Atom(Atom::Bool)),
    ("CASE", T::Keyword(K::Case)),
    ("CHOICE", T::Keyword(K::Choice)),
    ("CONCRETE_CONSTANTS", T::Keyword(K::ConcreteConstants)),
    ("CONCRETE_VARIABLES", T::Keyword(K::ConcreteVariables)),
    ("CONSTANTS", T::Keyword(K::Constants)),
    ("CONSTRAINTS", T::Keyword(K::Constraints)),
    ("DEFINITIONS", T::Keyword(K::Definitions)),
    ("DO", T::Keyword(K::Do)),
    ("EITHER", T::Keyword(K::Either)),
    ("ELSE", T::Keyword(K::Else)),
    ("ELSIF", T::Keyword(K::Elsif)),
    ("END", T::Keyword(K::End)),
    ("EVENTS", T::Keyword(K::Events)),
    ("EXPRESSIONS", T::Keyword(K::Expressions)),
    ("EXTENDS", T::Keyword(K::Extends)),
    ("FALSE", T::Atom(Atom::False)),
    ("FIN", T::Builtin(Builtin::Fin)),
    ("FIN1", T::Builtin(Builtin::Fin1)),
    ("FLOAT", T::Atom(Atom::Float)),
    ("FREETYPES", T::Keyword(K::FreeTypes)),
    ("IF", T::Keyword(K::If)),
    ("IMPLEMENTATION", T::Keyword(K::Implementation)),
    ("IMPORTS", T::Keyword(K::Imports)),
    ("IN", T::Keyword(K::In)),
    ("INCLUDES", T::Keyword(K::Includes)),
    ("INITIALISATION", T::Keyword(K::Initialisation)),
    ("INITIALIZATION", T::Keyword(K::Initialisation)),
    ("INT", T::Atom(Atom::Int)),
    ("INTEGER", T::Atom(Atom::Integer)),
    ("INTER", T::Quantifier(Quantifier::Inter)),
    ("INVARIANT", T::Keyword(K::Invariant)),
    ("LET", T::Keyword(K::Let)),
    ("LOCAL_OPERATIONS", T::Keyword(K::LocalOperations)),
    ("MACHINE", T::Keyword(K::Machine)),
    ("MAXINT", T::Atom(Atom::MaxInt)),
    ("MININT", T::Atom(Atom::MinInt)),
    ("MODEL", T::Keyword(K::Model)),
    ("NAT", T::Atom(Atom::Nat)),
    ("NAT1", T::Atom(Atom::Nat1)),
    ("NATURAL", T::Atom(Atom::Natural)),
    ("NATURAL1", T::Atom(Atom::Natural1)),
    ("OF", T::Keyword(K::Of)),
    ("OPERATIONS", T::Keyword(K::Operations)),
    ("OR", T::Keyword(K::Or)),
    ("PI", T::Quantifier(Quantifier::Pi)),
    ("POW", T::Builtin(Builtin::Pow)),
    ("POW1", T::Builtin(Builtin::Pow1)),
    ("PRE", T::Keyword(K::Pre)),
    ("PREDICATES", T::Keyword(K::Predicates)),
    ("PROMOTES", T::Keyword(K::Promotes)),
    ("PROPERTIES", T::Keyword(K::Properties)),
    ("REAL", T::Atom(Atom::Real)),
    ("REFINEMENT", T::Keyword(K::Refinement)),
    ("REFINES", T::Keyword(K::Refines)),
    ("SEES", T::Keyword(K::Sees)),
    ("SELECT", T::Keyword(K::Select)),
    ("SETS", T::Keyword(K::Sets)),
    ("SIGMA", T::Quantifier(Quantifier::Sigma)),
    ("STRING", T::Atom(Atom::String)),
    ("SYSTEM", T::Keyword(K::System)),
    ("THEN", T::Keyword(K::Then)),
    ("TRUE", T::Atom(Atom::True)),
    ("UNION", T::Quantifier(Quantifier::Union)),
    ("USES", T::Keyword(K::Uses)),
    ("VALUES", T::Keyword(K::Values)),
    ("VAR", T::Keyword(K::Var)),
    ("VARIABLES", T::Keyword(K::Variables)),
    ("VARIANT", T::Keyword(K::Variant)),
    ("WHEN", T::Keyword(K::When)),
    ("WHERE", T::Keyword(K::Where)),
    ("WHILE", T::Keyword(K::While)),
    ("WITNESS", T::Keyword(K::Witness)),
    ("bfalse", T::Atom(Atom::BFalse)),
    ("bool", T::Builtin(Builtin::Bool)),
    ("btrue", T::Atom(Atom::BTrue)),
    ("card", T::Builtin(Builtin::Card)),
    ("closure", T::Builtin(Builtin::Closure)),
    ("closure1", T::Builtin(Builtin::Closure1)),
    ("conc", T::Builtin(Builtin::Conc)),
    ("dom", T::Builtin(Builtin::Dom)),
    ("first", T::Builtin(Builtin::First)),
    ("fnc", T::Builtin(Builtin::Fnc)),
    ("front", T::Builtin(Builtin::Front)),
    ("id", T::Builtin(Builtin::Id)),
    ("inter", T::Builtin(Builtin::GeneralInter)),
    ("iseq", T::Builtin(Builtin::Iseq)),
    ("iseq1", T::Builtin(Builtin::Iseq1)),
    ("iterate", T::Builtin(Builtin::Iterate)),
    ("last", T::Builtin(Builtin::Last)),
    ("max", T::Builtin(Builtin::Max)),
    ("min", T::Builtin(Builtin::Min)),
    ("mod", T::Op(BinaryOp::Modulo)),
    ("not", T::Not),
    ("or", T::Or),
    ("perm", T::Builtin(Builtin::Perm)),
    ("pred", T::Atom(Atom::Pred)),
    ("prj1", T::Builtin(Builtin::Prj1)),
    ("prj2", T::Builtin(Builtin::Prj2)),
    ("ran", T::Builtin(Builtin::Ran)),
    ("rec", T::Keyword(K::Rec)),
    ("rel", T::Builtin(Builtin::Rel)),
    ("rev", T::Builtin(Builtin::Rev)),
    ("seq", T::Builtin(Builtin::Seq)),
    ("seq1", T::Builtin(Builtin::Seq1)),
    ("size", T::Builtin(Builtin::Size)),
    ("skip", T::Keyword(K::Skip)),
    ("struct", T::Keyword(K::Struct)),
    ("succ", T::Atom(Atom::Succ)),
    ("tail", T::Builtin(Builtin::Tail)),
    ("union", T::Builtin(Builtin::GeneralUnion)),
];

/// Index of the first word of each ASCII letter in [`RESERVED`].
const FIRST: [u8; 129] = {
    let mut first = [0u8; 129];
    let mut letter = 0;
    let mut idx = 0;
    while letter < 129 {
        while idx < RESERVED.len() && (RESERVED[idx].0.as_bytes()[0] as usize) < letter {
            idx += 1;
        }
        first[letter] = idx as u8;
        letter += 1;
    }
    first
};

/// Token of a reserved word.
pub(crate) fn reserved(word: &str) -> Option<TokenKind> {
    let letter = word.bytes().next().filter(u8::is_ascii)? as usize;
    let group = &RESERVED[FIRST[letter] as usize..FIRST[letter + 1] as usize];
    group.iter().find(|(text, _)| *text == word).map(|(_, kind)| *kind)
}

/// Keywords of clauses, for suggestions.
pub(crate) fn clause_words() -> impl Iterator<Item = (&'static str, Keyword)> {
    RESERVED.iter().filter_map(|(word, kind)| match kind {
        TokenKind::Keyword(keyword) if keyword.is_clause() => Some((*word, *keyword)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_and_found() {
        assert!(RESERVED.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (word, kind) in RESERVED {
            assert_eq!(reserved(word), Some(*kind), "{word}");
        }
        assert_eq!(reserved("machine"), None);
        assert_eq!(reserved("zz"), None);
        assert_eq!(reserved("émile"), None);
    }
}
