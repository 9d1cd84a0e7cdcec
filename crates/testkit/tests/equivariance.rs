//! Equivariance of every operator: f(E(C)) = E(f(C)) for all permutations f of given sets (Theorem 1 of Leuschel, Butler, Spermann, Turner, "Symmetry Reduction for B by
//! Permutation Flooding"; 2.24 of Spermann's thesis).
//!
//! All operands over a carrier of three and one of two elements are the initial states of a machine. The plain interpreter evaluates the expression in each, and the value in a permuted state
//! must be the permuted value; ill-defined in one is ill-defined in all. The permutations are those that `symmetry_of` takes for symmetries, so an operator that tells elements
//! apart must be known there. If one were not, symmetry reduction would make verdicts wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use abridge_check::{Config, Method, Verdict, check};
use abridge_eval::{Env, Session, State};
use abridge_explicit::judge;
use abridge_external::SILENT_PREDICATES;
use abridge_model::ModelNode;
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, Model, Pred, QuantifiedOp, TreeOp, UnaryOp};
use abridge_reduce::symmetry::{CarrierBlock, Group, Permutation, SYMMETRIC_EXTERNALS, permute_value, symmetry_of};
use abridge_system::Properties;
use abridge_testkit::Project;
use abridge_value::Value;

const ASKED: Properties = Properties { invariant: true, assertions: true, goal: false, propositions: false };

/// Values compared with that of a permuted state, per operator.
const MIN_COMPARISONS: usize = 60;

/// The machine of an expression: its initial states are the operands, its assertion has the expression on the left.
fn machine(definitions: &str, domains: &str, expr: &str) -> Model {
    let names = domains.split(" & ").filter_map(|part| part.split([':', '<']).next()).map(str::trim);
    let names = names.collect::<Vec<&str>>().join(", ");
    Project::model_of(&format!(
        "MACHINE M {definitions}
        SETS S; T
        FREETYPES L = nil, cons(S * L)
        PROPERTIES card(S) = 3 & card(T) = 2
        VARIABLES {names} INVARIANT {domains} ASSERTIONS ({expr}) = ({expr})
        INITIALISATION {names} :({domains})
        END"
    ))
}

fn subject(model: &Model) -> ExprId {
    match model.pred(model.assertions[0].pred) {
        Pred::Compare(Comparison::Equal, left, _) => *left,
        other => panic!("an equation is expected, not {other:?}"),
    }
}

/// All permutations of a group.
fn permutations(group: &Group) -> Vec<Permutation> {
    let mut all: Vec<Permutation> = vec![Vec::new()];
    for range in group.ranges() {
        for _ in range.clone() {
            let extended = all.iter().flat_map(|images| {
                let free = range.clone().filter(move |point| !images.contains(point));
                free.map(move |point| [images.as_slice(), &[point]].concat())
            });
            all = extended.collect();
        }
    }
    all
}

/// All permutations of all given sets.
fn full_group(model: &Model) -> Group {
    let blocks = model.sets.iter().map(|(id, set)| CarrierBlock { set: id.0, indices: (0..set.size()).collect() });
    Group::new(blocks.collect())
}

/// Values of an expression for all operands; nothing where it is ill-defined.
type Graph = BTreeMap<Vec<Value>, Option<Value>>;

fn graph(model: &Model) -> Graph {
    let interp = judge(model, Config::default().eval);
    let session = interp.session();
    let mut states = Vec::new();
    session.setup_constants(&mut |constants| {
        let constants = constants.expect("the properties have a model");
        interp.session().initialise(&constants, &mut |state| {
            states.push(state.expect("an initial state"));
            ControlFlow::Continue(())
        });
        ControlFlow::Continue(())
    });
    let expr = subject(model);
    states.iter().map(|state| (operands(&session, state), value(&session, expr, state))).collect()
}

fn operands(session: &Session<'_>, state: &State) -> Vec<Value> {
    let vals = state.variables.iter().flatten();
    vals.map(|val| session.finite(val, &Env::new(state)).expect("a finite operand")).collect()
}

