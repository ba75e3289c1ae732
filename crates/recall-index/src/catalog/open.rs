//! Opening of a catalog file: its place and its schema.
//!
//! A file is recognised before it is changed in any way: one that is not a catalog, or of another version, is left as it is. One of
//! an older version is not converted, because the caller can build it again from the store's files, as it has to after a loss. A
//! catalog on a network file system is refused, because its locks and the shared memory of the write-ahead log are not reliable
//! there. A file that cannot be written is opened for reading if its log allows it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::catalog::base;
use crate::catalog::connection::{self, Role, side_file};
use crate::catalog::error::ErrorKind;
use crate::catalog::rows::SCHEMA;
use crate::catalog::{CatalogOpenError, ReadError, SqliteError};

/// How long to retry switching a new file to WAL mode while another process does the same. SQLite does not wait in this
/// case.
const SWITCH_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to a catalog with the current schema.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) role: Role,
}

/// Opens a catalog for writing if possible, else for reading.
pub(crate) fn open(path: &Path) -> Result<Opened, CatalogOpenError> {
    if let Some(name) = network_file_system(path) {
        return Err(CatalogOpenError::NetworkFileSystem { path: path.to_owned(), name });
    }
    match create(path) {
        Ok(()) => open_for_writing(path),
        Err(error) if denies_writing(&error) => open_for_reading(path, error),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => {
            Err(CatalogOpenError::DiskFull { path: path.to_owned() })
        }
        Err(source) => Err(CatalogOpenError::Io { path: path.to_owned(), source }),
    }
}

fn open_for_writing(path: &Path) -> Result<Opened, CatalogOpenError> {
    let open_error = |error| CatalogOpenError::new(path, error);
    let connection = connection::open(path, Role::Write).map_err(open_error)?;
    // Leave a rejected file unchanged: closing the last connection would checkpoint its log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(open_error)?;
    if recognise(path, &connection)? == 0 {
        connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(open_error)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(open_error)?;
    switch_to_wal(&connection).map_err(open_error)?;
    create_schema(path, &connection)?;
    attach_base(path, &connection)?;
    Ok(Opened { connection, role: Role::Write })
}

/// Opens a read-only file. `denied` is the error of the attempt to write.
fn open_for_reading(path: &Path, denied: io::Error) -> Result<Opened, CatalogOpenError> {
    if File::open(path).is_err() {
        return Err(CatalogOpenError::ReadOnly { path: path.to_owned(), source: Some(denied) });
    }
    // A non-empty log has commits that the file lacks, and SQLite can only read it with the shared memory of its
    // writer. Without a log there is no writer, and none can start.
    let log_length = fs::metadata(side_file(path, "-wal")).map_or(0, |log| log.len());
    let role = if log_length == 0 { Role::ReadImmutable } else { Role::Read };
    let connection = connection::open(path, role).map_err(|error| CatalogOpenError::new(path, error))?;
    match recognise(path, &connection) {
        Ok(SCHEMA) => {
            attach_base(path, &connection)?;
            Ok(Opened { connection, role })
        }
        // An empty file has no schema yet, an older one cannot be replaced, and a log cannot be read without shared memory.
        Ok(_) | Err(CatalogOpenError::OlderSchema { .. } | CatalogOpenError::Sqlite { .. }) => {
            Err(CatalogOpenError::ReadOnly { path: path.to_owned(), source: Some(denied) })
        }
        Err(other) => Err(other),
    }
}

/// Attaches the base of the catalog, if it has one.
pub(crate) fn attach_base(path: &Path, connection: &Connection) -> Result<(), CatalogOpenError> {
    base::attach(connection, path).map_err(|error| match error {
        ReadError::Damaged { reason } => CatalogOpenError::Damaged { path: path.to_owned(), reason },
        ReadError::Sqlite { source: SqliteError(source) } => CatalogOpenError::new(path, source),
    })
}

/// The name of the network file system that contains the file, if any.
pub(crate) fn network_file_system(path: &Path) -> Option<String> {
    file_system(path)
}

/// Creates the file if there is none. Only its owner can read it, because it contains the texts of the store's
/// documents, or data derived from them.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)?;
    // SQLite creates files next to it.
    #[cfg(unix)]
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        rustix::fs::access(directory, rustix::fs::Access::WRITE_OK)?;
    }
    Ok(())
}

fn denies_writing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Switches the file to WAL mode, which is persistent.
pub(crate) fn switch_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + SWITCH_TIMEOUT;
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = wal", [], |row| row.get::<_, String>(0));
        match mode {
            Err(error) if ErrorKind::classify(&error) == ErrorKind::Busy && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}

/// The application id in the header, which identifies a catalog to `file` and other programs: "rcll".
const APPLICATION_ID: i32 = 0x7263_6C6C;

/// The page size of a new file.
///
/// The compressed text of a small document is a row of some KiB. With pages of 4 KiB such rows leave a fifth of their
/// pages empty (bench `catalog` on files of 4 KB); larger pages take more of them, and fewer pages are written.
const PAGE_BYTES: u32 = 16 * 1024;

