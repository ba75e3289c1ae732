//! The briefing's sections of earlier sessions and of their open tasks.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{Memory, MetadataValue, Session, SessionEvent, SessionEventType, SessionState};
use recall_journal::Day;
use recall_text::boxes;
use recall_text::tokens::estimate;

use crate::mask::Masking;
use crate::session::briefing::Scene;
use crate::session::briefing::pack::{Entry, cut};
use crate::session::title_of;
use crate::session_log::{GENERATED, SessionError, Story};
use recall_text::quote::{QUOTE_CHARS, inline, quote};

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
