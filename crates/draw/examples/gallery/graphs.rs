//! Twenty graphs from 1 to 300 states, with loops, long labels, parallel edges and marked states, as machines have them.

use abridge_draw::{Drawing, DrawnEdge, DrawnNode};

fn node(text: &str, row: u32) -> DrawnNode {
    DrawnNode { lines: text.lines().map(str::to_owned).collect(), row, ..DrawnNode::default() }
}

fn edge(from: usize, to: usize, label: &str) -> DrawnEdge {
    DrawnEdge { from, to, label: label.to_owned(), is_dashed: false }
}

/// The root and the states that steps lead to, in breadth-first order; rows are distances.
fn explored(start: u32, text: impl Fn(u32) -> String, steps: impl Fn(u32) -> Vec<(String, u32)>) -> Drawing {
    let mut drawing = Drawing::default();
    drawing.nodes.push(DrawnNode { is_round: true, ..node("root", 0) });
    let (mut states, mut at) = (vec![start], 0);
    drawing.nodes.push(node(&text(start), 1));
    drawing.edges.push(edge(0, 1, "INITIALISATION"));
    while let Some(state) = states.get(at).copied() {
        let found = steps(state);
        if found.is_empty() {
            drawing.nodes[at + 1].lines.push("deadlock".to_owned());
            drawing.nodes[at + 1].is_marked = true;
        }
        for (label, next) in found {
            let known = states.iter().position(|state| *state == next);
            let to = known.unwrap_or_else(|| {
                states.push(next);
                let row = drawing.nodes[at + 1].row + 1;
                drawing.nodes.push(node(&text(next), row));
                states.len() - 1
            });
            drawing.edges.push(edge(at + 1, to + 1, &label));
        }
        at += 1;
    }
    drawing
}

/// Numbers below `top` from which one can go up, back to the start, or stay.
fn counter(top: u32) -> Drawing {
    let steps = move |n: u32| {
        let up = (n + 1 < top).then(|| ("up".to_owned(), n + 1));
        let reset = (n > 0).then(|| ("reset".to_owned(), 0));
        up.into_iter().chain(reset).chain([(format!("get --> {n}"), n)]).collect()
    };
    explored(0, |n| format!("n = {n}"), steps)
}

/// Sets of elements, one of which is put in or taken out at a time.
fn subsets(n_elements: u32, takes_out: bool) -> Drawing {
    let text = move |set: u32| {
        let members: Vec<String> = (0..n_elements).filter(|e| set >> e & 1 == 1).map(|e| format!("S{e}")).collect();
        format!("active = {{{}}}", members.join(","))
    };
    let steps = move |set: u32| {
        let free = (0..n_elements).filter(move |e| takes_out || set >> e & 1 == 0);
        let name = move |e: u32| if set >> e & 1 == 0 { "login" } else { "logout" };
        free.map(|e| (format!("{}(S{e})", name(e)), set ^ 1 << e)).collect()
    };
    explored(0, text, steps)
}

/// A walk on a board.
fn board(n_columns: u32, n_rows: u32, is_both_ways: bool) -> Drawing {
    let steps = move |place: u32| {
        let (x, y) = (place % n_columns, place / n_columns);
        let mut steps = Vec::new();
        let mut step = |is_there: bool, label: &str, next: u32| {
            if is_there {
                steps.push((label.to_owned(), next));
            }
        };
        step(x + 1 < n_columns, "east", place + 1);
        step(y + 1 < n_rows, "south", place + n_columns);
        step(is_both_ways && x > 0, "west", place.wrapping_sub(1));
        step(is_both_ways && y > 0, "north", place.wrapping_sub(n_columns));
        steps
    };
    explored(0, move |place| format!("x = {}\ny = {}", place % n_columns, place / n_columns), steps)
}

