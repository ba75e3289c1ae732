//! Consistency check of a catalog.

use recall_core::DocumentRow;

use crate::catalog::rows;
use crate::catalog::{ReadError, Snapshot};

/// A problem of a catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The structure of the database file is invalid.
    #[error("{message}")]
    Structure {
        /// The message of SQLite.
        message: String,
    },
    /// A document after some row cannot be read.
    #[error("after document row {}: {reason}", after.0)]
    Document {
        /// The last readable row before it.
        after: DocumentRow,
        /// What does not fit in its rows.
        reason: String,
    },
    /// The number of rows in a table differs from the sum over the documents.
    #[error("{table} has {found} rows, but the documents have {expected}")]
    Count {
        /// The table whose rows are counted.
        table: &'static str,
        /// The number according to the documents.
        expected: u64,
        /// The number of rows that the table has.
        found: u64,
    },
}

/// The most structural problems that SQLite reports. The first ones are enough.
const STRUCTURE_PROBLEMS: u32 = 20;

pub(crate) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let mut problems = structure(snapshot)?;
    if !problems.is_empty() {
        return Ok(problems);
    }
    problems.extend(first_unreadable(snapshot)?);
    if problems.is_empty() {
        problems.extend(wrong_counts(snapshot)?);
    }
    Ok(problems)
}

fn structure(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let connection = snapshot.connection();
    let statement = format!("PRAGMA integrity_check({STRUCTURE_PROBLEMS})");
    let messages = rows::all(connection, &statement, [], |row| Ok(row.get::<_, String>(0)?));
    let mut problems: Vec<Problem> = match messages {
        Ok(messages) => messages
            .into_iter()
            .filter(|message| message != "ok")
            .map(|message| Problem::Structure { message })
            .collect(),
        Err(ReadError::Damaged { reason }) => return Ok(vec![Problem::Structure { message: reason }]),
        Err(other) => return Err(other),
    };
    let orphans = rows::all(connection, "PRAGMA foreign_key_check", [], |row| Ok(row.get::<_, String>(0)?))?;
    problems.extend(
        orphans
            .into_iter()
            .take(STRUCTURE_PROBLEMS as usize)
            .map(|table| Problem::Structure { message: format!("a row of {table} has no document") }),
    );
    Ok(problems)
}

/// Reads every document. Stops at the first that cannot be read.
fn first_unreadable(snapshot: &Snapshot<'_>) -> Result<Option<Problem>, ReadError> {
    let mut after = DocumentRow(0);
    loop {
        match snapshot.records_after(after, 1) {
            Ok(records) => match records.first() {
                Some(record) => {
                    let spans = record.parsed.chunks.iter().map(|chunk| chunk.span.bytes);
                    if let Some(invalid) = spans.into_iter().find(|span| span.slice(&record.text).is_none()) {
                        let reason = format!("bytes {} to {} are not in the text", invalid.start, invalid.end);
                        return Ok(Some(Problem::Document { after, reason }));
                    }
                    after = record.row;
                }
                None => return Ok(None),
            },
            Err(ReadError::Damaged { reason }) => return Ok(Some(Problem::Document { after, reason })),
            Err(other) => return Err(other),
        }
    }
}

fn wrong_counts(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let counts = snapshot.counts()?;
    let mut problems = Vec::new();
    for (table, statement, expected) in [
        ("chunks", "SELECT count(*) FROM chunks", counts.chunks),
        ("symbols", "SELECT count(*) FROM symbols", counts.symbols),
        ("texts", "SELECT count(*) FROM texts", counts.documents),
    ] {
        let found = rows::first(snapshot.connection(), statement, [], |row| Ok(row.get::<_, i64>(0)?))?;
        let found = found.unwrap_or(0) as u64;
        if found != expected {
            problems.push(Problem::Count { table, expected, found });
        }
    }
    Ok(problems)
}
