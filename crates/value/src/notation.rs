//! Notation of values: which sets of pairs are written as sequences.
//!
//! A relation `{1|->a}` and a sequence `[a]` are the same value, and only the model says what is meant. A notation follows the form of a value as far as
//! that is known. It changes the text of a value, never the value: both spellings parse to the same set.

/// How a value is written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Notation {
    /// By the form of the value alone: sets of at least two pairs that are a sequence are written as one.
    #[default]
    Usual,
    /// Sequence, with the notation of its items.
    Sequence(Box<Notation>),
    /// Set, with the notation of its elements.
    Set(Box<Notation>),
    Pair(Box<Notation>, Box<Notation>),
    /// One notation per field, in the order of the record type.
    Record(Vec<Notation>),
}

static USUAL: Notation = Notation::Usual;

impl Notation {
    pub fn sequence(items: Notation) -> Notation {
        Notation::Sequence(Box::new(items))
    }

    /// Sets of values with a notation; the usual one if their elements have that.
    pub fn set(elements: Notation) -> Notation {
        if elements.is_usual() { Notation::Usual } else { Notation::Set(Box::new(elements)) }
    }

    pub fn pair(first: Notation, second: Notation) -> Notation {
        match first.is_usual() && second.is_usual() {
            true => Notation::Usual,
            false => Notation::Pair(Box::new(first), Box::new(second)),
        }
    }

    pub fn record(fields: Vec<Notation>) -> Notation {
        if fields.iter().all(Notation::is_usual) { Notation::Usual } else { Notation::Record(fields) }
    }

    pub fn is_usual(&self) -> bool {
        *self == Notation::Usual
    }

    /// Notation of the elements of a set; those of a sequence are pairs.
    pub fn elements(&self) -> Notation {
        match self {
            Notation::Set(elements) => (**elements).clone(),
            Notation::Sequence(items) => Notation::pair(Notation::Usual, (**items).clone()),
            _ => Notation::Usual,
        }
    }

    /// Notation of the items of a sequence, or of the images of a relation.
    pub fn images(&self) -> Notation {
        self.elements().second().clone()
    }

    pub fn first(&self) -> &Notation {
        if let Notation::Pair(first, _) = self { first } else { &USUAL }
    }

    pub fn second(&self) -> &Notation {
        if let Notation::Pair(_, second) = self { second } else { &USUAL }
    }

    pub fn field(&self, position: usize) -> &Notation {
        match self {
            Notation::Record(fields) => fields.get(position).unwrap_or(&USUAL),
            _ => &USUAL,
        }
    }

    /// This notation, or another one where this is the usual one.
    #[must_use]
    pub fn or_else(self, other: impl FnOnce() -> Notation) -> Notation {
        if self.is_usual() { other() } else { self }
    }
}