fn value(session: &Session<'_>, expr: ExprId, state: &State) -> Option<Value> {
    session.renew();
    let env = Env::new(state);
    match session.expr(expr, &env).and_then(|val| session.finite(&val, &env)) {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(error.is_ill_defined(), "{:?}", error.kind());
            None
        }
    }
}

/// How many values were compared; nothing if a permutation does not map the graph to itself.
fn comparisons(graph: &Graph, group: &Group) -> Option<usize> {
    let mut n_compared = 0;
    for images in permutations(group) {
        let image = |value: &Value| permute_value(group, &images, value).unwrap_or_else(|| value.clone());
        for (operands, result) in graph {
            let permuted: Vec<Value> = operands.iter().map(image).collect();
            let found = graph.get(&permuted).expect("operands are closed under permutations");
            if *found != result.as_ref().map(image) {
                return None;
            }
            n_compared += usize::from(result.is_some());
        }
    }
    Some(n_compared)
}

/// The expression is equivariant, and the machine is known to be symmetric. Returns the number of comparisons.
#[track_caller]
fn equivariant(model: &Model, text: &str) -> usize {
    let group = symmetry_of(model, ASKED, &[], &[]).group;
    assert_eq!(group.order(), full_group(model).order(), "elements are told apart without need: {text}");
    comparisons(&graph(model), &group).unwrap_or_else(|| panic!("not equivariant: {text}"))
}

/// The expression is not equivariant, and the machine is known not to be symmetric.
#[track_caller]
fn tells_apart(model: &Model, text: &str) {
    let graph = graph(model);
    assert_eq!(comparisons(&graph, &full_group(model)), None, "equivariant after all: {text}");
    let group = symmetry_of(model, ASKED, &[], &[]).group;
    assert!(comparisons(&graph, &group).is_some(), "elements are taken to be interchangeable: {text}");
}

const NUMBERS: &str = "w : S --> -2..2 & y : S & z : S";
const REALS: &str = "w : S --> {0.1, 0.2, 0.3, -2.5} & y : S & z : S";
const STRINGS: &str = "w : S --> {\"\", \"a\", \"ab\"} & y : S & z : S";
const ELEMENTS: &str = "y : S & z : S & t : T";
const SETS: &str = "x <: S & y <: S";
const FAMILY: &str = "x <: POW(S)";
const RELATIONS: &str = "x : S <-> T & y : S <-> T";
const RESTRICTIONS: &str = "x : S <-> T & y <: S & z <: T";
const ENDOS: &str = "x : S <-> S";
const SMALL_ENDOS: &str = "x : T <-> T & y : T <-> T & n : 0..3";
const SEQUENCE: &str = "x : UNION(n).(n : 0..3 | (1..n) --> S)";
const TWO_SEQUENCES: &str =
    "x : UNION(n).(n : 0..2 | (1..n) --> S) & y : UNION(n).(n : 0..2 | (1..n) --> S) & z : S & n : -1..3";
const LIKE_SEQUENCES: &str = "x : 0..2 <-> T & y <: T";
const RECORD: &str = "x : struct(p : S, q : POW(T)) & y : S & z <: T";
const FREE: &str = "x : UNION(s).(s : S | {nil, cons(s |-> nil)}) & y : S";
const TREE: &str = "y : S & z : S & s : S";

