//! Read-only access to foreign SQLite databases.
//!
//! Opening a database makes SQLite write next to it: a log, an index of the log, locks. So the file is copied with its log or
//! rollback journal, and the copy is opened. A database that another program has open, has locked or left behind in a crash is
//! read as of its last commit.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use recall_core::ForeignKind;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, ToSql};
use tempfile::TempDir;

use crate::foreign::ReadError;
use crate::foreign::text_file::{metadata, read_error};

/// The first bytes of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The largest database that is copied.
const DATABASE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The largest value that SQLite may return: 16 times the limit of a memory.
const VALUE_BYTES: i32 = 16 * 1024 * 1024;

/// How often a database is copied that changes while it is copied.
const ATTEMPTS: usize = 5;

/// The name of the copy.
const COPY: &str = "copy.db";

/// The files that belong to a database, by what follows its name.
const PARTS: [&str; 3] = ["", "-wal", "-journal"];

/// A private copy of a database.
pub(crate) struct Database {
    path: PathBuf,
    connection: Connection,
    /// Deleted when this is dropped, after the connection.
    _folder: TempDir,
}

impl Database {
    /// Copies a database into a new folder in `scratch`, and opens the copy.
    pub(crate) fn open(path: &Path, scratch: &Path) -> Result<Self, ReadError> {
        check(path)?;
        let uncopied = |source| ReadError::Copy { path: path.to_owned(), scratch: scratch.to_owned(), source };
        let mut copied = None;
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new().prefix("foreign-").tempdir_in(scratch).map_err(uncopied)?;
            let is_whole = copy_whole(path, &folder.path().join(COPY)).map_err(|error| match error {
                CopyError::Read(source) => read_error(path, source),
                CopyError::Write(source) => uncopied(source),
            })?;
            if is_whole {
                copied = Some(folder);
                break;
            }
        }
        let folder = copied.ok_or_else(|| ReadError::Changing { path: path.to_owned() })?;
        let copy = folder.path().join(COPY);
        let damaged = |source| ReadError::Damaged { path: path.to_owned(), source };
        // Read and write, so that SQLite can recover the log in the copy.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&copy, flags).map_err(damaged)?;
        let harden = || {
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES)?;
            // A foreign schema must not make SQLite run functions, or read beyond a page's cells.
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "cell_size_check", true)?;
            connection.pragma_update(None, "temp_store", "memory")?;
            connection.pragma_update(None, "query_only", true)?;
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))
        };
        harden().map_err(|source| open_error(path, source))?;
        Ok(Self { path: path.to_owned(), connection, _folder: folder })
    }

    /// Returns the columns of a table; empty if there is no such table. A view is not a table.
    pub(crate) fn columns(&self, table: &str) -> Result<BTreeSet<String>, ReadError> {
        let sql = "SELECT c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name = ?1";
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            let names = statement.query_map([table], |row| row.get::<_, String>(0))?;
            names.collect::<Result<BTreeSet<_>, _>>()
        };
        read().map_err(|source| self.damage_error(source))
    }

    /// Checks that a table has the columns that the kind needs.
    pub(crate) fn require(&self, expected: &'static str, table: &str, columns: &[&str]) -> Result<(), ReadError> {
        let there = self.columns(table)?;
        let missing: Vec<&str> = columns.iter().copied().filter(|column| !there.contains(*column)).collect();
        if there.is_empty() {
            return Err(self
                .unexpected_error(expected, format!("it has no table `{table}`; its tables are {}", self.tables()?)));
        }
        if !missing.is_empty() {
            return Err(self
                .unexpected_error(expected, format!("its table `{table}` has no column `{}`", missing.join("`, `"))));
        }
        Ok(())
    }

    fn tables(&self) -> Result<String, ReadError> {
        let read = || {
            let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT 12";
            let mut statement = self.connection.prepare(sql)?;
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            names.collect::<Result<Vec<_>, _>>()
        };
        let names = read().map_err(|source| self.damage_error(source))?;
        Ok(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
    }

    /// Calls `visit` with the rows of a table. A column that the table lacks is null.
    ///
    /// The names are constants of this module. `only` is a column and its value.
    pub(crate) fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &dyn ToSql)>,
        order: &str,
        visit: &mut dyn FnMut(&Values<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ReadError> {
        let there = self.columns(table)?;
        let name = |column: &&str| {
            if there.contains(*column) { format!("\"{column}\"") } else { "NULL".to_owned() }
        };
        let names = columns.iter().map(name).collect::<Vec<_>>().join(", ");
        let filter = only.map(|(column, _)| format!(" WHERE \"{column}\" = ?1")).unwrap_or_default();
        let sql = format!("SELECT {names} FROM \"{table}\"{filter} ORDER BY {order}");
        let mut read = || {
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = match only {
                Some((_, value)) => statement.query([value])?,
                None => statement.query([])?,
            };
            while let Some(row) = rows.next()? {
                if visit(&Values { row }).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        read().map_err(|source| self.damage_error(source))
    }

    /// Returns the number of rows of a table; 0 if there is no such table.
    pub(crate) fn count(&self, table: &str) -> Result<u64, ReadError> {
        if self.columns(table)?.is_empty() {
            return Ok(0);
        }
        let sql = format!("SELECT count(*) FROM \"{table}\"");
        let count = self.connection.query_row(&sql, [], |row| row.get::<_, i64>(0));
        count.map(i64::unsigned_abs).map_err(|source| self.damage_error(source))
    }

    /// Returns the greatest value of an integer column; `None` without a row or a table.
    pub(crate) fn greatest(&self, table: &str, column: &str) -> Result<Option<i64>, ReadError> {
        if !self.columns(table)?.contains(column) {
            return Ok(None);
        }
        let sql = format!("SELECT max(\"{column}\") FROM \"{table}\"");
        self.connection.query_row(&sql, [], |row| row.get(0)).map_err(|source| self.damage_error(source))
    }

    pub(crate) fn unexpected_error(&self, expected: &'static str, found: String) -> ReadError {
        ReadError::Unexpected { path: self.path.clone(), expected, found }
    }

    pub(crate) fn newer(&self, version: i64, known: i64) -> ReadError {
        ReadError::Newer { path: self.path.clone(), version, known }
    }

    fn damage_error(&self, source: rusqlite::Error) -> ReadError {
        ReadError::Damaged { path: self.path.clone(), source }
    }
}

/// The columns of a row.
pub(crate) struct Values<'r> {
    row: &'r Row<'r>,
}

impl Values<'_> {
    /// Returns a value as a text that is not blank. Invalid UTF-8 is replaced.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        let text = match self.row.get_ref(at).ok()? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Null => return None,
        };
        (!text.trim().is_empty()).then_some(text)
    }

    /// Returns a number, also if it is written as text.
    pub(crate) fn number(&self, at: usize) -> Option<i64> {
        match self.row.get_ref(at).ok()? {
            ValueRef::Integer(number) => Some(number),
            ValueRef::Real(number) => Some(number as i64),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
            ValueRef::Blob(_) | ValueRef::Null => None,
        }
    }

    pub(crate) fn moment(&self, at: usize) -> Option<recall_core::Timestamp> {
        crate::foreign::moment::from_text(&self.text(at)?)
    }

    /// Returns the texts of a JSON array.
    pub(crate) fn list(&self, at: usize) -> Vec<String> {
        let Some(text) = self.text(at) else { return Vec::new() };
        serde_json::from_str::<Vec<serde_json::Value>>(&text)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|value| match value {
                serde_json::Value::String(text) => Some(text),
                _ => None,
            })
            .filter(|text| !text.trim().is_empty())
            .collect()
    }
}

