//! The words of patterns: cells as predicates of interchangeable elements.
//!
//! A cell is about a tuple of distinct elements: `final` at p about p, `next` at p and q about both, `next` at p and p about p. Cells that differ in their
//! tuples only have one *scheme*. An atom applies a scheme to variables, or says that some element makes it true: `(p, q) : next`, `p : dom(next)`, `final /= {}`.

use abridge_blast::{CircuitValue, Lit};
use abridge_encoding::{CellId, Encoding};
use abridge_model::{Model, VarId};
use abridge_value::{BitSet, Value};
use rustc_hash::FxHashMap;

/// Position of an interchangeable element.
pub(super) type Element = u32;

/// The place of an argument that stands for some element.
pub(super) const SOME: u8 = u8::MAX;

/// Cells about more elements than this have no scheme.
const MAX_ARITY: usize = 3;

/// Elements that nothing tells apart are tried up to this number: as many as a pattern has variables.
const N_ALIKE: usize = 8;

/// A scheme with variables for its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PatternAtom {
    pub(super) scheme: u32,
    /// Variables by number; at most one is `SOME`.
    pub(super) args: Vec<u8>,
    /// A scheme about one element that holds for `SOME`.
    pub(super) guard: Option<u32>,
}

impl PatternAtom {
    /// The variables that occur.
    pub(super) fn variables(&self) -> impl Iterator<Item = u8> + '_ {
        self.args.iter().copied().filter(|arg| *arg != SOME)
    }
}

/// Elements, schemes and cells.
pub(super) struct Vocabulary {
    pub(super) elements: Vec<Value>,
    /// Of each scheme, the number of its arguments.
    pub(super) arities: Vec<usize>,
    /// Of each scheme, whether its variable has one about several elements.
    pub(super) is_relation: Vec<bool>,
    /// Of each cell, its scheme and tuple.
    pub(super) cells: Vec<(u32, Vec<Element>)>,
    /// Of each scheme, its cells by the tuple as a number.
    tables: Vec<Vec<u32>>,
    /// Literals of atoms with `SOME`, by their arguments.
    literals: FxHashMap<(PatternAtom, Vec<Element>), Lit>,
}

/// A step of the way to a cell inside a value: what it is, and a value with elements replaced by their positions in the tuple.
type ValuePath = Vec<(u8, Value)>;

struct VocabularyBuilder<'b> {
    encoding: &'b Encoding,
    places: FxHashMap<Value, Element>,
    schemes: FxHashMap<(usize, ValuePath), u32>,
    arities: Vec<usize>,
    cells: Vec<Option<(u32, Vec<Element>)>>,
    by_tuple: FxHashMap<(u32, Vec<Element>), CellId>,
    path: ValuePath,
}

/// A value with elements replaced by their positions in a tuple, which grows; nothing if elements are in places that have no order.
pub(super) fn anonymous(value: &Value, places: &FxHashMap<Value, Element>, tuple: &mut Vec<Element>) -> Option<Value> {
    match value {
        Value::Element { .. } => {
            let Some(element) = places.get(value) else { return Some(value.clone()) };
            let position = tuple.iter().position(|other| other == element).unwrap_or_else(|| {
                tuple.push(*element);
                tuple.len() - 1
            });
            Some(Value::Element { set: u32::MAX, index: position as u32 })
        }
        Value::Pair(pair) => {
            let first = anonymous(&pair.0, places, tuple)?;
            Some(Value::Pair((first, anonymous(&pair.1, places, tuple)?).into()))
        }
        other => (!mentions(other, places)).then(|| other.clone()),
    }
}

fn mentions(value: &Value, places: &FxHashMap<Value, Element>) -> bool {
    match value {
        Value::Element { .. } => places.contains_key(value),
        Value::Pair(pair) => mentions(&pair.0, places) || mentions(&pair.1, places),
        Value::Record(record) => record.fields().iter().any(|field| mentions(field, places)),
        Value::Set(set) => set.iter().any(|item| mentions(&item, places)),
        Value::Free(_) => true,
        _ => false,
    }
}

