//! The comparison of pairs of memories by a language model, if the user chose one.
//!
//! It is asked in the thread that compares the words, after that, and never for an answer. So an answer has the verdicts that are
//! there. What the words found stays until there is a verdict, and where there is none (ADR 77).

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_core::{Comparer, ContentHash, Memory, MemoryId, ModelError, PairVerdict, TextHash};
use recall_text::error_chain;

use super::{AskingTurn, Store};
use crate::embeddings::EmbeddingCache;
use crate::mask::memory as masked;

/// The most pairs that a model is asked about in an hour, in all stores together. A pair has a few hundred tokens, so this is below
/// a hundredth of the budget of a day.
const PAIRS_AN_HOUR: u32 = 240;

const HOUR: Duration = Duration::from_hours(1);

/// The pause after a request that failed. The link to the server has repeated it before, and has pauses of its own.
const REST: Duration = Duration::from_mins(1);

/// The language model that compares memories, and how often it may be asked.
pub(crate) struct PairComparer {
    model: Mutex<Option<Arc<dyn Comparer>>>,
    /// Has what models said, by the texts, so that a restart asks nothing again.
    cache: Option<Arc<EmbeddingCache>>,
    allowance: Mutex<Allowance>,
}

impl PairComparer {
    pub(crate) fn new(cache: Option<Arc<EmbeddingCache>>) -> Self {
        Self { model: Mutex::default(), cache, allowance: Mutex::new(Allowance::new(Instant::now())) }
    }

    /// Replaces the model; returns whether the former verdicts are another's.
    pub(crate) fn replace(&self, model: Option<Arc<dyn Comparer>>) -> bool {
        // A model that is chosen again was asked a moment ago, and answered.
        self.allowance.lock().rests_until = None;
        let mut current = self.model.lock();
        let fingerprint = |model: &Option<Arc<dyn Comparer>>| model.as_ref().map(|model| model.fingerprint());
        let differs = fingerprint(&current) != fingerprint(&model);
        *current = model;
        differs
    }

    /// Returns whether there are pairs of a store that the model can be asked about now.
    pub(crate) fn has_work(&self, store: &Store) -> bool {
        self.model.lock().is_some()
            && store.past.is_none()
            && self.allowance.lock().is_open(Instant::now())
            && store.oppositions.awaits_verdicts()
    }

    /// Asks about the pairs of a store that have no verdict, unless another thread does.
    pub(crate) fn ask_about(&self, store: &Store) {
        if !self.has_work(store) {
            return;
        }
        let Some(turn) = store.oppositions.begin_asking() else { return };
        let Some(model) = self.model.lock().clone() else { return };
        if let Err(error) = self.ask_in_turn(store, &model, &turn) {
            self.allowance.lock().rests_until = Some(Instant::now() + REST);
            let reason = error_chain(&error);
            tracing::warn!(model = model.name(), reason, "memories were compared by their words only");
        }
    }

    fn ask_in_turn(&self, store: &Store, model: &Arc<dyn Comparer>, turn: &AskingTurn) -> Result<(), ModelError> {
        for pair in turn.pairs() {
            if store.jobs.cancel().is_cancelled() {
                return Ok(());
            }
            let [Some(one), Some(other)] = pair.map(|(id, hash)| unchanged_memory(store, id, hash)) else { continue };
            let [older, newer] = in_order(&one, &other);
            let hash = TextHash::hash(&format!("{} {older}{newer}", older.len()));
            let known = self.cache.as_ref().and_then(|cache| cache.verdict(&**model, hash));
            if known.is_none() && !self.allowance.lock().take(Instant::now()) {
                return Ok(());
            }
            let verdict = if known.is_some() { known } else { self.ask(&**model, hash, &older, &newer)? };
            // Held, so that a model that is not used any more says nothing after its verdicts are forgotten.
            let current = self.model.lock();
            if current.as_ref().is_none_or(|current| current.fingerprint() != model.fingerprint()) {
                return Ok(());
            }
            store.oppositions.note_verdict(pair, verdict, model.name());
        }
        Ok(())
    }

    /// Asks a model, and remembers its verdict.
    fn ask(
        &self,
        model: &dyn Comparer,
        hash: TextHash,
        older: &str,
        newer: &str,
    ) -> Result<Option<PairVerdict>, ModelError> {
        let verdict = model.compare(older, newer)?;
        if let (Some(cache), Some(verdict)) = (&self.cache, verdict) {
            cache.put_verdict(model, hash, verdict);
        }
        Ok(verdict)
    }
}

/// Returns a memory with secrets masked; `None` if it changed since it was compared, so that it is compared again first.
fn unchanged_memory(store: &Store, id: MemoryId, hash: ContentHash) -> Option<Memory> {
    let is_same = store.ledger.backlog().expected_hash(id) == Some(hash);
    is_same.then(|| store.ledger.memory(id).map(masked)).flatten()
}

/// Returns the texts of two memories, the older one first.
fn in_order(one: &Memory, other: &Memory) -> [String; 2] {
    let text = |memory: &Memory| {
        let Memory { title, content, .. } = memory;
        if content.starts_with(&**title) { content.to_string() } else { format!("{title}\n{content}") }
    };
    let is_in_order = (one.created, one.id) <= (other.created, other.id);
    if is_in_order { [text(one), text(other)] } else { [text(other), text(one)] }
}

/// How often a model was asked in this hour.
struct Allowance {
    began: Instant,
    asked: u32,
    /// When it may be asked again after a failure.
    rests_until: Option<Instant>,
}

impl Allowance {
    fn new(now: Instant) -> Self {
        Self { began: now, asked: 0, rests_until: None }
    }

    fn is_open(&self, now: Instant) -> bool {
        let is_new_hour = now.saturating_duration_since(self.began) >= HOUR;
        (is_new_hour || self.asked < PAIRS_AN_HOUR) && self.rests_until.is_none_or(|until| now >= until)
    }

    /// Counts a request; returns whether it may be sent.
    fn take(&mut self, now: Instant) -> bool {
        if !self.is_open(now) {
            return false;
        }
        if now.saturating_duration_since(self.began) >= HOUR {
            *self = Self::new(now);
        }
        self.asked += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_asked_so_often_an_hour_and_rests_after_a_failure() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert_eq!((0..2 * PAIRS_AN_HOUR).filter(|_| allowance.take(start)).count(), PAIRS_AN_HOUR as usize);
        assert!(!allowance.is_open(start + HOUR / 2) && allowance.is_open(start + HOUR));
        assert!(allowance.take(start + HOUR) && allowance.take(start + HOUR));
        allowance.rests_until = Some(start + HOUR + REST);
        assert!(!allowance.take(start + HOUR) && allowance.take(start + HOUR + REST));
    }
}
