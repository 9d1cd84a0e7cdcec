//! Ground B types, interned: equal types have equal ids.
//!
//! Types are compared by id, so a type with two ids would make equal types differ.

use std::collections::HashMap;
use std::fmt::Write as _;

use abridge_diag::expect_depth;
use smol_str::SmolStr;

use crate::Model;
use crate::ids::{FreeTypeId, IdVec, SetId, TypeId};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Integer,
    Bool,
    String,
    Real,
    Given(SetId),
    Free(FreeTypeId),
    Pow(TypeId),
    Pair(TypeId, TypeId),
    /// Fields in the order of their names.
    Record(Vec<(SmolStr, TypeId)>),
}

#[derive(Clone, Debug)]
pub struct TypeTable {
    types: IdVec<TypeId, Type>,
    /// Nesting depth of each type. Values nest no deeper, except inside freetypes.
    depths: IdVec<TypeId, u32>,
    ids: HashMap<Type, TypeId>,
}

impl TypeTable {
    pub const INTEGER: TypeId = TypeId(0);
    pub const BOOL: TypeId = TypeId(1);
    pub const STRING: TypeId = TypeId(2);
    pub const REAL: TypeId = TypeId(3);

    pub fn new() -> Self {
        let mut table = TypeTable { types: IdVec::new(), depths: IdVec::new(), ids: HashMap::new() };
        for ty in [Type::Integer, Type::Bool, Type::String, Type::Real] {
            table.intern(ty);
        }
        table
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        // Invalid ids are reported by the verifier.
        let depth_of = |id: TypeId| self.depths.get(id).copied().unwrap_or(0);
        let depth = 1 + match &ty {
            Type::Pow(elem) => depth_of(*elem),
            Type::Pair(first, second) => depth_of(*first).max(depth_of(*second)),
            Type::Record(fields) => fields.iter().map(|(_, ty)| depth_of(*ty)).max().unwrap_or(0),
            _ => 0,
        };
        expect_depth(depth as usize);
        let id = self.types.push(ty.clone());
        self.depths.push(depth);
        self.ids.insert(ty, id);
        id
    }

    pub fn pow(&mut self, elem: TypeId) -> TypeId {
        self.intern(Type::Pow(elem))
    }

    pub fn pair(&mut self, first: TypeId, second: TypeId) -> TypeId {
        self.intern(Type::Pair(first, second))
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Element type of a set type.
    pub fn elem(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Pow(elem) => Some(*elem),
            _ => None,
        }
    }

    /// `T` and `U` in `POW(T*U)`.
    pub fn relation(&self, id: TypeId) -> Option<(TypeId, TypeId)> {
        match self.get(self.elem(id)?) {
            Type::Pair(first, second) => Some((*first, *second)),
            _ => None,
        }
    }
}

impl Default for TypeTable {
    fn default() -> Self {
        TypeTable::new()
    }
}

/// Maximum length of the text of a type. The text of nested pairs can be exponentially long.
const MAX_TYPE_TEXT_BYTES: usize = 10_000;

/// Maximum depth of the text of a type. Deeper parts are omitted.
const MAX_TYPE_DEPTH: u32 = 100;

impl Model {
    /// Text of a type in B notation.
    pub fn type_text(&self, id: TypeId) -> String {
        let mut out = String::new();
        self.write_type(&mut out, id, false, 0);
        out
    }

    fn write_type(&self, out: &mut String, id: TypeId, is_operand: bool, depth: u32) {
        if out.len() > MAX_TYPE_TEXT_BYTES || depth > MAX_TYPE_DEPTH {
            out.push('…');
            return;
        }
        let depth = depth + 1;
        match self.types.get(id) {
            Type::Integer => out.push_str("INTEGER"),
            Type::Bool => out.push_str("BOOL"),
            Type::String => out.push_str("STRING"),
            Type::Real => out.push_str("REAL"),
            Type::Given(set) => out.push_str(&self.sets[*set].name),
            Type::Free(free) => out.push_str(&self.free_types[*free].name),
            Type::Pow(elem) => {
                out.push_str("POW(");
                self.write_type(out, *elem, false, depth);
                out.push(')');
            }
            Type::Pair(first, second) => {
                if is_operand {
                    out.push('(');
                }
                self.write_type(out, *first, false, depth);
                out.push('*');
                self.write_type(out, *second, true, depth);
                if is_operand {
                    out.push(')');
                }
            }
            Type::Record(fields) => {
                out.push_str("struct(");
                for (idx, (name, ty)) in fields.iter().enumerate() {
                    let _ = write!(out, "{}{name}:", if idx > 0 { "," } else { "" });
                    self.write_type(out, *ty, false, depth);
                }
                out.push(')');
            }
        }
    }
}
