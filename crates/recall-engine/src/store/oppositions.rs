//! The pairs of memories that may contradict each other, as far as they were compared.
//!
//! The pairs are derived from the memories and held in memory. A thread of its own compares after answers what changed since, so that
//! no request waits for it. A language model that the user chose judges the pairs about one subject after that, in a turn of its own:
//! an answer may wait for the words to be compared, and never for a model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use recall_core::{ContentHash, Generation, MemoryId, PairVerdict};
use recall_text::Relation;

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
    /// The pairs about one subject without a verdict, the smaller id first, with their weights: a model is asked about the heaviest ones first.
    candidates: BTreeMap<(MemoryId, MemoryId), f64>,
    /// What a model said of each pair, by both of its memories.
    verdicts: BTreeMap<MemoryId, BTreeMap<MemoryId, JudgedPair>>,
    /// The generation of the catalog that was compared completely.
    generation: Option<Generation>,
    is_comparing: bool,
    is_asking: bool,
}

/// What a language model said of a pair.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JudgedPair {
    /// `None` if its reply was no verdict: the words decide.
    pub(crate) verdict: Option<PairVerdict>,
    pub(crate) model: Arc<str>,
}

/// The memories that one may contradict, and those that a model may be asked about.
pub(crate) struct ComparedWords {
    pub(crate) opposed: BTreeSet<MemoryId>,
    /// Memories about the same subject, with the weight of each pair.
    pub(crate) candidates: Vec<(MemoryId, f64)>,
}

/// Two memories, each with the hash of its document.
pub(crate) type HashedPair = [(MemoryId, ContentHash); 2];

/// The right of one thread to ask a language model.
pub(crate) struct AskingTurn(Arc<Oppositions>);

impl Drop for AskingTurn {
    fn drop(&mut self) {
        self.0.state.lock().is_asking = false;
    }
}

impl AskingTurn {
    /// Returns the pairs without a verdict, the heaviest first.
    pub(crate) fn pairs(&self) -> Vec<HashedPair> {
        let state = self.0.state.lock();
        let mut pairs: Vec<_> = state.candidates.iter().collect();
        pairs.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let hashed = |id: MemoryId| Some((id, *state.texts.get(&id)?));
        pairs.into_iter().filter_map(|((one, other), _)| Some([hashed(*one)?, hashed(*other)?])).collect()
    }
}

impl KnownPairs {
    /// Forgets what was found about a memory from the other side of its pairs.
    fn forget(&mut self, id: MemoryId) {
        for others in self.pairs.values_mut() {
            others.remove(&id);
        }
        self.candidates.retain(|(one, other), _| *one != id && *other != id);
        for other in self.verdicts.remove(&id).unwrap_or_default().into_keys() {
            self.verdicts.entry(other).and_modify(|verdicts| drop(verdicts.remove(&id)));
        }
    }

    /// Returns the memories that one may contradict. What a model said of a pair counts more than its words.
    fn opponents(&self, id: MemoryId) -> BTreeMap<MemoryId, Option<Arc<str>>> {
        let found_by = self.pairs.iter().filter(|(_, others)| others.contains(&id)).map(|(other, _)| *other);
        let found = self.pairs.get(&id).into_iter().flatten().copied();
        let mut opponents: BTreeMap<_, _> = found_by.chain(found).map(|other| (other, None)).collect();
        for (other, JudgedPair { verdict, model }) in self.verdicts.get(&id).into_iter().flatten() {
            match verdict {
                Some(PairVerdict::Related(Relation::Contradiction)) => {
                    opponents.insert(*other, Some(Arc::clone(model)));
                }
                Some(_) => drop(opponents.remove(other)),
                None => {}
            }
        }
        opponents
    }
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
        state.candidates.retain(|(one, other), _| hashes.contains_key(one) && hashes.contains_key(other));
        state.verdicts.retain(|id, others| {
            others.retain(|other, _| hashes.contains_key(other));
            hashes.contains_key(id) && !others.is_empty()
        });
    }

    /// Returns whether a memory was compared with this text.
    pub(crate) fn is_compared(&self, id: MemoryId, hash: ContentHash) -> bool {
        self.state.lock().texts.get(&id) == Some(&hash)
    }

    /// Replaces what is known about a memory.
    pub(crate) fn replace(&self, id: MemoryId, hash: ContentHash, found: ComparedWords) {
        let state = &mut *self.state.lock();
        if state.texts.insert(id, hash).is_some_and(|known| known != hash) {
            // What others said was about its former text. They are compared with the new one from its side.
            state.forget(id);
        }
        let ComparedWords { opposed, candidates } = found;
        let judged = state.verdicts.get(&id);
        let unjudged =
            candidates.into_iter().filter(|(other, _)| judged.is_none_or(|known| !known.contains_key(other)));
        state.candidates.extend(unjudged.map(|(other, weight)| (in_order(id, other), weight)));
        // Those without an opponent are left out: each hit of a search looks through the pairs.
        state.pairs.insert(id, opposed);
        state.pairs.retain(|_, others| !others.is_empty());
    }

    /// Returns the memories that one may contradict, in the order of their ids, each with the language model that says so.
    pub(crate) fn opponents(&self, id: MemoryId) -> BTreeMap<MemoryId, Option<Arc<str>>> {
        self.state.lock().opponents(id)
    }

    /// Returns the memories that are in a pair.
    pub(crate) fn ids(&self) -> Vec<MemoryId> {
        let state = self.state.lock();
        let compared = state.pairs.iter().flat_map(|(id, others)| others.iter().chain([id]));
        let ids: BTreeSet<MemoryId> = compared.chain(state.verdicts.keys()).copied().collect();
        ids.into_iter().filter(|id| !state.opponents(*id).is_empty()).collect()
    }

    /// Returns what a language model said of a memory and others.
    pub(crate) fn verdicts(&self, id: MemoryId) -> BTreeMap<MemoryId, JudgedPair> {
        self.state.lock().verdicts.get(&id).cloned().unwrap_or_default()
    }

    /// Returns whether there are pairs without a verdict, and no thread asks about them.
    pub(crate) fn awaits_verdicts(&self) -> bool {
        let state = self.state.lock();
        !state.is_asking && !state.candidates.is_empty()
    }

    /// Takes the turn to ask a language model; `None` if another thread asks.
    pub(crate) fn begin_asking(self: &Arc<Self>) -> Option<AskingTurn> {
        let mut state = self.state.lock();
        let is_taken = std::mem::replace(&mut state.is_asking, true);
        (!is_taken).then(|| AskingTurn(Arc::clone(self)))
    }

    /// Records what a language model said of a pair, unless one of its memories has changed since.
    pub(crate) fn note_verdict(&self, pair: HashedPair, verdict: Option<PairVerdict>, model: &str) {
        let KnownPairs { texts, candidates, verdicts, .. } = &mut *self.state.lock();
        if pair.iter().any(|(id, hash)| texts.get(id) != Some(hash)) {
            return;
        }
        let [one, other] = pair.map(|(id, _)| id);
        candidates.remove(&in_order(one, other));
        let judged = JudgedPair { verdict, model: model.into() };
        verdicts.entry(one).or_default().insert(other, judged.clone());
        verdicts.entry(other).or_default().insert(one, judged);
    }

    /// Forgets what a language model said that is not used any more.
    pub(crate) fn forget_verdicts(&self) {
        let KnownPairs { texts, verdicts, generation, .. } = &mut *self.state.lock();
        if !verdicts.is_empty() {
            verdicts.clear();
            // All are compared again, which finds the pairs that another model is asked about.
            texts.clear();
            *generation = None;
        }
    }
}

