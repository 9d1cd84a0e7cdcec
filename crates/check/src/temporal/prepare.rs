//! From the texts of temporal formulas to atoms of the model.
//!
//! A formula is parsed; its quantifiers are expanded over values that the model has; the texts of B in its atoms are lowered in the scope of the machine, all in one
//! go. A formula with a mistake gets its diagnostics and drops out, and the others go on.

use abridge_diag::{Diagnostic, FileId, Label, SourceMap, Span};
use abridge_eval::Env;
use abridge_explicit::judge;
use abridge_model::ModelNode;
use abridge_model::{Logic, Model, PredId, SmolStr, Type, TypeId};
use abridge_model_system::step_number;
use abridge_sema::{Formula as LoweredFormula, FormulaAnalysis, FormulaBody, FormulaRole, FormulaText};
use abridge_system::Origin;
use abridge_temporal::formula::{
    AtomKind, BText, FormulaAtom as ParsedAtom, Ltl, OperationPattern as ParsedPattern, TextRange,
};
use abridge_temporal::{
    BranchingFormula, Domain, ExpandError, ExpandedFormula, FairnessSubject, TemporalText, expand, parse_ctl, parse_ltl,
};

use super::atoms::{ChangeTest, LoweredAtom, StepPattern};
use crate::{Config, Needs, Place as MachinePlace, choices, needs};

/// A temporal formula as it is written.
#[derive(Clone, Debug)]
pub struct FormulaSource {
    pub name: String,
    pub logic: Logic,
    pub text: String,
    /// Where the text stands.
    pub file: FileId,
    pub base: u32,
}

impl FormulaSource {
    fn span(&self, place: TextRange) -> Span {
        Span::new(self.file, self.base + place.start, self.base + place.end)
    }
}

/// The formulas that a machine states in its definitions.
pub fn formulas_of(model: &Model, sources: &SourceMap) -> Vec<FormulaSource> {
    let formula = |property: &abridge_model::TemporalProperty| {
        // The text stands behind the quotation mark of its string.
        let literal = sources.snippet(property.span);
        let quotes = literal.len().saturating_sub(property.text.len()) / 2;
        FormulaSource {
            name: property.name.to_string(),
            logic: property.logic,
            text: property.text.to_string(),
            file: property.span.file,
            base: property.span.start + quotes as u32,
        }
    };
    model.steering.temporal.iter().map(formula).collect()
}

/// A formula with its atoms in the model, or what is wrong with it.
#[derive(Clone, Debug)]
pub struct PreparedFormula {
    pub source: FormulaSource,
    /// Warnings, and errors if there is no body.
    pub diagnostics: Vec<Diagnostic>,
    pub(crate) body: Option<PreparedBody>,
}

