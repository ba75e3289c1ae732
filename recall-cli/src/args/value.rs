//! Parsers of values that several commands accept.

use recall_api::convert;
use recall_api::v1::ContextType;
use recall_core::{Cue, DocumentType, MemoryId, MemoryIdError, MemoryOrigin, MemoryType, Relation, Scope};
use recall_text::Language;
use std::str::FromStr;

/// Parses a scope.
pub(crate) fn scope(text: &str) -> Result<Scope, String> {
    Scope::from_str(text).map_err(|error| error.to_string())
}

/// Parses a document type.
pub(crate) fn document_type(text: &str) -> Result<DocumentType, String> {
    DocumentType::from_str(text).map_err(|error| error.to_string())
}

/// Parses a memory type.
pub(crate) fn memory_type(text: &str) -> Result<MemoryType, String> {
    MemoryType::from_str(text).map_err(|error| error.to_string())
}

/// Parses the id of a memory, or the beginning of one from 4 digits on, which the daemon completes.
pub(crate) fn memory_id(text: &str) -> Result<String, String> {
    /// The lengths of the shortest beginning and of a whole id.
    const LENGTHS: (usize, usize) = (6, 10);
    let (least, whole) = LENGTHS;
    let padded = if text.len() < least { text.to_owned() } else { format!("{text:0<whole$}") };
    match MemoryId::from_str(&padded) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(MemoryIdError { text: text.to_owned() }.to_string()),
    }
}

/// Parses the origin of a memory.
pub(crate) fn memory_origin(text: &str) -> Result<MemoryOrigin, String> {
    MemoryOrigin::from_str(text).map_err(|error| error.to_string())
}

/// Parses a cue of a memory.
pub(crate) fn cue(text: &str) -> Result<Cue, String> {
    Cue::from_str(text).map_err(|error| error.to_string())
}

/// Parses a language.
pub(crate) fn language(text: &str) -> Result<Language, String> {
    Language::from_str(text).map_err(|error| error.to_string())
}

/// Parses a kind of content in a context window.
pub(crate) fn context_type(text: &str) -> Result<ContextType, String> {
    convert::context_type(text).ok_or_else(|| {
        let known: Vec<String> = convert::CONTEXT_TYPES.map(convert::context_type_name).into();
        format!("unknown type `{text}`: the types are {}", known.join(", "))
    })
}

/// Parses a relation of the graph.
pub(crate) fn relation(text: &str) -> Result<Relation, String> {
    Relation::from_name(text).ok_or_else(|| {
        let known = Relation::ALL.map(Relation::as_str).join(", ");
        format!("unknown relation `{text}`: the relations are {known}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_memorys_id_is_accepted() {
        for id in ["D-0c5a", "L-f9b2977", "L-f9b2977a"] {
            assert_eq!(memory_id(id).as_deref(), Ok(id));
        }
        for other in ["D-0c5", "D-0C5A", "L-f9b2977a0", "x", ""] {
            assert!(memory_id(other).is_err(), "{other}");
        }
    }
}
