//! The answer to a statement.

use std::time::Duration;

use recall_core::{Chunk, ChunkId, Document, MemoryView, StoreScope, Timestamp};

use crate::coverage::Coverage;
use crate::matching::{ConditionPlan, StorePlan};
use crate::warning::Warning;

/// The answer to a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryAnswer {
    /// The rows of the page, in order.
    pub rows: Vec<QueryRow>,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
    /// The state of each store as this answer saw it.
    pub coverage: Vec<Coverage>,
    /// The number of new or changed files that the answer does not reflect yet.
    pub stale_files: u64,
    /// The name of the embedding model that was used.
    pub model: Option<String>,
    /// How the rows were found, if requested.
    pub plan: Option<QueryPlan>,
    /// The time after the update of the stores.
    pub took: Duration,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

impl QueryAnswer {
    /// Returns the modification time of the newest document that was searched.
    pub fn snapshot(&self) -> Option<Timestamp> {
        self.coverage.iter().filter_map(|coverage| coverage.newest).max()
    }

    /// Returns the number of documents that were searched.
    pub fn documents(&self) -> u64 {
        self.coverage.iter().map(|coverage| coverage.documents).sum()
    }
}

/// A document, a chunk or a memory that satisfies the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRow {
    /// The scope of the store that it is from.
    pub scope: StoreScope,
    /// The index of its store in the answer's coverage.
    pub store: usize,
    /// The document that the row is, or is a part of.
    pub document: Document,
    /// The chunk and its text, if the statement selects chunks.
    pub chunk: Option<(ChunkId, Chunk, String)>,
    /// The memory and its validity, if the document is one.
    pub memory: Option<Box<MemoryView>>,
    /// The score, if the statement has `USING`.
    pub score: Option<f64>,
}

/// How the rows were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// The conditions of the filter and where each was evaluated. Those of the catalog are checked again on what was read.
    pub conditions: Vec<ConditionPlan>,
    /// How each store was read.
    pub stores: Vec<StorePlan>,
    /// How rows were ordered.
    pub order: RowOrder,
    /// The number of rows that passed until the page was complete.
    pub passed: u64,
}

/// How rows were ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// They were read in order, as far as the page needs them.
    Read,
    /// All were read and sorted.
    Sorted,
    /// By the scores of the retrievers.
    Ranked,
}

impl RowOrder {
    /// Returns the name, as plans write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read in order",
            Self::Sorted => "sorted",
            Self::Ranked => "ranked",
        }
    }
}
