//! The tables of documents and of their tags.

use std::ops::Range;

use recall_core::{
    ChunkRow, ContentHash, Document, DocumentId, DocumentRow, DocumentType, MemoryId, ParseOutcome, Timestamp,
};
use recall_text::{DocPath, FileKind, Language};
use rusqlite::{Connection, Row};

use crate::catalog::ReadError;
use crate::catalog::packing::{pack_names, unpack_names};

/// The chunk rows of a document, which are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRun {
    /// The row of the document.
    pub document: DocumentRow,
    /// The row of its first chunk; the others follow without gaps.
    pub first: ChunkRow,
    /// The number of its chunks.
    pub count: u32,
}

impl ChunkRun {
    /// The rows of the chunks, ascending and without gaps.
    pub fn rows(&self) -> impl Iterator<Item = ChunkRow> + use<> {
        (self.first.0..self.first.0 + i64::from(self.count)).map(ChunkRow)
    }
}

/// The path, language and kind of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentPlace {
    /// The row of the document.
    pub row: DocumentRow,
    /// The path below the root.
    pub path: DocPath,
    /// Its language, if one was recognised.
    pub language: Option<Language>,
    /// The role of the file in its project.
    pub file_kind: FileKind,
}

/// A row of `documents`.
pub(crate) struct Entry {
    pub(crate) row: DocumentRow,
    /// Without tags, which are in a table of their own.
    pub(crate) document: Document,
    pub(crate) created: Timestamp,
    /// The title declared in the text.
    pub(crate) own_title: Option<String>,
    /// The tags declared in the text.
    pub(crate) own_tags: Vec<String>,
    pub(crate) outcome: ParseOutcome,
    pub(crate) text_bytes: u64,
    pub(crate) first_chunk: ChunkRow,
    pub(crate) chunk_count: u32,
    pub(crate) symbol_count: u32,
    pub(crate) edge_count: u64,
}

impl Entry {
    pub(crate) fn chunk_rows(&self) -> Range<i64> {
        self.first_chunk.0..self.first_chunk.0 + i64::from(self.chunk_count)
    }
}

/// The columns in the order expected by [`read`].
macro_rules! columns {
    () => {
        "row, path, type, title, own_title, language, hash, size_bytes, modified, created, file_kind,
                own_tags, source, outcome, reason, text_bytes, first_chunk, chunk_count, symbol_count, edge_count"
    };
}

/// The columns in the order expected by [`read`].
pub(crate) const COLUMNS: &str = columns!();

/// Selects the columns in the order expected by [`read`].
macro_rules! select {
    ($rest:literal) => {
        select!("", $rest)
    };
    ($more:literal, $rest:literal) => {
        concat!("SELECT ", columns!(), $more, " FROM documents ", $rest)
    };
}

/// The index of the additional column after those of [`read`].
const EXTRA_COLUMN: usize = 20;

pub(crate) fn insert(connection: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    let Entry {
        row,
        document,
        created,
        own_title,
        own_tags,
        outcome,
        text_bytes,
        first_chunk,
        chunk_count,
        symbol_count,
        edge_count,
    } = entry;
    let Document {
        id: _,
        path,
        memory: _,
        document_type,
        title,
        language,
        hash,
        size_bytes,
        modified,
        file_kind,
        tags: _,
        source,
    } = document;
    let (outcome, reason) = match outcome {
        ParseOutcome::Parsed => ("parsed", None),
        ParseOutcome::NoParser => ("no_parser", None),
        ParseOutcome::Failed { reason } => ("failed", Some(reason)),
    };
    let own_tags = (!own_tags.is_empty()).then(|| pack_names(own_tags));
    connection
        .prepare_cached(
            "INSERT INTO main.documents (row, id, path, type, title, own_title, language, hash, size_bytes, modified,
                created, file_kind, own_tags, source, outcome, reason, text_bytes, first_chunk, chunk_count,
                symbol_count, edge_count)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
        )?
        .execute(rusqlite::params![
            row.0,
            id_number(DocumentId::from_path(path)),
            path.as_str(),
            document_type.as_str(),
            title,
            own_title,
            language.as_ref().map(Language::as_str),
            hash.0,
            *size_bytes as i64,
            modified.0,
            created.0,
            file_kind.as_str(),
            own_tags,
            source,
            outcome,
            reason,
            *text_bytes as i64,
            first_chunk.0,
            chunk_count,
            symbol_count,
            *edge_count as i64,
        ])?;
    Ok(())
}

