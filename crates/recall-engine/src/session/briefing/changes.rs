//! The briefing's sections of earlier sessions and their open tasks, of changes, and of memories that may no longer hold.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{
    Memory, MemoryView, MetadataValue, Scope, Session, SessionEvent, SessionEventType, SessionState, Timestamp,
};
use recall_journal::Day;

use crate::adopted::doubts_soon;
use crate::doubt::Doubt;
use crate::git::Git;
use crate::indexing::put_back_since;
use crate::mask::Masking;
use crate::memory::about::state_of;
use crate::session::briefing::Scene;
use crate::session::briefing::pack::{Entry, cut};
use crate::session::since::{ChangedMemory, find, last_session};
use crate::session::title_of;
use crate::session_log::{GENERATED, SessionError, Story};
use recall_text::quote::{QUOTE_CHARS, inline, quote};
use recall_text::tokens::estimate;
use recall_text::{DocPath, boxes};

/// The most files, commits and memories that are listed.
const FILES: usize = 20;
const COMMITS: usize = 10;
const DRIFTED: usize = 10;
const ADDED: usize = 8;

/// The most sentences of agents' files that are listed.
const DOUBTED: usize = 5;

const DAY_NANOS: i64 = 86_400_000_000_000;

impl Scene<'_> {
    pub(crate) fn changes(&self, memories: &[MemoryView]) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.put_back().into_iter().collect();
        entries.extend(self.ended_lately());
        entries.extend(drift(memories));
        entries.extend(self.added_lately(memories));
        entries.extend(self.list_doubts());
        entries.extend(self.files());
        entries.extend(self.commits());
        entries
    }

    /// Returns how many journal lines vanished and were restored since the last ended session, or within a day if there is
    /// none.
    fn put_back(&self) -> Option<Entry> {
        let last = self.sessions.iter().find(|session| session.state == SessionState::Ended);
        let since = last.map_or(Timestamp(self.now.0 - DAY_NANOS), |last| last.ended.unwrap_or(last.last));
        let events = put_back_since(&self.store.ledger, since);
        let lines = if events == 1 { "line of memories" } else { "lines of memories" };
        let recorded = format!(
            "- {events} {lines} had vanished from the journals without a trace of who removed them, and recall put them back; `recall rm ID` \
             deletes a memory for good"
        );
        (events > 0).then(|| Entry::new(recorded, Vec::new()))
    }

    /// Lists what stopped holding since the last session, and what contradicts.
    fn ended_lately(&self) -> Vec<Entry> {
        let point = last_session(&self.sessions, None, self.now);
        let found = match find(self.store, &point, self.now) {
            Ok(found) => found,
            Err(error) => {
                tracing::debug!(%error, "the briefing does not say what stopped holding");
                return Vec::new();
            }
        };
        // Those whose files changed are listed by their anchors.
        let ended = found.ended.iter().filter(|change| !change.how.starts_with("may"));
        let ended = ended.take(ADDED).map(|change| {
            let ChangedMemory { id, title, how, at } = change;
            let line = format!("- {id} {how} ({}): {}", Day::from_timestamp(*at), inline(title));
            Entry::new(line, vec![id.to_string()])
        });
        let pairs = found.contradicting.iter().take(ADDED).map(|(newer, older)| {
            let (new, old) = (inline(&newer.title), inline(&older.title));
            let line = format!("- {} may contradict {}: {new} / {old}", newer.id, older.id);
            Entry::new(line, vec![newer.id.to_string(), older.id.to_string()])
        });
        ended.chain(pairs).collect()
    }

    /// Lists what other sessions remembered within a day, in any work tree of the repository, the latest first.
    fn added_lately(&self, memories: &[MemoryView]) -> Option<Entry> {
        let own = self.request.provenance.session.as_deref();
        let since = Timestamp(self.now.0 - DAY_NANOS);
        let is_of_other = |view: &&MemoryView| {
            let session = view.memory.provenance.session.as_deref();
            view.memory.created >= since && session.is_some() && session != own
        };
        let added: Vec<&MemoryView> = memories.iter().filter(is_of_other).take(ADDED).collect();
        if added.is_empty() {
            return None;
        }
        let mut text = "- Remembered by other sessions within a day:\n".to_owned();
        for view in &added {
            let by = view.memory.provenance.agent.as_deref().unwrap_or("a person");
            let _ = writeln!(text, "  > {} ({}): {}", view.memory.id, inline(by), inline(&view.memory.title));
        }
        Some(Entry::new(text, added.iter().map(|view| view.memory.id.to_string()).collect()))
    }

    /// Lists the sentences in agents' own instructions and memories that name what is gone, each once with all its places.
    fn list_doubts(&self) -> Vec<Entry> {
        let stores = match self.engine.stores(self.origin, Scope::All) {
            Ok(stores) => stores,
            Err(error) => {
                tracing::debug!(%error, "the instructions for agents are not in the briefing");
                return Vec::new();
            }
        };
        let doubts = doubts_soon(&stores);
        let mut entries: Vec<Entry> = doubts.iter().take(DOUBTED).map(doubt_entry).collect();
        if let Some(more) = doubts.len().checked_sub(DOUBTED).filter(|more| *more > 0) {
            let line = format!("- and {more} more sentences in files of agents; `recall verify` tells them all");
            entries.push(Entry::new(line, Vec::new()));
        }
        entries
    }

    /// Lists the files that the branch changes.
    fn files(&self) -> Option<Entry> {
        let branch = self.branch.as_ref().filter(|branch| !branch.files.is_empty())?;
        let names: Vec<String> = branch.files.iter().take(FILES).map(|path| inline(path.as_str())).collect();
        let more = branch.files.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let from = match &branch.base {
            Some(base) => format!("changed since {base}, uncommitted ones included"),
            None => "changed and not committed".to_owned(),
        };
        let count = branch.files.len();
        let files = if count == 1 { "file" } else { "files" };
        Some(Entry::new(format!("- {count} {files} {from}: {}{more}", names.join(", ")), Vec::new()))
    }

    /// Lists the commits since the last ended session.
    fn commits(&self) -> Vec<Entry> {
        let last = self.sessions.iter().find(|session| session.state == SessionState::Ended);
        let Some(last) = last else { return Vec::new() };
        let ended = last.ended.unwrap_or(last.last);
        let commits = Git::at(&self.store.root).commits_between(ended, self.now);
        if commits.is_empty() {
            return Vec::new();
        }
        let heading = format!("- Committed since the last session ({}):\n", Day::from_timestamp(ended));
        let shown = commits.iter().rev().take(COMMITS);
        let lines: Vec<String> =
            shown.map(|commit| format!("  > {} {}\n", commit.id, inline(&commit.subject))).collect();
        vec![Entry::new(
            heading + &lines.concat(),
            commits.iter().rev().take(COMMITS).map(|commit| commit.id.clone()).collect(),
        )]
    }
}

