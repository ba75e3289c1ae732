//! What a store has learnt from the project's history, in memory and in a file in the index folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::precedents::{Past, Precedents};

/// The file in the index folder.
const FILE: &str = "history.json";

/// The version of the file's format and of what its numbers mean. A file of another version is learnt again.
const FORMAT: u32 = 2;

/// The most bytes of a file that is read: ten times that of 5,000 usual commits.
const MOST_BYTES: u64 = 16 << 20;

/// The outcome of asking the newest changes that were not learnt from: how well their files are found by their subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trial {
    /// The number of changes that were asked; 0 if there are too few.
    pub(crate) questions: usize,
    /// The mean of the reciprocal rank of the first changed file, from 0 to 1, without the history.
    pub(crate) without: f64,
    /// The same with the weight.
    pub(crate) with: f64,
    /// The weight in the order of code, in standard deviations of the ranker's scores; 0 if the history is not used.
    pub(crate) weight: f64,
}

/// What was learnt, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HistoryRecord {
    format: u32,
    /// The commit up to which the history was read.
    pub(crate) head: String,
    /// The number of usable changes.
    pub(crate) changes: usize,
    pub(crate) trial: Trial,
    /// The changes; empty if the history is not used.
    past: Past,
}

impl HistoryRecord {
    pub(crate) fn new(head: String, past: Past, trial: Trial) -> Self {
        let changes = past.len();
        Self { format: FORMAT, head, changes, trial, past: if trial.weight > 0.0 { past } else { Past::default() } }
    }
}

/// What a search uses of a [`HistoryRecord`].
#[derive(Debug)]
pub(crate) struct HistoryModel {
    pub(crate) head: String,
    pub(crate) changes: usize,
    pub(crate) trial: Trial,
    /// `None` if the history is not used.
    pub(crate) precedents: Option<Precedents>,
}

impl HistoryModel {
    fn new(HistoryRecord { format: _, head, changes, trial, past }: HistoryRecord) -> Self {
        let precedents = (trial.weight > 0.0).then(|| Precedents::new(&past, 0));
        Self { head, changes, trial, precedents }
    }
}

/// What was learnt from a project's history. It is read from its file when it is first asked for.
pub(crate) struct ProjectHistory {
    file: PathBuf,
    reading: Once,
    model: ArcSwapOption<HistoryModel>,
    /// The commit up to which it was last tried to learn.
    tried: Mutex<Option<String>>,
}

impl ProjectHistory {
    pub(super) fn new(index: &Path) -> Self {
        Self { file: index.join(FILE), reading: Once::new(), model: ArcSwapOption::empty(), tried: Mutex::new(None) }
    }

    /// Returns what was learnt; `None` if nothing was yet.
    pub(crate) fn model(&self) -> Option<Arc<HistoryModel>> {
        self.reading.call_once(|| self.model.store(self.read().map(|record| Arc::new(HistoryModel::new(record)))));
        self.model.load_full()
    }

    /// Begins to learn up to a commit; returns `false` if that was tried before.
    pub(crate) fn begin(&self, head: &str) -> bool {
        self.tried.lock().replace(head.to_owned()).as_deref() != Some(head)
    }

    /// Replaces what was learnt, in memory and in the file.
    pub(crate) fn replace(&self, record: HistoryRecord) {
        match self.write(&record) {
            Ok(()) => {}
            // The index was deleted, and the folder with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(file = %self.file.display(), %error, "what was learnt is not kept"),
        }
        // A file that is read later must not replace it.
        self.reading.call_once(|| {});
        self.model.store(Some(Arc::new(HistoryModel::new(record))));
    }

    fn read(&self) -> Option<HistoryRecord> {
        if fs::metadata(&self.file).ok()?.len() > MOST_BYTES {
            return None;
        }
        let record: HistoryRecord = serde_json::from_slice(&fs::read(&self.file).ok()?).ok()?;
        (record.format == FORMAT && record.past.is_sound()).then_some(record)
    }

    fn write(&self, record: &HistoryRecord) -> io::Result<()> {
        let temporary = self.file.with_extension("new");
        fs::write(&temporary, serde_json::to_vec(record)?)?;
        fs::rename(&temporary, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use recall_text::DocPath;

    use super::*;
    use crate::git::Change;

    fn record(weight: f64) -> HistoryRecord {
        let files = vec![DocPath::new("src/a.rs").expect("a path")];
        let past = Past::new(&[Change { message: "Open the store".to_owned(), files }]);
        HistoryRecord::new("0123".to_owned(), past, Trial { questions: 30, without: 0.5, with: 0.6, weight })
    }

    #[test]
    fn a_record_survives_reopening_and_leads_to_files_if_it_is_used() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(ProjectHistory::new(folder.path()).model().is_none());
        for (weight, files) in [(1.0, 1), (0.0, 0)] {
            ProjectHistory::new(folder.path()).replace(record(weight));
            let model = ProjectHistory::new(folder.path()).model().expect("stored");
            assert_eq!((model.head.as_str(), model.changes, model.trial.questions), ("0123", 1, 30));
            let found = model.precedents.as_ref().map_or(0, |precedents| precedents.files("opening a store").len());
            assert_eq!(found, files);
        }
    }

    #[test]
    fn a_damaged_file_is_as_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE);
        ProjectHistory::new(folder.path()).replace(record(1.0));
        let sound = fs::read_to_string(&file).expect("written");
        let damaged = [
            sound[..sound.len() / 2].to_owned(),
            sound.replace("\"format\":2", "\"format\":1"),
            sound.replace(",[0]]]", ",[7]]]"),
        ];
        for text in damaged {
            assert_ne!(text, sound);
            fs::write(&file, text).expect("writable");
            assert!(ProjectHistory::new(folder.path()).model().is_none());
        }
    }
}