impl PreparedFormula {
    /// A premise speaks about every operation with its arguments.
    pub(crate) fn needs_instances(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.tree.needs_instances())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PreparedBody {
    pub(crate) tree: FormulaTree,
    /// The numbers of its atoms among those of all formulas.
    pub(crate) atoms: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum FormulaTree {
    Ltl(ExpandedFormula),
    Ctl(BranchingFormula),
}

impl FormulaTree {
    /// A premise speaks about every operation with its arguments.
    pub(crate) fn needs_instances(&self) -> bool {
        let premises = match self {
            FormulaTree::Ltl(expanded) => &expanded.premises,
            FormulaTree::Ctl(branching) => &branching.premises,
        };
        premises.iter().flatten().any(|constraint| constraint.subject == FairnessSubject::Every)
    }
}

/// Formulas that belong to one model.
#[derive(Clone, Default, Debug)]
pub struct Prepared {
    pub formulas: Vec<PreparedFormula>,
    pub(crate) atoms: Vec<LoweredAtom>,
    /// Predicates of states, by the number of the proposition.
    pub(crate) propositions: Vec<PredId>,
    pub(crate) needs_instances: bool,
}

impl Prepared {
    /// The formulas of the model that are evaluated for the sake of temporal formulas.
    pub(crate) fn nodes(&self) -> Vec<ModelNode> {
        let propositions = self.propositions.iter().map(|pred| ModelNode::Pred(*pred));
        propositions.chain(self.atoms.iter().flat_map(|atom| self.nodes_of_atom(atom))).collect()
    }

    /// Those that are evaluated for the sake of one.
    pub(crate) fn nodes_of(&self, formula: &PreparedFormula) -> Vec<ModelNode> {
        let atoms = formula.body.iter().flat_map(|body| &body.atoms);
        atoms.flat_map(|atom| self.nodes_of_atom(&self.atoms[*atom])).collect()
    }

    fn nodes_of_atom(&self, atom: &LoweredAtom) -> Vec<ModelNode> {
        match atom {
            LoweredAtom::Proposition(number) => vec![ModelNode::Pred(self.propositions[*number as usize])],
            LoweredAtom::BeforeAfter(pred, _) => vec![ModelNode::Pred(*pred)],
            _ => atom.exprs().into_iter().map(ModelNode::Expr).collect(),
        }
    }
}

/// Lowers texts in the scope of the machine.
pub type LowerTexts<'l> = dyn FnMut(&[FormulaText]) -> FormulaAnalysis + 'l;

/// Prepares formulas; the model of the answer is the given one with the atoms of all formulas added.
pub fn prepare(
    model: &Model,
    sources: Vec<FormulaSource>,
    config: &Config,
    lower: &mut LowerTexts<'_>,
) -> (Option<Model>, Prepared) {
    let mut preparing = Preparing { model, config, lower, texts: Vec::new(), atoms: Vec::new(), formulas: Vec::new() };
    for source in sources {
        preparing.parse(source);
    }
    preparing.finish()
}

/// An atom with the texts of the values of its quantified variables.
struct WantedAtom {
    kind: AtomKind,
    bindings: Vec<(SmolStr, String)>,
    /// Positions of its texts of B.
    texts: Vec<usize>,
}

impl WantedAtom {
    fn is_same(&self, kind: &AtomKind, bindings: &[(SmolStr, String)]) -> bool {
        let atom =
            |kind: &AtomKind| ParsedAtom { kind: kind.clone(), bindings: Vec::new(), place: TextRange::default() };
        self.bindings == bindings && atom(&self.kind).same(&atom(kind))
    }
}

/// A text of B of some formula.
struct FormulaPiece {
    formula: usize,
    text: FormulaText,
    /// Characters that stand before the text of the formula.
    n_before: u32,
    start: u32,
}

struct Preparing<'p, 'l> {
    model: &'p Model,
    config: &'p Config,
    lower: &'p mut LowerTexts<'l>,
    texts: Vec<FormulaPiece>,
    atoms: Vec<WantedAtom>,
    formulas: Vec<PreparedFormula>,
}

impl Preparing<'_, '_> {
    fn parse(&mut self, source: FormulaSource) {
        let text = source.text.clone();
        let parsed = TemporalText { file: source.file, base: source.base, text: &text };
        let mut formula = PreparedFormula { source, diagnostics: Vec::new(), body: None };
        match formula.source.logic {
            Logic::Ltl => {
                let (ltl, diagnostics) = parse_ltl(parsed);
                formula.diagnostics = diagnostics;
                if let Some(ltl) = ltl {
                    self.expand(&mut formula, &ltl);
                }
            }
            Logic::Ctl => {
                let (ctl, diagnostics) = parse_ctl(parsed);
                formula.diagnostics = diagnostics;
                match ctl.map(BranchingFormula::new) {
                    Some(Ok(branching)) => {
                        let atoms = branching.formula.atoms.iter();
                        let parsed: Vec<ParsedAtom> = atoms.map(|(_, atom)| atom.clone()).collect();
                        self.add(&mut formula, FormulaTree::Ctl(branching), &parsed, &[]);
                    }
                    Some(Err(error)) => formula.diagnostics.push(refused(&formula.source, &error)),
                    None => {}
                }
            }
        }
        self.formulas.push(formula);
    }

    fn expand(&mut self, formula: &mut PreparedFormula, ltl: &Ltl) {
        let mut values = QuantifiedValues { preparing: self, source: &formula.source, texts: Vec::new() };
        match expand(ltl, &mut values) {
            Ok(expanded) => {
                let texts = values.texts;
                let parsed: Vec<ParsedAtom> = expanded.formula.atoms.iter().map(|(_, atom)| atom.clone()).collect();
                self.add(formula, FormulaTree::Ltl(expanded), &parsed, &texts);
            }
            Err(error) => formula.diagnostics.push(refused(&formula.source, &error)),
        }
    }

    /// Takes a formula over with its atoms, unless an operation is wrong.
    fn add(&mut self, formula: &mut PreparedFormula, tree: FormulaTree, parsed: &[ParsedAtom], values: &[String]) {
        let (number, first) = (self.formulas.len(), self.atoms.len());
        let mut atoms = Vec::new();
        for atom in parsed {
            let atom = &self.without_dots(atom, formula);
            let bindings = atom.bindings.iter().map(|(name, value)| (name.clone(), values[*value as usize].clone()));
            let bindings: Vec<(SmolStr, String)> = bindings.collect();
            if let Some(diagnostic) = self.mistake(&formula.source, atom) {
                formula.diagnostics.push(diagnostic);
                return;
            }
            // An atom of another formula is another one here: the mistakes of that formula are no concern of this one.
            let known = (first..self.atoms.len()).find(|known| self.atoms[*known].is_same(&atom.kind, &bindings));
            atoms.push(known.unwrap_or_else(|| {
                let texts = self.add_texts(number, &atom.kind, &bindings);
                self.atoms.push(WantedAtom { kind: atom.kind.clone(), bindings, texts });
                self.atoms.len() - 1
            }));
        }
        formula.body = Some(PreparedBody { tree, atoms });
    }

    fn add_texts(&mut self, formula: usize, kind: &AtomKind, bindings: &[(SmolStr, String)]) -> Vec<usize> {
        let mut positions = Vec::new();
        let mut add = |text: &BText, role: FormulaRole| {
            positions.push(self.texts.len());
            let (before, after) = binding(bindings, role == FormulaRole::Predicate);
            let whole = format!("{before}{}{after}", text.text);
            let text_of = FormulaText { source: "<formula>".to_owned(), text: whole, role };
            self.texts.push(FormulaPiece { formula, text: text_of, n_before: before.len() as u32, start: text.start });
        };
        let argument = |pattern: &ParsedPattern, position: usize| {
            let operation = self.model.transitions().map(|(_, op)| op).find(|op| op.name == pattern.operation.text);
            let local =
                operation.and_then(|op| op.params.get(position)).map(|local| self.model.locals[*local].name.clone());
            FormulaRole::ValueOfLocal { operation: pattern.operation.text.clone(), local: local.unwrap_or_default() }
        };
        let of_pattern = |pattern: &ParsedPattern, add: &mut dyn FnMut(&BText, FormulaRole)| {
            for (position, text) in pattern.arguments.iter().enumerate() {
                if let Some(text) = text {
                    add(text, argument(pattern, position));
                }
            }
        };
        match kind {
            AtomKind::Predicate(text) => add(text, FormulaRole::Predicate),
            AtomKind::Unchanged(text)
            | AtomKind::Changed(text)
            | AtomKind::Increasing(text)
            | AtomKind::Decreasing(text) => {
                add(text, FormulaRole::Expression);
            }
            AtomKind::BeforeAfter(text) => add(text, FormulaRole::BeforeAfter),
            AtomKind::Taken(pattern) | AtomKind::Enabled(pattern) | AtomKind::Available(pattern) => {
                of_pattern(pattern, &mut add);
            }
            AtomKind::DeadlockOf(patterns) | AtomKind::Deterministic(patterns) | AtomKind::Controller(patterns) => {
                patterns.iter().for_each(|pattern| of_pattern(pattern, &mut add));
            }
            _ => {}
        }
        positions
    }

    /// An atom whose operations have their arguments in parentheses. CSP writes an event with its arguments as `op.arg`; where no operation has that name and `op` has
    /// parameters, it means `op(arg)`, and a warning says so.
    fn without_dots(&self, atom: &ParsedAtom, formula: &mut PreparedFormula) -> ParsedAtom {
        let mut atom = atom.clone();
        let patterns: Vec<&mut ParsedPattern> = match &mut atom.kind {
            AtomKind::Taken(pattern) | AtomKind::Enabled(pattern) | AtomKind::Available(pattern) => vec![pattern],
            AtomKind::DeadlockOf(patterns) | AtomKind::Deterministic(patterns) | AtomKind::Controller(patterns) => {
                patterns.iter_mut().collect()
            }
            _ => Vec::new(),
        };
        let n_params = |name: &str| {
            let operation = self.model.transitions().map(|(_, op)| op).find(|op| op.name == name);
            operation.map_or(0, |op| op.params.len())
        };
        for pattern in patterns {
            let (text, start) = (pattern.operation.text.clone(), pattern.operation.start);
            let is_known = self.model.transitions().any(|(_, op)| op.name == text);
            let mut parts = text.split('.');
            let name = parts.next().unwrap_or_default();
            let mut offset = start + name.len() as u32;
            let arguments = parts.map(|part| {
                let argument = BText { text: part.into(), start: offset + 1 };
                offset += 1 + part.len() as u32;
                Some(argument)
            });
            let arguments: Vec<Option<BText>> = arguments.collect();
            if is_known || !pattern.arguments.is_empty() || arguments.is_empty() || arguments.len() > n_params(name) {
                continue;
            }
            pattern.operation = BText { text: name.into(), start };
            pattern.arguments = arguments;
            let message = format!("`{text}` is read as `{pattern}`");
            let span = formula.source.span(TextRange { start, end: start + text.len() as u32 });
            let warning = Diagnostic::warning("foreign-operator", message).at(span);
            if !formula.diagnostics.iter().any(|known| known.message == warning.message) {
                formula.diagnostics.push(warning.help("arguments of operations stand in parentheses"));
            }
        }
        atom
    }

    /// What is wrong with an atom: an operation that does not exist, or something that has no meaning here.
    fn mistake(&self, source: &FormulaSource, atom: &ParsedAtom) -> Option<Diagnostic> {
        match &atom.kind {
            AtomKind::Taken(pattern) | AtomKind::Enabled(pattern) | AtomKind::Available(pattern) => {
                self.pattern_mistake(source, pattern)
            }
            AtomKind::DeadlockOf(patterns) | AtomKind::Deterministic(patterns) | AtomKind::Controller(patterns) => {
                patterns.iter().find_map(|pattern| self.pattern_mistake(source, pattern))
            }
            AtomKind::Goal if self.model.steering.goal.is_none() => {
                Some(Diagnostic::error("temporal-formula", "the machine has no GOAL").at(source.span(atom.place)))
            }
            AtomKind::Current => Some(
                Diagnostic::error("temporal-formula", "`current` means something in the animator only")
                    .at(source.span(atom.place)),
            ),
            _ => None,
        }
    }

    fn pattern_mistake(&self, source: &FormulaSource, pattern: &ParsedPattern) -> Option<Diagnostic> {
        let name = &pattern.operation.text;
        let start = pattern.operation.start;
        let span = source.span(TextRange { start, end: start + name.len() as u32 });
        let operations = || self.model.transitions().map(|(_, op)| op);
        let Some(operation) = operations().find(|op| op.name == *name) else {
            let diagnostic = Diagnostic::error("unknown-operation", format!("no operation `{name}`")).at(span);
            let names = operations().map(|op| op.name.as_str());
            let near = abridge_sema::nearest(name, names);
            return Some(near.into_iter().fold(diagnostic, |diagnostic, near| {
                diagnostic.help(format!("a similar operation exists: `{near}`"))
            }));
        };
        if pattern.arguments.len() > operation.params.len() {
            let n_params = operation.params.len();
            let message = format!("`{name}` has {n_params} parameter{}", if n_params == 1 { "" } else { "s" });
            return Some(Diagnostic::error("temporal-formula", message).at(span));
        }
        None
    }

    /// Lowers all texts; formulas with mistakes drop out.
    fn finish(mut self) -> (Option<Model>, Prepared) {
        loop {
            let is_used = |text: &FormulaPiece| self.formulas[text.formula].body.is_some();
            let used: Vec<usize> = (0..self.texts.len()).filter(|idx| is_used(&self.texts[*idx])).collect();
            // Without texts, the model is as it was.
            let texts: Vec<FormulaText> = used.iter().map(|idx| self.texts[*idx].text.clone()).collect();
            if texts.is_empty() {
                return (None, self.lowered(self.model, &[], &[]));
            }
            let analysis = (self.lower)(&texts);
            if let Some(model) = &analysis.model {
                let prepared = self.lowered(model, &analysis.formulas, &used);
                return (analysis.model, prepared);
            }
            let mut is_explained = false;
            for diagnostic in analysis.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
                let at = diagnostic.span().and_then(|span| analysis.files.iter().position(|file| *file == span.file));
                let Some(text) = at.map(|at| &self.texts[used[at]]) else { continue };
                let formula = &mut self.formulas[text.formula];
                let moved = moved(diagnostic, &formula.source, text, &analysis.files);
                formula.diagnostics.push(moved);
                formula.body = None;
                is_explained = true;
            }
            if !is_explained {
                for formula in self.formulas.iter_mut().filter(|formula| formula.body.is_some()) {
                    formula.body = None;
                    let whole = TextRange { start: 0, end: formula.source.text.len() as u32 };
                    let diagnostic =
                        Diagnostic::error("temporal-formula", "the formula could not be read in the machine");
                    formula.diagnostics.push(diagnostic.at(formula.source.span(whole)));
                }
            }
        }
    }

    fn lowered(&self, model: &Model, lowered: &[LoweredFormula], used: &[usize]) -> Prepared {
        let mut prepared = Prepared { formulas: self.formulas.clone(), ..Prepared::default() };
        let body = |idx: usize| used.binary_search(&idx).ok().map(|position| &lowered[position]);
        let mut numbers: Vec<Option<usize>> = Vec::new();
        for wanted in &self.atoms {
            let is_same = |known: &usize| self.atoms[*known].is_same(&wanted.kind, &wanted.bindings);
            let known = (0..numbers.len()).filter(|known| numbers[*known].is_some()).find(is_same);
            if let Some(known) = known {
                numbers.push(numbers[known]);
                continue;
            }
            let bodies: Option<Vec<&LoweredFormula>> = wanted.texts.iter().map(|idx| body(*idx)).collect();
            let atom = bodies.and_then(|bodies| lowered_atom(model, &wanted.kind, &bodies, &mut prepared.propositions));
            numbers.push(atom.map(|atom| {
                prepared.atoms.push(atom);
                prepared.atoms.len() - 1
            }));
        }
        for formula in &mut prepared.formulas {
            let Some(body) = &mut formula.body else { continue };
            let atoms: Option<Vec<usize>> = body.atoms.iter().map(|atom| numbers[*atom]).collect();
            prepared.needs_instances |= body.tree.needs_instances();
            match atoms {
                Some(atoms) => body.atoms = atoms,
                None => formula.body = None,
            }
        }
        prepared
    }
}

/// Why a formula cannot be expanded.
fn refused(source: &FormulaSource, error: &ExpandError) -> Diagnostic {
    let (message, place) = match error {
        ExpandError::NoValues(name, place) => {
            (format!("the values of `{name}` cannot be listed: give it a range of constants or a set"), place)
        }
        ExpandError::NoInstances(place) => {
            let message = "`WEF` and `SEF` in parentheses need operations whose parameters are elements of given sets or booleans";
            (message.to_owned(), place)
        }
        ExpandError::TooLarge(place) => ("the formula becomes too large without quantifiers".to_owned(), place),
    };
    Diagnostic::error("temporal-formula", message).at(source.span(*place))
}

/// What stands before and after a text to give variables their values.
fn binding(bindings: &[(SmolStr, String)], is_predicate: bool) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    for (name, value) in bindings {
        if is_predicate {
            before.push_str(&format!("#{name}.({name} = {value} & ("));
            after.push_str("))");
        } else {
            before.push_str(&format!("LET {name} BE {name} = {value} IN "));
            after.push_str(" END");
        }
    }
    (before, after)
}

