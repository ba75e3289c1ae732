//! The file system operations that a journal needs.
//!
//! There are two implementations: [`Disk`], and the test suite's storage in memory, which injects crashes, full disks
//! and errors at every step.
//!
//! The folder on disk may be part of a work tree: git replaces files, and a repository may contain links. So files are opened below the root
//! without following links, a lock counts only if the locked file still has its name, and a new file is durable only when the folders
//! above it are synced too.

use std::fmt::Debug;
use std::fs::{self, File, Metadata};
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

use recall_core::Timestamp;
use recall_os::{Access, Folder};

use crate::Day;

/// A folder of journals.
pub trait Storage: Debug + Send + Sync {
    /// Returns the folder's path, for messages.
    fn folder(&self) -> &Path;

    /// Lists the days that may have a file, in order. A missing folder has none.
    fn days(&self) -> io::Result<Vec<Day>>;

    /// Returns the metadata of the day's file; `None` if there is no file.
    fn stat(&self, day: Day) -> io::Result<Option<Stat>>;

    /// Lists the days that may have a file, in order, each with the result of [`stat`](Self::stat). Every search calls
    /// this, so an implementation should make it fast.
    fn stats(&self) -> io::Result<Vec<(Day, io::Result<Option<Stat>>)>> {
        Ok(self.days()?.into_iter().map(|day| (day, self.stat(day))).collect())
    }

    /// Opens the day's file for reading; `None` if there is no file.
    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>>;

    /// Opens the day's file for appending and waits for an exclusive lock on it, across threads and processes.
    ///
    /// # Errors
    /// `NotFound` if there is no file and `missing` is [`Missing::Refuse`]; otherwise the operating system's error.
    fn open_locked(&self, day: Day, missing: Missing) -> io::Result<Box<dyn LockedFile>>;

    /// Syncs the folders that hold the day's file, so that the file's name is on disk.
    fn sync_folders(&self, day: Day) -> io::Result<()>;
}

/// How opening treats a missing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The file and its folders are created.
    Create,
    /// Opening fails with `NotFound`.
    Refuse,
}

/// A file that can be read.
pub trait StoredFile: Debug {
    /// Returns the file's metadata.
    fn stat(&self) -> io::Result<Stat>;

    /// Reads bytes from an offset. Returns 0 at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// A file under an exclusive append lock.
pub trait LockedFile: StoredFile {
    /// Appends bytes. After an error, a part of them may have been written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Truncates the file to a length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Waits until everything written is on disk. After an error, nothing is known about what is on disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The length in bytes.
    pub length: u64,
    /// The time of the last write to the content.
    pub modified: Timestamp,
    /// The time of the last change to content or metadata (`ctime`), if the system keeps one; otherwise `modified`.
    pub changed: Timestamp,
    /// The device and inode, which differ if another file takes the same name.
    pub identity: (u64, u64),
}

/// How often a file is reopened because another one took its name. Each time means a checkout within microseconds.
const ATTEMPTS: usize = 100;

/// A folder on disk.
///
/// Below its root no symbolic link is followed, so that the content of a repository cannot lead outside it.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    /// The path of the folder of journals below the root; empty if it is the root itself.
    below: PathBuf,
    folder: PathBuf,
    /// The name of a single file used for every day; `None` if each day has its own file.
    single: Option<&'static str>,
}

