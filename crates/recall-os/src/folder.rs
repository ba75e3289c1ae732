//! An open folder and the operations below it, and folders that only their user may access.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, Metadata, OpenOptions};

use crate::OpenError;

/// The prefix of the temporary files of [`Folder::replace`].
const UNFINISHED: &str = ".unfinished-";

/// How often the deletion of a folder is tried while other threads change its content.
const REMOVE_ATTEMPTS: usize = 200;

/// The time between two attempts.
const REMOVE_PAUSE: Duration = Duration::from_millis(5);

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    pub(crate) dir: Dir,
    path: PathBuf,
}

/// The purpose for which a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads an existing file.
    Read,
    /// Reads and appends to an existing file.
    Append,
    /// Reads and appends to a file, which is created if it is missing.
    AppendOrCreate,
    /// Writes a file that does not exist yet.
    CreateNew,
}

impl Folder {
    /// Opens a trusted folder: links in its own path are followed.
    ///
    /// # Errors
    /// It is missing, is not a folder, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|source| open_error(path, source))?;
        Ok(Self { dir, path: path.to_owned() })
    }

    pub(crate) fn new(dir: Dir, path: PathBuf) -> Self {
        Self { dir, path }
    }

    /// Returns the path as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder below this one.
    ///
    /// # Errors
    /// A component is missing, a link or not a folder; the path is not plain; or the system refuses.
    pub fn folder(&self, below: impl AsRef<Path>) -> Result<Self, OpenError> {
        let mut found = self.again()?;
        for name in names(below.as_ref())? {
            found = found.enter(name)?;
        }
        Ok(found)
    }

    /// Opens a folder below this one and creates its missing components, each with mode 0777 minus the umask. New names
    /// are on disk when this returns.
    ///
    /// # Errors
    /// A component is a link or not a folder; the path is not plain; or the system refuses.
    pub fn make_folder(&self, below: impl AsRef<Path>) -> Result<Self, OpenError> {
        let mut found = self.again()?;
        for name in names(below.as_ref())? {
            let path = found.path.join(name);
            match found.dir.create_dir_with(name, &DirBuilder::new()) {
                Ok(()) => {
                    found.sync().map_err(|source| OpenError::Io { path: found.path.clone(), source })?;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(open_error(&path, source)),
            }
            found = found.enter(name)?;
        }
        Ok(found)
    }

    /// Opens a regular file below this folder. A file that is created has mode 0600.
    ///
    /// Devices are not opened, since that may have effects, nor pipes, since that would block.
    ///
    /// # Errors
    /// A component is missing or a link; the last one is not a regular file; the path is not plain; or the system
    /// refuses.
    pub fn file(&self, below: impl AsRef<Path>, access: Access) -> Result<File, OpenError> {
        let below = below.as_ref();
        let (parents, name) = split(below)?;
        let parent = if parents.as_os_str().is_empty() { None } else { Some(self.folder(parents)?) };
        parent.as_ref().unwrap_or(self).own_file(name, access)
    }

    fn own_file(&self, name: &OsStr, access: Access) -> Result<File, OpenError> {
        let path = self.path.join(name);
        match (self.dir.symlink_metadata(name), access) {
            (Ok(found), _) => check_regular(&found, &path)?,
            (Err(error), Access::AppendOrCreate | Access::CreateNew) if error.kind() == io::ErrorKind::NotFound => {}
            (Err(source), _) => return Err(open_error(&path, source)),
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        match access {
            Access::Read => {}
            // On other systems a file opened for appending cannot be truncated.
            Access::Append => drop(options.write(true).append(cfg!(unix))),
            Access::AppendOrCreate => drop(options.write(true).append(cfg!(unix)).create(true)),
            Access::CreateNew => drop(options.write(true).create_new(true)),
        }
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            use rustix::fs::OFlags;
            // If a pipe replaces the file after the check, opening must not block; and no terminal must become the
            // controlling one.
            options.mode(0o600).custom_flags(OFlags::NONBLOCK.union(OFlags::NOCTTY).bits().cast_signed());
        }
        let file = self.dir.open_with(name, &options).map_err(|source| open_error(&path, source))?.into_std();
        let found = file.metadata().map_err(|source| OpenError::Io { path: path.clone(), source })?;
        if found.is_file() { Ok(file) } else { Err(OpenError::NotAFile { path }) }
    }

    /// Reads at most `limit_bytes` of a regular file below this folder.
    ///
    /// # Errors
    /// Those of [`file`](Self::file), or the file cannot be read.
    pub fn read(&self, below: impl AsRef<Path>, limit_bytes: u64) -> Result<Vec<u8>, OpenError> {
        let below = below.as_ref();
        let mut bytes = Vec::new();
        let read = self.file(below, Access::Read)?.take(limit_bytes).read_to_end(&mut bytes);
        read.map_err(|source| OpenError::Io { path: self.path.join(below), source })?;
        Ok(bytes)
    }

    /// Returns the metadata of a path below this folder; `None` if nothing is there. A final link is not followed.
    ///
    /// # Errors
    /// A component before the last one is a link; the path is not plain; or the system refuses.
    pub fn metadata(&self, below: impl AsRef<Path>) -> Result<Option<Metadata>, OpenError> {
        let below = below.as_ref();
        let (parents, name) = split(below)?;
        let found = self.folder(parents).and_then(|parent| {
            parent.dir.symlink_metadata(name).map_err(|source| open_error(&parent.path.join(name), source))
        });
        match found {
            Ok(found) => Ok(Some(found)),
            Err(OpenError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether a regular file is at a path below this folder, without a link in the path.
    pub fn has_file(&self, below: impl AsRef<Path>) -> bool {
        self.metadata(below).is_ok_and(|found| found.is_some_and(|found| found.is_file()))
    }

    /// Lists the names in this folder, unordered.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        self.dir.entries()?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    /// Replaces a file in this folder atomically: a reader sees the old or the new content. It is on disk when this
    /// returns. Whatever has the name is replaced; a link is replaced itself, not its target.
    ///
    /// # Errors
    /// The name is not plain, or the system refuses; then the old content is unchanged.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), OpenError> {
        self.write_as(name, content, &|unfinished| self.dir.rename(unfinished, &self.dir, name))
    }

    /// Creates a file in this folder atomically, with mode 0600. It is on disk when this returns.
    ///
    /// # Errors
    /// Something has the name (`AlreadyExists`), the name is not plain, or the system refuses; then nothing is created.
    pub fn create(&self, name: &str, content: &[u8]) -> Result<(), OpenError> {
        self.write_as(name, content, &|unfinished| self.take_free_name(unfinished, name))
    }

    fn write_as(&self, name: &str, content: &[u8], finish: &dyn Fn(&str) -> io::Result<()>) -> Result<(), OpenError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let path = self.path.join(plain(name)?);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!("{UNFINISHED}{}-{number}", std::process::id());
        let write = || {
            // A process that had this id may have left its temporary file.
            match self.dir.remove_file(&unfinished) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = self.own_file(OsStr::new(&unfinished), Access::CreateNew).map_err(io::Error::from)?;
            file.write_all(content)?;
            file.sync_all()?;
            finish(&unfinished)
        };
        if let Err(source) = write() {
            // The error already says what failed, and the leftover has no data of its own.
            let _ = self.dir.remove_file(&unfinished);
            return Err(OpenError::Io { path, source });
        }
        self.sync().map_err(|source| OpenError::Io { path, source })
    }

    /// Renames a file in this folder to a name that nothing has.
    ///
    /// # Errors
    /// Something has the name (`AlreadyExists`), a name is not plain, or the system refuses.
    pub fn rename_new(&self, from: &str, to: &str) -> Result<(), OpenError> {
        let path = self.path.join(plain(to)?);
        plain(from)?;
        self.take_free_name(from, to).map_err(|source| OpenError::Io { path, source })
    }

    fn take_free_name(&self, from: &str, to: &str) -> io::Result<()> {
        // A rename would replace a file that another program creates at this moment.
        match self.dir.hard_link(from, &self.dir, to) {
            Ok(()) => self.dir.remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no hard links.
            Err(_) if self.dir.symlink_metadata(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.dir.rename(from, &self.dir, to),
        }
    }

    /// Deletes a name in this folder: a file, a link, or a folder with its content. The target of a link is not
    /// touched. Only for folders that recall created.
    ///
    /// Files that another thread creates or deletes in the folder meanwhile do not make it fail, unless that goes on for
    /// a second.
    ///
    /// # Errors
    /// The name is not plain or missing, or the system refuses.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> Result<(), OpenError> {
        let name = plain(name.as_ref())?;
        let path = self.path.join(name);
        let mut attempts = 0;
        loop {
            let found = self.dir.symlink_metadata(name).map_err(|source| open_error(&path, source))?;
            if !found.is_dir() {
                return self.dir.remove_file_or_symlink(name).map_err(|source| open_error(&path, source));
            }
            attempts += 1;
            match self.dir.remove_dir_all(name) {
                Err(error) if attempts < REMOVE_ATTEMPTS && has_changed_meanwhile(&error) => {
                    std::thread::sleep(REMOVE_PAUSE);
                }
                outcome => return outcome.map_err(|source| open_error(&path, source)),
            }
        }
    }

    /// Renames a file or folder in this folder.
    ///
    /// # Errors
    /// A name is not plain, the first one is missing, or the system refuses.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), OpenError> {
        let (from, to) = (plain(from)?, plain(to)?);
        self.dir.rename(from, &self.dir, to).map_err(|source| open_error(&self.path.join(from), source))
    }

    /// Waits until the names in this folder are on disk.
    ///
    /// # Errors
    /// The system refuses.
    pub fn sync(&self) -> io::Result<()> {
        // The handle may only allow lookups (`O_PATH`). Other systems cannot sync a folder; their file systems journal
        // names.
        if cfg!(unix) { self.dir.open(".")?.sync_all() } else { Ok(()) }
    }

    fn again(&self) -> Result<Self, OpenError> {
        let dir = self.dir.try_clone().map_err(|source| OpenError::Io { path: self.path.clone(), source })?;
        Ok(Self { dir, path: self.path.clone() })
    }

    fn enter(&self, name: &OsStr) -> Result<Self, OpenError> {
        let path = self.path.join(name);
        match self.dir.open_dir_nofollow(name) {
            Ok(dir) => Ok(Self { dir, path }),
            Err(source) => Err(match self.dir.symlink_metadata(name) {
                Ok(found) if found.is_symlink() => OpenError::Link { path },
                Ok(found) if !found.is_dir() => OpenError::NotAFolder { path },
                _ => open_error(&path, source),
            }),
        }
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// Opens a regular file outside of projects, which the user or recall put there: links are followed, and a pipe does not block.
///
/// For everything below a project, use [`Folder::file`].
///
/// # Errors
/// It is missing, is not a regular file, or the system refuses.
pub fn open_own(path: &Path) -> Result<File, OpenError> {
    // Opening a device may have effects.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(OpenError::NotAFile { path: path.to_owned() });
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;
        options.custom_flags(OFlags::NONBLOCK.union(OFlags::NOCTTY).bits().cast_signed());
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(OpenError::Missing { path: path.to_owned() });
        }
        Err(source) => return Err(open_error(path, source)),
    };
    let found = file.metadata().map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    if found.is_file() { Ok(file) } else { Err(OpenError::NotAFile { path: path.to_owned() }) }
}

