//! What can keep an index from being opened?

use std::error::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::error::DataCorruption;

/// A lexical index was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its files are not what was written: cut, altered or missing. It can be set aside and written again.
    #[error("the lexical index in `{}` is damaged", path.display())]
    Damaged {
        /// The index's folder.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// It was written in another format. It can be set aside and written again.
    #[error("the lexical index in `{}` has format {found}, known is {known}", path.display())]
    Outdated {
        /// The index's folder.
        path: PathBuf,
        /// The format it was written in; 0 when it does not say.
        found: u32,
        /// The format that is read and written here.
        known: u32,
    },
    /// The operating system refused.
    #[error("cannot read or write the lexical index in `{}`", path.display())]
    Io {
        /// The index's folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl OpenError {
    /// Sorts what the index library says into damage and refusals of the operating system.
    pub(crate) fn of(path: &Path, error: TantivyError) -> Self {
        let path = path.to_owned();
        match refusal(&error) {
            Some(source) => Self::Io { path, source },
            None => Self::Damaged { path, source: cause(error) },
        }
    }

    pub(crate) fn damaged(path: &Path, what: String) -> Self {
        Self::of(path, corruption(what))
    }

    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// What the operating system said, where that is behind an error.
fn system_error(error: &TantivyError) -> Option<&io::Error> {
    match error {
        TantivyError::IoError(source)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: source, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: source, .. })
        | TantivyError::LockFailure(LockError::IoError(source), _)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: source, .. }) => Some(source),
        _ => None,
    }
}

/// The cause of damage as a source for an error. The index library writes an error of the operating system as a program
/// does, with its fields.
pub(crate) fn cause(error: TantivyError) -> Box<dyn Error + Send + Sync> {
    match system_error(&error) {
        Some(source) => source.to_string().into(),
        None => error.into(),
    }
}

/// The operating system's refusal behind an error; `None` when the error is about what the files hold.
pub(crate) fn refusal(error: &TantivyError) -> Option<io::Error> {
    if let TantivyError::OpenDirectoryError(OpenDirectoryError::NotADirectory(_)) = error {
        return Some(io::ErrorKind::NotADirectory.into());
    }
    let source = system_error(error)?;
    // What is missing, short or unreadable as a value was damaged; everything else is the system's.
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

/// Runs what reads index files, and turns a panic into damage.
///
/// The index library trusts its bytes: offsets that were altered after the checksums were verified end in a slice out of
/// bounds. Nothing that outlives the call is half-changed by such a panic, since reading changes nothing.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, TantivyError>) -> Result<T, TantivyError> {
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