/// Domains of the operands, and expressions over them.
const CASES: &[(&str, &[&str])] = &[
    (NUMBERS, &["-w(y)", "w(y) + w(z)", "w(y) - w(z)", "w(y) * w(z)", "w(y) / w(z)", "w(y) mod w(z)"]),
    (NUMBERS, &["w(y) ** w(z)", "w(y)..w(z)", "max(w[{y, z}])", "min(ran(w))", "succ(w(y))", "pred(w(z))"]),
    (NUMBERS, &["real(w(y))", "SIGMA(s).(s : S | w(s))", "PI(s).(s : S - {y} | w(s) + 3)", "w~[{w(z)}]"]),
    (
        NUMBERS,
        &["bool(w(y) < w(z))", "bool(w(y) <= w(z))", "bool(w(y) : NATURAL)", "w <+ {y |-> w(z)}", "w |> NATURAL1"],
    ),
    (REALS, &["-w(y)", "w(y) + w(z)", "w(y) - w(z)", "w(y) * w(z)", "w(y) / w(z)", "w(y) ** w(z)"]),
    (
        REALS,
        &["floor(w(y))", "ceiling(w(z))", "max(w[{y, z}])", "min(ran(w))", "bool(w(y) < w(z))", "bool(w(y) <= w(z))"],
    ),
    (REALS, &["SIGMA(s).(s : S | w(s))", "PI(s).(s : S | w(s))", "SIGMA(s, r).(s : S & r : S & s /= y | w(s) * w(r))"]),
    (REALS, &["SIGMA(s).(s : S | SIGMA(r).(r : S - {s} | w(r) + 0.1))", "w~[{w(y)}]"]),
    (STRINGS, &["size(w(y))", "rev(w(y))", "w(y) ^ w(z)", "conc([w(y), w(z)])", "bool(w(y) = w(z))"]),
    (
        ELEMENTS,
        &[
            "y",
            "{y, z}",
            "[y, z, y]",
            "y |-> t",
            "prj1(y |-> z)",
            "prj2(y |-> t)",
            "@prj1[{y |-> t}]",
            "@prj2[{y |-> t}]",
        ],
    ),
    (ELEMENTS, &["rec(p : y, q : t)", "IF y = z THEN {y} ELSE S - {y} END", "LET u BE u = S - {y} IN u - {z} END"]),
    (ELEMENTS, &["bool(y = z & btrue)", "bool(y = z or bfalse)", "bool(not(y = z))", "bool(y = z => t : T)"]),
    (ELEMENTS, &["bool(y = z <=> card({y, z}) = 1)", "bool(IF y = z THEN t = t ELSE t /= t END)"]),
    (ELEMENTS, &["bool(LET u BE u = S - {y} IN z : u END)", "{1 |-> y, 2 |-> z}", "TRUE |-> (t |-> 0.5)", "{y} - S"]),
    (SETS, &["x \\/ y", "x /\\ y", "x - y", "x * y", "card(x)", "POW(x)", "POW1(x)", "FIN(x)", "FIN1(x)", "id(x)"]),
    (SETS, &["bool(x <: y)", "bool(x <<: y)", "bool(x = y)", "bool(@finite(x))", "bool(@partition(S, x, y))", "S - x"]),
    (SETS, &["prj1(x, y)", "prj2(x, y)", "prj1(x, y)[S * S]", "x * BOOL", "x * {\"\"}"]),
    (FAMILY, &["union(x)", "inter(x)", "bool({} : x)", "{s | s : S & #u.(u : x & s : u)}"]),
    (FAMILY, &["UNION(u).(u : x | S - u)", "INTER(u).(u : x | S - u)", "SIGMA(u).(u : x | card(u))"]),
    (RELATIONS, &["x \\/ y", "x <+ y", "x >< y", "(x || y)", "(x ; y~)", "x /\\ y"]),
    (RESTRICTIONS, &["y <| x", "y <<| x", "x |> z", "x |>> z", "x[y]", "x~[z]", "dom(x)", "ran(x)", "x~", "fnc(x)"]),
    (
        RESTRICTIONS,
        &["rel(fnc(x))", "{(s).s : y | x[{s}]}", "%s.(s : y | x[{s}] - z)", "bool(!s.(s : y => x[{s}] <: z))"],
    ),
    (RESTRICTIONS, &["bool(#s.(s : y & x[{s}] = z))", "/*@symbolic*/ {s, r | s : y & r : z & s |-> r : x}"]),
    ("x : S <-> T & y : S", &["x(y)", "x[{y}]", "%s.(s : S | x(s))"]),
    (ENDOS, &["closure1(x)", "closure(x)"]),
    (SMALL_ENDOS, &["iterate(x, n)", "closure(x \\/ y)", "(x ; y)", "(x >< y)"]),
    (SEQUENCE, &["size(x)", "first(x)", "last(x)", "front(x)", "tail(x)", "rev(x)", "x~", "bool(x : iseq(S))"]),
    (TWO_SEQUENCES, &["x ^ y", "z -> x", "x <- z", "x /|\\ n", "x \\|/ n", "conc([x, y, x])"]),
    (LIKE_SEQUENCES, &["bool(x : seq(y))", "bool(x : seq1(y))", "iseq(y)", "iseq1(y)", "perm(y)"]),
    (
        RECORD,
        &["x'p", "x'q", "bool(x : struct(p : {y}, q : POW(z)))", "struct(p : {y}, q : POW(z))", "rec(p : y, q : x'q)"],
    ),
    (FREE, &["cons(y |-> x)", "cons~(x)", "bool(x = nil)", "bool(x : L)", "{x, cons(y |-> nil)}", "nil"]),
    (
        TREE,
        &[
            "const(y, [bin(z), bin(s)])",
            "top(bin(y))",
            "sons(const(y, [bin(z), bin(s)]))",
            "left(bin(bin(z), y, bin(s)))",
        ],
    ),
    (
        TREE,
        &["prefix(const(y, [bin(z), bin(s)]))", "postfix(const(y, [bin(z), bin(s)]))", "infix(bin(bin(z), y, bin(s)))"],
    ),
    (
        TREE,
        &[
            "sizet(const(y, [bin(z), bin(s)]))",
            "mirror(const(y, [bin(z), bin(s)]))",
            "rank(const(y, [bin(z), bin(s)]), [2])",
        ],
    ),
    (
        TREE,
        &[
            "father(const(y, [bin(z), bin(s)]), [2])",
            "son(const(y, [bin(z), bin(s)]), [], 2)",
            "right(bin(bin(z), y, bin(s)))",
        ],
    ),
    (
        TREE,
        &[
            "subtree(const(y, [bin(z), bin(s)]), [1])",
            "arity(const(y, [bin(z), bin(s)]), [])",
            "bool(bin(y) : tree({z, s}))",
        ],
    ),
    (TREE, &["bool(bin(bin(z), y, bin(s)) : btree({y, s}))"]),
];

