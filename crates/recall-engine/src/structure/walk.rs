//! Where does a walk from the candidates end?

use rustc_hash::FxHashMap;

use super::Structure;

/// How likely the walk ends at each step. Half: what is two links away from a candidate has little to do with it.
const ENDING: f32 = 0.5;
/// Residues below this part of all are not followed.
const LEAST: f32 = 1e-3;
/// The most documents that are left in one walk; bounds its time.
const MOST_STEPS: usize = 400;

/// Where a walk ended at a document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Arrived {
    /// The part of all walks that ended here.
    pub(crate) all: f32,
    /// The part of those that began elsewhere, and came over a link.
    pub(crate) over_links: f32,
}

impl Structure {
    /// The personalised PageRank of the documents around the seeds, which are places with weights above 0.
    ///
    /// Walks go along links and against them alike. By forward push (Andersen, Chung, Lang, FOCS 2006), the greatest
    /// residue first, so that the result is the same every time.
    pub(crate) fn walk(&self, seeds: &[(u32, f32)]) -> FxHashMap<u32, Arrived> {
        let sum: f32 = seeds.iter().map(|&(_, weight)| weight).sum();
        let mut arrived: FxHashMap<u32, Arrived> = FxHashMap::default();
        let mut front: Vec<(u32, f32)> = seeds.iter().map(|&(place, weight)| (place, weight / sum)).collect();
        let mut steps = 0;
        let mut is_first = true;
        while !front.is_empty() && steps < MOST_STEPS {
            front.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            front.truncate(MOST_STEPS - steps);
            steps += front.len();
            let mut next: FxHashMap<u32, f32> = FxHashMap::default();
            for &(place, residue) in &front {
                let ended = arrived.entry(place).or_default();
                ended.all += ENDING * residue;
                if !is_first {
                    ended.over_links += ENDING * residue;
                }
                let onward = (1.0 - ENDING) * residue / 2.0;
                for neighbours in [self.out.of(place), self.into.of(place)] {
                    for &(to, share) in neighbours {
                        *next.entry(to).or_default() += onward * share;
                    }
                }
            }
            front = next.into_iter().filter(|&(_, residue)| residue >= LEAST).collect();
            is_first = false;
        }
        arrived
    }
}
