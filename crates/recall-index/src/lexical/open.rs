//! Errors of opening an index, and their classification.

use std::error::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::error::DataCorruption;

/// The reason why a lexical index was not opened.
#[derive(Debug, thiserror::Error)]
pub enum LexicalOpenError {
    /// Its files were cut, altered or removed. It can be moved away and written again.
    #[error("the lexical index in `{}` is damaged", path.display())]
    Damaged {
        /// The index's folder.
        path: PathBuf,
        /// The damage found.
        source: Box<dyn Error + Send + Sync>,
    },
    /// It was written in another format. It can be moved away and written again.
    #[error("the lexical index in `{}` has format {found}, but this version needs {known}", path.display())]
    Outdated {
        /// The index's folder.
        path: PathBuf,
        /// The format it was written in. 0 if unknown.
        found: u32,
        /// The format that this version reads and writes.
        known: u32,
    },
    /// The operating system reported an error.
    #[error("cannot read or write the lexical index in `{}`", path.display())]
    Io {
        /// The index's folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl LexicalOpenError {
    /// Classifies an error of tantivy as damage or as an error of the operating system.
    pub(crate) fn classify(path: &Path, error: TantivyError) -> Self {
        let path = path.to_owned();
        match system_error(&error) {
            Some(source) => Self::Io { path, source },
            None => Self::Damaged { path, source: cause(error) },
        }
    }

    pub(crate) fn damaged(path: &Path, what: String) -> Self {
        Self::classify(path, corruption(what))
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// The error of the operating system inside an error of tantivy.
fn io_error(error: &TantivyError) -> Option<&io::Error> {
    match error {
        TantivyError::IoError(source)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: source, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: source, .. })
        | TantivyError::LockFailure(LockError::IoError(source), _)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: source, .. }) => Some(source),
        _ => None,
    }
}

/// The source of an error about damage. tantivy prints an error of the operating system with the fields of its struct, so
/// that one is printed by itself.
pub(crate) fn cause(error: TantivyError) -> Box<dyn Error + Send + Sync> {
    match io_error(&error) {
        Some(source) => source.to_string().into(),
        None => error.into(),
    }
}

/// The error of the operating system that caused an error of tantivy. `None` if the contents of the files caused it.
pub(crate) fn system_error(error: &TantivyError) -> Option<io::Error> {
    if let TantivyError::OpenDirectoryError(OpenDirectoryError::NotADirectory(_)) = error {
        return Some(io::ErrorKind::NotADirectory.into());
    }
    let source = io_error(error)?;
    // A file that is missing, short or undecodable was damaged. Every other error comes from the system.
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
            None
        }
        kind => Some(source.raw_os_error().map_or_else(|| kind.into(), io::Error::from_raw_os_error)),
    }
}

pub(crate) fn corruption(what: impl ToString) -> TantivyError {
    TantivyError::DataCorruption(DataCorruption::comment_only(what))
}

/// Runs code that reads index files, and reports a panic as damage.
///
/// tantivy trusts its files: an offset that was altered after the checksums were verified ends in a slice out of
/// bounds. Reading modifies nothing, so a panic leaves no broken state behind.
pub(crate) fn catch_panics<T>(read: impl FnOnce() -> Result<T, TantivyError>) -> Result<T, TantivyError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(corruption(format!("reading it panicked: {message}")))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_cause_of_damage_is_told_in_words() {
        let gone = || Arc::new(io::Error::from_raw_os_error(2));
        let errors = [
            TantivyError::LockFailure(LockError::IoError(gone()), Some("a hint for programmers".to_owned())),
            TantivyError::OpenReadError(OpenReadError::IoError { io_error: gone(), filepath: "meta.json".into() }),
        ];
        for error in errors {
            assert_eq!(cause(error).to_string(), gone().to_string());
        }
        assert!(cause(corruption("a sum")).to_string().contains("a sum"));
    }
}
