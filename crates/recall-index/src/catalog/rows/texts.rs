//! The table of texts, the compressed blocks that it holds, and the checksums of stored values.
//!
//! A text is divided into blocks of [`BLOCK_BYTES`], each compressed by LZ4 on its own. The stored value is the text's
//! length, then for each block its compressed length and the checksum of its text, then the blocks. Numbers have 32
//! bits and are little-endian.
//!
//! SQLite detects a page with an invalid structure, but not a changed byte in a value.

use recall_core::{ByteSpan, DocumentRow};
use recall_text::TextSignature;
use rusqlite::Connection;

use crate::catalog::ReadError;

pub(crate) fn insert(connection: &Connection, document: DocumentRow, text: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO main.texts (document, compressed) VALUES (?1, ?2)")?
        .execute((document.0, compress(text)))?;
    Ok(())
}

pub(crate) fn read(connection: &Connection, document: DocumentRow) -> Result<Option<String>, ReadError> {
    with_compressed(connection, document, |compressed| {
        decompress(compressed)
            .ok_or_else(|| ReadError::damaged(format!("the text of document row {} is corrupt", document.0)))
    })
}

pub(crate) fn read_span(
    connection: &Connection,
    document: DocumentRow,
    span: ByteSpan,
) -> Result<Option<String>, ReadError> {
    with_compressed(connection, document, |compressed| {
        decompress_span(compressed, span)
            .ok_or_else(|| ReadError::damaged(format!("the text of document row {} is corrupt", document.0)))
    })
}

/// Returns the number of all texts.
pub(crate) fn count(connection: &Connection) -> Result<u64, ReadError> {
    let count = super::first(connection, "SELECT count(*) FROM texts", [], |row| Ok(row.get::<_, i64>(0)?))?;
    Ok(count.unwrap_or(0) as u64)
}

/// Calls `read` with the stored text; see [`decompress_span`].
pub(crate) fn with_compressed<T>(
    connection: &Connection,
    document: DocumentRow,
    read: impl FnOnce(&[u8]) -> Result<T, ReadError>,
) -> Result<Option<T>, ReadError> {
    super::first(connection, "SELECT compressed FROM texts WHERE document = ?1", [document.0], |row| {
        read(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)
    })
}

pub(crate) fn insert_signature(connection: &Connection, document: DocumentRow, text: &str) -> rusqlite::Result<()> {
    let signature = TextSignature::compute(text);
    // A changed bit would hide a text from a search.
    let mut packed = checksum(signature.as_bytes()).to_vec();
    packed.extend_from_slice(signature.as_bytes());
    connection
        .prepare_cached("INSERT INTO main.signatures (document, packed) VALUES (?1, ?2)")?
        .execute((document.0, packed))?;
    Ok(())
}

/// Calls `visit` with the signatures of the documents after a row, in the order of rows.
pub(crate) fn signatures_after(
    connection: &Connection,
    row: DocumentRow,
    mut visit: impl FnMut(DocumentRow, TextSignature),
) -> Result<(), ReadError> {
    let statement = "SELECT document, packed FROM signatures WHERE document > ?1 ORDER BY document";
    super::each(connection, statement, [row.0], |columns| {
        let document = DocumentRow(columns.get(0)?);
        let packed = columns.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let signature = unpack(packed).ok_or_else(|| {
            ReadError::damaged(format!("the signature of the text of document row {} is corrupt", document.0))
        })?;
        visit(document, signature);
        Ok(())
    })
}

fn unpack(packed: &[u8]) -> Option<TextSignature> {
    let (expected, bytes) = packed.split_first_chunk::<CHECKSUM_BYTES>()?;
    (checksum(bytes) == *expected).then(|| TextSignature::from_bytes(bytes))?
}

/// The length of every block but the last. A part of the stored format.
///
/// A hit decompresses one block, sometimes two, for a chunk of about 1 KB. With blocks of 16 KiB the catalog would be 3
/// % smaller, and ten hits would take a fifth longer (bench `catalog`).
const BLOCK_BYTES: usize = 8 * 1024;

/// The length of a block's entry in the header.
const HEAD_BYTES: usize = 4 + CHECKSUM_BYTES;

/// Compresses a text of less than 4 GiB.
pub(crate) fn compress(text: &str) -> Vec<u8> {
    let blocks = text.as_bytes().chunks(BLOCK_BYTES);
    let mut stored = Vec::with_capacity(4 + HEAD_BYTES * blocks.len() + text.len() / 2);
    stored.extend_from_slice(&(text.len() as u32).to_le_bytes());
    let mut compressed = Vec::with_capacity(text.len() / 2);
    for block in blocks {
        let shrunk = lz4_flex::block::compress(block);
        stored.extend_from_slice(&(shrunk.len() as u32).to_le_bytes());
        stored.extend_from_slice(&checksum(block));
        compressed.extend_from_slice(&shrunk);
    }
    stored.append(&mut compressed);
    stored
}