/// A diagnostic about a text, moved to the formula that has it.
fn moved(diagnostic: &Diagnostic, source: &FormulaSource, text: &FormulaPiece, files: &[FileId]) -> Diagnostic {
    let moved = |label: &Label| {
        let place = |offset: u32| (text.start + offset.saturating_sub(text.n_before)).min(source.text.len() as u32);
        let span = source.span(TextRange { start: place(label.span.start), end: place(label.span.end) });
        Label { span, text: label.text.clone() }
    };
    let is_in_text = |label: &&Label| files.contains(&label.span.file);
    Diagnostic {
        primary: diagnostic.primary.as_ref().map(moved),
        secondary: diagnostic.secondary.iter().filter(|label| !is_in_text(label)).cloned().collect(),
        ..diagnostic.clone()
    }
}

fn lowered_atom(
    model: &Model,
    kind: &AtomKind,
    bodies: &[&LoweredFormula],
    propositions: &mut Vec<PredId>,
) -> Option<LoweredAtom> {
    let mut proposition = |pred: PredId| {
        propositions.push(pred);
        LoweredAtom::Proposition(propositions.len() as u32 - 1)
    };
    let expr = |position: usize| match bodies.get(position)?.body {
        FormulaBody::Expr(expr) => Some(expr),
        FormulaBody::Pred(_) => None,
    };
    let pred = || match bodies.first()?.body {
        FormulaBody::Pred(pred) => Some(pred),
        FormulaBody::Expr(_) => None,
    };
    let mut position = 0;
    let mut pattern = |parsed: &ParsedPattern| {
        let (op, _) = model.transitions().find(|(_, op)| op.name == parsed.operation.text)?;
        let mut arguments = Vec::new();
        for argument in &parsed.arguments {
            let value = match argument {
                Some(_) => {
                    position += 1;
                    Some(expr(position - 1)?)
                }
                None => None,
            };
            arguments.push(value);
        }
        Some(StepPattern { operation: step_number(model, op)?, arguments })
    };
    Some(match kind {
        AtomKind::Predicate(_) => proposition(pred()?),
        AtomKind::Goal => proposition(model.steering.goal?),
        AtomKind::Taken(parsed) => LoweredAtom::Taken(pattern(parsed)?),
        AtomKind::Enabled(parsed) | AtomKind::Available(parsed) => LoweredAtom::Enabled(pattern(parsed)?),
        AtomKind::Deadlock => LoweredAtom::Deadlock,
        AtomKind::DeadlockOf(parsed) => LoweredAtom::NoneOf(parsed.iter().map(pattern).collect::<Option<_>>()?),
        AtomKind::Deterministic(parsed) => match parsed.as_slice() {
            [only] => LoweredAtom::NoOther(pattern(only)?),
            all => LoweredAtom::AtMostOneOf(all.iter().map(pattern).collect::<Option<_>>()?),
        },
        AtomKind::Controller(parsed) => LoweredAtom::ExactlyOneOf(parsed.iter().map(pattern).collect::<Option<_>>()?),
        AtomKind::Sink => LoweredAtom::Sink,
        AtomKind::Error => LoweredAtom::Error,
        AtomKind::DetOutput => LoweredAtom::DeterministicOutput,
        AtomKind::Unchanged(_) => LoweredAtom::Change(ChangeTest::Unchanged, expr(0)?),
        AtomKind::Changed(_) => LoweredAtom::Change(ChangeTest::Changed, expr(0)?),
        AtomKind::Increasing(_) => LoweredAtom::Change(ChangeTest::Increasing, expr(0)?),
        AtomKind::Decreasing(_) => LoweredAtom::Change(ChangeTest::Decreasing, expr(0)?),
        AtomKind::BeforeAfter(_) => {
            let variable = |name: &SmolStr| model.variables.iter().find(|(_, variable)| variable.name == *name);
            let before = bodies.first()?.free.iter();
            let before = before.map(|local| Some((*local, variable(&model.locals[*local].name)?.0)));
            LoweredAtom::BeforeAfter(pred()?, before.collect::<Option<_>>()?)
        }
        AtomKind::Current => return None,
    })
}

