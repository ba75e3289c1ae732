//! Documents of a store whose texts contain a literal.
//!
//! The texts are those of the catalog: all of every document, also what no word of the lexical index stands for. Most are skipped
//! by their signatures; the others are read and compared, so what is returned does contain the literal.
//!
//! A literal is a run of bytes, so a name, an operator and a part of a word are found alike. The lexical index cannot answer this: it
//! has no positions and no punctuation (ADR 49).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use recall_core::{Case, Chunk, ChunkRow, DocumentRow};
use recall_index::catalog::{ReadError, Snapshot};
use recall_index::lexical::exact::Pattern;
use recall_text::is_code_extension;

use crate::error::StoreError;
use crate::store::Store;

/// The most bytes of texts that are read for a literal. Thirty megabytes take about as long as a search.
const MOST_READ_BYTES: usize = 32 << 20;

/// A document that contains a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiteralDocument {
    pub(crate) row: DocumentRow,
    /// Its first chunk in which the literal begins. A literal that begins between two chunks belongs to the later one.
    pub(crate) chunk: ChunkRow,
}

/// Returns the documents of a store in which a pattern matches, at most `limit`, ascending by row.
///
/// Reads at most [`MOST_READ_BYTES`] of texts: documents after that are left out.
///
/// Reads no text for a literal that is nowhere and has three bytes or more, with few exceptions. Costs a millisecond for 10,000
/// documents, and one for each megabyte of texts that are read.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn literal_matches(
    store: &Store,
    pattern: &Pattern,
    limit: usize,
) -> Result<Vec<LiteralDocument>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let mut documents = Vec::new();
    let mut read_bytes = 0;
    let rows = store.index.may_match(&snapshot, pattern)?;
    for row in rows {
        if documents.len() >= limit || read_bytes >= MOST_READ_BYTES {
            break;
        }
        let read = |source| store.index.read_error(source);
        let Some(text) = snapshot.text(row).map_err(read)? else { continue };
        read_bytes += text.len();
        documents.extend(literal_document(&snapshot, row, &text, pattern).map_err(read)?);
    }
    Ok(documents)
}

/// Returns for each document that has a place of interest its value and the chunk of the place, in the order of the documents. `place_of`
/// returns the value and the byte of the place in a text. Reads at most [`MOST_READ_BYTES`] of texts.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn chunks_at<Value>(
    store: &Store,
    documents: &[DocumentRow],
    place_of: impl Fn(&str) -> Option<(Value, usize)>,
) -> Result<Vec<(Value, DocumentRow, ChunkRow)>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let failed = |source| store.index.read_error(source);
    let mut found = Vec::new();
    let mut read_bytes = 0;
    for &row in documents {
        if read_bytes > MOST_READ_BYTES {
            break;
        }
        let Some(text) = snapshot.text(row).map_err(failed)? else { continue };
        read_bytes += text.len();
        let Some((value, place)) = place_of(&text) else { continue };
        let chunk = chunk_of_place(&snapshot, row, place).map_err(failed)?;
        found.extend(chunk.map(|chunk| (value, row, chunk)));
    }
    Ok(found)
}

/// Returns the chunks in which a pattern matches, by document. `None` if it is in more than `most_documents`, or if that is not known after
/// `most_bytes` of texts.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn chunks_with(
    store: &Store,
    pattern: &Pattern,
    most_documents: usize,
    most_bytes: usize,
) -> Result<Option<BTreeMap<i64, Vec<ChunkRow>>>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let rows = store.index.may_match(&snapshot, pattern)?;
    chunks_among(store, &snapshot, rows, pattern, most_documents, most_bytes)
}

/// Returns the same as [`chunks_with`] for files with code of a programming language alone: pages and data that programs generate have the names of
/// all code.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn chunks_of_code_with(
    store: &Store,
    pattern: &Pattern,
    most_documents: usize,
    most_bytes: usize,
) -> Result<Option<BTreeMap<i64, Vec<ChunkRow>>>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let mut rows = Vec::new();
    for row in store.index.may_match(&snapshot, pattern)? {
        let stored = snapshot.document_with_run(row).map_err(|source| store.index.read_error(source))?;
        let is_code = stored.is_some_and(|(stored, _)| stored.document.path.extension().is_some_and(is_code_extension));
        rows.extend(is_code.then_some(row));
    }
    chunks_among(store, &snapshot, rows, pattern, most_documents, most_bytes)
}

fn chunks_among(
    store: &Store,
    snapshot: &Snapshot<'_>,
    rows: Vec<DocumentRow>,
    pattern: &Pattern,
    most_documents: usize,
    most_bytes: usize,
) -> Result<Option<BTreeMap<i64, Vec<ChunkRow>>>, StoreError> {
    let failed = |source| store.index.read_error(source);
    let mut found = BTreeMap::new();
    let mut read_bytes = 0;
    for row in rows {
        if found.len() > most_documents || read_bytes > most_bytes {
            return Ok(None);
        }
        let Some(text) = snapshot.text(row).map_err(failed)? else { continue };
        read_bytes += text.len();
        let mut places = pattern.matches(&text).map(|found| found.start).peekable();
        if places.peek().is_none() {
            continue;
        }
        let (chunks, run) =
            (snapshot.chunks_of(row).map_err(failed)?, snapshot.document_with_run(row).map_err(failed)?);
        let Some((_, run)) = run else { continue };
        let ordinals: BTreeSet<u32> = places.filter_map(|place| chunk_at(&chunks, place)).collect();
        found.insert(row.0, ordinals.into_iter().map(|one| ChunkRow(run.first.0 + i64::from(one))).collect());
    }
    Ok((found.len() <= most_documents).then_some(found))
}

