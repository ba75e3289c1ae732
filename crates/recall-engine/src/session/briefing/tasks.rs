//! The briefing's section of open tasks of earlier sessions.

use std::collections::BTreeSet;

use recall_core::SessionEventType;

use crate::mask::Masking;
use crate::quote::inline;
use crate::session::briefing::Scene;
use crate::session::briefing::pack::Entry;
use crate::session_log::SessionError;

/// The most sessions that are considered, the latest first. Older open tasks are probably done or abandoned.
const SESSIONS: usize = 5;

/// The most tasks that are listed.
const TASKS: usize = 12;

impl Scene<'_> {
    /// Returns the unticked boxes of summaries and the unresolved errors.
    pub(crate) fn tasks(&self) -> Result<Vec<Entry>, SessionError> {
        let mut settled = BTreeSet::new();
        let mut entries = Vec::new();
        for session in self.sessions.iter().take(SESSIONS) {
            let place = session.summary_path.as_ref().map_or_else(|| session.id.clone(), ToString::to_string);
            for (task, is_done) in session.summary.iter().flat_map(|summary| boxes(summary)) {
                // The latest mention of a task decides whether it is done.
                if settled.insert(task.to_lowercase()) && !is_done {
                    entries.push(open(task, &place));
                }
            }
            let events = self.store.sessions.read(&session.id)?.unwrap_or_default();
            for event in events.iter().rev().filter(|event| event.details.event_type == SessionEventType::Error) {
                let what = inline(&event.details.content);
                if settled.insert(what.to_lowercase()) && event.details.resolution.is_none() {
                    entries.push(open(&format!("Not resolved: {what}"), &session.id));
                }
            }
        }
        entries.truncate(TASKS);
        Ok(entries)
    }
}

fn open(what: &str, place: &str) -> Entry {
    let what = inline(&Masking::default().mask(what));
    Entry::new(format!("  > {what}"), vec![place.to_owned()])
}

/// Returns the task-list items of a Markdown text, and whether each is ticked.
fn boxes(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|line| {
        let item = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start();
        let (mark, task) = item.strip_prefix('[')?.split_once(']')?;
        let is_done = match mark {
            " " => false,
            "x" | "X" => true,
            _ => return None,
        };
        Some((task.trim(), is_done)).filter(|(task, _)| !task.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_found_in_lists() {
        let text = "# Done\n- [x] one\n- [ ] two\n  * [ ] three\n- [link](x) four\n[ ] five\n- [ ]\n";
        assert_eq!(boxes(text).collect::<Vec<_>>(), [("one", true), ("two", false), ("three", false)]);
    }
}
