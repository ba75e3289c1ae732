//! The record of own events that were missing from the journals: refused, put back, or kept.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use parking_lot::Mutex;
use recall_core::{EventId, Timestamp};
use recall_journal::{LineLog, Stat, moment_of, rfc_3339};

/// The file's name, next to the log.
const FILE: &str = "returned.jsonl";

/// The record of which events of an own log must not be put back into a journal.
pub(crate) struct Returned {
    file: LineLog,
    /// Events that were not acknowledged, and whose line is not in the file yet.
    refused: Mutex<BTreeSet<EventId>>,
}

/// The fate of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fate {
    /// The journal could not be written, so the event was not acknowledged.
    Refused,
    /// A later write under the same id succeeded.
    Kept,
    /// It was missing from the journals and put back.
    PutBack,
    /// It was missing from the journals, and a commit had it. From then on it lives and dies with the commits that have it.
    InGit,
    /// A person took it out of the journals.
    TakenOut,
    /// It was pending in the log of a repository, and is in a journal of a work tree now.
    HandedOver,
}

/// A line of the file.
#[derive(serde::Serialize, serde::Deserialize)]
struct ReturnedLine {
    event_id: String,
    fate: Fate,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

impl Returned {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { file: LineLog::new(folder, FILE), refused: Mutex::default() }
    }

    /// Returns the events that must not be put back: those that were refused, those that were put back before, those that a
    /// commit had, and those that a person took out.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn settled_events(&self) -> io::Result<BTreeSet<EventId>> {
        let mut settled: BTreeSet<EventId> = fates(&self.file.read()?).into_keys().collect();
        settled.extend(self.refused.lock().iter());
        Ok(settled)
    }

    /// Returns the events that a person took out of the journals.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn taken_out(&self) -> io::Result<BTreeSet<EventId>> {
        let fates = fates(&self.file.read()?).into_iter();
        Ok(fates.filter(|(_, (fate, _))| *fate == Fate::TakenOut).map(|(id, _)| id).collect())
    }

    /// Records that a commit has events. They are not put back, even if that commit is dropped later.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record_in_git(&self, ids: &BTreeSet<EventId>) -> io::Result<()> {
        self.record(ids, Fate::InGit)
    }

    /// Records that a person took events out of the journals.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record_taken_out(&self, ids: &BTreeSet<EventId>) -> io::Result<()> {
        self.record(ids, Fate::TakenOut)
    }

    /// Records that pending events are in a journal.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record_handed_over(&self, ids: &BTreeSet<EventId>) -> io::Result<()> {
        self.record(ids, Fate::HandedOver)
    }

    /// Returns the file's metadata; `None` if there is none.
    pub(crate) fn stat(&self) -> Option<Stat> {
        self.file.stat().ok().flatten()
    }

    fn record(&self, ids: &BTreeSet<EventId>, fate: Fate) -> io::Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.file.append(|known| {
            let fates = fates(known);
            ids.iter().filter(|id| !fates.contains_key(id)).flat_map(|id| line(*id, fate, None)).collect()
        })
    }

    /// Returns the events that were put back, each with its time.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn put_back(&self) -> io::Result<BTreeMap<EventId, Timestamp>> {
        let fates = fates(&self.file.read()?).into_iter();
        Ok(fates.filter(|(_, (fate, _))| *fate == Fate::PutBack).map(|(id, (_, at))| (id, at)).collect())
    }

    /// Records that events were not acknowledged. If that cannot be written either, the next record retries it.
    pub(crate) fn refuse(&self, ids: impl IntoIterator<Item = EventId>) {
        self.refused.lock().extend(ids);
        self.write_refused();
    }

    /// Records that events are acknowledged, if they were refused before under the same ids.
    pub(crate) fn keep(&self, ids: impl IntoIterator<Item = EventId>) {
        let ids: BTreeSet<EventId> = ids.into_iter().collect();
        self.refused.lock().retain(|id| !ids.contains(id));
        self.write_refused();
        if !self.file.stat().is_ok_and(|stat| stat.is_some()) {
            return;
        }
        let kept = self.file.append(|known| {
            let fates = fates(known);
            let refused = ids.iter().filter(|id| fates.get(id).is_some_and(|(fate, _)| *fate == Fate::Refused));
            refused.flat_map(|id| line(*id, Fate::Kept, None)).collect()
        });
        if let Err(error) = kept {
            tracing::warn!(file = %self.file.path().display(), %error, "a note on kept events was not written");
        }
    }

    /// Claims the events that no process has claimed before, and returns them. The claim is synced before this returns, so that
    /// no event is put back twice, even after a crash.
    ///
    /// # Errors
    /// The file cannot be written. Then no event is claimed.
    pub(crate) fn take(&self, ids: &BTreeSet<EventId>, now: Timestamp) -> io::Result<BTreeSet<EventId>> {
        let mut taken = BTreeSet::new();
        self.file.append(|known| {
            let fates = fates(known);
            taken = ids.iter().filter(|id| !fates.contains_key(id)).copied().collect();
            taken.iter().flat_map(|id| line(*id, Fate::PutBack, Some(now))).collect()
        })?;
        Ok(taken)
    }

    /// Releases claimed events that could not be put back, so that they are tried again.
    pub(crate) fn release(&self, ids: &BTreeSet<EventId>) {
        let released = self.file.append(|_| ids.iter().flat_map(|id| line(*id, Fate::Kept, None)).collect());
        if let Err(error) = released {
            tracing::warn!(file = %self.file.path().display(), %error, "events are not put back, and not again");
        }
    }

    fn write_refused(&self) {
        let mut refused = self.refused.lock();
        if refused.is_empty() {
            return;
        }
        match self.file.append(|_| refused.iter().flat_map(|id| line(*id, Fate::Refused, None)).collect()) {
            Ok(()) => refused.clear(),
            Err(error) => {
                tracing::warn!(file = %self.file.path().display(), %error, "a note on refused events waits");
            }
        }
    }
}

