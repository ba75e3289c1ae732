//! Documents and chunks that satisfy a condition. SQLite evaluates those on documents, `chunk_condition` those on chunks.
//!
//! The text of a statement depends only on the shape of a condition: every value is bound.

use std::fmt::Write as _;
use std::ops::{Bound, ControlFlow};

use recall_core::{Chunk, ChunkRow, DocumentRow};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::chunk_condition::ChunkCondition;
use super::condition::{Column, ColumnValue, Condition};
use super::{Snapshot, StoredDocument};
use crate::catalog::ReadError;
use crate::catalog::packing::PackedChunk;
use crate::catalog::rows::documents::ChunkRun;
use crate::catalog::rows::{chunks, documents, push_list};

/// The most values of a statement that stays prepared. A prepared list of thousands of values takes a megabyte.
const MOST_CACHED_VALUES: usize = 64;

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
        let rows = run.first.0..run.first.0 + i64::from(run.count);
        let mut chunks = chunks::in_rows(self.connection(), rows)?;
        if let Some(condition) = condition {
            let condition = ChunkCondition::new(condition);
            chunks.retain(|chunk| condition.holds(&PackedChunk::from(chunk)));
        }
        let placed = chunks.into_iter().map(|chunk| (ChunkRow(run.first.0 + i64::from(chunk.ordinal)), chunk));
        Ok(placed.collect())
    }

    /// The rows of all chunks that satisfy a condition, with their documents. The columns are those of chunks. Reads every chunk.
    pub fn chunk_rows_where(&self, condition: &Condition) -> Result<Vec<(DocumentRow, ChunkRow)>, ReadError> {
        let mut found = Vec::new();
        let condition = ChunkCondition::new(condition);
        chunks::each(self.connection(), |document, row, chunk| {
            if condition.holds(&chunk) {
                found.push((document, row));
            }
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

    /// How SQLite finds the chunks that satisfy a condition, in its own words. It reads all, since they are packed.
    pub fn chunk_plan(&self) -> Result<Vec<String>, ReadError> {
        self.plan(Statement { text: chunks::SELECT_ALL.to_owned(), values: Vec::new() })
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
