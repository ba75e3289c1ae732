//! What a store knows of its items beside the journals: what anchors are compared with, authors, factors from feedback, counts of
//! retrievals and uses, and what was learnt from the project's history.

mod history;
mod precedents;
mod retrievals;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::{Anchor, ContentHash, Contributor, EventId, Generation, Timestamp};
use recall_journal::Day;
use recall_text::DocPath;

use crate::git::{Git, Head};
use crate::ledger::Ratings;
use crate::ranking::Factor;
use crate::store::ordered::{OrderedMutex, Rank};

use history::ProjectHistory;
pub(crate) use history::{HistoryModel, HistoryRecord, Trial};
pub(crate) use precedents::{Past, Precedents};
pub(crate) use retrievals::Retrievals;

/// Facts about the items of a store. Except for the retrievals they are caches.
pub(crate) struct ItemFacts {
    root: PathBuf,
    /// The symbol hashes that anchors are compared with.
    anchor_texts: AnchorTexts,
    /// Where anchored files were moved.
    moved_files: MovedFiles,
    /// The authors of the memories in the repository, according to git.
    contributors: Arc<Contributors>,
    /// The ranking factors from feedback on files.
    rated: RatedFiles,
    /// How often each item was returned as a hit, and used.
    retrievals: Retrievals,
    /// What was learnt from the project's history.
    history: ProjectHistory,
}

impl ItemFacts {
    /// Opens the facts of a root with an index folder.
    pub(super) fn open(root: &Path, index: &Path) -> Self {
        Self {
            root: root.to_owned(),
            anchor_texts: AnchorTexts::default(),
            moved_files: MovedFiles::default(),
            contributors: Arc::default(),
            rated: RatedFiles::default(),
            retrievals: Retrievals::open(index),
            history: ProjectHistory::new(index),
        }
    }

    /// Returns the counts of how often each item was returned as a hit, and used.
    pub(crate) fn retrievals(&self) -> &Retrievals {
        &self.retrievals
    }

    /// Returns what was learnt from the project's history.
    pub(crate) fn history(&self) -> &ProjectHistory {
        &self.history
    }

    /// Returns who added an event to the repository; `None` if git does not know it or is late.
    pub(crate) fn contributor(&self, event: (EventId, Timestamp)) -> Option<Contributor> {
        self.contributors.contributor(&self.root, event)
    }

    /// Returns the symbol hashes of a file with that content: as cached, otherwise as `read` says, which are cached then.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn symbol_hashes<E>(
        &self,
        file: (DocPath, ContentHash),
        read: impl FnOnce() -> Result<Option<SymbolHashes>, E>,
    ) -> Result<Option<Arc<SymbolHashes>>, E> {
        if let Some(hashes) = self.anchor_texts.get(&file) {
            return Ok(Some(hashes));
        }
        let Some(hashes) = read()?.map(Arc::new) else { return Ok(None) };
        self.anchor_texts.insert(file, Arc::clone(&hashes));
        Ok(Some(hashes))
    }

    /// Returns where the file of an anchor is in a generation: as cached, otherwise as `find` says.
    ///
    /// # Errors
    /// Those of `find`.
    pub(crate) fn moved_file<E>(
        &self,
        generation: Generation,
        anchor: &Anchor,
        find: impl FnOnce() -> Result<Option<DocPath>, E>,
    ) -> Result<Option<DocPath>, E> {
        self.moved_files.get_or_find(generation, anchor, find)
    }

    /// Returns the ranking factors from ratings and uses of files, by the row of the document in a generation: as cached, otherwise
    /// as `compute` says.
    ///
    /// # Errors
    /// Those of `compute`.
    pub(crate) fn factors<E>(
        &self,
        generation: Generation,
        ratings: Arc<Ratings>,
        compute: impl FnOnce(&Ratings) -> Result<HashMap<i64, Factor>, E>,
    ) -> Result<Arc<HashMap<i64, Factor>>, E> {
        self.rated.get_or_compute((generation, self.retrievals.count_uses()), ratings, compute)
    }
}

