//! Reading of notebooks that are larger than a file may be.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};

use recall_core::ContentHasher;
use recall_text::DocPath;

use super::{Content, ContentError, Encoding, is_unchanged, unreadable};
use crate::change::modification_time;

/// Extracts the text of a notebook from its JSON, without keeping what else is in it; `None` if it is not a notebook.
pub type TextOfNotebook = fn(&mut dyn Read) -> Option<String>;

/// Reads a notebook. The outer `None` means that it changed during the read, the inner one that it has no text.
#[expect(clippy::option_option, reason = "a file that changed, and one without a text")]
pub(super) fn read(
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
