//! Bytes in, a well-typed random machine out.
//!
//! [`machine`] writes a machine with sets, constants, variables, definitions and operations whose formulas use all operators.
//! Names and types are drawn first, and every formula is built for the type it must have (`formula.rs`; substitutions in
//! `substitution.rs`), so the front end accepts the result, and a complaint is a bug in one of the two. Bound variables and
//! parameters range over small finite sets, for the machines are also meant to be run.

mod formula;
mod substitution;

use crate::{Choices, Choose as _};

/// What may occur.
#[derive(Clone, Copy, Debug)]
pub struct GeneratorConfig {
    pub strings: bool,
    pub reals: bool,
    pub trees: bool,
    /// How deep formulas and substitutions are nested.
    pub depth: usize,
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        GeneratorConfig { strings: true, reals: true, trees: true, depth: 4 }
    }
}

/// A type of the machine under construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GeneratedType {
    Integer,
    Bool,
    String,
    Real,
    /// A carrier set, by its index.
    Given(usize),
    Pow(Box<GeneratedType>),
    Pair(Box<GeneratedType>, Box<GeneratedType>),
    /// Fields in the order of their names.
    Record(Vec<(&'static str, GeneratedType)>),
}

impl GeneratedType {
    pub fn pow(elem: GeneratedType) -> GeneratedType {
        GeneratedType::Pow(Box::new(elem))
    }

    pub fn pair(first: GeneratedType, second: GeneratedType) -> GeneratedType {
        GeneratedType::Pair(Box::new(first), Box::new(second))
    }

    pub fn relation(first: GeneratedType, second: GeneratedType) -> GeneratedType {
        GeneratedType::pow(GeneratedType::pair(first, second))
    }

    pub fn sequence(elem: GeneratedType) -> GeneratedType {
        GeneratedType::relation(GeneratedType::Integer, elem)
    }

    pub fn tree(label: GeneratedType) -> GeneratedType {
        GeneratedType::relation(GeneratedType::sequence(GeneratedType::Integer), label)
    }
}

/// The text of a machine named `Main`.
pub fn machine(bytes: &[u8], config: GeneratorConfig) -> String {
    Generator::new(bytes, config).machine()
}

/// Writes formulas and substitutions over the names in scope.
pub struct Generator<'a> {
    choices: Choices<'a>,
    config: GeneratorConfig,
    /// Carrier sets: their names, and their elements unless they are deferred.
    sets: Vec<(String, Vec<String>)>,
    /// Names that may be read, with their types; the innermost last.
    scope: Vec<(String, GeneratedType)>,
    /// Definitions with one parameter: name, parameter and result.
    definitions: Vec<(String, GeneratedType, GeneratedType)>,
    n_names: usize,
}

impl<'a> Generator<'a> {
    /// A generator with two carrier sets and nothing else in scope.
    pub fn new(bytes: &'a [u8], config: GeneratorConfig) -> Self {
        let mut choices = Choices::new(bytes);
        let n_elements = 1 + choices.below(3);
        let elements = (1..=n_elements).map(|idx| format!("e{idx}")).collect();
        let sets = vec![("ENUM".to_owned(), elements), ("DEFERRED".to_owned(), Vec::new())];
        // A deferred set has no other elements that can be named.
        let scope = vec![("some".to_owned(), GeneratedType::Given(1))];
        Generator { choices, config, sets, scope, definitions: Vec::new(), n_names: 0 }
    }

