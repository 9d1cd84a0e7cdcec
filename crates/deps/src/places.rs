//! The parts that variables are made of.
//!
//! A variable with a symbolic value has one place for each of its inputs: a possible element of a set, a possible pair of a relation, a
//! possible value. Another variable has a single place.

use abridge_blast::{Lit, Sym};
use abridge_eval::Val;
use abridge_model::{Model, VarId};
use abridge_value::Value;
use rustc_hash::FxHashMap;

/// Number of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceId(pub u32);

/// The places of all variables of a state.
pub(crate) struct Places {
    /// In the order of the words of a state, beginning with word 1.
    variables: Vec<Parts>,
    n_places: usize,
    by_input: FxHashMap<Lit, PlaceId>,
}

struct Parts {
    variable: VarId,
    /// Nothing for a variable that counts as a whole.
    shape: Option<Sym>,
    /// One for each literal of the shape; nothing where it is no input.
    places: Vec<Option<PlaceId>>,
}

impl Places {
    pub(crate) fn new(variables: &[VarId], shape: impl Fn(VarId) -> Option<Sym>) -> Places {
        let mut places = Places { variables: Vec::new(), n_places: 0, by_input: FxHashMap::default() };
        for variable in variables {
            let shape = shape(*variable);
            let mut parts = Vec::new();
            match &shape {
                Some(shape) => shape.for_each_lit(&mut |lit| {
                    parts.push((!lit.is_constant()).then(|| {
                        let next = PlaceId(places.n_places as u32);
                        places.n_places += 1;
                        places.by_input.insert(lit, next);
                        next
                    }));
                }),
                None => {
                    parts.push(Some(PlaceId(places.n_places as u32)));
                    places.n_places += 1;
                }
            }
            places.variables.push(Parts { variable: *variable, shape, places: parts });
        }
        places
    }

    pub(crate) fn len(&self) -> usize {
        self.n_places
    }

    /// Numbers that say which input belongs to which place.
    pub(crate) fn describe(&self) -> impl Iterator<Item = u32> {
        let mut pairs: Vec<(u32, u32)> = self.by_input.iter().map(|(lit, place)| (place.0, lit.number())).collect();
        pairs.sort_unstable();
        pairs.into_iter().flat_map(|(place, lit)| [place, lit])
    }

    /// The place of an input; nothing for a choice.
    pub(crate) fn of_input(&self, input: Lit) -> Option<PlaceId> {
        self.by_input.get(&input).copied()
    }

    fn parts(&self, variable: VarId) -> Option<&Parts> {
        self.variables.iter().find(|parts| parts.variable == variable)
    }

    /// All places of a variable.
    pub(crate) fn of(&self, variable: VarId) -> impl Iterator<Item = PlaceId> + '_ {
        self.parts(variable).into_iter().flat_map(|parts| parts.places.iter().flatten().copied())
    }

    /// The shape of a variable and the place of each of its literals.
    pub(crate) fn shape(&self, variable: VarId) -> Option<(&Sym, &[Option<PlaceId>])> {
        let parts = self.parts(variable)?;
        Some((parts.shape.as_ref()?, &parts.places))
    }

    /// The places that are true where a word of a state has this value; nothing if the variable cannot have it.
    pub(crate) fn true_places(&self, word: usize, val: Option<&Val>) -> Option<Vec<PlaceId>> {
        let parts = &self.variables[word - 1];
        let Some(shape) = &parts.shape else { return Some(Vec::new()) };
        let mut bits = Vec::with_capacity(parts.places.len());
        if !shape.bits_of(val?.as_value()?, &mut bits) {
            return None;
        }
        Some(parts.places.iter().zip(bits).filter_map(|(place, bit)| place.filter(|_| bit)).collect())
    }

    /// What a place is, as B text.
    pub(crate) fn text(&self, model: &Model, place: PlaceId) -> String {
        let Some(parts) = self.variables.iter().find(|parts| parts.places.contains(&Some(place))) else {
            return String::new();
        };
        let name = &model.variables[parts.variable].name;
        let Some(shape) = &parts.shape else { return name.to_string() };
        let position = parts.places.iter().position(|other| *other == Some(place)).unwrap_or(0);
        let text = |value: &Value| abridge_eval::val_text(model, &Val::from(value.clone()));
        match shape {
            Sym::Choice(items) => format!("{name} = {}", text(&items[position].0)),
            Sym::Set(members) => format!("{} : {name}", text(&members.items[position].0)),
            Sym::Map(entries) => {
                let mut first = 0;
                for entry in entries {
                    let mut n_lits = 1;
                    entry.val.for_each_lit(&mut |_| n_lits += 1);
                    if position < first + n_lits {
                        return format!("{name}({})", text(&entry.key));
                    }
                    first += n_lits;
                }
                name.to_string()
            }
            _ => name.to_string(),
        }
    }
}
