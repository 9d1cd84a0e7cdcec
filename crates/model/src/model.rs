//! [`Model`]: the composed machine as a whole, and its declarations.
//!
//! [`mod@crate::verify`] states what holds for every model.

use std::collections::BTreeMap;
use std::time::Duration;

use abridge_diag::Span;
use num_bigint::BigInt;
use smol_str::SmolStr;

use crate::expr::ExprNode;
use crate::ids::{
    ConstId, ExprId, ExternalId, FreeTypeId, IdSet, IdVec, LocalId, OpId, PredId, SetId, SubstId, TypeId, VarId,
};
use crate::levels::Level;
use crate::pred::PredNode;
use crate::subst::SubstNode;
use crate::types::TypeTable;

#[derive(Clone, Debug)]
pub struct Model {
    pub name: SmolStr,
    pub kind: ModelKind,
    pub types: TypeTable,
    pub sets: IdVec<SetId, CarrierSet>,
    pub free_types: IdVec<FreeTypeId, FreeType>,
    pub constants: IdVec<ConstId, Constant>,
    pub variables: IdVec<VarId, Variable>,
    pub locals: IdVec<LocalId, Local>,
    pub externals: IdVec<ExternalId, External>,
    /// Operations of all machines. Those with [`Operation::is_top_level`] are the transitions.
    pub operations: IdVec<OpId, Operation>,
    pub exprs: IdVec<ExprId, ExprNode>,
    pub preds: IdVec<PredId, PredNode>,
    pub substs: IdVec<SubstId, SubstNode>,
    /// PROPERTIES, CONSTRAINTS, VALUES and the equations of actual parameters. They read constants only.
    pub properties: Vec<Conjunct>,
    pub invariant: Vec<Conjunct>,
    pub assertions: Vec<Conjunct>,
    /// Initialisations of all machines; seen and included machines come first.
    pub initialisation: SubstId,
    /// Abstraction, if the model is a refinement.
    pub abstraction: Option<Abstraction>,
    /// Main machine and the machines that it can be compared with: its abstractions, nearest first, or the one that the user named. Empty without an
    /// abstraction.
    pub levels: Vec<Level>,
    /// Largest known group of constants of each deferred set that the properties force to be pairwise distinct, in the order of declaration.
    pub distinct_constants: Vec<Vec<ConstId>>,
    pub steering: Steering,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModelKind {
    Machine,
    Refinement,
    Implementation,
}

/// Origin of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclOrigin {
    /// Declaring machine.
    pub machine: SmolStr,
    pub span: Span,
    /// Text of a `desc` pragma.
    pub desc: Option<SmolStr>,
}

/// Deferred or enumerated set, or set parameter of the main machine.
#[derive(Clone, Debug)]
pub struct CarrierSet {
    pub name: SmolStr,
    pub kind: CarrierKind,
    pub origin: DeclOrigin,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CarrierKind {
    Enumerated(Vec<SmolStr>),
    /// Deferred set with its number of elements ([`crate::carriers`]); at least one.
    Deferred {
        size: u32,
    },
}

impl CarrierSet {
    pub fn size(&self) -> u32 {
        match &self.kind {
            CarrierKind::Enumerated(elements) => elements.len() as u32,
            CarrierKind::Deferred { size } => *size,
        }
    }

    pub fn is_deferred(&self) -> bool {
        matches!(self.kind, CarrierKind::Deferred { .. })
    }

