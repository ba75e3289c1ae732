//! Generated summaries of sessions that ended without one.

use std::fmt::Write as _;

use recall_core::{Memory, Session, SessionEvent, SessionEventType};
use recall_journal::Day;

use crate::git::Commit;
use crate::session_log::Story;
use crate::session_log::story::one_line;

/// The most entries of a section. The event file has the rest.
const ENTRIES: usize = 20;

/// The inputs of a summary.
pub(crate) struct Material<'a> {
    pub(crate) session: &'a Session,
    pub(crate) events: &'a [SessionEvent],
    /// The commits of its time, the earliest first.
    pub(crate) commits: Vec<Commit>,
    /// The memories that were added in it.
    pub(crate) memories: Vec<Memory>,
}

/// Generates a summary in Markdown; `None` if there is nothing to report. What was left open is a list of tasks.
pub(crate) fn summary_of(material: Material<'_>) -> Option<String> {
    let Material { session, events, commits, memories } = material;
    let story = Story::tell(events, commits, &memories);
    if story.is_empty() {
        return None;
    }
    let title = story.title().unwrap_or_else(|| title(session));
    let mut text = format!("# {title}\n");
    if let Some(said) = story.outcome().filter(|said| **said != title) {
        let _ = write!(text, "\n{said}\n");
    }
    for (heading, entries) in story.sections() {
        section(&mut text, heading, &entries);
    }
    let open: Vec<String> = story.open().iter().map(|item| format!("[ ] {item}")).collect();
    section(&mut text, "Left open", &open);
    Some(text)
}

/// Returns the title of a session: its name, else its day and branch.
pub(crate) fn title(session: &Session) -> String {
    match (&session.title, &session.goal, &session.provenance.branch) {
        (Some(title), ..) => title.clone(),
        (None, Some(goal), _) => one_line(goal),
        (None, None, Some(branch)) => {
            format!("Session of {} on {}", Day::from_timestamp(session.started), one_line(branch))
        }
        (None, None, None) => format!("Session of {}", Day::from_timestamp(session.started)),
    }
}

fn section(text: &mut String, heading: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {heading}\n\n");
    for entry in entries.iter().take(ENTRIES) {
        let _ = writeln!(text, "- {entry}");
    }
    if let Some(more) = entries.len().checked_sub(ENTRIES).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {more} more");
    }
}

/// Returns whether an event reports work, not only a search or the session's boundaries.
pub(super) fn tells_something(event: &SessionEvent) -> bool {
    use SessionEventType::{AgentSwitch, Decision, Error, Milestone, Observation};
    matches!(event.details.event_type, Decision | Error | Milestone | AgentSwitch | Observation)
}