/// A permutation of so many elements that moves some of them to others; the remaining ones follow in their order.
pub(super) fn images(n_elements: u32, from: &[Element], to: &[Element]) -> Vec<Element> {
    let mut images = vec![Element::MAX; n_elements as usize];
    from.iter().zip(to).for_each(|(from, to)| images[*from as usize] = *to);
    let mut free = (0..n_elements).filter(|element| !to.contains(element));
    for image in images.iter_mut().filter(|image| **image == Element::MAX) {
        *image = free.next().unwrap_or(0);
    }
    images
}

impl VocabularyBuilder<'_> {
    fn add(&mut self, variable: usize, lit: Lit, tuple: &[Element]) -> Option<()> {
        if lit.is_constant() {
            return Some(());
        }
        let cell = self.encoding.cells.of_input(lit)?;
        let next = self.schemes.len() as u32;
        let scheme = *self.schemes.entry((variable, self.path.clone())).or_insert(next);
        if scheme == next {
            self.arities.push(tuple.len());
        }
        self.cells[cell.0 as usize] = Some((scheme, tuple.to_vec()));
        self.by_tuple.insert((scheme, tuple.to_vec()), cell).is_none().then_some(())
    }

    fn items(&mut self, variable: usize, items: &[(Value, Lit)], tuple: &[Element]) -> Option<()> {
        for (value, lit) in items {
            let mut longer = tuple.to_vec();
            let value = anonymous(value, &self.places, &mut longer)?;
            self.path.push((0, value));
            self.add(variable, *lit, &longer)?;
            self.path.pop();
        }
        Some(())
    }

    fn part(&mut self, variable: usize, number: usize, value: &CircuitValue, tuple: &[Element]) -> Option<()> {
        self.path.push((1, Value::Int(number as i64)));
        self.walk(variable, value, tuple)?;
        self.path.pop();
        Some(())
    }

    /// Adds all cells of a symbolic value; nothing if they are not about tuples.
    fn walk(&mut self, variable: usize, value: &CircuitValue, tuple: &[Element]) -> Option<()> {
        match value {
            CircuitValue::Bool(lit) => self.add(variable, *lit, tuple)?,
            CircuitValue::Bits(bits) => {
                for (number, lit) in bits.lits().iter().enumerate() {
                    self.path.push((2, Value::Int(number as i64)));
                    self.add(variable, *lit, tuple)?;
                    self.path.pop();
                }
            }
            CircuitValue::Choice(items) => self.items(variable, items, tuple)?,
            CircuitValue::Set(members) => self.items(variable, &members.items, tuple)?,
            CircuitValue::Pair(pair) => {
                self.part(variable, 0, &pair.0, tuple)?;
                self.part(variable, 1, &pair.1, tuple)?;
            }
            CircuitValue::Record(_, fields) => {
                for (number, field) in fields.iter().enumerate() {
                    self.part(variable, number, field, tuple)?;
                }
            }
            CircuitValue::Map(entries) => {
                for entry in entries.iter() {
                    let mut longer = tuple.to_vec();
                    let key = anonymous(&entry.key, &self.places, &mut longer)?;
                    self.path.push((3, key));
                    self.add(variable, entry.present, &longer)?;
                    self.part(variable, 0, &entry.val, &longer)?;
                    self.path.pop();
                }
            }
        }
        Some(())
    }
}