/// Deletes a document and the rows that refer to it by a foreign key. Its chunks remain.
pub(crate) fn delete(connection: &Connection, row: DocumentRow) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM main.documents WHERE row = ?1")?.execute([row.0])?;
    connection.prepare_cached("DELETE FROM main.shared_documents WHERE row = ?1")?.execute([row.0])?;
    Ok(())
}

/// Updates the size and time of an unchanged file.
pub(crate) fn touch(
    connection: &Connection,
    row: DocumentRow,
    size_bytes: u64,
    modified: Timestamp,
) -> rusqlite::Result<()> {
    // A row is in one of the tables.
    for statement in [
        "UPDATE main.documents SET size_bytes = ?2, modified = ?3 WHERE row = ?1",
        "UPDATE main.shared_documents SET size_bytes = ?2, modified = ?3 WHERE row = ?1",
    ] {
        connection.prepare_cached(statement)?.execute((row.0, size_bytes as i64, modified.0))?;
    }
    Ok(())
}

pub(crate) fn by_row(connection: &Connection, row: DocumentRow) -> Result<Option<Entry>, ReadError> {
    super::first(connection, select!("WHERE row = ?1"), [row.0], read)
}

/// A document, and the result of `visit` for its stored text; see [`crate::catalog::rows::texts`].
pub(crate) fn with_text<T>(
    connection: &Connection,
    row: DocumentRow,
    visit: impl FnOnce(&Entry, &[u8]) -> Result<T, ReadError>,
) -> Result<Option<(Entry, T)>, ReadError> {
    super::first(
        connection,
        select!(", (SELECT compressed FROM texts WHERE document = ?1)", "WHERE row = ?1"),
        [row.0],
        |columns| {
            let entry = read(columns)?;
            let seen = visit(&entry, columns.get_ref(EXTRA_COLUMN)?.as_blob().map_err(rusqlite::Error::from)?)?;
            Ok((entry, seen))
        },
    )
}

pub(crate) fn by_path(connection: &Connection, path: &DocPath) -> Result<Option<Entry>, ReadError> {
    super::first(connection, select!("WHERE path = ?1"), [path.as_str()], read)
}

pub(crate) fn by_id(connection: &Connection, id: DocumentId) -> Result<Option<Entry>, ReadError> {
    super::first(connection, select!("WHERE id = ?1 ORDER BY row"), [id_number(id)], read)
}

/// The documents after a row, in the order of rows.
pub(crate) fn after(connection: &Connection, row: DocumentRow, limit: usize) -> Result<Vec<Entry>, ReadError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    super::all(connection, select!("WHERE row > ?1 ORDER BY row LIMIT ?2"), [row.0, limit], read)
}

/// The chunk rows of all documents, in the order of the documents' rows.
pub(crate) fn chunk_runs(connection: &Connection) -> Result<Vec<ChunkRun>, ReadError> {
    super::all(connection, "SELECT row, first_chunk, chunk_count FROM documents ORDER BY row", [], |row| {
        Ok(ChunkRun { document: DocumentRow(row.get(0)?), first: ChunkRow(row.get(1)?), count: row.get(2)? })
    })
}

/// The rows of all documents, ascending.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<DocumentRow>, ReadError> {
    super::all(connection, "SELECT row FROM documents ORDER BY row", [], |row| Ok(DocumentRow(row.get(0)?)))
}

