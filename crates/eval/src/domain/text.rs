//! B text of values and symbolic sets, which can be parsed back.
//!
//! A closure is written as its formula, inside a LET with the values of its names. Operators are spelled as in `abridge_model::dump`, so that there
//! is one spelling.

use abridge_diag::with_stack;
use abridge_model::dump::{self, BinaryForm};
use abridge_model::ids::Id as _;
use abridge_model::{BinaryOp, Model, Target, Type, TypeId, UnaryOp, VarId};
use abridge_value::Notation;

use super::names::{value_text, value_text_as};
use super::val::{Closure, SymbolicSet, Val};

/// B text of a value.
pub fn val_text(model: &Model, val: &Val) -> String {
    let mut writer = Writer { model, out: String::new() };
    writer.val(val);
    writer.out
}

/// The same in a notation ([`super::Notations`]).
pub(super) fn val_text_as(model: &Model, val: &Val, notation: &Notation) -> String {
    match val.as_value() {
        Some(value) => value_text_as(model, value, notation),
        None => val_text(model, val),
    }
}

struct Writer<'m> {
    model: &'m Model,
    out: String,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn val(&mut self, val: &Val) {
        match val {
            Val::Value(value) => self.text(&value_text(self.model, value)),
            Val::Pair(pair) => {
                self.text("(");
                with_stack(|| self.val(&pair.0));
                self.text("|->");
                with_stack(|| self.val(&pair.1));
                self.text(")");
            }
            Val::Record(shape, fields) => self.fields("rec", *shape, fields),
            Val::Symbolic(sym) => with_stack(|| self.sym(sym)),
        }
    }

    /// Writes an operand in parentheses.
    fn enclosed(&mut self, val: &Val) {
        self.text("(");
        self.val(val);
        self.text(")");
    }

    fn call<'v>(&mut self, name: &str, args: impl IntoIterator<Item = &'v Val>) {
        self.text(name);
        for (idx, arg) in args.into_iter().enumerate() {
            self.text(if idx == 0 { "(" } else { "," });
            self.val(arg);
        }
        self.text(")");
    }

    /// `rec(a:1,b:2)`; `shape` is the id of the record type.
    fn fields(&mut self, name: &str, shape: u32, fields: &[Val]) {
        let names = match self.model.types.get(TypeId(shape)) {
            Type::Record(names) => names.as_slice(),
            _ => &[],
        };
        self.text(name);
        for (idx, (field, (name, _))) in fields.iter().zip(names).enumerate() {
            self.text(if idx == 0 { "(" } else { "," });
            self.text(&dump::ident(name));
            self.text(":");
            self.val(field);
        }
        self.text(")");
    }

    fn sym(&mut self, sym: &SymbolicSet) {
        match sym {
            SymbolicSet::Base(base) => self.text(dump::base_set(*base)),
            SymbolicSet::FreeType(id) => self.text(&dump::ident(&self.model.free_types[*id].name)),
            SymbolicSet::Unary(UnaryOp::Inverse, operand) => {
                self.enclosed(operand);
                self.text("~");
            }
            SymbolicSet::Unary(op, operand) => self.call(dump::unary(*op), [operand]),
            SymbolicSet::Binary(op, left, right) => self.binary(*op, left, right),
            SymbolicSet::Struct(shape, fields) => self.fields("struct", *shape, fields),
            SymbolicSet::Tree(op, labels) => self.call(dump::tree(*op), [labels]),
            SymbolicSet::Closure(closure) => self.closure(closure),
            SymbolicSet::Partial(partial) => self.val(&partial.decided.clone().into()),
            SymbolicSet::Successor => self.text("succ"),
            SymbolicSet::Predecessor => self.text("pred"),
            SymbolicSet::Constructor(id, constructor) => {
                self.text(&dump::ident(&self.model.free_types[*id].constructors[*constructor as usize].name));
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Val, right: &Val) {
        match dump::binary(op) {
            BinaryForm::Function(name) => self.call(name, [left, right]),
            BinaryForm::Apply => {
                self.enclosed(left);
                self.enclosed(right);
            }
            BinaryForm::Image => {
                self.enclosed(left);
                self.text("[");
                self.val(right);
                self.text("]");
            }
            BinaryForm::Infix(text, _) => self.infix(text, left, right),
            BinaryForm::Power => self.infix("**", left, right),
        }
    }

    fn infix(&mut self, operator: &str, left: &Val, right: &Val) {
        self.text("(");
        self.val(left);
        self.text(" ");
        self.text(operator);
        self.text(" ");
        self.val(right);
        self.text(")");
    }

    fn closure(&mut self, closure: &Closure) {
        let Closure { expr, scope } = closure;
        let mut known: Vec<(Target, String)> = Vec::new();
        for (idx, val) in scope.variables.iter().enumerate() {
            known.extend(val.iter().map(|val| (Target::Variable(VarId::from_index(idx)), val_text(self.model, val))));
        }
        for (local, val) in scope.locals.frames() {
            known.extend(val.iter().map(|val| (Target::Local(local), val_text(self.model, val))));
        }
        let text = dump::expr_text_with(self.model, *expr, &known);
        self.text(&text);
    }
}
