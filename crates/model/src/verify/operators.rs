//! Type rules of operators, one function per family: result type against operand types.

use super::typing::is_tuple;
use crate::expr::{BinaryOp, QuantifiedOp, TreeOp, UnaryOp};
use crate::ids::TypeId;
use crate::pred::Comparison;
use crate::types::{Type, TypeTable};

const INTEGER: TypeId = TypeTable::INTEGER;
const REAL: TypeId = TypeTable::REAL;
const STRING: TypeId = TypeTable::STRING;

pub(super) fn unary(types: &TypeTable, op: UnaryOp, arg: TypeId, result: TypeId) -> bool {
    use UnaryOp::*;
    match op {
        Negate | RealNegate | Floor | Ceiling | ToReal | Max | Min | RealMax | RealMin => {
            unary_number(types, op, arg, result)
        }
        Card | Pow | Pow1 | Fin | Fin1 | GeneralUnion | GeneralInter => unary_set(types, op, arg, result),
        First | Second | Dom | Ran | Inverse | Id | Closure | Closure1 | Fnc | Rel => {
            unary_relation(types, op, arg, result).unwrap_or(false)
        }
        Seq | Seq1 | Iseq | Iseq1 | Perm | Size | SeqFirst | SeqLast | Front | Tail | Rev | GeneralConcat => {
            unary_sequence(types, op, arg, result).unwrap_or(false)
        }
        StringSize => (arg, result) == (STRING, INTEGER),
        StringRev => (arg, result) == (STRING, STRING),
        StringGeneralConcat => sequence(types, arg) == Some(STRING) && result == STRING,
    }
}

fn unary_number(types: &TypeTable, op: UnaryOp, arg: TypeId, result: TypeId) -> bool {
    use UnaryOp::*;
    match op {
        Negate => (arg, result) == (INTEGER, INTEGER),
        RealNegate => (arg, result) == (REAL, REAL),
        Floor | Ceiling => (arg, result) == (REAL, INTEGER),
        ToReal => (arg, result) == (INTEGER, REAL),
        Max | Min => types.elem(arg) == Some(INTEGER) && result == INTEGER,
        RealMax | RealMin => types.elem(arg) == Some(REAL) && result == REAL,
        _ => false,
    }
}

fn unary_set(types: &TypeTable, op: UnaryOp, arg: TypeId, result: TypeId) -> bool {
    use UnaryOp::*;
    match op {
        Card => types.elem(arg).is_some() && result == INTEGER,
        Pow | Pow1 | Fin | Fin1 => types.elem(arg).is_some() && types.elem(result) == Some(arg),
        GeneralUnion | GeneralInter => types.elem(result).is_some() && types.elem(arg) == Some(result),
        _ => false,
    }
}

fn unary_relation(types: &TypeTable, op: UnaryOp, arg: TypeId, result: TypeId) -> Option<bool> {
    use UnaryOp::*;
    match op {
        First => return Some(pair(types, arg)?.0 == result),
        Second => return Some(pair(types, arg)?.1 == result),
        Id => {
            let elem = types.elem(arg)?;
            return Some(types.relation(result)? == (elem, elem));
        }
        _ => {}
    }
    let (from, to) = types.relation(arg)?;
    Some(match op {
        Dom => types.elem(result) == Some(from),
        Ran => types.elem(result) == Some(to),
        Inverse => types.relation(result) == Some((to, from)),
        Closure | Closure1 => from == to && result == arg,
        Fnc => types.relation(result).is_some_and(|(arg, set)| arg == from && types.elem(set) == Some(to)),
        Rel => types.relation(result)? == (from, types.elem(to)?),
        _ => false,
    })
}

fn unary_sequence(types: &TypeTable, op: UnaryOp, arg: TypeId, result: TypeId) -> Option<bool> {
    use UnaryOp::*;
    if matches!(op, Seq | Seq1 | Iseq | Iseq1 | Perm) {
        return Some(sequence(types, types.elem(result)?)? == types.elem(arg)?);
    }
    let elem = sequence(types, arg)?;
    Some(match op {
        Size => result == INTEGER,
        SeqFirst | SeqLast => result == elem,
        Front | Tail | Rev => result == arg,
        GeneralConcat => sequence(types, elem).is_some() && result == elem,
        _ => false,
    })
}

