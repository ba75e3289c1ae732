//! Which chunks define exactly this name, and which may use it?

use recall_core::words::Word;
use tantivy::TantivyError;

use crate::analysis::Analysis;
use crate::clause::Clauses;
use crate::fields::Fields;
use crate::names::{MAX_NAME_BYTES, written_as_symbol};

/// Looks for the definitions of a name, with as many of its scopes as are given, in this case.
pub(super) fn look_for_definitions(clauses: &mut Clauses<'_>, fields: &Fields, name: &str) -> Result<(), TantivyError> {
    clauses.key(fields.name, name, 1.0)?;
    let written = written_as_symbol(name);
    // A name with signs of its own (`empty?`) is one as it stands; any other way to write a scope comes to `::`.
    if written != name && !written.is_empty() && written.len() <= MAX_NAME_BYTES {
        clauses.key(fields.name, &written, 0.5)?;
    }
    Ok(())
}

/// Looks for the texts that hold a name as a word.
pub(super) fn look_for_mentions(clauses: &mut Clauses<'_>, fields: &Fields, name: &str) -> Result<(), TantivyError> {
    let mut whole: Option<String> = None;
    Analysis::of_queries().each(name, |term| {
        // A name of several words (`x-y`) is looked for by the longest.
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
