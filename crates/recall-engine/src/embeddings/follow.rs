//! Updating embeddings to the catalog.
//!
//! What is to do is a difference: the rows of the catalog without the rows that have embeddings. So no list of pending work is kept,
//! and an update may be killed after any batch. Slow models run between two snapshots, not within one, because an open snapshot keeps
//! the write-ahead log from shrinking. The generation is stored only with the last batch: until then the embeddings count as
//! incomplete.

use std::collections::HashSet;
use std::mem::take;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use recall_core::{ChunkRow, ChunkText, Embedding, Generation, ModelError, QuantiseError, Quantised, RowSet};
use recall_index::catalog::{Catalog, ChunkRun, ChunkedDocument, Snapshot};
use recall_index::vector::{Change, Difference, VectorWriteError, Vectors};

use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::model_vectors::ModelVectors;
use crate::embeddings::models::{UpdateExtent, UpdateMode};
use crate::embeddings::text::ChunkTexts;
use crate::settings::OnBattery;

/// The most chunks without an embedding that count as an edit: the built-in model embeds them in some 20 ms.
const EDIT_CHUNKS: usize = 1024;

/// How many embeddings are written at a time, which is the most that a kill can lose.
const BATCH_CHUNKS: usize = 2048;

/// The same for a model that takes some ten milliseconds per chunk: about a second of work, after which it can be cancelled, and
/// enough chunks to sort by length.
const BACKGROUND_BATCH_CHUNKS: usize = 64;

/// In the background, the model pauses for this fraction of the time that it has worked, and so uses two thirds of one core.
const REST: f64 = 0.5;

/// How often a pause checks for cancellation.
const REST_STEP: Duration = Duration::from_millis(20);

/// The state that is kept between two updates.
#[derive(Default)]
pub(crate) struct FollowState {
    /// Chunks whose embedding is the zero vector, as that of a text without words. They are not stored.
    zero: HashSet<ChunkRow>,
}

/// What a generation of the catalog has to embed and to remove.
struct ToDo {
    generation: Generation,
    runs: Vec<ChunkRun>,
    /// Ascending.
    missing: Vec<ChunkRow>,
    orphaned: Vec<ChunkRow>,
}

/// The inputs of one update.
pub(crate) struct UpdateRun<'a> {
    pub(crate) space: &'a ModelVectors,
    pub(crate) cache: Option<&'a EmbeddingCache>,
    pub(crate) extent: UpdateExtent,
    pub(crate) is_over: &'a dyn Fn() -> bool,
    /// Asked before each batch; `None` to embed on battery too.
    pub(crate) on_battery: Option<&'a OnBattery>,
    /// Whether the update ended because this machine runs on battery.
    pub(crate) awaits_power: &'a AtomicBool,
}

impl UpdateRun<'_> {
    /// Returns whether the update ends for now, because this machine runs on battery.
    fn ends_for_power(&self) -> bool {
        let awaits_power = self.on_battery.is_some_and(|on_battery| on_battery());
        self.awaits_power.store(awaits_power, Ordering::Relaxed);
        awaits_power
    }
}

impl FollowState {
    /// Updates the embeddings to the catalog, until `is_over` returns true.
    pub(crate) fn follow(
        &mut self,
        run: &UpdateRun<'_>,
        pace: UpdateMode,
        catalog: &Catalog,
    ) -> Result<(), FollowError> {
        let UpdateRun { space, extent, is_over, .. } = *run;
        let vectors = &space.vectors;
        run.awaits_power.store(false, Ordering::Relaxed);
        let batch = match pace {
            UpdateMode::Inline => BATCH_CHUNKS,
            UpdateMode::Background => BACKGROUND_BATCH_CHUNKS,
        };
        let may_merge = !matches!(extent, UpdateExtent::FewChunks | UpdateExtent::Newest);
        let mut to_do: Option<ToDo> = None;
        while !is_over() {
            // A new snapshot each time: an old one keeps the catalog's write-ahead log from being checkpointed.
            let snapshot = catalog.snapshot()?;
            let generation = snapshot.generation();
            if vectors.generation() == generation {
                break;
            }
            // Comparing all rows for each batch would take a time that grows with the square of the store.
            let now = match to_do.take().filter(|known| known.generation == generation) {
                Some(known) => to_do.insert(known),
                None => to_do.insert(self.find_to_do(&snapshot, vectors)?),
            };
            if extent == UpdateExtent::FewChunks && now.missing.len() > EDIT_CHUNKS {
                return Ok(());
            }
            if !now.missing.is_empty() && run.ends_for_power() {
                return Ok(());
            }
            let is_last = now.missing.len() <= batch;
            let rows = if is_last { take(&mut now.missing) } else { space.next_batch(&now.missing, batch) };
            let build = if space.embedder.is_remote() { ChunkTexts::with_masks } else { ChunkTexts::new };
            let texts = texts(&snapshot, &now.runs, &rows, build)?;
            // The slow part must not keep the snapshot, and with it the write-ahead log.
            drop(snapshot);
            let added = self.embed(run, &texts)?;
            if is_over() {
                // The embeddings are in the cache. The files may have a new owner, so they are not written.
                break;
            }
            now.missing.retain(|row| rows.binary_search(row).is_err());
            // The catalog's generation is set only if nothing is missing.
            let reached = if is_last { generation } else { vectors.generation() };
            vectors.apply(reached, &Change { removed: take(&mut now.orphaned), added })?;
            if may_merge && vectors.is_full() && !is_over() {
                vectors.merge()?;
            }
            if extent == UpdateExtent::Newest {
                break;
            }
        }
        // A merge writes one base, and several may be worn after a switch of branches.
        while may_merge && vectors.wants_merge() && !is_over() {
            vectors.merge()?;
        }
        Ok(())
    }