/// Reads at most `limit_bytes` of a file as [`open_own`] opens it.
///
/// # Errors
/// Those of [`open_own`], or the file cannot be read.
pub fn read_own(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, OpenError> {
    let mut bytes = Vec::new();
    let read = open_own(path)?.take(limit_bytes).read_to_end(&mut bytes);
    read.map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    Ok(bytes)
}

fn check_regular(found: &Metadata, path: &Path) -> Result<(), OpenError> {
    if found.is_symlink() {
        Err(OpenError::Link { path: path.to_owned() })
    } else if found.is_file() {
        Ok(())
    } else {
        Err(OpenError::NotAFile { path: path.to_owned() })
    }
}

/// Returns whether the deletion of a folder failed because its content changed after it was listed.
fn has_changed_meanwhile(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound)
}

fn open_error(path: &Path, source: io::Error) -> OpenError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => OpenError::Missing { path },
        io::ErrorKind::NotADirectory => OpenError::NotAFolder { path },
        _ => OpenError::Io { path, source },
    }
}

/// Splits a plain path into its names. An empty path has none.
fn names(path: &Path) -> Result<Vec<&OsStr>, OpenError> {
    let name = |component| match component {
        Component::Normal(name) => Ok(name),
        _ => Err(OpenError::NotPlain { path: path.to_owned() }),
    };
    path.components().map(name).collect()
}