    /// Display name of an element: its own, or `S1`, `S2`, ... for a deferred set `S`.
    pub fn element_name(&self, index: u32) -> SmolStr {
        match &self.kind {
            CarrierKind::Enumerated(elements) => elements[index as usize].clone(),
            CarrierKind::Deferred { .. } => SmolStr::from(format!("{}{}", self.name, index + 1)),
        }
    }
}

#[derive(Clone, Debug)]
pub struct FreeType {
    pub name: SmolStr,
    pub constructors: Vec<Constructor>,
    pub origin: DeclOrigin,
}

#[derive(Clone, Debug)]
pub struct Constructor {
    pub name: SmolStr,
    /// Set that the argument belongs to, and the type of its elements.
    pub arg: Option<(ExprId, TypeId)>,
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub name: SmolStr,
    pub ty: TypeId,
    pub origin: DeclOrigin,
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// Name with the prefix of the machine instance, if any.
    pub name: SmolStr,
    pub ty: TypeId,
    /// Declared only by an abstraction of the main machine. The variable is not part of the state; gluing invariants and the abstraction itself may
    /// read it.
    pub is_abstract: bool,
    pub origin: DeclOrigin,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: SmolStr,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    pub name: SmolStr,
    pub kind: ExternalKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExternalKind {
    Function,
    Predicate,
    Substitution,
}

#[derive(Clone, Debug)]
pub struct Operation {
    /// Name with the prefix of the machine instance, if any.
    pub name: SmolStr,
    pub params: Vec<LocalId>,
    pub outputs: Vec<LocalId>,
    pub body: SubstId,
    /// True for a transition of the model, false for an operation that is only called.
    pub is_top_level: bool,
    /// Operation of the abstraction that this one refines.
    pub refines: Option<OpId>,
    pub effects: Effects,
    pub origin: DeclOrigin,
}

/// Read and write sets of an operation. Additional entries are sound, missing ones are not.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Variables whose old value the operation may read, including calls.
    pub reads: IdSet<VarId>,
    /// Variables that determine for which parameters the operation is enabled.
    pub guard_reads: IdSet<VarId>,
    /// Variables that the operation may write.
    pub writes: IdSet<VarId>,
    /// Constants that the operation may read.
    pub constants: IdSet<ConstId>,
}

/// Conjunct of the invariant or the properties, or an assertion.
#[derive(Clone, Debug)]
pub struct Conjunct {
    pub pred: PredId,
    /// Labels from its `label` pragmas.
    pub labels: Vec<SmolStr>,
    /// Machine that states the conjunct.
    pub machine: SmolStr,
    pub span: Span,
    pub reads: IdSet<VarId>,
    pub constants: IdSet<ConstId>,
    /// True if the conjunct reads a replaced variable of the abstraction. The state alone does not determine its truth value then.
    pub is_gluing: bool,
}

/// Abstraction of a refinement; its operations are those of all levels.
#[derive(Clone, Debug)]
pub struct Abstraction {
    pub name: SmolStr,
    pub initialisation: SubstId,
}

/// Definitions that control the checker: goal, scope, temporal formulas, preferences.
#[derive(Clone, Default, Debug)]
pub struct Steering {
    pub goal: Option<PredId>,
    /// Predicate that limits the search: only states that satisfy it are expanded.
    pub scope: Option<PredId>,
    pub heuristic: Option<ExprId>,
    pub temporal: Vec<TemporalProperty>,
    /// Sizes of deferred sets given by the user. The last size of a set counts.
    pub set_sizes: Vec<(SetId, u32)>,
    /// Enumerated sets that the user declares symmetric.
    pub force_symmetry: Vec<SetId>,
    /// `MAX_OPERATIONS_op`.
    pub max_operations: Vec<(OpId, u32)>,
    /// Reductions that a check may use, in the order of the text.
    pub reductions: Vec<ReductionDef>,
    /// Definitions that describe a reduction and have no effect, each after a diagnostic: the name of the reduction and that of the definition.
    pub ignored_reductions: Vec<(SmolStr, SmolStr)>,
    pub preferences: Preferences,
}

/// Reduction described by definitions of a machine: a group action by its generators, or a canonizer.
///
/// Its functions are operations of the model, but not transitions. They are deterministic, call no operations and write state variables only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReductionDef {
    /// Name of the definition without its prefix, for instance `rot`.
    pub name: SmolStr,
    /// Definition that introduces the reduction.
    pub span: Span,
    pub kind: ReductionKind,
    /// Text of the substitution in B, if the definition is a family.
    pub expansion: Option<SmolStr>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReductionKind {
    /// Group action with one generator per value of the parameters.
    Generated {
        generator: OpId,
        /// Operation that undoes the generator with the same arguments.
        inverse: Option<OpId>,
        /// Expression that is least in the representative of an orbit. Ties are broken by the order of values.
        order: Option<ExprId>,
        /// Given set whose elements the group permutes in all possible ways.
        permuted: Option<SetId>,
    },
    /// Function without parameters from a state to its representative.
    Canonizer(OpId),
}

impl ReductionDef {
    /// Operations of the reduction.
    pub fn operations(&self) -> impl Iterator<Item = OpId> {
        let (first, second) = match self.kind {
            ReductionKind::Generated { generator, inverse, .. } => (generator, inverse),
            ReductionKind::Canonizer(op) => (op, None),
        };
        [Some(first), second].into_iter().flatten()
    }