/// The ranking factors of documents with feedback, by row, as of one generation of the store.
struct RatedFiles(OrderedMutex<Rated>);

impl Default for RatedFiles {
    fn default() -> Self {
        Self(OrderedMutex::new(Rank::Factors, Rated::default()))
    }
}

/// The factors and what they were computed from.
#[derive(Default)]
struct Rated {
    /// The generation, and how many uses were counted.
    state: (Generation, u64),
    ratings: Arc<Ratings>,
    factors: Arc<HashMap<i64, Factor>>,
}

impl RatedFiles {
    /// Returns the factors of these ratings in a state: as cached, otherwise as `compute` says.
    fn get_or_compute<E>(
        &self,
        state: (Generation, u64),
        ratings: Arc<Ratings>,
        compute: impl FnOnce(&Ratings) -> Result<HashMap<i64, Factor>, E>,
    ) -> Result<Arc<HashMap<i64, Factor>>, E> {
        // Held while they are computed, so that concurrent searches compute them once.
        let mut rated = self.0.lock();
        if rated.state != state || !Arc::ptr_eq(&rated.ratings, &ratings) {
            let factors = Arc::new(compute(&ratings)?);
            *rated = Rated { state, ratings, factors };
        }
        Ok(Arc::clone(&rated.factors))
    }
}

/// How many files' symbols are cached; when full, the cache is cleared.
const MOST_FILES: usize = 4096;

/// The symbol hashes of files, by the file's path and the hash of its bytes.
#[derive(Debug, Default)]
struct AnchorTexts {
    of_symbols: Mutex<HashMap<(DocPath, ContentHash), Arc<SymbolHashes>>>,
}

/// The paths to which anchored files were moved, as of one generation of the index.
#[derive(Debug, Default)]
struct MovedFiles {
    state: Mutex<(Generation, BTreeMap<Anchor, Option<DocPath>>)>,
}

impl MovedFiles {
    /// Returns where the file of an anchor is in a generation: as cached, otherwise as `find` says.
    ///
    /// # Errors
    /// Those of `find`.
    pub(crate) fn get_or_find<E>(
        &self,
        generation: Generation,
        anchor: &Anchor,
        find: impl FnOnce() -> Result<Option<DocPath>, E>,
    ) -> Result<Option<DocPath>, E> {
        {
            let mut state = self.state.lock();
            if state.0 != generation || state.1.len() >= MOST_FILES {
                *state = (generation, BTreeMap::new());
            }
            if let Some(found) = state.1.get(anchor) {
                return Ok(found.clone());
            }
        }
        let found = find()?;
        let mut state = self.state.lock();
        if state.0 == generation {
            state.1.insert(anchor.clone(), found.clone());
        }
        Ok(found)
    }
}

/// The hashes of the definitions of each qualified name of a file.
pub(crate) type SymbolHashes = HashMap<String, Vec<ContentHash>>;

impl AnchorTexts {
    /// Returns the cached symbols of a file with that content.
    pub(crate) fn get(&self, file: &(DocPath, ContentHash)) -> Option<Arc<SymbolHashes>> {
        self.of_symbols.lock().get(file).map(Arc::clone)
    }

    /// Caches the symbols of a file with that content.
    pub(crate) fn insert(&self, file: (DocPath, ContentHash), symbols: Arc<SymbolHashes>) {
        let mut cached = self.of_symbols.lock();
        if cached.len() >= MOST_FILES {
            cached.clear();
        }
        cached.insert(file, symbols);
    }
}

/// How long an answer waits for git the first time. A hundred commits of one file take some 20 milliseconds. A later result is
/// used by the next answer.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many days are cached. An answer shows memories of a few days.
const MOST_DAYS: usize = 64;

/// The authors of events, by the days of the journals. Git runs once for each day and commit.
#[derive(Default)]
struct Contributors {
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
