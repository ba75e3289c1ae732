//! The file format of a base, its writing next to the one in use, and sets of its slots.
//!
//! ```text
//! head          256 bytes: the kind of base, and the checksums of everything up to the content
//! rows          8 bytes per slot
//! dead          one bit per slot, in words of 8 bytes: slots that only the graph needs
//! checksums     4 bytes per block of the content
//! content       at a multiple of 64: number and stride of the records, the records by slot, the graph if there is one
//! ```
//!
//! Numbers are little-endian. The content is in usearch's file format, or a prefix of it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use recall_core::{ChunkRow, ModelFingerprint};

use crate::vector::graph::{Graph, PREFIX_BYTES};
use crate::vector::mapping::Mapping;
use crate::vector::{Model, VectorOpenError, VectorWriteError, folder, kernel};

/// The version of the format of all files of an index. Raised if one of them changes, or if usearch changes its format.
pub(crate) const FORMAT: u32 = 2;

pub(super) const HEAD_BYTES: usize = 256;

/// The size of a block of the content that is verified at once. Each block has a checksum of 4 bytes, read at opening.
pub(super) const BLOCK_BYTES: usize = 1 << 20;

/// The alignment of the content: a cache line of the processor.
const ALIGNMENT: usize = 64;

const MAGIC: &[u8; 8] = b"rcll-vec";

/// The most slots: usearch numbers them in 32 bits. Also bounds the sizes in a corrupt head.
const MAX_SLOTS: u64 = u32::MAX as u64;

/// The head of a base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) model: Model,
    pub(super) slots: usize,
    pub(super) dead: usize,
    /// Zero without a graph.
    pub(super) graph_bytes: usize,
    /// The checksum of rows, dead and checksums.
    pub(super) tables_checksum: u32,
}

impl Head {
    pub(super) fn rows_bytes(&self) -> usize {
        self.slots * 8
    }

    pub(super) fn dead_bytes(&self) -> usize {
        self.slots.div_ceil(64) * 8
    }

    fn checksums_bytes(&self) -> usize {
        self.content_bytes().div_ceil(BLOCK_BYTES) * 4
    }

    /// The length of rows, dead and checksums together.
    pub(super) fn tables_bytes(&self) -> usize {
        self.rows_bytes() + self.dead_bytes() + self.checksums_bytes()
    }

    pub(super) fn content_at(&self) -> usize {
        (HEAD_BYTES + self.tables_bytes()).next_multiple_of(ALIGNMENT)
    }

    pub(super) fn content_bytes(&self) -> usize {
        PREFIX_BYTES + self.slots * kernel::stride(self.model.dimensions) + self.graph_bytes
    }

    /// The range of the records in the content.
    pub(super) fn records(&self) -> Range<usize> {
        PREFIX_BYTES..PREFIX_BYTES + self.slots * kernel::stride(self.model.dimensions)
    }

    pub(super) fn file_bytes(&self) -> u64 {
        (self.content_at() + self.content_bytes()) as u64
    }

    pub(super) fn to_bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend((self.model.dimensions as u32).to_le_bytes());
        bytes.extend(self.model.fingerprint.0);
        for number in [self.slots, self.dead, self.graph_bytes] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(self.tables_checksum.to_le_bytes());
        bytes.resize(HEAD_BYTES - 4, 0);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes.try_into().expect("it was filled to its length")
    }

    pub(super) fn read(path: &Path, bytes: &[u8; HEAD_BYTES]) -> Result<Self, VectorOpenError> {
        let (rest, checksum) = bytes.split_last_chunk::<4>().expect("longer than a checksum");
        if crc32fast::hash(rest) != u32::from_le_bytes(*checksum) {
            return Err(VectorOpenError::damaged(path, "checksum mismatch in its head"));
        }
        let mut reader = Reader(rest);
        if reader.take() != *MAGIC {
            return Err(VectorOpenError::damaged(path, "it is not a base of embeddings"));
        }
        let found = u32::from_le_bytes(reader.take());
        if found != FORMAT {
            return Err(VectorOpenError::Outdated { path: path.to_owned(), found, known: FORMAT });
        }
        let dimensions = u32::from_le_bytes(reader.take()) as usize;
        let fingerprint = ModelFingerprint(reader.take());
        let [slots, dead, graph_bytes] = [(); 3].map(|()| u64::from_le_bytes(reader.take()));
        if slots > MAX_SLOTS || dead > slots || graph_bytes > MAX_SLOTS << 10 {
            return Err(VectorOpenError::damaged(path, "its sizes are impossible"));
        }
        Ok(Self {
            model: Model { fingerprint, dimensions },
            slots: slots as usize,
            dead: dead as usize,
            graph_bytes: graph_bytes as usize,
            tables_checksum: u32::from_le_bytes(reader.take()),
        })
    }
}

/// The checksum at the end of some bytes: of those before it. A checksum over all of them would be the same for every content.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(*bytes.last_chunk().expect("longer than a checksum"))
}

/// Reads fixed-length fields from bytes that are long enough for them.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    pub(crate) fn take<const LENGTH: usize>(&mut self) -> [u8; LENGTH] {
        let (field, rest) = self.0.split_first_chunk().expect("the buffer is longer than its fields");
        self.0 = rest;
        *field
    }
}

