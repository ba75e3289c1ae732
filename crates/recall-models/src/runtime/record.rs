//! The checksum of the runtime's library as it was installed.
//!
//! A damaged library ends the process that loads it, so its bytes are verified before that. To hash 25 MB takes a tenth of a
//! second. Therefore the record also holds what the file looked like when its bytes were last verified, and a file that looks
//! the same is not read again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::RuntimeError;
use crate::fetch::sha256_of;
use crate::folder::{read_text, write_whole};

/// The file next to the library.
const RECORD: &str = "recall-runtime.json";

/// The version of the record's form.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: u32,
    /// The SHA-256 of the library's bytes in hexadecimal digits.
    sha256: String,
    /// What the file looked like when its bytes were last verified.
    seen: Looks,
}

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Looks {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    /// When its bytes or attributes were last changed, which nobody can set; 0 on systems that do not keep that.
    changed: u64,
    inode: u64,
}

/// How carefully a library is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Its bytes are hashed unless it looks as it did when they were.
    Usual,
    /// Its bytes are hashed.
    Whole,
}

/// Whether there is a record of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    /// There is, and the library is what was recorded.
    Yes,
    /// There is none.
    No,
}

/// The last library that was refused, so that its bytes are not hashed again at each request.
static REFUSED: Mutex<Option<(PathBuf, Looks, RuntimeError)>> = Mutex::new(None);

impl Looks {
    /// Looks at a file.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
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

/// Records a library that is known to be what it should be.
pub(super) fn write(library: &Path) -> io::Result<()> {
    // Looked at first: what is written to it meanwhile makes it look otherwise.
    let seen = Looks::of(library)?;
    let (sha256, _) = sha256_of(library)?;
    put(library, &Record { version: VERSION, sha256, seen })
}

/// Verifies that a library is the one that was recorded.
///
/// # Errors
/// It is another one, or its record or bytes cannot be read.
pub(super) fn verify(library: &Path, care: Care) -> Result<Recorded, RuntimeError> {
    let path = path_of(library);
    let unverified = |path: &Path, reason: String| RuntimeError::Unverified { path: path.to_owned(), reason };
    let text = match read_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Recorded::No),
        Err(error) => return Err(unverified(&path, error.to_string())),
    };
    let record: Record = serde_json::from_str(&text).map_err(|error| unverified(&path, error.to_string()))?;
    if record.version != VERSION {
        return Err(unverified(&path, format!("its version is {}, not {VERSION}", record.version)));
    }
    let seen = Looks::of(library).map_err(|error| unverified(library, error.to_string()))?;
    if care == Care::Usual {
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
        tracing::warn!(path = %path.display(), %error, "the library is hashed again at the next start");
    }
    Ok(Recorded::Yes)
}

fn put(library: &Path, record: &Record) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(record).expect("a record holds texts and numbers");
    write_whole(&path_of(library), &text)
}

fn path_of(library: &Path) -> PathBuf {
    library.with_file_name(RECORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_the_one_that_was_recorded_or_refused() {
        let place = tempfile::tempdir().expect("a folder");
        let library = place.path().join("lib.so");
        fs::write(&library, b"as it was installed").expect("written");
        assert_eq!(verify(&library, Care::Usual), Ok(Recorded::No));
        write(&library).expect("recorded");
        assert_eq!(verify(&library, Care::Usual), Ok(Recorded::Yes));
        let modified = fs::metadata(&library).and_then(|known| known.modified()).expect("a time");
        fs::write(&library, b"as it was damaged  ").expect("written");
        fs::File::options().write(true).open(&library).expect("there").set_modified(modified).expect("set");
        for care in [Care::Usual, Care::Usual, Care::Whole] {
            let damaged = |found| matches!(found, Err(RuntimeError::Damaged { .. }));
            assert!(damaged(verify(&library, care)), "{care:?}");
        }
        fs::write(&library, b"as it was installed").expect("written");
        assert_eq!(verify(&library, Care::Usual), Ok(Recorded::Yes), "the same bytes written again");
        assert_eq!(verify(&library, Care::Whole), Ok(Recorded::Yes));
    }

    #[test]
    fn a_record_that_cannot_be_read_verifies_nothing() {
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
            assert!(matches!(verify(&library, Care::Usual), Err(RuntimeError::Unverified { .. })), "{text}");
        }
    }
}
