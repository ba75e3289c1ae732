//! The index of a store: its catalog, its lexical index, its embeddings, and what is held in memory of them.
//!
//! It is derived from the files and the journals, of which it knows nothing: [`IndexWriting`] writes what its caller read there.
//!
//! The parts commit in one order, without a two-phase commit (ADR 1): the catalog, then the lexical index with the same generation in
//! its payload, then the [generation](GenerationGate) is published. A crash in between leaves a lexical index of an older generation,
//! which is rebuilt from the catalog when the store is opened or written next. Embeddings follow and are never ahead of the catalog:
//! their rows would mean other chunks (ADR 11).
//!
//! One process has the right to write (`lock`, ADR 17), one of its threads has the turn (`writing`). Everyone else reads.

mod disturbance;
mod hit_cache;
mod lock;
mod open;
mod signatures;
mod writing;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::{Condvar, Mutex};
use recall_core::{ChunkRow, Document, DocumentRow, Generation};
use recall_index::catalog::{Catalog, ReadError, Snapshot, StoredChunk};
use recall_index::lexical::exact::Pattern;
use recall_index::lexical::{Lexical, LexicalWriter, Searcher};

use super::ordered::OrderedMutex;
use crate::embeddings::{Embeddings, Models, UpdateExtent};
use crate::error::StoreError;
use crate::index_runs::Cancel;
use crate::known::{Known, Written};
use crate::links;
use crate::links::meaning::Stated;
use crate::links::structure::Structure;
use crate::mask::Whole;
use crate::store_folder::StoreFolder;
use crate::warning::LeftOutGroup;

pub(crate) use disturbance::Disturbed;
pub(super) use hit_cache::ReadTurn;
use hit_cache::{HitCache, StructureCell};
pub(crate) use hit_cache::{Passage, Passages};
pub(crate) use lock::{IndexLock, IndexLocks};
pub(super) use open::{quarantine_catalog, quarantine_part};
use signatures::SignatureCache;
pub(crate) use writing::IndexWriting;

/// A part of a store's index that can be quarantined and rebuilt on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexPart {
    /// The catalog, rebuilt from the files.
    Catalog,
    /// The lexical index, rebuilt from the catalog.
    Lexical,
}

/// The index of a store.
pub(crate) struct Index {
    root: PathBuf,
    /// The right of this process to write.
    lock: IndexLock,
    catalog: Catalog,
    lexical: Lexical,
    embeddings: Embeddings,
    /// The writer of the lexical index, while it is open. Held while the index is written: an index has one writer at a time.
    writing: OrderedMutex<Option<LexicalWriter>>,
    /// How many threads wait to write a few documents. A long run lets them write between its batches.
    short_writes: AtomicUsize,
    published: GenerationGate,
    views: CatalogViews,
    /// When the index files were last checked for foreign changes.
    checked: Mutex<Option<Instant>>,
}

/// What is held in memory of the catalog.
#[derive(Default)]
struct CatalogViews {
    /// The state of each file, as of the last published generation.
    known: ArcSwap<Known>,
    /// The links that documents state, as of the generation that was last read.
    stated: ArcSwapOption<Stated>,
    /// The graph of the documents, as of its own generation.
    structure: StructureCell,
    /// The recently returned chunks.
    passages: HitCache,
    signatures: SignatureCache,
}

impl Index {
    /// Runs a reader inside one read transaction.
    pub(crate) fn read<T>(
        &self,
        reader: impl FnOnce(&Snapshot<'_>) -> Result<T, recall_index::catalog::ReadError>,
    ) -> Result<T, StoreError> {
        reader(&self.snapshot()?).map_err(|source| self.read_error(source))
    }

    /// Returns the catalog as of now.
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.catalog.snapshot().map_err(|source| self.read_error(source))
    }

    /// Returns the lexical index as of now.
    pub(crate) fn searcher(&self) -> Searcher {
        self.lexical.searcher()
    }

