//! Reading files: decoding, and rejection of content that is not indexed.

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

/// The text of a file, with the file's hash and metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text, without a byte order mark. Line endings are those of the file.
    pub text: String,
    /// The hash of the bytes on disk, before any decoding.
    pub hash: ContentHash,
    /// The length of the file in bytes.
    pub size_bytes: u64,
    /// The modification time of the file. It was the same before and after reading.
    pub modified: Timestamp,
    /// The encoding of the bytes.
    pub encoding: Encoding,
}

/// The encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Marked,
    /// UTF-16 with a byte order mark, little-endian.
    Utf16Le,
    /// UTF-16 with a byte order mark, big-endian.
    Utf16Be,
    /// A legacy encoding detected from the content, by its name in the WHATWG Encoding Standard, such as
    /// `windows-1252`.
    Legacy(&'static str),
}

/// Reads a file below the root.
///
/// No component of the path may be a symlink, so nothing outside the root can be read. At most `limit_bytes` are read.
/// A file that changes during the read is read again.
///
/// # Errors
/// The file is missing, cannot be read, or is not indexed; see [`ContentError`].
pub fn read(root: &Path, path: &DocPath, limit_bytes: u64) -> Result<Content, ContentError> {
    /// The number of attempts. A file that is appended to all the time changes during each of them.
    const ATTEMPTS: usize = 3;

    if let Some(reason) = names::skip_reason(path.file_name()) {
        return Err(refusal(path, reason));
    }
    for _ in 0..ATTEMPTS {
        let file = open_inside(root, path).map_err(|error| not_opened(root, path, error))?;
        if let Some(raw) = read_unchanged(&file, limit_bytes, path)? {
            return content(path, &raw);
        }
    }
    Err(refusal(path, SkipReason::Changing))
}

/// The bytes and the modification time of a file that did not change during the read.
struct Raw {
    bytes: Vec<u8>,
    modified: Timestamp,
}

/// Reads a file; `None` if it changed during the read.
fn read_unchanged(file: &File, limit_bytes: u64, path: &DocPath) -> Result<Option<Raw>, ContentError> {
    let before = file.metadata().map_err(|source| unreadable(path, source))?;
    if !before.is_file() {
        return Err(refusal(path, SkipReason::NotRegular));
    }
    if before.len() > limit_bytes {
        return Err(refusal(path, SkipReason::TooLarge { bytes: before.len(), limit_bytes }));
    }
    read_with(file, &before, path)
}

/// Reads a file with the given metadata; `None` if the metadata is different afterwards.
fn read_with(file: &File, before: &Metadata, path: &DocPath) -> Result<Option<Raw>, ContentError> {
    // One byte more than expected, so that the end is found without another allocation.
    let mut bytes = Vec::with_capacity(before.len() as usize + 1);
    file.take(before.len() + 1).read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
    let after = file.metadata().map_err(|source| unreadable(path, source))?;
    let seen = |metadata: &Metadata| (metadata.len(), modified(metadata));
    let is_unchanged = seen(&after) == seen(before) && bytes.len() as u64 == before.len();
    Ok(is_unchanged.then(|| Raw { bytes, modified: modified(before) }))
}

/// Returns the text of an earlier version of a file, by the rules for files.
///
/// # Errors
/// [`ContentError::Refused`]: files like this one are not indexed, so it is not shown either.
pub fn version(path: &DocPath, bytes: Vec<u8>) -> Result<Content, ContentError> {
    if let Some(reason) = names::skip_reason(path.file_name()) {
        return Err(refusal(path, reason));
    }
    content(path, &Raw { bytes, modified: Timestamp::default() })
}

fn content(path: &DocPath, raw: &Raw) -> Result<Content, ContentError> {
    let Raw { bytes, modified } = raw;
    let (text, encoding) = decode::decode(bytes).map_err(|reason| refusal(path, reason))?;
    if private_key::contains_key(&text) {
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
            let inside = dunce::canonicalize(root)
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

/// A file cannot be read, or is not indexed.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The file is not indexed: it is too large, not regular, a symlink, not text, in an unknown encoding, minified, a
    /// by-product of a program, a lock file, or a key file by its name or content.
    #[error("`{path}` is not indexed: {reason}")]
    Refused {
        /// The file.
        path: DocPath,
        /// Why it is not indexed.
        reason: SkipReason,
    },
    /// A symlink in the path leads outside the root, or is broken.
    #[error("`{path}` leads outside the root through a symlink")]
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
    /// The operating system refused.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// The file.
        path: DocPath,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
}

impl ContentError {
    /// Returns the error as a reason to skip the file; `None` if the file is gone.
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
