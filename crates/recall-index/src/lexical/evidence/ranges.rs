//! The ranges of entries of the candidates' documents in a segment.

use std::ops::Range;

use tantivy::postings::BlockSegmentPostings;
use tantivy::{DocId, TERMINATED};

use crate::lexical::snapshot::Segment;

/// The entries of one document. They are adjacent, because a document is added in one batch.
#[derive(Clone, Debug)]
pub(super) struct DocumentRange {
    /// The entries, in the order of the chunks.
    pub(super) entries: Range<DocId>,
    /// The index of its first entry among the entries of all ranges of the segment.
    pub(super) base: usize,
}

impl DocumentRange {
    /// The index of an entry among the entries of all ranges of the segment.
    pub(super) fn local(&self, entry: DocId) -> usize {
        self.base + (entry - self.entries.start) as usize
    }

    /// The indexes of its entries among the entries of all ranges of the segment.
    pub(super) fn locals(&self) -> Range<usize> {
        self.base..self.base + self.entries.len()
    }
}

/// The most entries taken on either side of a candidate. Longer documents are taken in part.
const MAX_ENTRIES_PER_SIDE: DocId = 4_096;

/// The ranges of the documents that contain the entries, ascending, without duplicates.
pub(super) fn document_ranges(segment: &Segment, mut entries: Vec<DocId>) -> Vec<DocumentRange> {
    entries.sort_unstable();
    let mut ranges: Vec<DocumentRange> = Vec::new();
    let mut base = 0;
    for entry in entries {
        if ranges.last().is_some_and(|range| range.entries.contains(&entry)) {
            continue;
        }
        let Range { start, end } = segment.entries_of_document(entry);
        let first = start.max(entry.saturating_sub(MAX_ENTRIES_PER_SIDE));
        let range = DocumentRange { entries: first..end.min(entry.saturating_add(MAX_ENTRIES_PER_SIDE)), base };
        base += range.entries.len();
        ranges.push(range);
    }
    ranges
}

/// Calls `found` with each posting inside a range, ascending: the range's index, the entry and its frequency.
pub(super) fn each_within(
    mut postings: BlockSegmentPostings,
    ranges: &[DocumentRange],
    mut found: impl FnMut(usize, DocId, u32),
) {
    let mut place = 0;
    while let Some(range) = ranges.get(place) {
        let mut at = postings.seek(range.entries.start);
        loop {
            if at >= postings.block_len() {
                postings.advance();
                at = 0;
                if postings.block_len() == 0 {
                    return;
                }
            }
            let entry = postings.doc(at);
            if entry == TERMINATED {
                return;
            }
            while ranges.get(place).is_some_and(|range| range.entries.end <= entry) {
                place += 1;
            }
            match ranges.get(place) {
                None => return,
                Some(range) if entry < range.entries.start => break,
                Some(_) => found(place, entry, postings.freq(at)),
            }
            at += 1;
        }
    }
}