    /// Order of the states of an orbit, if one was given.
    pub fn order(&self) -> Option<ExprId> {
        match self.kind {
            ReductionKind::Generated { order, .. } => order,
            ReductionKind::Canonizer(_) => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemporalProperty {
    /// Name of the definition, for instance `ASSERT_LTL_1`.
    pub name: SmolStr,
    pub logic: Logic,
    pub text: SmolStr,
    /// Place of the string literal.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    Ltl,
    Ctl,
}

/// Preferences of ProB. The command line overrides SET_PREF definitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preferences {
    pub min_int: BigInt,
    pub max_int: BigInt,
    pub default_set_size: u32,
    /// All preferences that were set, by ProB name, including the three above.
    pub set: BTreeMap<SmolStr, SmolStr>,
}

impl Default for Preferences {
    fn default() -> Self {
        Preferences { min_int: BigInt::from(-1), max_int: BigInt::from(3), default_set_size: 2, set: BTreeMap::new() }
    }
}

impl Preferences {
    /// Text of a preference, if it was set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.set.get(name).map(SmolStr::as_str)
    }

    /// Value of a boolean preference; false if it was not set.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// Time that one evaluation may take (TIME_OUT), if it is limited.
    pub fn time_out(&self) -> Option<Duration> {
        let milliseconds = self.get("TIME_OUT")?.trim().parse().ok()?;
        (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
    }
}

impl Model {
    /// Empty model. Its initialisation must be set before use.
    pub fn empty(name: SmolStr, kind: ModelKind) -> Model {
        Model {
            name,
            kind,
            types: TypeTable::new(),
            sets: IdVec::new(),
            free_types: IdVec::new(),
            constants: IdVec::new(),
            variables: IdVec::new(),
            locals: IdVec::new(),
            externals: IdVec::new(),
            operations: IdVec::new(),
            exprs: IdVec::new(),
            preds: IdVec::new(),
            substs: IdVec::new(),
            properties: Vec::new(),
            invariant: Vec::new(),
            assertions: Vec::new(),
            initialisation: SubstId(0),
            abstraction: None,
            levels: Vec::new(),
            distinct_constants: Vec::new(),
            steering: Steering::default(),
        }
    }

    pub fn expr(&self, id: ExprId) -> &crate::Expr {
        &self.exprs[id].expr
    }

    pub fn pred(&self, id: PredId) -> &crate::Pred {
        &self.preds[id].pred
    }

    pub fn subst(&self, id: SubstId) -> &crate::Subst {
        &self.substs[id].subst
    }

    pub fn ty(&self, id: ExprId) -> TypeId {
        self.exprs[id].ty
    }

    /// Operations that are transitions.
    pub fn transitions(&self) -> impl Iterator<Item = (OpId, &Operation)> {
        self.operations.iter().filter(|(_, op)| op.is_top_level)
    }

    /// Operations of reductions: functions on states that are not transitions.
    pub fn transformations(&self) -> impl Iterator<Item = OpId> {
        self.steering.reductions.iter().flat_map(ReductionDef::operations)
    }

    /// Variables of the state.
    pub fn state_variables(&self) -> impl Iterator<Item = (VarId, &Variable)> {
        self.variables.iter().filter(|(_, variable)| !variable.is_abstract)
    }
}
