//! The journals of a folder on disk.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recall_core::Timestamp;

use super::{LockedFile, Missing, Stat, Storage, StoredFile};
use crate::Day;

/// How often a file is opened anew because another took its place meanwhile. Each means a checkout within microseconds.
const ATTEMPTS: usize = 100;

/// A folder on disk.
///
/// Neither a day's folder nor its file may be a link: what a repository holds must not lead out of it.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    /// The name of the one file that stands for every day; `None` where each has its own.
    single: Option<&'static str>,
}

impl Disk {
    /// Takes a folder, which need not be there: the first event makes it.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), single: None }
    }

    /// Takes a folder with one file of that name, which stands for every day.
    pub(crate) fn single(folder: impl Into<PathBuf>, name: &'static str) -> Self {
        Self { folder: folder.into(), single: Some(name) }
    }

    fn day_folder(&self, day: Day) -> PathBuf {
        if self.single.is_some() { self.folder.clone() } else { self.folder.join(day.to_string()) }
    }

    fn path(&self, day: Day) -> PathBuf {
        self.single.map_or_else(|| self.folder.join(day.path()), |name| self.folder.join(name))
    }

    /// Opens the day's file, which is a plain one in a plain folder.
    fn open_file(&self, day: Day, options: &mut OpenOptions) -> io::Result<File> {
        if !fs::symlink_metadata(self.day_folder(day))?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // A pipe would be waited for; a link may lead anywhere.
            let flags = rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK);
            options.custom_flags(flags.bits().cast_signed());
        }
        let file = options.open(self.path(day))?;
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::Unsupported, "it is no plain file"))
        }
    }

    fn open_to_append(&self, day: Day, missing: Missing) -> io::Result<File> {
        let mut options = OpenOptions::new();
        // Elsewhere a file that is opened to append cannot be cut.
        options.read(true).write(true).append(cfg!(unix));
        if missing == Missing::Create {
            create_folders(&self.folder)?;
            create_folder(&self.day_folder(day))?;
            options.create(true);
        }
        self.open_file(day, &mut options)
    }
}

impl Storage for Disk {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn days(&self) -> io::Result<Vec<Day>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut days = Vec::new();
        for entry in entries {
            days.extend(entry?.file_name().to_str().and_then(Day::from_name));
        }
        days.sort_unstable();
        Ok(days)
    }

    fn stat(&self, day: Day) -> io::Result<Option<Stat>> {
        some(fs::symlink_metadata(self.path(day)).map(|metadata| stat(&metadata)))
    }

    /// Names are looked up from the folder on: the way from the root would be walked once a day.
    #[cfg(target_os = "linux")]
    fn stats(&self) -> io::Result<Vec<(Day, io::Result<Option<Stat>>)>> {
        use rustix::fs::{AtFlags, Dir, Mode, OFlags, open, statat};

        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = open(&self.folder, flags, Mode::empty()).map_err(io::Error::from);
        let Some(folder) = some(opened)? else { return Ok(Vec::new()) };
        let mut folder = Dir::new(folder)?;
        let mut days = Vec::new();
        for entry in folder.by_ref() {
            days.extend(entry?.file_name().to_str().ok().and_then(Day::from_name));
        }
        days.sort_unstable();
        let folder = folder.fd()?;
        let stat = |day| {
            let path = if self.single.is_some() { self.path(day) } else { day.path() };
            let found = statat(folder, path, AtFlags::SYMLINK_NOFOLLOW).map(|found| stat_at(&found));
            (day, some(found.map_err(io::Error::from)))
        };
        Ok(days.into_iter().map(stat).collect())
    }

    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>> {
        let file = some(self.open_file(day, OpenOptions::new().read(true)))?;
        Ok(file.map(|file| Box::new(Opened { file }) as Box<dyn StoredFile>))
    }

    fn open_locked(&self, day: Day, missing: Missing) -> io::Result<Box<dyn LockedFile>> {
        for _ in 0..ATTEMPTS {
            let file = self.open_to_append(day, missing)?;
            file.lock()?;
            // Whoever waited may hold the lock of a file that git replaced meanwhile.
            if self
                .stat(day)?
                .is_some_and(|there| stat(&file.metadata().expect("it is open")).identity == there.identity)
            {
                return Ok(Box::new(Opened { file }));
            }
        }
        Err(io::Error::other("it is replaced again and again"))
    }

    fn sync_folders(&self, day: Day) -> io::Result<()> {
        sync_folder(&self.day_folder(day))?;
        sync_folder(&self.folder)?;
        self.folder.parent().map_or(Ok(()), sync_folder)
    }
}

/// An open file.
#[derive(Debug)]
struct Opened {
    file: File,
}

impl StoredFile for Opened {
    fn stat(&self) -> io::Result<Stat> {
        self.file.metadata().map(|metadata| stat(&metadata))
    }

    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset)
    }
}

impl LockedFile for Opened {
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

/// Takes what is not there for nothing.
fn some<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What [`stat`] tells, of what the system call itself gives.
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

/// Makes a folder and what is missing above it, and returns when their names are on disk.
fn create_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create_folders(parent)?;
        create_folder(folder)?;
        return sync_folder(parent);
    }
    create_folder(folder)
}

fn create_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome,
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Other systems have no such call; their file systems log names.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn files_look_from_their_folder_as_they_do_from_the_root() {
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
