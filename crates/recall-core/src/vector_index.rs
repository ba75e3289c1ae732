//! The port for nearest-neighbour search in embeddings.

use std::error::Error;

use crate::{ChunkRow, RowSet};

/// An index of the embeddings of chunks, all by one model.
///
/// One implementation scans all embeddings and is exact; another searches an HNSW graph, and its recall is measured
/// against the first.
pub trait VectorIndex: Send + Sync {
    /// The number of dimensions of every embedding.
    fn dimensions(&self) -> usize;

    /// The number of chunks that have an embedding.
    fn len(&self) -> usize;

    /// Whether no chunk has an embedding.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Finds the chunks whose embeddings have the greatest cosine to the query's.
    ///
    /// Returns at most `count` of the chunks that the filter allows, by descending cosine; ties are broken by row.
    /// Fewer are returned only if there are no more. The length of the query's embedding does not matter.
    ///
    /// # Errors
    /// See [`NearestError`].
    fn nearest(&self, query: &[f32], filter: RowFilter<'_>, count: usize) -> Result<Vec<Neighbour>, NearestError>;

    /// Returns the cosine of the query to each of these chunks, in their order; `None` for a chunk without an
    /// embedding.
    ///
    /// The cosines equal those of [`nearest`](Self::nearest).
    ///
    /// # Errors
    /// See [`NearestError`].
    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError>;
}

/// A chunk near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The row of the chunk.
    pub row: ChunkRow,
    /// The cosine of its embedding to the query's, from -1 to 1 apart from rounding.
    pub cosine: f32,
}

/// Which chunks a search may return.
#[derive(Clone, Copy, Debug)]
pub enum RowFilter<'a> {
    /// All of them.
    All,
    /// Only these.
    Only(&'a RowSet),
}

impl RowFilter<'_> {
    /// Whether the filter allows a chunk.
    pub fn allows(&self, row: ChunkRow) -> bool {
        match self {
            Self::All => true,
            Self::Only(rows) => rows.contains(row),
        }
    }
}

/// A search in the index failed.
#[derive(Debug, thiserror::Error)]
pub enum NearestError {
    /// The query was embedded by another model.
    #[error("the query's embedding has {found} dimensions, those of the index have {expected}")]
    Dimensions {
        /// The dimensions of the index.
        expected: usize,
        /// The dimensions of the query's embedding.
        found: usize,
    },
    /// The query's embedding is all zero or has a component that is not finite.
    #[error("the query's embedding has no direction")]
    NoDirection,
    /// The index's files are not as they were written. The index can be quarantined and rebuilt.
    #[error("the index of embeddings is damaged: {reason}")]
    Damaged {
        /// What does not fit, as the index found it.
        reason: String,
    },
    /// The index cannot be read.
    #[error("the index of embeddings cannot be read")]
    Unreadable {
        /// What the operating system reports.
        source: Box<dyn Error + Send + Sync>,
    },
}