/// Values of quantified variables, as texts.
struct QuantifiedValues<'v, 'p, 'l> {
    preparing: &'v mut Preparing<'p, 'l>,
    source: &'v FormulaSource,
    texts: Vec<String>,
}

/// Values of one variable.
const MAX_VALUES: usize = 10_000;
/// Set-ups whose values are collected.
const MAX_SETUPS: usize = 100;

impl Domain for QuantifiedValues<'_, '_, '_> {
    fn values(&mut self, name: &str, range: &ParsedAtom) -> Option<Vec<u32>> {
        let AtomKind::Predicate(text) = &range.kind else { return None };
        let bindings = range.bindings.iter().map(|(name, value)| (name.clone(), self.texts[*value as usize].clone()));
        let bindings: Vec<(SmolStr, String)> = bindings.collect();
        let (before, after) = binding(&bindings, true);
        let whole = format!("{before}{}{after}", text.text);
        let analysis = (self.preparing.lower)(&[FormulaText {
            source: self.source.name.clone(),
            text: whole,
            role: FormulaRole::Any,
        }]);
        let (model, formula) = (analysis.model.as_ref()?, analysis.formulas.first()?);
        let FormulaBody::Pred(pred) = formula.body else { return None };
        let [local] = formula.free.as_slice() else { return None };
        if model.locals[*local].name != name {
            return None;
        }
        let texts = self.listed(model, *local, pred)?;
        let first = self.texts.len() as u32;
        self.texts.extend(texts);
        Some((first..self.texts.len() as u32).collect())
    }

    fn instances(&mut self) -> Option<Vec<ParsedPattern>> {
        let model = self.preparing.model;
        let text = |text: String| BText { text: text.into(), start: 0 };
        let mut instances = Vec::new();
        for (_, operation) in model.transitions() {
            let mut lists: Vec<Vec<Option<BText>>> = vec![Vec::new()];
            for param in &operation.params {
                let values = members(model, model.locals[*param].ty)?;
                if lists.len().saturating_mul(values.len()) > MAX_VALUES {
                    return None;
                }
                let longer = |list: &Vec<Option<BText>>, value: &String| {
                    list.iter().cloned().chain([Some(text(value.clone()))]).collect::<Vec<_>>()
                };
                lists = lists.iter().flat_map(|list| values.iter().map(move |value| longer(list, value))).collect();
            }
            let pattern = |arguments| ParsedPattern { operation: text(operation.name.to_string()), arguments };
            instances.extend(lists.into_iter().map(pattern));
        }
        Some(instances)
    }
}