pub(super) fn binary(types: &TypeTable, op: BinaryOp, left: TypeId, right: TypeId, result: TypeId) -> bool {
    use BinaryOp::*;
    match op {
        Add | Subtract | Multiply | Divide | Modulo | Power => [left, right, result] == [INTEGER; 3],
        RealAdd | RealSubtract | RealMultiply | RealDivide | RealPower => [left, right, result] == [REAL; 3],
        Interval => [left, right] == [INTEGER; 2] && types.elem(result) == Some(INTEGER),
        Union | Intersection | Difference => types.elem(left).is_some() && right == left && result == left,
        Pair => pair(types, result) == Some((left, right)),
        Cartesian | Arrow(_) | Prj1 | Prj2 => binary_sets(types, op, left, right, result).unwrap_or(false),
        Apply | Image | DomainRestrict | DomainSubtract | RangeRestrict | RangeSubtract | Iterate => {
            relation_and_set(types, op, left, right, result).unwrap_or(false)
        }
        Override | Compose | DirectProduct | ParallelProduct => {
            binary_relations(types, op, left, right, result).unwrap_or(false)
        }
        Concat => sequence(types, left).is_some() && right == left && result == left,
        InsertFront => sequence(types, right) == Some(left) && result == right,
        InsertTail => sequence(types, left) == Some(right) && result == left,
        Take | Drop => sequence(types, left).is_some() && right == INTEGER && result == left,
        StringConcat => [left, right, result] == [STRING; 3],
    }
}

fn binary_sets(types: &TypeTable, op: BinaryOp, left: TypeId, right: TypeId, result: TypeId) -> Option<bool> {
    let elems = (types.elem(left)?, types.elem(right)?);
    Some(match op {
        BinaryOp::Cartesian => types.relation(result)? == elems,
        BinaryOp::Arrow(_) => types.relation(types.elem(result)?)? == elems,
        BinaryOp::Prj1 | BinaryOp::Prj2 => {
            let (from, to) = types.relation(result)?;
            let part = if op == BinaryOp::Prj1 { elems.0 } else { elems.1 };
            pair(types, from)? == elems && to == part
        }
        _ => false,
    })
}

fn relation_and_set(types: &TypeTable, op: BinaryOp, left: TypeId, right: TypeId, result: TypeId) -> Option<bool> {
    use BinaryOp::*;
    let relation = if matches!(op, DomainRestrict | DomainSubtract) { right } else { left };
    let (from, to) = types.relation(relation)?;
    Some(match op {
        Apply => right == from && result == to,
        Image => types.elem(right)? == from && types.elem(result)? == to,
        DomainRestrict | DomainSubtract => types.elem(left)? == from && result == relation,
        RangeRestrict | RangeSubtract => types.elem(right)? == to && result == relation,
        Iterate => from == to && right == INTEGER && result == relation,
        _ => false,
    })
}

fn binary_relations(types: &TypeTable, op: BinaryOp, left: TypeId, right: TypeId, result: TypeId) -> Option<bool> {
    let ((from, to), (from_right, to_right)) = (types.relation(left)?, types.relation(right)?);
    let (from_result, to_result) = types.relation(result)?;
    Some(match op {
        BinaryOp::Override => right == left && result == left,
        BinaryOp::Compose => to == from_right && (from_result, to_result) == (from, to_right),
        BinaryOp::DirectProduct => {
            from_right == from && from_result == from && pair(types, to_result)? == (to, to_right)
        }
        BinaryOp::ParallelProduct => {
            pair(types, from_result)? == (from, from_right) && pair(types, to_result)? == (to, to_right)
        }
        _ => false,
    })
}

/// Type rule of operators on trees. A tree is a function from paths, which are sequences of integers, to labels.
pub(super) fn tree(types: &TypeTable, op: TreeOp, args: &[TypeId], result: TypeId) -> bool {
    tree_inner(types, op, args, result).unwrap_or(false)
}

