//! The answer of an exact search.

use std::time::Duration;

use recall_core::{Filters, Timestamp};

use super::scan::Matching;
use crate::coverage::Coverage;
use crate::search::Hit;
use crate::warning::Warning;

/// The answer of an exact search.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactAnswer {
    /// The filters in effect. Languages have their canonical names.
    pub filters: Filters,
    /// The lines of the page, best document first. The chunk of a hit is a line, or the lines of a literal with line breaks.
    pub hits: Vec<Hit>,
    /// How much matches in all.
    pub totals: ExactTotals,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
    /// Whether the answer is about everything that the stores should hold now. Files that are never indexed are not part of it.
    pub is_complete: bool,
    /// How many files of the stores are not indexed.
    pub files_left_out: u64,
    /// The number of documents that were searched. If nothing matches, those that pass the filters.
    pub documents_searched: u64,
    /// The state of each store as this answer saw it.
    pub coverage: Vec<Coverage>,
    /// The number of new or changed files that the answer does not reflect yet.
    pub stale_files: u64,
    /// How long each stage took.
    pub stages: Vec<(&'static str, Duration)>,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// How much matches in all stores, not only on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactTotals {
    /// The matches, which do not overlap.
    pub matches: u64,
    /// The lines in which they begin.
    pub lines: u64,
    /// The documents that have them.
    pub documents: u64,
}

impl ExactTotals {
    pub(super) fn sum(matching: &[Matching]) -> Self {
        Self {
            matches: matching.iter().map(|one| one.matches).sum(),
            lines: matching.iter().map(|one| one.lines).sum(),
            documents: matching.len() as u64,
        }
    }
}

impl ExactAnswer {
    /// Returns the modification time of the newest document that was searched.
    pub fn snapshot(&self) -> Option<Timestamp> {
        self.coverage.iter().filter_map(|coverage| coverage.newest).max()
    }
}
