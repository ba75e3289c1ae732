//! Sessions: the list, one as a timeline, and the briefing of the next one.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{
    BriefingRequest, ListEventsRequest, ListSessionsRequest, LiveSession, SessionState, StatusRequest,
};
use recall_text::quantity::count_noun;
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::answer::{self, Shown};
use crate::view::{self, Tab};

/// The sessions or events of a page. The service accepts 100.
const PAGE: u32 = 100;

/// The parameters of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    id: String,
    cursor: String,
}

pub(super) async fn list(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id: _, cursor }) = asked;
    let context = Some(project.subject.context.clone());
    let request = ListSessionsRequest { context, limit: Some(PAGE), cursor, ..ListSessionsRequest::default() };
    let answer = match site.rpc.list_sessions(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let context = Some(project.subject.context.clone());
    let request = StatusRequest { context, sessions: true, ..StatusRequest::default() };
    let at_work = match site.rpc.status(request).await {
        Ok(status) => status.into_inner().sessions,
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Sessions" }
        p.summary { a href="briefing" { "What an agent reads when its session starts" } }
        @if !at_work.is_empty() {
            h2 { "At work now, in all projects" }
            ul.timeline { @for session in &at_work { li { (who_works_where(session)) } } }
            h2 { "All sessions of this project" }
        }
        @if answer.sessions.is_empty() { p.empty { "No session was recorded yet." } }
        ol.timeline {
            @for session in &answer.sessions {
                li data-item="" {
                    div.head {
                        a.title href=(view::link_to("session", &[("id", &session.id)])) data-open="" {
                            @if session.title.is_empty() { (session.id) } @else { (session.title) }
                        }
                        span.labels {
                            @if !session.agent.is_empty() { span.label { (session.agent) } }
                            @match session.state() {
                                SessionState::Open => span.label { "open" },
                                SessionState::Abandoned => span.label.warn { "abandoned" },
                                SessionState::Ended | SessionState::Unspecified => {},
                            }
                        }
                    }
                    p.facts {
                        (view::time(session.started_at.as_ref()))
                        span { (count_noun(session.events, "event", "events")) }
                        @if !session.memories.is_empty() { span { (count_noun(session.memories.len() as u64, "memory", "memories")) } }
                    }
                    @if !session.summary.is_empty() { p.prose.short { (session.summary) } }
                }
            }
        }
        @if !answer.next_cursor.is_empty() { p.more { a rel="next" href=(view::link_to("sessions", &[("cursor", &answer.next_cursor)])) { "Earlier sessions" } } }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Sessions, "Sessions", &shown))
}

/// Formats a session that is at work: the agent and its goal, then where, when and on which files.
fn who_works_where(session: &LiveSession) -> Markup {
    let agent = if session.agent.is_empty() { "a person" } else { &session.agent };
    html! {
        div.head {
            span.title { @if session.goal.is_empty() { (session.id) } @else { (session.goal) } }
            span.labels { span.label { (agent) } }
        }
        p.facts {
            (view::time(session.last_at.as_ref()))
            code { (session.work_tree) }
            @if !session.branch.is_empty() { span { "on " (session.branch) } }
        }
        @if !session.files.is_empty() { p.facts { "edits " @for file in &session.files { code { (file) } " " } } }
    }
}

pub(super) async fn one(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id, cursor }) = asked;
    let context = Some(project.subject.context.clone());
    let request = ListEventsRequest { context, session_id: id.clone(), limit: Some(PAGE), cursor, types: Vec::new() };
    let answer = match site.rpc.list_events(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Session " (id) }
        p.summary { a href="sessions" { "All sessions" } }
        ol.timeline {
            @for event in &answer.events {
                li data-item="" {
                    div.head { span.label.warn[event.r#type == "error"] { (event.r#type.replace('_', " ")) } (view::time(event.timestamp.as_ref())) }
                    @if !event.content.is_empty() { p.prose { (event.content) } }
                    @if !event.rationale.is_empty() { p.prose.dim { "Because: " (event.rationale) } }
                    @if !event.resolution.is_empty() { p.prose.dim { "Resolved: " (event.resolution) } }
                    @if !event.to_agent.is_empty() { p.dim { (event.from_agent) " → " (event.to_agent) } }
                    @if !event.related_files.is_empty() {
                        p.facts { @for file in &event.related_files { a href=(view::link_to("doc", &[("id", file)])) { (file) } } }
                    }
                }
            }
        }
        @if !answer.next_cursor.is_empty() {
            p.more { a rel="next" href=(view::link_to("session", &[("id", &id), ("cursor", &answer.next_cursor)])) { "Later events" } }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Sessions, &id, &shown))
}

pub(super) async fn briefing(Extension(project): Here, State(mut site): State<Site>) -> Response {
    let request = BriefingRequest { context: Some(project.subject.context.clone()), ..BriefingRequest::default() };
    let answer = match site.rpc.briefing(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Briefing" }
        p.summary { "What an agent reads when its session starts: " (count_noun(answer.used_tokens.into(), "token", "tokens")) }
        @if answer.text.trim().is_empty() { p.empty { "There is nothing to say yet." } } @else { div.prose.boxed { (answer.text) } }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Sessions, "Briefing", &shown))
}