impl Vocabulary {
    /// The schemes of a machine; nothing if some cells are not about tuples of elements, all of them alike.
    pub(super) fn new(encoding: &Encoding, variables: &[VarId], elements: &[Value]) -> Option<Vocabulary> {
        let places = elements.iter().cloned().zip(0..).collect();
        let mut builder = VocabularyBuilder {
            encoding,
            places,
            schemes: FxHashMap::default(),
            arities: Vec::new(),
            cells: vec![None; encoding.cells.len()],
            by_tuple: FxHashMap::default(),
            path: ValuePath::new(),
        };
        for (number, variable) in variables.iter().enumerate() {
            let (shape, _) = encoding.cells.shape(*variable)?;
            builder.walk(number, shape, &[])?;
        }
        let VocabularyBuilder { arities, cells, by_tuple, schemes, .. } = builder;
        let mut variable_of = vec![0; arities.len()];
        schemes.iter().for_each(|((variable, _), scheme)| variable_of[*scheme as usize] = *variable);
        let is_wide = |variable: usize| (0..arities.len()).any(|it| variable_of[it] == variable && arities[it] > 1);
        let is_relation = variable_of.iter().map(|variable| is_wide(*variable)).collect();
        let cells: Vec<(u32, Vec<Element>)> = cells.into_iter().collect::<Option<_>>()?;
        let mut counts = vec![0; arities.len()];
        cells.iter().for_each(|(scheme, _)| counts[*scheme as usize] += 1);
        let n_elements = elements.len();
        let n_tuples = |arity: usize| (0..arity).map(|used| n_elements.saturating_sub(used)).product::<usize>();
        let is_whole = arities.iter().zip(&counts).all(|(arity, count)| n_tuples(*arity) == *count);
        if !is_whole || arities.iter().any(|arity| *arity > MAX_ARITY) {
            return None;
        }
        let table = |arity: &usize| vec![u32::MAX; n_elements.pow(*arity as u32)];
        let mut vocabulary = Vocabulary {
            elements: elements.to_vec(),
            tables: arities.iter().map(table).collect(),
            arities,
            is_relation,
            cells,
            literals: FxHashMap::default(),
        };
        for ((scheme, tuple), cell) in by_tuple {
            let place = vocabulary.place(&tuple);
            vocabulary.tables[scheme as usize][place] = cell.0;
        }
        Some(vocabulary)
    }

    fn place(&self, tuple: &[Element]) -> usize {
        tuple.iter().fold(0, |place, element| place * self.elements.len() + *element as usize)
    }

    pub(super) fn cell(&self, scheme: u32, tuple: &[Element]) -> Option<CellId> {
        let cell = self.tables[scheme as usize][self.place(tuple)];
        (cell != u32::MAX).then_some(CellId(cell))
    }

    /// All atoms over so many variables. With guards, atoms that say something about the element that makes a scheme true, too.
    pub(super) fn atoms(&self, n_variables: u8, has_guards: bool) -> Vec<PatternAtom> {
        let mut atoms = Vec::new();
        for (scheme, arity) in (0..).zip(&self.arities) {
            let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
            for _ in 0..*arity {
                let longer = |tuple: &Vec<u8>| -> Vec<Vec<u8>> {
                    let free = (0..n_variables).chain([SOME]).filter(|next| !tuple.contains(next));
                    free.map(|next| tuple.iter().copied().chain([next]).collect()).collect()
                };
                tuples = tuples.iter().flat_map(longer).collect();
            }
            for args in tuples {
                let is_open = args.contains(&SOME);
                if is_open && *arity == 2 && has_guards {
                    let guards = (0..).zip(&self.arities).filter(|(_, arity)| **arity == 1).map(|(guard, _)| guard);
                    atoms.extend(guards.map(|guard| PatternAtom { scheme, args: args.clone(), guard: Some(guard) }));
                }
                if !is_open || *arity <= 2 {
                    atoms.push(PatternAtom { scheme, args, guard: None });
                }
            }
        }
        atoms
    }

    /// Arguments of an atom for elements in the place of variables; nothing for `SOME`.
    fn tuples(&self, atom: &PatternAtom, elements: &[Element]) -> (Vec<Element>, Option<usize>) {
        let open = atom.args.iter().position(|arg| *arg == SOME);
        let args = atom.args.iter().map(|arg| if *arg == SOME { 0 } else { elements[usize::from(*arg)] });
        (args.collect(), open)
    }

    /// The elements that `SOME` may stand for.
    fn others(&self, tuple: &[Element], open: usize) -> Vec<Element> {
        let is_free = |element: &Element| !tuple.iter().enumerate().any(|(at, other)| at != open && other == element);
        (0..self.elements.len() as u32).filter(is_free).collect()
    }

    /// The literal of an atom, with elements in the place of variables.
    pub(super) fn literal(&mut self, encoding: &mut Encoding, atom: &PatternAtom, elements: &[Element]) -> Lit {
        let (mut tuple, open) = self.tuples(atom, elements);
        let input = |tuple: &[Element], scheme: u32| {
            self.cell(scheme, tuple).and_then(|cell| encoding.cells.input(cell)).unwrap_or(Lit::FALSE)
        };
        let Some(open) = open else { return input(&tuple, atom.scheme) };
        let key = (atom.clone(), tuple.clone());
        if let Some(known) = self.literals.get(&key) {
            return *known;
        }
        let mut parts = Vec::new();
        for element in self.others(&tuple, open) {
            tuple[open] = element;
            let guard = atom.guard.map_or(Lit::TRUE, |guard| input(&[element], guard));
            parts.push((input(&tuple, atom.scheme), guard));
        }
        let circuit = &mut encoding.blast.circuit;
        let parts: Vec<Lit> = parts.into_iter().map(|(lit, guard)| circuit.and(lit, guard)).collect();
        let lit = circuit.or_all(parts);
        self.literals.insert(key, lit);
        lit
    }

