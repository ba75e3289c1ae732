//! The link graph of a store in memory, with each document's PageRank.
//!
//! A query walks it from its candidates: a document that good candidates import, use, or are used by is more likely to belong
//! to the answer.
//!
//! The walk is personalised PageRank by forward push (Andersen, Chung, Lang, FOCS 2006): it touches only documents near the
//! candidates, where an iteration over the whole graph would cost more than the rest of a search. The graph is of an older generation
//! for a moment after a change; a document that is newer has no feature of the graph.

use parking_lot::Mutex;
use recall_core::{DocumentRow, Generation, find_ascending};
use rustc_hash::FxHashMap;

use crate::links::Links;

/// The link graph of a store's documents.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    /// The generation that it was read from.
    pub(crate) generation: Generation,
    /// The documents, ascending. The other fields refer to them by index.
    documents: Vec<DocumentRow>,
    /// The outgoing links of each document.
    out: NeighbourLists,
    /// The incoming links of each document.
    into: NeighbourLists,
    /// Each document's PageRank, times the number of documents: 1 is the mean.
    rank: Vec<f32>,
    /// The documents that tools made of others, ascending.
    copies: Vec<u32>,
    /// The reusable buffers of walks.
    counters: Counters,
}

/// The neighbours of each document in one direction.
#[derive(Debug, Default)]
struct NeighbourLists {
    /// The start of each document's neighbours, and the end of the last.
    starts: Vec<u32>,
    /// The neighbours with their shares. The shares of one document add up to 1, or to 0 if it has no neighbours.
    shares: Vec<(u32, f32)>,
    /// The sum of the weights of each document's links, before they became shares.
    weight: Vec<f32>,
}

/// The damping of PageRank (Brin, Page, WWW 1998).
const DAMPING: f32 = 0.85;
/// The number of iterations. After it, the ranks change by less than a feature shows.
const ROUNDS: usize = 20;

impl Structure {
    /// Returns whether the graph has been read from some generation.
    pub(crate) fn is_read(&self) -> bool {
        self.generation != Generation::default()
    }

    /// Creates the graph from the links of a generation.
    pub(crate) fn new(generation: Generation, links: Links) -> Self {
        let Links { documents, edges, copies } = links;
        let count = documents.len();
        // Everything links to a hub, so a link from or to it says little. The weight of each link is divided by the
        // square root of the weight that its end already has.
        let (mut given, mut taken) = (vec![0.0_f32; count], vec![0.0_f32; count]);
        for &(from, to, weight) in &edges {
            given[from as usize] += weight;
            taken[to as usize] += weight;
        }
        let out = NeighbourLists::new(count, edges.iter().map(|&(from, to, weight)| (from, to, weight)), &taken);
        let mut reversed: Vec<(u32, u32, f32)> = edges.iter().map(|&(from, to, weight)| (to, from, weight)).collect();
        reversed.sort_unstable_by_key(|&(from, to, _)| (from, to));
        let into = NeighbourLists::new(count, reversed.into_iter(), &given);
        let rank = page_rank(&out, count);
        Self { generation, documents, out, into, rank, copies, counters: Counters::default() }
    }

    /// Returns the index of a document; `None` if it is newer than the graph.
    pub(crate) fn place(&self, document: DocumentRow) -> Option<u32> {
        find_ascending(self.documents.len(), |place| self.documents[place].0, document.0).map(|place| place as u32)
    }

    /// Returns a document's PageRank; 1 is the mean of the store.
    pub(crate) fn rank(&self, place: u32) -> f32 {
        self.rank[place as usize]
    }

    /// Returns whether a document is a bundle of others, or compiled from one.
    pub(crate) fn is_copy(&self, document: DocumentRow) -> bool {
        self.place(document).is_some_and(|place| self.copies.binary_search(&place).is_ok())
    }

    /// Returns the weight of the links to a document.
    pub(crate) fn use_count(&self, place: u32) -> f32 {
        self.into.weight[place as usize]
    }

    /// Returns the weight of the links from a document.
    pub(crate) fn uses(&self, place: u32) -> f32 {
        self.out.weight[place as usize]
    }
}

impl NeighbourLists {
    /// Creates the neighbours from links sorted by source. `dampening` is the weight that the ends of links already have.
    fn new(count: usize, links: impl Iterator<Item = (u32, u32, f32)>, dampening: &[f32]) -> Self {
        let mut neighbours =
            Self { starts: Vec::with_capacity(count + 1), shares: Vec::new(), weight: vec![0.0; count] };
        for (from, to, weight) in links {
            while neighbours.starts.len() <= from as usize {
                neighbours.starts.push(neighbours.shares.len() as u32);
            }
            neighbours.weight[from as usize] += weight;
            neighbours.shares.push((to, weight / dampening[to as usize].max(1.0).sqrt()));
        }
        neighbours.starts.resize(count + 1, neighbours.shares.len() as u32);
        for place in 0..count {
            let (start, end) = (neighbours.starts[place] as usize, neighbours.starts[place + 1] as usize);
            let shares = &mut neighbours.shares[start..end];
            let sum: f32 = shares.iter().map(|&(_, share)| share).sum();
            for (_, share) in shares {
                *share /= sum;
            }
        }
        neighbours
    }

