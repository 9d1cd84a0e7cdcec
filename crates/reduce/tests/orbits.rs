//! Representatives against orbits by brute force: random values of random types over small carriers.

use abridge_eval::Val;
use abridge_reduce::symmetry::{
    CarrierBlock, EdgeLabel, GraphEdge, Group, Layered, OwnLabelling, ValueGraph, VertexColour, canonical_labelling,
    canonical_permutation, graph_permutation, numbered, permute_value,
};
use abridge_value::{Set, Value};
use proptest::prelude::*;

/// Types of random values. `Element` is of given set 0 or 1.
#[derive(Clone, Debug)]
enum Type {
    Bool,
    Number,
    Element(u32),
    Pair(Box<Type>, Box<Type>),
    Record(Vec<Type>),
    Free(Box<Type>),
    Set(Box<Type>),
}

const SIZES: [u32; 2] = [4, 3];

/// Blocks in several ways: everything, or with fixed elements.
fn groups() -> Vec<Group> {
    let blocks = |list: &[(u32, &[u32])]| {
        Group::new(list.iter().map(|(set, indices)| CarrierBlock { set: *set, indices: indices.to_vec() }).collect())
    };
    vec![
        blocks(&[(0, &[0, 1, 2, 3]), (1, &[0, 1, 2])]),
        blocks(&[(0, &[0, 1, 3]), (1, &[0, 1, 2])]),
        blocks(&[(0, &[0, 1]), (0, &[2, 3])]),
        blocks(&[(1, &[1, 2])]),
    ]
}

fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        1 => Just(Type::Bool),
        1 => Just(Type::Number),
        4 => (0_u32..2).prop_map(Type::Element),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(left, right)| Type::Pair(left.into(), right.into())),
            1 => prop::collection::vec(inner.clone(), 1..3).prop_map(Type::Record),
            1 => inner.clone().prop_map(|arg| Type::Free(arg.into())),
            3 => inner.prop_map(|elem| Type::Set(elem.into())),
        ]
    })
}

fn values(ty: &Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Number => (0_i64..3).prop_map(Value::Int).boxed(),
        Type::Element(set) => {
            let set = *set;
            (0..SIZES[set as usize]).prop_map(move |index| Value::element(set, index)).boxed()
        }
        Type::Pair(left, right) => {
            (values(left), values(right)).prop_map(|(left, right)| Value::pair(left, right)).boxed()
        }
        Type::Record(fields) => {
            let fields: Vec<BoxedStrategy<Value>> = fields.iter().map(values).collect();
            fields.prop_map(|fields| Value::record(7, fields)).boxed()
        }
        Type::Free(arg) => {
            let end = Just(Value::free(0, 0, None));
            prop_oneof![1 => end, 3 => values(arg).prop_map(|arg| Value::free(0, 1, Some(arg)))].boxed()
        }
        Type::Set(elem) => prop::collection::vec(values(elem), 0..5)
            .prop_map(|items| Value::Set(items.into_iter().collect::<Set>()))
            .boxed(),
    }
}

/// A state: values of some types.
fn states() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(types(), 1..4).prop_flat_map(|types| types.iter().map(values).collect::<Vec<_>>())
}

/// Two states of the same types.
fn pairs_of_states() -> impl Strategy<Value = (Vec<Value>, Vec<Value>)> {
    prop::collection::vec(types(), 1..3).prop_flat_map(|types| {
        let state = || types.iter().map(values).collect::<Vec<_>>();
        (state(), state())
    })
}

/// All permutations of the points of a group.
fn permutations(group: &Group) -> Vec<Vec<u32>> {
    let mut all = vec![group.identity()];
    for range in group.ranges() {
        let mut extended = Vec::new();
        for images in &all {
            for order in orders(range.clone().collect()) {
                let mut images = images.clone();
                images[range.start as usize..range.end as usize].copy_from_slice(&order);
                extended.push(images);
            }
        }
        all = extended;
    }
    all
}

