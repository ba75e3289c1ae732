//! Documents of a store whose texts contain a literal.
//!
//! The texts are those of the catalog: all of every document, also what no word of the lexical index stands for. Most are skipped
//! by their signatures; the others are read and compared, so what is returned does contain the literal.

use recall_catalog::{ReadError, Snapshot};
use recall_core::{Case, Chunk, ChunkRow, DocumentRow, Generation};
use recall_exact::Pattern;

use crate::error::StoreError;
use crate::store::Store;

/// The most bytes of texts that are read for a literal. Thirty megabytes take about as long as a search.
const MOST_READ_BYTES: usize = 32 << 20;

/// The documents that contain a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiteralMatches {
    /// The generation of the catalog. The lexical index may be about to publish it.
    pub(crate) generation: Generation,
    /// Ascending by row.
    pub(crate) documents: Vec<LiteralDocument>,
    /// Whether these are all.
    pub(crate) extent: Extent,
}

/// A document that contains a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiteralDocument {
    /// The document.
    pub(crate) row: DocumentRow,
    /// Its chunks in which the literal begins, ascending, each with the number of these places. A literal that begins between two
    /// chunks counts for the later one.
    pub(crate) chunks: Vec<(ChunkRow, u32)>,
    /// How often it contains the literal; occurrences do not overlap.
    pub(crate) occurrences: u32,
}

/// How much was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything: no other document contains the literal.
    Whole,
    /// As much as the limits allow: other documents may contain the literal.
    Cut,
}

/// Returns the documents of a store that contain a literal contiguously, at most `limit`.
///
/// Reads no text for a literal that is nowhere and has three bytes or more, with few exceptions. Costs a millisecond for 10,000
/// documents, and one for each megabyte of texts that are read. A literal that is empty or longer than a query is nowhere.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn literal_matches(
    store: &Store,
    literal: &str,
    case: Case,
    limit: usize,
) -> Result<LiteralMatches, StoreError> {
    let snapshot = store.catalog.snapshot().map_err(|source| store.read_failed(source))?;
    let mut matches =
        LiteralMatches { generation: snapshot.generation(), documents: Vec::new(), extent: Extent::Whole };
    let Ok(pattern) = Pattern::literal(literal, case) else { return Ok(matches) };
    let mut read_bytes = 0;
    let rows = store.signatures.may_match(&snapshot, &pattern).map_err(|source| store.read_failed(source))?;
    for row in rows {
        if matches.documents.len() >= limit || read_bytes >= MOST_READ_BYTES {
            matches.extent = Extent::Cut;
            break;
        }
        let read = |source| store.read_failed(source);
        let Some(text) = snapshot.text(row).map_err(read)? else { continue };
        read_bytes += text.len();
        matches.documents.extend(literal_document(&snapshot, row, &text, &pattern).map_err(read)?);
    }
    Ok(matches)
}

/// Returns the document if its text matches.
fn literal_document(
    snapshot: &Snapshot<'_>,
    row: DocumentRow,
    text: &str,
    pattern: &Pattern,
) -> Result<Option<LiteralDocument>, ReadError> {
    let places: Vec<usize> = pattern.matches(text).map(|found| found.start).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let chunks = snapshot.chunks_of(row)?;
    let first = snapshot.document_with_run(row)?.map_or(ChunkRow(0), |(_, run)| run.first);
    let mut held: Vec<(ChunkRow, u32)> = Vec::new();
    for &place in &places {
        let Some(ordinal) = chunk_at(&chunks, place) else { continue };
        let chunk = ChunkRow(first.0 + i64::from(ordinal));
        match held.last_mut().filter(|(last, _)| *last == chunk) {
            Some((_, count)) => *count += 1,
            None => held.push((chunk, 1)),
        }
    }
    Ok(Some(LiteralDocument { row, chunks: held, occurrences: places.len() as u32 }))
}

/// Returns the ordinal of the chunk at a place of the text: the first that ends after it, or the last one.
pub(crate) fn chunk_at(chunks: &[Chunk], place: usize) -> Option<u32> {
    let after = chunks.partition_point(|chunk| chunk.span.bytes.end as usize <= place);
    chunks.get(after).or(chunks.last()).map(|chunk| chunk.ordinal)
}
