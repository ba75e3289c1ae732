//! Small files, read whole and written atomically, and checksums of files of any size.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha1::Sha1;
use sha2::{Digest as _, Sha256};

/// Reads a regular file. Anything else is refused, such as a pipe, which would block.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    fs::read_to_string(path)
}

/// Writes a file atomically.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The expected checksum of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digest {
    /// The SHA-256 of its bytes.
    Sha256([u8; 32]),
    /// The git blob id of its bytes. Model hubs publish it for the smaller files of a model.
    GitBlob([u8; 20]),
}

impl Digest {
    /// Parses 64 hexadecimal digits.
    pub(crate) fn sha256(digits: &str) -> Option<Self> {
        bytes(digits).map(Self::Sha256)
    }

    /// Parses 40 hexadecimal digits.
    pub(crate) fn git_blob(digits: &str) -> Option<Self> {
        bytes(digits).map(Self::GitBlob)
    }

    /// Computes the file's checksum of the same kind. Returns both in hexadecimal.
    pub(crate) fn compare(&self, path: &Path) -> io::Result<Comparison> {
        let (expected, found) = match self {
            Self::Sha256(expected) => (hex(expected), sha256_of(path)?.0),
            Self::GitBlob(expected) => (hex(expected), git_blob_of(path)?),
        };
        Ok(Comparison { expected, found })
    }
}

/// The expected and the actual checksum of a file, in hexadecimal.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// Returns the SHA-256 of a file in hexadecimal, and its size in bytes.
pub(crate) fn sha256_of(path: &Path) -> io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let bytes = feed(path, |part| hasher.update(part))?;
    Ok((hex(&hasher.finalize()), bytes))
}

fn git_blob_of(path: &Path) -> io::Result<String> {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", path.metadata()?.len()));
    feed(path, |part| hasher.update(part))?;
    Ok(hex(&hasher.finalize()))
}

fn feed(path: &Path, mut to: impl FnMut(&[u8])) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(bytes),
            read => {
                to(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
        digits
    })
}

fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digits = digits.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_equal_those_of_sha256sum_and_git() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "hello\n").unwrap();
        for digest in [
            Digest::sha256("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"),
            Digest::git_blob("ce013625030ba8dba906f756967f9e9ca394464a"),
        ] {
            let Comparison { expected, found } = digest.unwrap().compare(file.path()).unwrap();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn invalid_digests_are_rejected() {
        for digits in ["", "5891", &"g".repeat(64), &"é".repeat(32), &"+f".repeat(32)] {
            assert_eq!(Digest::sha256(digits), None, "{digits}");
        }
    }
}
