//! How does the ONNX runtime come onto this machine?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::package::PACKAGE_INDEX;
use super::record::{self, Care, Recorded};
use super::wheel::{self, WheelError};
use super::{Runtime, RuntimeError, RuntimePackage};
use crate::fetch::{Comparison, Digest, Download, FetchError, Fetcher, Lock, Watch, link_to};

/// Brings the runtime's library into a folder and tells its path.
///
/// Looks the package up in an index of Python packages (`mirror`, or the public one), downloads it with resume, verifies
/// its SHA-256 against the pinned one, and takes the one library out of it. The library appears whole or not at all; if
/// it is already there and is not damaged, nothing is fetched. What was downloaded of a broken attempt is kept beside and used by the next.
///
/// # Errors
/// See [`InstallError`].
///
/// # Panics
/// The package's checksum is no SHA-256; those that there are, are.
pub fn install_runtime(
    fetcher: &Fetcher,
    package: &RuntimePackage,
    mirror: Option<&str>,
    folder: &Path,
    watch: &mut Watch<'_>,
) -> Result<PathBuf, InstallError> {
    let library = package.library_in(folder);
    if library.is_file() && record::verify(&library, Care::Whole).is_ok() {
        return Ok(library);
    }
    let target = package.folder_in(folder);
    let unwritable = |source| InstallError::Unwritable { path: target.clone(), source };
    fs::create_dir_all(&target).map_err(unwritable)?;
    let _lock = Lock::take(&target.join("install.lock")).map_err(unwritable)?.ok_or(InstallError::Busy)?;

    let index = format!("{}/{}/", mirror.unwrap_or(PACKAGE_INDEX).trim_end_matches('/'), package.project);
    let page = fetcher.text(&index)?;
    let url = link_to(&page, &index, package.file)
        .ok_or_else(|| InstallError::NotInIndex { index, file: package.file.to_owned() })?;
    let archive = target.join(package.file);
    let digest = Digest::sha256(package.sha256).expect("a test reads the pinned checksums");
    fetcher.download(&Download { url: &url, to: &archive, bytes: None, digest: Some(digest) }, watch)?;

    unpack(&archive, package, folder)?;
    fs::remove_file(&archive).map_err(unwritable)?;
    Ok(library)
}

/// Brings the runtime's library into a folder out of a package that is at hand, and tells its path.
///
/// The package must be the pinned one, by its SHA-256. It stays where it is.
///
/// # Errors
/// See [`InstallError`]; nothing is left behind.
///
/// # Panics
/// As [`install_runtime`].
pub fn install_runtime_from(archive: &Path, package: &RuntimePackage, folder: &Path) -> Result<PathBuf, InstallError> {
    let digest = Digest::sha256(package.sha256).expect("a test reads the pinned checksums");
    let unreadable = |source| InstallError::Unreadable { path: archive.to_owned(), source };
    let Comparison { expected, found } = digest.compare(archive).map_err(unreadable)?;
    if expected != found {
        return Err(InstallError::OtherPackage { path: archive.to_owned(), file: package.file, expected, found });
    }
    let target = package.folder_in(folder);
    let unwritable = |source| InstallError::Unwritable { path: target.clone(), source };
    fs::create_dir_all(&target).map_err(unwritable)?;
    let _lock = Lock::take(&target.join("install.lock")).map_err(unwritable)?.ok_or(InstallError::Busy)?;
    let library = package.library_in(folder);
    if !library.is_file() || record::verify(&library, Care::Whole) != Ok(Recorded::Yes) {
        unpack(archive, package, folder)?;
    }
    Ok(library)
}

/// Takes the library out of a package that was verified. It appears whole or not at all.
fn unpack(archive: &Path, package: &RuntimePackage, folder: &Path) -> Result<(), InstallError> {
    let target = package.folder_in(folder);
    let unwritable = |source| InstallError::Unwritable { path: target.clone(), source };
    let mut unpacked = tempfile::NamedTempFile::new_in(&target).map_err(unwritable)?;
    wheel::extract(archive, package.member, unpacked.as_file_mut()).map_err(|source| InstallError::BadPackage {
        path: archive.to_owned(),
        member: package.member.to_owned(),
        source,
    })?;
    unpacked.as_file().sync_all().map_err(unwritable)?;
    let library = package.library_in(folder);
    unpacked.persist(&library).map_err(|error| unwritable(error.error))?;
    record::write(&library).map_err(unwritable)
}

/// The runtime was not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no package for this platform.
    #[error("there is no package of the ONNX runtime for {system} on {processor}")]
    NoPackage {
        /// The operating system.
        system: &'static str,
        /// The processor.
        processor: &'static str,
    },
    /// Another process is installing it.
    #[error("the ONNX runtime is being installed")]
    Busy,
    /// The index does not list the package.
    #[error("{index} does not list {file}")]
    NotInIndex {
        /// The page that was read.
        index: String,
        /// The file that was looked for.
        file: String,
    },
    /// It cannot be fetched.
    #[error("the package of the ONNX runtime cannot be fetched")]
    Fetch(#[from] FetchError),
    /// The package at hand cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The package.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
    /// The package at hand is not the one that is known.
    #[error("{} is not {file}: its checksum is {found}, not {expected}", path.display())]
    OtherPackage {
        /// The package at hand.
        path: PathBuf,
        /// The one that it should be.
        file: &'static str,
        /// The checksum that it should have.
        expected: String,
        /// The one that it has.
        found: String,
    },
    /// The package lacks the library, though it is the one that was expected.
    #[error("{member} cannot be taken out of {}", path.display())]
    BadPackage {
        /// The package.
        path: PathBuf,
        /// The library in it.
        member: String,
        /// What was said.
        source: WheelError,
    },
    /// The folder cannot be written.
    #[error("{} cannot be written", path.display())]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
    /// It was installed and cannot be loaded.
    #[error("what was installed cannot be used")]
    Unusable(#[from] RuntimeError),
}

impl RuntimePackage {
    /// Installs the package of this platform and loads the runtime from it.
    ///
    /// # Errors
    /// See [`InstallError`].
    pub fn install_and_open(
        fetcher: &Fetcher,
        mirror: Option<&str>,
        folder: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Runtime, InstallError> {
        let package = Self::of_this_platform()
            .ok_or(InstallError::NoPackage { system: std::env::consts::OS, processor: std::env::consts::ARCH })?;
        Ok(Runtime::open(&install_runtime(fetcher, &package, mirror, folder, watch)?)?)
    }
}
