//! Summaries of sessions: generated ones, the files of them, and how much a session did, which decides whether there is
//! one.
//!
//! Each is a Markdown file in `.recall/history/`: in the folder of the store, where it is private, or in the project, where it is
//! committed. Its front matter names the session, its times, its agent and its checkout.

use std::fmt::Write as _;
use std::path::Path;

use recall_core::{
    Memory, Provenance, Session, SessionEvent, SessionEventType, SessionPartKind, SessionShare, SessionState,
};
use recall_journal::{Day, moment_of, rfc_3339};
use recall_os::{Folder, OpenError, write_git_files};
use recall_text::DocPath;

use crate::git::Commit;
use crate::session_log::story::one_line;
use crate::session_log::{SessionError, SessionFold, Story, folder_name_of};
use crate::store::{SUMMARIES, Store};

/// Where the summary of a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// In the data home.
    Private,
    /// In the project's `.recall/history/`, to be committed.
    Shared,
}

/// The most summaries that are read, the latest by name: one session a working day for four years.
const MOST_SUMMARIES: usize = 1000;

/// The most bytes that are read of a summary.
const READ_BYTES: u64 = 64 * 1024;

/// Returns the file name of a summary: the day and the id. The day is not repeated if the id begins with it, as generated ids
/// do.
fn file_name(day: &str, id: &str) -> String {
    let name = folder_name_of(id);
    if name.starts_with(day) { format!("{name}.md") } else { format!("{day}-{name}.md") }
}

/// Writes the summary of a session. An existing one is replaced atomically. One that is in the project stays there.
pub(crate) fn write(
    store: &Store,
    session: &Session,
    summary: &str,
    keeping: Keeping,
) -> Result<(DocPath, Keeping), SessionError> {
    let name = name_in_use(store, session);
    let keeping = if has_summary(&store.root, &name) { Keeping::Shared } else { keeping };
    let private = &store.folder.path;
    let root = match keeping {
        Keeping::Private => private,
        Keeping::Shared => {
            // Write the git files first, so that git never sees a file that it should ignore.
            write_git_files(&store.root).map_err(SessionError::Folder)?;
            &store.root
        }
    };
    let folder = Folder::open(root).and_then(|root| root.make_folder(SUMMARIES)).map_err(SessionError::Folder)?;
    let failed = |source| SessionError::Summary { path: folder.path().join(&name), source };
    folder.replace(&name, text_of(session, summary).as_bytes()).map_err(failed)?;
    // The private file is removed last: for a moment there are two, never none.
    if keeping == Keeping::Shared {
        match Folder::open(private).and_then(|root| root.folder(SUMMARIES)).and_then(|folder| folder.remove(&name)) {
            Ok(()) | Err(OpenError::Missing { .. }) => {}
            Err(source) => return Err(SessionError::Summary { path: private.join(SUMMARIES).join(&name), source }),
        }
    }
    let path = DocPath::new(&format!("{SUMMARIES}/{name}")).expect("a day and a plain name are a plain path");
    Ok((path, keeping))
}

/// Returns the name of a session's summary: the one that it has, or the one to give it.
fn name_in_use(store: &Store, session: &Session) -> String {
    let known = session.summary_path.as_ref().and_then(|path| path.as_str().strip_prefix(SUMMARIES)?.strip_prefix('/'));
    let is_there = |name: &&str| [&store.root, &store.folder.path].iter().any(|root| has_summary(root, name));
    match known.filter(is_there) {
        Some(known) => known.to_owned(),
        None => file_name(&Day::from_timestamp(session.started).to_string(), &session.id),
    }
}

fn has_summary(root: &Path, name: &str) -> bool {
    Folder::open(root).and_then(|root| root.folder(SUMMARIES)).is_ok_and(|folder| folder.has_file(name))
}

fn text_of(session: &Session, summary: &str) -> String {
    let Provenance { agent, mode, branch, commit, .. } = &session.provenance;
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            let _ = writeln!(text, "{name}: {}", quote(value));
        }
    };
    field("session", Some(&session.id));
    field("started", Some(&rfc_3339(session.started)));
    field("ended", session.ended.map(rfc_3339).as_deref());
    field("agent", agent.as_deref());
    field("mode", mode.as_deref());
    field("branch", branch.as_deref());
    field("commit", commit.as_deref());
    field("goal", session.goal.as_deref());
    text.push_str("---\n\n");
    if !summary.trim_start().starts_with('#') {
        let _ = write!(text, "# {}\n\n", title(session));
    }
    text.push_str(summary.trim());
    text.push('\n');
    text
}

