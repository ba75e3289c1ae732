//! The log of changes since the base was written.
//!
//! The log has a head that identifies the base, and an entry per change. The checksum of each entry includes the one
//! before, so an entry is valid only directly after its predecessors. Bytes after the last valid entry were torn by a
//! crash or damaged; they are ignored and overwritten by the next change. The index is then in an earlier state, which
//! its generation shows.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use recall_core::{ChunkRow, Generation, ModelFingerprint, Quantised};

use crate::vector::base::{FORMAT, Reader, check_model};
use crate::vector::{Model, VectorOpenError, folder};

const MAGIC: &[u8; 8] = b"rcll-vdl";

const HEAD_BYTES: usize = 64;

/// The length and the checksum of an entry.
const ENTRY_HEAD_BYTES: usize = 8;

/// The generation, and the numbers of removed and added rows.
const COUNTS_BYTES: usize = 16;

/// One change. The removals take effect first.
#[derive(Debug)]
pub(crate) struct LogEntry {
    pub(crate) generation: Generation,
    pub(crate) removed: Vec<ChunkRow>,
    pub(crate) added: Vec<(ChunkRow, Quantised)>,
}

#[derive(Debug)]
pub(crate) struct Delta {
    path: PathBuf,
    file: File,
    /// The position of the next entry. Bytes after it come from a failed write.
    end: u64,
    /// The checksum of the last entry.
    checksum: u32,
}

impl Delta {
    /// Opens the log of a base and returns its entries. Creates the log if there is none.
    pub(crate) fn open(path: &Path, model: Model, base: u32) -> Result<(Self, Vec<LogEntry>), VectorOpenError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let delta = Self::create(path, model, base).map_err(|error| VectorOpenError::io(path, error))?;
                return Ok((delta, Vec::new()));
            }
            Err(error) => return Err(VectorOpenError::io(path, error)),
        };
        let Some((head, mut rest)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
            return Err(VectorOpenError::damaged(path, "unexpected end of file"));
        };
        let mut checksum = check_head(path, head, model, base)?;
        let mut entries = Vec::new();
        while let Some((entry, next, remaining)) = read_entry(rest, checksum, model.dimensions) {
            entries.push(entry);
            (checksum, rest) = (next, remaining);
        }
        let file =
            File::options().read(true).write(true).open(path).map_err(|error| VectorOpenError::io(path, error))?;
        let end = (bytes.len() - rest.len()) as u64;
        Ok((Self { path: path.to_owned(), file, end, checksum }, entries))
    }

    /// Creates an empty log.
    pub(crate) fn create(path: &Path, model: Model, base: u32) -> io::Result<Self> {
        let head = head(model, base);
        folder::replace(path, |mut file| file.write_all(&head))?;
        let file = File::options().read(true).write(true).open(path)?;
        let checksum = crc32fast::hash(&head);
        Ok(Self { path: path.to_owned(), file, end: HEAD_BYTES as u64, checksum })
    }

    /// Appends a change. Does not sync: a change lost in a power failure is derived again from the catalog.
    pub(crate) fn append(
        &mut self,
        generation: Generation,
        removed: &[ChunkRow],
        added: &[(ChunkRow, Quantised)],
    ) -> io::Result<()> {
        let mut body = Vec::new();
        body.extend(generation.0.to_le_bytes());
        body.extend((removed.len() as u32).to_le_bytes());
        body.extend((added.len() as u32).to_le_bytes());
        body.extend(removed.iter().flat_map(|row| row.0.to_le_bytes()));
        for (row, embedding) in added {
            body.extend(row.0.to_le_bytes());
            body.extend(embedding.components().iter().map(|component| *component as u8));
        }
        let length = u32::try_from(body.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let checksum = chained_checksum(self.checksum, length, &body);
        let mut entry = Vec::with_capacity(ENTRY_HEAD_BYTES + body.len());
        entry.extend(length.to_le_bytes());
        entry.extend(checksum.to_le_bytes());
        entry.extend(body);
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&entry)?;
        self.end += entry.len() as u64;
        self.checksum = checksum;
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the log.
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }
}

fn head(model: Model, base: u32) -> [u8; HEAD_BYTES] {
    let mut bytes = Vec::with_capacity(HEAD_BYTES);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((model.dimensions as u32).to_le_bytes());
    bytes.extend(model.fingerprint.0);
    bytes.extend(base.to_le_bytes());
    bytes.resize(HEAD_BYTES - 4, 0);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.try_into().expect("it was filled to its length")
}

/// Checks that the head is that of a log, of this model and base. Returns the checksum that the first entry continues.
fn check_head(path: &Path, head: &[u8; HEAD_BYTES], model: Model, base: u32) -> Result<u32, VectorOpenError> {
    let (rest, checksum) = head.split_last_chunk::<4>().expect("longer than a checksum");
    if crc32fast::hash(rest) != u32::from_le_bytes(*checksum) {
        return Err(VectorOpenError::damaged(path, "checksum mismatch in its head"));
    }
    let mut reader = Reader(rest);
    if reader.take() != *MAGIC {
        return Err(VectorOpenError::damaged(path, "it is not a log of embeddings"));
    }
    let found = u32::from_le_bytes(reader.take());
    if found != FORMAT {
        return Err(VectorOpenError::Outdated { path: path.to_owned(), found, known: FORMAT });
    }
    let dimensions = u32::from_le_bytes(reader.take()) as usize;
    check_model(path, Model { fingerprint: ModelFingerprint(reader.take()), dimensions }, model)?;
    if u32::from_le_bytes(reader.take()) != base {
        return Err(VectorOpenError::damaged(path, "it belongs to another base"));
    }
    Ok(crc32fast::hash(head))
}

/// Reads the next entry. Returns it with its checksum and the remaining bytes. `None` after the last valid entry.
fn read_entry(bytes: &[u8], before: u32, dimensions: usize) -> Option<(LogEntry, u32, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let (length, checksum) = (u32::from_le_bytes(*length), u32::from_le_bytes(*checksum));
    let (body, remaining) = rest.split_at_checked(length as usize)?;
    if chained_checksum(before, length, body) != checksum {
        return None;
    }
    let (counts, rows) = body.split_first_chunk::<COUNTS_BYTES>()?;
    let mut counts = Reader(counts);
    let generation = Generation(u64::from_le_bytes(counts.take()));
    let [removed, added] = [(); 2].map(|()| u32::from_le_bytes(counts.take()) as usize);
    if rows.len() != removed * 8 + added * (8 + dimensions) {
        return None;
    }
    let (removed, added) = rows.split_at(removed * 8);
    let row = |bytes: &[u8; 8]| ChunkRow(i64::from_le_bytes(*bytes));
    let removed = removed.as_chunks().0.iter().map(row).collect();
    let added = added
        .chunks_exact(8 + dimensions)
        .map(|record| {
            let (at, components) = record.split_first_chunk()?;
            Some((row(at), Quantised::from_bytes(components).ok()?))
        })
        .collect::<Option<_>>()?;
    Some((LogEntry { generation, removed, added }, checksum, remaining))
}

/// The checksum of an entry, chained to the one before.
fn chained_checksum(before: u32, length: u32, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&before.to_le_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}