/// Returns the schema of a file without changing the file. 0 if it is empty.
///
/// # Errors
/// The file is not a catalog, or its schema is older or newer.
fn recognise(path: &Path, connection: &Connection) -> Result<u32, CatalogOpenError> {
    let open_error = |error| CatalogOpenError::new(path, error);
    // In one transaction, because another process may be creating the schema right now.
    let reading = connection.unchecked_transaction().map_err(open_error)?;
    let application: i32 = reading.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(open_error)?;
    let objects: i64 =
        reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(open_error)?;
    let found = version(&reading).map_err(open_error)?;
    reading.commit().map_err(open_error)?;
    if application == 0 && objects == 0 {
        return Ok(0);
    }
    if application != APPLICATION_ID {
        return Err(CatalogOpenError::Damaged {
            path: path.to_owned(),
            reason: "it is a database of another application".to_owned(),
        });
    }
    let path = path.to_owned();
    match found {
        SCHEMA => Ok(found),
        0 => Err(CatalogOpenError::Damaged { path, reason: "it has no schema".to_owned() }),
        older if older < SCHEMA => Err(CatalogOpenError::OlderSchema { path, found, known: SCHEMA }),
        _ => Err(CatalogOpenError::NewerSchema { path, found, known: SCHEMA }),
    }
}

/// Creates the schema in an empty file, in one transaction.
fn create_schema(path: &Path, connection: &Connection) -> Result<(), CatalogOpenError> {
    let open_error = |error| CatalogOpenError::new(path, error);
    if version(connection).map_err(open_error)? == SCHEMA {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(open_error)?;
    let outcome = fill(connection).and_then(|()| connection.execute_batch("COMMIT"));
    if outcome.is_err() && !connection.is_autocommit() {
        // Report the first error. An uncommitted transaction ends with the connection at the latest.
        let _ = connection.execute_batch("ROLLBACK");
    }
    outcome.map_err(open_error)
}

/// Reads the version again under the lock, because another process may have created the schema meanwhile.
fn fill(connection: &Connection) -> rusqlite::Result<()> {
    if version(connection)? == SCHEMA {
        return Ok(());
    }
    connection.execute_batch(include_str!("open/schema.sql"))?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA)
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The name of the network file system that contains the file's directory. `None` if it is local or cannot be
/// determined.
#[cfg(target_os = "linux")]
fn file_system(path: &Path) -> Option<String> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kind = rustix::fs::statfs(directory).ok()?.f_type;
    if kind as u32 == FUSE {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        let directory = directory.canonicalize().ok()?;
        return fuse_kind(&mounts, &directory).filter(|name| NETWORK_FUSE.contains(&name.as_str()));
    }
    name_of(kind as u32).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn file_system(_path: &Path) -> Option<String> {
    None
}

/// FUSE programs serve local disks too, so the mount table decides.
#[cfg(target_os = "linux")]
const FUSE: u32 = 0x6573_5546;

#[cfg(target_os = "linux")]
const NETWORK_FUSE: &[&str] =
    &["fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.davfs", "fuse.curlftpfs", "fuse.glusterfs", "fuse.gcsfuse"];

/// Magic numbers from `linux/magic.h` and from the file systems' own headers.
#[cfg(target_os = "linux")]
fn name_of(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "nfs",
        0xFF53_4D42 => "cifs",
        0xFE53_4D42 => "smb2",
        0x517B => "smb",
        0x0102_1997 => "9p",
        0x5346_414F => "afs",
        0x00C3_6400 => "ceph",
        0x7375_7245 => "coda",
        0x0BD0_0BD0 => "lustre",
        0x564C => "ncp",
        _ => return None,
    })
}

/// The type of the innermost mount that contains a directory, such as `fuse.sshfs`.
#[cfg(target_os = "linux")]
fn fuse_kind(mounts: &str, directory: &Path) -> Option<String> {
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let point = fields.nth(1)?;
            Some((point.replace("\\040", " "), fields.next()?))
        })
        .filter(|(point, _)| directory.starts_with(point))
        .max_by_key(|(point, _)| point.len())
        .map(|(_, kind)| kind.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_temporary_directory_is_local() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(file_system(&folder.path().join("catalog.db")), None);
    }

    #[test]
    fn network_file_systems_are_named() {
        assert_eq!(name_of(0x6969), Some("nfs"));
        assert_eq!(name_of(0xFF53_4D42), Some("cifs"));
        assert_eq!(name_of(0xEF53), None, "ext4 is local");
    }

    #[test]
    fn the_innermost_mount_point_gives_the_kind() {
        let mounts = "/dev/vda / ext4 rw 0 0\nme@host:/x /home/me/far\\040away fuse.sshfs rw 0 0\n";
        let kind = |directory: &str| fuse_kind(mounts, Path::new(directory));
        assert_eq!(kind("/home/me/far away/project").as_deref(), Some("fuse.sshfs"));
        assert_eq!(kind("/home/me/near").as_deref(), Some("ext4"));
    }
}