    /// Returns the generation that searches see.
    pub(crate) fn generation(&self) -> Generation {
        self.lexical.generation()
    }

    /// Returns the generation of the catalog, which is committed before the one that searches see.
    fn catalog_generation(&self) -> Result<Generation, StoreError> {
        self.catalog.generation().map_err(|source| self.read_error(source))
    }

    /// Returns the generations of the catalog and of the lexical index, which differ if a write did not end.
    pub(crate) fn committed_generations(&self) -> Result<(Generation, Generation), StoreError> {
        // Between the two commits of a batch they differ too.
        let _writing = self.writing.lock();
        Ok((self.catalog_generation()?, self.generation()))
    }

    /// Waits until searches see a generation.
    pub(crate) fn wait_for_generation(&self, generation: Generation, patience: Duration) {
        self.published.wait_for(generation, patience);
    }

    /// Returns whether no search can find anything in it: it was never written, or the first run did not finish.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.generation() == Generation::default()
    }

    /// Returns the damage that a check of the whole catalog finds.
    pub(crate) fn check_catalog(&self) -> Result<Vec<recall_index::catalog::Problem>, StoreError> {
        self.catalog.check().map_err(|source| self.read_error(source))
    }

    /// Returns whether this process may write it and an older version of the parser wrote its documents.
    pub(crate) fn has_outdated_documents(&self) -> Result<bool, StoreError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let parser_version = self.read(|snapshot| snapshot.parser_version())?;
        Ok(parser_version != recall_chunk::VERSION && !self.catalog.is_read_only() && !self.holds_nothing())
    }

    /// Counts the files that are not indexed by reason, the most frequent first. Nested repositories are not counted: they have
    /// stores of their own.
    pub(crate) fn left_out_groups(&self) -> Result<Vec<LeftOutGroup>, StoreError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let groups = self.read(|snapshot| snapshot.failure_groups())?;
        let group = |(reason, files): (String, u64)| {
            let may_hide_text = recall_watch::may_hide_text(&reason);
            LeftOutGroup { reason, files, may_hide_text }
        };
        Ok(groups.into_iter().map(group).collect())
    }

    /// Returns the state of each file in the catalog, as of the last published generation.
    pub(crate) fn known_documents(&self) -> Arc<Known> {
        self.views.known.load_full()
    }

    /// Reads the state of each file from the catalog again.
    pub(crate) fn reload_known(&self) -> Result<(), StoreError> {
        let known = self.read(Known::read)?;
        self.views.known.store(Arc::new(known));
        Ok(())
    }

    /// Reads the state of the files that an ingest wrote; of all files if another process wrote meanwhile.
    pub(crate) fn reload_written(&self, written: &Written<'_>) -> Result<(), StoreError> {
        let before = self.known_documents();
        let known = self.read(|snapshot| {
            // The ingest's transaction adds one to the generation; a greater generation includes another writer's transaction.
            if snapshot.generation().0 == before.generation.0 + 1 {
                before.read_again(snapshot, written)
            } else {
                Known::read(snapshot)
            }
        })?;
        self.views.known.store(Arc::new(known));
        Ok(())
    }

    /// Reloads what another process has written.
    pub(crate) fn follow(&self) -> Result<(), StoreError> {
        if self.catalog_generation()? != self.views.known.load().generation {
            self.lexical.refresh().map_err(|source| StoreError::OpenLexical { root: self.root.clone(), source })?;
            self.reload_known()?;
            self.published.publish(self.generation());
        }
        Ok(())
    }

    /// Returns the links that the documents of a snapshot state. They are read once per generation.
    pub(crate) fn stated_links(&self, snapshot: &Snapshot<'_>) -> Result<Arc<Stated>, StoreError> {
        if let Some(stated) = self.views.stated.load_full().filter(|stated| stated.generation == snapshot.generation())
        {
            return Ok(stated);
        }
        let stated = Arc::new(Stated::read(snapshot).map_err(|source| self.read_error(source))?);
        self.views.stated.store(Some(Arc::clone(&stated)));
        Ok(stated)
    }

    /// Returns the documents of a snapshot whose texts may match a pattern, ascending. Every text that matches is among them.
    pub(crate) fn may_match(&self, snapshot: &Snapshot<'_>, pattern: &Pattern) -> Result<Vec<DocumentRow>, StoreError> {
        self.views.signatures.may_match(snapshot, pattern).map_err(|source| self.read_error(source))
    }

    /// Returns the last graph of the documents that was read.
    pub(crate) fn structure(&self) -> Arc<Structure> {
        self.views.structure.current()
    }

    /// Returns whether the graph is that of the documents that searches see.
    pub(super) fn is_structure_current(&self) -> bool {
        self.structure().generation >= self.generation()
    }

    /// Reads the graph and makes it visible to queries.
    pub(crate) fn read_structure(&self) -> Result<(), StoreError> {
        let structure = self.read(|snapshot| Ok(Structure::new(snapshot.generation(), links(snapshot)?)))?;
        self.views.structure.replace(structure);
        Ok(())
    }

    /// Takes the turn to read the graph, unless another thread has it or a long read ended recently.
    pub(super) fn begin_reading_structure(&self) -> ReadTurn {
        self.views.structure.begin()
    }

    /// Gives the turn back, and records how long the read took.
    pub(super) fn end_reading_structure(&self, took: Duration) {
        self.views.structure.end(took);
    }

    /// Waits until no thread reads the graph; returns `false` if that takes longer than `patience`, from `asked` or from the beginning
    /// of the read.
    pub(super) fn wait_for_structure_reader(&self, asked: Instant, patience: Duration) -> bool {
        self.views.structure.wait(asked, patience)
    }

    /// Returns the embeddings, to be asked.
    pub(crate) fn embeddings(&self) -> &Embeddings {
        &self.embeddings
    }

    pub(super) fn use_models(&self, models: &Models) {
        self.embeddings.use_models(models, self.known_documents().generation);
    }

    /// Updates the embeddings that follow at once to the catalog, within `extent`.
    pub(crate) fn catch_up(&self, extent: UpdateExtent, cancel: &Cancel) {
        self.embeddings.follow(&self.catalog, extent, cancel);
    }

    /// Updates the embeddings that follow in the background to the catalog.
    pub(super) fn embed(&self, cancel: &Cancel) {
        self.embeddings.follow_in_background(&self.catalog, cancel);
    }

    /// Updates all embeddings to the catalog.
    pub(crate) fn embed_everything(&self, cancel: &Cancel) {
        self.embeddings.settle(&self.catalog, cancel);
    }

    /// Writes the index to the folder of another root that has none, unless it is being written for longer than `patience`. The
    /// files that are never written again are shared.
    ///
    /// An error leaves an index that is repaired or rebuilt when it is opened.
    pub(super) fn fork(&self, target: &StoreFolder, patience: Duration) -> Result<(), StoreError> {
        let failed = |source: std::io::Error| StoreError::Folder { path: target.index.clone(), source };
        self.lock.take()?;
        let writing = self.writing.try_lock_for(patience).filter(|_| !self.holds_nothing());
        let mut writing = writing.ok_or_else(|| failed(std::io::Error::other("it is still being written")))?;
        // Its merges would delete files.
        self.close_lexical_writer(&mut writing);
        self.lexical.fork(&target.lexical()).map_err(failed)?;
        self.embeddings.fork(&target.vectors()).map_err(failed)?;
        // Last, because a folder without a catalog has no index.
        self.catalog
            .fork(&target.catalog())
            .map_err(|source| StoreError::OpenCatalog { root: self.root.clone(), source })
    }

    /// Returns the error of a failed read of the catalog.
    pub(crate) fn read_error(&self, source: recall_index::catalog::ReadError) -> StoreError {
        StoreError::ReadCatalog { root: self.root.clone(), source }
    }

    /// Returns the error of a failed write of the catalog.
    pub(crate) fn write_error(&self, source: recall_index::catalog::CatalogWriteError) -> StoreError {
        StoreError::WriteCatalog { root: self.root.clone(), source }
    }

    /// Returns the error of a failed search of the lexical index.
    pub(crate) fn search_error(&self, source: recall_index::lexical::SearchError) -> StoreError {
        StoreError::SearchLexical { root: self.root.clone(), source }
    }

    /// Returns the error of a failed write of the lexical index.
    pub(crate) fn lexical_write_error(&self, source: recall_index::lexical::LexicalWriteError) -> StoreError {
        StoreError::WriteLexical { root: self.root.clone(), source }
    }
}