fn tree_inner(types: &TypeTable, op: TreeOp, args: &[TypeId], result: TypeId) -> Option<bool> {
    use TreeOp::*;
    let path = |ty| sequence(types, ty) == Some(INTEGER);
    Some(match (op, args) {
        (Tree | Btree, [labels]) => label(types, types.elem(result)?)? == types.elem(*labels)?,
        (Const, [top, sons]) => label(types, result)? == *top && sequence(types, *sons)? == result,
        (Top, [tree]) => label(types, *tree)? == result,
        (Sons, [tree]) => label(types, *tree).is_some() && sequence(types, result)? == *tree,
        (Prefix | Postfix | Infix, [tree]) => label(types, *tree)? == sequence(types, result)?,
        (SizeT, [tree]) => label(types, *tree).is_some() && result == INTEGER,
        (Mirror | Left | Right, [tree]) => label(types, *tree).is_some() && result == *tree,
        (Rank | Arity, [tree, at]) => label(types, *tree).is_some() && path(*at) && result == INTEGER,
        (Father, [tree, at]) => label(types, *tree).is_some() && path(*at) && result == *at,
        (Son, [tree, at, idx]) => label(types, *tree).is_some() && path(*at) && *idx == INTEGER && result == *at,
        (Subtree, [tree, at]) => label(types, *tree).is_some() && path(*at) && result == *tree,
        (Bin, [top]) => label(types, result)? == *top,
        (Bin, [left, top, right]) => label(types, result)? == *top && [*left, *right] == [result; 2],
        _ => false,
    })
}

pub(super) fn quantified(types: &TypeTable, op: QuantifiedOp, binder: &[TypeId], expr: TypeId, result: TypeId) -> bool {
    match op {
        QuantifiedOp::Lambda => {
            types.relation(result).is_some_and(|(from, to)| is_tuple(types, from, binder) && to == expr)
        }
        QuantifiedOp::Sigma | QuantifiedOp::Pi => (expr, result) == (INTEGER, INTEGER),
        QuantifiedOp::RealSigma | QuantifiedOp::RealPi => (expr, result) == (REAL, REAL),
        QuantifiedOp::Union | QuantifiedOp::Inter => types.elem(expr).is_some() && result == expr,
    }
}

pub(super) fn comparison(types: &TypeTable, op: Comparison, left: TypeId, right: TypeId) -> bool {
    match op {
        Comparison::Equal => left == right,
        Comparison::Member => types.elem(right) == Some(left),
        Comparison::Subset | Comparison::StrictSubset => types.elem(left).is_some() && left == right,
        Comparison::Less | Comparison::LessEqual => (left, right) == (INTEGER, INTEGER),
        Comparison::RealLess | Comparison::RealLessEqual => (left, right) == (REAL, REAL),
    }
}

fn pair(types: &TypeTable, ty: TypeId) -> Option<(TypeId, TypeId)> {
    match types.get(ty) {
        Type::Pair(first, second) => Some((*first, *second)),
        _ => None,
    }
}

/// `T` in `POW(INTEGER*T)`.
fn sequence(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    types.relation(ty).filter(|(idx, _)| *idx == INTEGER).map(|(_, elem)| elem)
}