    fn row(&self, place: u32) -> &[(u32, f32)] {
        &self.shares[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

fn page_rank(out: &NeighbourLists, count: usize) -> Vec<f32> {
    let mut rank = vec![1.0_f32; count];
    for _ in 0..ROUNDS {
        let mut next = vec![1.0 - DAMPING; count];
        let mut lost = 0.0;
        for (place, &rank) in rank.iter().enumerate() {
            let neighbours = out.row(place as u32);
            if neighbours.is_empty() {
                lost += rank;
            }
            for &(to, share) in neighbours {
                next[to as usize] += DAMPING * rank * share;
            }
        }
        // A document without links counts as linking to all documents.
        let everywhere = DAMPING * lost / count as f32;
        for rank in &mut next {
            *rank += everywhere;
        }
        rank = next;
    }
    rank
}

/// The residue of each document, all 0 between walks. An array, because a hub alone has hundreds of neighbours, and hashing
/// them costs more than the rest of a search. It is reused, because clearing an array of 100,000 entries costs as much again.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Vec<f32>>);

impl Counters {
    /// Returns counters for `count` documents, all 0: those of the last walk, unless another walk uses them.
    pub(crate) fn take(&self, count: usize) -> Vec<f32> {
        let mut counters = std::mem::take(&mut *self.0.lock());
        counters.resize(count, 0.0);
        counters
    }

    /// Returns counters for reuse. All of them must be 0.
    pub(crate) fn put(&self, counters: Vec<f32>) {
        *self.0.lock() = counters;
    }
}

/// The probability that the walk ends at each step. One half, because a document two links away from a candidate has little to
/// do with it.
const STOP_PROBABILITY: f32 = 0.5;
/// The least residue that is pushed on, as a share of all.
const MIN_RESIDUE: f32 = 1e-3;
/// The most documents that one walk pushes from; bounds its time.
const MAX_PUSHES: usize = 64;

/// The probability that a walk ends at a document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Arrived {
    /// The share of all walks that end here.
    pub(crate) all: f32,
    /// The share of walks that start elsewhere and arrive over a link.
    pub(crate) over_links: f32,
}

impl Structure {
    /// Returns the personalised PageRank of the documents around the seeds, which are indexes with weights above 0.
    ///
    /// Walks follow links in both directions. Computed by forward push (Andersen, Chung, Lang, FOCS 2006), the greatest residue
    /// first, so that the result is reproducible; of equal seeds, the earlier one first.
    pub(crate) fn walk(&self, seeds: &[(u32, f32)]) -> FxHashMap<u32, Arrived> {
        let sum: f32 = seeds.iter().map(|&(_, weight)| weight).sum();
        let mut arrived: FxHashMap<u32, Arrived> = FxHashMap::default();
        let mut front: Vec<(u32, f32)> = seeds.iter().map(|&(place, weight)| (place, weight / sum)).collect();
        let mut coming = self.counters.take(self.documents.len());
        let mut touched: Vec<u32> = Vec::new();
        let mut steps = 0;
        let mut is_first = true;
        while !front.is_empty() && steps < MAX_PUSHES {
            if is_first {
                front.sort_by(|a, b| b.1.total_cmp(&a.1));
            } else {
                front.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            }
            front.truncate(MAX_PUSHES - steps);
            steps += front.len();
            for &(place, residue) in &front {
                let ended = arrived.entry(place).or_default();
                ended.all += STOP_PROBABILITY * residue;
                if !is_first {
                    ended.over_links += STOP_PROBABILITY * residue;
                }
                let onward = (1.0 - STOP_PROBABILITY) * residue / 2.0;
                for &(to, share) in self.out.row(place).iter().chain(self.into.row(place)) {
                    let coming = &mut coming[to as usize];
                    if *coming == 0.0 {
                        touched.push(to);
                    }
                    *coming += onward * share;
                }
            }
            front.clear();
            for place in touched.drain(..) {
                let residue = std::mem::take(&mut coming[place as usize]);
                if residue >= MIN_RESIDUE {
                    front.push((place, residue));
                }
            }
            is_first = false;
        }
        self.counters.put(coming);
        arrived
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{DocumentRow, Generation};

    use super::*;
    use crate::links::Links;

    /// A chain 0 → 1 → 2 and a document 3 that stands alone.
    fn chain() -> Structure {
        let documents = (1..=4).map(DocumentRow).collect();
        Structure::new(Generation(1), Links { documents, edges: vec![(0, 1, 1.0), (1, 2, 1.0)], copies: Vec::new() })
    }

    #[test]
    fn what_is_nearer_to_the_seed_gets_more() {
        let arrived = chain().walk(&[(0, 3.0)]);
        assert!(arrived[&0].all > arrived[&1].all && arrived[&1].all > arrived[&2].all);
        assert!(!arrived.contains_key(&3));
        assert!(arrived.values().map(|ended| ended.all).sum::<f32>() <= 1.0);
    }

    #[test]
    fn walks_go_along_links_and_against_them() {
        let arrived = chain().walk(&[(1, 1.0)]);
        assert!(arrived[&0].over_links > 0.0 && arrived[&2].over_links > 0.0);
        assert!((arrived[&1].all - arrived[&1].over_links - STOP_PROBABILITY).abs() < 1e-6);
    }

    #[test]
    fn no_seed_no_walk() {
        assert!(chain().walk(&[]).is_empty());
        assert!(Structure::default().walk(&[]).is_empty());
    }

    #[test]
    fn what_is_pointed_at_ranks_higher() {
        let structure = chain();
        assert!(structure.rank(2) > structure.rank(0));
        assert_eq!(structure.place(DocumentRow(9)), None);
    }
}
