//! The neighbourhood of a file, a symbol or a memory as a picture.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{GraphNode, GraphRequest, GraphResponse};
use recall_text::quantity::count_noun;
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::answer::{self, Shown};
use crate::view::{self, Tab};

/// The nodes of a picture. The service accepts 200.
const NODES: u32 = 200;

/// The least distance of two labels on a ring: a line of text.
const APART: f64 = 17.0;

/// The least distance of two rings, and the least room around the outer one.
const RING: f64 = 70.0;

/// The width of a letter of a label, at most.
const LETTER: f64 = 7.5;

/// The longest label, in characters.
const LABEL: usize = 26;

/// The parameters of a picture.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    node: String,
    depth: u32,
}

impl Default for Asked {
    fn default() -> Self {
        Self { node: String::new(), depth: 1 }
    }
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { node, depth }) = asked;
    let request = GraphRequest {
        context: Some(project.subject.context.clone()),
        node: node.clone(),
        depth: Some(depth),
        limit: Some(NODES),
        ..GraphRequest::default()
    };
    let graph = match site.rpc.graph(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Browse, &Shown::from(status)),
    };
    let content = html! {
        div.head { h1 { (node) } }
        p.summary {
            (count_noun(graph.nodes.len() as u64, "node", "nodes")) ", " (count_noun(graph.edges.len() as u64, "edge", "edges"))
            @if graph.truncated { ", not all are shown" }
            @for (to, name) in [(depth.saturating_sub(1), "Fewer"), (depth.saturating_add(1), "More")] {
                @if (1..=5).contains(&to) { " · " a href=(view::link_to("graph", &[("node", &node), ("depth", &to.to_string())])) { (name) " steps" } }
            }
        }
        div.picture role="region" aria-label="Picture" tabindex="0" data-centred="" { (picture(&graph)) }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Browse, &node, &content))
}

/// A node's place: its angle and its distance from the middle.
#[derive(Clone, Copy, Debug)]
struct Place {
    angle: f64,
    radius: f64,
}

impl Place {
    fn x(self) -> f64 {
        self.radius * self.angle.cos()
    }

    fn y(self) -> f64 {
        self.radius * self.angle.sin()
    }
}

/// Places the nodes on rings by their distance, each ring so wide that labels do not touch.
fn places(nodes: &[GraphNode]) -> BTreeMap<&str, Place> {
    let mut rings: BTreeMap<u32, Vec<&GraphNode>> = BTreeMap::new();
    for node in nodes {
        rings.entry(node.distance).or_default().push(node);
    }
    let mut places = BTreeMap::new();
    // Where the labels of the ring before end.
    let mut ends: f64 = 0.0;
    for (distance, nodes) in rings {
        let around = nodes.len() as f64 * APART / TAU;
        let radius = match distance {
            0 if nodes.len() == 1 => 0.0,
            _ => around.max(ends + RING / 2.0).max(RING),
        };
        ends = radius + nodes.iter().map(|node| width(node)).fold(0.0, f64::max);
        for (at, node) in nodes.iter().enumerate() {
            // Half a step off, so that no label lies on the axis of the ring before.
            let angle = TAU * (at as f64 + 0.5) / nodes.len() as f64;
            places.insert(node.id.as_str(), Place { angle, radius });
        }
    }
    places
}

/// Returns the room that a node takes with its label.
fn width(node: &GraphNode) -> f64 {
    (node.label.chars().count().min(LABEL) + 2) as f64 * LETTER
}

/// Returns the corners of the nodes with their labels, with a margin: left, top, right, bottom.
fn corners(nodes: &[GraphNode], places: &BTreeMap<&str, Place>) -> [f64; 4] {
    nodes.iter().fold([-APART, -APART, APART, APART], |[left, top, right, bottom], node| {
        let place = places[node.id.as_str()];
        let label = Place { radius: place.radius + width(node), ..place };
        // The label in the middle is level.
        let (x, y) = if place.radius == 0.0 { (width(node), 0.0) } else { (label.x(), label.y()) };
        [left.min(x - APART), top.min(y - APART), right.max(x + APART), bottom.max(y + APART)]
    })
}

fn picture(graph: &GraphResponse) -> Markup {
    let places = places(&graph.nodes);
    let [left, top, right, bottom] = corners(&graph.nodes, &places);
    let (wide, high) = (format!("{:.0}", right - left), format!("{:.0}", bottom - top));
    let view = format!("{left:.0} {top:.0} {wide} {high}");
    html! {
        svg.graph viewBox=(view) width=(wide) height=(high) role="group" aria-label="Neighbours" {
            @for edge in &graph.edges {
                @if let (Some(from), Some(to)) = (places.get(edge.from.as_str()), places.get(edge.to.as_str())) {
                    line x1=(format!("{:.1}", from.x())) y1=(format!("{:.1}", from.y())) x2=(format!("{:.1}", to.x())) y2=(format!("{:.1}", to.y())) {
                        title { (edge.relation.replace('_', " ")) }
                    }
                }
            }
            @for node in &graph.nodes { (node_markup(node, places[node.id.as_str()])) }
        }
    }
}

fn node_markup(node: &GraphNode, place: Place) -> Markup {
    let label: String = node.label.chars().take(LABEL).collect();
    let is_cut = node.label.chars().count() > LABEL;
    let degrees = place.angle.to_degrees();
    let is_left = place.radius > 0.0 && place.x() < 0.0;
    let turn = if place.radius == 0.0 {
        0.0
    } else if is_left {
        degrees + 180.0
    } else {
        degrees
    };
    let at = format!("translate({:.1} {:.1}) rotate({turn:.1})", place.x(), place.y());
    let name = if node.kind == "symbol" { &node.label } else { &node.doc_id };
    let title = if node.path.is_empty() { node.label.clone() } else { format!("{} · {}", node.label, node.path) };
    let body = html! {
        circle r="4" class=(node.kind) {}
        text x=(if is_left { "-9" } else { "9" }) y="4" text-anchor=(if is_left { "end" } else { "start" }) {
            (label) @if is_cut { "…" }
        }
        title { (title) }
    };
    html! {
        g transform=(at) {
            @if name.is_empty() { (body) } @else { a href=(view::link_to("graph", &[("node", name)])) { (body) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: usize, distance: u32) -> GraphNode {
        GraphNode { id: id.to_string(), label: "x".repeat(40), distance, ..GraphNode::default() }
    }

    #[test]
    fn two_hundred_labels_do_not_touch() {
        let nodes: Vec<_> = (0..200).map(|id| node(id, if id == 0 { 0 } else { 1 + (id % 2) as u32 })).collect();
        let places = places(&nodes);
        let mut rings: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for node in &nodes {
            rings.entry(node.distance).or_default().push(places[node.id.as_str()]);
        }
        for ring in rings.values().skip(1) {
            for pair in ring.windows(2) {
                let apart = (pair[0].x() - pair[1].x()).hypot(pair[0].y() - pair[1].y());
                assert!(apart > 0.95 * APART, "{apart}");
            }
        }
        assert!(rings[&2][0].radius - rings[&1][0].radius >= RING / 2.0 + width(&nodes[0]));
    }
}
