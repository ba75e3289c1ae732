//! Memories: the list with its filters, and one with its evidence.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{
    self, AnchorChange, GetRequest, ListRequest, Memory, VerificationState, VerifyMode, VerifyRequest,
};
use recall_core::MemoryType;
use recall_text::quantity::count_noun;
use serde::Deserialize;
use tonic::Status;

use super::{Here, Site, change, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
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
}

/// The parameters of one memory.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct One {
    id: String,
}

pub(super) async fn list(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let (memories, total) = match find(&mut site, &project, &asked).await {
        Ok(found) => found,
        Err(status) => return failure(&project, Tab::Memories, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Memories" }
        (filters(&asked))
        p.summary {
            (count_noun(memories.len() as u64, "memory", "memories"))
            @if memories.len() as u64 != total { " of " (total) }
            @if memories.len() > SHOWN { ", the latest " (SHOWN) " are shown" }
        }
        @if memories.is_empty() && total == 0 {
            p.empty { "Nothing was saved yet. " code { "recall remember \"…\"" } " saves a memory." }
        }
        ul.memories {
            @for memory in memories.iter().take(SHOWN) {
                li data-item="" {
                    div.head {
                        a.title href=(view::link_to("memory", &[("id", &memory.id)])) data-open="" { (memory.title) }
                        span.labels { (view::standing_labels(memory)) }
                    }
                    p.facts {
                        code { (memory.id) }
                        span { (view::time(memory.updated_at.as_ref().or(memory.created_at.as_ref()))) }
                        @for tag in &memory.tags { a href=(view::link_to("memories", &[("tag", tag)])) { "#" (tag) } }
                    }
                }
            }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Memories, "Memories", &shown))
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
        is_wanted(&asked.standing, view::status(memory)) && is_wanted(&asked.trust, view::trust(memory))
    });
    let time = |memory: &Memory| memory.updated_at.or(memory.created_at).map(|time| (time.seconds, time.nanos));
    all.sort_by(|left, right| time(right).cmp(&time(left)).then_with(|| left.id.cmp(&right.id)));
    Ok((all, total))
}

