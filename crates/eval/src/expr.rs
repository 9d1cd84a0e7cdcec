//! Values of expressions: one function per operator, one file per family.
//!
//! [`Session::expr`] evaluates without expanding symbolic sets; [`Session::value`] expands finite ones. To find the meaning of an operator, look it
//! up in [`Session::unary`](Session) and [`Session::binary`](Session) below and follow the call.

mod arith;
mod changes;
mod quantified;
mod record;
mod relation;
mod sequence;
mod set;
mod string;
pub(crate) mod tree;

pub use arith::MAX_BITS;

use abridge_diag::with_stack;
use abridge_model::{BaseSet, BinaryOp, Binding, Expr, ExprId, LocalId, QuantifiedOp, UnaryOp};
use abridge_value::{Int, Set, Value};

pub use relation::cases;

use crate::domain::{Closure, Env, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::Session;

impl Session<'_> {
    /// Value of an expression; sets may stay symbolic.
    pub fn expr(&self, id: ExprId, env: &Env) -> Result<Val> {
        self.tick()?;
        let node = &self.model().exprs[id];
        // Most nodes are names and numbers, which need no recursion.
        let known = match &node.expr {
            Expr::Variable(id) => env.variable(*id),
            Expr::Local(id) => env.local(*id),
            Expr::Constant(id) => env.constant(*id),
            Expr::Integer(int) => return Ok(Int::from(int).into()),
            _ => None,
        };
        match known {
            Some(val) => Ok(val.clone()),
            None => with_stack(|| self.expr_inner(id, env)).map_err(|error| error.at(node.span)),
        }
    }

    /// Value of an expression; only infinite or very large sets stay symbolic.
    pub fn value(&self, id: ExprId, env: &Env) -> Result<Val> {
        match self.expr(id, env)? {
            val @ Val::Value(_) => Ok(val),
            val => self.force(&val, env).map_err(|error| error.at(self.model().exprs[id].span)),
        }
    }

    fn expr_inner(&self, id: ExprId, env: &Env) -> Result<Val> {
        match self.model().expr(id) {
            Expr::Integer(int) => Ok(Int::from(int).into()),
            Expr::Real(real) => Ok(Value::real(*real).into()),
            Expr::String(text) => Ok(Value::from(text.as_str()).into()),
            Expr::Bool(flag) => Ok((*flag).into()),
            Expr::Element(set, index) => Ok(Value::element(set.0, *index).into()),
            Expr::Constant(id) => {
                let unassigned = || ErrorKind::Unassigned(self.model().constants[*id].name.to_string()).into();
                env.constant(*id).cloned().ok_or_else(unassigned)
            }
            Expr::Variable(id) => {
                let unassigned = || ErrorKind::Unassigned(self.model().variables[*id].name.to_string()).into();
                env.variable(*id).cloned().ok_or_else(unassigned)
            }
            Expr::Local(id) => self.local(*id, env),
            Expr::Carrier(set) => Ok(Set::carrier(set.0, self.model().sets[*set].size()).into()),
            Expr::FreeType(id) => Ok(SymbolicSet::FreeType(*id).into()),
            Expr::BaseSet(BaseSet::Bool) => Ok(Set::booleans().into()),
            Expr::BaseSet(base) => Ok(SymbolicSet::Base(*base).into()),
            Expr::EmptySet => Ok(Set::EMPTY.into()),
            Expr::Unary(op, operand) => self.unary(*op, *operand, id, env),
            Expr::Binary(BinaryOp::Apply, function, arg) if let Some(cases) = cases(self.model(), *function) => {
                self.chosen(&cases, *function, *arg, env)
            }
            Expr::Binary(op, left, right) => self.binary(*op, *left, *right, id, env),
            Expr::Tree(op, args) => self.tree(*op, args, env),
            Expr::SetExtension(items) => self.set_extension(items, env),
            Expr::SequenceExtension(items) => self.sequence_extension(items, env),
            Expr::Record(fields) => self.record(fields, id, env),
            Expr::StructSet(fields) => self.struct_set(fields, id, env),
            Expr::Field(record, field) => self.expr(*record, env)?.field(*field),
            Expr::WithField(record, field, val) => self.with_field(*record, *field, *val, env),
            Expr::Comprehension { .. } | Expr::SetImage { .. } => Ok(self.capture(id, env)),
            Expr::Quantified { op: QuantifiedOp::Lambda | QuantifiedOp::Union, .. } => Ok(self.capture(id, env)),
            Expr::Quantified { op, binder, pred, expr, .. } => {
                match self.fragments().and_then(|fragments| fragments.expr(self, id, env)) {
                    Some(value) => Ok(value.into()),
                    None => self.quantified(*op, binder, *pred, *expr, env),
                }
            }
            Expr::If(condition, then, otherwise) => {
                let branch = if self.pred(*condition, env)? { then } else { otherwise };
                self.expr(*branch, env)
            }
            Expr::Let { bindings, body } => self.expr(*body, &self.bind_let(bindings, env)?),
            Expr::BoolOf(pred) => Ok(self.pred(*pred, env)?.into()),
            Expr::Constructor(id, constructor) => Ok(self.constructor(*id, *constructor)),
            Expr::Successor => Ok(SymbolicSet::Successor.into()),
            Expr::Predecessor => Ok(SymbolicSet::Predecessor.into()),
            Expr::FirstProjection => self.projection(BinaryOp::Prj1, id),
            Expr::SecondProjection => self.projection(BinaryOp::Prj2, id),
            Expr::Template(parts) => self.template(parts, env),
            Expr::External(external, args) => self.interp.hooks().externals.expr(self, *external, args, id, env),
            Expr::CallOperation(op, args) => self.query(*op, args, env),
        }
    }

    pub fn local(&self, id: LocalId, env: &Env) -> Result<Val> {
        let unassigned = || ErrorKind::Unassigned(self.model().locals[id].name.to_string()).into();
        env.local(id).cloned().ok_or_else(unassigned)
    }

    pub fn bind_let(&self, bindings: &[Binding], env: &Env) -> Result<Env> {
        let mut env = env.clone();
        for binding in bindings {
            env = env.bind(binding.local, self.value(binding.value, &env)?);
        }
        Ok(env)
    }

    /// Closure of an expression with bound variables: the expression with the values of the names that it reads.
    fn capture(&self, expr: ExprId, env: &Env) -> Val {
        let names = self.interp.names_of_expr(expr);
        SymbolicSet::Closure(Closure { expr, scope: env.scope.restricted(&names.variables, &names.locals) }).into()
    }

    fn unary(&self, op: UnaryOp, operand: ExprId, id: ExprId, env: &Env) -> Result<Val> {
        use UnaryOp as U;
        let val = self.expr(operand, env)?;
        match op {
            U::Negate | U::RealNegate | U::Floor | U::Ceiling | U::ToReal => self.unary_number(op, &val),
            U::Max | U::Min | U::RealMax | U::RealMin => self.extremum(op, &val, env),
            U::Card => Ok(self.cardinality(&val, env)?.into()),
            U::Pow | U::Pow1 | U::Fin | U::Fin1 => Ok(SymbolicSet::unary(op, val)),
            U::GeneralUnion => self.general_union(val),
            U::GeneralInter => self.general_inter(val, env),
            U::First => Ok(val.split()?.0),
            U::Second => Ok(val.split()?.1),
            U::Dom => self.dom(&val, env),
            U::Ran => self.ran(&val, env),
            U::Inverse => self.inverse(&val, env),
            U::Id => {
                self.charge_copies([&val])?;
                Ok(self.identity(val))
            }
            U::Closure => self.closure(val, id),
            U::Closure1 => self.closure1(val),
            U::Fnc => {
                self.charge_copies([&val])?;
                Ok(self.fnc(val))
            }
            U::Rel => self.rel(val, env),
            U::Seq | U::Seq1 | U::Iseq | U::Iseq1 | U::Perm => Ok(SymbolicSet::unary(op, val)),
            U::Size | U::SeqFirst | U::SeqLast | U::Front | U::Tail | U::Rev | U::GeneralConcat => {
                self.charge_copies([&val])?;
                self.unary_sequence(op, &val, env)
            }
            U::StringSize | U::StringRev | U::StringGeneralConcat => self.unary_string(op, &val, env),
        }
    }

    fn binary(&self, op: BinaryOp, left: ExprId, right: ExprId, id: ExprId, env: &Env) -> Result<Val> {
        use BinaryOp as B;
        let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
        if copies(op) {
            self.charge_copies([&left, &right])?;
        }
        match op {
            B::Add | B::Subtract | B::Multiply | B::Divide | B::Modulo | B::Power => self.integers(op, &left, &right),
            B::RealAdd | B::RealSubtract | B::RealMultiply | B::RealDivide | B::RealPower => {
                self.reals(op, &left, &right)
            }
            B::Interval => Ok(Set::interval(left.int()?, right.int()?).into()),
            B::Union => match (left.as_set(), right.as_set()) {
                (None, Some(changes)) => self.altered(op, &left, changes, env),
                (Some(changes), None) => self.altered(op, &right, changes, env),
                _ => Ok(self.union(&left, &right)),
            },
            B::Intersection => Ok(self.intersection(&left, &right)),
            B::Difference => match (left.as_set(), right.as_set()) {
                (None, Some(changes)) => self.altered(op, &left, changes, env),
                _ => Ok(self.difference(&left, &right)),
            },
            B::Cartesian => Ok(self.cartesian(&left, &right)),
            B::Pair => Ok(Val::pair(self.force(&left, env)?, self.force(&right, env)?)),
            B::Arrow(_) => Ok(SymbolicSet::binary(op, left, right)),
            B::Apply => self.apply(&left, &right, env),
            B::Image => self.image(&left, &right, env),
            B::DomainRestrict | B::DomainSubtract | B::RangeRestrict | B::RangeSubtract => {
                self.restrict(op, left, right, env)
            }
            B::Override | B::Compose | B::DirectProduct | B::ParallelProduct => self.relations(op, left, right, env),
            B::Iterate => self.iterate(left, &right, id),
            B::Prj1 | B::Prj2 => Ok(SymbolicSet::binary(op, left, right)),
            B::Concat | B::InsertFront | B::InsertTail | B::Take | B::Drop => {
                self.binary_sequence(op, &left, &right, env)
            }
            B::StringConcat => Ok(Value::string([left.str()?, right.str()?].concat()).into()),
        }
    }
}

/// Whether the result of an operator can have as many elements as both operands together.
fn copies(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(
        op,
        B::Multiply
            | B::Union
            | B::Intersection
            | B::Difference
            | B::DomainRestrict
            | B::DomainSubtract
            | B::RangeRestrict
            | B::RangeSubtract
            | B::Override
            | B::Concat
            | B::InsertFront
            | B::InsertTail
            | B::Take
            | B::Drop
            | B::StringConcat
    )
}
