//! Data types of compiled formulas, searches and substitutions. Slot numbers stand for names.

use std::sync::Arc;

use abridge_eval::FreeNames;
use abridge_model::{Arrow, BinaryOp, ExprId, PredId, QuantifiedOp, TypeId, UnaryOp};
use abridge_value::Value;

/// Expression with a concrete value.
pub(crate) enum Code {
    Value(Value),
    Slot(usize),
    /// Expression over constants only, evaluated once by the plain interpreter.
    Cell(usize, ExprId),
    /// Expression over constants and one element only.
    PerElement(PerElement),
    /// Expression that the plain interpreter evaluates.
    Interpret(ExprId, Arc<FreeNames>),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<Code>, Box<Code>),
    Apply(Head, Box<Code>),
    /// Value of the case that equals an argument.
    Case(Box<Code>, Vec<(Value, Code)>),
    /// Applied lambda: argument, slots for its components, condition, value.
    Beta(Box<Code>, Vec<usize>, Box<Test>, Box<Code>),
    Image(Head, Box<Code>),
    /// `relation~[set]`
    Preimage(Box<Code>, Box<Code>),
    SetExtension(Vec<Code>),
    SequenceExtension(Vec<Code>),
    Record(u32, Vec<Code>),
    Field(Box<Code>, u32),
    WithField(Box<Code>, u32, Box<Code>),
    /// Set of the values of an expression over all solutions.
    Collect(Plan, Box<Code>),
    /// `%x.(P|E)`: argument and value.
    Lambda(Plan, Box<Code>, Box<Code>),
    Fold(QuantifiedOp, Plan, Box<Code>),
    If(Box<Test>, Box<Code>, Box<Code>),
    Let(Vec<(usize, Code)>, Box<Code>),
    BoolOf(Box<Test>),
}

/// Expression whose values are cached by the element in a slot (`run/elements.rs`).
pub(crate) struct PerElement {
    pub(crate) number: usize,
    pub(crate) slot: usize,
    pub(crate) code: Box<Code>,
}

/// Function, relation or set in a position where it may be symbolic.
pub(crate) enum Head {
    Slot(usize),
    Cell(usize, ExprId),
    Code(Box<Code>),
}

pub(crate) enum Test {
    Known(bool),
    Not(Box<Test>),
    /// False if an operand is, even if another is ill-defined.
    And(Vec<Test>),
    Or(Vec<Test>),
    Implies(Box<Test>, Box<Test>),
    Equivalent(Box<Test>, Box<Test>),
    Equal(Code, Code),
    Member(Code, SetTest),
    Subset(Code, Code),
    StrictSubset(Code, Code),
    /// `left /\ right = {}`
    Disjoint(Code, Code),
    /// Every element of the left operand passes the test on the right.
    Within(Code, SetTest),
    Less(Code, Code),
    LessEqual(Code, Code),
    Exists(Plan),
    /// No solution of the plan fails the test.
    Forall {
        plan: Plan,
        test: Box<Test>,
        /// If the test is ill-defined, so is the conclusion of the quantifier. Else the conclusion is searched in part.
        is_exact: bool,
    },
    If(Box<Test>, Box<Test>, Box<Test>),
    Let(Vec<(usize, Code)>, Box<Test>),
    Interpret(PredId, Arc<FreeNames>),
}

/// Set in a position where only membership matters.
pub(crate) enum SetTest {
    /// All values of the type.
    All,
    Natural,
    Natural1,
    Interval(Code, Code),
    Head(Head),
    Power {
        of: Box<SetTest>,
        non_empty: bool,
    },
    /// Domain and range: as tests and, if totality or surjectivity needs them, as sets.
    Arrow {
        arrow: Arrow,
        from: Box<SetTest>,
        to: Box<SetTest>,
        from_set: Option<Code>,
        to_set: Option<Code>,
    },
    Cartesian(Box<SetTest>, Box<SetTest>),
    Union(Box<SetTest>, Box<SetTest>),
    Intersection(Box<SetTest>, Box<SetTest>),
    Difference(Box<SetTest>, Box<SetTest>),
    Sequence {
        of: Box<SetTest>,
        non_empty: bool,
        injective: bool,
    },
    Struct(Vec<SetTest>),
    /// Binder slots, from the outermost pair inwards, and the condition.
    Comprehension(Vec<usize>, Box<Test>),
    /// Test preceded by operands that may be ill-defined. Membership could be decided without them, but the set has a value only if all operands
    /// have one.
    Defined(Vec<Code>, Box<SetTest>),
}

/// Search plan for all solutions of a conjunction: steps that bind slots or drop candidates.
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    /// A solution may be found several times.
    pub(crate) may_repeat: bool,
    /// Table of the solutions, if they depend on constants only.
    pub(crate) table: Option<SolutionTable>,
}

