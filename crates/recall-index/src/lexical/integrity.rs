//! The files of an index: the directory that holds them, and their verification.
//!
//! Every segment file ends in a checksum, but verifying all of them reads the whole index. An index that was closed
//! properly therefore has a *seal*: the sizes and modification times of its files, written after the files were synced.
//! While the seal matches, the files are trusted. If it does not match (after a crash, a loss of power, a copy or a
//! change by another program), every checksum is verified once and the index is sealed again.
//!
//! Like tantivy's memory-mapped directory, but writes do not wait for the disk. A commit of one file creates about
//! twenty files, and syncing each took nine tenths of the time of a commit (200 ms of 220 on a virtual disk). The index
//! is derived data, and a committed state survives the end of the process in any case. A file torn by a loss of power
//! fails its checksum at the next opening, because files are only trusted under a [`seal`],
//! which does wait for the disk.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use recall_os::{Folder, share_file};
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, ManagedDirectory, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};
use tantivy::index::SegmentComponent as Part;
use tantivy::{IndexMeta, TantivyError};

use crate::lexical::format::checksum;
use crate::lexical::open::corruption;

pub(crate) const META: &str = "meta.json";
const SEAL: &str = "seal";

/// The file in which tantivy lists the files that it may delete.
const MANAGED: &str = ".managed.json";

/// Reads the file that lists the committed segments.
pub(crate) fn read_meta(dir: &Path) -> io::Result<Vec<u8>> {
    fs::read(dir.join(META))
}

/// Whether a folder without [`META`] contains segment files.
pub(crate) fn has_orphans(dir: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        if is_segment_file(&entry?.file_name().to_string_lossy()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes the leftovers of a killed writer: segment files that no commit names, and temporary files.
///
/// The caller must hold the writer's lock.
pub(crate) fn sweep(dir: &Path, metas: &IndexMeta) -> io::Result<()> {
    let live = live_files(metas);
    let folder = Folder::open(dir)?;
    for name in folder.names()?.iter().filter_map(|name| name.to_str()) {
        if (is_segment_file(name) || name.starts_with(TEMPORARY)) && !live.contains(Path::new(name)) {
            folder.remove(name)?;
        }
    }
    Ok(())
}

/// Verifies that every file of the committed segments exists and is unaltered, unless the seal matches.
pub(crate) fn verify(dir: &Path, directory: &ManagedDirectory, metas: &IndexMeta) -> Result<Sealed, TantivyError> {
    if fs::read_to_string(dir.join(SEAL)).is_ok_and(|seal| describe(dir, metas).is_ok_and(|now| seal == now)) {
        return Ok(Sealed::Yes);
    }
    for file in live_files(metas) {
        if !directory.validate_checksum(&file)? {
            return Err(corruption(format!("checksum mismatch in {}", file.display())));
        }
    }
    Ok(Sealed::No)
}

/// Whether the seal matches the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sealed {
    /// It does.
    Yes,
    /// There is no seal, or it describes another state.
    No,
}

/// Syncs the files of the committed state to disk and seals them.
pub(crate) fn seal(dir: &Path, metas: &IndexMeta) -> io::Result<()> {
    for file in live_files(metas).iter().map(PathBuf::as_path).chain([Path::new(META)]) {
        fs::OpenOptions::new().write(true).open(dir.join(file))?.sync_data()?;
    }
    replace(&dir.join(SEAL), describe(dir, metas)?.as_bytes())
}

/// Gives the files of the committed state a second name in another folder. The list of segments comes last, so that a crash
/// leaves no index.
pub(crate) fn fork(dir: &Path, metas: &IndexMeta, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    let meta = read_meta(dir)?;
    for file in live_files(metas) {
        share_file(&dir.join(&file), &target.join(file))?;
    }
    fs::copy(dir.join(MANAGED), target.join(MANAGED))?;
    replace(&target.join(META), &meta)?;
    // Not synced: what a loss of power takes away is found missing or fails its checksum.
    replace(&target.join(SEAL), describe(target, metas)?.as_bytes())
}

/// The name, size and modification time of every file of the committed state, and the checksum of the one file that
/// contains none.
fn describe(dir: &Path, metas: &IndexMeta) -> io::Result<String> {
    let mut text = String::new();
    for file in live_files(metas).iter().map(PathBuf::as_path).chain([Path::new(META)]) {
        let known = fs::metadata(dir.join(file))?;
        let time = known.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        writeln!(text, "{} {} {time}", file.display(), known.len()).expect("writing to a string cannot fail");
    }
    let meta = fs::read(dir.join(META))?;
    writeln!(text, "{:016x}", checksum(&String::from_utf8_lossy(&meta))).expect("writing to a string cannot fail");
    Ok(text)
}

/// The files of the committed segments. A file of deletions exists only for segments with deletions.
pub(crate) fn live_files(metas: &IndexMeta) -> BTreeSet<PathBuf> {
    metas
        .segments
        .iter()
        .flat_map(|segment| {
            let deletions = segment.has_deletes().then_some(Part::Delete);
            [Part::Postings, Part::Positions, Part::Terms, Part::Store, Part::FastFields, Part::FieldNorms]
                .into_iter()
                .chain(deletions)
                .map(|part| segment.relative_path(part))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// `<32 hexadecimal digits>.<extension>`, with an opstamp between them in the name of a file of deletions.
fn is_segment_file(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

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
