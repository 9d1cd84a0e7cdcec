//! Cells: the bits that a state is made of.
//!
//! A variable with an exact form has one cell for each input of its symbolic value: an element that a set may have, a pair of a relation, a
//! value one-hot, a bit of an integer in binary. [`Cells::encode`] and [`Cells::decode`] convert states to cells and back, and are inverse
//! to each other; a mistake here would make every engine look at other states than the interpreter. A variable without an exact form has
//! a single opaque cell that stands for all of it and has no input.

use std::sync::Arc;

use abridge_blast::{Bits, CircuitValue, Lit};
use abridge_eval::{State, Val, val_text};
use abridge_model::ids::Id as _;
use abridge_model::{Model, Type, TypeId, VarId};
use abridge_value::{BitSet, Value};
use rustc_hash::FxHashMap;

/// Number of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(pub u32);

/// The cells of all variables of a state.
pub struct Cells {
    /// In the order in which variables were given.
    variables: Vec<Group>,
    n_cells: usize,
    by_input: FxHashMap<Lit, CellId>,
    inputs: Vec<Option<Lit>>,
}

/// The cells of one variable.
struct Group {
    variable: VarId,
    /// Nothing for a variable without an exact form.
    shape: Option<CircuitValue>,
    /// One for each literal of the shape; nothing where the literal is constant.
    cells: Vec<Option<CellId>>,
}

impl Cells {
    pub(crate) fn new(variables: &[VarId], shape: impl Fn(VarId) -> Option<CircuitValue>) -> Cells {
        let mut cells = Cells { variables: Vec::new(), n_cells: 0, by_input: FxHashMap::default(), inputs: Vec::new() };
        for variable in variables {
            let shape = shape(*variable);
            let mut parts = Vec::new();
            match &shape {
                Some(shape) => {
                    shape.for_each_lit(&mut |lit| parts.push((!lit.is_constant()).then(|| cells.add(Some(lit)))));
                }
                None => parts.push(Some(cells.add(None))),
            }
            cells.variables.push(Group { variable: *variable, shape, cells: parts });
        }
        cells
    }

    fn add(&mut self, input: Option<Lit>) -> CellId {
        let next = CellId(self.n_cells as u32);
        self.n_cells += 1;
        self.inputs.push(input);
        if let Some(input) = input {
            self.by_input.insert(input, next);
        }
        next
    }

    pub fn len(&self) -> usize {
        self.n_cells
    }

    pub fn is_empty(&self) -> bool {
        self.n_cells == 0
    }

    /// The input that stands for a cell; nothing for an opaque one.
    pub fn input(&self, cell: CellId) -> Option<Lit> {
        self.inputs[cell.0 as usize]
    }

    /// The cell of an input; nothing for a choice.
    pub fn of_input(&self, input: Lit) -> Option<CellId> {
        self.by_input.get(&input).copied()
    }

    fn group(&self, variable: VarId) -> Option<&Group> {
        self.variables.iter().find(|group| group.variable == variable)
    }

    /// All cells of a variable.
    pub fn of(&self, variable: VarId) -> impl Iterator<Item = CellId> + '_ {
        self.group(variable).into_iter().flat_map(|group| group.cells.iter().flatten().copied())
    }

    /// The variable that a cell belongs to.
    pub fn variable(&self, cell: CellId) -> Option<VarId> {
        let group = self.variables.iter().find(|group| group.cells.contains(&Some(cell)));
        group.map(|group| group.variable)
    }

    /// Whether a variable has no exact form.
    pub fn is_opaque(&self, variable: VarId) -> bool {
        self.group(variable).is_none_or(|group| group.shape.is_none())
    }

    /// The symbolic value of a variable and the cell of each of its literals.
    pub fn shape(&self, variable: VarId) -> Option<(&CircuitValue, &[Option<CellId>])> {
        let group = self.group(variable)?;
        Some((group.shape.as_ref()?, &group.cells))
    }

    /// Numbers that say which input belongs to which cell.
    pub fn describe(&self) -> impl Iterator<Item = u32> + '_ {
        let pairs = self.inputs.iter().enumerate().filter_map(|(cell, input)| Some((cell as u32, (*input)?.number())));
        pairs.flat_map(|(cell, input)| [cell, input])
    }

    /// The true cells where the variable at a position has this value; nothing if it is not one that the cells can say.
    pub fn true_cells(&self, position: usize, val: Option<&Val>) -> Option<Vec<CellId>> {
        let group = &self.variables[position];
        let Some(shape) = &group.shape else { return Some(Vec::new()) };
        let mut bits = Vec::with_capacity(group.cells.len());
        if !shape.bits_of(val?.as_value()?, &mut bits) {
            return None;
        }
        Some(group.cells.iter().zip(bits).filter_map(|(cell, bit)| cell.filter(|_| bit)).collect())
    }

    /// The true cells of a state; nothing if some variable has a value that the cells cannot say. Opaque cells are false.
    pub fn encode(&self, state: &State) -> Option<BitSet> {
        let mut bits = BitSet::with_room(self.n_cells);
        for (position, group) in self.variables.iter().enumerate() {
            let val = state.variables[group.variable.index()].as_ref();
            self.true_cells(position, val)?.into_iter().for_each(|cell| _ = bits.insert(cell.0 as usize));
        }
        Some(bits)
    }

    /// The state with these true cells; nothing if no state has them, or some variable is opaque. The constants are those of `blank`.
    pub fn decode(&self, bits: &BitSet, blank: &State) -> Option<State> {
        let value = |lit: Lit| match self.of_input(lit.positive()) {
            Some(cell) => bits.contains(cell.0 as usize) != lit.is_negated(),
            None => lit == Lit::TRUE,
        };
        let mut variables = vec![None; blank.variables.len()];
        for group in &self.variables {
            variables[group.variable.index()] = Some(Val::from(group.shape.as_ref()?.decode(&value)?));
        }
        let state = State { constants: blank.constants.clone(), variables: Arc::new(variables) };
        // Bits that mean nothing, such as two values at once, are those that the state does not have.
        (self.encode(&state)?.iter().eq(bits.iter())).then_some(state)
    }

    /// The value of the variable at a position; nothing if it is opaque, or the cells mean nothing.
    pub fn value_at(&self, position: usize, is_true: &dyn Fn(CellId) -> bool) -> Option<Val> {
        let shape = self.variables[position].shape.as_ref()?;
        let value = |lit: Lit| match self.of_input(lit.positive()) {
            Some(cell) => is_true(cell) != lit.is_negated(),
            None => lit == Lit::TRUE,
        };
        shape.decode(&value).map(Val::from)
    }

    /// A cell as a B predicate that is true where the cell is; the name of the variable for an opaque cell.
    pub fn text(&self, model: &Model, cell: CellId) -> String {
        let Some(group) = self.variables.iter().find(|group| group.cells.contains(&Some(cell))) else {
            return String::new();
        };
        let variable = &model.variables[group.variable];
        let Some(shape) = &group.shape else { return variable.name.to_string() };
        let position = group.cells.iter().position(|other| *other == Some(cell)).unwrap_or(0);
        literal_text(model, shape, variable.ty, &variable.name, position)
    }
}

