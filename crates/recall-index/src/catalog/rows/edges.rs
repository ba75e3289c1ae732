//! The tables of edges.
//!
//! The edges of a document are packed into two values: its references, about twenty a chunk, as places in its text, and the others
//! by their targets. Definitions are not stored as edges, because they are the symbols.

use recall_core::{ByteSpan, Chunk, ChunkRow, DocumentRow, Edge, EdgeKind};
use rusqlite::Connection;

use crate::catalog::ReadError;
use crate::catalog::packing::{
    NameCandidate, candidates_for, compress, decompress, pack_edges, pack_references, unpack_references, visit_edges,
    visit_references,
};
use crate::catalog::rows::texts::{self, checksum};

/// The edges of a document to store: sorted, without duplicates and without definitions.
pub(crate) fn edges_to_store(edges: &[Edge]) -> Vec<&Edge> {
    let mut stored: Vec<&Edge> = edges.iter().filter(|edge| edge.kind != EdgeKind::Defines).collect();
    stored.sort_unstable();
    stored.dedup();
    stored
}

/// Inserts the edges [to store](edges_to_store) of a document with this text and these chunks.
pub(crate) fn insert(
    connection: &Connection,
    document: DocumentRow,
    edges: &[&Edge],
    text: &str,
    chunks: &[Chunk],
) -> rusqlite::Result<()> {
    let (references, stated): (Vec<&Edge>, Vec<&Edge>) =
        edges.iter().copied().partition(|edge| edge.kind == EdgeKind::References);
    if !stated.is_empty() {
        connection
            .prepare_cached("INSERT INTO main.edges (document, packed) VALUES (?1, ?2)")?
            .execute((document.0, compress(&pack_edges(&stated))))?;
    }
    if !references.is_empty() {
        let references: Vec<(u32, &str)> = references.iter().map(|edge| (edge.chunk, edge.target.as_str())).collect();
        let spans: Vec<ByteSpan> = chunks.iter().map(|chunk| chunk.span.bytes).collect();
        connection
            .prepare_cached("INSERT INTO main.reference_edges (document, packed) VALUES (?1, ?2)")?
            .execute((document.0, with_checksum(&pack_references(&references, text, &spans))))?;
    }
    Ok(())
}

/// The edges of a document with this text, sorted.
pub(crate) fn read(connection: &Connection, document: DocumentRow, text: &str) -> Result<Vec<Edge>, ReadError> {
    let mut edges = without_references(connection, document)?;
    let references =
        super::first(connection, "SELECT packed FROM reference_edges WHERE document = ?1", [document.0], |row| {
            let packed = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            without_checksum(packed).and_then(|packed| unpack_references(packed, text)).ok_or_else(|| corrupt(document))
        })?;
    for (chunk, target) in references.into_iter().flatten() {
        edges.push(Edge { kind: EdgeKind::References, chunk, target });
    }
    edges.sort_unstable();
    Ok(edges)
}

/// The edges of a document except references, sorted.
pub(crate) fn without_references(connection: &Connection, document: DocumentRow) -> Result<Vec<Edge>, ReadError> {
    let mut edges = Vec::new();
    super::first(connection, "SELECT packed FROM edges WHERE document = ?1", [document.0], |row| {
        visit(document, row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?, |kind, chunk, target| {
            edges.push(Edge { kind, chunk, target: target.to_owned() });
        })
    })?;
    Ok(edges)
}

