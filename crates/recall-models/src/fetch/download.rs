//! Resumable downloads, and lock files that keep two processes from downloading the same file.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::http::ureq::http::{Response, StatusCode};

use super::{FetchError, Fetcher, Progress, Watch};
use crate::files::Digest;

/// The number of bytes between progress reports: about ten a second over a fast connection.
const PROGRESS_BYTES: u64 = 1 << 20;

/// A file to download.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Download<'a> {
    /// The source.
    pub(crate) url: &'a str,
    /// The target.
    pub(crate) to: &'a Path,
    /// The size in bytes, if known.
    pub(crate) bytes: Option<u64>,
    /// The checksum, if known.
    pub(crate) digest: Option<Digest>,
}

impl Fetcher {
    /// Downloads a file.
    ///
    /// The file is written under a temporary name next to its target and renamed once it is complete and its checksum
    /// is correct. A partial file of an earlier attempt is resumed if the server supports it. If the target already
    /// exists, nothing is downloaded.
    pub(crate) fn download(&self, download: &Download<'_>, watch: &mut Watch<'_>) -> Result<(), FetchError> {
        if download.to.is_file() {
            return Ok(());
        }
        let part = partial_path(download.to);
        let resumed = bytes_of(&part) > 0;
        let result = self.download_verified(download, &part, watch);
        // The partial file may belong to a version of the file that has changed since.
        let result = match result {
            Err(FetchError::WrongChecksum { .. }) if resumed => self.download_verified(download, &part, watch),
            result => result,
        };
        result?;
        fs::rename(&part, download.to).map_err(|source| unwritable(download.to, source))
    }

    fn download_verified(&self, download: &Download<'_>, part: &Path, watch: &mut Watch<'_>) -> Result<(), FetchError> {
        self.with_retries(|| self.resume(download, part, watch))?;
        let Some(digest) = download.digest else { return Ok(()) };
        let comparison = digest.compare(part).map_err(|source| unwritable(part, source))?;
        if comparison.expected == comparison.found {
            return Ok(());
        }
        fs::remove_file(part).map_err(|source| unwritable(part, source))?;
        let url = download.url.to_owned();
        Err(FetchError::WrongChecksum { url, expected: comparison.expected, found: comparison.found })
    }

    /// Requests the missing part of the file and writes it.
    fn resume(&self, download: &Download<'_>, part: &Path, watch: &mut Watch<'_>) -> Result<(), FetchError> {
        let url = download.url;
        let here = bytes_of(part);
        if here > 0 && download.bytes == Some(here) {
            return Ok(());
        }
        let mut request = self.agent.get(url);
        if here > 0 {
            request = request.header("range", format!("bytes={here}-"));
        }
        let response = request.call().map_err(|source| FetchError::failure(url, source))?;
        let status = response.status();
        let begin = match status {
            StatusCode::OK => 0,
            StatusCode::PARTIAL_CONTENT if first_byte(&response) == Some(here) => here,
            // The partial file is complete or too long. The checksum decides.
            StatusCode::RANGE_NOT_SATISFIABLE if here > 0 && download.digest.is_some() => return Ok(()),
            _ => return Err(FetchError::Refused { url: url.to_owned(), status: status.as_u16() }),
        };
        let length = header(&response, "content-length").and_then(|bytes| bytes.parse::<u64>().ok());
        let total = length.map(|length| begin + length).or(download.bytes);
        let file = if begin > 0 { OpenOptions::new().append(true).open(part) } else { File::create(part) };
        let mut file = file.map_err(|source| unwritable(part, source))?;
        let mut body = response.into_body();
        let copying = Copying { url, name: name_of(download.to), part, begin, total };
        let done = copying.copy(&mut body.as_reader(), &mut file, watch)?;
        file.sync_all().map_err(|source| unwritable(part, source))?;
        if total.is_some_and(|total| total != done) {
            return Err(FetchError::Truncated { url: url.to_owned(), done_bytes: done, total_bytes: total });
        }
        Ok(())
    }
}

/// The transfer of a response body to a file.
struct Copying<'a> {
    url: &'a str,
    name: &'a str,
    part: &'a Path,
    begin: u64,
    total: Option<u64>,
}

impl Copying<'_> {
    /// Copies the whole body. Returns the size of the file afterwards.
    fn copy(&self, from: &mut dyn Read, to: &mut File, watch: &mut Watch<'_>) -> Result<u64, FetchError> {
        let mut buffer = vec![0; 1 << 16];
        let (mut done, mut reported) = (self.begin, self.begin);
        self.report(done, watch)?;
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => {
                    let (url, total_bytes) = (self.url.to_owned(), self.total);
                    return Err(FetchError::Truncated { url, done_bytes: done, total_bytes });
                }
            };
            to.write_all(&buffer[..read]).map_err(|source| unwritable(self.part, source))?;
            done += read as u64;
            if done - reported >= PROGRESS_BYTES {
                reported = done;
                self.report(done, watch)?;
            }
        }
        self.report(done, watch)?;
        Ok(done)
    }

    fn report(&self, done_bytes: u64, watch: &mut Watch<'_>) -> Result<(), FetchError> {
        let progress = Progress { file: self.name, done_bytes, total_bytes: self.total };
        match watch(progress) {
            std::ops::ControlFlow::Continue(()) => Ok(()),
            std::ops::ControlFlow::Break(()) => Err(FetchError::Cancelled { url: self.url.to_owned() }),
        }
    }
}

/// Returns the path of the partial file.
fn partial_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".part");
    name.into()
}

fn bytes_of(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Returns the first position in a `Content-Range` header: 5 in `bytes 5-9/10`.
fn first_byte<B>(response: &Response<B>) -> Option<u64> {
    header(response, "content-range")?.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}

fn header<'a, B>(response: &'a Response<B>, name: &str) -> Option<&'a str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

fn unwritable(path: &Path, source: io::Error) -> FetchError {
    FetchError::Unwritable { path: path.to_owned(), source }
}

/// A lock file, held by one process at a time. Dropping it deletes the file.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock. Returns `None` if another process holds it.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = File::create(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A leftover file can be locked again by the next process.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::take(&path).unwrap();
        assert!(held.is_some());
        assert!(Lock::take(&path).unwrap().is_none());
        drop(held);
        assert!(!path.exists());
        assert!(Lock::take(&path).unwrap().is_some());
    }
}
