//! Checksums of stored values.
//!
//! SQLite detects a page with an invalid structure, but not a changed byte in a value.

/// The length of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// The CRC-32 of a value. It detects every change of a single byte, and misses one in four billion larger changes. A
/// cryptographic hash would make reading ten hits a fifth slower (bench `catalog`).
pub(crate) fn checksum(value: &[u8]) -> [u8; CHECKSUM_BYTES] {
    crc32fast::hash(value).to_le_bytes()
}