/// Decompresses the whole text. `None` if the bytes are not a result of [`compress`].
pub(crate) fn decompress(stored: &[u8]) -> Option<String> {
    let blocks = Blocks::parse(stored)?;
    String::from_utf8(blocks.bytes(0, blocks.text_bytes)?).ok()
}

/// Decompresses a part of the text. `None` if the bytes are not a result of [`compress`], or the text has no such part.
pub(crate) fn decompress_span(stored: &[u8], span: ByteSpan) -> Option<String> {
    String::from_utf8(decompress_bytes(stored, span.start as usize, span.end as usize)?).ok()
}

/// Like [`decompress_span`], for bytes that need not be whole characters.
pub(crate) fn decompress_bytes(stored: &[u8], start: usize, end: usize) -> Option<Vec<u8>> {
    Blocks::parse(stored)?.bytes(start, end)
}

struct Blocks<'a> {
    text_bytes: usize,
    heads: &'a [[u8; HEAD_BYTES]],
    compressed: &'a [u8],
}

impl<'a> Blocks<'a> {
    fn parse(stored: &'a [u8]) -> Option<Self> {
        let (text_bytes, rest) = stored.split_first_chunk::<4>()?;
        let text_bytes = u32::from_le_bytes(*text_bytes) as usize;
        let (heads, compressed) = rest.split_at_checked(HEAD_BYTES * text_bytes.div_ceil(BLOCK_BYTES))?;
        let (heads, _) = heads.as_chunks();
        Some(Self { text_bytes, heads, compressed })
    }

    fn bytes(&self, start: usize, end: usize) -> Option<Vec<u8>> {
        if start > end || end > self.text_bytes {
            return None;
        }
        let mut bytes = Vec::with_capacity(end - start);
        let mut block = [0; BLOCK_BYTES];
        let mut compressed = self.compressed;
        for (begin, [l0, l1, l2, l3, expected @ ..]) in (0..end).step_by(BLOCK_BYTES).zip(self.heads) {
            let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]);
            let (shrunk, rest) = compressed.split_at_checked(length as usize)?;
            compressed = rest;
            let block = &mut block[..BLOCK_BYTES.min(self.text_bytes - begin)];
            if begin + block.len() <= start {
                continue;
            }
            if lz4_flex::block::decompress_into(shrunk, block).ok()? != block.len() || checksum(block) != *expected {
                return None;
            }
            bytes.extend_from_slice(&block[start.saturating_sub(begin)..block.len().min(end - begin)]);
        }
        Some(bytes)
    }
}

/// The length of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// The CRC-32 of a value. It detects every change of a single byte, and misses one in four billion larger changes. A
/// cryptographic hash would make reading ten hits a fifth slower (bench `catalog`).
pub(crate) fn checksum(value: &[u8]) -> [u8; CHECKSUM_BYTES] {
    crc32fast::hash(value).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn any_part_of_a_long_text_can_be_read() {
        let text: String = (0..5000).flat_map(|number: u32| [number.to_string(), " äöü\n".to_owned()]).collect();
        let stored = compress(&text);
        assert!(stored.len() < text.len());
        assert_eq!(decompress(&stored).as_deref(), Some(&*text));
        let edges = [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, text.len()];
        for (start, end) in edges.into_iter().flat_map(|start| edges.map(|end| (start, end))) {
            let span = ByteSpan { start: start as u32, end: end as u32 };
            let expected = if start == end { Some("") } else { span.slice(&text) };
            assert_eq!(decompress_span(&stored, span).as_deref(), expected, "{span:?}");
        }
    }

    #[test]
    fn a_part_beyond_the_end_is_rejected() {
        let stored = compress("short");
        assert_eq!(decompress_span(&stored, ByteSpan { start: 0, end: 6 }), None);
        assert_eq!(decompress(&stored[..stored.len() - 1]), None, "a byte is missing");
        assert_eq!(decompress(&[]), None);
    }

    proptest! {
        #[test]
        fn texts_round_trip(text in "\\PC{0,300}", times in 0..100_usize) {
            let text = text.repeat(times);
            prop_assert_eq!(decompress(&compress(&text)), Some(text));
        }

        #[test]
        fn a_changed_byte_is_detected(
            text in "[a-d ]{1,2000}",
            place in any::<proptest::sample::Index>(),
            change in 1..=255_u8,
        ) {
            let mut stored = compress(&text);
            let place = place.index(stored.len());
            stored[place] ^= change;
            // LZ4 has several encodings of the same text, so a change may have no effect. It never gives another text.
            prop_assert!(decompress(&stored).is_none_or(|found| found == text));
        }
    }
}