fn filters(asked: &Asked) -> Markup {
    let kinds = MemoryType::ALL.map(MemoryType::as_str);
    html! {
        form.filters data-submit-on-change="" {
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

pub(super) async fn one(Extension(project): Here, State(mut site): State<Site>, asked: Query<One>) -> Response {
    let Query(One { id }) = asked;
    let request = GetRequest { context: Some(project.subject.context.clone()), id, ..GetRequest::default() };
    let found = match site.rpc.get(request).await {
        Ok(found) => found.into_inner(),
        Err(status) => return failure(&project, Tab::Memories, &Shown::from(status)),
    };
    let Some(memory) = found.memory else {
        let shown = Shown {
            status: StatusCode::NOT_FOUND,
            reason: "NOT_FOUND",
            message: "this is a document, not a memory".to_owned(),
            hint: None,
        };
        return failure(&project, Tab::Memories, &shown);
    };
    // The page is shown without them if they cannot be read; the memory is what was asked for.
    let changes = match &memory.verification {
        Some(verification) if !verification.broken.is_empty() => {
            changes(&mut site, &project, &memory.id).await.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let shown = html! {
        div.head {
            h1 { (memory.title) }
            p.facts { span.labels { (view::standing_labels(&memory)) } code { (memory.id) } @for tag in &memory.tags { a href=(view::link_to("memories", &[("tag", tag)])) { "#" (tag) } } }
        }
        @for warning in &found.warnings { p.note { (warning.message) } }
        div.document {
            div {
                div.prose { (memory.content) }
                (actions(&memory))
                (anchor_changes(&changes))
                (change::form(&memory))
            }
            aside { (evidence(&memory)) (facts(&memory)) }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Memories, &memory.title, &shown))
}

fn scope(memory: &Memory) -> &'static str {
    match memory.scope() {
        v1::StoreScope::Global => "global",
        v1::StoreScope::Domain => "domain",
        v1::StoreScope::Project | v1::StoreScope::Unspecified => "project",
    }
}

/// The changes that can be made. They need the script.
fn actions(memory: &Memory) -> Markup {
    let button = |title: &str, action: &str, extra: &str, said: &str| {
        html! {
            button type="button" data-do=(action) data-id=(memory.id) data-scope=(scope(memory)) data-extra=(extra) data-said=(said) { (title) }
        }
    };
    html! {
        div.actions data-needs-script="" {
            (button("Confirm", "confirm", "", "Confirmed."))
            (button("Useful", "feedback", "useful", "Rated useful."))
            (button("Not useful", "feedback", "not_useful", "Rated not useful."))
            (button("Retire", "feedback", "outdated", "Retired: rated outdated."))
            @if memory.scope() == v1::StoreScope::Project { (button("Promote to global", "promote", "", "Promoted to the global store.")) }
            button.danger type="button" data-do="delete" data-id=(memory.id) data-scope=(scope(memory)) data-then="memories" data-said="Deleted." { "Delete" }
        }
    }
}

/// What the standing is based on: the files, and what became of them.
fn evidence(memory: &Memory) -> Markup {
    let verification = memory.verification.clone().unwrap_or_default();
    html! {
        h2 { "Evidence" }
        p { (verdict(verification.state())) }
        @if !verification.moved.is_empty() {
            ul.related {
                @for moved in &verification.moved {
                    li { code { (moved.from) } " moved to " a href=(view::link_to("doc", &[("id", &moved.to)])) { (moved.to) } }
                }
            }
        }
        @if !verification.broken.is_empty() {
            ul.related {
                @for anchor in &verification.broken {
                    li {
                        a href=(view::link_to("doc", &[("id", &anchor.path)])) { (anchor.path) }
                        span.dim {
                            @if !anchor.symbol.is_empty() { (anchor.symbol) " " }
                            (view::state(anchor.state()))
                            @if !verification.since_commit.is_empty() { " " code { (verification.since_commit.get(..12).unwrap_or(&verification.since_commit)) } }
                        }
                    }
                }
            }
        }
        @if !memory.cues.is_empty() {
            h2 { "Shown unasked at" }
            ul.related { @for cue in &memory.cues { li { code { (cue) } } } }
        }
        @if !memory.related_files.is_empty() {
            h2 { "Files" }
            ul.related { @for file in &memory.related_files { li data-item="" { a href=(view::link_to("doc", &[("id", file)])) data-open="" { (file) } } } }
        }
    }
}

/// Returns what changed in the files of a memory.
async fn changes(site: &mut Site, project: &Project, id: &str) -> Result<Vec<AnchorChange>, Status> {
    let request = VerifyRequest {
        context: Some(project.subject.context.clone()),
        ids: vec![id.to_owned()],
        scope: v1::Scope::All.into(),
        mode: VerifyMode::Check.into(),
        with_changes: true,
    };
    let verified = site.rpc.verify(request).await?.into_inner().results;
    Ok(verified.into_iter().flat_map(|memory| memory.changes).collect())
}

/// Shows what changed in the files of a memory.
fn anchor_changes(changes: &[AnchorChange]) -> Markup {
    html! {
        @for AnchorChange { path, symbol, commit, exact, diff, is_cut } in changes {
            section.changed {
                h2 { "Changed: " a href=(view::link_to("doc", &[("id", path)])) { (path) } @if !symbol.is_empty() { " " code { (symbol) } } }
                @if commit.is_empty() {
                    p.dim { "git does not have the text of that time." }
                } @else {
                    p.dim {
                        "Since " code { (commit.get(..12).unwrap_or(commit)) }
                        @if !exact { ". The memory saw changes that were never committed" }
                        "."
                    }
                    pre.diff tabindex="0" { @for line in diff.lines() { (difference(line)) } }
                    @if *is_cut { p.dim { "The rest is left out." } }
                }
            }
        }
    }
}

fn difference(line: &str) -> Markup {
    html! {
        @match line.as_bytes().first() {
            Some(b'+') => { ins { (line) "\n" } },
            Some(b'-') => { del { (line) "\n" } },
            Some(b'@') => { span.dim { (line) "\n" } },
            _ => { (line) "\n" },
        }
    }
}

/// Says in a sentence what became of the files of a memory.
fn verdict(state: VerificationState) -> Markup {
    let word = view::state(state);
    html! {
        @match state {
            VerificationState::Unspecified => { "Its files were " strong { (word) } "." },
            VerificationState::Changed => { "Its files have " strong { (word) } "." },
            VerificationState::Unanchored => { "It is about " strong { (word) } "." },
            VerificationState::Verified | VerificationState::Gone => { "Its files are " strong { (word) } "." },
        }
    }
}

fn facts(memory: &Memory) -> Markup {
    let stats = memory.stats.unwrap_or_default();
    let provenance = memory.provenance.clone().unwrap_or_default();
    let texts = [
        ("Source", memory.source.as_str()),
        ("Agent", memory.agent.as_str()),
        ("Branch", provenance.git_branch.as_str()),
        ("Added by", memory.added_by.as_str()),
    ];
    let others = [("Supersedes", &memory.supersedes), ("Superseded by", &memory.superseded_by)];
    html! {
        h2 { "Facts" }
        dl.facts {
            dt { "Store" } dd { (scope(memory)) }
            dt { "Added" } dd { (view::time(memory.created_at.as_ref())) }
            @if memory.updated_at != memory.created_at { dt { "Amended" } dd { (view::time(memory.updated_at.as_ref())) } }
            dt { "Found" } dd { (count_noun(stats.retrievals, "time", "times")) }
            dt { "Used" } dd { "in " (count_noun(stats.uses, "session", "sessions")) }
            dt { "Rated" } dd { (stats.useful) " useful, " (stats.not_useful) " not" }
            @for (name, text) in texts { @if !text.is_empty() { dt { (name) } dd { (text) } } }
            @if !memory.session.is_empty() { dt { "Session" } dd { a href=(view::link_to("session", &[("id", &memory.session)])) { (memory.session) } } }
            @for (name, id) in others { @if !id.is_empty() { dt { (name) } dd { a href=(view::link_to("memory", &[("id", id)])) { (id) } } } }
        }
    }
}
