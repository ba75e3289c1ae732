//! The briefing's section of open tasks of earlier sessions.

use std::collections::BTreeSet;

use recall_core::Session;
use recall_text::boxes;

use crate::mask::Masking;
use crate::session::briefing::Scene;
use crate::session::briefing::pack::Entry;
use crate::session_log::{SessionError, Story};
use recall_text::quote::inline;

/// The most sessions that are considered, the latest first. Older open tasks are probably done or abandoned.
const SESSIONS: usize = 5;

/// The most tasks that are listed.
const TASKS: usize = 12;

impl Scene<'_> {
    /// Returns the unticked items of the latest sessions and what they tried in vain.
    pub(crate) fn tasks(&self) -> Result<Vec<Entry>, SessionError> {
        let mut settled = BTreeSet::new();
        let mut entries = Vec::new();
        for session in self.sessions.iter().take(SESSIONS) {
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
