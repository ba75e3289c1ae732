//! Who holds the connections?

use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use recall_core::Generation;
use rusqlite::Connection;

use crate::connection::{self, Role};
use crate::imprint::{Disturbance, Imprint};
use crate::open::{self, Opened};
use crate::{OpenError, Problem, ReadError, Snapshot, WriteError, Writer};

/// How many idle connections are kept for reading. More readers than that open their own and close it again; each kept
/// one costs up to 6 MiB of page cache.
const IDLE_READERS: usize = 4;

/// A store's catalog.
///
/// Shared by reference between any number of threads. Dropping the last connection folds the write-ahead log into the
/// file.
#[derive(Debug)]
pub struct Catalog {
    path: PathBuf,
    role: Role,
    /// Closed before the writer: the last connection folds the log into the file, which these cannot.
    idle_readers: Mutex<Vec<Connection>>,
    /// `None` when the catalog is read-only.
    writer: Option<Mutex<Connection>>,
    /// What the files looked like when they were last written here.
    imprint: Mutex<Imprint>,
}

/// How far a [checkpoint](Catalog::checkpoint) came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// The write-ahead log is empty.
    Complete,
    /// Snapshots that are still read keep part of the log alive.
    Partial,
}

impl Catalog {
    /// Opens the catalog in a file, creates it when there is none, and migrates an older schema.
    ///
    /// The file's directory must exist. A file that exists but cannot be written is opened for reading only. The cost
    /// does not grow with the file: damage behind the first pages is found when those pages are read.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let Opened { connection, role } = open::open(path)?;
        let (writer, readers) = match role {
            Role::Write => (Some(Mutex::new(connection)), Vec::new()),
            Role::Read | Role::ReadImmutable => (None, vec![connection]),
        };
        let reader_role = if role == Role::Write { Role::Read } else { role };
        let imprint = Mutex::new(Imprint::of(path, None));
        let catalog =
            Self { path: path.to_owned(), role: reader_role, idle_readers: Mutex::new(readers), writer, imprint };
        catalog.imprint.lock().generation = catalog.generation().ok();
        Ok(catalog)
    }

    /// Whether somebody else has changed the files since they were opened or last written here. Costs two looks at files.
    ///
    /// What another process commits is no disturbance. While somebody writes here, nothing is looked at.
    pub fn disturbance(&self) -> Option<Disturbance> {
        let writing = match &self.writer {
            Some(writer) => Some(writer.try_lock()?),
            None => None,
        };
        let mut known = self.imprint.lock();
        let now = Imprint::of(&self.path, known.generation);
        if !now.differs(&known) {
            return None;
        }
        if now.is_of_another_file(&known) {
            return Some(Disturbance::Replaced);
        }
        // Of a file that cannot be written, other processes decide; its pages are read again at the next commit.
        let generation = self.generation().ok();
        let is_committed = generation.zip(known.generation).is_some_and(|(now, before)| now > before);
        if writing.is_none() || is_committed || now.is_folded(&known) {
            *known = now;
            known.generation = generation;
            return None;
        }
        Some(Disturbance::Overwritten)
    }

    /// Whether the path still leads to the file that is open. Costs one look at a file.
    pub fn is_in_place(&self) -> bool {
        self.imprint.lock().is_of_file_at(&self.path)
    }

    /// Whether the catalog can only be read.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    /// The catalog's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the committed state.
    pub fn generation(&self) -> Result<Generation, ReadError> {
        Ok(self.snapshot()?.generation())
    }

    /// Starts to read: a view of the committed state that later commits do not change.
    ///
    /// Never waits for the writer. A snapshot that is kept for long keeps the write-ahead log from being folded in.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, ReadError> {
        let idle = self.idle_readers.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connection::open_reader(&self.path, self.role)?,
        };
        Snapshot::begin(self, connection)
    }

    /// Takes the right to write; waits while another thread has it.
    ///
    /// # Errors
    /// [`WriteError::ReadOnly`] when the catalog is.
    pub fn writer(&self) -> Result<Writer<'_>, WriteError> {
        let connection = self.writer.as_ref().ok_or(WriteError::ReadOnly)?;
        Ok(Writer::new(connection.lock(), &self.path, &self.imprint))
    }

    /// Folds the write-ahead log into the file and empties it, as far as no snapshot still needs it.
    ///
    /// Waits for this catalog's writer and for nobody else.
    pub fn checkpoint(&self) -> Result<Checkpoint, WriteError> {
        let writer = self.writer.as_ref().ok_or(WriteError::ReadOnly)?.lock();
        let outcome = connection::checkpoint(&writer);
        let mut imprint = self.imprint.lock();
        *imprint = Imprint::of(&self.path, imprint.generation);
        outcome
    }

    /// How many bytes the catalog takes on disk, its write-ahead log included.
    pub fn size_bytes(&self) -> io::Result<u64> {
        let mut total = std::fs::metadata(&self.path)?.len();
        match std::fs::metadata(connection::side_file(&self.path, "-wal")) {
            Ok(log) => total += log.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(total)
    }

    /// Reads everything and tells what is wrong with it; empty when nothing is.
    ///
    /// Takes seconds on a large catalog. Writing goes on meanwhile.
    pub fn check(&self) -> Result<Vec<Problem>, ReadError> {
        crate::check::check(&self.snapshot()?)
    }

    /// Takes a connection back that a snapshot no longer needs.
    pub(crate) fn give_back(&self, connection: Connection) {
        let mut idle = self.idle_readers.lock();
        if idle.len() < IDLE_READERS {
            idle.push(connection);
        }
    }
}
