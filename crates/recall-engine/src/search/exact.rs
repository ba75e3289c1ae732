//! Exact matches: documents that the whole query names by a path, a file name, a definition, a title or a heading.
//!
//! Exact matches come first, whatever the ranker's scores are. If there is none, near spellings come first.

use recall_core::{FileKind, QueryClass, Understood};
use recall_lexical::DocumentEvidence;

use super::candidates::StoreCandidates;
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

/// Returns the predicate of the documents that come first; `None` if the query does not name a document.
///
/// The first rule that matches a document decides: a telling name for a question about the project as a whole; the whole path; the end of a path; the only definition of the name, in the
/// same case or any case; all literals of the query, or one of them; a title, a heading or a first sentence of at least two words; a near spelling of a name or a path.
pub(super) fn find_names(understood: &Understood, candidates: &[StoreCandidates]) -> Option<Names> {
    let documents = || candidates.iter().flat_map(|of_store| &of_store.evidence.documents);
    let count = |names: Names| documents().filter(|one| names(one)).count();
    let is_symbol = understood.class == QueryClass::Symbol && !understood.text.contains(char::is_whitespace);
    let has_words = understood.text.split_whitespace().nth(1).is_some();
    let ways: [(bool, usize, Names); 11] = [
        (understood.onboarding.is_some(), usize::MAX, |one| one.telling > 0.0),
        (true, usize::MAX, |one| one.path_equal >= 1.0),
        (true, usize::MAX, |one| one.path_equal > 0.0),
        (is_symbol, 1, |one| defines_main(one) && one.names_equal > 0.0),
        (is_symbol, 1, |one| is_code(one) && one.names_equal > 0.0),
        (is_symbol, 1, |one| defines_main(one) && one.names_folded > 0.0),
        (is_symbol, 1, |one| is_code(one) && one.names_folded > 0.0),
        (true, usize::MAX, |one| one.literal >= 1.0),
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

fn defines_main(document: &DocumentEvidence) -> bool {
    is_code(document) && document.traits.file_kind == FileKind::Main
}
