//! The picture of a neighbourhood as SVG, with texts that can be selected.

use maud::{Markup, html};
use recall_api::v1::{GraphEdge, GraphNode};

use super::layout::{LABEL, Layout, Place, Shape, TOGGLE};
use super::neighbourhood::{Neighbourhood, RELATIONS, key, name};
use super::request::Asked;
use crate::view;

/// The room between a line's end and the middle of the mark that it leads to.
const TIP: f64 = 8.0;

/// How far apart the lines of two relations between the same nodes are.
const APART: f64 = 2.0;

/// Half of the room in which a line between two columns bends.
const BEND: f64 = 45.0;

pub(super) fn markup(around: &Neighbourhood, asked: &Asked, shape: Shape) -> Markup {
    let layout = Layout::new(around, shape);
    let (width, height) = (format!("{:.0}", layout.width), format!("{:.0}", layout.height));
    let tip = format!("tip-{}", shape.as_str());
    html! {
        svg class={ "graph " (shape.as_str()) } viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="group" aria-label="Neighbours" {
            defs {
                marker id=(tip) viewBox="0 0 6 8" refX="6" refY="4" markerWidth="6" markerHeight="8" orient="auto" markerUnits="userSpaceOnUse" {
                    path.tip d="M0 0L6 4L0 8Z" {}
                }
            }
            @for edge in &around.edges {
                @if let (Some(from), Some(to)) = (layout.places.get(&*edge.from), layout.places.get(&*edge.to)) {
                    path class={ "edge " (edge.relation) } d=(line(edge, from, to, shape)) marker-end={ "url(#" (tip) ")" } {
                        title { (sentence(around, edge)) }
                    }
                }
            }
            @for (x, y, text) in &layout.headings { text.path-heading x=(format!("{x:.1}")) y=(format!("{:.1}", y + 4.0)) { (text) } }
            @for node in &around.nodes { @if let Some(place) = layout.places.get(&*node.id) { (node_markup(node, place, asked)) } }
        }
    }
}

/// Says an edge in words.
fn sentence(around: &Neighbourhood, edge: &GraphEdge) -> String {
    let name = |id: &str| around.node(id).map(name).unwrap_or_default();
    format!("{} {} {}", name(&edge.from), edge.relation.replace('_', " "), name(&edge.to))
}

/// Returns the path of a line, from the end of a label to the mark that it leads to.
fn line(edge: &GraphEdge, from: &Place, to: &Place, shape: Shape) -> String {
    let relation = RELATIONS.iter().position(|(name, _)| *name == edge.relation).unwrap_or_default();
    let aside = relation as f64 * APART;
    if shape == Shape::Tree {
        let below = if to.y > from.y { TIP } else { -TIP };
        return format!("M{:.1} {:.1}V{:.1}H{:.1}", from.x + aside, from.y + below, to.y + aside, to.x - TIP);
    }
    let (start, end) = (from.y + aside, to.y + aside);
    match from.column.cmp(&to.column) {
        // Level to the end of the column, so that no line crosses another label.
        std::cmp::Ordering::Less => format!(
            "M{:.1} {start:.1}H{:.1}C{:.1} {start:.1} {:.1} {end:.1} {:.1} {end:.1}",
            from.end + 3.0,
            from.edge + 3.0,
            from.edge + BEND,
            to.x - TIP - BEND,
            to.x - TIP
        ),
        std::cmp::Ordering::Equal => format!(
            "M{:.1} {start:.1}C{right:.1} {start:.1} {right:.1} {end:.1} {:.1} {end:.1}",
            from.end + 3.0,
            to.end + 3.0,
            right = from.edge + BEND
        ),
        std::cmp::Ordering::Greater => format!(
            "M{:.1} {start:.1}C{:.1} {start:.1} {:.1} {end:.1} {:.1} {end:.1}",
            from.x - TIP,
            from.x - BEND,
            to.edge + BEND,
            to.end + 3.0
        ),
    }
}

/// Returns the mark of a kind of node.
pub(super) fn mark(kind: &str, x: u32, y: u32) -> Markup {
    html! {
        g transform={ "translate(" (x) " " (y) ")" } {
            @match kind {
                "document" => { rect class=(kind) x="-4" y="-4" width="8" height="8" rx="1" {} },
                "memory" => { path class=(kind) d="M0 -5L5 0L0 5L-5 0Z" {} },
                _ => { circle class=(kind) r="4" {} },
            }
        }
    }
}

fn node_markup(node: &GraphNode, place: &Place, asked: &Asked) -> Markup {
    let title = if node.path.is_empty() || node.kind == "document" {
        name(node).to_owned()
    } else {
        format!("{} · {}:{}", node.label, node.path, node.start_line)
    };
    let is_start = node.distance == 0 && place.column == 0;
    let is_open = asked.open_ids().any(|id| id == node.id);
    let label = html! { text x=(LABEL) y="4" { (place.label) } title { (title) } };
    html! {
        g.node.start[is_start] transform={ "translate(" (format!("{:.1}", place.x)) " " (format!("{:.1}", place.y)) ")" } {
            (mark(&node.kind, 0, 0))
            @if is_start {
                @if node.doc_id.is_empty() { (label) } @else { a href=(view::link_to_line(&node.doc_id, node.start_line)) { (label) } }
            } @else if key(node).is_empty() { (label) } @else {
                a href=(view::link_to("graph", &[("node", key(node))])) { (label) }
            }
            @if place.column != 0 && !key(node).is_empty() {
                @let said = format!("{} {}", if is_open { "Close" } else { "Open" }, name(node));
                a.toggle href=(asked.toggle_address(&node.id)) data-redraw="" aria-label=(said) {
                    rect x=(format!("{:.1}", place.end - place.x - TOGGLE + 6.0)) y="-8" width="16" height="16" rx="4" {}
                    text x=(format!("{:.1}", place.end - place.x - TOGGLE + 14.0)) y="4" text-anchor="middle" { @if is_open { "−" } @else { "+" } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::neighbourhood::tests::around;
    use super::*;

    #[test]
    fn a_line_leads_from_the_user_to_what_it_uses() {
        let around = around(&[("a", 0), ("b", 1)], &[("a", "b")]);
        for shape in [Shape::Columns, Shape::Tree] {
            let layout = Layout::new(&around, shape);
            let (from, to) = (&layout.places["a"], &layout.places["b"]);
            let drawn = line(&around.edges[0], from, to, shape);
            assert!(
                drawn.ends_with(&format!("{:.1}", to.x - TIP))
                    || drawn.contains(&format!("{:.1} {:.1}", to.x - TIP, to.y)),
                "{drawn}"
            );
        }
    }

    #[test]
    fn every_node_and_line_is_drawn_and_can_be_opened() {
        let around = around(&[("a", 0), ("b", 1), ("<c>", 1)], &[("a", "b"), ("<c>", "a")]);
        let drawn = markup(&around, &Asked::default(), Shape::Columns).into_string();
        assert_eq!(drawn.matches("marker-end").count(), 2, "{drawn}");
        assert!(drawn.contains("&lt;c&gt;</text>") && drawn.contains("open=b\" data-redraw"), "{drawn}");
        let opened = Asked { open: "b".to_owned(), ..Asked::default() };
        let drawn = markup(&around, &opened, Shape::Tree).into_string();
        assert!(drawn.contains("aria-label=\"Close b\""), "{drawn}");
    }
}