impl Index {
    /// Returns the whole text of a document, as an answer shows it; `None` if another version of it has been indexed since.
    ///
    /// # Errors
    /// The catalog cannot be read.
    pub(crate) fn whole_text(&self, document: &Document) -> Result<Option<Whole>, StoreError> {
        let text = self.read(|snapshot| {
            let stored = snapshot.document(document.id)?.filter(|stored| stored.document.hash == document.hash);
            stored.map_or(Ok(None), |stored| snapshot.text(stored.row))
        })?;
        Ok(text.map(|text| Whole::new(&document.path, text)))
    }

    /// Returns the chunks in these rows, in their order, from the cache where it has them.
    pub(crate) fn passages(&self, rows: &[ChunkRow]) -> Result<Passages, StoreError> {
        let generation = self.generation();
        let mut all = self.views.passages.get(generation, rows);
        let missing: Vec<usize> = (0..rows.len()).filter(|&place| all[place].is_none()).collect();
        if missing.is_empty() {
            return Ok(Passages { all, generation, are_any_kept: !rows.is_empty() });
        }
        let wanted: Vec<ChunkRow> = missing.iter().map(|&place| rows[place]).collect();
        let Passages { all: read, generation, .. } = self.read_passages_uncached(&wanted)?;
        for (&place, passage) in missing.iter().zip(read) {
            all[place] = passage;
        }
        Ok(Passages { all, generation, are_any_kept: missing.len() < rows.len() })
    }

