//! What an answer contains as the query has it: a whole path, name, definition, title or heading, and rare words.
//!
//! Exact matches come first, whatever the ranker's scores are. If there is none, near spellings come first.
//!
//! Somebody who asks with a rare word nearly always means one of these documents, whatever its kind. The rankers cannot know: they
//! were learnt from commits and headings, whose rarest word is often chance. So the word decides if it is most of the question;
//! otherwise the best document with it is kept among the first few.

use recall_core::{QueryClass, Understood};
use recall_index::lexical::{DocumentEvidence, QueryStats};
use rustc_hash::FxHashSet;

use super::candidates::StoreCandidates;
use super::ranked::Ranked;
use crate::ranking::ContentKind;

/// A predicate: whether the query names the document.
pub(super) type Names = fn(&DocumentEvidence) -> bool;

/// Returns how well a document with a telling name answers a question about the project as a whole, 0 to 1: by its name, and by how
/// much of the question its passage contains.
pub(super) fn tells(document: &DocumentEvidence) -> f64 {
    f64::from(document.telling * (NAME_ALONE + (1.0 - NAME_ALONE) * document.chunk_coverage.min(1.0)))
}

/// What a telling name is worth without a word of the question in the passage.
const NAME_ALONE: f32 = 0.3;

/// The share of a place's value that comes from the ranker: it orders places of the same value, and no others.
const TIE_BREAKER: f64 = 1e-6;

/// Returns the score of a document that the query names, above the scores of all others. `value` orders them, 0 to 1: a place in a
/// report and a telling name have a value of their own.
pub(super) fn score(document: &DocumentEvidence, value: f64) -> f64 {
    let value = match document {
        _ if document.framed > 0.0 => f64::from(document.framed) * (1.0 - TIE_BREAKER) + value * TIE_BREAKER,
        _ if document.telling > 0.0 => tells(document),
        _ => value,
    };
    first_score(value)
}

fn first_score(value: f64) -> f64 {
    1.0 - EXACT_MATCH_DOUBT * (1.0 - value)
}

/// The factor on the doubt (1 - score) of an exact match. It is so small that exact matches precede all others, whose score is
/// at most [`MAX_RELEVANCE`](super::order::MAX_RELEVANCE).
const EXACT_MATCH_DOUBT: f64 = 1e-3;

/// Adds the further places of a report in files of which one is ranked.
pub(super) fn add_further_frames<'a>(candidates: &'a [StoreCandidates], ranked: &mut Vec<Ranked<'a>>) {
    for (store, found) in candidates.iter().enumerate() {
        for (document, chunk, value) in found.framed.further_chunks() {
            let of_document = ranked.iter().find(|one| (one.store, one.document) == (store, document));
            let further =
                of_document.map(|best| Ranked { chunk, score: first_score(f64::from(value)), ..best.clone() });
            ranked.extend(further);
        }
    }
}

/// Returns the predicate of the documents that come first; `None` if the query does not name a document.
///
/// The first rule that matches a document decides: a place in the report that the query is; a telling name for a question about the project as a whole; the whole path; the end of a path; the only definition of the name in the
/// same case; all literals of the query; the only definition of the name in any case; one of the literals; a title, a heading or a first sentence of at least two words; a near spelling of a name or a path.
pub(super) fn find_names(understood: &Understood, candidates: &[StoreCandidates]) -> Option<Names> {
    let documents = || candidates.iter().flat_map(|of_store| &of_store.evidence.documents);
    let count = |names: Names| documents().filter(|one| names(one)).count();
    let is_symbol = understood.class == QueryClass::Symbol && !understood.text.contains(char::is_whitespace);
    let has_words = understood.text.split_whitespace().nth(1).is_some();
    let ways: [(bool, usize, Names); 12] = [
        (true, usize::MAX, |one| one.framed > 0.0),
        (understood.onboarding.is_some(), usize::MAX, |one| one.telling > 0.0),
        (true, usize::MAX, |one| one.path_equal >= 1.0),
        (true, usize::MAX, |one| one.path_equal > 0.0),
        (is_symbol, 1, |one| ContentKind::is_main_code(one.traits) && one.names_equal > 0.0),
        (is_symbol, 1, |one| is_code(one) && one.names_equal > 0.0),
        (true, usize::MAX, |one| one.literal >= 1.0),
        (is_symbol, 1, |one| ContentKind::is_main_code(one.traits) && one.names_folded > 0.0),
        (is_symbol, 1, |one| is_code(one) && one.names_folded > 0.0),
        (true, usize::MAX, |one| one.literal > 0.0),
        (has_words, usize::MAX, |one| !is_code(one) && one.phrase_equal > 0.0),
        (true, usize::MAX, |one| one.names_near > 0.0),
    ];
    let decides = |&(applies, most, names): &(bool, usize, Names)| applies && (1..=most).contains(&count(names));
    ways.into_iter().find(decides).map(|(_, _, names)| names)
}

fn is_code(document: &DocumentEvidence) -> bool {
    ContentKind::from_traits(document.traits) == ContentKind::Code
}

/// The share of a question's weight from which on its rare word decides, the more, the greater the share.
const DECIDES_FROM: f32 = 0.45;

/// The logarithm of the odds factor of a document without the rare word that is the whole question. It is more than any two
/// standard scores differ.
const MOST_LOG_ODDS: f64 = -9.0;

/// The last place at which the best document with the rare word is shown, counted from 0, however long the question.
const LAST_PLACE: usize = 4;

/// Returns the greatest share of a rare word in the question, over the stores; 0 without one.
pub(super) fn rare_word_share(candidates: &[StoreCandidates]) -> f32 {
    candidates.iter().map(|of_store| of_store.evidence.query.rare).fold(0.0, f32::max)
}

/// Returns the factor on the odds of a document: below 1 if it lacks the rare word that makes up `rare_word_share` of the question.
///
/// In a store where the word is not rare, a document with the question's rarest term may have it.
pub(super) fn rare_word_factor(share: f32, question: &QueryStats, document: &DocumentEvidence) -> f64 {
    let may_have_it = document.holds_rare > 0.0 || (question.rare <= 0.0 && document.holds_rarest > 0.0);
    if may_have_it {
        return 1.0;
    }
    let decisiveness = ((share - DECIDES_FROM) / (1.0 - DECIDES_FROM)).clamp(0.0, 1.0);
    (MOST_LOG_ODDS * f64::from(decisiveness)).exp()
}

/// Moves the best document with a rare word to [`LAST_PLACE`] if it is behind that. `ranked` is sorted, and stays so.
pub(super) fn lift_rare_words(candidates: &[StoreCandidates], ranked: &mut [Ranked<'_>]) {
    if rare_word_share(candidates) <= 0.0 || ranked.len() <= LAST_PLACE {
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
