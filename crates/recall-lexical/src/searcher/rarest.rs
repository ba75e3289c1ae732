//! Which chunks share the rarest words of a text?

use tantivy::TantivyError;

use crate::clause::Clauses;
use crate::fields::Fields;
use crate::look_ups::LookUps;
use crate::query_terms::terms;
use crate::weights::FieldWeights;

/// How many words of a text are looked up, from its beginning to its end at even distances: each costs a look-up in every
/// segment, and what a text has nearly all words of has nearly all of these.
const CONSIDERED_TERMS: usize = 32;

/// How many of them are looked for: the rarest. Their lists are short; those of common words are most of what an index holds.
const RAREST_TERMS: usize = 16;

/// Looks for the rarest terms of a text, of those that there are, in texts and names.
pub(super) fn look_for(
    clauses: &mut Clauses<'_>,
    fields: &Fields,
    weights: &FieldWeights,
    look_ups: &LookUps<'_>,
    text: &str,
) -> Result<(), TantivyError> {
    let terms = terms(text);
    let distance = terms.len().div_ceil(CONSIDERED_TERMS).max(1);
    let mut known = Vec::new();
    for term in terms.into_iter().step_by(distance) {
        let mut chunks = look_ups.look_up(fields.body, term.as_bytes())?.chunks;
        if chunks == 0 {
            // What titles say is in no text.
            chunks = look_ups.look_up(fields.symbol, term.as_bytes())?.chunks;
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
