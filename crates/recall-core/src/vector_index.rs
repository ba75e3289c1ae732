//! Which chunks' embeddings lie nearest to that of a query?

use std::error::Error;

use crate::{ChunkRow, RowSet};

/// An index of the embeddings of chunks, all by one model.
///
/// One implementation looks at every embedding and is right by construction; another walks a graph and is measured
/// against the first.
pub trait VectorIndex: Send + Sync {
    /// How many components every embedding has.
    fn dimensions(&self) -> usize;

    /// How many chunks have an embedding here.
    fn len(&self) -> usize;

    /// Whether no chunk has an embedding here.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Finds the chunks whose embeddings have the greatest cosine to the query's.
    ///
    /// At most `count` of those that the filter lets through, the greatest cosine first, of equal ones the lesser row
    /// first; fewer only when there are no more. The query's length does not matter.
    ///
    /// # Errors
    /// See [`NearestError`].
    fn nearest(&self, query: &[f32], filter: RowFilter<'_>, count: usize) -> Result<Vec<Neighbour>, NearestError>;

    /// The cosine of the query to each of these chunks, in their order; `None` for a chunk without an embedding.
    ///
    /// Equal to what [`nearest`](Self::nearest) tells of the same chunk.
    ///
    /// # Errors
    /// See [`NearestError`].
    fn cosines(&self, query: &[f32], rows: &[ChunkRow]) -> Result<Vec<Option<f32>>, NearestError>;
}

/// A chunk near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The chunk.
    pub row: ChunkRow,
    /// The cosine of its embedding and the query's, from -1 to 1 but for rounding.
    pub cosine: f32,
}

/// Which chunks may be found.
#[derive(Clone, Copy, Debug)]
pub enum RowFilter<'a> {
    /// All of them.
    All,
    /// These, as far as they have an embedding.
    Only(&'a RowSet),
}

impl RowFilter<'_> {
    /// Whether a chunk may be found.
    pub fn allows(&self, row: ChunkRow) -> bool {
        match self {
            Self::All => true,
            Self::Only(rows) => rows.contains(row),
        }
    }
}

/// Nothing was searched.
#[derive(Debug, thiserror::Error)]
pub enum NearestError {
    /// The query was embedded by another model.
    #[error("the query's embedding has {found} dimensions, those of the index have {expected}")]
    Dimensions {
        /// How many the index's embeddings have.
        expected: usize,
        /// How many the query's has.
        found: usize,
    },
    /// The query's embedding has no direction: it is zero, or a component is no finite number.
    #[error("the query's embedding has no direction")]
    NoDirection,
    /// The index's files are not what was written. It can be set aside and made anew.
    #[error("the index of embeddings is damaged: {reason}")]
    Damaged {
        /// What was found.
        reason: String,
    },
    /// The index cannot be read.
    #[error("the index of embeddings cannot be read")]
    Unreadable {
        /// What was said.
        source: Box<dyn Error + Send + Sync>,
    },
}
