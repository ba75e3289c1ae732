//! What a store knows of its items beside the journals: what anchors are compared with, authors, factors from feedback, counts of
//! retrievals and uses, and what was learnt from the project's history.

mod anchor_texts;
mod contributors;
mod history;
mod precedents;
mod retrievals;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recall_core::{Anchor, ContentHash, Contributor, EventId, Generation, Timestamp};
use recall_text::DocPath;

use crate::ledger::Ratings;
use crate::ranking::Factor;
use crate::store::ordered::{OrderedMutex, Rank};

pub(crate) use anchor_texts::SymbolHashes;
use anchor_texts::{AnchorTexts, MovedFiles};
use contributors::Contributors;
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