impl Disk {
    /// Uses a folder. The first append creates it if it is missing. Links in the folder's own path are followed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::below(folder, "")
    }

    /// Uses a folder at a plain path below a root. The first append creates what is missing.
    pub fn below(root: impl Into<PathBuf>, below: impl Into<PathBuf>) -> Self {
        let (root, below) = (root.into(), below.into());
        Self { folder: root.join(&below), root, below, single: None }
    }

    /// Uses a single file of that name for every day.
    pub(crate) fn single(self, name: &'static str) -> Self {
        Self { single: Some(name), ..self }
    }

    /// Returns the path of the day's file, relative to the folder.
    fn path(&self, day: Day) -> PathBuf {
        self.single.map_or_else(|| day.path(), PathBuf::from)
    }

    fn open_folder(&self) -> io::Result<Folder> {
        Ok(Folder::open(&self.root)?.folder(&self.below)?)
    }

    /// Opens the folder that holds the day's file.
    fn open_day(&self, day: Day) -> io::Result<Folder> {
        let folder = self.open_folder()?;
        Ok(if self.single.is_some() { folder } else { folder.folder(day.to_string())? })
    }

    fn open_to_append(&self, day: Day, missing: Missing) -> io::Result<File> {
        if missing == Missing::Refuse {
            return Ok(self.open_folder()?.file(self.path(day), Access::Append)?);
        }
        create_root(&self.root)?;
        let mut folder = Folder::open(&self.root)?.make_folder(&self.below)?;
        if self.single.is_none() {
            folder = folder.make_folder(day.to_string())?;
        }
        let name = self.path(day);
        let name = name.file_name().expect("a day's file has a name");
        Ok(folder.file(name, Access::AppendOrCreate)?)
    }
}

impl Storage for Disk {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn days(&self) -> io::Result<Vec<Day>> {
        let Some(folder) = if_found(self.open_folder())? else { return Ok(Vec::new()) };
        days_in(&folder)
    }

    fn stat(&self, day: Day) -> io::Result<Option<Stat>> {
        let Some(folder) = if_found(self.open_folder())? else { return Ok(None) };
        self.stat_in(&folder, day)
    }

    /// Resolves names relative to the open folder, so that the path from the root is not walked once per day.
    fn stats(&self) -> io::Result<Vec<(Day, io::Result<Option<Stat>>)>> {
        let Some(folder) = if_found(self.open_folder())? else { return Ok(Vec::new()) };
        Ok(days_in(&folder)?.into_iter().map(|day| (day, self.stat_in(&folder, day))).collect())
    }

    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>> {
        let opened = self.open_folder().and_then(|folder| Ok(folder.file(self.path(day), Access::Read)?));
        Ok(if_found(opened)?.map(|file| Box::new(DiskFile { file }) as Box<dyn StoredFile>))
    }

    fn open_locked(&self, day: Day, missing: Missing) -> io::Result<Box<dyn LockedFile>> {
        for _ in 0..ATTEMPTS {
            let file = self.open_to_append(day, missing)?;
            file.lock()?;
            // While this thread waited for the lock, git may have replaced the file.
            if self.stat(day)?.is_some_and(|there| {
                stat(&file.metadata().expect("an open file has metadata")).identity == there.identity
            }) {
                return Ok(Box::new(DiskFile { file }));
            }
        }
        Err(io::Error::other("the file was replaced too many times"))
    }

    fn sync_folders(&self, day: Day) -> io::Result<()> {
        self.open_day(day)?.sync()?;
        let mut folder = self.open_folder()?;
        folder.sync()?;
        // The folders between the root and the journals, and the parent of the root.
        for above in self.below.ancestors().skip(1) {
            folder = Folder::open(&self.root)?.folder(above)?;
            folder.sync()?;
        }
        self.root.parent().map_or(Ok(()), sync_folder)
    }
}

impl Disk {
    /// Returns the metadata of a day's file. If the day's folder is a link, it is followed; the file is never opened
    /// through it.
    #[cfg(target_os = "linux")]
    fn stat_in(&self, folder: &Folder, day: Day) -> io::Result<Option<Stat>> {
        use rustix::fs::{AtFlags, statat};

        let found = statat(folder, self.path(day), AtFlags::SYMLINK_NOFOLLOW).map(|found| stat_at(&found));
        if_found(found.map_err(io::Error::from))
    }

    /// Returns the metadata of a day's file. If the day's folder is a link, it is followed; the file is never opened
    /// through it.
    #[cfg(not(target_os = "linux"))]
    fn stat_in(&self, _folder: &Folder, day: Day) -> io::Result<Option<Stat>> {
        if_found(fs::symlink_metadata(self.folder.join(self.path(day))).map(|metadata| stat(&metadata)))
    }
}

#[derive(Debug)]
struct DiskFile {
    file: File,
}

