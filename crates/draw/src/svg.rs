//! A picture as SVG. Full texts of what is cut in the picture are there as tooltips.

use std::fmt::Write as _;

use abridge_diag::visible;

use crate::layout::{LINE, PADDING, Picture, Rect, Route};
use crate::text::{BOX_FONT, LABEL_FONT};
use crate::{Drawing, DrawnNode, fill};

/// Text of a model inside XML.
pub fn xml(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(crate) fn page(drawing: &Drawing, picture: &Picture) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\" font-family=\"DejaVu Sans, Verdana, Helvetica, sans-serif\" font-size=\"{BOX_FONT}\">\n",
        picture.width, picture.height
    );
    out.push_str("<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    for route in &picture.routes {
        draw_route(&mut out, route);
    }
    for ((node, rect), lines) in drawing.nodes.iter().zip(&picture.boxes).zip(&picture.texts) {
        draw_node(&mut out, node, *rect, lines);
    }
    out.push_str("</svg>\n");
    out
}

fn draw_node(out: &mut String, node: &DrawnNode, rect: Rect, lines: &[String]) {
    let radius = if node.is_round { rect.height / 2.0 } else { 3.0 };
    let stroke = if node.is_marked { "#a02020\" stroke-width=\"2" } else { "#000000" };
    let _ = writeln!(out, "<g><title>{}</title>", xml(&node.lines.join("\n")));
    let mut frame = |inset: f64, fill: &str| {
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius:.1}\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
            rect.x + inset,
            rect.y + inset,
            rect.width - 2.0 * inset,
            rect.height - 2.0 * inset
        );
    };
    frame(0.0, fill(node));
    if node.has_double_border {
        frame(3.0, "none");
    }
    let x = rect.x + rect.width / 2.0;
    for (line, text) in lines.iter().enumerate() {
        let y = rect.y + PADDING + LINE * (line as f64 + 0.8);
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", xml(text));
    }
    out.push_str("</g>\n");
}

fn draw_route(out: &mut String, route: &Route) {
    let (x, y) = route.start;
    let mut path = format!("M{x:.1} {y:.1}");
    let mut last = route.start;
    for [first, second, end] in &route.curves {
        let is_upright = first.0 == last.0 && second.0 == last.0 && end.0 == last.0;
        let _ = match is_upright {
            true => write!(path, "V{:.1}", end.1),
            false => {
                write!(path, "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", first.0, first.1, second.0, second.1, end.0, end.1)
            }
        };
        last = *end;
    }
    let dash = if route.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let _ = writeln!(out, "<g><title>{}</title>", xml(&route.title));
    let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#555555\"{dash} marker-end=\"url(#arrow)\"/>");
    for (line, text) in route.texts.iter().enumerate() {
        let (x, y) = (route.label.x, route.label.y + LABEL_FONT * (1.2 * line as f64 + 0.95));
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{LABEL_FONT}\" fill=\"#333333\">{}</text>",
            xml(text)
        );
    }
    out.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use crate::{Drawing, DrawnEdge, DrawnNode};

    fn two_nodes() -> Drawing {
        let node = |text: &str, row| DrawnNode { lines: vec![text.to_owned()], row, ..DrawnNode::default() };
        let edge = |from, to, label: &str| DrawnEdge { from, to, label: label.to_owned(), is_dashed: false };
        let mut second = node("xx = \"a\" & {1 < 2}", 1);
        second.has_double_border = true;
        Drawing { nodes: vec![node("root", 0), second], edges: vec![edge(0, 1, "init"), edge(1, 1, "stay")] }
    }

    #[test]
    fn text_is_escaped() {
        let dot = two_nodes().dot();
        assert!(dot.contains("n1 [label=\"xx = \\\"a\\\" & {1 < 2}\", peripheries=2"), "{dot}");
        assert!(dot.contains("n0 -> n1 [label=\"init\"]"), "{dot}");
        let svg = two_nodes().svg();
        assert!(svg.contains("xx = \"a\" &amp; {1 &lt; 2}</text>") && svg.ends_with("</svg>\n"), "{svg}");
    }

    #[test]
    fn control_characters_stay_out_of_pictures() {
        let node = DrawnNode { lines: vec!["a\x1b[0mb\u{1}".to_owned()], ..DrawnNode::default() };
        let edge = DrawnEdge { from: 0, to: 0, label: "x\x08y".to_owned(), is_dashed: false };
        let drawing = Drawing { nodes: vec![node], edges: vec![edge] };
        for text in [drawing.dot(), drawing.svg()] {
            assert!(!text.contains(abridge_diag::is_unsafe) && text.contains("u{1b}[0mb"), "{text:?}");
        }
    }
}
