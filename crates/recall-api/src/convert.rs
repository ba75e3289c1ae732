//! Conversions between messages and domain types: `from_proto` reads and validates, `to_proto` writes.
//!
//! Each module converts one domain type. Both directions destructure their input without `..`, so that a new field
//! stops the build until somebody decides about it.

pub mod candidates;
pub mod chunk;
pub mod context_type;
pub mod document;
pub mod exact;
pub mod filters;
pub mod limits;
pub mod memory;
pub mod query;
pub mod relation;
pub mod remember;
pub mod scope;
pub mod search;
pub mod session;
pub mod symbol;
pub mod time;
pub mod transcripts;
pub mod weights;

use recall_core::DocumentType;

use crate::{InvalidRequest, Problem};

/// Parses the name of a type whose documents are indexed; an empty name gives `None`.
///
/// # Errors
/// The name is unknown, or that of transcripts, which only searches read.
pub fn indexed_type(field: &'static str, name: &str) -> Result<Option<DocumentType>, InvalidRequest> {
    let named = document_type(field, name)?;
    check_indexed(field, named.as_slice())?;
    Ok(named)
}

/// Checks that the documents of types are indexed: "nothing" must not be said of what was not looked at.
pub(crate) fn check_indexed(field: &'static str, types: &[DocumentType]) -> Result<(), InvalidRequest> {
    if !types.contains(&DocumentType::Transcript) {
        return Ok(());
    }
    let expected = "a type of indexed documents: only `recall search` and `recall session search` read transcripts";
    Err(InvalidRequest::new(field, Problem::Malformed { value: DocumentType::Transcript.to_string(), expected }))
}

/// Parses the name of a document type; an empty name gives `None`.
///
/// # Errors
/// The name is unknown.
pub fn document_type(field: &'static str, name: &str) -> Result<Option<DocumentType>, InvalidRequest> {
    if name.is_empty() {
        return Ok(None);
    }
    match name.parse() {
        Ok(document_type) => Ok(Some(document_type)),
        Err(_) => Err(InvalidRequest::new(
            field,
            Problem::Unknown {
                value: name.to_owned(),
                known: "code, documentation, adr, playbook, session, decision, pattern, lesson, failure, note, context, \
                        transcript",
            },
        )),
    }
}
