//! A session: what was asked, changed, decided, failed and left open, and its events.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{ListEventsRequest, ListEventsResponse, ListSessionsRequest, Session, SessionEntry, SessionEvent};
use serde::Deserialize;
use tonic::Status;

use super::sessions::{name, state_label};
use super::{Here, Site, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::memory::inline;
use crate::view::{self, Tab, markdown};

/// The events of a page. The service accepts 100.
const PAGE: u32 = 100;

/// The most entries of a card that are shown at once.
const SHOWN: usize = 8;

/// The cards in their order, with their headings. What an agent did is before what it said.
const CARDS: [(&str, &str); 7] = [
    ("open", "Left open"),
    ("failed", "Failed"),
    ("decided", "Decided"),
    ("changed", "Changed"),
    ("commits", "Commits"),
    ("reached", "Reached"),
    ("handed_over", "Handed over"),
];

/// What is folded, since it is long and seldom read.
const FOLDED: [(&str, &str); 3] = [("noted", "Noted"), ("earlier_turns", "Earlier turns"), ("files", "Other files")];

/// The parameters of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    id: String,
    cursor: String,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let (session, events) = match read(&mut site, &project, &asked).await {
        Ok(found) => found,
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let shown = html! {
        div.head { h1 { (name(&session)) } (facts(&session)) }
        (cards(&session))
        (summary(&session))
        @for (kind, heading) in FOLDED {
            @for part in session.parts.iter().filter(|part| part.kind == kind) {
                details { summary { (heading) " " span.count { (part.entries.len()) } } ul.entries { @for entry in &part.entries { li { (line(entry)) } } } }
            }
        }
        (event_list(&session, &asked, &events))
        p.more { a href="sessions" { "All sessions" } }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Sessions, &session.title, &shown))
}

/// Returns a session, and a page of its events. A session of another machine has none here.
async fn read(site: &mut Site, project: &Project, asked: &Asked) -> Result<(Session, ListEventsResponse), Status> {
    let Asked { id, cursor } = asked;
    let context = || Some(project.subject.context.clone());
    let request = ListSessionsRequest {
        context: context(),
        session_id: id.clone(),
        with_parts: true,
        ..ListSessionsRequest::default()
    };
    let found = site.rpc.list_sessions(request).await?.into_inner().sessions;
    let session = found.into_iter().next().ok_or_else(|| Status::not_found("no session is known by this id"))?;
    let request = ListEventsRequest {
        context: context(),
        session_id: session.id.clone(),
        limit: Some(PAGE),
        cursor: cursor.clone(),
        types: Vec::new(),
    };
    match site.rpc.list_events(request).await {
        Ok(events) => Ok((session, events.into_inner())),
        Err(_) if session.events == 0 => Ok((session, ListEventsResponse::default())),
        Err(status) => Err(status),
    }
}

fn facts(session: &Session) -> Markup {
    let provenance = session.provenance.clone().unwrap_or_default();
    html! {
        p.facts {
            (state_label(session))
            @if !session.agent.is_empty() { span { (session.agent) } }
            (view::time(session.started_at.as_ref()))
            @if session.ended_at.is_some() { span { (view::clock(session.started_at.as_ref())) " – " (view::clock(session.ended_at.as_ref())) } }
            @if !provenance.git_branch.is_empty() { span { "on " (provenance.git_branch) } }
            button.quiet type="button" data-copy=(session.id) title="Copy the id" { (session.id.get(..8).unwrap_or(&session.id)) }
        }
    }
}

/// Shows what a session did as cards; none if nothing is known of it.
fn cards(session: &Session) -> Markup {
    let parts = |kind: &str| session.parts.iter().find(|part| part.kind == kind).map_or(&[][..], |part| &part.entries);
    let is_whole = session.goal.is_empty() || session.goal.trim() == session.title;
    let done = session.tasks.iter().filter(|task| task.status == "completed").count();
    html! {
        div.parts {
            @if !is_whole { section.card.wide-card { h2 { "Asked" } div.rendered { (markdown::text(&session.goal)) } } }
            @for said in parts("said").iter().filter(|said| said.text != session.title) {
                section.card.wide-card { h2 { "Said last" } div.rendered { (markdown::text(&said.text)) } }
            }
            @for (kind, heading) in CARDS {
                @let entries = parts(kind);
                @if !entries.is_empty() {
                    section.card {
                        h2 { (heading) @if entries.len() > 1 { " " span.count { (entries.len()) } } }
                        ul.entries.boxes[kind == "open"] { @for entry in entries.iter().take(SHOWN) { li { (line(entry)) } } }
                        @if entries.len() > SHOWN {
                            details { summary { (entries.len() - SHOWN) " more" } ul.entries { @for entry in &entries[SHOWN..] { li { (line(entry)) } } } }
                        }
                    }
                }
            }
            @if done > 0 {
                section.card {
                    h2 { "Tasks " span.count { (done) " of " (session.tasks.len()) " done" } }
                    ul.entries.boxes { @for task in &session.tasks { li.done[task.status == "completed"] { (inline(&task.text)) } } }
                }
            }
        }
    }
}