/// The number of literals of a symbolic value.
fn n_literals(sym: &CircuitValue) -> usize {
    let mut n_literals = 0;
    sym.for_each_lit(&mut |_| n_literals += 1);
    n_literals
}

/// The literal at a position of a symbolic value, as a predicate on the expression `name`.
fn literal_text(model: &Model, shape: &CircuitValue, ty: TypeId, name: &str, position: usize) -> String {
    let text = |value: &Value| val_text(model, &Val::from(value.clone()));
    match shape {
        CircuitValue::Bool(_) => format!("{name} = TRUE"),
        CircuitValue::Choice(items) => format!("{name} = {}", text(&items[position].0)),
        CircuitValue::Bits(bits) => bit_text(bits, name, position),
        CircuitValue::Set(members) => format!("{} : {name}", text(&members.items[position].0)),
        CircuitValue::Pair(pair) => {
            let n_first = n_literals(&pair.0);
            let types = match model.types.get(ty) {
                Type::Pair(first, second) => [*first, *second],
                _ => [ty, ty],
            };
            let [first, second] = types.map(|ty| model.type_text(ty));
            let (part, ty, projection, position) = if position < n_first {
                (&pair.0, types[0], "prj1", position)
            } else {
                (&pair.1, types[1], "prj2", position - n_first)
            };
            literal_text(model, part, ty, &format!("{projection}({first},{second})({name})"), position)
        }
        CircuitValue::Record(_, fields) => {
            let Type::Record(types) = model.types.get(ty) else { return name.to_owned() };
            let mut first = 0;
            for (field, (field_name, ty)) in fields.iter().zip(types) {
                let n_field = n_literals(field);
                if position < first + n_field {
                    return literal_text(model, field, *ty, &format!("{name}'{field_name}"), position - first);
                }
                first += n_field;
            }
            name.to_owned()
        }
        CircuitValue::Map(entries) => {
            let value_ty = model.types.relation(ty).map_or(ty, |(_, value)| value);
            let mut first = 0;
            for entry in entries.iter() {
                let (n_val, key) = (n_literals(&entry.val), text(&entry.key));
                if position == first {
                    return format!("{key} : dom({name})");
                }
                if position <= first + n_val {
                    let inner =
                        literal_text(model, &entry.val, value_ty, &format!("{name}({key})"), position - first - 1);
                    return format!("{key} : dom({name}) & {inner}");
                }
                first += 1 + n_val;
            }
            name.to_owned()
        }
    }
}

/// A bit of an integer in two's complement.
fn bit_text(bits: &Bits, name: &str, position: usize) -> String {
    let sign = bits.lits().len() - 1;
    if position == sign {
        return format!("{name} < 0");
    }
    let (half, whole) = (1_i64 << position, 1_i64 << (position + 1));
    match bits.range() {
        (0.., _) => format!("{name} mod {whole} >= {half}"),
        // The remainder of a negative integer is not defined; an added power of two leaves the lower bits as they are.
        _ => format!("({name} + {}) mod {whole} >= {half}", 1_i64 << sign),
    }
}
