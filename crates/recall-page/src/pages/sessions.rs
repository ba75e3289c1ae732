//! Sessions: the list by day, and the briefing of the next one.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{BriefingRequest, ListSessionsRequest, LiveSession, Session, SessionState, StatusRequest};
use recall_text::quantity::count_noun;
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::answer::{self, Shown};
use crate::view::memory::{inline, shorten};
use crate::view::{self, Tab, markdown};

/// The sessions of a page: those of about a week.
const PAGE: u32 = 40;

/// The most characters of what the agent said last.
const SAID_CHARS: usize = 200;

/// The parameters of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    cursor: String,
}

pub(super) async fn list(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { cursor }) = asked;
    let is_first = cursor.is_empty();
    let context = || Some(project.subject.context.clone());
    let request = ListSessionsRequest {
        context: context(),
        limit: Some(PAGE),
        cursor,
        with_parts: true,
        ..ListSessionsRequest::default()
    };
    let answer = match site.rpc.list_sessions(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let request = StatusRequest { context: context(), sessions: true, ..StatusRequest::default() };
    let at_work = match site.rpc.status(request).await {
        Ok(status) if is_first => status.into_inner().sessions,
        Ok(_) => Vec::new(),
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Sessions" }
        p.summary { a href="briefing" { "What an agent reads when its session starts" } }
        @if !at_work.is_empty() {
            h2 { "At work now, in all projects" }
            ul.parts.at-work { @for session in &at_work { li.card { (who_works_where(session, &answer.sessions)) } } }
        }
        @if answer.sessions.is_empty() { p.empty { "No session was recorded yet. " code { "recall mcp install --hooks" } " lets agents record theirs." } }
        @for (day, sessions) in by_day(&answer.sessions) { (day_section(&day, &sessions)) }
        @if !answer.next_cursor.is_empty() { p.more { a rel="next" href=(view::link_to("sessions", &[("cursor", &answer.next_cursor)])) { "Earlier sessions" } } }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Sessions, "Sessions", &shown))
}

/// Returns the sessions by the day of their start, in UTC, in their order.
fn by_day(sessions: &[Session]) -> Vec<(String, Vec<&Session>)> {
    let mut days: Vec<(String, Vec<&Session>)> = Vec::new();
    for session in sessions {
        let day = view::day(session.started_at.as_ref());
        match days.last_mut() {
            Some((known, of_day)) if *known == day => of_day.push(session),
            _ => days.push((day, vec![session])),
        }
    }
    days
}

/// Shows a day: what was done, the latest first, and below it the sessions that did nothing.
fn day_section(day: &str, sessions: &[&Session]) -> Markup {
    let (idle, busy): (Vec<_>, Vec<_>) = sessions.iter().partition(|session| session.title.is_empty());
    html! {
        section.day {
            h2 { time datetime=(day) data-day="" { (day) } span.utc { ", times in UTC" } }
            ol { @for session in busy { li data-item="" { (row(session)) } } }
            @if !idle.is_empty() {
                details {
                    summary { (count_noun(idle.len() as u64, "session", "sessions")) " in which nothing was recorded" }
                    ol { @for session in idle { li { (row(session)) } } }
                }
            }
        }
    }
}

fn row(session: &Session) -> Markup {
    let said = entries(session, "said").first().copied().map(|said| shorten(said, SAID_CHARS)).unwrap_or_default();
    html! {
        div.clock {
            (view::clock(session.started_at.as_ref()))
            @if session.ended_at.is_some() { " – " (view::clock(session.ended_at.as_ref())) }
        }
        div {
            div.head {
                a.title href=(view::link_to("session", &[("id", &session.id)])) data-open="" { (name(session)) }
                (state_label(session))
            }
            @if !said.is_empty() && said != session.title { p.said { (inline(&said)) } }
            p.facts {
                @if !session.agent.is_empty() { span { (session.agent) } }
                @for count in counts(session) { span { (count) } }
            }
        }
    }
}

/// Shows the name of a session, never its id.
pub(super) fn name(session: &Session) -> Markup {
    let line = shorten(&session.title, SAID_CHARS);
    html! { @if line.is_empty() { "Nothing was recorded" } @else { (inline(&line)) } }
}

/// Shows a state that is not the usual one.
pub(super) fn state_label(session: &Session) -> Markup {
    html! {
        @match session.state() {
            SessionState::Open => span.labels { span.label { "at work" } },
            SessionState::Abandoned => span.labels { span.label.warn { "broken off" } },
            SessionState::Ended | SessionState::Unspecified => {},
        }
    }
}

/// Returns the texts of a part of what a session did.
fn entries<'s>(session: &'s Session, kind: &str) -> Vec<&'s str> {
    let of_kind = session.parts.iter().filter(|part| part.kind == kind);
    of_kind.flat_map(|part| part.entries.iter().map(|entry| entry.text.as_str())).collect()
}

/// Says how much a session did, without what it did not.
fn counts(session: &Session) -> Vec<String> {
    let kinds = [
        ("changed", "file changed", "files changed"),
        ("commits", "commit", "commits"),
        ("decided", "decision", "decisions"),
        ("failed", "failure", "failures"),
        ("open", "left open", "left open"),
    ];
    let counted = kinds.map(|(kind, one, many)| (entries(session, kind).len() as u64, one, many));
    counted
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| count_noun(number, one, many))
        .collect()
}

/// Shows a session that is at work: the agent and its goal, then where, when and on which files. Those of this project have a link.
fn who_works_where(session: &LiveSession, here: &[Session]) -> Markup {
    let agent = if session.agent.is_empty() { "a person" } else { &session.agent };
    let goal = if session.goal.is_empty() { "No goal was stated" } else { &session.goal };
    let goal = inline(&shorten(goal, SAID_CHARS));
    html! {
        h2 {
            @if here.iter().any(|known| known.id == session.id) {
                a href=(view::link_to("session", &[("id", &session.id)])) { (goal) }
            } @else { (goal) }
        }
        p.facts {
            span { (agent) }
            (view::time(session.last_at.as_ref()))
            code { (session.work_tree) }
            @if !session.branch.is_empty() { span { "on " (session.branch) } }
        }
        @if !session.files.is_empty() { p.facts { "edits " @for file in &session.files { code { (file) } " " } } }
    }
}

pub(super) async fn briefing(Extension(project): Here, State(mut site): State<Site>) -> Response {
    let request = BriefingRequest { context: Some(project.subject.context.clone()), ..BriefingRequest::default() };
    let answer = match site.rpc.briefing(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Sessions, &Shown::from(status)),
    };
    let shown = html! {
        h1 { "Briefing" }
        p.summary { "What an agent reads when its session starts: " (count_noun(answer.used_tokens.into(), "token", "tokens")) "." }
        @for warning in &answer.warnings { p.note { (warning.message) } }
        @if answer.text.trim().is_empty() {
            p.empty { "There is nothing to say yet." }
        } @else {
            div.boxed.rendered { (markdown::text(&answer.text)) }
            details { summary { "As text" } pre.source tabindex="0" { (answer.text) } }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Sessions, "Briefing", &shown))
}
