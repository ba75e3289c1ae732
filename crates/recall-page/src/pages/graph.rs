//! The neighbourhood of a file, a symbol or a memory: what uses it on the left, what it uses on the right, and a table of the same.

mod layout;
mod neighbourhood;
mod picture;
mod request;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::GraphNode;
use recall_text::quantity::count_noun;

use super::{Here, Site, failure, overview};
use crate::answer::{self, Shown};
use crate::view::{self, Tab};
use layout::Shape;
use neighbourhood::{Neighbourhood, RELATIONS, key, name};
use request::Asked;

pub(super) async fn page(here: Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Extension(project) = here;
    let Query(asked) = asked;
    if asked.node.trim().is_empty() {
        return overview::page(&project, &mut site).await;
    }
    let around = match Neighbourhood::read(&mut site, &project, &asked).await {
        Ok(around) => around,
        Err(status) => return failure(&project, Tab::Graph, &Shown::from(status)),
    };
    let title = around.nodes.first().map_or(asked.node.as_str(), name).to_owned();
    let content = html! {
        div.head { h1 { (title) } @if let Some(start) = around.nodes.first() { p.facts { (place(start)) } } }
        (overview::search())
        @for warning in &around.warnings { p.note { (warning.message) } }
        div data-graph="" {
            p.summary {
                (count_noun(around.nodes.len() as u64, "node", "nodes")) ", " (count_noun(around.edges.len() as u64, "edge", "edges"))
                @if around.is_truncated { ", not all are shown" }
                @for (to, name) in [(asked.depth.saturating_sub(1), "Fewer"), (asked.depth.saturating_add(1), "More")] {
                    @if (1..=5).contains(&to) { " · " a href=(Asked { depth: to, open: String::new(), ..asked.clone() }.address()) { (name) " steps" } }
                }
            }
            (legend(&asked, &around))
            div.picture role="region" aria-label="Picture" tabindex="0" {
                (picture::markup(&around, &asked, Shape::Columns))
                (picture::markup(&around, &asked, Shape::Tree))
            }
            (table(&around))
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Graph, &title, &content))
}

/// The place of a node as a link.
fn place(node: &GraphNode) -> Markup {
    let line = if node.start_line > 0 { format!(":{}", node.start_line) } else { String::new() };
    html! {
        @if !node.doc_id.is_empty() {
            a href=(view::link_to_line(&node.doc_id, node.start_line)) {
                @if node.path.is_empty() { (node.label) } @else { (node.path) (line) }
            }
        }
    }
}

/// What the lines and the marks stand for. Each kind of line can be left out.
fn legend(asked: &Asked, around: &Neighbourhood) -> Markup {
    html! {
        ul.line-kinds aria-label="Legend" {
            @for (relation, meaning) in RELATIONS {
                @let number = around.edges.iter().filter(|edge| edge.relation == relation).count();
                @if number > 0 || asked.is_without(relation) {
                    li {
                        svg.graph width="36" height="10" aria-hidden="true" { path class={ "edge " (relation) } d="M0 5H35" {} }
                        @if asked.is_without(relation) {
                            a href=(asked.relation_address(relation)) data-redraw="" title="Show these lines" { del { (meaning) } }
                        } @else {
                            a href=(asked.relation_address(relation)) data-redraw="" title="Leave these lines out" { (meaning) } " " span.count { (number) }
                        }
                    }
                }
            }
            @for (kind, meaning) in [("symbol", "definition"), ("document", "file"), ("memory", "memory")] {
                @if around.nodes.iter().any(|node| node.kind == kind) {
                    li { svg.graph width="12" height="12" aria-hidden="true" { (picture::mark(kind, 6, 6)) } (meaning) }
                }
            }
            li.dim { "an arrow leads to what is used" }
        }
    }
}

/// The same in words.
fn table(around: &Neighbourhood) -> Markup {
    html! {
        h2 { "The same as a table" }
        div.wide tabindex="0" {
            table.graph-table {
                thead { tr { th { "From" } th { "Relation" } th { "To" } } }
                tbody {
                    @for edge in &around.edges {
                        @let ends = (around.node(&edge.from), around.node(&edge.to));
                        @if let (Some(from), Some(to)) = ends {
                            tr { td { (cell(from)) } td { (edge.relation.replace('_', " ")) } td { (cell(to)) } }
                        }
                    }
                }
            }
        }
    }
}

fn cell(node: &GraphNode) -> Markup {
    html! {
        @if key(node).is_empty() { (name(node)) } @else { a href=(view::link_to("graph", &[("node", key(node))])) { (name(node)) } }
        @if node.kind == "symbol" { " " span.dim { (place(node)) } }
    }
}
