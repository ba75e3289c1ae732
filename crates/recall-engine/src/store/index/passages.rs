//! Reading chunks with the chunks that enclose them, through the cache of recent hits.

use std::sync::Arc;

use recall_catalog::{ReadError, Snapshot, StoredChunk};
use recall_core::{ChunkRow, Document};

use super::Index;
use super::hit_cache::{Passage, Passages};
use crate::error::StoreError;
use crate::mask::Whole;

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