fn line(id: EventId, fate: Fate, at: Option<Timestamp>) -> Vec<u8> {
    let line = ReturnedLine { event_id: id.to_string(), fate, at: at.map(rfc_3339) };
    let mut bytes = serde_json::to_vec(&line).expect("texts");
    bytes.push(b'\n');
    bytes
}

/// Returns the last fate of each event. An event that was refused and then kept has none.
fn fates(text: &[u8]) -> BTreeMap<EventId, (Fate, Timestamp)> {
    let mut fates = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<ReturnedLine>(line).ok()) {
        let Ok(id) = line.event_id.parse::<EventId>() else { continue };
        let at = line.at.as_deref().and_then(moment_of).unwrap_or_default();
        match line.fate {
            Fate::Kept => drop(fates.remove(&id)),
            fate => drop(fates.insert(id, (fate, at))),
        }
    }
    fates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> EventId {
        EventId([number; 16])
    }

    #[test]
    fn an_event_is_claimed_once_by_either_of_two_processes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (Returned::new(folder.path()), Returned::new(folder.path()));
        let both = BTreeSet::from([id(1), id(2)]);
        assert_eq!(one.take(&BTreeSet::from([id(1)]), Timestamp(7)).expect("kept"), BTreeSet::from([id(1)]));
        assert_eq!(other.take(&both, Timestamp(8)).expect("kept"), BTreeSet::from([id(2)]));
        assert!(one.take(&both, Timestamp(9)).expect("kept").is_empty());
        let put_back = BTreeMap::from([(id(1), Timestamp(7)), (id(2), Timestamp(8))]);
        assert_eq!((one.put_back().expect("read"), one.settled_events().expect("read")), (put_back, both));
    }

    #[test]
    fn an_event_that_a_commit_had_or_a_person_took_out_is_settled() {
        let folder = tempfile::tempdir().expect("a folder");
        let returned = Returned::new(folder.path());
        returned.record_in_git(&BTreeSet::from([id(1)])).expect("written");
        returned.record_taken_out(&BTreeSet::from([id(1), id(2)])).expect("written");
        let both = BTreeSet::from([id(1), id(2)]);
        assert_eq!(returned.taken_out().expect("read"), BTreeSet::from([id(2)]), "the first record decides");
        assert!(returned.take(&both, Timestamp(7)).expect("written").is_empty());
        assert_eq!(returned.settled_events().expect("read"), both);
    }

    #[test]
    fn a_refused_event_is_settled_until_it_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let returned = Returned::new(folder.path());
        returned.refuse([id(1), id(2)]);
        returned.keep([id(2), id(3)]);
        assert_eq!(Returned::new(folder.path()).settled_events().expect("read"), BTreeSet::from([id(1)]));
        assert!(returned.put_back().expect("read").is_empty());
    }
}
