//! Reading files: decoding, and rejection of content that is not indexed.

mod decode;
mod private_key;

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};
use std::path::Path;

use recall_core::{ContentHash, ContentHasher, Timestamp};
use recall_text::DocPath;

use crate::file::{OpenError, modification_time, open_inside};
use crate::{SizeLimits, SkipReason, Tracking, names, skip};

/// The text of a file, with the file's hash and metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text, without a byte order mark. Line endings are those of the file, and the digits of private keys are replaced by others.
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

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The sizes of the largest files that are read.
    pub sizes: SizeLimits,
    /// Whether git tracks the file.
    pub tracking: Tracking,
    /// Extracts the text of a notebook that is larger than a file may be; `None` to refuse it.
    pub text_of_notebook: Option<TextOfNotebook>,
}

impl ReadOptions {
    /// Returns the options to read a file up to that size.
    pub fn up_to(bytes: u64) -> Self {
        let sizes = SizeLimits { file_bytes: bytes, notebook_bytes: bytes };
        Self { sizes, tracking: Tracking::Untracked, text_of_notebook: None }
    }
}

/// Reads a file below the root.
///
/// No component of the path may be a symlink, so nothing outside the root can be read. At most as many bytes are read as the
/// options allow. Of a notebook that is larger than a file may be, only the text is kept, as `text_of_notebook` extracts it;
/// its pictures take no memory. A file that changes during the read is read again.
///
/// # Errors
/// The file is missing, cannot be read, or is not indexed; see [`ContentError`].
pub fn read(root: &Path, path: &DocPath, options: &ReadOptions) -> Result<Content, ContentError> {
    /// The number of attempts. A file that is appended to all the time changes during each of them.
    const ATTEMPTS: usize = 3;

    let ReadOptions { sizes, tracking, text_of_notebook } = options;
    let name = path.file_name();
    if let Some(reason) = names::skip_reason(name, *tracking) {
        return Err(refusal(path, reason));
    }
    for _ in 0..ATTEMPTS {
        let file = open_inside(root, path).map_err(|error| open_error(root, path, error))?;
        let before = file.metadata().map_err(|source| unreadable(path, source))?;
        if !before.is_file() {
            return Err(refusal(path, SkipReason::NotRegular));
        }
        if let Some(reason) = sizes.check(name, before.len()) {
            return Err(refusal(path, reason));
        }
        let too_large = sizes.check_text(before.len()).filter(|_| skip::is_notebook(name));
        let content = match (too_large, text_of_notebook) {
            (Some(reason), None) => return Err(refusal(path, reason)),
            (Some(reason), Some(text)) => read_reduced(&file, &before, path, *text)?
                .map(|content| content.ok_or(reason).and_then(|content| check_notebook(content, sizes))),
            (None, _) => read_with(&file, &before, path)?.map(|raw| content(&raw)),
        };
        if let Some(content) = content {
            return content.map_err(|reason| refusal(path, reason));
        }
    }
    Err(refusal(path, SkipReason::Changing))
}

/// The bytes and the modification time of a file that did not change during the read.
struct Raw {
    bytes: Vec<u8>,
    modified: Timestamp,
}

/// Reads a file with the given metadata; `None` if the metadata is different afterwards.
fn read_with(file: &File, before: &Metadata, path: &DocPath) -> Result<Option<Raw>, ContentError> {
    // One byte more than expected, so that the end is found without another allocation.
    let mut bytes = Vec::with_capacity(before.len() as usize + 1);
    file.take(before.len() + 1).read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
    let is_unchanged = is_unchanged(file, before, bytes.len() as u64).map_err(|source| unreadable(path, source))?;
    Ok(is_unchanged.then(|| Raw { bytes, modified: modification_time(before) }))
}

/// Returns whether a file of which so many bytes were read is the one that it was before.
fn is_unchanged(file: &File, before: &Metadata, bytes: u64) -> io::Result<bool> {
    let after = file.metadata()?;
    let seen = |metadata: &Metadata| (metadata.len(), modification_time(metadata));
    Ok(seen(&after) == seen(before) && bytes == before.len())
}

/// Returns the text of an earlier version of a file, by the rules for files.
///
/// # Errors
/// [`ContentError::Refused`]: files like this one are not indexed, so it is not shown either.
pub fn version(path: &DocPath, tracking: Tracking, bytes: Vec<u8>) -> Result<Content, ContentError> {
    if let Some(reason) = names::skip_reason(path.file_name(), tracking) {
        return Err(refusal(path, reason));
    }
    content(&Raw { bytes, modified: Timestamp::default() }).map_err(|reason| refusal(path, reason))
}