/// The members of a small type, as texts.
fn members(model: &Model, ty: TypeId) -> Option<Vec<String>> {
    match model.types.get(ty) {
        Type::Given(set) => {
            let carrier = &model.sets[*set];
            Some((0..carrier.size()).map(|index| carrier.element_name(index).to_string()).collect())
        }
        Type::Bool => Some(vec!["FALSE".to_owned(), "TRUE".to_owned()]),
        _ => None,
    }
}

impl QuantifiedValues<'_, '_, '_> {
    fn listed(&self, model: &Model, local: abridge_model::LocalId, pred: PredId) -> Option<Vec<String>> {
        if let Some(members) = members(model, model.locals[local].ty) {
            return Some(members);
        }
        let interp = judge(model, self.preparing.config.eval.clone()).stopped_by(self.preparing.config.stop.clone());
        let places: Vec<MachinePlace> = match needs(model, ModelNode::Pred(pred)) {
            Needs::Variables => return None,
            Needs::Nothing => vec![MachinePlace::Start],
            Needs::Constants => {
                let system = crate::stack::system_of(interp.clone(), self.preparing.config.system.clone());
                let found = choices(&system, Origin::Root, MAX_SETUPS);
                if found.is_cut || !found.completeness.is_whole() {
                    return None;
                }
                found.list.iter().map(|step| MachinePlace::of_words(&system, Some(&step.to))).collect()
            }
        };
        let mut texts = Vec::new();
        for place in places {
            let env = place.state().map_or_else(Env::empty, Env::new);
            let found = crate::solve(&interp, &[local], pred, &env, MAX_VALUES);
            let crate::CalculatedAnswer::Solutions { list, is_complete: true, .. } = found.answer.ok()? else {
                return None;
            };
            for text in list.into_iter().flatten() {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        Some(texts)
    }
}
