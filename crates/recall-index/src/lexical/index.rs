//! Opening of an index and publication of its committed states.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use recall_core::Generation;

use crate::lexical::fields::FieldWeights;
use crate::lexical::integrity;
use crate::lexical::open::{LexicalOpenError, catch_panics};
use crate::lexical::searcher::Searcher;
use crate::lexical::shared_index::SharedIndex;
use crate::lexical::writer::{LexicalWriteError, LexicalWriter, WriterSettings};

/// An open lexical index. Clones share everything but the field weights.
#[derive(Clone)]
pub struct Lexical {
    shared: Arc<SharedIndex>,
    weights: FieldWeights,
}

/// Whether a refresh found a newer commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// The published state is the committed one.
    Unchanged,
    /// A newer commit was found and published.
    Changed,
}

impl Lexical {
    /// Opens the index in a folder, or creates an empty one of generation 0 if there is none.
    ///
    /// A read-only folder is opened for searching. If no writer is open, the files that a killed writer left are
    /// deleted. If the index was not closed properly, the checksums of all its files are verified.
    pub fn open(dir: &Path) -> Result<Self, LexicalOpenError> {
        fs::create_dir_all(dir).map_err(|source| LexicalOpenError::io(dir, source))?;
        let shared =
            catch_panics(|| Ok(SharedIndex::open(dir))).map_err(|error| LexicalOpenError::classify(dir, error))??;
        Ok(Self { shared: Arc::new(shared), weights: FieldWeights::default() })
    }

    /// Creates an index with the committed state in another folder, which must have none. Both share the files of the segments;
    /// changes of one are not seen by the other.
    ///
    /// No writer may be open: it deletes files that its merges replace.
    pub fn fork(&self, target: &Path) -> io::Result<()> {
        integrity::fork(&self.shared.dir, &self.shared.index.load_metas().map_err(io::Error::other)?, target)
    }

    /// The same index with other field weights.
    #[must_use]
    pub fn with_weights(&self, weights: FieldWeights) -> Self {
        Self { shared: Arc::clone(&self.shared), weights }
    }

    /// The generation of the published state.
    pub fn generation(&self) -> Generation {
        self.shared.published_snapshot().generation
    }

    /// Publishes a newer commit of another process, if there is one. Otherwise the cost is the read of one small file.
    ///
    /// # Errors
    /// The newer state cannot be opened. The previous one stays published.
    pub fn refresh(&self) -> Result<Refreshed, LexicalOpenError> {
        let dir = &self.shared.dir;
        let meta = integrity::read_meta(dir).map_err(|source| LexicalOpenError::classify(dir, source.into()))?;
        if meta == self.shared.published_snapshot().meta {
            return Ok(Refreshed::Unchanged);
        }
        self.shared.publish()?;
        Ok(Refreshed::Changed)
    }

    /// Whether anything but a commit has changed the files of the published state. Reads the metadata of each file.
    ///
    /// A commit of another process is published first and does not count. Files deleted by a merge do count, so the
    /// caller must ensure that no writer is open.
    pub fn is_disturbed(&self) -> bool {
        let shared = &self.shared;
        let before = shared.published_snapshot();
        if !before.list.are_current()
            && (shared.publish().is_err() || shared.published_snapshot().generation < before.generation)
        {
            return true;
        }
        !shared.published_snapshot().files.are_current()
    }

    /// Returns the published state for searching. Later commits do not change it.
    pub fn searcher(&self) -> Searcher {
        Searcher::new(Arc::clone(&self.shared), self.shared.published_snapshot(), self.weights)
    }

    /// Opens the index for writing. There is one writer at a time across all processes.
    pub fn writer(&self, settings: WriterSettings) -> Result<LexicalWriter, LexicalWriteError> {
        LexicalWriter::open(Arc::clone(&self.shared), settings)
    }
}

impl fmt::Debug for Lexical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lexical")
            .field("dir", &self.shared.dir)
            .field("generation", &self.generation())
            .finish_non_exhaustive()
    }
}
