//! How many candidates each retriever returns.

use recall_core::Understood;

/// The number of candidates of each lexical retriever: words, names and paths.
pub(super) const DEPTH: usize = 100;

/// The number of nearest chunks that are retrieved. With 100, quality does not improve (code, commit subjects and dialogues
/// within .001, headings .005 less), and a search over 100,000 chunks takes a quarter longer.
pub(super) const NEAREST_DEPTH: usize = 50;

/// The number of words of a query that are looked up as they are written: as many as its terms.
pub(super) const RARE_WORDS: usize = 64;

/// Returns whether a query may name a file: it contains a path or an identifier, is one word, or asks
/// about the project as a whole. For other questions, paths
/// that share some of their words are not candidates: they cost the public code search benchmark .004 nDCG@10.
pub(super) fn may_name_a_file(understood: &Understood) -> bool {
    let is_one_word = !understood.text.contains(char::is_whitespace);
    let names_any = !understood.paths.is_empty() || !understood.identifiers.is_empty();
    is_one_word || names_any || !understood.telling_paths.is_empty()
}
