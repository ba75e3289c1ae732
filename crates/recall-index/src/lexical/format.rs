//! What identifies a commit: the format and generation in its payload, and the fingerprints of its files.
//!
//! Segment files are written once and memory-mapped. If a file is replaced, the reader keeps the old mapping and does
//! not notice. If it is overwritten, the bytes change under the reader after their checksums were verified.

use std::path::{Path, PathBuf};

use recall_core::Generation;
use recall_os::FileStamp;

/// The version of the index format: fields, analysis and packing. Raised by every change to one of them, so that an
/// older index is rebuilt instead of misread.
pub(crate) const FORMAT: u32 = 8;

/// How a payload begins. Another name would be another format.
const NAME: &str = "recall-lexical";

/// The content of a commit's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// Written in this format.
    Known(Generation),
    /// Written in another format.
    Foreign(u32),
    /// Not a payload, or altered after it was written.
    Garbled,
}

/// Encodes the payload of a commit: name, format, generation and a checksum, because the file that contains it has no
/// checksum.
pub(crate) fn payload(generation: Generation) -> String {
    let head = format!("{NAME} {FORMAT} {generation}");
    let sum = checksum(&head);
    format!("{head} {sum:016x}")
}

/// Decodes the payload of a commit.
pub(crate) fn read(payload: &str) -> Payload {
    let Some((head, sum)) = payload.rsplit_once(' ') else { return Payload::Garbled };
    if sum != format!("{:016x}", checksum(head)) {
        return Payload::Garbled;
    }
    let mut parts = head.split(' ');
    let (Some(NAME), Some(format), Some(generation), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Payload::Garbled;
    };
    match (format.parse(), generation.parse()) {
        (Ok(FORMAT), Ok(generation)) => Payload::Known(Generation(generation)),
        (Ok(format), _) => Payload::Foreign(format),
        _ => Payload::Garbled,
    }
}

/// FNV-1a with 64 bits, which detects accidental changes and is short.
pub(crate) fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The files of a state, and their metadata when the state was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamps(Vec<(PathBuf, Option<FileStamp>)>);

impl FileStamps {
    /// Reads the metadata of files. For a file that is also in `before`, that metadata is kept: recall never rewrites
    /// such a file, and a change since then is a change by another program.
    pub(crate) fn read(dir: &Path, names: impl IntoIterator<Item = PathBuf>, before: Option<&Self>) -> Self {
        let one = |name: PathBuf| {
            let path = dir.join(name);
            let known = before.and_then(|before| before.0.iter().find(|(known, _)| *known == path));
            let stamp = known.map_or_else(|| FileStamp::read(&path), |(_, stamp)| *stamp);
            (path, stamp)
        };
        Self(names.into_iter().map(one).collect())
    }

    /// Whether each file still has the same metadata.
    pub(crate) fn are_current(&self) -> bool {
        self.0.iter().all(|(path, before)| FileStamp::read(path) == *before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_reads_back() {
        for generation in [0, 7, u64::MAX] {
            assert_eq!(read(&payload(Generation(generation))), Payload::Known(Generation(generation)));
        }
    }

    #[test]
    fn an_altered_payload_is_garbled() {
        let written = payload(Generation(41));
        assert_eq!(read(&written.replace("41", "42")), Payload::Garbled);
        for text in ["", "x", "recall-lexical 1 41", &written[1..]] {
            assert_eq!(read(text), Payload::Garbled, "{text:?}");
        }
    }

    #[test]
    fn another_format_is_reported_with_its_number() {
        let head = "recall-lexical 9 1 more";
        assert_eq!(read(&format!("{head} {:016x}", checksum(head))), Payload::Garbled);
        let head = "recall-lexical 9 x";
        assert_eq!(read(&format!("{head} {:016x}", checksum(head))), Payload::Foreign(9));
    }
}
