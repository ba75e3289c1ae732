//! Top-k search over a disjunction of clauses, with `MaxScore` pruning.
//!
//! Scores are summed clause by clause into one accumulator per entry, the clause with the highest bound first. Once the
//! remaining clauses together can add less than the score of the last entry that would be returned, no new entry can
//! qualify (Turtle and Flood's `MaxScore`, 1995, term at a time). The remaining posting lists, which are those of the
//! most common terms, are then read only for the entries that can still qualify. Every sum has the same order of
//! addends in all segments, so equal chunks get bit-identical scores, and results do not depend on when segments are
//! merged.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use recall_core::{ChunkRow, DocumentRow};
use tantivy::{DocId, TantivyError};

use crate::lexical::clause::{DisjunctionQuery, List, TermScorer};
use crate::lexical::filter::DocFilter;
use crate::lexical::snapshot::{Address, Segment};

/// A seek in a list costs about as much as reading this many of its entries in order.
const SEEK_COST: usize = 8;

/// Bounds are sums of rounded numbers. This factor keeps a rounding error from dropping an entry.
const ROUNDING: f32 = 1.0 + 1e-4;

/// The tie breaker of equal scores: chunks whose document has a smaller number come first, then those with a smaller
/// row. Without one, rows alone decide.
pub type TieBreaker<'a> = &'a dyn Fn(DocumentRow) -> u64;

/// An entry with its score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) score: f32,
    pub(crate) row: ChunkRow,
    pub(crate) document: DocumentRow,
    pub(crate) address: Address,
}

/// The `depth` best entries that pass the filters, best first. Ties are broken by `tie_breaker`, then by chunk row.
pub(crate) fn top_k(
    segments: &[Arc<Segment>],
    clauses: DisjunctionQuery<'_>,
    doc_filters: &[DocFilter<'_>],
    depth: usize,
    scratch: &ScratchPool,
    tie_breaker: Option<TieBreaker<'_>>,
) -> Result<Vec<Scored>, TantivyError> {
    let clauses = clauses.into_sorted();
    let mut best: Vec<Scored> = Vec::new();
    if depth == 0 || clauses.is_empty() {
        return Ok(best);
    }
    let mut scratch = scratch.take();
    for (number, (segment, doc_filter)) in segments.iter().zip(doc_filters).enumerate() {
        let mut lists = Vec::with_capacity(clauses.len());
        for clause in &clauses {
            if let Some(list) = clause.open(number, segment)? {
                lists.push((list, clause.scorer()));
            }
        }
        let floor = if best.len() == depth { best[depth - 1].score } else { 0.0 };
        scratch.0.sum(segment, lists, doc_filter, depth, floor);
        for &entry in &scratch.0.survivors {
            let score = scratch.0.scores[entry as usize];
            let (row, document) = (segment.chunk_row(entry), segment.document_row(entry));
            best.push(Scored { score, row, document, address: Address { segment: number, entry } });
        }
        scratch.0.clear();
        keep_top_k(&mut best, depth, tie_breaker);
    }
    Ok(best)
}

/// Sorts the entries best first and keeps the `depth` best. The tie breaker is called once for each entry of a tie that
/// reaches into the result, because a word in many titles gives thousands of equal scores.
pub(crate) fn keep_top_k(entries: &mut Vec<Scored>, depth: usize, tie_breaker: Option<TieBreaker<'_>>) {
    entries.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let mut start = 0;
    while start < entries.len().min(depth) {
        let score = entries[start].score;
        let end = start + entries[start..].iter().take_while(|entry| entry.score.total_cmp(&score).is_eq()).count();
        let kept = (end - start).min(depth - start);
        if end - start > 1 {
            let number = |entry: &Scored| tie_breaker.map_or(0, |number| number(entry.document));
            let mut equals: Vec<(u64, Scored)> =
                entries[start..end].iter().map(|entry| (number(entry), *entry)).collect();
            let order = |a: &(u64, Scored), b: &(u64, Scored)| (a.0, a.1.row).cmp(&(b.0, b.1.row));
            if kept < equals.len() {
                equals.select_nth_unstable_by(kept, order);
                equals.truncate(kept);
            }
            equals.sort_unstable_by(order);
            entries.splice(start..end, equals.into_iter().map(|(_, entry)| entry));
        }
        start += kept;
    }
    entries.truncate(depth);
}

/// A pool of accumulators. Allocating and clearing them costs more than a short query.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool(Mutex<Vec<Scratch>>);

impl ScratchPool {
    /// More concurrent searches are rare, and each accumulator has the size of the largest segment.
    const MAX_POOLED: usize = 4;

    fn take(&self) -> Borrowed<'_> {
        let scratch = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        Borrowed(scratch, self)
    }
}

struct Borrowed<'a>(Scratch, &'a ScratchPool);

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        // A query that failed leaves its sums behind.
        self.0.clear();
        let mut kept = self.1.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < ScratchPool::MAX_POOLED {
            kept.push(std::mem::take(&mut self.0));
        }
    }
}

#[derive(Debug, Default)]
struct Scratch {
    /// The sum of each entry so far. 0 for entries without a match.
    scores: Vec<f32>,
    /// The entries whose sum is not 0.
    touched: Vec<DocId>,
    /// The entries that can still be among the best. Ascending while lists remain.
    survivors: Vec<DocId>,
    /// Scratch space for selecting the last of the best.
    ranked: Vec<f32>,
}