/// Quotes a text in a form that is valid YAML and JSON.
fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

/// Returns the sessions that have a summary file below a folder. Other files are skipped.
pub(super) fn all(root: &Path) -> Vec<SessionFold> {
    let Ok(folder) = Folder::open(root).and_then(|root| root.folder(SUMMARIES)) else { return Vec::new() };
    let names = folder.names().unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md")).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.truncate(MOST_SUMMARIES);
    names.iter().filter_map(|name| read(&folder, name)).map(SessionFold::from_summary).collect()
}

fn read(folder: &Folder, name: &str) -> Option<Session> {
    let path = DocPath::new(&format!("{SUMMARIES}/{name}")).ok()?;
    let bytes = folder.read(name, READ_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (front, body) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    let field = |name: &str| {
        let value = front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?.trim();
        Some(serde_json::from_str(value).unwrap_or_else(|_| value.to_owned()))
            .filter(|value: &String| !value.is_empty())
    };
    let id = field("session")?;
    let started = moment_of(&field("started")?)?;
    let ended = field("ended").and_then(|ended| moment_of(&ended)).unwrap_or(started);
    Some(Session {
        provenance: Provenance {
            session: Some(id.clone()),
            agent: field("agent"),
            mode: field("mode"),
            branch: field("branch"),
            commit: field("commit"),
            ..Provenance::default()
        },
        id,
        state: SessionState::Ended,
        started,
        ended: Some(ended),
        last: ended,
        goal: field("goal"),
        title: field("goal").or_else(|| title_in(body)),
        tasks: Vec::new(),
        summary: Some(body.trim().to_owned()).filter(|body| !body.is_empty()),
        summary_path: Some(path),
        events: 0,
        memories: Vec::new(),
        parts: Vec::new(),
    })
}

/// Returns the first heading of a summary, unless it is one that says nothing.
fn title_in(summary: &str) -> Option<String> {
    let heading = summary.trim_start().lines().next()?.strip_prefix("# ")?.trim();
    (!heading.is_empty() && !heading.starts_with("Session of ")).then(|| heading.to_owned())
}

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
    for part in story.sections() {
        let entries: Vec<String> = part.entries.into_iter().map(|entry| entry.text).collect();
        section(&mut text, part.kind.heading(), &entries);
    }
    let open: Vec<String> = story.open().iter().map(|item| format!("[ ] {item}")).collect();
    section(&mut text, SessionPartKind::Open.heading(), &open);
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

/// How much a session did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Substance {
    /// At most it searched. What it did is nobody else's concern, and never becomes a file.
    Trivial,
    /// It recorded work, or somebody wrote its summary.
    Work,
    /// It decided something, or added a memory.
    Decision,
}

impl Substance {
    /// Judges a session by its events, the number of memories that were added in it, and its written summary.
    pub(super) fn judge(events: &[SessionEvent], memories: usize, summary: Option<&str>) -> Self {
        let decides = |event: &SessionEvent| event.details.event_type == SessionEventType::Decision;
        if memories > 0 || events.iter().any(decides) {
            Self::Decision
        } else if summary.is_some() || events.iter().any(tells_something) {
            Self::Work
        } else {
            Self::Trivial
        }
    }

    /// Returns where the summary belongs if nobody asked for it.
    pub(super) fn keeping(self, share: SessionShare) -> Keeping {
        let least = match share {
            SessionShare::Never => return Keeping::Private,
            SessionShare::Decisions => Self::Decision,
            SessionShare::All => Self::Work,
        };
        if self >= least { Keeping::Shared } else { Keeping::Private }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_named_by_its_day_once() {
        assert_eq!(file_name("2026-11-22", "2026-11-22-9a526112"), "2026-11-22-9a526112.md");
        assert_eq!(file_name("2026-11-22", "c-7"), "2026-11-22-c-7.md");
    }

    #[test]
    fn a_setting_shares_what_has_enough_substance() {
        use super::Keeping::{Private, Shared};
        use SessionShare::{All, Decisions, Never};
        for (share, expected) in [
            (Never, [Private, Private, Private]),
            (Decisions, [Private, Private, Shared]),
            (All, [Private, Shared, Shared]),
        ] {
            let of_each = [Substance::Trivial, Substance::Work, Substance::Decision].map(|one| one.keeping(share));
            assert_eq!(of_each, expected, "{share:?}");
        }
    }
}