const ARROWS: [&str; 12] = ["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"];

/// Names of the operators in an expression. A new kind of node does not compile until it has one; nodes that need no cases of their own have none.
fn operators(model: &Model, root: ExprId) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    model.for_each_node(ModelNode::Expr(root), &mut |node| {
        found.extend(match node {
            ModelNode::Expr(id) => expr_operator(model.expr(id)),
            ModelNode::Pred(id) => pred_operator(model.pred(id)),
            ModelNode::Subst(_) => None,
        });
    });
    found
}

fn expr_operator(expr: &Expr) -> Option<String> {
    let name = match expr {
        Expr::Unary(op, _) => return Some(format!("{op:?}")),
        Expr::Binary(BinaryOp::Arrow(arrow), ..) => return Some(arrow.text().to_owned()),
        Expr::Binary(op, ..) => return Some(format!("{op:?}")),
        Expr::Tree(op, _) => return Some(tree_operator(*op)),
        Expr::Quantified { op, .. } => return Some(quantified_operator(*op)),
        Expr::Integer(_) | Expr::Real(_) | Expr::String(_) | Expr::Bool(_) => return None,
        Expr::Constant(_) | Expr::Variable(_) | Expr::Local(_) | Expr::BaseSet(_) => return None,
        // Element names, templates and externals have tests of their own; WithField is made by assignments only.
        Expr::Element(..) | Expr::Template(_) | Expr::External(..) | Expr::CallOperation(..) => return None,
        Expr::WithField(..) => return None,
        Expr::Carrier(_) => "Carrier",
        Expr::FreeType(_) => "FreeType",
        Expr::EmptySet => "EmptySet",
        Expr::SetExtension(_) => "SetExtension",
        Expr::SequenceExtension(_) => "SequenceExtension",
        Expr::Record(_) => "Record",
        Expr::StructSet(_) => "StructSet",
        Expr::Field(..) => "Field",
        Expr::Comprehension { .. } => "Comprehension",
        Expr::SetImage { .. } => "SetImage",
        Expr::If(..) => "If",
        Expr::Let { .. } => "Let",
        Expr::BoolOf(_) => "BoolOf",
        Expr::Constructor(..) => "Constructor",
        Expr::Successor => "Successor",
        Expr::Predecessor => "Predecessor",
        Expr::FirstProjection => "FirstProjection",
        Expr::SecondProjection => "SecondProjection",
    };
    Some(name.to_owned())
}

