//! Clauses for the words of a query.

use tantivy::TantivyError;

use crate::clause::Clauses;
use crate::fields::Fields;
use crate::look_ups::LookUps;
use crate::weights::FieldWeights;

pub(super) fn look_for(
    clauses: &mut Clauses<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    look_ups: &LookUps<'_>,
) -> Result<(), TantivyError> {
    let FieldWeights { body, symbol, path, comment, tag } = *weights;
    let weighted = [
        (fields.body, body),
        (fields.symbol, symbol),
        (fields.path, path),
        (fields.comment, comment),
        (fields.tag_words, tag),
    ];
    for term in &look_ups.terms {
        for (field, weight) in weighted.into_iter().filter(|&(_, weight)| weight > 0.0) {
            clauses.term(field, term, weight)?;
        }
    }
    Ok(())
}
