//! Messages and what they mean: `from_proto` reads and checks, `to_proto` writes.
//!
//! Each module is about one thing of the domain. Both directions take apart what they are given field by field, so that
//! a new field stops the build until somebody has decided about it.

pub mod candidates;
pub mod chunk;
pub mod document;
pub mod filters;
pub mod limits;
pub mod memory;
pub mod relation;
pub mod remember;
pub mod scope;
pub mod search;
pub mod session;
pub mod symbol;
pub mod time;
pub mod weights;

use recall_core::DocumentType;

use crate::{InvalidRequest, Problem};

/// Reads the name of a document type; an empty one is none.
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
                known: "code, documentation, adr, playbook, session, decision, pattern, lesson, failure, note, context",
            },
        )),
    }
}
