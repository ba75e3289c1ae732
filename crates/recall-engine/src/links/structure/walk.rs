//! Personalised PageRank from the candidates of a query.

use rustc_hash::FxHashMap;

use crate::links::structure::Structure;

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