impl Scratch {
    /// Sums the lists of one segment. Afterwards `survivors` are the `depth` best entries and their ties, if they reach
    /// the floor.
    fn sum(
        &mut self,
        segment: &Segment,
        lists: Vec<(List<'_>, &TermScorer)>,
        doc_filter: &DocFilter<'_>,
        depth: usize,
        floor: f32,
    ) {
        if self.scores.len() < segment.entries() as usize {
            self.scores.resize(segment.entries() as usize, 0.0);
        }
        let mut rest: f32 = lists.iter().map(|(_, scorer)| scorer.bound()).sum();
        let mut threshold = floor;
        let mut lists = lists.into_iter().peekable();
        while let Some((list, scorer)) = lists.next_if(|(list, _)| {
            // Computing the threshold takes a pass over `touched`. Do it only if it might spare a long list.
            if list.len() >= self.touched.len() {
                threshold = threshold.max(kth_best_score(&self.touched, &self.scores, &mut self.ranked, depth));
            }
            rest * ROUNDING >= threshold
        }) {
            self.add_all(list, scorer, doc_filter);
            rest -= scorer.bound();
        }
        threshold = threshold.max(kth_best_score(&self.touched, &self.scores, &mut self.ranked, depth));
        let Self { scores, touched, survivors, .. } = self;
        // Most touched entries are out by now. Filter them before sorting.
        survivors.extend(touched.iter().filter(|&&entry| (scores[entry as usize] + rest) * ROUNDING >= threshold));
        survivors.sort_unstable();
        for (list, scorer) in lists {
            self.add_to_survivors(list, scorer);
            rest -= scorer.bound();
            threshold = threshold.max(kth_best_score(&self.survivors, &self.scores, &mut self.ranked, depth));
            let scores = &self.scores;
            self.survivors.retain(|&entry| (scores[entry as usize] + rest) * ROUNDING >= threshold);
        }
        let scores = &self.scores;
        self.survivors.retain(|&entry| scores[entry as usize] >= threshold);
    }

    /// Adds a list to every entry that passes the filter.
    fn add_all(&mut self, mut list: List<'_>, scorer: &TermScorer, doc_filter: &DocFilter<'_>) {
        let Self { scores, touched, .. } = self;
        let add = |entry: DocId, score: f32| {
            let total = &mut scores[entry as usize];
            if *total == 0.0 {
                touched.push(entry);
            }
            *total += score;
        };
        match doc_filter {
            DocFilter::All => list.scan(scorer, |_| true, add),
            DocFilter::Alive(alive) => list.scan(scorer, |entry| alive.is_alive(entry), add),
            DocFilter::Only(entries) if entries.len() * SEEK_COST < list.len() => {
                list.seek(scorer, entries.iter(), add);
            }
            DocFilter::Only(entries) => list.scan(scorer, |entry| entries.contains(entry), add),
        }
    }

    /// Adds a list to the entries that can still be among the best.
    fn add_to_survivors(&mut self, mut list: List<'_>, scorer: &TermScorer) {
        let totals = Cell::from_mut(self.scores.as_mut_slice()).as_slice_of_cells();
        let add = |entry: DocId, score: f32| {
            let total = &totals[entry as usize];
            total.set(total.get() + score);
        };
        if self.survivors.len() * SEEK_COST < list.len() {
            list.seek(scorer, self.survivors.iter().copied(), add);
        } else {
            // Touched entries that are not survivors are summed too, but never read again.
            list.scan(scorer, |entry| totals[entry as usize].get() > 0.0, add);
        }
    }

    fn clear(&mut self) {
        for &entry in &self.touched {
            self.scores[entry as usize] = 0.0;
        }
        self.touched.clear();
        self.survivors.clear();
    }
}

/// The score of the last of the `depth` best entries. 0 if there are fewer.
fn kth_best_score(entries: &[DocId], scores: &[f32], ranked: &mut Vec<f32>, depth: usize) -> f32 {
    if entries.len() < depth {
        return 0.0;
    }
    ranked.clear();
    ranked.extend(entries.iter().map(|&entry| scores[entry as usize]));
    *ranked.select_nth_unstable_by(depth - 1, |a, b| b.total_cmp(a)).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(score: f32, row: i64) -> Scored {
        let address = Address { segment: 0, entry: row as DocId };
        Scored { score, row: ChunkRow(row), document: DocumentRow(row), address }
    }

    fn kept(depth: usize, tie_breaker: Option<TieBreaker<'_>>) -> Vec<i64> {
        let mut entries =
            vec![scored(0.5, 8), scored(1.0, 3), scored(1.0, 5), scored(2.0, 6), scored(1.0, 4), scored(0.5, 7)];
        keep_top_k(&mut entries, depth, tie_breaker);
        entries.iter().map(|entry| entry.row.0).collect()
    }

    #[test]
    fn the_tie_breaker_is_called_only_for_ties_within_the_depth() {
        let asked = Cell::new(0);
        let number = |document: DocumentRow| {
            asked.set(asked.get() + 1);
            100 - document.0 as u64
        };
        assert_eq!(kept(3, Some(&number)), [6, 5, 4]);
        assert_eq!(asked.get(), 3);
        assert_eq!(kept(usize::MAX, Some(&number)), [6, 5, 4, 3, 8, 7]);
    }

    #[test]
    fn without_a_tie_breaker_rows_decide() {
        assert_eq!(kept(3, None), [6, 3, 4]);
        assert_eq!(kept(0, None), [0; 0]);
        assert_eq!(kept(9, None), [6, 3, 4, 5, 7, 8]);
    }
}
