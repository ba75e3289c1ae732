//! The priors of memories in ranking: anchors, age, feedback and ownership.

use recall_core::{AnchorState, FeedbackTally, ItemId, MemoryId, MemoryStatus, Ownership, SearchRequest, Timestamp};

use super::anchors::{Anchored, ComparedWith};
use crate::ledger::JudgedInputs;
use crate::ranking::Factor;
use crate::store::Store;

/// The factors of changed and of missing anchors. A memory about changed files may still hold; one about missing files hardly
/// does. For two memories with the same content, the relevance may differ by nearly a factor of three, and `CHANGED` must
/// outweigh that.
const CHANGED: f64 = 0.25;
const GONE: f64 = 0.1;

/// The factors of a stale memory and of one that feedback calls outdated.
const STALE: f64 = 0.8;
const OUTDATED: f64 = 0.3;

/// The factor of a memory that came with the repository and that this user has not confirmed. It equals `CHANGED`: of two equally
/// relevant memories the user's own comes first, and an unconfirmed one that is the only answer is still found.
const UNCONFIRMED: f64 = 0.25;

/// The bound of the usefulness factor, as a power of two: feedback at most doubles or halves the odds.
const USEFULNESS_BOUND: f64 = 1.0;

/// The number of equal verdicts that reach half of the bound. A single verdict counts less.
const VERDICTS_HALF: f64 = 2.0;

/// The most that uses count, in verdicts. Less than one: whoever rates an item knows more than what its use shows, and a hit is used
/// also because it came first, so a larger share would keep the order as it is.
const MOST_IMPLICIT: f64 = 0.5;

/// The number of sessions with a use that reach half of that.
const SESSIONS_HALF: f64 = 3.0;

/// Returns the factors of the priors on the odds of memories, without those that are 1.
///
/// Anchors are compared with the files as they are indexed. The memories that are returned as hits are compared with the current
/// files later.
pub(crate) fn factors(store: &Store, ids: &[MemoryId], request: &SearchRequest, now: Timestamp) -> Vec<Vec<Factor>> {
    let now = store.time(now);
    let settings = store.settings();
    let freshness = &settings.freshness;
    let look = if freshness.check_on_search { ComparedWith::Indexed } else { ComparedWith::Nothing };
    let factors = |(id, JudgedInputs { inputs, anchors: tied, ownership }): (&MemoryId, JudgedInputs)| {
        // If the catalog cannot be read, reading the hits reports the error.
        let Ok((state, changed_ratio)) = Anchored::new(store).state(&tied, look) else { return Vec::new() };
        let status = inputs.status(changed_ratio, freshness.memory_limits(id.memory_type), now);
        let uses = store.facts.retrievals().count(ItemId::Memory(*id)).uses;
        let all =
            [anchors(state), staleness(status), usefulness(&inputs.feedback, uses), unconfirmed_factor(ownership)];
        all.into_iter().flatten().filter(|factor| !request.leaves_out(factor.name)).collect()
    };
    let known = ids.iter().zip(store.ledger.validity_inputs(ids));
    known.map(|(id, inputs)| inputs.map_or_else(Vec::new, |inputs| factors((id, inputs)))).collect()
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

/// Returns the factor of a memory that is not this user's and cannot be confirmed.
pub(crate) fn foreign_factor() -> Factor {
    Factor { name: "unconfirmed", value: UNCONFIRMED }
}

fn unconfirmed_factor(ownership: Ownership) -> Option<Factor> {
    (!ownership.is_vouched_for()).then_some(Factor { name: "unconfirmed", value: UNCONFIRMED })
}

/// Returns the factor of the verdicts and of the number of sessions with a use. It rises with every positive verdict and use, and falls
/// with every negative verdict, within bounds. Any number of uses counts less than one verdict.
pub(super) fn usefulness(tally: &FeedbackTally, uses: u64) -> Option<Factor> {
    let FeedbackTally { useful, not_useful, .. } = *tally;
    let implicit = MOST_IMPLICIT * uses as f64 / (uses as f64 + SESSIONS_HALF);
    let (positive, negative) = (useful as f64 + implicit, not_useful as f64);
    if positive + negative == 0.0 {
        return None;
    }
    let balance = (positive - negative) / (positive + negative + VERDICTS_HALF);
    Some(Factor { name: "usefulness", value: (USEFULNESS_BOUND * balance).exp2() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_changes_the_odds_within_bounds() {
        let factor = |useful, not_useful| {
            usefulness(&FeedbackTally { useful, not_useful, ..FeedbackTally::default() }, 0).map(|factor| factor.value)
        };
        assert_eq!((factor(0, 0), factor(1, 1)), (None, Some(1.0)));
        assert!(factor(1, 0) > Some(1.05) && factor(5, 0) > factor(1, 0));
        assert!(factor(1_000_000, 0) <= Some(2.0) && factor(0, 1_000_000) >= Some(0.5));
    }

    fn factor_of(useful: u64, not_useful: u64) -> f64 {
        let tally = FeedbackTally { useful, not_useful, ..FeedbackTally::default() };
        usefulness(&tally, 0).map_or(1.0, |factor| factor.value)
    }

    #[test]
    fn uses_raise_the_odds_less_than_any_verdict() {
        let factor = |useful, not_useful, uses| {
            let tally = FeedbackTally { useful, not_useful, ..FeedbackTally::default() };
            usefulness(&tally, uses).map_or(1.0, |factor| factor.value)
        };
        assert!(factor(0, 0, 1) > 1.0 && factor(0, 0, 5) > factor(0, 0, 1));
        assert!(factor(0, 0, 1_000_000) < factor(1, 0, 0));
        assert!(factor(0, 1, 1_000_000) < 1.0);
    }

    proptest::proptest! {
        #[test]
        fn the_usefulness_factor_is_bounded_and_monotonic(useful in 0..1_000_000_u64, not_useful in 0..1_000_000_u64) {
            let factor = factor_of(useful, not_useful);
            proptest::prop_assert!((0.5..=2.0).contains(&factor), "{factor}");
            proptest::prop_assert!(factor_of(useful + 1, not_useful) > factor);
            proptest::prop_assert!(factor_of(useful, not_useful + 1) < factor);
            proptest::prop_assert!((factor_of(not_useful, useful) * factor - 1.0).abs() < 1e-9, "as much for as against");
        }
    }

    #[test]
    fn missing_anchors_lower_the_odds_more_than_changed_ones() {
        let factor = |state| anchors(state).map(|factor| factor.value);
        assert_eq!(factor(AnchorState::Verified), None);
        assert!(factor(AnchorState::Gone) < factor(AnchorState::Changed) && factor(AnchorState::Changed) < Some(1.0));
    }
}