/// Shows one thing that a session did, with a link to the file or memory that it is about.
fn line(entry: &SessionEntry) -> Markup {
    let SessionEntry { text, item } = entry;
    if item.is_empty() {
        return inline(text);
    }
    let rest = text.replace(&format!("`{item}`"), "");
    let rest = rest.strip_prefix(item.as_str()).unwrap_or(&rest).trim();
    let is_memory = !text.starts_with('`');
    html! {
        @if is_memory {
            a href=(view::link_to("memory", &[("id", item)])) title=(item) { (inline(rest)) }
        } @else {
            a href=(view::link_to("doc", &[("id", item)])) { code { (item) } } " " span.dim { (rest) }
        }
    }
}

/// Shows a summary that says more than the cards: one that somebody wrote, or that came from another machine.
fn summary(session: &Session) -> Markup {
    let is_told = !session.parts.is_empty() && session.summary.starts_with(&format!("# {}", session.title));
    html! {
        @if !session.summary.trim().is_empty() && !is_told {
            section { h2 { "Summary" } div.boxed.rendered { (markdown::text(&session.summary)) } }
        }
    }
}

/// Shows the events, folded unless one leafs through them.
fn event_list(session: &Session, asked: &Asked, events: &ListEventsResponse) -> Markup {
    html! {
        @if events.events.is_empty() {
            p.dim { "No events of it are on this machine." }
        } @else {
            details open[!asked.cursor.is_empty()] {
                summary { "Events " span.count { (session.events) } span.utc { ", times in UTC" } }
                ol.events { @for (at, event) in events.events.iter().enumerate() { li { (event_line(event, at.checked_sub(1).map(|last| &events.events[last]))) } } }
                @if !events.next_cursor.is_empty() {
                    p.more { a rel="next" href=(view::link_to("session", &[("id", &session.id), ("cursor", &events.next_cursor)])) { "Later events" } }
                }
            }
        }
    }
}

/// Shows an event. A minute that the one before it has is not repeated, and the summary at the end is not shown again.
fn event_line(event: &SessionEvent, before: Option<&SessionEvent>) -> Markup {
    let minute = |event: &SessionEvent| event.timestamp.map(|time| time.seconds / 60);
    // The link says which file.
    let is_edit = event.related_files.iter().any(|file| event.content == format!("edited {file}"));
    let is_repeated = before.is_some_and(|before| minute(before) == minute(event));
    html! {
        span.clock { @if !is_repeated { (view::clock(event.timestamp.as_ref())) } }
        span.kind.warn[event.r#type == "error"] { @if is_edit { "edited" } @else { (verb(&event.r#type)) } }
        div {
            @if !event.content.is_empty() && event.r#type != "session_end" && !is_edit { p.prose { (inline(&event.content)) } }
            @if !event.rationale.is_empty() { p.prose.dim { "Because: " (inline(&event.rationale)) } }
            @if !event.resolution.is_empty() { p.prose.dim { "Resolved: " (inline(&event.resolution)) } }
            @if !event.to_agent.is_empty() { p.dim { (event.from_agent) " → " (event.to_agent) } }
            @if !event.related_files.is_empty() {
                p.facts { @for file in &event.related_files { a href=(view::link_to("doc", &[("id", file)])) { (file) } } }
            }
        }
    }
}

/// Returns what a type of event says that the session did.
fn verb(kind: &str) -> &str {
    match kind {
        "session_start" => "began",
        "session_end" => "ended",
        "decision" => "decided",
        "error" => "failed",
        "milestone" => "reached",
        "observation" => "noted",
        "agent_switch" => "handed over",
        "retrieval_query" => "searched",
        "retrieval_judgment" => "judged",
        other => other,
    }
}