    fn machine(mut self) -> String {
        let constants = self.declare("c", 3);
        let properties = self.typing(&constants);
        self.scope.extend(constants.clone());
        let extra = self.pred(2);
        let definitions = self.define(2);
        let variables = self.declare("v", 4);
        let typing = self.typing(&variables);
        let initialisation = self.initialisation(&variables);
        self.scope.extend(variables.clone());
        let invariant = self.pred(self.config.depth);
        let n_operations = 1 + self.choices.below(3);
        let operations: Vec<String> = (0..n_operations).map(|idx| self.operation(idx, &variables)).collect();
        let names = |list: &[(String, GeneratedType)]| {
            list.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        format!(
            "MACHINE Main\nSETS\n  ENUM = {{{}}}; DEFERRED\nCONSTANTS some, {}\nPROPERTIES\n  some : DEFERRED & {properties}\n  & \
             ({extra})\nDEFINITIONS\n{definitions}VARIABLES {}\nINVARIANT\n  {typing}\n  & ({invariant})\nINITIALISATION\n  \
             {initialisation}\nOPERATIONS\n  {}\nEND\n",
            self.sets[0].1.join(", "),
            names(&constants),
            names(&variables),
            operations.join(";\n  "),
        )
    }

    /// New names with types, up to `most` of them.
    fn declare(&mut self, prefix: &str, most: usize) -> Vec<(String, GeneratedType)> {
        (0..=self.choices.below(most)).map(|idx| (format!("{prefix}{idx}"), self.value_type())).collect()
    }

    fn define(&mut self, count: usize) -> String {
        let mut text = String::new();
        for idx in 1..=count {
            let (param, result) = (self.element_type(), self.element_type());
            self.scope.push(("arg".to_owned(), param.clone()));
            let body = self.expr(&result, 2);
            self.scope.pop();
            let name = format!("def{idx}");
            text.push_str(&format!("  {name}(arg) == {body};\n"));
            self.definitions.push((name, param, result));
        }
        text
    }

    fn initialisation(&mut self, variables: &[(String, GeneratedType)]) -> String {
        let assign = |(name, ty): &(String, GeneratedType)| format!("{name} := {}", self.expr(ty, 1));
        variables.iter().map(assign).collect::<Vec<_>>().join(" || ")
    }

    /// `[out <--] op[(param)] = S`
    fn operation(&mut self, idx: usize, variables: &[(String, GeneratedType)]) -> String {
        let params: Vec<(String, GeneratedType)> =
            (0..self.choices.below(3)).map(|idx| (format!("p{idx}"), self.element_type())).collect();
        let outputs: Vec<(String, GeneratedType)> =
            (0..self.choices.below(2)).map(|idx| (format!("r{idx}"), self.value_type())).collect();
        let names = |list: &[(String, GeneratedType)]| {
            list.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let mut head = if outputs.is_empty() { String::new() } else { format!("{} <-- ", names(&outputs)) };
        head.push_str(&format!("op{idx}"));
        if !params.is_empty() {
            head.push_str(&format!("({})", names(&params)));
        }
        let n_scope = self.scope.len();
        self.scope.extend(params.clone());
        let guard = format!("{} & ({})", self.typing(&params), self.pred(self.config.depth));
        let body = self.subst(variables, self.config.depth);
        let mut parts = vec![body];
        parts.extend(outputs.iter().map(|(name, ty)| format!("{name} := {}", self.expr(ty, 2))));
        self.scope.truncate(n_scope);
        let word = self.choices.pick(&["PRE", "SELECT"]);
        format!("{head} = {word} {guard} THEN {} END", parts.join(" || "))
    }

    /// `a : A & b : B`; `btrue` without names.
    fn typing(&self, names: &[(String, GeneratedType)]) -> String {
        let typed = |(name, ty): &(String, GeneratedType)| format!("{name} : {}", self.range(ty));
        if names.is_empty() { "btrue".to_owned() } else { names.iter().map(typed).collect::<Vec<_>>().join(" & ") }
    }

    /// A finite set of values of a type.
    fn range(&self, ty: &GeneratedType) -> String {
        match ty {
            GeneratedType::Integer => "-1..3".to_owned(),
            GeneratedType::Bool => "BOOL".to_owned(),
            GeneratedType::String => "{\"\", \"a\", \"bc\"}".to_owned(),
            GeneratedType::Real => "{0.0, 1.5}".to_owned(),
            GeneratedType::Given(set) => self.sets[*set].0.clone(),
            GeneratedType::Pow(elem) => format!("POW({})", self.range(elem)),
            GeneratedType::Pair(first, second) => {
                format!("({} * {})", self.operand_range(first), self.operand_range(second))
            }
            GeneratedType::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name} : {}", self.range(ty))).collect();
                format!("struct({})", fields.join(", "))
            }
        }
    }

    fn operand_range(&self, ty: &GeneratedType) -> String {
        format!("({})", self.range(ty))
    }

    /// A type with few values.
    fn base_type(&mut self) -> GeneratedType {
        match self.choices.below(8) {
            0 | 1 => GeneratedType::Integer,
            2 => GeneratedType::Bool,
            3 if self.config.strings => GeneratedType::String,
            4 if self.config.reals => GeneratedType::Real,
            idx => GeneratedType::Given(idx % self.sets.len()),
        }
    }

    /// A type that a bound variable can range over.
    fn element_type(&mut self) -> GeneratedType {
        match self.choices.below(6) {
            4 => GeneratedType::pair(self.base_type(), self.base_type()),
            5 => GeneratedType::pow(self.base_type()),
            _ => self.base_type(),
        }
    }

    /// A type for constants and variables.
    fn value_type(&mut self) -> GeneratedType {
        match self.choices.below(9) {
            0 | 1 => self.base_type(),
            2 | 3 => GeneratedType::pow(self.element_type()),
            4 => GeneratedType::relation(self.base_type(), self.base_type()),
            5 => GeneratedType::sequence(self.base_type()),
            6 => GeneratedType::pow(GeneratedType::pow(self.base_type())),
            7 => GeneratedType::Record(vec![("left_part", self.base_type()), ("n", self.element_type())]),
            _ if self.config.trees => GeneratedType::tree(self.base_type()),
            _ => self.element_type(),
        }
    }

    fn fresh_name(&mut self) -> String {
        self.n_names += 1;
        format!("x{}", self.n_names)
    }
}
