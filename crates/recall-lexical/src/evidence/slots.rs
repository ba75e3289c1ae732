//! Where in a segment are the chunks of the candidates' documents?

use std::ops::Range;

use tantivy::postings::BlockSegmentPostings;
use tantivy::{DocId, TERMINATED};

use crate::snapshot::Segment;

/// The entries of one document: neighbours, because a document is written in one batch.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The entries, its chunks in order.
    pub(super) entries: Range<DocId>,
    /// The place of its first entry among the entries of all slots of the segment.
    pub(super) base: usize,
}

impl Slot {
    /// The place of an entry among the entries of all slots of the segment.
    pub(super) fn local(&self, entry: DocId) -> usize {
        self.base + (entry - self.entries.start) as usize
    }

    /// The places of its entries among the entries of all slots of the segment.
    pub(super) fn locals(&self) -> Range<usize> {
        self.base..self.base + self.entries.len()
    }
}

/// How many entries to the side are taken at most: a document longer than this is taken in part.
const LONGEST_DOCUMENT: DocId = 4_096;

/// The slots of the documents that hold the entries, ascending, each document once.
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

/// Calls `found` with each posting that is in a slot: the slot's place, the entry, its frequency; ascending.
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
