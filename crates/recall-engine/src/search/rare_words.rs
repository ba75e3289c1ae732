//! The worth of a rare word: a word that a few documents of the project contain as it is written.
//!
//! Somebody who asks with such a word nearly always means one of these documents, whatever its kind. The rankers cannot know: they
//! were learnt from commits and headings, whose rarest word is often chance. So the word decides if it is most of the question;
//! otherwise the best document with it is kept among the first few.

use recall_index::lexical::{DocumentEvidence, QueryStats};
use rustc_hash::FxHashSet;

use super::candidates::StoreCandidates;
use super::ranked::Ranked;

/// The share of a question's weight from which on its rare word decides, the more, the greater the share.
const DECIDES_FROM: f32 = 0.45;

/// The logarithm of the odds factor of a document without the rare word that is the whole question. It is more than any two
/// standard scores differ.
const MOST_LOG_ODDS: f64 = -9.0;

/// The last place at which the best document with the rare word is shown, counted from 0, however long the question.
const LAST_PLACE: usize = 4;

/// Returns the greatest share of a rare word in the question, over the stores; 0 without one.
pub(super) fn share(candidates: &[StoreCandidates]) -> f32 {
    candidates.iter().map(|of_store| of_store.evidence.query.rare).fold(0.0, f32::max)
}

/// Returns the factor on the odds of a document: below 1 if it lacks the rare word that makes up `share` of the question.
///
/// In a store where the word is not rare, a document with the question's rarest term may have it.
pub(super) fn factor(share: f32, question: &QueryStats, document: &DocumentEvidence) -> f64 {
    let may_have_it = document.holds_rare > 0.0 || (question.rare <= 0.0 && document.holds_rarest > 0.0);
    if may_have_it {
        return 1.0;
    }
    let decisiveness = ((share - DECIDES_FROM) / (1.0 - DECIDES_FROM)).clamp(0.0, 1.0);
    (MOST_LOG_ODDS * f64::from(decisiveness)).exp()
}

/// Moves the best document with a rare word to [`LAST_PLACE`] if it is behind that. `ranked` is sorted, and stays so.
pub(super) fn lift(candidates: &[StoreCandidates], ranked: &mut [Ranked<'_>]) {
    if share(candidates) <= 0.0 || ranked.len() <= LAST_PLACE {
        return;
    }
    let holders: FxHashSet<(usize, i64)> = candidates
        .iter()
        .enumerate()
        .flat_map(|(store, found)| found.evidence.documents.iter().map(move |document| (store, document)))
        .filter(|(_, document)| document.holds_rare > 0.0)
        .map(|(store, document)| (store, document.document.0))
        .collect();
    let place = ranked.iter().position(|one| holders.contains(&(one.store, one.document.0)));
    let Some(place) = place.filter(|&place| place > LAST_PLACE) else { return };
    let (above, here) = (ranked[LAST_PLACE - 1].score, ranked[LAST_PLACE].score);
    ranked[place].score = f64::midpoint(above, here);
    ranked[LAST_PLACE..=place].rotate_right(1);
}
