//! Definitions of a name, and chunks that mention it.

use recall_core::words::Word;
use tantivy::TantivyError;

use crate::analysis::Analysis;
use crate::clause::DisjunctionQuery;
use crate::fields::Fields;
use crate::names::{MAX_NAME_BYTES, written_as_symbol};

/// Adds the definitions of a name with the scopes given, in the same case.
pub(super) fn look_for_definitions(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    name: &str,
) -> Result<(), TantivyError> {
    clauses.key(fields.name, name, 1.0)?;
    let written = written_as_symbol(name);
    // A name with punctuation of its own, such as `empty?`, is indexed as written. Other ways to write a scope are
    // converted to `::`.
    if written != name && !written.is_empty() && written.len() <= MAX_NAME_BYTES {
        clauses.key(fields.name, &written, 0.5)?;
    }
    Ok(())
}

/// Adds the texts that contain a name as a word.
pub(super) fn look_for_mentions(
    clauses: &mut DisjunctionQuery<'_>,
    fields: &Fields,
    name: &str,
) -> Result<(), TantivyError> {
    let mut whole: Option<String> = None;
    Analysis::of_queries().each(name, |term| {
        // Of a name with several words, such as `x-y`, the longest is searched.
        let is_longer = whole.as_ref().is_none_or(|known| known.len() < term.indexed.len());
        if is_longer && !matches!(term.word, Word::Part(_)) {
            whole = Some(term.indexed.to_owned());
        }
    });
    match whole {
        Some(term) => clauses.term(fields.body, &term, 1.0),
        None => Ok(()),
    }
}
