//! How does an embedding lie in memory and on disk?
//!
//! Its components, one byte each, and behind them the factor that makes its length 1, so that what a cosine needs stands
//! together. Records follow each other without gaps.

use recall_core::Quantised;

/// The bytes of the factor.
const FACTOR_BYTES: usize = 4;

/// How many bytes a record takes.
pub(crate) fn stride(dimensions: usize) -> usize {
    dimensions + FACTOR_BYTES
}

/// Writes an embedding behind others.
pub(crate) fn push(records: &mut Vec<u8>, embedding: &Quantised) {
    let squares: i32 = embedding.components().iter().map(|component| i32::from(*component).pow(2)).sum();
    records.extend(embedding.components().iter().map(|component| *component as u8));
    records.extend((1.0 / (squares as f32).sqrt()).to_le_bytes());
}

/// The factor of a record.
pub(crate) fn factor(record: &[u8]) -> f32 {
    let (_, factor) = record.split_last_chunk::<FACTOR_BYTES>().expect("a record ends in its factor");
    f32::from_le_bytes(*factor)
}

/// The components of a record.
pub(crate) fn components(record: &[u8]) -> &[u8] {
    &record[..record.len() - FACTOR_BYTES]
}
