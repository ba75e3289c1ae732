//! The directory that holds the index's files.
//!
//! Like tantivy's memory-mapped directory, but writes do not wait for the disk. A commit of one file creates about
//! twenty files, and syncing each took nine tenths of the time of a commit (200 ms of 220 on a virtual disk). The index
//! is derived data, and a committed state survives the end of the process in any case. A file torn by a loss of power
//! fails its checksum at the next opening, because files are only trusted under a [`seal`](crate::lexical::integrity::seal),
//! which does wait for the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use recall_os::Folder;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

/// The prefix of the names of temporary files, which are renamed once they are complete.
pub(crate) const TEMPORARY: &str = ".tmp";

/// A folder of index files, memory-mapped for reading.
#[derive(Clone, Debug)]
pub(crate) struct IndexDirectory {
    root: PathBuf,
    folder: Arc<Folder>,
    mapped: MmapDirectory,
    last_write_error: LastWriteError,
}

impl IndexDirectory {
    pub(crate) fn open(root: &Path) -> Result<Self, OpenDirectoryError> {
        let mapped = MmapDirectory::open(root)?;
        let failed = |error: recall_os::OpenError| OpenDirectoryError::wrap_io_error(error.into(), root.to_owned());
        let folder = Arc::new(Folder::open(root).map_err(failed)?);
        Ok(Self { root: root.to_owned(), folder, mapped, last_write_error: LastWriteError::default() })
    }

    /// The last write error of the operating system, shared by all clones.
    pub(crate) fn last_write_error(&self) -> &LastWriteError {
        &self.last_write_error
    }
}

impl Directory for IndexDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    /// tantivy deletes the files named in a list that lies in the folder. Only plain names are accepted from that list.
    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        use recall_os::OpenError::Missing;

        self.folder.remove(path).map_err(|error| match error {
            Missing { .. } => DeleteError::FileDoesNotExist(path.to_owned()),
            error => DeleteError::IoError { io_error: Arc::new(error.into()), filepath: path.to_owned() },
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        match OpenOptions::new().write(true).create_new(true).open(self.root.join(path)) {
            Ok(file) => {
                Ok(BufWriter::new(Box::new(Unsynced { file, last_write_error: self.last_write_error.clone() })))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(self.last_write_error.note(error), path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        replace(&self.root.join(path), content).map_err(|error| self.last_write_error.note(error))
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is closed without waiting for the disk.
struct Unsynced {
    file: File,
    last_write_error: LastWriteError,
}

impl Write for Unsynced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| self.last_write_error.note(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| self.last_write_error.note(error))
    }
}

impl TerminatingWrite for Unsynced {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.flush()
    }
}

/// The last write error of the operating system.
///
/// tantivy writes on its own threads and reports only that a thread ended, not that the disk was full.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWriteError(Arc<AtomicI32>);

impl LastWriteError {
    pub(crate) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The last error. `None` if no write failed.
    pub(crate) fn last(&self) -> Option<io::Error> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            code => Some(io::Error::from_raw_os_error(code)),
        }
    }

    fn note(&self, error: io::Error) -> io::Error {
        if let Some(code) = error.raw_os_error() {
            self.0.store(code, Ordering::Relaxed);
        }
        error
    }
}

/// Replaces a file atomically. A reader sees the old or the new content.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{TEMPORARY}-{}-{number}", std::process::id());
    let temporary = path.with_file_name(&name);
    fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // The error above is the relevant one. A leftover file is deleted at the next opening.
        let _ = Folder::open(path.parent().unwrap_or(path)).and_then(|folder| folder.remove(&name));
    })
}