/// Splits a plain path into its folders and its last name.
fn split(path: &Path) -> Result<(&Path, &OsStr), OpenError> {
    names(path)?;
    let not_plain = || OpenError::NotPlain { path: path.to_owned() };
    Ok((path.parent().ok_or_else(not_plain)?, path.file_name().ok_or_else(not_plain)?))
}

/// Checks that a name is a single plain name.
fn plain<T: AsRef<OsStr> + ?Sized>(name: &T) -> Result<&OsStr, OpenError> {
    let path = Path::new(name.as_ref());
    match names(path)?[..] {
        // A trailing separator is not a part of a name.
        [only] if only == name.as_ref() => Ok(only),
        _ => Err(OpenError::NotPlain { path: path.to_owned() }),
    }
}

impl Folder {
    /// Opens a folder of this user alone, and creates it and its missing ancestors with mode 0700.
    ///
    /// If others may access an existing folder, their permissions are removed. The last component of the path must not
    /// be a link.
    ///
    /// # Errors
    /// It is a link, is not a folder, or belongs to another user; or the system refuses.
    pub fn private(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Io { path: path.to_owned(), source };
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(OpenError::Link { path: path.to_owned() });
        }
        make(path).map_err(failed)?;
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotADirectory => OpenError::NotAFolder { path: path.to_owned() },
            _ => failed(source),
        })?;
        close_to_others(&dir, path)?;
        Ok(Self::new(dir, path.to_owned()))
    }
}

fn make(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        // Opening it tells a folder from other files.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(unix)]
fn close_to_others(dir: &Dir, path: &Path) -> Result<(), OpenError> {
    use cap_std::fs::{MetadataExt as _, Permissions, PermissionsExt as _};

    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    let found = dir.dir_metadata().map_err(failed)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(OpenError::NotOurs { path: path.to_owned() });
    }
    if found.mode() & 0o077 != 0 {
        dir.set_permissions(".", Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// On other systems the folder inherits the access list of the user's profile.
#[cfg(not(unix))]
fn close_to_others(_dir: &Dir, _path: &Path) -> Result<(), OpenError> {
    Ok(())
}
