//! What speaks for or against a memory before the query is asked?

use recall_core::{AnchorState, FeedbackTally, MemoryId, MemoryStatus, Ownership, SearchRequest, Timestamp};

use super::anchors::Look;
use crate::ledger::JudgedInputs;
use crate::ranking::Factor;
use crate::store::Store;

/// What its anchors take from a memory: what changed may still hold, what is gone hardly does. Of two memories that say the same,
/// the relevance may call one nearly three times as likely as the other; what changed must weigh more than that.
const CHANGED: f64 = 0.25;
const GONE: f64 = 0.1;

/// What age takes from it, and what its being called outdated takes.
const STALE: f64 = 0.8;
const OUTDATED: f64 = 0.3;

/// What a memory loses that came with the repository and that this user has not confirmed: as much as one whose files changed,
/// so that of two that answer equally well the user's own comes first, and one that alone answers is still found.
const UNCONFIRMED: f64 = 0.25;

/// How often feedback doubles or halves the odds at most.
const USEFULNESS_BOUND: f64 = 1.0;

/// How many verdicts count half of what all could: one alone is an opinion.
const VERDICTS_HALF: f64 = 2.0;

/// The factors that the priors put on the odds of memories, those that are 1 left out.
///
/// Of the files, what was indexed of them decides: of those that are told, the state is looked at again.
pub(crate) fn factors(store: &Store, ids: &[MemoryId], request: &SearchRequest, now: Timestamp) -> Vec<Vec<Factor>> {
    let factors = |JudgedInputs { inputs, anchors: tied, ownership }| {
        // A catalog that cannot be read is told by the reading of the hits.
        let Ok((state, changed_ratio)) = store.anchor_state(&tied, Look::Indexed) else { return Vec::new() };
        let status = inputs.status(changed_ratio, now);
        let all = [anchors(state), staleness(status), usefulness(&inputs.feedback), unconfirmed(ownership)];
        all.into_iter().flatten().filter(|factor| !request.leaves_out(factor.name)).collect()
    };
    store.ledger.validity_inputs(ids).into_iter().map(|known| known.map_or_else(Vec::new, factors)).collect()
}

fn anchors(state: AnchorState) -> Option<Factor> {
    let value = match state {
        AnchorState::Changed => CHANGED,
        AnchorState::Gone => GONE,
        AnchorState::Verified | AnchorState::Unchecked | AnchorState::Unanchored => return None,
    };
    Some(Factor { name: "anchors", value })
}

fn staleness(status: MemoryStatus) -> Option<Factor> {
    let value = match status {
        MemoryStatus::Stale => STALE,
        MemoryStatus::Deprecated => OUTDATED,
        MemoryStatus::Current => return None,
    };
    Some(Factor { name: "staleness", value })
}

fn unconfirmed(ownership: Ownership) -> Option<Factor> {
    (!ownership.is_vouched_for()).then_some(Factor { name: "unconfirmed", value: UNCONFIRMED })
}

/// The factor of what was said: it rises with every verdict for the item, falls with every one against it, and both are
/// bounded.
pub(super) fn usefulness(tally: &FeedbackTally) -> Option<Factor> {
    let FeedbackTally { useful, not_useful, .. } = *tally;
    let verdicts = useful as f64 + not_useful as f64;
    if verdicts == 0.0 {
        return None;
    }
    let balance = (useful as f64 - not_useful as f64) / (verdicts + VERDICTS_HALF);
    Some(Factor { name: "usefulness", value: (USEFULNESS_BOUND * balance).exp2() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_moves_a_memory_within_bounds() {
        let factor = |useful, not_useful| {
            usefulness(&FeedbackTally { useful, not_useful, ..FeedbackTally::default() }).map(|factor| factor.value)
        };
        assert_eq!((factor(0, 0), factor(1, 1)), (None, Some(1.0)));
        assert!(factor(1, 0) > Some(1.05) && factor(5, 0) > factor(1, 0));
        assert!(factor(1_000_000, 0) <= Some(2.0) && factor(0, 1_000_000) >= Some(0.5));
    }

    fn factor_of(useful: u64, not_useful: u64) -> f64 {
        let tally = FeedbackTally { useful, not_useful, ..FeedbackTally::default() };
        usefulness(&tally).map_or(1.0, |factor| factor.value)
    }

    proptest::proptest! {
        #[test]
        fn feedback_is_bounded_and_a_verdict_moves_it_its_own_way(useful in 0..1_000_000_u64, not_useful in 0..1_000_000_u64) {
            let factor = factor_of(useful, not_useful);
            proptest::prop_assert!((0.5..=2.0).contains(&factor), "{factor}");
            proptest::prop_assert!(factor_of(useful + 1, not_useful) > factor);
            proptest::prop_assert!(factor_of(useful, not_useful + 1) < factor);
            proptest::prop_assert!((factor_of(not_useful, useful) * factor - 1.0).abs() < 1e-9, "as much for as against");
        }
    }

    #[test]
    fn what_is_gone_steps_back_further_than_what_changed() {
        let factor = |state| anchors(state).map(|factor| factor.value);
        assert_eq!(factor(AnchorState::Verified), None);
        assert!(factor(AnchorState::Gone) < factor(AnchorState::Changed) && factor(AnchorState::Changed) < Some(1.0));
    }
}
