//! The recorded checksum of an installed library, and the markers of attempts to load it.
//!
//! Loading a damaged library may crash the process, so its bytes are verified first. Hashing 25 MB takes a tenth of a
//! second. Therefore the record also has the file's metadata from the last verification, and a file with the same
//! metadata is not hashed again.
//!
//! A marker is written before the library is loaded and removed afterwards, whether loading succeeded or failed. Only
//! the death of the process leaves it behind. It is locked meanwhile, so that a process that is still loading is not
//! mistaken for a dead one.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::error::RuntimeError;
use crate::files::sha256_of;
use crate::files::{read_text, write_whole};

/// The name of the record, next to the library.
const RECORD: &str = "recall-runtime.json";

/// The version of the record's format.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: u32,
    /// The SHA-256 of the library in hexadecimal.
    sha256: String,
    /// The metadata of the file when it was last verified.
    seen: FileStamp,
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileStamp {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    /// The time of the last change to content or attributes (`ctime`), which cannot be set; 0 on systems without it.
    changed: u64,
    inode: u64,
}

/// How a library is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// It is hashed unless its metadata is that of the last verification.
    Cached,
    /// It is hashed.
    Full,
}

/// Whether a library has a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    /// It has one and matches it.
    Yes,
    /// It has none.
    No,
}

/// The last refused library, so that it is not hashed again at each request.
static REFUSED: Mutex<Option<(PathBuf, FileStamp, RuntimeError)>> = Mutex::new(None);

impl FileStamp {
    /// Reads the metadata of a file.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        #[cfg(unix)]
        let (changed, inode) = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.ctime() as u64 * 1_000_000_000 + metadata.ctime_nsec() as u64, metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, inode) = (0, 0);
        Ok(Self { bytes: metadata.len(), modified, changed, inode })
    }
}

/// Records a library that is known to be correct.
pub(super) fn write(library: &Path) -> io::Result<()> {
    // Read the metadata before hashing, so that a concurrent write changes it.
    let seen = FileStamp::read(library)?;
    let (sha256, _) = sha256_of(library)?;
    put(library, &Record { version: VERSION, sha256, seen })
}

/// Verifies that a library is the recorded one.
///
/// # Errors
/// The library differs, or it or its record cannot be read.
pub(super) fn verify(library: &Path, check: Check) -> Result<Recorded, RuntimeError> {
    let path = path_of(library);
    let unverified = |path: &Path, reason: String| RuntimeError::Unverified { path: path.to_owned(), reason };
    let text = match read_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Recorded::No),
        Err(error) => return Err(unverified(&path, error.to_string())),
    };
    let record: Record = serde_json::from_str(&text).map_err(|error| unverified(&path, error.to_string()))?;
    if record.version != VERSION {
        return Err(unverified(&path, format!("unsupported version {}, expected {VERSION}", record.version)));
    }
    let seen = FileStamp::read(library).map_err(|error| unverified(library, error.to_string()))?;
    if check == Check::Cached {
        if seen == record.seen {
            return Ok(Recorded::Yes);
        }
        if let Some((_, _, error)) =
            REFUSED.lock().as_ref().filter(|(path, looks, _)| path == library && *looks == seen)
        {
            return Err(error.clone());
        }
    }
    let (found, _) = sha256_of(library).map_err(|error| unverified(library, error.to_string()))?;
    if found != record.sha256 {
        let error = RuntimeError::Damaged { path: library.to_owned(), expected: record.sha256, found };
        *REFUSED.lock() = Some((library.to_owned(), seen, error.clone()));
        return Err(error);
    }
    if seen != record.seen
        && let Err(error) = put(library, &Record { seen, ..record })
    {
        tracing::warn!(path = %path.display(), %error, "the verification was not recorded; the library will be hashed again at the next start");
    }
    Ok(Recorded::Yes)
}

fn put(library: &Path, record: &Record) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(record).expect("a record has only strings and numbers");
    write_whole(&path_of(library), &text)
}

fn path_of(library: &Path) -> PathBuf {
    library.with_file_name(RECORD)
}

/// The prefix of a marker's name, which is followed by the process id.
const MARKER: &str = "loading-";

/// The content of a marker: the library and its metadata.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    library: PathBuf,
    looks: FileStamp,
}

/// An attempt to load a library. Dropping it removes the marker.
#[derive(Debug)]
pub(super) struct Attempt {
    path: PathBuf,
    _locked: File,
}

