//! Which chunks share the rarest words of a text?

use tantivy::TantivyError;

use crate::clause::Clauses;
use crate::fields::Fields;
use crate::look_ups::LookUps;
use crate::query_terms::terms;
use crate::weights::FieldWeights;

/// How many words of a text are looked for: the rarest. What has four of five words of a text has nearly as many of these, and
/// their lists are short: those of common words are most of what an index holds.
const RAREST_TERMS: usize = 24;

/// Looks for the rarest terms of a text, of those that there are, in texts and names.
pub(super) fn look_for(
    clauses: &mut Clauses<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    look_ups: &LookUps<'_>,
    text: &str,
) -> Result<(), TantivyError> {
    let mut known = Vec::new();
    for term in terms(text) {
        let with = |field| Ok::<_, TantivyError>(look_ups.look_up(field, term.as_bytes())?.chunks);
        let chunks = with(fields.body)? + with(fields.symbol)?;
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
