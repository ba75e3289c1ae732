//! Documents and chunks that satisfy a condition, which SQLite evaluates.
//!
//! The text of a statement depends only on the shape of a condition: every value is bound.

use std::fmt::Write as _;
use std::ops::{Bound, ControlFlow};

use recall_core::{Chunk, ChunkRow, DocumentId, DocumentRow};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::{Snapshot, StoredDocument};
use crate::catalog::ReadError;
use crate::catalog::rows::documents::ChunkRun;
use crate::catalog::rows::{chunks, documents, push_list};

/// The most values of a statement that stays prepared. A prepared list of thousands of values takes a megabyte.
const MOST_CACHED_VALUES: usize = 64;

/// A column of documents or of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The path of a document.
    Path,
    /// The id of a document: [`ColumnValue::Id`].
    Id,
    /// The type of a document.
    Type,
    /// The language of a document.
    Language,
    /// The source of a document.
    Source,
    /// The title of a document.
    Title,
    /// The hash of a document: [`ColumnValue::Bytes`].
    Hash,
    /// The length of a document.
    Size,
    /// The modification time of a document.
    Modified,
    /// The kind of a chunk.
    Kind,
    /// The symbol of a chunk.
    Symbol,
    /// The first byte of a chunk.
    StartByte,
    /// The number of tokens of a chunk.
    Tokens,
    /// The first line of a chunk.
    StartLine,
    /// The last line of a chunk.
    EndLine,
}

impl Column {
    /// Whether the column is one of chunks.
    pub fn is_of_chunks(self) -> bool {
        matches!(self, Self::Kind | Self::Symbol | Self::StartByte | Self::Tokens | Self::StartLine | Self::EndLine)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Id => "id",
            Self::Type => "type",
            Self::Language => "language",
            Self::Source => "source",
            Self::Title => "title",
            Self::Hash => "hash",
            Self::Size => "size_bytes",
            Self::Modified => "modified",
            Self::Kind => "kind",
            Self::Symbol => "symbol",
            Self::StartByte => "start_byte",
            Self::Tokens => "tokens",
            Self::StartLine => "start_line",
            Self::EndLine => "end_line",
        }
    }

    fn may_be_null(self) -> bool {
        matches!(self, Self::Language | Self::Source | Self::Symbol)
    }
}

/// A value that a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValue {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// A number without a fraction.
    Integer(i64),
    /// Bytes, as of a hash.
    Bytes(Vec<u8>),
    /// The id of a document.
    Id(DocumentId),
}

/// A chunk with its document, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedChunk {
    /// The document that has the chunk.
    pub document: StoredDocument,
    /// The rows of all its chunks.
    pub run: ChunkRun,
    /// The lines, the symbol and the kind of the chunk.
    pub chunk: Chunk,
}

/// A condition on documents, or on chunks. A comparison with a missing value does not hold, and its negation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All hold.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
    /// The value is one of these.
    Among(Column, Vec<ColumnValue>),
    /// The value is between these bounds.
    Between(Column, Bound<ColumnValue>, Bound<ColumnValue>),
    /// The document has one of these tags.
    Tagged(Vec<String>),
}