/// Table of solutions, as values of slots.
pub(crate) struct SolutionTable {
    pub(crate) number: usize,
    pub(crate) slots: Vec<usize>,
    /// The solutions do not even depend on constants.
    pub(crate) is_fixed: bool,
}

pub(crate) enum PlanStep {
    Test {
        test: Test,
        /// If the test is ill-defined, the candidate is no solution. Else it was evaluated rather than searched, and must be well-defined.
        is_searched: bool,
    },
    Match {
        pattern: ValuePattern,
        code: Code,
    },
    Each {
        pattern: ValuePattern,
        source: CandidateSource,
        /// Set if the elements may be interchangeable.
        orbits: Option<Box<OrbitStep>>,
    },
    /// `key |-> pattern : relation`
    Images {
        relation: Head,
        key: Code,
        pattern: ValuePattern,
    },
    /// Split of a sequence into the operands of a concatenation.
    Split {
        code: Code,
        parts: Vec<ConcatPart>,
    },
    /// Solutions of a subplan, which has a table.
    Rows(Plan),
    /// Solutions of a subplan with a table whose key equals a known value. The key depends on the solution and constants only.
    Join {
        plan: Plan,
        key: Code,
        value: Code,
    },
    /// Solutions of a subplan with a table for one slot, which are functions, tried point by point. Solutions that fail the tests may be omitted.
    Prefixes {
        plan: Plan,
        tests: Vec<Test>,
    },
    /// Lookup of the arguments at which a function of the state has a value, with the rest of the plan.
    Lookup(Box<InverseLookup>),
    /// Alternatives that bind the same slots, one after the other.
    Either(Vec<Vec<PlanStep>>),
    /// Alternatives that bind the same slots: each of their solutions once, in the order of the values of the slots.
    Sorted {
        branches: Vec<Vec<PlanStep>>,
        slots: Vec<usize>,
    },
    /// Integers between the greatest lower and the least upper bound.
    Range {
        slot: usize,
        low: Vec<Code>,
        high: Vec<Code>,
        /// Further conditions bound the integer, as in [`CandidateSource::Bounded`].
        is_bounded: bool,
    },
}

/// Operand of a concatenation.
pub(crate) enum ConcatPart {
    Equal(Code),
    /// Slot to be bound, with its length if known.
    Bind {
        slot: usize,
        len: Option<Code>,
    },
}

pub(crate) enum CandidateSource {
    Code(Code),
    /// Set of integers that other conditions bound. If it is large, the solver is better: it infers the bounds.
    Bounded(Code),
    /// Set that may be symbolic, listed by the plain interpreter.
    Interpret(ExprId, Arc<FreeNames>),
    /// All subsets of a set.
    Subsets(Code),
    Type(TypeId),
}

/// Pattern for matching values.
pub(crate) enum ValuePattern {
    Bind(usize),
    Equal(Code),
    Pair(Box<ValuePattern>, Box<ValuePattern>),
}

/// Case of an operation: a search for parameters under the guard, then the body.
pub(crate) struct CompiledCase {
    pub(crate) plan: Plan,
    pub(crate) body: Exec,
    /// For each choice of parameters there is at most one outcome.
    pub(crate) is_deterministic: bool,
}

pub(crate) enum Exec {
    Skip,
    Assign(Vec<(usize, Code)>),
    Choose {
        targets: Vec<usize>,
        source: CandidateSource,
    },
    /// Solutions of the plan, copied from the first to the second slot of each pair.
    Such {
        plan: Plan,
        copies: Vec<(usize, usize)>,
    },
    /// Condition that must hold; otherwise the plain interpreter reports the violation.
    Require(Test, Box<Exec>),
    Select {
        branches: Vec<(Test, Exec)>,
        otherwise: Option<Box<Exec>>,
    },
    If {
        branches: Vec<(Test, Exec)>,
        otherwise: Option<Box<Exec>>,
    },
    Choice(Vec<Exec>),
    Case {
        selector: Code,
        branches: Vec<(Vec<Code>, Exec)>,
        otherwise: Option<Box<Exec>>,
    },
    Any(Plan, Box<Exec>),
    Let(Vec<(usize, Code)>, Box<Exec>),
    Var(Vec<usize>, Box<Exec>),
    While(Box<While>),
    Call {
        params: Vec<(usize, Code)>,
        locals: Vec<usize>,
        body: Arc<Exec>,
        outputs: Vec<(usize, usize)>,
    },
    Sequence(Vec<Exec>),
    /// Parts, each with the slots that it may write.
    Parallel(Vec<(Exec, Vec<usize>)>),
}

/// Loop whose body is deterministic and writes only `writes`.
pub(crate) struct While {
    pub(crate) condition: Test,
    pub(crate) body: Exec,
    pub(crate) writes: Vec<usize>,
    pub(crate) invariant: Test,
    pub(crate) variant: Code,
    /// Slots whose old values are kept for `x$0`, and the slots for the copies.
    pub(crate) before: Vec<(usize, usize)>,
}

