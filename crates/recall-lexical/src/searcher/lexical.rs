//! DisjunctionQuery for the words of a query.

use tantivy::TantivyError;

use crate::clause::DisjunctionQuery;
use crate::fields::Fields;
use crate::term_cache::TermCache;
use crate::weights::FieldWeights;

pub(super) fn look_for(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    term_cache: &TermCache<'_>,
) -> Result<(), TantivyError> {
    let FieldWeights { body, symbol, path, comment, tag } = *weights;
    let weighted = [
        (fields.body, body),
        (fields.symbol, symbol),
        (fields.path, path),
        (fields.comment, comment),
        (fields.tag_words, tag),
    ];
    for term in &term_cache.terms {
        for (field, weight) in weighted.into_iter().filter(|&(_, weight)| weight > 0.0) {
            clauses.term(field, term, weight)?;
        }
    }
    Ok(())
}