impl Snapshot<'_> {
    /// Calls `visit` with each document that satisfies a condition, in the order of paths, until it returns `Break`.
    ///
    /// Every column of the condition is one of documents.
    pub fn each_document(
        &self,
        condition: Option<&Condition>,
        mut visit: impl FnMut(StoredDocument, ChunkRun) -> Result<ControlFlow<()>, ReadError>,
    ) -> Result<(), ReadError> {
        let has_tags = documents::are_any_tagged(self.connection())?;
        let statement = document_statement(documents::COLUMNS, condition);
        statement.each(self.connection(), |row| {
            let entry = documents::read(row)?;
            let run = ChunkRun { document: entry.row, first: entry.first_chunk, count: entry.chunk_count };
            let stored = if has_tags {
                self.with_tags(entry)?
            } else {
                let documents::Entry { row, document, created, chunk_count, .. } = entry;
                StoredDocument { row, document, created, chunk_count }
            };
            visit(stored, run)
        })
    }

    /// The document in a row with its chunk rows. `None` if there is none.
    pub fn document_with_run(&self, row: DocumentRow) -> Result<Option<(StoredDocument, ChunkRun)>, ReadError> {
        let Some(entry) = documents::by_row(self.connection(), row)? else { return Ok(None) };
        let run = ChunkRun { document: entry.row, first: entry.first_chunk, count: entry.chunk_count };
        Ok(Some((self.with_tags(entry)?, run)))
    }

    /// The chunks of a document that satisfy a condition, in order. The columns are those of chunks.
    pub fn chunks_in(&self, run: ChunkRun, condition: Option<&Condition>) -> Result<Vec<(ChunkRow, Chunk)>, ReadError> {
        let mut statement = Statement { text: chunks::SELECT_WITH_ROW.to_owned(), values: Vec::new() };
        statement.text.push_str(" WHERE row >= ? AND row < ?");
        statement.values.extend([run.first.0, run.first.0 + i64::from(run.count)].map(Value::from));
        if let Some(condition) = condition {
            statement.text.push_str(" AND ");
            statement.push(condition);
        }
        statement.text.push_str(" ORDER BY row");
        let mut found = Vec::new();
        statement.each(self.connection(), |row| {
            let (at, mut chunk) = chunks::read_with_row(row)?;
            chunk.ordinal = u32::try_from(at.0 - run.first.0).unwrap_or_default();
            found.push((at, chunk));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The rows of all chunks that satisfy a condition, with their documents. The columns are those of chunks. Reads every chunk.
    pub fn chunk_rows_where(&self, condition: &Condition) -> Result<Vec<(DocumentRow, ChunkRow)>, ReadError> {
        let mut found = Vec::new();
        chunk_statement(condition).each(self.connection(), |row| {
            found.push((DocumentRow(row.get(0)?), ChunkRow(row.get(1)?)));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The documents of the chunks in these rows, in the same order. `None` for a row that does not exist.
    pub fn documents_of_chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Option<DocumentRow>>, ReadError> {
        rows.iter().map(|row| Ok(chunks::by_row(self.connection(), *row)?.map(|entry| entry.document))).collect()
    }

    /// The chunks in these rows with their documents, in the same order, without texts. `None` for a row that does not exist.
    pub fn placed_chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Option<PlacedChunk>>, ReadError> {
        let read = |row: &ChunkRow| {
            let Some(chunks::Entry { document, mut chunk }) = chunks::by_row(self.connection(), *row)? else {
                return Ok(None);
            };
            let Some((document, run)) = self.document_with_run(document)? else { return Ok(None) };
            chunk.ordinal = u32::try_from(row.0 - run.first.0).unwrap_or_default();
            Ok(Some(PlacedChunk { document, run, chunk }))
        };
        rows.iter().map(read).collect()
    }

    /// How SQLite finds the documents that satisfy a condition, in its own words.
    pub fn document_plan(&self, condition: Option<&Condition>) -> Result<Vec<String>, ReadError> {
        self.plan(document_statement(documents::COLUMNS, condition))
    }

    /// How SQLite finds the chunks that satisfy a condition, in its own words.
    pub fn chunk_plan(&self, condition: &Condition) -> Result<Vec<String>, ReadError> {
        self.plan(chunk_statement(condition))
    }

    fn plan(&self, statement: Statement) -> Result<Vec<String>, ReadError> {
        let Statement { text, values } = statement;
        let mut prepared = self.connection().prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
        let mut lines = Vec::new();
        let mut found = prepared.query(rusqlite::params_from_iter(values))?;
        while let Some(row) = found.next()? {
            lines.push(row.get::<_, String>("detail")?);
        }
        Ok(lines)
    }
}

/// A statement with the values of its parameters.
struct Statement {
    text: String,
    values: Vec<Value>,
}

fn document_statement(columns: &str, condition: Option<&Condition>) -> Statement {
    let mut statement = Statement { text: format!("SELECT {columns} FROM documents"), values: Vec::new() };
    if let Some(condition) = condition {
        statement.text.push_str(" WHERE ");
        statement.push(condition);
    }
    statement.text.push_str(" ORDER BY path");
    statement
}

fn chunk_statement(condition: &Condition) -> Statement {
    let mut statement = Statement { text: "SELECT document, row FROM chunks WHERE ".to_owned(), values: Vec::new() };
    statement.push(condition);
    statement
}

impl Statement {
    /// Calls `visit` with each row until it returns `Break`. A statement with few values stays prepared.
    fn each(
        self,
        connection: &Connection,
        mut visit: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, ReadError>,
    ) -> Result<(), ReadError> {
        let Self { text, values } = self;
        let is_long = values.len() > MOST_CACHED_VALUES;
        let mut prepared = connection.prepare_cached(&text)?;
        let mut found = prepared.query(rusqlite::params_from_iter(values))?;
        while let Some(row) = found.next()? {
            if visit(row)?.is_break() {
                break;
            }
        }
        drop(found);
        if is_long {
            prepared.discard();
        }
        Ok(())
    }

    /// Appends a condition that is never `NULL`.
    fn push(&mut self, condition: &Condition) {
        match condition {
            Condition::All(parts) => self.push_all(parts, " AND ", "true"),
            Condition::Any(parts) => self.push_all(parts, " OR ", "false"),
            Condition::Not(part) => {
                self.text.push_str("NOT (");
                self.push(part);
                self.text.push(')');
            }
            Condition::Among(column, values) => self.push_with_null(*column, |statement| {
                statement.text.push_str(column.name());
                statement.text.push_str(" IN ");
                push_list(&mut statement.text, &mut statement.values, values.iter().cloned().map(value));
            }),
            Condition::Between(column, low, high) => self.push_with_null(*column, |statement| {
                statement.push_bounds(column.name(), low.clone(), high.clone());
            }),
            Condition::Tagged(tags) => {
                self.text.push_str("EXISTS (SELECT 1 FROM tags WHERE document = documents.row AND tag IN ");
                push_list(&mut self.text, &mut self.values, tags.iter().cloned().map(Value::from));
                self.text.push(')');
            }
        }
    }

    fn push_all(&mut self, parts: &[Condition], separator: &str, none: &str) {
        if parts.is_empty() {
            self.text.push_str(none);
            return;
        }
        for (place, part) in parts.iter().enumerate() {
            self.text.push_str(if place == 0 { "(" } else { separator });
            self.push(part);
        }
        self.text.push(')');
    }

    /// Appends a comparison so that it is false if the column is `NULL`. Other columns keep the form that an index serves.
    fn push_with_null(&mut self, column: Column, push: impl FnOnce(&mut Self)) {
        if column.may_be_null() {
            self.text.push_str("ifnull(");
            push(self);
            self.text.push_str(", false)");
        } else {
            push(self);
        }
    }

    fn push_bounds(&mut self, column: &str, low: Bound<ColumnValue>, high: Bound<ColumnValue>) {
        let sides = [(low, ">=", ">"), (high, "<=", "<")];
        let mut separator = "(";
        for (bound, included, excluded) in sides {
            let (operator, bound) = match bound {
                Bound::Included(bound) => (included, bound),
                Bound::Excluded(bound) => (excluded, bound),
                Bound::Unbounded => continue,
            };
            write!(self.text, "{separator}{column} {operator} ?").expect("writing to a string cannot fail");
            self.values.push(value(bound));
            separator = " AND ";
        }
        self.text.push_str(if separator == "(" { "true" } else { ")" });
    }
}

fn value(value: ColumnValue) -> Value {
    match value {
        ColumnValue::Text(text) => Value::from(text),
        ColumnValue::Number(number) => Value::from(number),
        ColumnValue::Integer(number) => Value::from(number),
        ColumnValue::Bytes(bytes) => Value::from(bytes),
        ColumnValue::Id(id) => Value::from(documents::id_number(id)),
    }
}
