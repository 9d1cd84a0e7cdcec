//! Forms of compiled formulas, searches and substitutions: data only. Numbers of slots stand for names.

use std::sync::Arc;

use abridge_eval::FreeNames;
use abridge_model::{Arrow, BinaryOp, ExprId, PredId, QuantifiedOp, TypeId, UnaryOp};
use abridge_value::Value;

/// An expression with a concrete value.
pub(crate) enum Code {
    Value(Value),
    Slot(usize),
    /// Depends on constants only: evaluated once, by the plain interpreter.
    Cell(usize, ExprId),
    /// Depends on constants and an element only.
    PerElement(PerElement),
    /// Evaluated by the plain interpreter.
    Interpret(ExprId, Arc<FreeNames>),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<Code>, Box<Code>),
    Apply(Head, Box<Code>),
    /// The value of the case that an argument is.
    Case(Box<Code>, Vec<(Value, Code)>),
    /// A lambda applied: argument, slots it is taken apart into, condition, value.
    Beta(Box<Code>, Vec<usize>, Box<Test>, Box<Code>),
    Image(Head, Box<Code>),
    /// `relation~[set]`
    Preimage(Box<Code>, Box<Code>),
    SetExtension(Vec<Code>),
    SequenceExtension(Vec<Code>),
    Record(u32, Vec<Code>),
    Field(Box<Code>, u32),
    WithField(Box<Code>, u32, Box<Code>),
    /// The set of the values of an expression over all solutions.
    Collect(Plan, Box<Code>),
    /// `%x.(P|E)`: argument and value.
    Lambda(Plan, Box<Code>, Box<Code>),
    Fold(QuantifiedOp, Plan, Box<Code>),
    If(Box<Test>, Box<Code>, Box<Code>),
    Let(Vec<(usize, Code)>, Box<Code>),
    BoolOf(Box<Test>),
}

/// An expression whose values are kept by the element in a slot (`elements.rs`).
pub(crate) struct PerElement {
    pub(crate) number: usize,
    pub(crate) slot: usize,
    pub(crate) code: Box<Code>,
}

/// A function, relation or set in a position where it may be symbolic.
pub(crate) enum Head {
    Slot(usize),
    Cell(usize, ExprId),
    Code(Box<Code>),
}

pub(crate) enum Test {
    Known(bool),
    Not(Box<Test>),
    /// False if any operand is, even beside one that is ill-defined.
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
    /// Every element of the left passes the right.
    Within(Code, SetTest),
    Less(Code, Code),
    LessEqual(Code, Code),
    Exists(Plan),
    /// No solution of the plan fails the test.
    Forall(Plan, Box<Test>),
    If(Box<Test>, Box<Test>, Box<Test>),
    Let(Vec<(usize, Code)>, Box<Test>),
    Interpret(PredId, Arc<FreeNames>),
}

/// A set in a position where only membership matters.
pub(crate) enum SetTest {
    /// Everything of the type.
    All,
    Natural,
    Natural1,
    Interval(Code, Code),
    Head(Head),
    Power {
        of: Box<SetTest>,
        non_empty: bool,
    },
    /// Domain and range, as tests and, where totality or surjectivity needs them, as sets.
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
    /// A test after operands that may be ill-defined: a test ends early, but the set has no value if one of them has none.
    Defined(Vec<Code>, Box<SetTest>),
}

/// How to find all solutions of a conjunction: steps that bind slots or drop candidates.
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    /// A solution may be met several times.
    pub(crate) may_repeat: bool,
    /// Where the solutions are kept, if they depend on constants only.
    pub(crate) table: Option<Table>,
}

/// Solutions as values of slots.
pub(crate) struct Table {
    pub(crate) number: usize,
    pub(crate) slots: Vec<usize>,
    /// Not even constants are read.
    pub(crate) is_fixed: bool,
}

pub(crate) enum PlanStep {
    Test {
        test: Test,
        /// It mentions what is searched for: where it is ill-defined, the candidate is no solution.
        is_open: bool,
    },
    Match {
        pattern: Pattern,
        code: Code,
    },
    Each {
        pattern: Pattern,
        source: Source,
        /// Set if the elements may be interchangeable.
        orbits: Option<Box<OrbitStep>>,
    },
    /// `key |-> pattern : relation`
    Images {
        relation: Head,
        key: Code,
        pattern: Pattern,
    },
    /// A sequence that is the concatenation of the parts.
    Split {
        code: Code,
        parts: Vec<Part>,
    },
    /// The solutions of a plan of its own, which has a table.
    Rows(Plan),
    /// Those of them for which the key, which depends on them and on constants only, equals a value known before.
    Join {
        plan: Plan,
        key: Code,
        value: Code,
    },
    /// The solutions of such a plan for one slot, functions that are tried point by point: those that fail these tests may be left out.
    Prefixes {
        plan: Plan,
        tests: Vec<Test>,
    },
    /// Lookup of the arguments for which a function of the state has a value, and all steps that follow.
    Lookup(Box<InverseLookup>),
    /// Each way of binding the same slots, one after the other.
    Either(Vec<Vec<PlanStep>>),
    /// Integers between bounds, all of which hold.
    Range {
        slot: usize,
        low: Vec<Code>,
        high: Vec<Code>,
    },
}