fn doubt_entry(doubt: &Doubt) -> Entry {
    let Doubt { path, line, sentence, name, kind: _, reason, also_at } = doubt;
    let place = |(path, line): (&DocPath, u32)| format!("{}:{line}", inline(path.as_str()));
    let others: Vec<String> = also_at.iter().map(|(path, line)| place((path, *line))).collect();
    let others = if others.is_empty() { String::new() } else { format!(", also at {}", others.join(", ")) };
    let (name, reason) = (inline(name), inline(reason));
    let first = format!("- {}{others} names {name}, {reason}:", place((path, *line)));
    Entry::new(format!("{first}\n  > {}", inline(sentence)), vec![path.to_string()])
}

/// Lists the memories that no longer match their files.
fn drift(memories: &[MemoryView]) -> Vec<Entry> {
    let broken: Vec<&MemoryView> = memories.iter().filter(|recalled| recalled.verification.state.is_broken()).collect();
    let entry = |recalled: &&MemoryView| {
        let (id, verification) = (recalled.memory.id, &recalled.verification);
        let of = |(anchor, _): &(recall_core::Anchor, _)| match &anchor.symbol {
            Some(symbol) => format!("{} in {}", inline(symbol), anchor.path),
            None => inline(anchor.path.as_str()),
        };
        let places: Vec<String> = verification.broken.iter().take(3).map(of).collect();
        let line = format!(
            "- {id} may no longer hold ({}): {} [{}]",
            state_of(recalled),
            inline(&recalled.memory.title),
            places.join(", ")
        );
        Entry::new(line, vec![id.to_string()])
    };
    let mut entries: Vec<Entry> = broken.iter().take(DRIFTED).map(entry).collect();
    if let Some(more) = broken.len().checked_sub(DRIFTED).filter(|more| *more > 0) {
        entries.push(Entry::new(format!("- and {more} more memories; `recall verify` tells them all"), Vec::new()));
    }
    entries
}

/// The most sessions of the section.
const SESSIONS: usize = 3;

/// The most tokens of a session: with the heading, three take less than 600.
const SESSION_TOKENS: u32 = 190;

/// A line of the summaries that earlier versions generated.
const LEGACY: &str = "Put together from the session's events and from git.";