/// A graph with edges by chance, the same at each run.
fn random(n_nodes: u32, n_edges: u32, label: &str) -> Drawing {
    let mut seed = 0x9e37_79b9_u32 ^ n_nodes;
    let mut draw = move |below: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed % below
    };
    let mut ends: Vec<(u32, u32)> = (1..n_nodes).map(|node| (draw(node), node)).collect();
    ends.extend((0..n_edges).map(|_| (draw(n_nodes), draw(n_nodes))));
    let steps = move |from: u32| {
        let found = ends.iter().filter(|(start, _)| *start == from);
        found.enumerate().map(|(number, (_, to))| (format!("{label}({number})"), *to)).collect()
    };
    explored(0, |state| format!("s = {state}"), steps)
}

fn long_texts() -> Drawing {
    let set = (1..40).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let mut drawing = counter(5);
    drawing.nodes[2].lines.push(format!("history = [{set}]"));
    drawing.nodes[3].lines.push("x".repeat(200));
    drawing.edges.push(edge(2, 3, &format!("transfer({{{set}}}) --> {{{set}}}")));
    drawing.edges.push(edge(3, 3, &format!("audit(\"{}\")", "a long report ".repeat(6))));
    drawing.nodes[3].is_marked = true;
    drawing
}

/// Several operations between the same states, in both directions.
fn parallel() -> Drawing {
    let mut drawing = counter(4);
    for number in 0..9 {
        drawing.edges.push(edge(1, 2, &format!("choose({number})")));
        drawing.edges.push(edge(2, 1, &format!("undo({number})")));
        drawing.edges.push(edge(3, 3, &format!("look({number})")));
    }
    drawing
}

/// A star: one state with many successors, from all of which one step leads back.
fn star(n_rays: u32) -> Drawing {
    let steps = move |state: u32| match state {
        0 => (1..=n_rays).map(|ray| (format!("go({ray})"), ray)).collect(),
        _ => vec![("back".to_owned(), 0)],
    };
    explored(0, |state| format!("at = {state}\nlamp = {}", if state % 2 == 0 { "TRUE" } else { "FALSE" }), steps)
}

/// States of the same row with steps between them.
fn ring(n_nodes: u32) -> Drawing {
    let steps = move |state: u32| match state {
        0 => (1..=n_nodes).map(|to| (format!("enter({to})"), to)).collect(),
        _ => vec![("next".to_owned(), state % n_nodes + 1), ("across".to_owned(), (state + 2) % n_nodes + 1)],
    };
    explored(0, |state| format!("token = {state}"), steps)
}

fn permuted() -> Drawing {
    let mut drawing = subsets(3, true);
    for (from, to) in [(2, 3), (2, 4), (5, 6)] {
        drawing.edges.push(DrawnEdge { is_dashed: true, ..edge(from, to, "permute") });
    }
    drawing.nodes[2].has_double_border = true;
    drawing.nodes[5].colour = Some(1);
    drawing
}

/// All graphs with their names.
pub(crate) fn graphs() -> Vec<(&'static str, Drawing)> {
    let lonely = || Drawing { nodes: vec![node("x = 0", 0)], edges: vec![edge(0, 0, "stay")] };
    vec![
        ("one", lonely()),
        ("two", counter(1)),
        ("counter-6", counter(6)),
        ("counter-40", counter(40)),
        ("sets-3", subsets(3, false)),
        ("sets-4-both-ways", subsets(4, true)),
        ("sets-7", subsets(7, false)),
        ("sets-8", subsets(8, false)),
        ("board-5", board(5, 5, false)),
        ("board-6-both-ways", board(6, 6, true)),
        ("board-20x15", board(20, 15, false)),
        ("random-20", random(20, 15, "step")),
        ("random-60", random(60, 40, "move")),
        ("random-300", random(300, 120, "s")),
        ("long-texts", long_texts()),
        ("parallel", parallel()),
        ("star-12", star(12)),
        ("star-120", star(120)),
        ("ring-9", ring(9)),
        ("permuted", permuted()),
    ]
}
