//! Decisions: those that are remembered, and the decision records of the project with the status that they state.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{Document, ListEntry, ListRequest, ListSort, Memory, MemoryStatus, RecordStatus};
use serde::Deserialize;
use tonic::Status;

use super::{Here, Site, failure, memories};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::{self, Tab};

/// The decisions of each kind that are shown. The service accepts 100.
const PAGE: u32 = 100;

/// The parameters of the list; empty ones are none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// `force` for those that hold, `over` for those that do not; empty for all.
    state: String,
}

impl Asked {
    fn wants(&self, is_over: bool) -> bool {
        match self.state.as_str() {
            "force" => !is_over,
            "over" => is_over,
            _ => true,
        }
    }
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let (records, remembered) = match list_both(&mut site, &project).await {
        Ok(both) => both,
        Err(status) => return failure(&project, Tab::Decisions, &Shown::from(status)),
    };
    let is_none = records.is_empty() && remembered.is_empty();
    let shown_memories: Vec<&Memory> = remembered
        .iter()
        .filter_map(|entry| entry.memory.as_ref())
        .filter(|memory| asked.wants(memory.status() == MemoryStatus::Deprecated))
        .collect();
    let shown_records: Vec<&ListEntry> =
        records.iter().filter(|entry| asked.wants(entry.record.as_ref().is_some_and(is_over))).collect();
    let shown = html! {
        h1 { "Decisions" }
        @if is_none {
            p.empty { "No decision was found. " code { "recall remember \"…\" --type decision" } " saves one." }
        } @else {
            (filter(&asked))
            @if shown_memories.is_empty() && shown_records.is_empty() { p.empty { "No decision passes this filter." } }
        }
        @if !shown_memories.is_empty() {
            h2 { "Remembered " span.count { (shown_memories.len()) } }
            ul.memories.picks { @for memory in &shown_memories { (memories::row(memory, &lineage(memory))) } }
        }
        @if !shown_records.is_empty() {
            h2 { "Records " span.count { (shown_records.len()) } }
            ul.memories.picks { @for entry in &shown_records { (record(entry, &records)) } }
        }
        @for (number, kind) in [(remembered.len(), "remembered decisions"), (records.len(), "records")] {
            @if number == PAGE as usize { p.note { "There may be more than " (number) " " (kind) ": " a href="memories?type=decision" { "Memories" } " and " a href="browse?type=adr" { "Browse" } " show all." } }
        }
        (memories::selection())
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Decisions, "Decisions", &shown))
}

fn filter(asked: &Asked) -> Markup {
    html! {
        form.filters data-submit-on-change="" {
            select name="state" aria-label="State" {
                @for (value, name) in [("", "all decisions"), ("force", "in force"), ("over", "superseded or rejected")] {
                    option value=(value) selected[value == asked.state] { (name) }
                }
            }
            button { "Filter" }
        }
    }
}

/// Shows which decision took the place of which.
fn lineage(memory: &Memory) -> Markup {
    html! {
        @for (name, id) in [("supersedes", &memory.supersedes), ("superseded by", &memory.superseded_by)] {
            @if !id.is_empty() { span { (name) " " a href=(view::link_to("memory", &[("id", id)])) { (id) } } }
        }
    }
}

/// Shows a decision record. A status is a label only if the decision does not hold, or not yet.
fn record(entry: &ListEntry, records: &[ListEntry]) -> Markup {
    let doc = entry.doc.clone().unwrap_or_default();
    let status = entry.record.as_ref();
    html! {
        li data-item="" {
            div {
                div.head {
                    a.title href=(view::link_to("doc", &[("id", &doc.id)])) data-open="" { @if doc.title.is_empty() { (doc.path) } @else { (doc.title) } }
                    @if let Some(status) = status.filter(|status| is_over(status)) { span.labels { span.label.warn { (status.text) } } }
                }
                p.facts {
                    @if let Some(status) = status.filter(|status| !is_over(status)) { span { (status.text) } }
                    code { (doc.path) }
                    (view::time(doc.updated_at.as_ref()))
                    @if let Some(status) = status.filter(|status| !status.link.is_empty()) {
                        span { (if is_superseded(status) { "superseded by " } else { "see " }) a href=(view::link_to("doc", &[("id", &status.link)])) { (status.link) } }
                    }
                    @for earlier in superseded_by(records, &doc.path) {
                        span { "supersedes " a href=(view::link_to("doc", &[("id", &earlier.id)])) { (earlier.path) } }
                    }
                }
            }
        }
    }
}

fn is_superseded(status: &RecordStatus) -> bool {
    status.text.to_lowercase().contains("supersed")
}

/// Whether a record says that it does not hold any more, or never did.
fn is_over(status: &RecordStatus) -> bool {
    let text = status.text.to_lowercase();
    ["supersed", "deprecated", "rejected", "withdrawn", "obsolete"].iter().any(|word| text.contains(word))
}

/// Returns the records that say that the one at a path supersedes them.
fn superseded_by<'a>(records: &'a [ListEntry], path: &str) -> impl Iterator<Item = &'a Document> {
    let names = move |entry: &&ListEntry| {
        entry.record.as_ref().is_some_and(|status| is_superseded(status) && status.link == path)
    };
    records.iter().filter(names).filter_map(|entry| entry.doc.as_ref())
}

/// Returns the decision records by path, and the remembered decisions, the latest first.
async fn list_both(site: &mut Site, project: &Project) -> Result<(Vec<ListEntry>, Vec<ListEntry>), Status> {
    let request = |kind: &str, sort: ListSort| ListRequest {
        context: Some(project.subject.context.clone()),
        r#type: kind.to_owned(),
        limit: Some(PAGE),
        sort: sort.into(),
        ..ListRequest::default()
    };
    let records = site.rpc.list(request("adr", ListSort::Path)).await?.into_inner().entries;
    let memories = site.rpc.list(request("decision", ListSort::CreatedAt)).await?.into_inner().entries;
    Ok((records, memories))
}
