//! The authors of memories in a repository, according to git's history of the journals.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::{Contributor, EventId, Timestamp};
use recall_journal::Day;

use crate::git::{Git, Head};

/// How long an answer waits for git the first time. A hundred commits of one file take some 20 milliseconds. A later result is
/// used by the next answer.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many days are cached. An answer shows memories of a few days.
const MOST_DAYS: usize = 64;

/// The authors of events, by the days of the journals. Git runs once for each day and commit.
#[derive(Default)]
pub(super) struct Contributors {
    days: Mutex<HashMap<Day, DayAuthors>>,
    changed: Condvar,
}

/// The authors of one day's journal.
struct DayAuthors {
    /// The commit that was checked out.
    commit: Option<String>,
    /// `None` while git runs.
    events: Option<Arc<BTreeMap<EventId, Contributor>>>,
    /// Whether an answer has timed out waiting. Then no other answer waits.
    is_slow: bool,
}

impl Contributors {
    /// Returns who added an event to the repository with that root; `None` if git does not know it or is late.
    pub(crate) fn contributor(self: &Arc<Self>, root: &Path, (event, at): (EventId, Timestamp)) -> Option<Contributor> {
        let (day, commit) = (Day::from_timestamp(at), Head::read_from(root).commit);
        // Without a commit, the repository has no history.
        commit.as_ref()?;
        let mut days = self.days.lock();
        if days.get(&day).is_none_or(|added| added.commit != commit) {
            if days.len() >= MOST_DAYS {
                days.clear();
            }
            days.insert(day, DayAuthors { commit: commit.clone(), events: None, is_slow: false });
            self.ask(root.to_owned(), day, commit.clone());
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let is_any_slow = days.values().any(|added| added.is_slow && added.events.is_none());
            let added = days.get_mut(&day).filter(|added| added.commit == commit)?;
            if let Some(events) = &added.events {
                return events.get(&event).cloned();
            }
            if is_any_slow {
                return None;
            }
            if self.changed.wait_until(&mut days, deadline).timed_out() {
                if let Some(added) = days.get_mut(&day) {
                    added.is_slow = true;
                }
                return None;
            }
        }
    }

    /// Runs git on a thread of its own.
    fn ask(self: &Arc<Self>, root: PathBuf, day: Day, commit: Option<String>) {
        let contributors = Arc::clone(self);
        let thread = std::thread::Builder::new().name("git log".to_owned()).spawn(move || {
            let path = Path::new(".recall").join(day.path());
            let events = Arc::new(Git::at(&root).contributors(&path).unwrap_or_default());
            let mut days = contributors.days.lock();
            if let Some(added) = days.get_mut(&day).filter(|added| added.commit == commit) {
                added.events = Some(events);
            }
            drop(days);
            contributors.changed.notify_all();
        });
        if let Err(error) = thread {
            tracing::debug!(%error, "no thread to ask git who added memories");
        }
    }
}