    /// Reads the chunks in these rows, in their order, without the cache, and caches them.
    pub(crate) fn read_passages_uncached(&self, rows: &[ChunkRow]) -> Result<Passages, StoreError> {
        let (generation, all) = self.read(|snapshot| Ok((snapshot.generation(), read(snapshot, rows)?)))?;
        self.views.passages.keep(generation, all.iter().flatten().map(Arc::clone));
        Ok(Passages { all, generation, are_any_kept: false })
    }
}

fn read(snapshot: &Snapshot<'_>, rows: &[ChunkRow]) -> Result<Vec<Option<Arc<Passage>>>, ReadError> {
    let passage = |stored: Option<StoredChunk>| {
        stored.map(|stored| Ok(Arc::new(Passage { parents: snapshot.enclosing(&stored)?, stored }))).transpose()
    };
    snapshot.hits(rows)?.into_iter().map(passage).collect()
}

/// The generation that searches see, and a way to wait for the next one.
///
/// The catalog commits a generation before the lexical index does. A search that gets a row from the lexical index which the
/// catalog no longer has waits here until both have the same generation.
#[derive(Debug)]
pub(crate) struct GenerationGate {
    generation: Mutex<Generation>,
    changed: Condvar,
}

impl GenerationGate {
    pub(crate) fn new(generation: Generation) -> Self {
        Self { generation: Mutex::new(generation), changed: Condvar::new() }
    }

    /// Publishes a generation and wakes those who wait for it.
    pub(crate) fn publish(&self, generation: Generation) {
        *self.generation.lock() = generation;
        self.changed.notify_all();
    }

    /// Waits until the generation is published; returns whether that was before the timeout.
    pub(crate) fn wait_for(&self, generation: Generation, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut published = self.generation.lock();
        while *published < generation {
            if self.changed.wait_until(&mut published, deadline).timed_out() {
                return *published >= generation;
            }
        }
        true
    }
}
