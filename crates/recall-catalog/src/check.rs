//! Is everything in the catalog as it must be?

use recall_core::DocumentRow;

use crate::rows;
use crate::{ReadError, Snapshot};

/// Something that is wrong with a catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file's structure is broken.
    #[error("{message}")]
    Structure {
        /// What SQLite says.
        message: String,
    },
    /// Documents from some row on cannot be read.
    #[error("behind document row {}: {reason}", after.0)]
    Document {
        /// The last row before that could be read.
        after: DocumentRow,
        /// What was found.
        reason: String,
    },
    /// The rows of a table do not add up to what the documents say.
    #[error("{table} has {found} rows, the documents name {expected}")]
    Count {
        /// The table.
        table: &'static str,
        /// The rows that the documents name.
        expected: u64,
        /// The rows that there are.
        found: u64,
    },
}

/// The most problems of the structure that SQLite reports; the first tells enough.
const STRUCTURE_PROBLEMS: u32 = 20;

pub(crate) fn check(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let mut problems = structure(snapshot)?;
    if !problems.is_empty() {
        return Ok(problems);
    }
    problems.extend(unreadable(snapshot)?);
    if problems.is_empty() {
        problems.extend(miscounted(snapshot)?);
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
    let strays = rows::all(connection, "PRAGMA foreign_key_check", [], |row| Ok(row.get::<_, String>(0)?))?;
    problems.extend(
        strays
            .into_iter()
            .take(STRUCTURE_PROBLEMS as usize)
            .map(|table| Problem::Structure { message: format!("a row of {table} belongs to no document") }),
    );
    Ok(problems)
}

/// Reads every document whole; stops at the first that cannot be read.
fn unreadable(snapshot: &Snapshot<'_>) -> Result<Option<Problem>, ReadError> {
    let mut after = DocumentRow(0);
    loop {
        match snapshot.records_after(after, 1) {
            Ok(records) => match records.first() {
                Some(record) => {
                    let spans = record.parsed.chunks.iter().map(|chunk| chunk.span.bytes);
                    if let Some(wrong) = spans.into_iter().find(|span| span.of(&record.text).is_none()) {
                        let reason = format!("bytes {} to {} are not in the text", wrong.start, wrong.end);
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

fn miscounted(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
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