/// What [`documents_with`] looks for.
pub(crate) struct LiteralSearch<'a> {
    /// The literals, in any case.
    pub(crate) literals: &'a [&'a str],
    /// A literal that is in so many documents is not looked for any further.
    pub(crate) most_documents: usize,
    /// The most bytes of texts that are read.
    pub(crate) most_read_bytes: usize,
}

/// Returns for each literal those of the documents that contain it, in their order. Each text is read once, so that several literals
/// cost little more than one.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn documents_with(
    store: &Store,
    search: &LiteralSearch<'_>,
    documents: &[DocumentRow],
) -> Result<Vec<Vec<DocumentRow>>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let mut found = vec![Vec::new(); search.literals.len()];
    let patterns: Vec<Option<Pattern>> =
        search.literals.iter().map(|literal| Pattern::literal(literal, Case::Insensitive).ok()).collect();
    let mut read_bytes = 0;
    for row in documents {
        let is_wanted = found.iter().any(|documents| documents.len() < search.most_documents);
        if !is_wanted || read_bytes >= search.most_read_bytes {
            break;
        }
        let Some(text) = snapshot.text(*row).map_err(|source| store.index.read_error(source))? else { continue };
        read_bytes += text.len();
        for (pattern, documents) in patterns.iter().zip(&mut found) {
            let is_wanted = documents.len() < search.most_documents;
            if is_wanted && pattern.as_ref().is_some_and(|pattern| pattern.matches(&text).next().is_some()) {
                documents.push(*row);
            }
        }
    }
    Ok(found)
}

/// Returns the documents that may contain one of the literals, those that may contain the most of them first.
///
/// Costs a millisecond for each literal and 10,000 documents.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn may_contain(store: &Store, literals: &[&str]) -> Result<Vec<DocumentRow>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for pattern in literals.iter().filter_map(|literal| Pattern::literal(literal, Case::Insensitive).ok()) {
        for row in store.index.may_match(&snapshot, &pattern)? {
            *counts.entry(row.0).or_default() += 1;
        }
    }
    let mut rows: Vec<(i64, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| Reverse(*count));
    Ok(rows.into_iter().map(|(row, _)| DocumentRow(row)).collect())
}

/// Returns the first chunk of a document; `None` if it has none.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn first_chunk(store: &Store, document: DocumentRow) -> Result<Option<ChunkRow>, StoreError> {
    let stored = store.index.read(|snapshot| snapshot.document_with_run(document))?;
    Ok(stored.and_then(|(_, run)| run.rows().next()))
}

/// Returns the chunk of a document that contains the most of some literals in quotation marks, in any case; the first of several.
/// `None` if none does. A literal is in quotation marks if one stands before it on its line.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn chunk_that_quotes_most(
    store: &Store,
    document: DocumentRow,
    literals: &[&str],
) -> Result<Option<ChunkRow>, StoreError> {
    store.index.read(|snapshot| {
        let (Some(text), Some((_, run))) = (snapshot.text(document)?, snapshot.document_with_run(document)?) else {
            return Ok(None);
        };
        let chunks = snapshot.chunks_of(document)?;
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for pattern in literals.iter().filter_map(|literal| Pattern::literal(literal, Case::Insensitive).ok()) {
            let quoted = pattern.matches(&text).filter(|found| is_quoted(&text[..found.start]));
            let with_literal: BTreeSet<u32> = quoted.filter_map(|found| chunk_at(&chunks, found.start)).collect();
            for chunk in with_literal {
                *counts.entry(chunk).or_default() += 1;
            }
        }
        let most = counts.into_iter().max_by_key(|&(chunk, count)| (count, Reverse(chunk)));
        Ok(most.map(|(chunk, _)| ChunkRow(run.first.0 + i64::from(chunk))))
    })
}

/// Whether the last line of a text has a quotation mark.
fn is_quoted(before: &str) -> bool {
    before.rsplit('\n').next().is_some_and(|line| line.contains(['"', '\'', '`']))
}

/// Returns the document if its text matches.
fn literal_document(
    snapshot: &Snapshot<'_>,
    row: DocumentRow,
    text: &str,
    pattern: &Pattern,
) -> Result<Option<LiteralDocument>, ReadError> {
    let Some(found) = pattern.matches(text).next() else { return Ok(None) };
    let chunk = chunk_of_place(snapshot, row, found.start)?;
    Ok(chunk.map(|chunk| LiteralDocument { row, chunk }))
}

/// Returns the chunk of a document at a place of its text.
fn chunk_of_place(snapshot: &Snapshot<'_>, row: DocumentRow, place: usize) -> Result<Option<ChunkRow>, ReadError> {
    let chunks = snapshot.chunks_of(row)?;
    let first = snapshot.document_with_run(row)?.map_or(ChunkRow(0), |(_, run)| run.first);
    Ok(chunk_at(&chunks, place).map(|ordinal| ChunkRow(first.0 + i64::from(ordinal))))
}

/// Returns the ordinal of the chunk at a place of the text: the first that ends after it, or the last one.
pub(crate) fn chunk_at(chunks: &[Chunk], place: usize) -> Option<u32> {
    let after = chunks.partition_point(|chunk| chunk.span.bytes.end as usize <= place);
    chunks.get(after).or(chunks.last()).map(|chunk| chunk.ordinal)
}
