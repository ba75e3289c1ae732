//! Parsers of values that several commands accept.

use std::str::FromStr;

use recall_core::{DocumentType, Language, MemoryOrigin, MemoryType, Relation, Scope};
use recall_proto::convert::context_type;
use recall_proto::v1::ContextType;

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

/// Parses the origin of a memory.
pub(crate) fn memory_origin(text: &str) -> Result<MemoryOrigin, String> {
    MemoryOrigin::from_str(text).map_err(|error| error.to_string())
}

/// Parses a language.
pub(crate) fn language(text: &str) -> Result<Language, String> {
    Language::from_str(text).map_err(|error| error.to_string())
}

/// Parses a kind of content in a context window.
pub(crate) fn context_type(text: &str) -> Result<ContextType, String> {
    context_type::from_name(text).ok_or_else(|| {
        let known: Vec<String> = context_type::ALL.map(context_type::name).into();
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
