//! Why a document cannot be edited.

/// Why a document cannot be edited.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text is not in the format, for example after an edit by hand.
    #[error("it is not valid {format}: {message}")]
    Syntax {
        /// The name of the format.
        format: &'static str,
        /// What the parser reports.
        message: String,
    },
    /// There is something else where an object is expected.
    #[error("{what} is not an object")]
    NotAnObject {
        /// The key, or the whole document.
        what: String,
    },
    /// A key occurs twice, so that programs disagree on its value.
    #[error("the key `{key}` occurs more than once")]
    Duplicate {
        /// The key that is repeated.
        key: String,
    },
    /// No edit was found that changes nothing else.
    #[error("it is written in a way that cannot be edited without changing more than the entry")]
    Unclear,
}

/// Reports that there is something else where an object is expected.
pub(crate) fn not_an_object(key: &str) -> DocumentError {
    DocumentError::NotAnObject { what: format!("`{key}`") }
}