impl StoredFile for DiskFile {
    fn stat(&self) -> io::Result<Stat> {
        self.file.metadata().map(|metadata| stat(&metadata))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(&self.file, buffer, offset)
    }
}

impl LockedFile for DiskFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        #[cfg(not(unix))]
        io::Seek::seek(&mut self.file, io::SeekFrom::End(0))?;
        self.file.write_all(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// On Windows, nobody else can read a file while a writer has it locked, which takes as long as one append.
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::time::{Duration, Instant};

    /// `ERROR_LOCK_VIOLATION`.
    const LOCKED: i32 = 33;
    /// A writer waits for the disk at most that long, or something is wrong with it.
    const PATIENCE: Duration = Duration::from_secs(10);
    const RETRY: Duration = Duration::from_millis(1);

    let began = Instant::now();
    loop {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset) {
            Err(error) if error.raw_os_error() == Some(LOCKED) && began.elapsed() < PATIENCE => {
                std::thread::sleep(RETRY);
            }
            read => return read,
        }
    }
}

/// Lists the days that have a folder, in order.
fn days_in(folder: &Folder) -> io::Result<Vec<Day>> {
    let mut days: Vec<_> = folder.names()?.iter().filter_map(|name| Day::from_name(name.to_str()?)).collect();
    days.sort_unstable();
    Ok(days)
}

/// Maps a `NotFound` error to `None`.
fn if_found<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Converts the result of the system call to the same form as [`stat`].
#[cfg(target_os = "linux")]
fn stat_at(found: &rustix::fs::Stat) -> Stat {
    let time = |seconds: i64, nanoseconds: u64| {
        Timestamp(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds.cast_signed()))
    };
    Stat {
        length: found.st_size.cast_unsigned(),
        modified: time(found.st_mtime, found.st_mtime_nsec),
        changed: time(found.st_ctime, found.st_ctime_nsec),
        identity: (found.st_dev, found.st_ino),
    }
}

fn stat(metadata: &Metadata) -> Stat {
    let modified = metadata.modified().map(Timestamp::from).unwrap_or_default();
    #[cfg(unix)]
    let (changed, identity) = {
        use std::os::unix::fs::MetadataExt;
        let changed = metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
        (Timestamp(changed), (metadata.dev(), metadata.ino()))
    };
    #[cfg(not(unix))]
    let (changed, identity) =
        (modified, (0, metadata.created().map(Timestamp::from).unwrap_or_default().0.cast_unsigned()));
    Stat { length: metadata.len(), modified, changed, identity }
}

/// Creates a root and its missing ancestors, and syncs the folders that hold their names.
fn create_root(root: &Path) -> io::Result<()> {
    if root.is_dir() {
        return Ok(());
    }
    let parent = root.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        create_root(parent)?;
    }
    match fs::create_dir(root) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    parent.map_or(Ok(()), sync_folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Other systems cannot sync a folder; their file systems journal names.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn stats_agrees_with_stat_of_each_day() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk::new(folder.path());
        for (day, text) in
            [("2026-01-05", Some("{}\n")), ("2026-01-04", Some("")), ("2026-01-06", None), ("notes", None)]
        {
            fs::create_dir(folder.path().join(day)).expect("a folder");
            if let Some(text) = text {
                fs::write(folder.path().join(day).join("memories.jsonl"), text).expect("a file");
            }
        }
        std::os::unix::fs::symlink("nowhere", folder.path().join("2026-01-06/memories.jsonl")).expect("a link");
        fs::create_dir(folder.path().join("2026-01-07")).expect("a folder");
        let stats = disk.stats().expect("a folder");
        assert_eq!(stats.iter().map(|(day, _)| *day).collect::<Vec<_>>(), disk.days().expect("a folder"));
        assert_eq!(stats.iter().filter(|(_, stat)| matches!(stat, Ok(Some(_)))).count(), 3);
        for (day, stat) in stats {
            assert_eq!(stat.expect("a file"), disk.stat(day).expect("a file"), "{day}");
        }
        assert!(Disk::new(folder.path().join("none")).stats().expect("none").is_empty());
    }
}
