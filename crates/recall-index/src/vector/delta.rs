//! The log of changes since the last merge.
//!
//! The log begins with a head, which names the bases of the index and the slots of each that were removed before the log began. It is
//! followed by an entry per change. The checksum of each entry includes the one
//! before, so an entry is valid only directly after its predecessors. Bytes after the last valid entry were torn by a
//! crash or damaged; they are ignored and overwritten by the next change. The index is then in an earlier state, which
//! its generation shows.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use recall_core::{ChunkRow, Generation, ModelFingerprint, Quantised};

use crate::vector::base::{FORMAT, Reader, SlotSet, check_model, checksum};
use crate::vector::{Model, VectorOpenError, folder};

const MAGIC: &[u8; 8] = b"rcll-vdl";

const HEAD_BYTES: usize = 64;

/// Number, identity, slots and removed slots of a base in the head.
const BASE_BYTES: usize = 8 + 4 + 4 + 4;

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

/// What an index consisted of when a log began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogStart {
    pub(crate) generation: Generation,
    pub(crate) bases: Vec<KnownBase>,
}

/// A base as a log knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownBase {
    pub(crate) number: u64,
    /// The checksum of its head.
    pub(crate) identity: u32,
    /// The number of its slots.
    pub(crate) slots: u32,
    /// The slots whose chunks were removed, or changed, after it was written.
    pub(crate) removed: SlotSet,
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
    /// Opens a log; returns it with its start and its entries.
    pub(crate) fn open(path: &Path, model: Model) -> Result<(Self, LogStart, Vec<LogEntry>), VectorOpenError> {
        let io_error = |error| VectorOpenError::io(path, error);
        let bytes = fs::read(path).map_err(io_error)?;
        let (start, head_bytes) = read_head(path, &bytes, model)?;
        let (head, mut rest) = bytes.split_at(head_bytes);
        let mut checksum = chain_start(head);
        let mut entries = Vec::new();
        while let Some((entry, next, remaining)) = read_entry(rest, checksum, model.dimensions) {
            entries.push(entry);
            (checksum, rest) = (next, remaining);
        }
        let file = File::options().read(true).write(true).open(path).map_err(io_error)?;
        let end = (bytes.len() - rest.len()) as u64;
        Ok((Self { path: path.to_owned(), file, end, checksum }, start, entries))
    }

    /// Creates an empty log. It is on disk when this returns.
    pub(crate) fn create(path: &Path, model: Model, start: &LogStart) -> io::Result<Self> {
        let head = head(model, start);
        folder::replace(path, |mut file| {
            file.write_all(&head)?;
            file.sync_all()
        })?;
        let file = File::options().read(true).write(true).open(path)?;
        let checksum = chain_start(&head);
        Ok(Self { path: path.to_owned(), file, end: head.len() as u64, checksum })
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

/// The head of a log: the fixed part with its checksum, and if there are bases, those with a checksum of their own.
fn head(model: Model, start: &LogStart) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((model.dimensions as u32).to_le_bytes());
    bytes.extend(model.fingerprint.0);
    bytes.extend(start.generation.0.to_le_bytes());
    bytes.extend((start.bases.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    debug_assert_eq!(bytes.len(), HEAD_BYTES);
    for KnownBase { number, identity, slots, removed } in &start.bases {
        bytes.extend(number.to_le_bytes());
        bytes.extend(identity.to_le_bytes());
        bytes.extend(slots.to_le_bytes());
        bytes.extend((removed.len() as u32).to_le_bytes());
    }
    for base in start.bases.iter().filter(|base| !base.removed.is_empty()) {
        bytes.extend(base.removed.to_bytes(base.slots as usize));
    }
    if !start.bases.is_empty() {
        bytes.extend(crc32fast::hash(&bytes[HEAD_BYTES..]).to_le_bytes());
    }
    bytes
}

/// The checksum that the first entry continues: that of the checksums of a head's parts.
fn chain_start(head: &[u8]) -> u32 {
    let checksums = [checksum(&head[..HEAD_BYTES]), checksum(head)];
    crc32fast::hash(checksums.map(u32::to_le_bytes).as_flattened())
}

/// Checks that the head is that of a log of this model; returns what it says and its length.
fn read_head(path: &Path, bytes: &[u8], model: Model) -> Result<(LogStart, usize), VectorOpenError> {
    let too_short = || VectorOpenError::damaged(path, "unexpected end of file");
    let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>().ok_or_else(too_short)?;
    let (fixed, checksum) = head.split_last_chunk::<4>().expect("longer than a checksum");
    if crc32fast::hash(fixed) != u32::from_le_bytes(*checksum) {
        return Err(VectorOpenError::damaged(path, "checksum mismatch in its head"));
    }
    let mut reader = Reader(fixed);
    if reader.take() != *MAGIC {
        return Err(VectorOpenError::damaged(path, "it is not a log of embeddings"));
    }
    let found = u32::from_le_bytes(reader.take());
    if found != FORMAT {
        return Err(VectorOpenError::Outdated { path: path.to_owned(), found, known: FORMAT });
    }
    let dimensions = u32::from_le_bytes(reader.take()) as usize;
    check_model(path, Model { fingerprint: ModelFingerprint(reader.take()), dimensions }, model)?;
    let generation = Generation(u64::from_le_bytes(reader.take()));
    let count = u32::from_le_bytes(reader.take()) as usize;
    if count == 0 {
        return Ok((LogStart { generation, bases: Vec::new() }, HEAD_BYTES));
    }
    let (table, _) = rest.split_at_checked(count * BASE_BYTES).ok_or_else(too_short)?;
    let mut bases: Vec<(KnownBase, u32)> = table.chunks_exact(BASE_BYTES).map(known_base).collect();
    let sets_bytes = |(base, removed): &(KnownBase, u32)| if *removed == 0 { 0 } else { set_bytes(base) };
    let length = table.len() + bases.iter().map(sets_bytes).sum::<usize>();
    let (body, after) = rest.split_at_checked(length).ok_or_else(too_short)?;
    if after.first_chunk().is_none_or(|checksum| u32::from_le_bytes(*checksum) != crc32fast::hash(body)) {
        return Err(VectorOpenError::damaged(path, "checksum mismatch in its bases"));
    }
    let mut sets = &body[table.len()..];
    for (base, _) in bases.iter_mut().filter(|(_, removed)| *removed > 0) {
        let (set, others) = sets.split_at(set_bytes(base));
        base.removed = SlotSet::from_bytes(set);
        sets = others;
    }
    let bases = bases.into_iter().map(|(base, _)| base).collect();
    Ok((LogStart { generation, bases }, HEAD_BYTES + length + 4))
}

/// A base of the head without its removed slots, and their number.
fn known_base(bytes: &[u8]) -> (KnownBase, u32) {
    let mut reader = Reader(bytes);
    let number = u64::from_le_bytes(reader.take());
    let [identity, slots, removed] = [(); 3].map(|()| u32::from_le_bytes(reader.take()));
    (KnownBase { number, identity, slots, removed: SlotSet::default() }, removed)
}

fn set_bytes(base: &KnownBase) -> usize {
    (base.slots as usize).div_ceil(64) * 8
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