/// The chunks among `chunks` that refer to a bare name, ascending, each with the module that it takes the name from, if
/// known.
///
/// Decompresses only the parts of the text that may contain the name.
pub(crate) fn chunks_referencing(
    connection: &Connection,
    document: DocumentRow,
    name: &str,
    chunks: &[ChunkRow],
) -> Result<Vec<(ChunkRow, Option<String>)>, ReadError> {
    let statement = "SELECT packed, (SELECT compressed FROM texts WHERE document = ?1),
            (SELECT first_chunk FROM documents WHERE row = ?1)
        FROM reference_edges WHERE document = ?1";
    let found = super::first(connection, statement, [document.0], |row| {
        let packed = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        let compressed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let first_chunk: i64 = row.get(2)?;
        let candidates = without_checksum(packed).and_then(|packed| candidates_for(packed, name));
        let mut found = Vec::new();
        for candidates in candidates.ok_or_else(|| corrupt(document))?.chunk_by(|a, b| a.chunk == b.chunk) {
            let chunk = ChunkRow(first_chunk + i64::from(candidates[0].chunk));
            if chunks.contains(&chunk) {
                let named = are_named(candidates, name, compressed).ok_or_else(|| corrupt(document))?;
                let named = candidates.iter().zip(named).filter(|(_, is_named)| *is_named);
                found.extend(named.map(|(candidate, _)| (chunk, candidate.module.clone())));
            }
        }
        Ok(found)
    })?;
    Ok(found.unwrap_or_default())
}

/// Whether each of the candidates of one chunk is the name. The text around all of them is decompressed once, because a
/// chunk has about ten names of the same length. `None` if the text is corrupt.
fn are_named(candidates: &[NameCandidate], name: &str, compressed: &[u8]) -> Option<Vec<bool>> {
    let places = || candidates.iter().filter_map(|candidate| candidate.place);
    let start = places().min().unwrap_or_default();
    let end = places().max().map_or(start, |last| last + name.len());
    let text = texts::decompress_bytes(compressed, start, end)?;
    let occurs_at = |place: usize| text[place - start..].starts_with(name.as_bytes());
    Some(candidates.iter().map(|candidate| candidate.place.is_none_or(occurs_at)).collect())
}

/// Calls `visit` with every edge of the store except references, in the order of documents.
pub(crate) fn each(
    connection: &Connection,
    mut visit_edge: impl FnMut(DocumentRow, EdgeKind, u32, &str),
) -> Result<(), ReadError> {
    super::each(connection, "SELECT document, packed FROM edges ORDER BY document", [], |row| {
        let document = DocumentRow(row.get(0)?);
        visit(document, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, |kind, chunk, target| {
            visit_edge(document, kind, chunk, target);
        })
    })
}

fn visit(document: DocumentRow, stored: &[u8], visit: impl FnMut(EdgeKind, u32, &str)) -> Result<(), ReadError> {
    decompress(stored)
        .and_then(|packed| visit_edges(&packed, visit))
        .ok_or_else(|| ReadError::damaged(format!("the edges of document row {} are corrupt", document.0)))
}

/// Calls `visit` with every reference of the store, in the order of documents.
pub(crate) fn each_reference(
    connection: &Connection,
    mut visit: impl FnMut(DocumentRow, u32, &str),
) -> Result<(), ReadError> {
    let statement = "SELECT document, packed,
            (SELECT compressed FROM texts WHERE texts.document = reference_edges.document)
        FROM reference_edges ORDER BY document";
    super::each(connection, statement, [], |row| {
        let document = DocumentRow(row.get(0)?);
        let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let compressed = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        let text = texts::decompress(compressed).ok_or_else(|| corrupt(document))?;
        without_checksum(packed)
            .and_then(|packed| visit_references(packed, &text, |chunk, name| visit(document, chunk, name)))
            .ok_or_else(|| corrupt(document))
    })
}

fn corrupt(document: DocumentRow) -> ReadError {
    ReadError::damaged(format!("the references of document row {} are corrupt", document.0))
}

/// Adds a checksum, because a corrupt list could otherwise yield thousands of names as long as the text.
fn with_checksum(packed: &[u8]) -> Vec<u8> {
    [&checksum(packed), packed].concat()
}

fn without_checksum(stored: &[u8]) -> Option<&[u8]> {
    let (expected, packed) = stored.split_first_chunk()?;
    (checksum(packed) == *expected).then_some(packed)
}
