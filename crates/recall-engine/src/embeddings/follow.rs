//! How do embeddings follow the catalog?

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use recall_catalog::{Catalog, ChunkRun, Snapshot};
use recall_core::{ChunkRow, ChunkText, Embedding, ModelError, QuantiseError, Quantised, RowSet};
use recall_vector::{Change, Difference, WriteError};

use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::part::{Pace, Reach};
use crate::embeddings::space::Space;
use crate::embeddings::text::Texts;

/// How many chunks without an embedding count as an edit: to embed them by the built-in model takes some 20 ms.
const EDIT_CHUNKS: usize = 1024;

/// How many embeddings are written at a time. A kill costs no more than these.
const BATCH_CHUNKS: usize = 2048;

/// The same of a model that takes some ten milliseconds a chunk: about a second of its work, after which whoever wants to stop
/// can; enough to be sorted by length.
const PATIENT_BATCH_CHUNKS: usize = 64;

/// In the background, the model rests for this part of the time that it has worked: two thirds of one core are left to it.
const REST: f64 = 0.5;

/// How long a rest goes on at least before it is looked whether to stop.
const REST_STEP: Duration = Duration::from_millis(20);

/// What whoever follows remembers.
#[derive(Default)]
pub(crate) struct Following {
    /// Chunks whose embedding has no direction, as that of a text without words; they have none.
    voiceless: HashSet<ChunkRow>,
}

/// One run of following.
struct Run<'a> {
    space: &'a Space,
    kept: Option<&'a EmbeddingCache>,
    reach: Reach,
    is_over: &'a dyn Fn() -> bool,
}

impl Following {
    /// Brings the embeddings up to the catalog, until it is over.
    pub(crate) fn follow(
        &mut self,
        space: &Space,
        pace: Pace,
        kept: Option<&EmbeddingCache>,
        catalog: &Catalog,
        reach: Reach,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), FollowError> {
        let run = Run { space, kept, reach, is_over };
        let vectors = &space.vectors;
        let batch = match pace {
            Pace::AtOnce => BATCH_CHUNKS,
            Pace::Patient => PATIENT_BATCH_CHUNKS,
        };
        while !is_over() {
            // A new one each time: one that is kept for long keeps the catalog's log from being folded in.
            let snapshot = catalog.snapshot()?;
            let generation = snapshot.generation();
            if vectors.generation() == generation {
                break;
            }
            let runs = snapshot.chunk_runs()?;
            let rows = runs.iter().flat_map(ChunkRun::rows).filter(|row| !self.voiceless.contains(row));
            let expected: RowSet = rows.collect();
            let Difference { mut missing, surplus } = vectors.difference(&expected);
            if reach == Reach::Edit && missing.len() > EDIT_CHUNKS {
                return Ok(());
            }
            let is_last = missing.len() <= batch;
            missing.truncate(batch);
            let texts = texts(&snapshot, &runs, &missing)?;
            // What takes long must not keep the catalog's log.
            drop(snapshot);
            let added = self.embed(&run, &texts)?;
            if is_over() {
                // What was embedded is kept; the files may have a new owner.
                break;
            }
            // The generation tells that nothing is missing.
            let reached = if is_last { generation } else { vectors.generation() };
            vectors.apply(reached, &Change { removed: surplus, added })?;
            if reach != Reach::Edit && vectors.is_full() && !is_over() {
                vectors.merge()?;
            }
        }
        if reach != Reach::Edit && vectors.wants_merge() && !is_over() {
            vectors.merge()?;
        }
        Ok(())
    }

    /// Embeds chunks, those that were not embedded before.
    fn embed(&mut self, run: &Run<'_>, documents: &[Wanted]) -> Result<Vec<(ChunkRow, Quantised)>, FollowError> {
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
            None => _ = self.voiceless.insert(row),
        };
        let known = run.kept.map_or_else(|| vec![None; chunks.len()], |kept| kept.get(&*run.space.embedder, &chunks));
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
        let quantised = embeddings.iter().map(quantised).collect::<Result<Vec<_>, _>>()?;
        if let Some(kept) = run.kept {
            kept.put(&*run.space.embedder, &wanted, &quantised);
        }
        for (&place, quantised) in missing.iter().zip(quantised) {
            add(rows[place], quantised);
        }
        if run.reach == Reach::Patient {
            rest(began.elapsed().mul_f64(REST), run.is_over);
        }
        Ok(added)
    }
}

/// What is to be embedded of a document: its texts, and of each chunk its row and its place among them.
type Wanted = (Texts, Vec<(ChunkRow, usize)>);

/// The chunks in these rows, which ascend, by document.
fn texts(snapshot: &Snapshot<'_>, runs: &[ChunkRun], rows: &[ChunkRow]) -> Result<Vec<Wanted>, FollowError> {
    let mut documents = Vec::new();
    let mut rest = rows;
    while let Some(&next) = rest.first() {
        // Rows are given out in ascending order, to documents as to their chunks.
        let run = runs[runs.partition_point(|run| run.first <= next) - 1];
        let end = ChunkRow(run.first.0 + i64::from(run.count));
        let (here, behind) = rest.split_at(rest.partition_point(|row| *row < end));
        rest = behind;
        let Some(chunked) = snapshot.chunked(run.document)? else { continue };
        let places = here.iter().map(|row| (*row, (row.0 - run.first.0) as usize)).collect();
        documents.push((Texts::of(&chunked), places));
    }
    Ok(documents)
}

/// Leaves the processor to others for a time, or until it is over.
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

/// Rounds an embedding; `None` for one without a direction.
fn quantised(embedding: &Embedding) -> Result<Option<Quantised>, QuantiseError> {
    match Quantised::of(embedding) {
        Err(QuantiseError::Zero) => Ok(None),
        rounded => rounded.map(Some),
    }
}

/// The embeddings do not follow.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FollowError {
    #[error("the catalog cannot be read")]
    Read(#[from] recall_catalog::ReadError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the model {0}")]
    NoEmbedding(#[from] QuantiseError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl FollowError {
    /// Whether the embeddings themselves cannot be read.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Write(WriteError::Damaged { .. }))
    }
}
