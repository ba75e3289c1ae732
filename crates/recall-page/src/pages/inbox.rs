//! The inbox: the memories that are proposed, each next to the most similar one, with what can become of it.

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{GetRequest, ListRequest, Memory};
use recall_text::instructions;
use recall_text::quantity::count_noun;
use tonic::Status;

use super::memory::judge;
use super::{Here, Site, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::memory::{inline, scope, unusual_labels};
use crate::view::{self, Tab, markdown};

/// The proposals that are shown at once; a decision about one brings the next.
const SHOWN: u32 = 20;

/// A proposal, and the memory that is most similar to it.
struct Proposal {
    memory: Memory,
    similar: Option<Memory>,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>) -> Response {
    let (proposals, total) = match find(&mut site, &project).await {
        Ok(found) => found,
        Err(status) => return failure(&project, Tab::Memories, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Inbox" }
        @if proposals.is_empty() {
            p.empty { "Nothing waits for a review. " a href="memories" { "All memories" } }
        } @else {
            p.summary {
                (count_noun(total, "memory waits", "memories wait")) " for a review, and " @if total == 1 { "is" } @else { "are" }
                " in no answer until then."
            }
        }
        @for proposal in &proposals { (entry(proposal)) }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Memories, "Inbox", &shown))
}

/// Returns the link to the inbox if something waits there.
pub(super) async fn link(site: &mut Site, project: &Project) -> Markup {
    let total = match list(site, project, 1).await {
        Ok(answer) => answer.total,
        // The page that has the link is shown without it.
        Err(_) => 0,
    };
    html! {
        @if total > 0 { p.note { a href="inbox" { (count_noun(total, "memory waits", "memories wait")) " for a review" } } }
    }
}

async fn list(site: &mut Site, project: &Project, limit: u32) -> Result<recall_api::v1::ListResponse, Status> {
    let context = Some(project.subject.context.clone());
    let request = ListRequest { context, limit: Some(limit), proposed: true, ..ListRequest::default() };
    Ok(site.rpc.list(request).await?.into_inner())
}

async fn find(site: &mut Site, project: &Project) -> Result<(Vec<Proposal>, u64), Status> {
    let answer = list(site, project, SHOWN).await?;
    let mut proposals = Vec::new();
    for memory in answer.entries.into_iter().filter_map(|entry| entry.memory) {
        let ask = |id: &str, with_uses| {
            let context = Some(project.subject.context.clone());
            GetRequest { context, id: id.to_owned(), with_uses, ..GetRequest::default() }
        };
        let uses = site.rpc.get(ask(&memory.id, true)).await?.into_inner().recorded_uses.unwrap_or_default();
        let similar = match uses.similar.first() {
            Some(similar) => site.rpc.get(ask(&similar.id, false)).await?.into_inner().memory,
            None => None,
        };
        proposals.push(Proposal { memory, similar });
    }
    Ok((proposals, answer.total))
}

fn entry(Proposal { memory, similar }: &Proposal) -> Markup {
    html! {
        section.proposal {
            h2 { a href=(view::link_to("memory", &[("id", &memory.id)])) { (inline(&memory.title)) } }
            p.facts {
                span { (memory.r#type) }
                @if !memory.agent.is_empty() { span { "by " (memory.agent) } }
                (view::time(memory.created_at.as_ref()))
                span.labels { (unusual_labels(memory)) }
            }
            @for line in instructions(&memory.content) { p.problem { "It addresses an agent: “" (line) "”" } }
            @for other in &memory.contradicts {
                p.problem {
                    "It may contradict " a href=(view::link_to("memory", &[("id", &other.id)])) { (inline(&other.title)) }
                    (judge(&other.judged_by))
                }
            }
            div.document {
                div.rendered { (markdown::text(&memory.content)) }
                @if let Some(similar) = similar {
                    aside {
                        h3 { "Most similar: " a href=(view::link_to("memory", &[("id", &similar.id)])) { (inline(&similar.title)) } }
                        div.rendered { (markdown::text(&similar.content)) }
                    }
                }
            }
            div.actions data-needs-script="" {
                (button(memory, "Accept", "accept", "Accepted."))
                (button(memory, "Reject", "reject", "Rejected."))
                @if let Some(similar) = similar { (button(memory, "Merge with the similar one", &similar.id, "Merged.")) }
            }
        }
    }
}

fn button(memory: &Memory, title: &str, extra: &str, said: &str) -> Markup {
    html! {
        button type="button" data-do="review" data-id=(memory.id) data-scope=(scope(memory)) data-extra=(extra) data-said=(said) { (title) }
    }
}
