//! The table of files that are not indexed.

use recall_core::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::catalog::ReadError;

/// A file that is not indexed, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFailure {
    /// The file's path below the root. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What kind of reason it is.
    pub kind: FailureKind,
    /// The reason, for display.
    pub reason: String,
    /// The file's size in bytes when it was read.
    pub size_bytes: u64,
    /// The file's modification time when it was read.
    pub modified: Timestamp,
}

/// The kind of reason why a file is not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// A rule excludes it: it is binary, minified or too large.
    Skipped,
    /// It could not be read or decoded.
    Failed,
    /// It is the directory of a nested repository, which has a store of its own.
    Repository,
}

impl FailureKind {
    /// The kind's name in interfaces and in the catalog.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Repository => "repository",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Skipped, Self::Failed, Self::Repository].into_iter().find(|kind| kind.as_str() == name)
    }
}

pub(crate) fn insert(connection: &Connection, failure: &FileFailure) -> rusqlite::Result<()> {
    let FileFailure { path, kind, reason, size_bytes, modified } = failure;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO failures (path, kind, reason, size_bytes, modified) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((path, kind.as_str(), reason, *size_bytes as i64, modified.0))?;
    Ok(())
}

/// Deletes a failure. Returns whether there was one.
pub(crate) fn delete(connection: &Connection, path: &str) -> rusqlite::Result<bool> {
    Ok(connection.prepare_cached("DELETE FROM failures WHERE path = ?1")?.execute([path])? > 0)
}

/// The first files that are not indexed: failed ones, nested repositories, skipped ones; each group by path.
pub(crate) fn read(connection: &Connection, limit: usize) -> Result<Vec<FileFailure>, ReadError> {
    super::all(
        connection,
        "SELECT path, kind, reason, size_bytes, modified FROM failures ORDER BY kind, path LIMIT ?1",
        [i64::try_from(limit).unwrap_or(i64::MAX)],
        read_row,
    )
}

pub(crate) fn count(connection: &Connection, kind: FailureKind) -> Result<u64, ReadError> {
    let statement = "SELECT count(*) FROM failures WHERE kind = ?1";
    let count = super::first(connection, statement, [kind.as_str()], |row| Ok(row.get::<_, i64>(0)?))?;
    Ok(count.unwrap_or(0) as u64)
}

/// The number of files that failed or are skipped, by what their reasons say before the first colon; the most frequent first.
pub(crate) fn groups(connection: &Connection) -> Result<Vec<(String, u64)>, ReadError> {
    super::all(
        connection,
        "SELECT substr(reason, 1, instr(reason || ':', ':') - 1) AS said, count(*) AS files FROM failures
            WHERE kind <> 'repository' GROUP BY said ORDER BY files DESC, said",
        [],
        |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)),
    )
}

/// The file with this path that is not indexed.
pub(crate) fn at(connection: &Connection, path: &str) -> Result<Option<FileFailure>, ReadError> {
    let statement = "SELECT path, kind, reason, size_bytes, modified FROM failures WHERE path = ?1";
    super::first(connection, statement, [path], read_row)
}

fn read_row(row: &Row<'_>) -> Result<FileFailure, ReadError> {
    Ok(FileFailure {
        path: row.get(0)?,
        kind: kind(row.get_ref(1)?)?.ok_or_else(|| ReadError::damaged("a failure has no kind".to_owned()))?,
        reason: row.get(2)?,
        size_bytes: row.get::<_, i64>(3)? as u64,
        modified: Timestamp(row.get(4)?),
    })
}

/// Reads a column that holds the kind of a failure, or NULL.
pub(crate) fn kind(value: ValueRef<'_>) -> Result<Option<FailureKind>, ReadError> {
    let Some(name) = value.as_str_or_null().map_err(rusqlite::Error::from)? else { return Ok(None) };
    let kind = FailureKind::from_name(name);
    kind.map(Some).ok_or_else(|| ReadError::damaged(format!("`{name}` is not a kind of failure")))
}