impl Attempt {
    /// Records that a library is about to be loaded.
    pub(super) fn begin(folder: &Path, library: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let marker = Marker { library: library.to_owned(), looks: FileStamp::read(library)? };
        let path = folder.join(format!("{MARKER}{}", std::process::id()));
        let mut file = File::options().create(true).truncate(true).write(true).open(&path)?;
        file.lock()?;
        file.write_all(&serde_json::to_vec(&marker).map_err(io::Error::other)?)?;
        Ok(Self { path, _locked: file })
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a marker was not removed; the next start will take the library for one that crashes");
        }
    }
}

/// Returns whether a process died while it loaded this library in its present form. If the library was replaced since,
/// the marker is removed, because the new one has not been tried.
pub(super) fn crashed_a_process(folder: &Path, library: &Path) -> bool {
    let Ok(looks) = FileStamp::read(library) else { return false };
    let mut has_crashed = false;
    for path in left_behind(folder) {
        let marker = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Marker>(&text).ok());
        match marker {
            Some(marker) if marker.library == library && marker.looks != looks => drop(fs::remove_file(&path)),
            Some(marker) => has_crashed |= marker.library == library,
            // The marker was truncated by the death of the process. It may be that of this library.
            None => has_crashed = true,
        }
    }
    has_crashed
}

/// Removes the markers of dead processes.
pub(super) fn forget_attempts(folder: &Path) -> io::Result<()> {
    left_behind(folder).into_iter().try_for_each(fs::remove_file)
}

/// Returns the markers that no living process holds.
fn left_behind(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_marker = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(MARKER.as_bytes())) && path.is_file()
    };
    let is_left = |path: &PathBuf| match File::open(path).map(|file| file.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => false,
    };
    entries.flatten().map(|entry| entry.path()).filter(|path| is_marker(path) && is_left(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_differs_from_its_record_is_refused() {
        let place = tempfile::tempdir().expect("a folder");
        let library = place.path().join("lib.so");
        fs::write(&library, b"as it was installed").expect("written");
        assert_eq!(verify(&library, Check::Cached), Ok(Recorded::No));
        write(&library).expect("recorded");
        assert_eq!(verify(&library, Check::Cached), Ok(Recorded::Yes));
        let modified = fs::metadata(&library).and_then(|known| known.modified()).expect("a time");
        fs::write(&library, b"as it was damaged  ").expect("written");
        fs::File::options().write(true).open(&library).expect("there").set_modified(modified).expect("set");
        for check in [Check::Cached, Check::Cached, Check::Full] {
            let damaged = |found| matches!(found, Err(RuntimeError::Damaged { .. }));
            assert!(damaged(verify(&library, check)), "{check:?}");
        }
        fs::write(&library, b"as it was installed").expect("written");
        assert_eq!(verify(&library, Check::Cached), Ok(Recorded::Yes), "the same bytes written again");
        assert_eq!(verify(&library, Check::Full), Ok(Recorded::Yes));
    }

    #[test]
    fn an_unreadable_record_verifies_nothing() {
        let place = tempfile::tempdir().expect("a folder");
        let library = place.path().join("lib.so");
        fs::write(&library, b"x").expect("written");
        write(&library).expect("recorded");
        for text in [
            "",
            "{}",
            "{\"version\":2,\"sha256\":\"\",\"seen\":{\"bytes\":1,\"modified\":1,\"changed\":1,\"inode\":1}}",
        ] {
            fs::write(path_of(&library), text).expect("written");
            assert!(matches!(verify(&library, Check::Cached), Err(RuntimeError::Unverified { .. })), "{text}");
        }
    }

    #[test]
    fn only_a_process_that_dies_leaves_a_marker() {
        let place = tempfile::tempdir().expect("a folder");
        let (folder, library) = (place.path().join("runtimes"), place.path().join("lib.so"));
        fs::write(&library, b"x").expect("written");
        assert!(!crashed_a_process(&folder, &library), "the folder does not exist");
        let attempt = Attempt::begin(&folder, &library).expect("marked");
        assert!(!crashed_a_process(&folder, &library), "it is still being loaded");
        let text = fs::read(&attempt.path).expect("there");
        drop(attempt);
        assert!(!crashed_a_process(&folder, &library), "it was loaded");

        let left = folder.join("loading-1");
        fs::write(&left, &text).expect("written");
        let other = place.path().join("other.so");
        fs::write(&other, b"x").expect("written");
        assert!(crashed_a_process(&folder, &library) && !crashed_a_process(&folder, &other));
        forget_attempts(&folder).expect("removed");
        assert!(!crashed_a_process(&folder, &library));

        fs::write(&left, &text).expect("written");
        fs::write(&library, b"a repaired one").expect("written");
        assert!(!crashed_a_process(&folder, &library) && !left.exists(), "the new library has not been tried");
        fs::write(&left, &text[..4]).expect("written");
        assert!(crashed_a_process(&folder, &library), "a truncated marker may be of any library");
    }
}