    /// The value of an atom in a state, with elements in the place of variables.
    pub(super) fn value(&self, atom: &PatternAtom, elements: &[Element], state: &BitSet) -> bool {
        let (mut tuple, open) = self.tuples(atom, elements);
        let is_true = |scheme: u32, tuple: &[Element]| {
            self.cell(scheme, tuple).is_some_and(|cell| state.contains(cell.0 as usize))
        };
        let Some(open) = open else { return is_true(atom.scheme, &tuple) };
        self.others(&tuple, open).into_iter().any(|element| {
            tuple[open] = element;
            is_true(atom.scheme, &tuple) && atom.guard.is_none_or(|guard| is_true(guard, &[element]))
        })
    }

    /// The elements about which a state differs from another, and some of those that it does not tell apart then. The other state is one that no permutation changes.
    pub(super) fn candidates(&self, state: &BitSet, first: &BitSet) -> Vec<Element> {
        let n_elements = self.elements.len() as u32;
        if !self.is_symmetric(first) {
            return (0..n_elements).collect();
        }
        let mut is_different = vec![false; self.elements.len()];
        for (cell, (_, tuple)) in self.cells.iter().enumerate() {
            if state.contains(cell) != first.contains(cell) {
                tuple.iter().for_each(|element| is_different[*element as usize] = true);
            }
        }
        let (mut candidates, rest): (Vec<Element>, Vec<Element>) =
            (0..n_elements).partition(|element| is_different[*element as usize]);
        candidates.extend(rest.into_iter().take(N_ALIKE));
        candidates
    }

    /// Whether no permutation changes a state.
    fn is_symmetric(&self, state: &BitSet) -> bool {
        let mut values: Vec<Option<bool>> = vec![None; self.arities.len()];
        self.cells.iter().enumerate().all(|(cell, (scheme, _))| {
            let is_true = state.contains(cell);
            *values[*scheme as usize].get_or_insert(is_true) == is_true
        })
    }

    /// A state with its elements permuted: what is true of an element becomes true of its image.
    pub(super) fn permuted(&self, state: &BitSet, images: &[Element]) -> BitSet {
        let image = |cell: usize| {
            let (scheme, tuple) = &self.cells[cell];
            let tuple: Vec<Element> = tuple.iter().map(|element| images[*element as usize]).collect();
            self.cell(*scheme, &tuple).map_or(cell, |cell| cell.0 as usize)
        };
        state.iter().map(image).collect()
    }

    /// An atom as a predicate about the first elements.
    pub(super) fn text(&self, encoding: &Encoding, model: &Model, atom: &PatternAtom, is_true: bool) -> String {
        let named: Vec<Element> = (0..self.elements.len() as u32).collect();
        let (mut tuple, open) = self.tuples(atom, &named);
        let of = |scheme: u32, tuple: &[Element]| {
            self.cell(scheme, tuple).map(|cell| encoding.cells.text(model, cell)).unwrap_or_default()
        };
        let Some(open) = open else {
            let text = of(atom.scheme, &tuple);
            return if is_true { text } else { format!("not({text})") };
        };
        // The last element stands for those that are not named.
        tuple[open] = self.elements.len() as u32 - 1;
        let other = encoding_text(model, &self.elements[tuple[open] as usize]);
        let mut text = of(atom.scheme, &tuple);
        if let Some(guard) = atom.guard {
            text = format!("{text} & {}", of(guard, &tuple[open..=open]));
        }
        let text = text.replace(&other, "x");
        if is_true { format!("#x.({text})") } else { format!("not(#x.({text}))") }
    }
}

fn encoding_text(model: &Model, value: &Value) -> String {
    abridge_eval::val_text(model, &abridge_eval::Val::from(value.clone()))
}