/// The places of all documents, in the order of rows.
pub(crate) fn places(connection: &Connection) -> Result<Vec<DocumentPlace>, ReadError> {
    super::all(connection, "SELECT row, path, language, file_kind FROM documents ORDER BY row", [], |row| {
        let path = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        let file_kind = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
        Ok(DocumentPlace {
            row: DocumentRow(row.get(0)?),
            path: DocPath::new(path).map_err(|_| corrupt("the path", path))?,
            language: row.get::<_, Option<String>>(2)?.map(Language::from),
            file_kind: FileKind::from_name(file_kind).ok_or_else(|| corrupt("the role", path))?,
        })
    })
}

fn corrupt(what: &str, path: &str) -> ReadError {
    ReadError::damaged(format!("{what} of document `{path}` is corrupt"))
}

pub(crate) fn read(row: &Row<'_>) -> Result<Entry, ReadError> {
    let path = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let corrupt = |what: &str| corrupt(what, path);
    let doc_path = DocPath::new(path).map_err(|_| corrupt("the path"))?;
    let document_type = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
    let file_kind = row.get_ref(10)?.as_str().map_err(rusqlite::Error::from)?;
    let own_tags = row.get_ref(11)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    let outcome = match row.get_ref(13)?.as_str().map_err(rusqlite::Error::from)? {
        "parsed" => ParseOutcome::Parsed,
        "no_parser" => ParseOutcome::NoParser,
        "failed" => ParseOutcome::Failed { reason: row.get(14)? },
        _ => return Err(corrupt("the outcome")),
    };
    Ok(Entry {
        row: DocumentRow(row.get(0)?),
        document: Document {
            id: DocumentId::from_path(&doc_path),
            memory: MemoryId::from_path(path),
            path: doc_path,
            document_type: document_type.parse::<DocumentType>().map_err(|_| corrupt("the type"))?,
            title: row.get(3)?,
            language: row.get::<_, Option<String>>(5)?.map(Language::from),
            hash: ContentHash(row.get(6)?),
            size_bytes: row.get::<_, i64>(7)? as u64,
            modified: Timestamp(row.get(8)?),
            file_kind: FileKind::from_name(file_kind).ok_or_else(|| corrupt("the role"))?,
            tags: Vec::new(),
            source: row.get(12)?,
        },
        created: Timestamp(row.get(9)?),
        own_title: row.get(4)?,
        own_tags: match own_tags {
            Some(packed) => unpack_names(packed).ok_or_else(|| corrupt("the tags"))?,
            None => Vec::new(),
        },
        outcome,
        text_bytes: row.get::<_, i64>(15)? as u64,
        first_chunk: ChunkRow(row.get(16)?),
        chunk_count: row.get(17)?,
        symbol_count: row.get(18)?,
        edge_count: row.get::<_, i64>(19)? as u64,
    })
}

pub(crate) fn id_number(id: DocumentId) -> i64 {
    i64::from_be_bytes(id.to_bytes())
}

pub(crate) fn insert_tags(connection: &Connection, document: DocumentRow, tags: &[String]) -> rusqlite::Result<()> {
    for tag in tags {
        connection
            .prepare_cached("INSERT OR IGNORE INTO main.tags (document, tag) VALUES (?1, ?2)")?
            .execute((document.0, tag))?;
    }
    Ok(())
}

/// Whether any document has a tag.
pub(crate) fn are_any_tagged(connection: &Connection) -> Result<bool, ReadError> {
    Ok(super::first(connection, "SELECT 1 FROM tags LIMIT 1", [], |_| Ok(()))?.is_some())
}

/// The tags of a document, sorted.
pub(crate) fn read_tags(connection: &Connection, document: DocumentRow) -> Result<Vec<String>, ReadError> {
    super::all(connection, "SELECT tag FROM tags WHERE document = ?1 ORDER BY tag", [document.0], |row| Ok(row.get(0)?))
}