fn pred_operator(pred: &Pred) -> Option<String> {
    let name = match pred {
        Pred::Compare(comparison, ..) => return Some(comparison_operator(*comparison)),
        Pred::True | Pred::False | Pred::External(..) => return None,
        Pred::Not(_) => "Not",
        Pred::And(_) => "And",
        Pred::Or(_) => "Or",
        Pred::Implies(..) => "Implies",
        Pred::Equivalent(..) => "Equivalent",
        Pred::Forall { .. } => "Forall",
        Pred::Exists { .. } => "Exists",
        Pred::If(..) => "If-pred",
        Pred::Let { .. } => "Let-pred",
        Pred::Finite(_) => "Finite",
        Pred::Partition(..) => "Partition",
    };
    Some(name.to_owned())
}

const NODES: &[&str] = &[
    "Carrier",
    "FreeType",
    "EmptySet",
    "SetExtension",
    "SequenceExtension",
    "Record",
    "StructSet",
    "Field",
    "Comprehension",
    "SetImage",
    "If",
    "Let",
    "BoolOf",
    "Constructor",
    "Successor",
    "Predecessor",
    "FirstProjection",
    "SecondProjection",
    "Not",
    "And",
    "Or",
    "Implies",
    "Equivalent",
    "Forall",
    "Exists",
    "If-pred",
    "Let-pred",
    "Finite",
    "Partition",
];

fn tree_operator(op: TreeOp) -> String {
    format!("tree {}", abridge_model::dump::tree(op))
}

fn quantified_operator(op: QuantifiedOp) -> String {
    format!("quantified {op:?}")
}

fn comparison_operator(op: Comparison) -> String {
    format!("compare {op:?}")
}

/// Every operator that must have cases.
fn required() -> BTreeSet<String> {
    let unary = UnaryOp::ALL.iter().map(|op| format!("{op:?}"));
    let binary = BinaryOp::ALL.iter().map(|op| format!("{op:?}"));
    let trees = {
        use TreeOp::*;
        [
            Tree, Btree, Const, Top, Sons, Prefix, Postfix, Infix, SizeT, Mirror, Rank, Father, Son, Subtree, Arity,
            Bin, Left, Right,
        ]
    };
    let quantified = {
        use QuantifiedOp::*;
        [Lambda, Sigma, Pi, RealSigma, RealPi, Union, Inter]
    };
    let comparisons = {
        use Comparison::*;
        [Equal, Member, Subset, StrictSubset, Less, LessEqual, RealLess, RealLessEqual]
    };
    unary
        .chain(binary)
        .chain(trees.map(tree_operator))
        .chain(quantified.map(quantified_operator))
        .chain(comparisons.map(comparison_operator))
        .chain(ARROWS.map(str::to_owned))
        .chain(NODES.iter().map(|name| (*name).to_owned()))
        .collect()
}

