//! DisjunctionQuery for the rarest words of a text.

use tantivy::TantivyError;

use crate::clause::DisjunctionQuery;
use crate::fields::Fields;
use crate::query_terms::terms;
use crate::term_cache::TermCache;
use crate::weights::FieldWeights;

/// The number of words looked up, at even distances over the whole text. Each costs a lookup in every segment, and a
/// chunk with most words of the text has most of these.
const CONSIDERED_TERMS: usize = 32;

/// The number of them searched: the rarest. Their posting lists are short, whereas those of common words are most of an
/// index.
const RAREST_TERMS: usize = 16;

/// Adds the rarest terms of a text that occur in the index, in texts and names.
pub(super) fn look_for(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    term_cache: &TermCache<'_>,
    text: &str,
) -> Result<(), TantivyError> {
    let terms = terms(text);
    let distance = terms.len().div_ceil(CONSIDERED_TERMS).max(1);
    let mut known = Vec::new();
    for term in terms.into_iter().step_by(distance) {
        let mut chunks = term_cache.look_up(fields.body, term.as_bytes())?.chunks;
        if chunks == 0 {
            // The words of a title are in no chunk's text.
            chunks = term_cache.look_up(fields.symbol, term.as_bytes())?.chunks;
        }
        if chunks > 0 {
            known.push((chunks, term));
        }
    }
    known.sort_unstable();
    for (_, term) in known.into_iter().take(RAREST_TERMS) {
        clauses.term(fields.body, &term, weights.body)?;
        clauses.term(fields.symbol, &term, weights.symbol)?;
    }
    Ok(())
}
