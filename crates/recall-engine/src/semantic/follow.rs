//! How do embeddings follow the catalog?

use std::collections::HashSet;

use parking_lot::MutexGuard;
use recall_catalog::{Catalog, ChunkRun, Snapshot};
use recall_core::{ChunkRow, Embedding, ModelError, QuantiseError, Quantised, RowSet};
use recall_vector::{Change, Difference, WriteError};

use super::text::Texts;
use super::{Semantic, Space};
use crate::progress::Cancel;

/// How many chunks without an embedding count as an edit: to embed them by the built-in model takes some 20 ms.
const EDIT_CHUNKS: usize = 1024;

/// How many embeddings are written at a time. A kill costs no more than these.
const BATCH_CHUNKS: usize = 2048;

/// What whoever follows remembers.
#[derive(Default)]
pub(crate) struct Following {
    /// Chunks whose embedding has no direction, as that of a text without words; they have none.
    voiceless: HashSet<ChunkRow>,
}

/// How far to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At once, if that is an edit; an import is left to the background.
    Edit,
    /// To the end.
    Whole,
}

impl Semantic {
    /// Brings the embeddings up to what the catalog holds.
    ///
    /// Does nothing without a model, and while another thread does it: that one goes on until it is through. What fails is
    /// noted, and tried again the next time.
    pub(crate) fn follow(&self, catalog: &Catalog, reach: Reach, cancel: &Cancel) {
        if let Some(following) = self.following.try_lock() {
            self.follow_as(following, catalog, reach, cancel);
        }
    }

    /// Waits until the embeddings are up to what the catalog holds, or cannot be brought there.
    pub(crate) fn settle(&self, catalog: &Catalog, cancel: &Cancel) {
        self.follow_as(self.following.lock(), catalog, Reach::Whole, cancel);
    }

    fn follow_as(&self, mut following: MutexGuard<'_, Following>, catalog: &Catalog, reach: Reach, cancel: &Cancel) {
        let Some(space) = self.open_space() else { return };
        match following.follow(&space, catalog, reach, cancel) {
            Ok(()) => *self.problem.lock() = None,
            Err(error) => {
                self.note(&error);
                if let FollowError::Write(WriteError::Damaged { .. }) = error {
                    self.give_up(&space);
                }
            }
        }
    }
}

impl Following {
    fn follow(&mut self, space: &Space, catalog: &Catalog, reach: Reach, cancel: &Cancel) -> Result<(), FollowError> {
        let vectors = &space.vectors;
        while !cancel.is_cancelled() {
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
            let is_last = missing.len() <= BATCH_CHUNKS;
            missing.truncate(BATCH_CHUNKS);
            let added = self.embed(space, &snapshot, &runs, &missing)?;
            // The generation tells that nothing is missing.
            let reached = if is_last { generation } else { vectors.generation() };
            vectors.apply(reached, &Change { removed: surplus, added })?;
        }
        if reach == Reach::Whole && vectors.wants_merge() && !cancel.is_cancelled() {
            vectors.merge()?;
        }
        Ok(())
    }

    /// Embeds the chunks in these rows, which ascend.
    fn embed(
        &mut self,
        space: &Space,
        snapshot: &Snapshot<'_>,
        runs: &[ChunkRun],
        rows: &[ChunkRow],
    ) -> Result<Vec<(ChunkRow, Quantised)>, FollowError> {
        let mut added = Vec::with_capacity(rows.len());
        let mut rest = rows;
        while let Some(&next) = rest.first() {
            // Rows are given out in ascending order, to documents as to their chunks.
            let run = runs[runs.partition_point(|run| run.first <= next) - 1];
            let end = ChunkRow(run.first.0 + i64::from(run.count));
            let (here, behind) = rest.split_at(rest.partition_point(|row| *row < end));
            rest = behind;
            let Some(chunked) = snapshot.chunked(run.document)? else { continue };
            let texts = Texts::of(&chunked);
            let parts = texts.parts();
            let wanted: Vec<_> = here.iter().map(|row| parts[(row.0 - run.first.0) as usize]).collect();
            for (&row, embedding) in here.iter().zip(space.embedder.embed_chunks(&wanted)?) {
                match quantised(&embedding)? {
                    Some(quantised) => added.push((row, quantised)),
                    None => _ = self.voiceless.insert(row),
                }
            }
        }
        Ok(added)
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
enum FollowError {
    #[error("the catalog cannot be read")]
    Read(#[from] recall_catalog::ReadError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the model {0}")]
    NoEmbedding(#[from] QuantiseError),
    #[error(transparent)]
    Write(#[from] WriteError),
}
