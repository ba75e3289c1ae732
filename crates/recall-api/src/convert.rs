//! Conversions between messages and domain types: `from_proto` reads and validates, `to_proto` writes.
//!
//! Each module converts one domain type. Both directions destructure their input without `..`, so that a new field
//! stops the build until somebody decides about it.

pub mod document;
pub mod exact;
pub mod filters;
pub mod limits;
pub mod memory;
pub mod remember;
pub mod review;
pub mod scope;
pub mod search;
pub mod session;
pub mod time;

use recall_core::{DocumentType, Relation};

use crate::v1::ContextType;
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

/// Reads the names of relations, without repetition and in their order.
///
/// # Errors
/// A name is unknown.
pub fn relations_from_proto(names: &[String]) -> Result<Vec<Relation>, InvalidRequest> {
    let mut relations = Vec::with_capacity(names.len());
    for name in names {
        let Some(relation) = Relation::from_name(name) else {
            let known = "imports, imported_by, defines, references, relates_to, supersedes";
            return Err(InvalidRequest::new("relations", Problem::Unknown { value: name.clone(), known }));
        };
        if !relations.contains(&relation) {
            relations.push(relation);
        }
    }
    Ok(relations)
}

/// Writes relations by their names, in order.
pub fn relations_to_proto(relations: &[Relation]) -> Vec<String> {
    relations.iter().map(|relation| relation.as_str().to_owned()).collect()
}

/// What the names of the protocol begin with.
const CONTEXT_TYPE_PREFIX: &str = "CONTEXT_TYPE_";

/// All kinds, in the order of the protocol.
pub const CONTEXT_TYPES: [ContextType; 8] = [
    ContextType::RelatedCode,
    ContextType::Documentation,
    ContextType::Adrs,
    ContextType::Decisions,
    ContextType::RecentChanges,
    ContextType::Ownership,
    ContextType::Signatures,
    ContextType::Tests,
];

/// Returns the name of a kind, as interfaces write it: `related_code`.
pub fn context_type_name(kind: ContextType) -> String {
    kind.as_str_name().trim_start_matches(CONTEXT_TYPE_PREFIX).to_lowercase()
}

/// Returns the kind with that name.
pub fn context_type(text: &str) -> Option<ContextType> {
    CONTEXT_TYPES.into_iter().find(|kind| context_type_name(*kind) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_survive_and_unknown_ones_are_refused() {
        assert_eq!(relations_from_proto(&relations_to_proto(&Relation::ALL)), Ok(Relation::ALL.to_vec()));
        assert_eq!(relations_from_proto(&["defines".to_owned(), "defines".to_owned()]), Ok(vec![Relation::Defines]));
        let error = relations_from_proto(&["calls".to_owned()]).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "`relations` is `calls`; expected one of imports, imported_by, defines, references, relates_to, supersedes"
        );
    }

    #[test]
    fn every_kind_has_a_name_but_the_unspecified_one() {
        assert_eq!(context_type("related_code"), Some(ContextType::RelatedCode));
        assert_eq!(context_type("unspecified"), None);
        for kind in CONTEXT_TYPES {
            assert_eq!(context_type(&context_type_name(kind)), Some(kind));
        }
        assert!(ContextType::try_from(CONTEXT_TYPES.len() as i32 + 1).is_err(), "each kind is in the list");
    }
}
