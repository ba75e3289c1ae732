//! The pairs of memories that may contradict each other, as far as they were compared.
//!
//! The pairs are derived from the memories and held in memory. A thread of its own compares after answers what changed since, so that
//! no request waits for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use recall_core::{ContentHash, Generation, MemoryId};

/// The pairs of a store.
#[derive(Default)]
pub(crate) struct Oppositions {
    state: Mutex<KnownPairs>,
    /// Signalled when a turn ends.
    ended: Condvar,
}

#[derive(Default)]
struct KnownPairs {
    /// The text of each compared memory, as the hash of its document.
    texts: HashMap<MemoryId, ContentHash>,
    /// The memories that each compared one may contradict. A pair is in force if either finds the other, so that the order of the
    /// comparisons does not matter.
    pairs: BTreeMap<MemoryId, BTreeSet<MemoryId>>,
    /// The generation of the catalog that was compared completely.
    generation: Option<Generation>,
    is_comparing: bool,
}

/// The right of one thread to compare memories.
pub(crate) struct ComparingTurn(Arc<Oppositions>);

impl Drop for ComparingTurn {
    fn drop(&mut self) {
        self.0.state.lock().is_comparing = false;
        self.0.ended.notify_all();
    }
}

impl Oppositions {
    /// Takes the turn to compare the memories of a generation; `None` if they were compared, or another thread compares.
    pub(crate) fn begin(self: &Arc<Self>, generation: Generation) -> Option<ComparingTurn> {
        let mut state = self.state.lock();
        if state.is_comparing || state.generation == Some(generation) {
            return None;
        }
        state.is_comparing = true;
        Some(ComparingTurn(Arc::clone(self)))
    }

    /// Waits for the turn to compare, and takes it.
    pub(crate) fn wait_for_turn(self: &Arc<Self>) -> ComparingTurn {
        let mut state = self.state.lock();
        while state.is_comparing {
            self.ended.wait(&mut state);
        }
        state.is_comparing = true;
        ComparingTurn(Arc::clone(self))
    }

    /// Records that all memories of a generation were compared; `hashes` are those in force.
    pub(crate) fn complete(&self, generation: Generation, hashes: &HashMap<MemoryId, ContentHash>) {
        let mut state = self.state.lock();
        state.generation = Some(generation);
        state.texts.retain(|id, _| hashes.contains_key(id));
        state.pairs.retain(|id, others| {
            others.retain(|other| hashes.contains_key(other));
            hashes.contains_key(id) && !others.is_empty()
        });
    }

    /// Returns whether a memory was compared with this text.
    pub(crate) fn is_compared(&self, id: MemoryId, hash: ContentHash) -> bool {
        self.state.lock().texts.get(&id) == Some(&hash)
    }

    /// Replaces the memories that one may contradict.
    pub(crate) fn replace(&self, id: MemoryId, hash: ContentHash, others: BTreeSet<MemoryId>) {
        let KnownPairs { texts, pairs, .. } = &mut *self.state.lock();
        if texts.insert(id, hash).is_some_and(|known| known != hash) {
            // What others said was about its former text. They are compared with the new one from its side.
            for others in pairs.values_mut() {
                others.remove(&id);
            }
        }
        // Those without an opponent are left out: each hit of a search looks through the pairs.
        pairs.insert(id, others);
        pairs.retain(|_, others| !others.is_empty());
    }

    /// Returns the memories that one may contradict, in the order of their ids.
    pub(crate) fn opponents(&self, id: MemoryId) -> Vec<MemoryId> {
        let state = self.state.lock();
        let found_by = state.pairs.iter().filter(|(_, others)| others.contains(&id)).map(|(other, _)| *other);
        let found = state.pairs.get(&id).into_iter().flatten().copied();
        found_by.chain(found).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the memories that are in a pair.
    pub(crate) fn ids(&self) -> Vec<MemoryId> {
        let state = self.state.lock();
        state
            .pairs
            .iter()
            .flat_map(|(id, others)| others.iter().chain([id]))
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> MemoryId {
        text.parse().expect("an id")
    }

    #[test]
    fn a_pair_is_known_from_both_sides_and_ends_with_either() {
        let (pairs, hash) = (Arc::new(Oppositions::default()), ContentHash([1; 32]));
        let (one, other) = (id("N-00000001"), id("N-00000002"));
        pairs.replace(one, hash, BTreeSet::new());
        pairs.replace(other, hash, [one].into());
        assert_eq!(
            (pairs.opponents(one), pairs.opponents(other), pairs.ids()),
            (vec![other], vec![one], vec![one, other])
        );
        pairs.replace(one, ContentHash([2; 32]), BTreeSet::new());
        assert_eq!((pairs.opponents(other), pairs.ids()), (Vec::new(), Vec::new()));
        pairs.replace(one, hash, [other].into());
        pairs.complete(Generation(1), &[(other, hash)].into());
        assert_eq!((pairs.opponents(other), pairs.is_compared(one, hash)), (Vec::new(), false));
    }

    #[test]
    fn one_thread_compares_and_a_generation_once() {
        let pairs = Arc::new(Oppositions::default());
        let turn = pairs.begin(Generation(1)).expect("nothing was compared");
        assert!(pairs.begin(Generation(1)).is_none());
        pairs.complete(Generation(1), &HashMap::new());
        drop(turn);
        assert!(pairs.begin(Generation(1)).is_none());
        assert!(pairs.begin(Generation(2)).is_some());
    }
}
