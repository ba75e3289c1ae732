//! Generated summaries of sessions that ended without one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{Memory, Session, SessionEvent, SessionEventType};
use recall_journal::Day;

use crate::git::Commit;

/// The most entries of a section. The event file has the rest.
const ENTRIES: usize = 20;

/// The greatest length of an entry, in characters: two or three lines.
const ENTRY_CHARS: usize = 300;

/// The inputs of a summary.
pub(crate) struct Material<'a> {
    pub(crate) session: &'a Session,
    pub(crate) events: &'a [SessionEvent],
    /// The commits of its time, the earliest first.
    pub(crate) commits: Vec<Commit>,
    /// The memories that were added in it.
    pub(crate) memories: Vec<Memory>,
}

/// Generates a summary in Markdown; `None` if there is nothing to report.
pub(crate) fn summary_of(material: &Material<'_>) -> Option<String> {
    let Material { session, events, commits, memories } = material;
    if !events.iter().any(tells_something) && commits.is_empty() && memories.is_empty() {
        return None;
    }
    let mut text = format!("# {}\n\nPut together from the session's events and from git.\n", title(session));
    let of_type = |wanted| events.iter().filter(move |event| event.details.event_type == wanted);
    let plain = |event: &SessionEvent| one_line(&event.details.content);
    let decision = |event: &SessionEvent| match &event.details.rationale {
        Some(why) => format!("{} Why: {}", plain(event), one_line(why)),
        None => plain(event),
    };
    let error = |event: &SessionEvent| match &event.details.resolution {
        Some(how) => format!("{} Resolved: {}", plain(event), one_line(how)),
        None => format!("{} Not resolved.", plain(event)),
    };
    let switch = |event: &SessionEvent| {
        let name = |name: &Option<String>| name.as_deref().map_or_else(|| "?".to_owned(), one_line);
        format!("{} → {}: {}", name(&event.details.from_agent), name(&event.details.to_agent), plain(event))
    };
    section(&mut text, "Decisions", of_type(SessionEventType::Decision).map(decision));
    section(&mut text, "Milestones", of_type(SessionEventType::Milestone).map(plain));
    section(&mut text, "Errors", of_type(SessionEventType::Error).map(error));
    section(&mut text, "Observations", of_type(SessionEventType::Observation).map(plain));
    section(&mut text, "Agents", of_type(SessionEventType::AgentSwitch).map(switch));
    section(&mut text, "Commits", commits.iter().map(|commit| format!("{} {}", commit.id, one_line(&commit.subject))));
    section(&mut text, "Memories", memories.iter().map(|memory| format!("{} {}", memory.id, one_line(&memory.title))));
    let files: BTreeSet<&str> =
        events.iter().flat_map(|event| &event.details.related_files).map(recall_core::DocPath::as_str).collect();
    section(&mut text, "Files", files.into_iter().map(|path| format!("`{path}`")));
    let searches = of_type(SessionEventType::RetrievalQuery).count();
    if searches > 0 {
        let _ = write!(text, "\nSearches: {searches}.\n");
    }
    Some(text)
}

/// Generates a summary from the events alone.
pub(crate) fn without_commits(session: &Session, events: &[SessionEvent]) -> Option<String> {
    summary_of(&Material { session, events, commits: Vec::new(), memories: Vec::new() })
}

/// Returns the title of a session: its goal, else its day and branch.
pub(crate) fn title(session: &Session) -> String {
    match (&session.goal, &session.provenance.branch) {
        (Some(goal), _) => one_line(goal),
        (None, Some(branch)) => format!("Session of {} on {}", Day::of(session.started), one_line(branch)),
        (None, None) => format!("Session of {}", Day::of(session.started)),
    }
}

fn section(text: &mut String, heading: &str, entries: impl Iterator<Item = String>) {
    let entries: Vec<String> = entries.collect();
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

/// Joins a text to one line of at most [`ENTRY_CHARS`] characters.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(ENTRY_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Returns whether an event reports work, not only a search or the session's boundaries.
pub(super) fn tells_something(event: &SessionEvent) -> bool {
    use SessionEventType::{AgentSwitch, Decision, Error, Milestone, Observation};
    matches!(event.details.event_type, Decision | Error | Milestone | AgentSwitch | Observation)
}