fn in_order(one: MemoryId, other: MemoryId) -> (MemoryId, MemoryId) {
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: ContentHash = ContentHash([1; 32]);

    fn ids() -> (MemoryId, MemoryId) {
        ("N-00000001".parse().expect("an id"), "N-00000002".parse().expect("an id"))
    }

    fn words(opposed: &[MemoryId], candidates: &[MemoryId]) -> ComparedWords {
        ComparedWords {
            opposed: opposed.iter().copied().collect(),
            candidates: candidates.iter().map(|id| (*id, 0.5)).collect(),
        }
    }

    fn opponents(pairs: &Oppositions, id: MemoryId) -> Vec<MemoryId> {
        pairs.opponents(id).into_keys().collect()
    }

    #[test]
    fn a_pair_is_known_from_both_sides_and_ends_with_either() {
        let (pairs, (one, other)) = (Oppositions::default(), ids());
        pairs.replace(one, HASH, words(&[], &[]));
        pairs.replace(other, HASH, words(&[one], &[]));
        assert_eq!(
            (opponents(&pairs, one), opponents(&pairs, other), pairs.ids()),
            (vec![other], vec![one], vec![one, other])
        );
        pairs.replace(one, ContentHash([2; 32]), words(&[], &[]));
        assert_eq!((opponents(&pairs, other), pairs.ids()), (Vec::new(), Vec::new()));
        pairs.replace(one, HASH, words(&[other], &[]));
        pairs.complete(Generation(1), &[(other, HASH)].into());
        assert_eq!((opponents(&pairs, other), pairs.is_compared(one, HASH)), (Vec::new(), false));
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

    #[test]
    fn a_verdict_overrules_the_words_until_a_text_changes() {
        let (pairs, (one, other)) = (Arc::new(Oppositions::default()), ids());
        pairs.replace(one, HASH, words(&[other], &[other]));
        pairs.replace(other, HASH, words(&[], &[one]));
        let turn = pairs.begin_asking().expect("no thread asks");
        assert!(pairs.begin_asking().is_none() && !pairs.awaits_verdicts());
        let pair = [(one, HASH), (other, HASH)];
        assert_eq!(turn.pairs(), [pair]);
        pairs.note_verdict(pair, None, "m");
        assert_eq!((turn.pairs(), opponents(&pairs, one)), (Vec::new(), vec![other]), "no verdict: the words decide");
        pairs.note_verdict(pair, Some(PairVerdict::Unrelated), "m");
        assert_eq!((opponents(&pairs, one), pairs.ids()), (Vec::new(), Vec::new()));
        pairs.note_verdict(pair, Some(PairVerdict::Related(Relation::Contradiction)), "m");
        assert_eq!(pairs.opponents(other), [(one, Some("m".into()))].into());
        drop(turn);
        assert!(!pairs.awaits_verdicts());
        pairs.replace(other, ContentHash([2; 32]), words(&[], &[one]));
        assert!(pairs.opponents(other).is_empty() && pairs.awaits_verdicts());
        pairs.note_verdict(pair, Some(PairVerdict::Related(Relation::Contradiction)), "m");
        assert!(pairs.opponents(one).is_empty(), "it was about the former text");
        let changed = [(one, HASH), (other, ContentHash([2; 32]))];
        pairs.note_verdict(changed, Some(PairVerdict::Unrelated), "m");
        pairs.forget_verdicts();
        assert!(pairs.begin(Generation(1)).is_some() && !pairs.is_compared(one, HASH), "all are compared again");
    }
}
