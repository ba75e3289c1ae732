//! Records: the layout of an embedding in memory and on disk.
//!
//! A record is the components, one byte each, followed by the factor that normalises the length to 1, so that
//! everything a cosine needs is adjacent. Records follow each other without gaps.

use recall_core::Quantised;

const FACTOR_BYTES: usize = 4;

/// The size of a record in bytes.
pub(crate) fn stride(dimensions: usize) -> usize {
    dimensions + FACTOR_BYTES
}

pub(crate) fn push(records: &mut Vec<u8>, embedding: &Quantised) {
    let squares: i32 = embedding.components().iter().map(|component| i32::from(*component).pow(2)).sum();
    records.extend(embedding.components().iter().map(|component| *component as u8));
    records.extend((1.0 / (squares as f32).sqrt()).to_le_bytes());
}

/// The normalisation factor of a record.
pub(crate) fn factor(record: &[u8]) -> f32 {
    let (_, factor) = record.split_last_chunk::<FACTOR_BYTES>().expect("a record ends with its factor");
    f32::from_le_bytes(*factor)
}

pub(crate) fn components(record: &[u8]) -> &[u8] {
    &record[..record.len() - FACTOR_BYTES]
}