/// Type of the labels of a tree.
fn label(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    let (path, label) = types.relation(ty)?;
    (sequence(types, path)? == INTEGER).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOL: TypeId = TypeTable::BOOL;

    struct Fixture {
        types: TypeTable,
        odd: TypeId,
    }

    impl Fixture {
        fn new() -> Self {
            let mut types = TypeTable::new();
            let odd = types.intern(Type::Record(vec![("odd".into(), BOOL)]));
            Fixture { types, odd }
        }

        fn relation(&mut self, from: TypeId, to: TypeId) -> TypeId {
            let pair = self.types.pair(from, to);
            self.types.pow(pair)
        }

        /// Asserts that the types fit, and that no single one can be replaced by an unrelated type.
        fn check(&self, name: impl std::fmt::Debug, good: &[TypeId], fits: impl Fn(&TypeTable, &[TypeId]) -> bool) {
            assert!(fits(&self.types, good), "{name:?}");
            for idx in 0..good.len() {
                let mut bad = good.to_vec();
                bad[idx] = self.odd;
                assert!(!fits(&self.types, &bad), "{name:?} with a wrong type at {idx}");
            }
        }
    }

    #[test]
    fn unary_operators() {
        use UnaryOp::*;
        let mut f = Fixture::new();
        let [integers, bools, reals] = [INTEGER, BOOL, REAL].map(|ty| f.types.pow(ty));
        let (sets, pair) = (f.types.pow(integers), f.types.pair(INTEGER, BOOL));
        let (flags, back, square) =
            (f.relation(INTEGER, BOOL), f.relation(BOOL, INTEGER), f.relation(INTEGER, INTEGER));
        let (to_sets, nested, strings) =
            (f.relation(INTEGER, bools), f.relation(INTEGER, flags), f.relation(INTEGER, STRING));
        let sequences = f.types.pow(flags);
        let table: &[(&[UnaryOp], [TypeId; 2])] = &[
            (&[Negate], [INTEGER, INTEGER]),
            (&[RealNegate], [REAL, REAL]),
            (&[Floor, Ceiling], [REAL, INTEGER]),
            (&[ToReal], [INTEGER, REAL]),
            (&[Max, Min], [integers, INTEGER]),
            (&[RealMax, RealMin], [reals, REAL]),
            (&[Card], [bools, INTEGER]),
            (&[Pow, Pow1, Fin, Fin1], [integers, sets]),
            (&[GeneralUnion, GeneralInter], [sets, integers]),
            (&[First], [pair, INTEGER]),
            (&[Second], [pair, BOOL]),
            (&[Dom], [flags, integers]),
            (&[Ran], [flags, bools]),
            (&[Inverse], [flags, back]),
            (&[Id], [integers, square]),
            (&[Closure, Closure1], [square, square]),
            (&[Fnc], [flags, to_sets]),
            (&[Rel], [to_sets, flags]),
            (&[Seq, Seq1, Iseq, Iseq1, Perm], [bools, sequences]),
            (&[Size], [flags, INTEGER]),
            (&[SeqFirst, SeqLast], [flags, BOOL]),
            (&[Front, Tail, Rev], [flags, flags]),
            (&[GeneralConcat], [nested, flags]),
            (&[StringSize], [STRING, INTEGER]),
            (&[StringRev], [STRING, STRING]),
            (&[StringGeneralConcat], [strings, STRING]),
        ];
        for (ops, good) in table {
            for op in *ops {
                f.check(op, good, |types, ty| unary(types, *op, ty[0], ty[1]));
            }
        }
        assert!(!unary(&f.types, Size, back, INTEGER), "a sequence is indexed by integers");
        assert!(!unary(&f.types, Closure1, flags, flags), "a closure needs one type");
    }

    #[test]
    fn binary_operators() {
        use BinaryOp::*;
        let mut f = Fixture::new();
        let [integers, bools] = [INTEGER, BOOL].map(|ty| f.types.pow(ty));
        let (pair, labelled) = (f.types.pair(INTEGER, BOOL), f.types.pair(BOOL, STRING));
        let (flags, square, names) =
            (f.relation(INTEGER, BOOL), f.relation(INTEGER, INTEGER), f.relation(BOOL, STRING));
        let (through, functions) = (f.relation(INTEGER, STRING), f.types.pow(flags));
        let (first, second) = (f.relation(pair, INTEGER), f.relation(pair, BOOL));
        let (direct, parallel) = (f.relation(INTEGER, labelled), f.relation(pair, labelled));
        let table: &[(&[BinaryOp], [TypeId; 3])] = &[
            (&[Add, Subtract, Multiply, Divide, Modulo, Power], [INTEGER; 3]),
            (&[RealAdd, RealSubtract, RealMultiply, RealDivide, RealPower], [REAL; 3]),
            (&[Interval], [INTEGER, INTEGER, integers]),
            (&[Union, Intersection, Difference], [bools; 3]),
            (&[Cartesian], [integers, bools, flags]),
            (&[Pair], [INTEGER, BOOL, pair]),
            (&[Arrow(crate::Arrow::TOTAL)], [integers, bools, functions]),
            (&[Apply], [flags, INTEGER, BOOL]),
            (&[Image], [flags, integers, bools]),
            (&[DomainRestrict, DomainSubtract], [integers, flags, flags]),
            (&[RangeRestrict, RangeSubtract], [flags, bools, flags]),
            (&[Override], [flags; 3]),
            (&[Compose], [flags, names, through]),
            (&[DirectProduct], [flags, through, direct]),
            (&[ParallelProduct], [flags, names, parallel]),
            (&[Iterate], [square, INTEGER, square]),
            (&[Prj1], [integers, bools, first]),
            (&[Prj2], [integers, bools, second]),
            (&[Concat], [flags; 3]),
            (&[InsertFront], [BOOL, flags, flags]),
            (&[InsertTail], [flags, BOOL, flags]),
            (&[Take, Drop], [flags, INTEGER, flags]),
            (&[StringConcat], [STRING; 3]),
        ];
        for (ops, good) in table {
            for op in *ops {
                f.check(op, good, |types, ty| binary(types, *op, ty[0], ty[1], ty[2]));
            }
        }
    }

    #[test]
    fn tree_operators() {
        use TreeOp::*;
        let mut f = Fixture::new();
        let (path, labels) = (f.relation(INTEGER, INTEGER), f.types.pow(BOOL));
        let node = f.relation(path, BOOL);
        let (trees, forest, walk) = (f.types.pow(node), f.relation(INTEGER, node), f.relation(INTEGER, BOOL));
        let table: &[(&[TreeOp], &[TypeId])] = &[
            (&[Tree, Btree], &[labels, trees]),
            (&[Const], &[BOOL, forest, node]),
            (&[Top], &[node, BOOL]),
            (&[Sons], &[node, forest]),
            (&[Prefix, Postfix, Infix], &[node, walk]),
            (&[SizeT], &[node, INTEGER]),
            (&[Mirror, Left, Right], &[node, node]),
            (&[Rank, Arity], &[node, path, INTEGER]),
            (&[Father], &[node, path, path]),
            (&[Son], &[node, path, INTEGER, path]),
            (&[Subtree], &[node, path, node]),
            (&[Bin], &[BOOL, node]),
            (&[Bin], &[node, BOOL, node, node]),
        ];
        for (ops, good) in table {
            for op in *ops {
                f.check(op, good, |types, ty| tree(types, *op, &ty[..ty.len() - 1], ty[ty.len() - 1]));
            }
        }
        assert!(!tree(&f.types, Top, &[node, node], BOOL), "one argument too many");
    }

    #[test]
    fn quantified_operators_and_comparisons() {
        let mut f = Fixture::new();
        let (bools, flags) = (f.types.pow(BOOL), f.relation(INTEGER, BOOL));
        f.check("lambda", &[INTEGER, BOOL, flags], |types, ty| {
            quantified(types, QuantifiedOp::Lambda, &ty[..1], ty[1], ty[2])
        });
        let table: &[(&[QuantifiedOp], [TypeId; 2])] = &[
            (&[QuantifiedOp::Sigma, QuantifiedOp::Pi], [INTEGER; 2]),
            (&[QuantifiedOp::RealSigma, QuantifiedOp::RealPi], [REAL; 2]),
            (&[QuantifiedOp::Union, QuantifiedOp::Inter], [bools; 2]),
        ];
        for (ops, good) in table {
            for op in *ops {
                f.check(op, good, |types, ty| quantified(types, *op, &[INTEGER], ty[0], ty[1]));
            }
        }
        let table: &[(&[Comparison], [TypeId; 2])] = &[
            (&[Comparison::Equal], [INTEGER; 2]),
            (&[Comparison::Member], [BOOL, bools]),
            (&[Comparison::Subset, Comparison::StrictSubset], [bools; 2]),
            (&[Comparison::Less, Comparison::LessEqual], [INTEGER; 2]),
            (&[Comparison::RealLess, Comparison::RealLessEqual], [REAL; 2]),
        ];
        for (ops, good) in table {
            for op in *ops {
                f.check(op, good, |types, ty| comparison(types, *op, ty[0], ty[1]));
            }
        }
    }
}
