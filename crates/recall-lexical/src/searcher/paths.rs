//! DisjunctionQuery for the paths in a query.

use recall_core::Understood;
use tantivy::TantivyError;

use crate::clause::DisjunctionQuery;
use crate::fields::Fields;
use crate::names::{MAX_COMPONENTS, SCOPE, ends};
use crate::searcher::near::path_of;
use crate::term_cache::TermCache;

/// The score of each kind of match, in units of the most that the words of paths can score together. A better kind thus
/// always ranks first, and BM25 orders equal matches. A path scores this once for each trailing component it shares
/// with the query's path, so that the longest match wins even if the query's path begins outside the store's root.
const ENDS_ALIKE: f32 = 2.0;
const STEM_EQUALS: f32 = 1.0;

pub(super) fn look_for(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    term_cache: &TermCache<'_>,
    understood: &Understood,
) -> Result<(), TantivyError> {
    for term in &term_cache.terms {
        clauses.term(fields.path_words, term, 1.0)?;
    }
    let unit = clauses.bound() + 1.0;
    // A query of one word may be a file name even if it does not look like one: `Makefile`.
    let is_one_word = !understood.text.contains(char::is_whitespace) && understood.paths.is_empty();
    let alone = is_one_word.then_some(&understood.text);
    for path in understood.paths.iter().chain(alone) {
        let folded = path_of(path);
        for end in ends(&folded, "/").take(MAX_COMPONENTS) {
            clauses.key(fields.path_end, end, ENDS_ALIKE * unit)?;
        }
    }
    for path in &term_cache.near.paths {
        clauses.key(fields.path_end, path, ENDS_ALIKE * unit)?;
    }
    for name in term_cache.names.iter().chain(&term_cache.near.names) {
        let folded = name.to_lowercase();
        let last = folded.rsplit_once(SCOPE).map_or(folded.as_str(), |(_, last)| last);
        clauses.key(fields.stem, last, STEM_EQUALS * unit)?;
    }
    Ok(())
}
