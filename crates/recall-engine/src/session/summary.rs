//! What came of a session of which nobody told it?

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{Memory, Session, SessionEvent, SessionEventType};
use recall_journal::Day;

use crate::git::Commit;

/// How many entries a section has at most: more are a log, which there is already.
const ENTRIES: usize = 20;

/// How long an entry is at most, in characters: two lines or three.
const ENTRY_CHARS: usize = 300;

/// What is known of a session.
pub(super) struct Material<'a> {
    pub(super) session: &'a Session,
    pub(super) events: &'a [SessionEvent],
    /// Those of its time, the earliest first.
    pub(super) commits: Vec<Commit>,
    /// Those that were added in it.
    pub(super) memories: Vec<Memory>,
}

/// Puts a summary together, in Markdown; `None` where nothing is worth one.
pub(super) fn summary_of(material: &Material<'_>) -> Option<String> {
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

/// The same of a session's events alone.
pub(crate) fn without_commits(session: &Session, events: &[SessionEvent]) -> Option<String> {
    summary_of(&Material { session, events, commits: Vec::new(), memories: Vec::new() })
}

/// What a session is called: by its goal, else by its day and branch.
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

/// A text on one line, cut where an entry ends at the latest.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(ENTRY_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Whether an event tells something that happened, and not only what was looked for.
pub(super) fn tells_something(event: &SessionEvent) -> bool {
    use SessionEventType::{AgentSwitch, Decision, Error, Milestone, Observation};
    matches!(event.details.event_type, Decision | Error | Milestone | AgentSwitch | Observation)
}
