//! Sentences about a false membership, inclusion or equation of sets: the element that is to blame.
//!
//! The set is taken apart by its form, since the first pair, element or position that does not fit says more than the whole value. Whatever cannot be
//! evaluated gives no reason; a wrong sentence would be worse than none.

use abridge_diag::with_stack;
use abridge_eval::{Env, Notations, Result, Session, Val, val_text};
use abridge_model::{Arrow, BinaryOp, Comparison, Expr, ExprId, Pred, PredId, Type, UnaryOp, dump};
use abridge_system::Reason;
use abridge_value::{Set, Value, relation, sequence};

use super::shortened;

/// What makes a comparison false.
pub(super) fn reason(session: &Session<'_>, notations: &Notations, pred: PredId, env: &Env) -> Option<Reason> {
    let why = ReasonWriter { session, notations, env };
    match session.model().pred(pred) {
        Pred::Compare(Comparison::Member, left, right) => {
            let val = session.value(*left, env).ok()?;
            why.outside(&val, *right).ok()
        }
        Pred::Compare(Comparison::Subset, left, right) => why.excess(*left, *right).ok()?,
        Pred::Compare(Comparison::Equal, left, right) => match why.missing(*left, *right).ok()? {
            Some(reason) => Some(reason),
            None => why.missing(*right, *left).ok()?,
        },
        _ => None,
    }
}

struct ReasonWriter<'a> {
    session: &'a Session<'a>,
    notations: &'a Notations,
    env: &'a Env,
}

