//! The pictures of the gallery, by geometry: boxes, labels and edges keep apart, and everything is inside.

#[path = "../examples/gallery/graphs.rs"]
mod graphs;

use abridge_draw::{Drawing, DrawnEdge, DrawnNode, Picture, Rect, Route};

fn overlap(left: Rect, right: Rect) -> bool {
    let apart_x = left.x + left.width <= right.x || right.x + right.width <= left.x;
    let apart_y = left.y + left.height <= right.y || right.y + right.height <= left.y;
    !apart_x && !apart_y
}

/// Points of a route, close to each other.
fn points(route: &Route) -> Vec<(f64, f64)> {
    const N_PARTS: u32 = 24;
    let mut points = vec![route.start];
    for [first, second, end] in &route.curves {
        let start = points[points.len() - 1];
        points.extend((1..=N_PARTS).map(|part| {
            let t = f64::from(part) / f64::from(N_PARTS);
            let along = |a: f64, b: f64, c: f64, d: f64| {
                let s = 1.0 - t;
                s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
            };
            (along(start.0, first.0, second.0, end.0), along(start.1, first.1, second.1, end.1))
        }));
    }
    points
}

fn is_inside(point: (f64, f64), rect: Rect) -> bool {
    const TOUCH: f64 = 0.5;
    point.0 > rect.x + TOUCH
        && point.0 < rect.x + rect.width - TOUCH
        && point.1 > rect.y + TOUCH
        && point.1 < rect.y + rect.height - TOUCH
}

fn check(name: &str, picture: &Picture) {
    let labels: Vec<Rect> = picture.routes.iter().map(|route| route.label).filter(|label| label.width > 0.0).collect();
    let all: Vec<Rect> = picture.boxes.iter().chain(&labels).copied().collect();
    for (idx, left) in all.iter().enumerate() {
        let is_within = left.x >= 0.0 && left.x + left.width <= picture.width && left.y >= 0.0;
        assert!(is_within && left.y + left.height <= picture.height, "{name}: {left:?} is outside");
        let other = all[idx + 1..].iter().find(|right| overlap(*left, **right));
        assert_eq!(other, None, "{name}: {left:?} overlaps");
    }
    for route in &picture.routes {
        for point in points(route) {
            let crossed = all.iter().find(|rect| is_inside(point, **rect));
            assert_eq!(crossed, None, "{name}: edge {} -> {} at {point:?}", route.from, route.to);
            let is_within = (0.0..=picture.width).contains(&point.0) && (0.0..=picture.height).contains(&point.1);
            assert!(is_within, "{name}: edge {} -> {} at {point:?} is outside", route.from, route.to);
        }
        let ends = [points(route)[0], points(route)[points(route).len() - 1]];
        for (node, end) in [route.from, route.to].into_iter().zip(ends) {
            let Rect { x, y, width, height } = picture.boxes[node];
            let border = Rect { x: x - 1.0, y: y - 1.0, width: width + 2.0, height: height + 2.0 };
            assert!(is_inside(end, border), "{name}: edge {} -> {} ends at {end:?}", route.from, route.to);
        }
    }
}

#[test]
fn nothing_overlaps() {
    let graphs = graphs::graphs();
    assert_eq!(graphs.len(), 20);
    let sizes: Vec<usize> = graphs.iter().map(|(_, drawing)| drawing.nodes.len()).collect();
    assert!(sizes.contains(&1) && sizes.iter().any(|size| *size >= 300));
    for (name, drawing) in &graphs {
        check(name, &drawing.picture());
    }
}

#[test]
fn wide_rows_are_broken() {
    let (_, drawing) = graphs::graphs().into_iter().find(|(name, _)| *name == "star-120").expect("the graph");
    let picture = drawing.picture();
    assert!(picture.width < 3.0 * picture.height, "{} x {}", picture.width, picture.height);
    assert!(picture.height < 3.0 * picture.width, "{} x {}", picture.width, picture.height);
}

/// Long edges in a picture with very many of them have no lanes, and the picture is made in time.
#[test]
fn huge_graphs_are_drawn() {
    let n_nodes = 3_000;
    let node = |row| DrawnNode { lines: vec![format!("n = {row}")], row, ..DrawnNode::default() };
    let edge = |from: usize, to: usize| DrawnEdge { from, to, label: "op".to_owned(), is_dashed: false };
    let edges = (1..n_nodes as usize).flat_map(|idx| [edge(idx - 1, idx), edge(idx, 0)]);
    let drawing = Drawing { nodes: (0..n_nodes).map(node).collect(), edges: edges.collect() };
    let picture = drawing.picture();
    assert_eq!(picture.routes.len(), 2 * (n_nodes as usize - 1));
    assert!(picture.boxes.windows(2).all(|pair| !overlap(pair[0], pair[1])));
}

#[test]
fn a_drawing_without_nodes() {
    let picture = Drawing::default().picture();
    assert!(picture.width > 0.0 && picture.height > 0.0);
    assert!(Drawing::default().svg().ends_with("</svg>\n"));
}
