//! Expressions that depend on constants and on one element of a given set only (`run/elements.rs`).

use abridge_model::{ExprId, LocalId, Type};

use super::CodeBuilder;

/// Largest given set with a cache per element.
const MAX_SET_SIZE: u32 = 1 << 10;

impl CodeBuilder<'_, '_> {
    /// Only name beside constants that an expression reads, if it is an element of a given set.
    pub(crate) fn only_element(&self, id: ExprId) -> Option<LocalId> {
        let names = self.names.of_expr(self.model, id);
        let [local] = names.locals.as_slice() else { return None };
        match self.model.types.get(self.model.locals[*local].ty) {
            Type::Given(set) if self.model.sets[*set].size() <= MAX_SET_SIZE && names.variables.is_empty() => {
                Some(*local)
            }
            _ => None,
        }
    }
}