/// Inverse lookup: arguments at which a function has a value.
pub(crate) struct InverseLookup {
    pub(crate) function: Head,
    pub(crate) value: Code,
    pub(crate) pattern: ValuePattern,
    /// Largest function, in pairs, that is scanned.
    pub(crate) most: u64,
    /// Steps after the lookup, for each argument.
    pub(crate) found: Vec<PlanStep>,
    /// Steps of the plan without the lookup.
    pub(crate) otherwise: Vec<PlanStep>,
    /// The slots by which solutions without the lookup are sorted, where they would come in another order than those with it.
    pub(crate) sorted_by: Option<Vec<usize>>,
}

/// Step over elements of a given set that can be tried one per orbit.
pub(crate) struct OrbitStep {
    /// The given set.
    pub(crate) set: u32,
    /// Cache number of the classes of elements under the values of `fixed`.
    pub(crate) number: usize,
    /// Slots of the variables and constants that the formula reads.
    pub(crate) fixed: Arc<[usize]>,
    /// Slots of locals bound before this step.
    pub(crate) bound: Vec<usize>,
    pub(crate) purpose: Purpose,
}

/// Use of the solutions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Only whether there is one matters.
    Truth,
    /// Each contributes an integer; symmetric ones are counted with their number.
    Sum,
    /// All solutions are needed.
    List,
}

impl InverseLookup {
    /// Adds the slots that the lookup and the steps after it bind; false if their solutions come in another order than that of the values of these slots.
    pub(crate) fn finds_in_order(&self, slots: &mut Vec<usize>) -> bool {
        self.pattern.binds(slots);
        self.found.iter().all(|step| step.binds_in_order(slots))
    }

    /// The slots by whose values solutions without the lookup are in order; nothing if there are none.
    pub(crate) fn order_otherwise(&self) -> Option<Vec<usize>> {
        self.sorted_by.clone().or_else(|| {
            let mut slots = Vec::new();
            self.otherwise.iter().all(|step| step.binds_in_order(&mut slots)).then_some(slots)
        })
    }
}

impl PlanStep {
    /// Adds the slots that the step binds.
    pub(crate) fn binds(&self, slots: &mut Vec<usize>) {
        match self {
            PlanStep::Test { .. } => {}
            PlanStep::Match { pattern, .. } | PlanStep::Each { pattern, .. } | PlanStep::Images { pattern, .. } => {
                pattern.binds(slots);
            }
            PlanStep::Split { parts, .. } => slots.extend(parts.iter().filter_map(|part| match part {
                ConcatPart::Bind { slot, .. } => Some(*slot),
                ConcatPart::Equal(_) => None,
            })),
            PlanStep::Rows(plan) | PlanStep::Join { plan, .. } | PlanStep::Prefixes { plan, .. } => {
                plan.steps.iter().for_each(|step| step.binds(slots));
            }
            PlanStep::Lookup(keys) => keys.otherwise.iter().for_each(|step| step.binds(slots)),
            PlanStep::Either(branches) => branches.iter().flatten().for_each(|step| step.binds(slots)),
            PlanStep::Sorted { slots: sorted, .. } => slots.extend(sorted),
            PlanStep::Range { slot, .. } => slots.push(*slot),
        }
    }

    /// Adds the slots that the step binds, one after the other. False if solutions come in another order than that of the values of these slots.
    pub(crate) fn binds_in_order(&self, slots: &mut Vec<usize>) -> bool {
        match self {
            PlanStep::Rows(plan) | PlanStep::Join { plan, .. } => {
                plan.steps.iter().all(|step| step.binds_in_order(slots))
            }
            PlanStep::Lookup(keys) => {
                let before = slots.len();
                let is_ordered = keys.finds_in_order(slots);
                is_ordered && keys.order_otherwise().is_some_and(|otherwise| slots[before..] == otherwise)
            }
            PlanStep::Split { .. } | PlanStep::Either(_) => false,
            step => {
                step.binds(slots);
                true
            }
        }
    }
}

impl ValuePattern {
    pub(crate) fn binds(&self, slots: &mut Vec<usize>) {
        match self {
            ValuePattern::Bind(slot) => slots.push(*slot),
            ValuePattern::Equal(_) => {}
            ValuePattern::Pair(left, right) => {
                left.binds(slots);
                right.binds(slots);
            }
        }
    }
}

impl Plan {
    /// Whether fewer solutions suffice if elements are interchangeable.
    pub(crate) fn may_skip(&self) -> bool {
        let skips = |step: &PlanStep| matches!(step, PlanStep::Each { orbits: Some(step), .. } if step.purpose != Purpose::List);
        self.steps.iter().any(skips)
    }
}

/// A plan without steps has one solution.
impl Plan {
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