    fn find_to_do(&self, snapshot: &Snapshot<'_>, vectors: &Vectors) -> Result<ToDo, FollowError> {
        let runs = snapshot.chunk_runs()?;
        let rows = runs.iter().flat_map(ChunkRun::rows).filter(|row| !self.zero.contains(row));
        let expected: RowSet = rows.collect();
        let Difference { missing, orphaned } = vectors.difference(&expected);
        Ok(ToDo { generation: snapshot.generation(), runs, missing, orphaned })
    }

    /// Returns the embeddings of chunks, from the cache or the model. Zero vectors are left out.
    fn embed(&mut self, run: &UpdateRun<'_>, documents: &[Batch]) -> Result<Vec<(ChunkRow, Quantised)>, FollowError> {
        let mut rows = Vec::new();
        let mut chunks: Vec<ChunkText<'_>> = Vec::new();
        for (texts, wanted) in documents {
            let parts = texts.parts();
            for &(row, place) in wanted {
                rows.push(row);
                chunks.push(parts[place]);
            }
        }
        let mut added = Vec::with_capacity(rows.len());
        let mut add = |row: ChunkRow, quantised: Option<Quantised>| match quantised {
            Some(quantised) => added.push((row, quantised)),
            None => _ = self.zero.insert(row),
        };
        let known =
            run.cache.map_or_else(|| vec![None; chunks.len()], |cache| cache.get(&*run.space.embedder, &chunks));
        let mut missing = Vec::new();
        for (place, known) in known.into_iter().enumerate() {
            match known {
                Some(quantised) => add(rows[place], Some(quantised)),
                None => missing.push(place),
            }
        }
        if missing.is_empty() {
            return Ok(added);
        }
        let began = Instant::now();
        let wanted: Vec<ChunkText<'_>> = missing.iter().map(|&place| chunks[place]).collect();
        let embeddings = run.space.embedder.embed_chunks(&wanted)?;
        let quantised = embeddings.iter().map(quantise).collect::<Result<Vec<_>, _>>()?;
        if let Some(cache) = run.cache {
            cache.put(&*run.space.embedder, &wanted, &quantised);
        }
        for (&place, quantised) in missing.iter().zip(quantised) {
            add(rows[place], quantised);
        }
        if run.extent == UpdateExtent::CompleteWithPauses {
            rest(began.elapsed().mul_f64(REST), run.is_over);
        }
        Ok(added)
    }
}

/// The chunks of a document to embed: its texts, and the row and index of each chunk.
type Batch = (ChunkTexts, Vec<(ChunkRow, usize)>);

/// Reads the chunks in these ascending rows, by document.
fn texts(
    snapshot: &Snapshot<'_>,
    runs: &[ChunkRun],
    rows: &[ChunkRow],
    build: fn(&ChunkedDocument) -> ChunkTexts,
) -> Result<Vec<Batch>, FollowError> {
    let mut documents = Vec::new();
    let mut rest = rows;
    while let Some(&next) = rest.first() {
        // Chunks of later documents have greater rows, so the documents' ranges are sorted.
        let run = runs[runs.partition_point(|run| run.first <= next) - 1];
        let end = ChunkRow(run.first.0 + i64::from(run.count));
        let (here, after) = rest.split_at(rest.partition_point(|row| *row < end));
        rest = after;
        let Some(chunked) = snapshot.chunked_document(run.document)? else { continue };
        let places = here.iter().map(|row| (*row, (row.0 - run.first.0) as usize)).collect();
        documents.push((build(&chunked), places));
    }
    Ok(documents)
}

/// Sleeps for a time, or until `is_over` returns true.
fn rest(time: Duration, is_over: &dyn Fn() -> bool) {
    let until = Instant::now() + time;
    while !is_over() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(REST_STEP));
    }
}

/// Quantises an embedding; `None` for the zero vector.
fn quantise(embedding: &Embedding) -> Result<Option<Quantised>, QuantiseError> {
    match Quantised::quantise(embedding) {
        Err(QuantiseError::Zero) => Ok(None),
        rounded => rounded.map(Some),
    }
}

/// The embeddings cannot be updated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FollowError {
    #[error("the catalog cannot be read")]
    Read(#[from] recall_index::catalog::ReadError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the model {0}")]
    NoEmbedding(#[from] QuantiseError),
    #[error(transparent)]
    Write(#[from] VectorWriteError),
}

impl FollowError {
    /// Returns whether the embeddings themselves are damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Write(VectorWriteError::Damaged { .. }))
    }
}