impl Scene<'_> {
    pub(crate) fn history(&self) -> Result<Vec<Entry>, SessionError> {
        let mut entries = Vec::new();
        for session in &self.sessions {
            if entries.len() == SESSIONS {
                break;
            }
            entries.extend(self.session(session)?);
        }
        Ok(entries)
    }

    /// Returns the memories that were added in a session.
    pub(crate) fn memories_of(&self, session: &str) -> Vec<Memory> {
        let ledger = &self.store.ledger;
        ledger.session_memories(session).into_iter().filter_map(|id| ledger.memory(id)).collect()
    }

    /// Returns the entry of a session; `None` if it did nothing.
    fn session(&self, session: &Session) -> Result<Option<Entry>, SessionError> {
        let events = self.store.sessions.read(&session.id)?.unwrap_or_default();
        let story = Story::tell(&events, Vec::new(), &self.memories_of(&session.id));
        let told = match &session.summary {
            Some(summary) if !is_generated(&events, summary) => without_tasks(summary),
            Some(summary) if story.is_empty() => without_tasks(summary),
            _ => story.brief(),
        };
        if told.trim().is_empty() && story.is_empty() {
            return Ok(None);
        }
        let told = Masking::default().mask(&told);
        let mut line = format!("- {}", Day::from_timestamp(session.started));
        if let Some(agent) = &session.provenance.agent {
            let _ = write!(line, ", {}", inline(agent));
        }
        if let Some(branch) = &session.provenance.branch {
            let _ = write!(line, " on {}", inline(branch));
        }
        let title = story.title().unwrap_or_else(|| title_of(session));
        let _ = write!(line, ": {}", inline(&Masking::default().mask(&title)));
        match session.state {
            SessionState::Ended => {}
            SessionState::Open => line.push_str(" (goes on)"),
            SessionState::Abandoned => {
                let _ = write!(line, " (broke off; session {} can be recovered)", inline(&session.id));
            }
        }
        let place = session.summary_path.as_ref().map_or_else(|| session.id.clone(), ToString::to_string);
        // The title of a session without a goal is what the agent said.
        let told = told.strip_prefix(&title).unwrap_or(&told);
        let mut text = format!("{line}\n{}", quote(told, 2 * QUOTE_CHARS));
        if estimate(&text) > SESSION_TOKENS {
            text = cut(&text, SESSION_TOKENS);
        }
        Ok(Some(Entry::new(text, vec![place])))
    }
}

/// Returns whether this program made the latest summary from the events.
fn is_generated(events: &[SessionEvent], summary: &str) -> bool {
    let mut ends = events.iter().rev().filter(|event| event.details.event_type == SessionEventType::SessionEnd);
    let end = ends.find(|event| !event.details.content.trim().is_empty());
    let is_marked = end.is_some_and(|end| end.details.metadata.get(GENERATED) == Some(&MetadataValue::Bool(true)));
    is_marked || summary.contains(LEGACY)
}

/// Returns a summary without its first heading, which repeats the title, and without its tasks, which are in a section of their
/// own.
fn without_tasks(summary: &str) -> String {
    let summary = summary.trim_start();
    let body = match summary.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest,
        _ => summary,
    };
    let lines = body.lines().filter(|line| boxes(line).next().is_none() && *line != LEGACY && *line != "## Left open");
    lines.collect::<Vec<_>>().join("\n")
}

/// The most sessions that are considered, the latest first. Older open tasks are probably done or abandoned.
const TASK_SESSIONS: usize = 5;

/// The most tasks that are listed.
const TASKS: usize = 12;

impl Scene<'_> {
    /// Returns the unticked items of the latest sessions and what they tried in vain.
    pub(crate) fn tasks(&self) -> Result<Vec<Entry>, SessionError> {
        let mut settled = BTreeSet::new();
        let mut entries = Vec::new();
        for session in self.sessions.iter().take(TASK_SESSIONS) {
            entries.extend(self.tasks_of(session, &mut settled)?);
        }
        entries.truncate(TASKS);
        Ok(entries)
    }

    /// Returns what a session left open. The latest mention of a task, in `settled`, decides whether it is done.
    pub(crate) fn tasks_of(
        &self,
        session: &Session,
        settled: &mut BTreeSet<String>,
    ) -> Result<Vec<Entry>, SessionError> {
        let place = session.summary_path.as_ref().map_or_else(|| session.id.clone(), ToString::to_string);
        let events = self.store.sessions.read(&session.id)?.unwrap_or_default();
        let story = Story::tell(&events, Vec::new(), &[]);
        let mut entries = Vec::new();
        let mut add = |task: &str, is_done: bool| {
            let is_new = settled.insert(inline(task).to_lowercase());
            if is_new && !is_done {
                entries.push(open(task, &place));
            }
        };
        // What the events say is newer than the summary if the session went on after it.
        story.items().for_each(|(task, is_done)| add(task, is_done));
        session.summary.iter().flat_map(|summary| boxes(summary)).for_each(|(task, is_done)| add(task, is_done));
        for failure in story.failures().iter().rev() {
            let is_new = settled.insert(inline(failure.what()).to_lowercase());
            if is_new && !failure.is_resolved() {
                entries.push(open(&format!("Not resolved: {failure}"), &session.id));
            }
        }
        Ok(entries)
    }
}

fn open(what: &str, place: &str) -> Entry {
    let what = inline(&Masking::default().mask(what));
    Entry::new(format!("  > {what}"), vec![place.to_owned()])
}
