//! The ranges of entries of the candidates' documents in a segment.

use std::ops::Range;

use tantivy::postings::BlockSegmentPostings;
use tantivy::{DocId, TERMINATED};

use crate::snapshot::Segment;

/// The entries of one document. They are adjacent, because a document is added in one batch.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The entries, in the order of the chunks.
    pub(super) entries: Range<DocId>,
    /// The index of its first entry among the entries of all slots of the segment.
    pub(super) base: usize,
}

impl Slot {
    /// The index of an entry among the entries of all slots of the segment.
    pub(super) fn local(&self, entry: DocId) -> usize {
        self.base + (entry - self.entries.start) as usize
    }

    /// The indexes of its entries among the entries of all slots of the segment.
    pub(super) fn locals(&self) -> Range<usize> {
        self.base..self.base + self.entries.len()
    }
}

/// The most entries taken on either side of a candidate. Longer documents are taken in part.
const LONGEST_DOCUMENT: DocId = 4_096;

/// The slots of the documents that contain the entries, ascending, without duplicates.
pub(super) fn around(segment: &Segment, mut entries: Vec<DocId>) -> Vec<Slot> {
    entries.sort_unstable();
    let mut slots: Vec<Slot> = Vec::new();
    let mut base = 0;
    for entry in entries {
        if slots.last().is_some_and(|slot| slot.entries.contains(&entry)) {
            continue;
        }
        let Range { start, end } = segment.around(entry);
        let first = start.max(entry.saturating_sub(LONGEST_DOCUMENT));
        let slot = Slot { entries: first..end.min(entry.saturating_add(LONGEST_DOCUMENT)), base };
        base += slot.entries.len();
        slots.push(slot);
    }
    slots
}

/// Calls `found` with each posting inside a slot, ascending: the slot's index, the entry and its frequency.
pub(super) fn each_within(
    mut postings: BlockSegmentPostings,
    slots: &[Slot],
    mut found: impl FnMut(usize, DocId, u32),
) {
    let mut place = 0;
    while let Some(slot) = slots.get(place) {
        let mut at = postings.seek(slot.entries.start);
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
            while slots.get(place).is_some_and(|slot| slot.entries.end <= entry) {
                place += 1;
            }
            match slots.get(place) {
                None => return,
                Some(slot) if entry < slot.entries.start => break,
                Some(_) => found(place, entry, postings.freq(at)),
            }
            at += 1;
        }
    }
}
