//! Text output of sessions, their events and briefings.

use std::fmt::Write as _;

use anstyle::Style;
use recall_api::v1::{self, SessionState};
use recall_core::TaskState;

use super::markdown;
use super::memory::format_add;
use super::quantity::{count, count_noun};
use super::style::{DIM, GOOD, NOTE, PATH, WARNING};
use super::table::{Align, Column, render as table};
use super::text::{moment, printable};
use crate::output::format::Screen;

/// Formats an event that was recorded.
pub(crate) fn format_log(answer: &v1::LogEventResponse) -> String {
    format!("{GOOD}logged{GOOD:#} {DIM}{}{DIM:#}\n", printable(&answer.event_id))
}

/// Formats a started session: its id alone on a line.
pub(crate) fn format_start(answer: &v1::StartSessionResponse) -> String {
    format!("{}\n", printable(&answer.session_id))
}

/// Formats an ended session.
pub(crate) fn format_end(answer: &v1::EndSessionResponse) -> String {
    let v1::EndSessionResponse { session_id, summary_path, memories, warnings: _, summary_shared } = answer;
    let mut text = format!("{GOOD}ended{GOOD:#} {}", printable(session_id));
    if summary_path.is_empty() {
        text.push_str("; nothing was written down\n");
    } else if !summary_shared {
        let id = printable(session_id);
        let _ = writeln!(text, "; its summary stays private {DIM}(`recall session keep {id}` shares it){DIM:#}");
    } else {
        let _ = writeln!(text, "; summary {PATH}{}{PATH:#}", printable(summary_path));
    }
    for memory in memories {
        text.push_str(&format_add(memory));
    }
    text
}

/// Formats a session whose summary is in the project.
pub(crate) fn format_keep(answer: &v1::KeepSessionResponse) -> String {
    let v1::KeepSessionResponse { session_id, summary_path, warnings: _ } = answer;
    format!("{GOOD}kept{GOOD:#} {}: {PATH}{}{PATH:#}\n", printable(session_id), printable(summary_path))
}

/// The most characters of an id that is shown whole, such as `2026-11-02-38c4b499`.
const WHOLE_CHARS: usize = 20;

/// The fewest characters of a longer id that a table shows: the first two groups of a UUID, which in version 7 are the time in
/// milliseconds. Other sessions of the project, which the table may not have, hardly begin with them.
const SHOWN_CHARS: usize = 13;

/// Returns the id and the title of a session on one line.
pub(crate) fn name_of(session: &v1::Session) -> String {
    let title = session.title.lines().next().unwrap_or_default();
    format!("{} {}", printable(&session.id), printable(title)).trim_end().to_owned()
}

/// Returns the beginning of an id that no other of the sessions has, for a person to type.
fn short_id(id: &str, sessions: &[v1::Session]) -> String {
    if id.chars().nth(WHOLE_CHARS).is_none() {
        return id.to_owned();
    }
    let is_unique = |beginning: &str| !sessions.iter().any(|other| other.id != id && other.id.starts_with(beginning));
    let ends = id.char_indices().map(|(at, _)| at).skip(SHOWN_CHARS);
    let beginning = ends.map(|end| &id[..end]).find(|beginning| is_unique(beginning));
    beginning.unwrap_or(id).to_owned()
}

/// Formats sessions as a table. Their ids are abbreviated.
pub(crate) fn table_of(sessions: &[v1::Session], screen: Screen) -> String {
    let column = |heading, align, style| Column { heading, align, style };
    let layout = [
        column("BEGAN", Align::Left, DIM),
        column("STATE", Align::Left, Style::new()),
        column("EVENTS", Align::Right, Style::new()),
        column("TASKS", Align::Right, Style::new()),
        column("BRANCH", Align::Left, DIM),
        column("SESSION", Align::Left, PATH),
        column("TITLE", Align::Left, Style::new()),
    ];
    let rows: Vec<_> = sessions.iter().map(|session| row(session, sessions, screen)).collect();
    table(&layout, &rows, screen.width)
}

fn row(session: &v1::Session, sessions: &[v1::Session], screen: Screen) -> [String; 7] {
    let provenance = session.provenance.clone().unwrap_or_default();
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    [
        session.started_at.as_ref().map(|time| moment(time, screen.now)).unwrap_or_default(),
        state(session.state()).to_owned(),
        count(session.events),
        tasks_of(session),
        printable(&provenance.git_branch).into_owned(),
        printable(&short_id(&session.id, sessions)).into_owned(),
        printable(&first_line(&session.title)).into_owned(),
    ]
}

/// Returns how many tasks of a session are done: `2/5`; empty if it has none.
fn tasks_of(session: &v1::Session) -> String {
    let done = session.tasks.iter().filter(|task| is_done(task)).count();
    if session.tasks.is_empty() { String::new() } else { format!("{done}/{}", session.tasks.len()) }
}

fn is_done(task: &v1::SessionTask) -> bool {
    task.status == TaskState::Completed.as_str()
}

