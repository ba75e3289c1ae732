//! Paged listings of documents, the indexed files, and totals over a store.

use std::collections::BTreeMap;

use recall_core::{ContentHash, DocumentRow, DocumentType, MemoryId, Timestamp};
use recall_text::{DocPath, Language};
use rusqlite::types::Value;

use super::{Snapshot, StoredDocument, UnparsedDocument};
use crate::catalog::ReadError;
use crate::catalog::rows::failures::FailureKind;
use crate::catalog::rows::{self, documents, push_list};

/// The filters, order and page of a listing. An empty list does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Types, one of which the document has.
    pub types: Vec<DocumentType>,
    /// Languages, one of which the document has.
    pub languages: Vec<Language>,
    /// Tags, all of which the document has.
    pub tags: Vec<String>,
    /// The order, before the page is cut.
    pub sort: ListSort,
    /// The number of documents to skip.
    pub offset: u64,
    /// The most documents to return.
    pub limit: u64,
}

/// The order of a listing. Ties are broken by path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListSort {
    /// By modification time, latest first.
    #[default]
    UpdatedAt,
    /// By the time at which the path was first indexed, latest first.
    CreatedAt,
    /// By title, without regard to the case of ASCII letters.
    Title,
    /// By path, bytewise.
    Path,
}

impl Snapshot<'_> {
    /// The documents that match a query, in its order.
    pub fn list(&self, query: &ListQuery) -> Result<Vec<StoredDocument>, ReadError> {
        let ListQuery { sort, offset, limit, .. } = query;
        let mut statement = "SELECT row".to_owned();
        let mut parameters = push_filters(&mut statement, query);
        statement.push_str(match sort {
            ListSort::UpdatedAt => " ORDER BY modified DESC, path",
            ListSort::CreatedAt => " ORDER BY created DESC, path",
            ListSort::Title => " ORDER BY title COLLATE NOCASE, path",
            ListSort::Path => " ORDER BY path",
        });
        statement.push_str(" LIMIT ? OFFSET ?");
        for number in [limit, offset] {
            parameters.push(Value::from(i64::try_from(*number).unwrap_or(i64::MAX)));
        }
        // Sort the row numbers only, not whole documents.
        let rows = rows::all(self.connection(), &statement, rusqlite::params_from_iter(parameters), |row| {
            Ok(DocumentRow(row.get(0)?))
        })?;
        rows.into_iter()
            .filter_map(|row| documents::by_row(self.connection(), row).transpose())
            .map(|entry| self.with_tags(entry?))
            .collect()
    }

    /// The number of documents that match a query, on all pages.
    pub fn list_total(&self, query: &ListQuery) -> Result<u64, ReadError> {
        let mut statement = "SELECT count(*)".to_owned();
        let parameters = push_filters(&mut statement, query);
        let parameters = rusqlite::params_from_iter(parameters);
        let counts = rows::all(self.connection(), &statement, parameters, |row| Ok(row.get::<_, i64>(0)?))?;
        Ok(counts.first().map_or(0, |&count| count.cast_unsigned()))
    }
}

/// Appends the filters of a query. Returns the values to bind.
fn push_filters(statement: &mut String, query: &ListQuery) -> Vec<Value> {
    let ListQuery { types, languages, tags, sort: _, offset: _, limit: _ } = query;
    let mut parameters: Vec<Value> = Vec::new();
    statement.push_str(" FROM documents WHERE true");
    if !types.is_empty() {
        statement.push_str(" AND type IN ");
        push_list(statement, &mut parameters, types.iter().map(|known| Value::from(known.as_str().to_owned())));
    }
    if !languages.is_empty() {
        statement.push_str(" AND language IN ");
        push_list(statement, &mut parameters, languages.iter().map(|known| Value::from(known.as_str().to_owned())));
    }
    for tag in tags {
        statement.push_str(" AND EXISTS (SELECT 1 FROM tags WHERE document = documents.row AND tag = ?)");
        parameters.push(Value::from(tag.clone()));
    }
    parameters
}

/// The state of a file when it was indexed, or when indexing it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState<'p> {
    /// Its path below the root. Bytes that are not UTF-8 are replaced.
    pub path: &'p str,
    /// The memory whose document it is. `None` for a file and for a recorded failure.
    pub memory: Option<MemoryId>,
    /// Its document. `None` for a recorded failure.
    pub row: Option<DocumentRow>,
    /// The size when it was read, in bytes.
    pub size_bytes: u64,
    /// The modification time when it was read.
    pub modified: Timestamp,
    /// The hash of its content. `None` for a recorded failure.
    pub hash: Option<ContentHash>,
    /// The kind of failure. `None` for a document.
    pub failure: Option<FailureKind>,
}

