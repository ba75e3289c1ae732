//! What does a file say, and is it text that is indexed?

mod decode;
mod minified;
mod private_key;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use recall_core::{ContentHash, DocPath, Timestamp};

use crate::change::modified;
use crate::open::{OpenError, open_inside};
use crate::{SkipReason, names, symlink};

/// A file's text, and what was seen of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text, without a byte order mark. Line ends are as in the file.
    pub text: String,
    /// The hash of the bytes on disk, before any decoding.
    pub hash: ContentHash,
    /// The file's length.
    pub size_bytes: u64,
    /// The file's modification time, taken from the opened file before it was read and the same afterwards.
    pub modified: Timestamp,
    /// What the bytes were decoded from.
    pub encoding: Encoding,
}

/// What a text was decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Marked,
    /// UTF-16 behind a byte order mark, low byte first.
    Utf16Le,
    /// UTF-16 behind a byte order mark, high byte first.
    Utf16Be,
    /// An older encoding, told from the content; its name in the WHATWG Encoding Standard, such as `windows-1252`.
    Legacy(&'static str),
}

/// Reads the file at a path below the root.
///
/// The path is opened without following a symlink at any component, so that nothing outside the root can be read. At most
/// `limit_bytes` are read. A file that changes while it is read is read again.
///
/// # Errors
/// The file is not there, may not be read, or is not text that is indexed: [`ContentError`] says which.
pub fn read(root: &Path, path: &DocPath, limit_bytes: u64) -> Result<Content, ContentError> {
    /// A file that is appended to without a pause never holds still; three looks tell it from an unlucky moment.
    const ATTEMPTS: usize = 3;

    if let Some(reason) = names::skip_reason(path.file_name()) {
        return Err(refusal(path, reason));
    }
    for _ in 0..ATTEMPTS {
        let file = open_inside(root, path).map_err(|error| not_opened(root, path, error))?;
        if let Some(raw) = read_still(&file, limit_bytes, path)? {
            return content(path, &raw);
        }
    }
    Err(refusal(path, SkipReason::Changing))
}

/// The bytes of a file, and what was seen of it before and after.
struct Raw {
    bytes: Vec<u8>,
    modified: Timestamp,
}

/// Reads a file; `None` if it changed meanwhile.
fn read_still(file: &File, limit_bytes: u64, path: &DocPath) -> Result<Option<Raw>, ContentError> {
    let before = file.metadata().map_err(|source| unreadable(path, source))?;
    if !before.is_file() {
        return Err(refusal(path, SkipReason::NotRegular));
    }
    if before.len() > limit_bytes {
        return Err(refusal(path, SkipReason::TooLarge { bytes: before.len(), limit_bytes }));
    }
    take(file, &before, path)
}

/// Reads what was seen of the file `before`; `None` if it is not the same afterwards.
fn take(file: &File, before: &Metadata, path: &DocPath) -> Result<Option<Raw>, ContentError> {
    // One byte more than expected, so that the end is seen without another allocation.
    let mut bytes = Vec::with_capacity(before.len() as usize + 1);
    file.take(before.len() + 1).read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
    let after = file.metadata().map_err(|source| unreadable(path, source))?;
    let seen = |metadata: &Metadata| (metadata.len(), modified(metadata));
    let is_still = seen(&after) == seen(before) && bytes.len() as u64 == before.len();
    Ok(is_still.then(|| Raw { bytes, modified: modified(before) }))
}

fn content(path: &DocPath, raw: &Raw) -> Result<Content, ContentError> {
    let Raw { bytes, modified } = raw;
    let (text, encoding) = decode::decode(bytes).map_err(|reason| refusal(path, reason))?;
    if private_key::holds_one(&text) {
        return Err(refusal(path, SkipReason::PrivateKey));
    }
    if minified::is_minified(path, &text) {
        return Err(refusal(path, SkipReason::Minified));
    }
    let hash = ContentHash::of(bytes);
    Ok(Content { text: text.into_owned(), hash, size_bytes: bytes.len() as u64, modified: *modified, encoding })
}

fn not_opened(root: &Path, path: &DocPath, error: OpenError) -> ContentError {
    let path = path.clone();
    match error {
        OpenError::Gone => ContentError::Gone { path },
        OpenError::NotRegular => refusal(&path, SkipReason::NotRegular),
        OpenError::Io(source) => ContentError::Unreadable { path, source },
        OpenError::Symlink => {
            let inside = root
                .canonicalize()
                .is_ok_and(|root| symlink::reason(&root, &root.join(path.as_str())) == SkipReason::SymlinkInside);
            if inside { refusal(&path, SkipReason::SymlinkInside) } else { ContentError::Outside { path } }
        }
    }
}

fn refusal(path: &DocPath, reason: SkipReason) -> ContentError {
    ContentError::Refused { path: path.clone(), reason }
}

fn unreadable(path: &DocPath, source: io::Error) -> ContentError {
    ContentError::Unreadable { path: path.clone(), source }
}

/// A file's text cannot be had, or is not indexed.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The file is not one that is indexed: too large, not regular, a symlink, not text, in an unknown encoding, minified,
    /// a by-product of a program, a lock file, or a file of keys by its name or its content.
    #[error("`{path}` is not indexed: {reason}")]
    Refused {
        /// The file.
        path: DocPath,
        /// What speaks against it.
        reason: SkipReason,
    },
    /// A symlink on the path leaves the root, or leads nowhere.
    #[error("`{path}` leaves the root through a symlink")]
    Outside {
        /// The path.
        path: DocPath,
    },
    /// Nothing is at the path.
    #[error("`{path}` does not exist")]
    Gone {
        /// The path.
        path: DocPath,
    },
    /// The system refused.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// The file.
        path: DocPath,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
}

impl ContentError {
    /// The same as a reason to skip the file; `None` where it is gone.
    pub fn reason(&self) -> Option<SkipReason> {
        match self {
            Self::Refused { reason, .. } => Some(reason.clone()),
            Self::Outside { .. } => Some(SkipReason::SymlinkOutside),
            Self::Gone { .. } => None,
            Self::Unreadable { source, .. } => Some(SkipReason::Unreadable { error: source.to_string() }),
        }
    }
}

#[cfg(test)]
mod tests;
