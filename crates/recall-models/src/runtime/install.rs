//! Installation of ONNX Runtime.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

use zip::ZipArchive;

use super::error::WheelError;
use super::record::{self, Check, Recorded};
use super::{InstallError, PACKAGE_INDEX, Runtime, RuntimePackage};
use crate::fetch::{Download, Fetcher, Lock, Watch, link_to};
use crate::files::{Comparison, Digest};

/// Installs the runtime's library in a folder and returns its path.
///
/// The package is looked up in a Python package index (`mirror`, or the default one), downloaded with resume, and
/// verified against its pinned SHA-256; then the library is extracted from it. The library appears atomically. If it is
/// already there and undamaged, nothing is downloaded. The partial download of an interrupted attempt is resumed by the
/// next one.
///
/// # Errors
/// See [`InstallError`].
///
/// # Panics
/// The package's checksum is not a SHA-256. A test checks the pinned ones.
pub fn install_runtime(
    fetcher: &Fetcher,
    package: &RuntimePackage,
    mirror: Option<&str>,
    folder: &Path,
    watch: &mut Watch<'_>,
) -> Result<PathBuf, InstallError> {
    let library = package.library_in(folder);
    if library.is_file() && record::verify(&library, Check::Full).is_ok() {
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
    let digest = Digest::sha256(package.sha256).expect("a test checks the pinned checksums");
    fetcher.download(&Download { url: &url, to: &archive, bytes: None, digest: Some(digest) }, watch)?;

    unpack(&archive, package, folder)?;
    fs::remove_file(&archive).map_err(unwritable)?;
    Ok(library)
}

/// Installs the runtime's library from a local package and returns its path.
///
/// The package must have the pinned SHA-256. It is not moved or deleted.
///
/// # Errors
/// See [`InstallError`]. Nothing is left behind.
///
/// # Panics
/// As for [`install_runtime`].
pub fn install_runtime_from(archive: &Path, package: &RuntimePackage, folder: &Path) -> Result<PathBuf, InstallError> {
    let digest = Digest::sha256(package.sha256).expect("a test checks the pinned checksums");
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
    if !library.is_file() || record::verify(&library, Check::Full) != Ok(Recorded::Yes) {
        unpack(archive, package, folder)?;
    }
    Ok(library)
}

/// Extracts the library from a verified package. It appears atomically.
fn unpack(archive: &Path, package: &RuntimePackage, folder: &Path) -> Result<(), InstallError> {
    let target = package.folder_in(folder);
    let unwritable = |source| InstallError::Unwritable { path: target.clone(), source };
    let mut unpacked = tempfile::NamedTempFile::new_in(&target).map_err(unwritable)?;
    extract(archive, package.member, unpacked.as_file_mut()).map_err(|source| InstallError::BadPackage {
        path: archive.to_owned(),
        member: package.member.to_owned(),
        source,
    })?;
    unpacked.as_file().sync_all().map_err(unwritable)?;
    let library = package.library_in(folder);
    unpacked.persist(&library).map_err(|error| unwritable(error.error))?;
    record::write(&library).map_err(unwritable)
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
        let package = Self::for_this_platform()
            .ok_or(InstallError::NoPackage { system: std::env::consts::OS, processor: std::env::consts::ARCH })?;
        Ok(Runtime::open(&install_runtime(fetcher, &package, mirror, folder, watch)?)?)
    }
}

/// The size limit of an extracted library. That for the CPU has 30 MB, those for GPUs some hundred.
const MOST_BYTES: u64 = 2 << 30;

/// Extracts one member of a zip archive to an open file, and verifies the archive's checksum of the member.
fn extract(archive: &Path, member: &str, to: &mut File) -> Result<(), WheelError> {
    let mut archive = ZipArchive::new(File::open(archive)?)?;
    let mut member = archive.by_name(member)?;
    if member.size() > MOST_BYTES {
        return Err(WheelError::TooLarge { bytes: member.size() });
    }
    io::copy(&mut io::Read::take(&mut member, MOST_BYTES), to)?;
    Ok(())
}
