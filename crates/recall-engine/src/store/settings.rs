//! The settings of an open store, which a person may change at any time.
//!
//! A ranker that was trained on the project's history is a file, which may appear, change and disappear while the store is open.
//! Its stat is checked before each answer, and it is read again if it has changed.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use recall_chunk::ChunkLimits;
use recall_core::{ReviewPolicy, SessionShare};
use recall_os::FileStamp;

use super::files::Files;
use super::ordered::{OrderedMutex, Rank};
use crate::ranking::{ContentKind, RankerError, RankerUse, Rankers};
use crate::settings::{RankerChoice, StoreSettings, StoreSettingsSource, TranscriptSettings};

/// Whether the configuration of a store was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// Not changed.
    Same,
    /// Changed and read again. Which files are indexed, and how, may differ.
    Changed,
}

/// The settings of a store's project, as last read.
pub(crate) struct CurrentSettings {
    root: PathBuf,
    current: ArcSwap<StoreSettings>,
    /// Reads the settings again.
    source: Arc<StoreSettingsSource>,
    /// The stamps of the files that the settings and the selection were read from.
    stamps: OrderedMutex<Vec<Option<FileStamp>>>,
    /// The rankers that order the store's candidates.
    ranking: RankingCell,
}

impl CurrentSettings {
    /// Takes settings that were just read.
    pub(super) fn new(
        root: &Path,
        settings: StoreSettings,
        source: &Arc<StoreSettingsSource>,
        stamps: Vec<Option<FileStamp>>,
    ) -> Self {
        Self {
            root: root.to_owned(),
            current: ArcSwap::from_pointee(settings),
            source: Arc::clone(source),
            stamps: OrderedMutex::new(Rank::Settings, stamps),
            ranking: RankingCell::default(),
        }
    }

    pub(super) fn current(&self) -> Arc<StoreSettings> {
        self.current.load_full()
    }

    /// Returns the rankers that order candidates now: `built_in`, unless the project has its own.
    pub(super) fn ranking(&self, built_in: &Rankers) -> Arc<Ranking> {
        self.ranking.current(&self.current().ranker, built_in)
    }

    /// Returns which sessions' summaries are shared, as the files of the settings say now. Only an update of the index takes over
    /// changed settings as a whole.
    pub(crate) fn share(&self) -> SessionShare {
        (self.source)(&self.root).share
    }

    /// Returns whether the end of a session notes which lines it wrote, as the files of the settings say now.
    pub(crate) fn traces(&self) -> bool {
        (self.source)(&self.root).traces
    }

    /// Returns what happens to memories that arrive, as the files of the settings say now.
    pub(crate) fn review(&self) -> ReviewPolicy {
        (self.source)(&self.root).review
    }

    /// Returns which transcripts are read, as the files of the settings say now.
    pub(crate) fn transcripts(&self) -> TranscriptSettings {
        (self.source)(&self.root).transcripts
    }

    /// Reads the settings and the selection again if the stamps of their files have changed. Costs one `stat` per file.
    pub(crate) fn follow(&self, files: &Files) -> Configuration {
        let before = self.current();
        // The stamps are taken before the files are read, so that a write in between is noticed the next time.
        let stamps_now = stamps(&before, files.selection_stamps());
        let mut stamps = self.stamps.lock();
        if *stamps == stamps_now {
            return Configuration::Same;
        }
        *stamps = stamps_now;
        let settings = (self.source)(&self.root);
        if !cuts_alike(&settings, &before) {
            files.dirty().rewrite_everything();
        }
        self.current.store(Arc::new(settings));
        files.reload_selection();
        tracing::info!(root = %self.root.display(), "the configuration was changed and is read again");
        Configuration::Changed
    }
}

/// Returns whether files are cut into the same chunks with both settings.
pub(super) fn cuts_alike(one: &StoreSettings, other: &StoreSettings) -> bool {
    one.types == other.types && ChunkLimits::from(&one.limits) == ChunkLimits::from(&other.limits)
}

/// Returns the stamps of the files of the settings and of the selection, in this order; `None` for a missing file.
pub(super) fn stamps(settings: &StoreSettings, selection: [Option<FileStamp>; 2]) -> Vec<Option<FileStamp>> {
    settings.files.iter().map(|path| FileStamp::read(path)).chain(selection).collect()
}

/// A larger file is not a ranker: a thousand trees take a fifth of this.
const MOST_BYTES: u64 = 1 << 20;

/// The rankers as last read from the project's file.
#[derive(Debug, Default)]
struct RankingCell {
    read: Mutex<Option<(Stamp, Arc<Ranking>)>>,
}

/// The rankers that order candidates.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    /// `None` if the fused order is final.
    pub(crate) rankers: Option<Rankers>,
    pub(crate) used: RankerUse,
    /// Why the project's own ranker is not used.
    pub(crate) problem: Option<String>,
}

/// What distinguishes a file from an earlier one at the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
    inode: u64,
}

impl RankingCell {
    /// Returns the rankers for a choice; `built_in` if the project has none of its own.
    pub(crate) fn current(&self, choice: &RankerChoice, built_in: &Rankers) -> Arc<Ranking> {
        match choice {
            RankerChoice::Own(path) => self.own_ranking(path, built_in),
            RankerChoice::BuiltIn => Arc::new(Ranking::built_in(built_in)),
            RankerChoice::Fusion => Arc::new(Ranking { rankers: None, used: RankerUse::Fusion, problem: None }),
        }
    }