fn state(state: SessionState) -> &'static str {
    match state {
        SessionState::Ended => "ended",
        SessionState::Abandoned => "abandoned",
        SessionState::Open | SessionState::Unspecified => "open",
    }
}

/// Formats a session and its events.
pub(crate) fn format_session(session: &v1::Session, events: &[v1::SessionEvent], screen: Screen) -> String {
    let provenance = session.provenance.clone().unwrap_or_default();
    let mut text = format!("{PATH}{}{PATH:#} {}", printable(&session.id), state(session.state()));
    let began = session.started_at.as_ref().map(|time| moment(time, screen.now)).unwrap_or_default();
    for fact in [began.as_str(), &session.agent, &provenance.git_branch, &count_noun(session.events, "event", "events")]
    {
        if !fact.is_empty() {
            let _ = write!(text, " {DIM}· {}{DIM:#}", printable(fact));
        }
    }
    text.push('\n');
    if !session.goal.is_empty() {
        let _ = writeln!(text, "{NOTE}goal{NOTE:#}: {}", printable(&session.goal));
    }
    if session.title != session.goal && !session.title.is_empty() {
        let _ = writeln!(text, "{NOTE}title{NOTE:#}: {}", printable(&session.title));
    }
    for task in &session.tasks {
        let mark = if is_done(task) { 'x' } else { ' ' };
        let _ = writeln!(text, "  [{mark}] {}", printable(&task.text));
    }
    if !session.memories.is_empty() {
        let _ = writeln!(text, "{NOTE}memories{NOTE:#}: {}", session.memories.join(", "));
    }
    for event in events {
        text.push_str(&line(event));
    }
    if !session.summary.is_empty() {
        text.push('\n');
        for line in session.summary.lines() {
            let _ = writeln!(text, "{}", printable(line));
        }
    }
    text
}

fn line(event: &v1::SessionEvent) -> String {
    let style = if event.r#type == "error" { WARNING } else { NOTE };
    // The times of events are compared with one another and with logs.
    let at = event.timestamp.as_ref().map(|time| moment(time, None)).unwrap_or_default();
    let mut text = format!("\n{DIM}{at}{DIM:#} {style}{}{style:#}", printable(&event.r#type));
    for line in event.content.lines() {
        let _ = write!(text, "\n  {}", printable(line));
    }
    for (name, value) in [("why", &event.rationale), ("resolved", &event.resolution)] {
        if !value.is_empty() {
            let _ = write!(text, "\n  {DIM}{name}: {}{DIM:#}", printable(&value.replace('\n', " ")));
        }
    }
    if !event.from_agent.is_empty() || !event.to_agent.is_empty() {
        let _ = write!(text, "\n  {} → {}", printable(&event.from_agent), printable(&event.to_agent));
    }
    if !event.related_files.is_empty() {
        let _ = write!(text, "\n  {PATH}{}{PATH:#}", printable(&event.related_files.join(", ")));
    }
    text.push('\n');
    text
}

/// Formats a briefing: rendered for a terminal, else as a model receives it.
pub(crate) fn briefing(answer: &v1::BriefingResponse, width: Option<usize>) -> String {
    if let Some(width) = width {
        return markdown::render(&answer.text, width);
    }
    let mut text = String::new();
    for line in answer.text.lines() {
        let line = printable(line);
        if line.starts_with('#') {
            let _ = writeln!(text, "{NOTE}{line}{NOTE:#}");
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_abbreviated_as_far_as_it_stays_unique() {
        let session = |id: &str| v1::Session { id: id.to_owned(), ..v1::Session::default() };
        let sessions = [
            "019ac4b4-99aa-7b01-8001-000000000001",
            "019ac4b4-99aa-7c02-8001-000000000002",
            "06f251a7-c930-4b01-8001-000000000003",
            "2026-11-02-38c4b499",
            "s1",
        ]
        .map(session);
        let shown: Vec<String> = sessions.iter().map(|one| short_id(&one.id, &sessions)).collect();
        let expected = ["019ac4b4-99aa-7b", "019ac4b4-99aa-7c", "06f251a7-c930", "2026-11-02-38c4b499", "s1"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_session_is_shown_with_its_events() {
        let session = v1::Session {
            id: "s1".to_owned(),
            state: SessionState::Abandoned.into(),
            goal: "Mend the lock".to_owned(),
            events: 1,
            ..v1::Session::default()
        };
        let event = v1::SessionEvent {
            r#type: "error".to_owned(),
            content: "It hung.\u{1b}[2J".to_owned(),
            resolution: "A timeout.".to_owned(),
            related_files: vec!["src/a.rs".to_owned()],
            ..v1::SessionEvent::default()
        };
        let text = anstream::adapter::strip_str(&format_session(&session, &[event], Screen::default())).to_string();
        assert_eq!(
            text,
            "s1 abandoned · 1 event\ngoal: Mend the lock\n\n error\n  It hung.\n  resolved: A timeout.\n  src/a.rs\n"
        );
    }
}