impl Snapshot<'_> {
    /// Calls `visit` with every file that is indexed or recorded as a failure, in no particular order. Each path occurs
    /// once.
    ///
    /// A file that still has this size and time need not be read again.
    pub fn file_states(&self, mut visit: impl FnMut(FileState<'_>)) -> Result<(), ReadError> {
        rows::each(
            self.connection(),
            "SELECT path, row, size_bytes, modified, hash, NULL FROM documents
            UNION ALL SELECT path, NULL, size_bytes, modified, NULL, kind FROM failures",
            [],
            |row| file_state(row).map(&mut visit),
        )
    }

    /// Calls `visit` with the states of some files. Unknown files are left out.
    pub fn file_states_at<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
        mut visit: impl FnMut(FileState<'_>),
    ) -> Result<(), ReadError> {
        for path in paths {
            rows::each(
                self.connection(),
                "SELECT path, row, size_bytes, modified, hash, NULL FROM documents WHERE path = ?1
                UNION ALL SELECT path, NULL, size_bytes, modified, NULL, kind FROM failures WHERE path = ?1",
                [path],
                |row| file_state(row).map(&mut visit),
            )?;
        }
        Ok(())
    }
}

fn file_state<'r>(row: &'r rusqlite::Row<'_>) -> Result<FileState<'r>, ReadError> {
    let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
    let document = row.get::<_, Option<i64>>(1)?.map(DocumentRow);
    Ok(FileState {
        path,
        memory: document.and_then(|_| MemoryId::from_path(path)),
        row: document,
        size_bytes: row.get::<_, i64>(2)? as u64,
        modified: Timestamp(row.get(3)?),
        hash: row.get::<_, Option<[u8; 32]>>(4)?.map(ContentHash),
        failure: rows::failures::kind(row.get_ref(5)?)?,
    })
}

/// Totals over a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of documents.
    pub documents: u64,
    /// The number of chunks.
    pub chunks: u64,
    /// The number of symbols.
    pub symbols: u64,
    /// The number of edges, without those of kind `Defines`.
    pub edges: u64,
    /// The uncompressed size of all texts in bytes.
    pub text_bytes: u64,
    /// The number of documents indexed in windows because they could not be parsed.
    pub unparsed: u64,
    /// The number of documents by type.
    pub by_type: BTreeMap<DocumentType, u64>,
    /// The number of documents by language, if one was recognised.
    pub by_language: BTreeMap<Language, u64>,
}

impl Snapshot<'_> {
    /// Computes the totals. Costs one pass over the documents, but not over their chunks.
    pub fn counts(&self) -> Result<Counts, ReadError> {
        let mut counts = Counts::default();
        rows::all(
            self.connection(),
            "SELECT type, language, count(*), sum(chunk_count), sum(symbol_count), sum(edge_count), sum(text_bytes),
                sum(outcome = 'failed')
            FROM documents GROUP BY type, language",
            [],
            |row| {
                let number = |column: usize| row.get::<_, i64>(column).map(|number| number as u64);
                let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                let document_type: DocumentType =
                    name.parse().map_err(|_| ReadError::damaged(format!("`{name}` is not a type of document")))?;
                let documents = number(2)?;
                counts.documents += documents;
                counts.chunks += number(3)?;
                counts.symbols += number(4)?;
                counts.edges += number(5)?;
                counts.text_bytes += number(6)?;
                counts.unparsed += number(7)?;
                *counts.by_type.entry(document_type).or_default() += documents;
                if let Some(language) = row.get::<_, Option<String>>(1)? {
                    *counts.by_language.entry(Language::from(language)).or_default() += documents;
                }
                Ok(())
            },
        )?;
        Ok(counts)
    }

    /// The documents that could not be parsed, by path, at most `limit`.
    pub fn unparsed_documents(&self, limit: usize) -> Result<Vec<UnparsedDocument>, ReadError> {
        rows::all(
            self.connection(),
            "SELECT path, reason FROM documents WHERE outcome = 'failed' ORDER BY path LIMIT ?1",
            [i64::try_from(limit).unwrap_or(i64::MAX)],
            |row| {
                let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                Ok(UnparsedDocument {
                    path: DocPath::new(path)
                        .map_err(|_| ReadError::damaged(format!("`{path}` is not a valid path")))?,
                    reason: row.get(1)?,
                })
            },
        )
    }
}