/// Fails if a file belongs to another model than the one requested.
pub(crate) fn check_model(path: &Path, found: Model, expected: Model) -> Result<(), VectorOpenError> {
    if found == expected {
        return Ok(());
    }
    Err(VectorOpenError::OtherModel { path: path.to_owned(), found: found.fingerprint, dimensions: found.dimensions })
}

/// The contents of a base to write.
pub(crate) struct BaseParts<'a> {
    pub(crate) model: Model,
    /// The chunk of each slot.
    pub(crate) rows: &'a [ChunkRow],
    /// The slots whose chunks were removed or have a newer embedding. The graph still contains them.
    pub(crate) dead: &'a SlotSet,
    pub(crate) content: Content<'a>,
}

/// The records of a base.
pub(crate) enum Content<'a> {
    /// Records without a graph.
    Records(&'a [u8]),
    /// A graph, which contains the records.
    Graph(&'a Graph),
}

/// Writes a base under a temporary name, syncs it to disk and renames it.
pub(crate) fn write(path: &Path, parts: &BaseParts<'_>) -> Result<(), VectorWriteError> {
    let BaseParts { model, rows, dead, content } = parts;
    let (in_memory, in_file);
    let content: &[u8] = match content {
        Content::Records(records) => {
            let mut bytes = Vec::with_capacity(PREFIX_BYTES + records.len());
            bytes.extend(prefix(rows.len(), model.dimensions));
            bytes.extend_from_slice(records);
            in_memory = bytes;
            &in_memory
        }
        Content::Graph(graph) => {
            in_file = save(graph, path)?;
            &in_file
        }
    };
    let records_end = PREFIX_BYTES + rows.len() * kernel::stride(model.dimensions);
    let mut tables: Vec<u8> = rows.iter().flat_map(|row| row.0.to_le_bytes()).collect();
    tables.extend(dead.to_bytes(rows.len()));
    tables.extend(content.chunks(BLOCK_BYTES).flat_map(|block| crc32fast::hash(block).to_le_bytes()));
    // Scans address records by offset. usearch does not document its layout, so check it here.
    debug_assert!(content[..PREFIX_BYTES] == prefix(rows.len(), model.dimensions));
    let head = Head {
        model: *model,
        slots: rows.len(),
        dead: dead.len(),
        graph_bytes: content.len() - records_end,
        tables_checksum: crc32fast::hash(&tables),
    };
    folder::replace(path, |file| write_file(file, &head, &tables, content))
        .map_err(|error| VectorWriteError::io(path, error))
}

/// Saves a graph to a temporary file next to the base and maps it.
fn save(graph: &Graph, base: &Path) -> Result<Mapping, VectorWriteError> {
    let path = folder::temporary(base, "graph").map_err(|error| VectorWriteError::io(base, error))?;
    let mapped = (|| {
        // Created here, so that only the owner can read it.
        let file = folder::create(&path).map_err(|error| VectorWriteError::io(&path, error))?;
        graph.save(&path)?;
        Mapping::new(&file).map_err(|error| VectorWriteError::io(&path, error))
    })();
    // The mapping stays valid until it is unmapped. If the system cannot delete a mapped file, the next opening does.
    folder::delete(&path);
    mapped
}

fn write_file(file: &File, head: &Head, tables: &[u8], content: &[u8]) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    writer.write_all(&head.to_bytes())?;
    writer.write_all(tables)?;
    let gap = head.content_at() - HEAD_BYTES - tables.len();
    writer.write_all(&vec![0; gap])?;
    writer.write_all(content)?;
    writer.flush()?;
    file.sync_all()
}

/// The start of usearch's format: the number of records and their stride.
fn prefix(records: usize, dimensions: usize) -> [u8; PREFIX_BYTES] {
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&(records as u32).to_le_bytes());
    prefix[4..].copy_from_slice(&(kernel::stride(dimensions) as u32).to_le_bytes());
    prefix
}

/// A set of slots, with one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlotSet {
    words: Vec<u64>,
    len: usize,
}

impl SlotSet {
    pub(crate) fn insert(&mut self, slot: usize) -> bool {
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    #[inline]
    pub(crate) fn contains(&self, slot: usize) -> bool {
        self.words.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits of the first `places` slots, in little-endian words.
    pub(crate) fn to_bytes(&self, places: usize) -> Vec<u8> {
        let words = places.div_ceil(64);
        let mut bytes: Vec<u8> = self.words.iter().take(words).flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(words * 8, 0);
        bytes
    }

    /// Reads the result of [`to_bytes`](Self::to_bytes).
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_reads_back_and_every_flipped_bit_is_detected() {
        let model = Model { fingerprint: ModelFingerprint([7; 32]), dimensions: 256 };
        let head = Head { model, slots: 3, dead: 1, graph_bytes: 80, tables_checksum: 5 };
        let bytes = head.to_bytes();
        let path = Path::new("base");
        assert_eq!(Head::read(path, &bytes).expect("intact"), head);
        for bit in 0..HEAD_BYTES * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(Head::read(path, &damaged), Err(VectorOpenError::Damaged { .. })), "bit {bit}");
        }
    }
}