#[test]
fn every_operator_is_equivariant() {
    let mut counts: BTreeMap<String, usize> = required().into_iter().map(|name| (name, 0)).collect();
    let mut try_case = |domains: &str, expr: &str| {
        let model = machine("", domains, expr);
        let n_compared = equivariant(&model, &format!("{expr} for {domains}"));
        for name in operators(&model, subject(&model)) {
            *counts.get_mut(&name).unwrap_or_else(|| panic!("{name} is not required")) += n_compared;
        }
    };
    for (domains, exprs) in CASES {
        exprs.iter().for_each(|expr| try_case(domains, expr));
    }
    for arrow in ARROWS {
        try_case("x : S <-> T & y <: S", &format!("bool(x : y {arrow} T)"));
        try_case("y <: S & z <: T", &format!("y {arrow} z"));
    }
    let few: Vec<_> = counts.iter().filter(|(_, count)| **count < MIN_COMPARISONS).collect();
    assert!(few.is_empty(), "too few comparisons: {few:?}");
}

const LIBRARIES: &str = "DEFINITIONS \"CHOOSE.def\"; \"SORT.def\"; \"SCCS.def\"; \"LibraryProB.def\"; \"LibraryIO.def\"; \"LibraryMeta.def\"; \"LibraryStrings.def\";
    \"LibraryHash.def\"; \"LibraryRandom.def\";
    EXTERNAL_FUNCTION_SYMBOLIC(X) == X --> X; SYMBOLIC(a) == a;
    EXTERNAL_PREDICATE_KODKOD(X, Y) == INTEGER * X * Y * BOOL; KODKOD(a, b, c, d) == d = TRUE";

#[test]
fn externals_that_pass_are_equivariant() {
    let cases = [
        ("MU", SETS, "MU(x - y)"),
        ("MU_WD", SETS, "MU_WD(x - y)"),
        ("SCCS", ENDOS, "SCCS(x)"),
        ("CLOSURE1", ENDOS, "CLOSURE1(x)"),
        ("REPLACE", TWO_SEQUENCES, "REPLACE(y, [z], x)"),
        ("FORCE", SETS, "FORCE({s | s : x & s /: y})"),
        ("ASSERT_EXPR", SETS, "ASSERT_EXPR(bool(x <: y), \"no\", y - x)"),
        ("ASSERT_TRUE", SETS, "bool(ASSERT_TRUE(bool(x <: y), \"no\"))"),
        ("SYMBOLIC", SETS, "SYMBOLIC(POW(x))"),
        ("COPY", SETS, "COPY(x \\/ y)"),
        ("ENUM", SETS, "ENUM(x \\/ y)"),
        ("STORE", SETS, "STORE(x \\/ y)"),
        ("KODKOD", SETS, "bool(KODKOD(1, x, y, bool(x <: y)))"),
        ("vprintf", ELEMENTS, "vprintf(\"~w\", y)"),
        ("fvprintf", ELEMENTS, "fvprintf(\"f\", \"~w\", y)"),
    ];
    for name in SYMMETRIC_EXTERNALS {
        let (_, domains, expr) = cases.iter().find(|(other, ..)| *other == name).unwrap_or_else(|| panic!("{name}"));
        let n_compared = equivariant(&machine(LIBRARIES, domains, expr), expr);
        assert!(n_compared >= MIN_COMPARISONS, "{n_compared} comparisons of {expr}");
    }
    assert_eq!(cases.len(), SYMMETRIC_EXTERNALS.len());
    let squash = "x : 0..3 +-> S";
    assert!(equivariant(&machine(LIBRARIES, squash, "SQUASH(x)"), squash) >= MIN_COMPARISONS);
    for name in SILENT_PREDICATES {
        let declared = format!("DEFINITIONS EXTERNAL_PREDICATE_{name}(X) == X; {name}(a) == btrue");
        equivariant(&machine(&declared, SETS, &format!("bool({name}(x)) |-> y")), name);
    }
}