fn content(raw: &Raw) -> Result<Content, SkipReason> {
    let Raw { bytes, modified } = raw;
    if is_lfs_pointer(bytes) {
        return Err(SkipReason::LfsPointer);
    }
    let (text, encoding) = decode::decode(bytes)?;
    let hash = ContentHash::hash(bytes);
    let (text, size_bytes, modified) = (text.into_owned(), bytes.len() as u64, *modified);
    check_content(Content { text, hash, size_bytes, modified, encoding })
}

/// Returns the content of a notebook unless its text is too large or not indexed.
fn check_notebook(content: Content, sizes: &SizeLimits) -> Result<Content, SkipReason> {
    match sizes.check_text(content.text.len() as u64) {
        Some(reason) => Err(reason),
        None => check_content(content),
    }
}

/// Returns the content with the digits of private keys replaced, unless it is little else than keys.
fn check_content(mut content: Content) -> Result<Content, SkipReason> {
    let hidden = private_key::hide(&mut content.text);
    if private_key::is_key_file(&content.text, hidden) { Err(SkipReason::PrivateKey) } else { Ok(content) }
}

fn open_error(root: &Path, path: &DocPath, error: OpenError) -> ContentError {
    let path = path.clone();
    match error {
        OpenError::Gone => ContentError::Gone { path },
        OpenError::NotRegular => refusal(&path, SkipReason::NotRegular),
        OpenError::Io(source) => ContentError::Unreadable { path, source },
        OpenError::Symlink => {
            let inside = dunce::canonicalize(root)
                .is_ok_and(|root| skip::symlink_reason(&root, &root.join(path.as_str())) == SkipReason::SymlinkInside);
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
    /// The file is not indexed: it is too large, not regular, a symlink, not text, in an unknown encoding, a
    /// pointer of Git LFS, written by a tool and not tracked by git, or a key file by its name or content.
    #[error("`{path}` is not indexed: {reason}")]
    Refused {
        /// The file that was not read, or only in part.
        path: DocPath,
        /// Why it is not indexed.
        reason: SkipReason,
    },
    /// A symlink in the path leads outside the root, or is broken.
    #[error("`{path}` leads outside the root through a symlink")]
    Outside {
        /// The path below the root, with the link in it.
        path: DocPath,
    },
    /// Nothing is at the path.
    #[error("`{path}` does not exist")]
    Gone {
        /// The path below the root at which a file was expected.
        path: DocPath,
    },
    /// The operating system refused.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// The file that the system does not let be read.
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

/// Returns whether a file is a pointer of Git LFS, as it is checked out before its content is fetched.
fn is_lfs_pointer(bytes: &[u8]) -> bool {
    /// A pointer is shorter than this, by its specification.
    const LONGEST: usize = 1024;
    /// The first line; earlier versions of the program wrote the second form.
    const VERSIONS: [&[u8]; 2] =
        [b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"];

    bytes.len() < LONGEST
        && VERSIONS.iter().any(|version| bytes.starts_with(version))
        && bytes.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"oid "))
}

/// Extracts the text of a notebook from its JSON, without keeping what else is in it; `None` if it is not a notebook.
pub type TextOfNotebook = fn(&mut dyn Read) -> Option<String>;

/// Reads a notebook. The outer `None` means that it changed during the read, the inner one that it has no text.
#[expect(clippy::option_option, reason = "a file that changed, and one without a text")]
fn read_reduced(
    file: &File,
    before: &Metadata,
    path: &DocPath,
    text: TextOfNotebook,
) -> Result<Option<Option<Content>>, ContentError> {
    let mut reader =
        Hashing { inner: BufReader::new(file.take(before.len() + 1)), hasher: ContentHasher::default(), bytes: 0 };
    let text = text(&mut reader);
    // The hash is that of the whole file.
    io::copy(&mut reader, &mut io::sink()).map_err(|source| unreadable(path, source))?;
    if !is_unchanged(file, before, reader.bytes).map_err(|source| unreadable(path, source))? {
        return Ok(None);
    }
    Ok(Some(text.map(|text| Content {
        text,
        hash: reader.hasher.finish(),
        size_bytes: before.len(),
        modified: modification_time(before),
        encoding: Encoding::Utf8,
    })))
}

/// A reader that hashes what it reads.
struct Hashing<R> {
    inner: R,
    hasher: ContentHasher,
    bytes: u64,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..length]);
        self.bytes += length as u64;
        Ok(length)
    }
}

#[cfg(test)]
mod tests;