fn orders(items: Vec<u32>) -> Vec<Vec<u32>> {
    if items.len() <= 1 {
        return vec![items];
    }
    let mut all = Vec::new();
    for idx in 0..items.len() {
        let mut rest = items.clone();
        let first = rest.remove(idx);
        all.extend(orders(rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

fn permute(group: &Group, images: &[u32], state: &[Value]) -> Vec<Value> {
    state.iter().map(|value| permute_value(group, images, value).unwrap_or_else(|| value.clone())).collect()
}

fn vals(state: &[Value]) -> Vec<Val> {
    state.iter().cloned().map(Val::Value).collect()
}

/// The representatives by all methods that work on values.
fn forms(group: &Group, state: &[Value]) -> Vec<Vec<Value>> {
    let vals = vals(state);
    let mut forms = vec![
        permute(group, &canonical_permutation(group, &vals), state),
        permute(group, &graph_permutation(group, &vals, &OwnLabelling), state),
    ];
    #[cfg(feature = "nauty")]
    forms.push(permute(group, &graph_permutation(group, &vals, &abridge_reduce::symmetry::Nauty), state));
    forms.shrink_to_fit();
    forms
}

fn in_one_orbit(group: &Group, left: &[Value], right: &[Value]) -> bool {
    permutations(group).iter().any(|images| permute(group, images, left) == right)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn forall_permutations_have_one_form(state in states(), choice in any::<prop::sample::Index>()) {
        for group in groups() {
            let all = permutations(&group);
            let image = permute(&group, &all[choice.index(all.len())], &state);
            prop_assert_eq!(forms(&group, &state), forms(&group, &image));
            for form in forms(&group, &state) {
                prop_assert!(in_one_orbit(&group, &state, &form));
            }
        }
    }

    #[test]
    fn forall_states_equal_forms_mean_one_orbit((left, right) in pairs_of_states()) {
        for group in groups() {
            let expected = in_one_orbit(&group, &left, &right);
            for (left, right) in forms(&group, &left).iter().zip(forms(&group, &right)) {
                prop_assert_eq!(*left == right, expected);
            }
        }
    }

    /// Propositions 3.19 and 3.23 of Spermann's thesis, with layers as bits.
    #[test]
    fn forall_graphs_layers_keep_isomorphism((left, right) in pairs_of_states(), choice in any::<prop::sample::Index>()) {
        let group = &groups()[0];
        let all = permutations(group);
        let image = permute(group, &all[choice.index(all.len())], &left);
        for other in [&right, &image] {
            let (left, right) = (graph(group, &left), graph(group, other));
            let same = canonical(&left) == canonical(&right);
            let (left, right) = (Layered::new(&left), Layered::new(&right));
            let same_layered = (&left.labels, &left.palette) == (&right.labels, &right.palette)
                && canonical(&plain(&left)) == canonical(&plain(&right));
            prop_assert_eq!(same, same_layered);
        }
        let (left, image) = (graph(group, &left), graph(group, &image));
        prop_assert_eq!(canonical(&left), canonical(&image));
    }
}

fn graph(group: &Group, state: &[Value]) -> ValueGraph {
    ValueGraph::new(group, (0..).zip(&vals(state)), true)
}

fn canonical(graph: &ValueGraph) -> (Vec<VertexColour>, Vec<GraphEdge>) {
    let graph = numbered(graph, &canonical_labelling(graph));
    (graph.colours, graph.edges)
}

/// A layered graph as one with a single label.
fn plain(layered: &Layered) -> ValueGraph {
    let colour = |vertex: usize| {
        let (layer, vertex) = (vertex / layered.width, vertex % layered.width);
        VertexColour::Free(layered.colours[vertex], layer as u32)
    };
    ValueGraph {
        colours: (0..layered.width * layered.n_layers).map(colour).collect(),
        edges: layered
            .edges
            .iter()
            .map(|(from, to)| GraphEdge { from: *from, to: *to, label: EdgeLabel::Inside })
            .collect(),
        points: Vec::new(),
    }
}

/// How many different forms all values of a list have, by each method, against the number of orbits.
fn count_classes(group: &Group, all: &[Value]) -> usize {
    let mut classes: Vec<std::collections::BTreeSet<Vec<Value>>> = Vec::new();
    let mut least = std::collections::BTreeSet::new();
    let permutations = permutations(group);
    for value in all {
        let state = std::slice::from_ref(value);
        for (idx, form) in forms(group, state).into_iter().enumerate() {
            classes.resize(classes.len().max(idx + 1), std::collections::BTreeSet::new());
            classes[idx].insert(form);
        }
        least.insert(permutations.iter().map(|images| permute(group, images, state)).min());
    }
    assert!(classes.iter().all(|forms| forms.len() == least.len()));
    least.len()
}

fn subsets(items: &[Value]) -> Vec<Value> {
    let subset = |bits: u32| -> Set {
        items.iter().enumerate().filter(|(idx, _)| bits >> idx & 1 == 1).map(|(_, item)| item.clone()).collect()
    };
    (0..1_u32 << items.len()).map(|bits| Value::Set(subset(bits))).collect()
}

fn whole(size: u32) -> (Group, Vec<Value>) {
    let group = Group::new(vec![CarrierBlock { set: 0, indices: (0..size).collect() }]);
    (group, (0..size).map(|index| Value::element(0, index)).collect())
}

#[test]
fn all_directed_graphs() {
    let (group, elements) = whole(3);
    let pairs: Vec<Value> = elements
        .iter()
        .flat_map(|left| elements.iter().map(|right| Value::pair(left.clone(), right.clone())))
        .collect();
    assert_eq!(count_classes(&group, &subsets(&pairs)), 104);
}

#[test]
fn all_hypergraphs() {
    // 256 sets of subsets of three elements, 16 of two.
    let (group, elements) = whole(3);
    assert_eq!(count_classes(&group, &subsets(&subsets(&elements))), 80);
    let (group, elements) = whole(2);
    assert_eq!(count_classes(&group, &subsets(&subsets(&elements))), 12);
}

#[test]
fn all_graphs_with_five_vertices() {
    let (group, elements) = whole(5);
    let mut edges = Vec::new();
    for (idx, left) in elements.iter().enumerate() {
        for right in &elements[idx + 1..] {
            edges.push(Value::Set([left.clone(), right.clone()].into_iter().collect()));
        }
    }
    assert_eq!(count_classes(&group, &subsets(&edges)), 34);
}

/// The cube and other graphs in which refinement tells no vertices apart.
#[test]
fn regular_graphs() {
    let (group, elements) = whole(8);
    let graph = |edges: &[(usize, usize)], names: &[usize]| -> Vec<Value> {
        let edge = |(left, right): &(usize, usize)| {
            Value::Set([elements[names[*left]].clone(), elements[names[*right]].clone()].into_iter().collect())
        };
        vec![Value::Set(edges.iter().map(edge).collect())]
    };
    let cube: Vec<(usize, usize)> =
        (0..8).flat_map(|v| (0..3).map(move |bit| (v, v ^ (1 << bit)))).filter(|(v, w)| v < w).collect();
    let two_tetrahedra: Vec<(usize, usize)> =
        (0..8).flat_map(|v| (v + 1..8).map(move |w| (v, w))).filter(|(v, w)| v / 4 == w / 4).collect();
    let ladder: Vec<(usize, usize)> = (0..8).flat_map(|v| [(v, (v + 1) % 8), (v, (v + 4) % 8)]).collect();
    let names: Vec<usize> = vec![3, 7, 0, 5, 1, 6, 2, 4];
    let identity: Vec<usize> = (0..8).collect();
    let mut seen = Vec::new();
    for edges in [&cube, &two_tetrahedra, &ladder] {
        let form = forms(&group, &graph(edges, &identity));
        assert_eq!(form, forms(&group, &graph(edges, &names)));
        assert!(!seen.contains(&form));
        seen.push(form);
    }
}