    fn own_ranking(&self, path: &Path, built_in: &Rankers) -> Arc<Ranking> {
        let stamp = match fs::metadata(path).and_then(|metadata| Stamp::read(&metadata)) {
            Ok(stamp) => stamp,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Arc::new(Ranking::built_in(built_in)),
            Err(error) => return Arc::new(Ranking::unusable(built_in, error.to_string())),
        };
        let mut read = self.read.lock();
        if let Some((known, ranking)) = &*read
            && *known == stamp
        {
            return Arc::clone(ranking);
        }
        let ranking = Arc::new(match read_own(path, stamp.bytes, built_in) {
            Ok(rankers) => Ranking { rankers: Some(rankers), used: RankerUse::Own, problem: None },
            Err(problem) => Ranking::unusable(built_in, problem),
        });
        *read = Some((stamp, Arc::clone(&ranking)));
        ranking
    }
}

impl Ranking {
    fn built_in(rankers: &Rankers) -> Self {
        Self { rankers: Some(rankers.clone()), used: RankerUse::BuiltIn, problem: None }
    }

    fn unusable(rankers: &Rankers, problem: String) -> Self {
        Self { problem: Some(problem), ..Self::built_in(rankers) }
    }
}

impl Stamp {
    fn read(metadata: &Metadata) -> io::Result<Self> {
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Ok(Self { modified: metadata.modified()?, bytes: metadata.len(), inode })
    }
}

fn read_own(path: &Path, bytes: u64, built_in: &Rankers) -> Result<Rankers, String> {
    if bytes > MOST_BYTES {
        return Err(format!("it has {bytes} bytes; a ranker has at most {MOST_BYTES}"));
    }
    let read = fs::read(path).map_err(|error| error.to_string())?;
    built_in.clone().with(ContentKind::Code, &read).map_err(|error| match error {
        RankerError::Read { ref source } => format!("{error}: {source}"),
        RankerError::UnknownFeature { .. } | RankerError::WordsAlone => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::FeatureSet;

    /// Checks which rankers are used with these bytes in the file; with no file for `None`.
    #[track_caller]
    fn check(cell: &RankingCell, path: &Path, bytes: Option<&[u8]>, used: RankerUse, problem: Option<&str>) {
        match bytes {
            Some(bytes) => {
                let new = path.with_extension("new");
                fs::write(&new, bytes).expect("writable");
                fs::rename(new, path).expect("writable");
            }
            None => fs::remove_file(path).expect("it was there"),
        }
        let found = cell.current(&RankerChoice::Own(path.to_owned()), &Rankers::built_in());
        assert_eq!(found.used, used);
        let said = found.problem.as_deref();
        assert!(said.map_or(problem.is_none(), |said| problem.is_some_and(|part| said.contains(part))), "{said:?}");
        assert!(found.rankers.is_some());
    }

    #[test]
    fn a_ranker_file_is_used_while_it_exists_and_is_valid() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cell, path) = (RankingCell::default(), folder.path().join("code.ranker"));
        let (rankers, choice) = (Rankers::built_in(), RankerChoice::Own(path.clone()));
        assert_eq!(cell.current(&choice, &rankers).used, RankerUse::BuiltIn);
        let sound = rankers.ranker(ContentKind::Prose, FeatureSet::Words).expect("built in").write();
        let damaged: Vec<u8> = sound.iter().map(|byte| byte ^ 1).collect();
        let mut cut = sound.clone();
        cut.truncate(sound.len() / 2);
        check(&cell, &path, Some(&sound), RankerUse::Own, None);
        let ranking = cell.current(&choice, &rankers);
        let ours = ranking.rankers.as_ref().and_then(|rankers| rankers.ranker(ContentKind::Code, FeatureSet::Words));
        assert_eq!(ours, rankers.ranker(ContentKind::Prose, FeatureSet::Words));
        assert!(Arc::ptr_eq(&ranking, &cell.current(&choice, &rankers)), "an unchanged file is not read again");
        check(&cell, &path, Some(&damaged), RankerUse::BuiltIn, Some("cannot be read"));
        check(&cell, &path, Some(&cut), RankerUse::BuiltIn, Some("cannot be read"));
        check(&cell, &path, Some(&vec![0; 2 << 20]), RankerUse::BuiltIn, Some("bytes"));
        check(&cell, &path, Some(&sound), RankerUse::Own, None);
        check(&cell, &path, None, RankerUse::BuiltIn, None);
        fs::create_dir(&path).expect("writable");
        assert_eq!(cell.current(&choice, &rankers).problem.as_deref(), Some("it is not a regular file"));
    }

    #[test]
    fn a_choice_without_an_own_ranker_reads_no_file() {
        let cell = RankingCell::default();
        assert!(cell.current(&RankerChoice::Fusion, &Rankers::built_in()).rankers.is_none());
        assert_eq!(cell.current(&RankerChoice::BuiltIn, &Rankers::built_in()).used, RankerUse::BuiltIn);
    }
}