#[test]
fn what_tells_elements_apart_is_known() {
    for (domains, expr) in [
        (SETS, "CHOOSE(x)"),
        (SETS, "SORT(x)"),
        (ELEMENTS, "TO_STRING(y)"),
        (ELEMENTS, "FORMAT_TO_STRING(\"~w\", [y, z])"),
        (ELEMENTS, "```${y}```"),
        (ELEMENTS, "HASH(y)"),
        (ELEMENTS, "SHA_HASH(y)"),
        (ELEMENTS, "SHA_HASH_HEX({y})"),
        (ELEMENTS, "bool(LEQ_SYM(y, z))"),
        (ELEMENTS, "TO_INT(y)"),
        (ELEMENTS, "{INT_TO_ENUM(S, 1), y}"),
        (SETS, "random_element(x)"),
        (SETS, "random_ordering(x)"),
        ("x : POW((0..1) * S)", "MAXIMIZE(x)"),
        ("x : struct(p : S, q : T)", "TO_STRING(x)"),
        (FREE, "TO_STRING(x)"),
    ] {
        tells_apart(&machine(LIBRARIES, domains, expr), expr);
    }
}

/// A machine that asks for values of another one.
fn asking(inner: &str, expr: &str) -> Model {
    let main = format!(
        "MACHINE M INCLUDES I DEFINITIONS SET_PREF_ALLOW_OPERATION_CALLS_IN_EXPRESSIONS == TRUE
         VARIABLES x INVARIANT x <: S & x /= {{asked({{}})}} ASSERTIONS ({expr}) = ({expr}) INITIALISATION x :: POW(S)
         OPERATIONS next = x := {{asked(x)}} END"
    );
    let inner = format!("MACHINE I SETS S PROPERTIES card(S) = 3 OPERATIONS {inner} END");
    let project = Project::new(&[("M.mch", &main), ("I.mch", &inner)]);
    project.analyse().model.unwrap_or_else(|| panic!("{}", project.diagnostics()))
}

/// A call in an expression has the first of its outcomes as its value.
#[test]
fn operations_in_expressions_that_choose_tell_elements_apart() {
    for inner in [
        "r <-- asked(s) = PRE s <: S THEN r :: S - s END",
        "r <-- asked(s) = PRE s <: S THEN ANY e WHERE e : S - s THEN r := e END END",
        "r <-- asked(s) = PRE s <: S THEN r :(r : S & r /: s) END",
        "r <-- asked(s) = PRE s <: S THEN IF s = {} THEN r :: S ELSE r :: s END END",
    ] {
        let model = asking(inner, "IF x = {} THEN {asked(x)} ELSE x END");
        tells_apart(&model, inner);
        for symmetry in [Method::Off, Method::Auto] {
            let config = Config { symmetry, deadlock: false, ..Config::default() };
            assert_eq!(check(&model, &config, &mut ()).verdict, Verdict::Violated, "{inner}");
        }
    }
}

/// Weights that are put in any order, and a condition on their sum or product.
#[test]
fn sums_of_reals_do_not_depend_on_names() {
    for condition in [
        "SIGMA(s).(s : S | w(s)) = 1.0",
        "SIGMA(s).(s : S | w(s)) + 0.0 = 1.0",
        "PI(s).(s : S | w(s)) = PI(i).(i : 1..4 | real(i) / 10.0)",
        "SIGMA(s, r).(s : S & r : S | w(s) * w(r)) = 1.0",
    ] {
        let model = Project::model_of(&format!(
            "MACHINE M SETS S PROPERTIES card(S) = 4
             VARIABLES w INVARIANT w : S +-> REAL & (dom(w) = S => {condition})
             INITIALISATION w := {{}}
             OPERATIONS put(s, r) = PRE s : S - dom(w) & r : {{0.1, 0.2, 0.3, 0.4}} - ran(w) THEN w(s) := r END
             END"
        ));
        let run = |symmetry| check(&model, &Config { symmetry, deadlock: false, ..Config::default() }, &mut ());
        let plain = run(Method::Off);
        assert_eq!(plain.states, 210);
        for method in [Method::Auto, Method::Canon, Method::Flood] {
            let report = run(method);
            assert_eq!(report.verdict, plain.verdict, "{condition}, {method:?}");
            assert_eq!(report.states, 17, "{condition}, {method:?}");
        }
        assert!(matches!(plain.verdict, Verdict::Holds | Verdict::Violated));
    }
}
