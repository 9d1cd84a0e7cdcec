//! NAUTY itself as labelling: a second opinion on our own.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use nauty_Traces_sys::{
    ADDONEARC, FALSE, NAUTYVERSIONID, SETWORDSNEEDED, TRUE, WORDSIZE, densenauty, empty_graph, nauty_check, optionblk,
    statsblk,
};

use super::canon::Labelling;
use super::graph::ValueGraph;
use super::layers::Layered;

/// Canonical labelling by NAUTY, of layered graphs.
pub struct Nauty;

impl Labelling for Nauty {
    fn positions(&self, graph: &ValueGraph) -> Vec<u32> {
        let layered = Layered::new(graph);
        let order = canonical_order(&layered);
        // Columns are in the order of their vertices in the first layer.
        let mut positions = vec![0; layered.width];
        let first = order.iter().filter(|vertex| (**vertex as usize) < layered.width);
        (0..).zip(first).for_each(|(position, vertex)| positions[*vertex as usize] = position);
        positions
    }
}

/// The vertices of a layered graph in the order of the canonical form.
fn canonical_order(layered: &Layered) -> Vec<c_int> {
    let n_vertices = layered.width * layered.n_layers;
    let n_words = SETWORDSNEEDED(n_vertices);
    let mut graph = empty_graph(n_words, n_vertices);
    let mut canonical = empty_graph(n_words, n_vertices);
    for (from, to) in &layered.edges {
        ADDONEARC(&mut graph, *from as usize, *to as usize, n_words);
    }
    let colour = |vertex: c_int| {
        let (layer, vertex) = (vertex as usize / layered.width, vertex as usize % layered.width);
        (layered.colours[vertex], layer)
    };
    let mut order: Vec<c_int> = (0..n_vertices as c_int).collect();
    order.sort_by_key(|vertex| colour(*vertex));
    // One where the next vertex has the same colour, zero at the end of a colour.
    let mut goes_on: Vec<c_int> = vec![0; n_vertices];
    for idx in 1..n_vertices {
        goes_on[idx - 1] = c_int::from(colour(order[idx - 1]) == colour(order[idx]));
    }
    let mut orbits: Vec<c_int> = vec![0; n_vertices];
    let mut options = optionblk { getcanon: TRUE, defaultptn: FALSE, ..optionblk::default_digraph() };
    let mut stats = statsblk::default();
    // SAFETY: the arrays have the sizes that nauty is told, and it keeps none of the pointers.
    unsafe {
        nauty_check(WORDSIZE as c_int, n_words as c_int, n_vertices as c_int, NAUTYVERSIONID as c_int);
        densenauty(
            graph.as_mut_ptr(),
            order.as_mut_ptr(),
            goes_on.as_mut_ptr(),
            orbits.as_mut_ptr(),
            &mut options,
            &mut stats,
            n_words as c_int,
            n_vertices as c_int,
            canonical.as_mut_ptr(),
        );
    }
    order
}