/// The description of a kind's database for errors.
pub(crate) fn expected_tables(kind: ForeignKind) -> &'static str {
    match kind {
        ForeignKind::RecallV0 => "a database of RECALL v0",
        ForeignKind::EdiCodex => "a database of EDI's Codex",
        ForeignKind::OpenAiCodex => "a folder of OpenAI Codex's memories",
        ForeignKind::ClaudeMem => "a database of claude-mem",
        ForeignKind::Mem0 => "a history of mem0 or a database of OpenMemory",
        ForeignKind::BasicMemory => "a database of Basic Memory",
        ForeignKind::Edi => "a folder `.edi`",
        ForeignKind::MemoryServer => "a knowledge graph of the MCP server `memory`",
        ForeignKind::Serena => "a folder of Serena's memories",
        ForeignKind::Transcripts => "a transcript, or a folder of them",
    }
}

/// Checks the size and the first bytes.
fn check(path: &Path) -> Result<(), ReadError> {
    let bytes = metadata(path)?.len();
    let unexpected =
        |found: String| ReadError::Unexpected { path: path.to_owned(), expected: "a SQLite database", found };
    let mut head = Vec::new();
    let file = crate::foreign::text_file::open(path)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut head).map_err(|source| read_error(path, source))?;
    if head.is_empty() {
        return Err(unexpected("it is empty".to_owned()));
    }
    if head != MAGIC {
        return Err(unexpected("its first bytes are not those of one; it may be encrypted or another file".to_owned()));
    }
    if bytes > DATABASE_BYTES {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes, limit: DATABASE_BYTES });
    }
    Ok(())
}

fn open_error(path: &Path, source: rusqlite::Error) -> ReadError {
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ReadError::Unexpected {
            path: path.to_owned(),
            expected: "a SQLite database",
            found: "its header is damaged, or it is encrypted".to_owned(),
        },
        _ => ReadError::Damaged { path: path.to_owned(), source },
    }
}

enum CopyError {
    Read(io::Error),
    Write(io::Error),
}

/// The sizes and times of a database and its log: equal before and after copying if nothing was written meanwhile.
type State = [Option<(u64, Option<SystemTime>)>; PARTS.len()];

fn state(path: &Path) -> io::Result<State> {
    let mut state = [None; PARTS.len()];
    for (part, state) in PARTS.iter().zip(&mut state) {
        match fs::metadata(beside(path, part)) {
            Ok(metadata) => *state = Some((metadata.len(), metadata.modified().ok())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(state)
}

/// Copies a database with its log. Returns false if it was written meanwhile.
fn copy_whole(path: &Path, copy: &Path) -> Result<bool, CopyError> {
    let before = state(path).map_err(CopyError::Read)?;
    for (part, _) in PARTS.iter().zip(before).filter(|(_, there)| there.is_some()) {
        let mut from = match File::open(beside(path, part)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            file => file.map_err(CopyError::Read)?,
        };
        let mut to = File::create_new(beside(copy, part)).map_err(CopyError::Write)?;
        io::copy(&mut from, &mut to).map_err(CopyError::Write)?;
    }
    Ok(state(path).map_err(CopyError::Read)? == before)
}

fn beside(path: &Path, part: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(part);
    PathBuf::from(name)
}
