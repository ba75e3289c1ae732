//! DisjunctionQuery for the names in a query.

use tantivy::TantivyError;

use crate::clause::DisjunctionQuery;
use crate::fields::Fields;
use crate::names::{MIN_PREFIX_BYTES, SCOPE};
use crate::term_cache::TermCache;

/// The score of each kind of match, in units of the most that the parts of names can score together. A better kind thus
/// always ranks first, and BM25 orders equal matches. A name that is equal also scores as equal in lower case.
const EQUAL: f32 = 1.0;
const EQUAL_IN_LOWER_CASE: f32 = 2.0;
const STARTS_WITH: f32 = 1.0;
/// The last part of a qualified name, in another scope. Better than sharing words with it.
const EQUAL_WITHOUT_SCOPE: f32 = 1.0;
/// A title, a heading or a first sentence that equals the query.
const EQUAL_PHRASE: f32 = 3.0;
/// A near spelling of the query.
const NEAR: f32 = 1.0;

/// The most names that one prefix expands to. An editor's completion list is shorter.
const MAX_CONTINUATIONS: usize = 64;

pub(super) fn look_for(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    term_cache: &TermCache<'_>,
) -> Result<(), TantivyError> {
    for term in &term_cache.terms {
        clauses.term(fields.symbol, term, 1.0)?;
    }
    let unit = clauses.bound() + 1.0;
    for name in &term_cache.names {
        let folded = name.to_lowercase();
        clauses.key(fields.name, name, EQUAL * unit)?;
        clauses.key(fields.folded_name, &folded, EQUAL_IN_LOWER_CASE * unit)?;
        if let Some((_, last)) = folded.rsplit_once(SCOPE) {
            clauses.key(fields.folded_name, last, EQUAL_WITHOUT_SCOPE * unit)?;
        }
        if folded.len() >= MIN_PREFIX_BYTES {
            clauses.keys_from(fields.folded_name, &folded, MAX_CONTINUATIONS, STARTS_WITH * unit)?;
        }
    }
    for name in &term_cache.near.names {
        clauses.key(fields.name, name, NEAR * unit)?;
    }
    if let Some(phrase) = &term_cache.phrase {
        clauses.key(fields.phrase, phrase, EQUAL_PHRASE * unit)?;
    }
    Ok(())
}