/// An operand of a concatenation.
pub(crate) enum Part {
    Equal(Code),
    /// To be bound; with its length, where something says it.
    Bind {
        slot: usize,
        len: Option<Code>,
    },
}

pub(crate) enum Source {
    Code(Code),
    /// A set that may be symbolic, listed by the plain interpreter.
    Interpret(ExprId, Arc<FreeNames>),
    /// All subsets of a set.
    Subsets(Code),
    Type(TypeId),
}

/// Pattern that a value is matched with.
pub(crate) enum Pattern {
    Bind(usize),
    Equal(Code),
    Pair(Box<Pattern>, Box<Pattern>),
}

/// A way an operation can go: a search for parameters under the guard, then the body.
pub(crate) struct Case {
    pub(crate) plan: Plan,
    pub(crate) body: Exec,
    /// Once the parameters are chosen, there is at most one outcome.
    pub(crate) is_deterministic: bool,
}

pub(crate) enum Exec {
    Skip,
    Assign(Vec<(usize, Code)>),
    Choose {
        targets: Vec<usize>,
        source: Source,
    },
    /// Solutions are found in the first slots and copied to the second.
    Such {
        plan: Plan,
        copies: Vec<(usize, usize)>,
    },
    /// Must hold; otherwise the plain interpreter reports it.
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
    /// Each part with the slots it may write.
    Parallel(Vec<(Exec, Vec<usize>)>),
}

/// A loop. The body is deterministic and writes only `writes`.
pub(crate) struct While {
    pub(crate) condition: Test,
    pub(crate) body: Exec,
    pub(crate) writes: Vec<usize>,
    pub(crate) invariant: Test,
    pub(crate) variant: Code,
    /// Slots whose old values are kept for `x$0`, and where.
    pub(crate) before: Vec<(usize, usize)>,
}

/// The arguments for which a function has a value.
pub(crate) struct InverseLookup {
    pub(crate) function: Head,
    pub(crate) value: Code,
    pub(crate) pattern: Pattern,
    /// The most pairs that are looked through.
    pub(crate) most: u64,
    /// Steps that follow for each argument.
    pub(crate) found: Vec<PlanStep>,
    /// Steps that bind the same without the lookup.
    pub(crate) otherwise: Vec<PlanStep>,
}

/// Elements of a given set that a step tries one per orbit.
pub(crate) struct OrbitStep {
    /// Their given set.
    pub(crate) set: u32,
    /// The number of the classes under the names below.
    pub(crate) number: usize,
    /// Slots of the variables and constants that are read.
    pub(crate) fixed: Arc<[usize]>,
    /// Slots of what has been bound before.
    pub(crate) bound: Vec<usize>,
    pub(crate) purpose: Purpose,
}

/// Use of the solutions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// True if there is one.
    Truth,
    /// An integer for each of them; equal ones are told by their number.
    Sum,
    /// The solutions themselves.
    List,
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
                Part::Bind { slot, .. } => Some(*slot),
                Part::Equal(_) => None,
            })),
            PlanStep::Rows(plan) | PlanStep::Join { plan, .. } | PlanStep::Prefixes { plan, .. } => {
                plan.steps.iter().for_each(|step| step.binds(slots));
            }
            PlanStep::Lookup(keys) => keys.otherwise.iter().for_each(|step| step.binds(slots)),
            PlanStep::Either(branches) => branches.iter().flatten().for_each(|step| step.binds(slots)),
            PlanStep::Range { slot, .. } => slots.push(*slot),
        }
    }
}

impl Pattern {
    pub(crate) fn binds(&self, slots: &mut Vec<usize>) {
        match self {
            Pattern::Bind(slot) => slots.push(*slot),
            Pattern::Equal(_) => {}
            Pattern::Pair(left, right) => {
                left.binds(slots);
                right.binds(slots);
            }
        }
    }
}

impl Plan {
    /// Fewer solutions do for its purpose, if elements turn out to be alike.
    pub(crate) fn may_skip(&self) -> bool {
        let skips = |step: &PlanStep| matches!(step, PlanStep::Each { orbits: Some(step), .. } if step.purpose != Purpose::List);
        self.steps.iter().any(skips)
    }
}

/// Unused plans would never be built: a plan without steps has one solution.
impl Plan {
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