impl ReasonWriter<'_> {
    fn text(&self, val: &Val) -> String {
        shortened(val_text(self.session.model(), val))
    }

    fn value_text(&self, value: &Value) -> String {
        self.text(&Val::Value(value.clone()))
    }

    /// A sentence that ends in an expression.
    fn about(&self, text: String, expr: ExprId) -> Reason {
        let model = self.session.model();
        let formula = (shortened(dump::expr_text(model, expr)), Some(model.exprs[expr].span));
        Reason { text, formula: Some(formula) }
    }

    fn is_in(&self, value: &Value, set: &Val) -> Result<bool> {
        self.session.tick()?;
        self.session.member(&Val::Value(value.clone()), set, self.env)
    }

    /// The first of some values that is not in a set.
    fn first_outside(&self, values: impl IntoIterator<Item = Value>, set: &Val) -> Result<Option<Value>> {
        for value in values {
            if !self.is_in(&value, set)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The element of a set that another set lacks.
    fn excess(&self, left: ExprId, right: ExprId) -> Result<Option<Reason>> {
        let (left, set) = (self.session.value(left, self.env)?, self.session.value(right, self.env)?);
        let Some(left) = left.as_set() else { return Ok(None) };
        match self.first_outside(left, &set)? {
            Some(value) => self.outside(&Val::Value(value), right).map(Some),
            None => Ok(None),
        }
    }

    /// The same for sets that should be equal.
    fn missing(&self, left: ExprId, right: ExprId) -> Result<Option<Reason>> {
        let (left, set) = (self.session.value(left, self.env)?, self.session.value(right, self.env)?);
        let (Some(left), Some(_)) = (left.as_set(), set.as_set()) else { return Ok(None) };
        // The elements of a set that should be empty are part of its value, which is shown.
        if matches!(self.session.model().expr(right), Expr::EmptySet) {
            return Ok(None);
        }
        let found = self.first_outside(left, &set)?;
        Ok(found.map(|value| self.about(format!("{} is missing from", self.value_text(&value)), right)))
    }

    /// Why a value is not in a set.
    fn outside(&self, val: &Val, set: ExprId) -> Result<Reason> {
        with_stack(|| {
            let found = match self.session.model().expr(set) {
                Expr::Binary(BinaryOp::Arrow(arrow), from, to) => self.not_arrow(val, *arrow, *from, *to)?,
                Expr::Binary(BinaryOp::Cartesian, first, second) => self.not_pair(val, *first, *second)?,
                Expr::StructSet(fields) => self.not_record(val, set, fields)?,
                Expr::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
                    self.not_subset(val, *op, *base)?
                }
                Expr::Unary(
                    op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm),
                    base,
                ) => self.not_sequence(val, *op, *base)?,
                _ => None,
            };
            let text = || shortened(self.notations.element_text(self.session.model(), set, val));
            Ok(found.unwrap_or_else(|| self.about(format!("{} is not in", text()), set)))
        })
    }

    fn not_pair(&self, val: &Val, first: ExprId, second: ExprId) -> Result<Option<Reason>> {
        let (left, right) = val.split()?;
        for (part, set) in [(left, first), (right, second)] {
            if !self.session.member(&part, &self.session.value(set, self.env)?, self.env)? {
                return self.outside(&part, set).map(Some);
            }
        }
        Ok(None)
    }

    /// Why a record is not in a set of records: the first field that does not fit.
    fn not_record(&self, val: &Val, records: ExprId, fields: &[ExprId]) -> Result<Option<Reason>> {
        let types = &self.session.model().types;
        let Type::Pow(record) = types.get(self.session.model().ty(records)) else { return Ok(None) };
        let Type::Record(names) = types.get(*record) else { return Ok(None) };
        for ((position, (name, _)), set) in (0..).zip(names).zip(fields) {
            let part = val.field(position)?;
            if !self.session.member(&part, &self.session.value(*set, self.env)?, self.env)? {
                let reason = self.outside(&part, *set)?;
                return Ok(Some(Reason { text: format!("field `{name}`: {}", reason.text), ..reason }));
            }
        }
        Ok(None)
    }

    fn not_subset(&self, val: &Val, op: UnaryOp, base: ExprId) -> Result<Option<Reason>> {
        let Some(set) = val.as_set() else { return Ok(None) };
        if set.is_empty() && matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1) {
            return Ok(Some(Reason { text: "the set is empty".to_owned(), formula: None }));
        }
        match self.first_outside(set, &self.session.value(base, self.env)?)? {
            Some(value) => self.outside(&Val::Value(value), base).map(Some),
            None => Ok(None),
        }
    }

    fn not_arrow(&self, val: &Val, arrow: Arrow, from: ExprId, to: ExprId) -> Result<Option<Reason>> {
        let Some(pairs) = val.as_set() else { return Ok(None) };
        let (sources, targets) = (self.session.value(from, self.env)?, self.session.value(to, self.env)?);
        for (source, target) in relation::pairs(pairs) {
            for (value, set, expr) in [(source, &sources, from), (target, &targets, to)] {
                if !self.is_in(&value, set)? {
                    return self.outside(&Val::Value(value), expr).map(Some);
                }
            }
        }
        if arrow.functional
            && let Some(reason) = self.two_images(pairs)
        {
            return Ok(Some(reason));
        }
        if arrow.total
            && let Some(sources) = sources.as_set()
            && let Some(source) = self.first_outside(sources, &Val::from(relation::dom(pairs)))?
        {
            return Ok(Some(self.about(format!("{} has no image, but is in", self.value_text(&source)), from)));
        }
        if arrow.injective
            && let Some((target, first, second)) = repeated(&relation::inverse(pairs))
        {
            let [target, first, second] = [target, first, second].map(|value| self.value_text(&value));
            return Ok(Some(Reason {
                text: format!("{first} and {second} have the same image, {target}"),
                formula: None,
            }));
        }
        if arrow.surjective
            && let Some(targets) = targets.as_set()
            && let Some(target) = self.first_outside(targets, &Val::from(relation::ran(pairs)))?
        {
            return Ok(Some(self.about(format!("nothing is mapped to {}, which is in", self.value_text(&target)), to)));
        }
        Ok(None)
    }

    fn two_images(&self, pairs: &Set) -> Option<Reason> {
        let (source, first, second) = repeated(pairs)?;
        let n_images = relation::images(pairs, &source).count();
        let [source, first, second] = [source, first, second].map(|value| self.value_text(&value));
        let text = match n_images {
            2 => format!("{source} has two images, {first} and {second}"),
            n => format!("{source} has {n} images, {first} and {second} among them"),
        };
        Some(Reason { text, formula: None })
    }

    fn not_sequence(&self, val: &Val, op: UnaryOp, base: ExprId) -> Result<Option<Reason>> {
        let Some(pairs) = val.as_set() else { return Ok(None) };
        let plain = |text: String| Ok(Some(Reason { text, formula: None }));
        if pairs.is_empty() && matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1) {
            return plain("the sequence is empty".to_owned());
        }
        if !pairs.is_empty() && !sequence::is_sequence(pairs) {
            if let Some(reason) = self.two_images(pairs) {
                return Ok(Some(reason));
            }
            let domain = self.text(&Val::from(relation::dom(pairs)));
            return plain(format!("its domain is {domain}, not 1..{}", pairs.len()));
        }
        let elements = self.session.value(base, self.env)?;
        if let Some(value) = self.first_outside(relation::pairs(pairs).map(|(_, item)| item), &elements)? {
            return self.outside(&Val::Value(value), base).map(Some);
        }
        if op != UnaryOp::Seq
            && op != UnaryOp::Seq1
            && let Some((item, first, second)) = repeated(&relation::inverse(pairs))
        {
            let [item, first, second] = [item, first, second].map(|value| self.value_text(&value));
            return plain(format!("{item} is at the positions {first} and {second}"));
        }
        if op == UnaryOp::Perm
            && let Some(elements) = elements.as_set()
            && let Some(value) = self.first_outside(elements, &Val::from(relation::ran(pairs)))?
        {
            return Ok(Some(self.about(format!("{} is at no position, but in", self.value_text(&value)), base)));
        }
        Ok(None)
    }
}

/// The first element with two images, and those; pairs come in the order of their first elements.
fn repeated(pairs: &Set) -> Option<(Value, Value, Value)> {
    let mut last: Option<(Value, Value)> = None;
    for (source, target) in relation::pairs(pairs) {
        match last {
            Some((known, first)) if known == source => return Some((source, first, target)),
            _ => last = Some((source, target)),
        }
    }
    None
}
