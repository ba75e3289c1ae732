//! Memories: the list with its filters, and what can be done with several of them at once.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{ListRequest, Memory};
use recall_core::MemoryType;
use recall_text::quantity::count_noun;
use serde::Deserialize;
use tonic::Status;

use super::{Here, Site, failure, inbox};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::memory::{first_line, inline, scope, separate_title, unusual_labels};
use crate::view::{self, Tab};

/// The entries of one answer of the service.
const PAGE: u32 = 100;

/// The memories that are looked at for the filters. A store has a few hundred.
const MOST: usize = 2_000;

const SHOWN: usize = 200;

/// The filters of the list; empty ones are none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    r#type: String,
    standing: String,
    trust: String,
    tag: String,
    flagged: String,
    /// Words that the text or the title has, in any order.
    q: String,
}

pub(super) async fn list(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let (memories, total) = match find(&mut site, &project, &asked).await {
        Ok(found) => found,
        Err(status) => return failure(&project, Tab::Memories, &Shown::from(status)),
    };
    let waiting = inbox::link(&mut site, &project).await;
    let shown = html! {
        h1 { "Memories" }
        (waiting)
        (filters(&asked))
        p.summary {
            (count_noun(memories.len() as u64, "memory", "memories"))
            @if memories.len() as u64 != total { " of " (total) }
            @if memories.len() > SHOWN { ", the latest " (SHOWN) " are shown" }
        }
        @if memories.is_empty() && total == 0 {
            p.empty { "Nothing was saved yet. " code { "recall remember \"…\"" } " saves a memory." }
        }
        ul.memories.picks {
            @for memory in memories.iter().take(SHOWN) { (row(memory, &html! {})) }
        }
        (selection())
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Memories, "Memories", &shown))
}

/// Shows a memory in a list that can be selected from: what it says first, and what is unusual about it.
pub(super) fn row(memory: &Memory, more: &Markup) -> Markup {
    let line = first_line(memory);
    let title = separate_title(memory, &line);
    html! {
        li data-item="" data-id=(memory.id) data-scope=(scope(memory)) {
            input.pick type="checkbox" aria-label={ "Select " (memory.title) } autocomplete="off" data-needs-script="";
            div {
                div.head {
                    a.title href=(view::link_to("memory", &[("id", &memory.id)])) data-open="" { (inline(title.unwrap_or(&line))) }
                    span.labels { (unusual_labels(memory)) }
                }
                @if title.is_some() { p.said { (inline(&line)) } }
                p.facts {
                    span { (memory.r#type) }
                    (view::time(memory.updated_at.as_ref().or(memory.created_at.as_ref())))
                    @for tag in &memory.tags { a href=(view::link_to("memories", &[("tag", tag)])) { "#" (tag) } }
                    (more)
                }
            }
        }
    }
}

/// What can be done with the selected memories. The script shows it when there are some.
pub(super) fn selection() -> Markup {
    html! {
        div.selection role="region" aria-label="Selected memories" data-needs-script="" hidden {
            span data-count="" {}
            button type="button" data-many="confirm" data-said="Confirmed." { "Confirm" }
            button type="button" data-many="feedback" data-extra="outdated" data-said="Retired." { "Retire" }
            button.danger type="button" data-many="delete" data-said="Deleted." { "Delete" }
            button.quiet type="button" data-many="" { "Clear" }
        }
    }
}

/// Returns the memories that pass the filters, the latest first, and the number of all.
async fn find(site: &mut Site, project: &Project, asked: &Asked) -> Result<(Vec<Memory>, u64), Status> {
    let mut all = Vec::new();
    let mut total = 0;
    for kind in MemoryType::ALL {
        if !asked.r#type.is_empty() && asked.r#type != kind.as_str() {
            continue;
        }
        let mut cursor = String::new();
        loop {
            let request = ListRequest {
                context: Some(project.subject.context.clone()),
                r#type: kind.as_str().to_owned(),
                limit: Some(PAGE),
                cursor,
                tags: if asked.tag.is_empty() { Vec::new() } else { vec![asked.tag.clone()] },
                flagged: !asked.flagged.is_empty(),
                ..ListRequest::default()
            };
            let answer = site.rpc.list(request).await?.into_inner();
            if answer.entries.is_empty() || all.len() >= MOST {
                total += answer.total;
                break;
            }
            all.extend(answer.entries.into_iter().filter_map(|entry| entry.memory));
            cursor = answer.next_cursor;
            if cursor.is_empty() {
                total += answer.total;
                break;
            }
        }
    }
    all.retain(|memory| {
        let is_wanted = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
        let text = format!("{} {}", memory.title, memory.content).to_lowercase();
        let has_words = asked.q.to_lowercase().split_whitespace().all(|word| text.contains(word));
        is_wanted(&asked.standing, view::status(memory)) && is_wanted(&asked.trust, view::trust(memory)) && has_words
    });
    let time = |memory: &Memory| memory.updated_at.or(memory.created_at).map(|time| (time.seconds, time.nanos));
    all.sort_by(|left, right| time(right).cmp(&time(left)).then_with(|| left.id.cmp(&right.id)));
    Ok((all, total))
}

fn filters(asked: &Asked) -> Markup {
    let kinds = MemoryType::ALL.map(MemoryType::as_str);
    html! {
        form.filters data-submit-on-change="" {
            input type="search" name="q" value=(asked.q) placeholder="Words" aria-label="Words in the text" autocomplete="off";
            (choice("type", "Type", "all types", &kinds, &asked.r#type))
            (choice("standing", "Standing", "any standing", &["current", "stale", "deprecated"], &asked.standing))
            (choice("trust", "Trust", "any trust", &["low", "medium", "high"], &asked.trust))
            label { input type="checkbox" name="flagged" value="1" checked[!asked.flagged.is_empty()]; " flagged" }
            @if !asked.tag.is_empty() {
                input type="hidden" name="tag" value=(asked.tag);
                a href="memories" title="Without this tag" { "#" (asked.tag) " ×" }
            }
            button { "Filter" }
        }
    }
}

fn choice(name: &str, title: &str, all: &str, values: &[&str], chosen: &str) -> Markup {
    html! {
        select name=(name) aria-label=(title) {
            option value="" { (all) }
            @for value in values { option value=(value) selected[*value == chosen] { (value) } }
        }
    }
}
