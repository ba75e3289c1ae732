//! Finding, verifying, loading and installing ONNX Runtime, and its package for each platform.
//!
//! The library is loaded at run time, so that the daemon starts without it (ADR 9). It is foreign code in the daemon's process: an
//! installed one is verified by its checksum, and one that killed a process while it was loaded is not loaded again until somebody
//! asks for it. A process has one runtime, because the library keeps its state in globals. Begin with `record`.

mod error;
mod record;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use ort::LoadDynamicError;
use ort::environment::Environment;
use ort::logging::LogLevel;
use parking_lot::Mutex;
use zip::ZipArchive;

use crate::fetch::{Download, Fetcher, Lock, Watch, link_to};
use crate::files::{Comparison, Digest};

use error::{OLDEST_MINOR, WheelError};
use record::{Attempt, Check, Recorded};

pub use error::{InstallError, RuntimeError};

/// The runtime of this process. There can only be one, since the library keeps its state in globals.
static OPEN: Mutex<Option<Runtime>> = Mutex::new(None);

/// ONNX Runtime, loaded into this process.
#[derive(Clone)]
pub struct Runtime {
    environment: Environment,
    library: Arc<Path>,
    minor: u32,
}

/// Held while a library is verified and loaded.
static LOADING: Mutex<()> = Mutex::new(());

impl Runtime {
    /// Loads the runtime from its library, or returns the runtime already loaded from it.
    ///
    /// The library's telemetry is turned off, and its log goes to this program's log.
    ///
    /// # Errors
    /// See [`RuntimeError`].
    pub fn open(library: &Path) -> Result<Self, RuntimeError> {
        let mut open = OPEN.lock();
        if let Some(runtime) = &*open {
            return if *runtime.library == *library {
                Ok(runtime.clone())
            } else {
                Err(RuntimeError::AnotherIsOpen { open: runtime.library.to_path_buf(), asked: library.to_owned() })
            };
        }
        if !library.is_file() {
            return Err(RuntimeError::Missing { path: library.to_owned() });
        }
        let unusable = |reason| RuntimeError::Unusable { path: library.to_owned(), reason };
        let builder = ort::init_from(library).map_err(|error| match error {
            LoadDynamicError::BadVersion { version_str, path } => RuntimeError::TooOld { path, found: version_str },
            other => unusable(other.to_string()),
        })?;
        let environment = builder.with_name("recall").with_telemetry(false).with_logger(Arc::new(log)).build();
        let environment = environment.map_err(|error| unusable(error.to_string()))?;
        let minor = ort::util::probe(library).unwrap_or(OLDEST_MINOR);
        tracing::info!(library = %library.display(), version = format!("1.{minor}"), "loaded the ONNX runtime");
        let runtime = Self { environment, library: library.into(), minor };
        *open = Some(runtime.clone());
        Ok(runtime)
    }

    /// Loads the runtime from its library, unless that is likely to crash this process.
    ///
    /// An installed library is verified first. If a process died while it loaded a library, the library is not loaded
    /// again until [`forget_failed_loads`] is called or the library is replaced. `folder` is the folder of runtimes,
    /// where this is recorded.
    ///
    /// # Errors
    /// See [`RuntimeError`].
    pub fn open_guarded(library: &Path, folder: &Path) -> Result<Self, RuntimeError> {
        let _loading = LOADING.lock();
        let is_open = OPEN.lock().is_some();
        if is_open || !library.is_file() {
            return Self::open(library);
        }
        let has_crashed = record::crashed_a_process(folder, library);
        // Only installed libraries have a record. A library named in the settings is the user's own responsibility.
        let recorded = match library.starts_with(folder) {
            true if has_crashed => record::verify(library, Check::Full)?,
            true => record::verify(library, Check::Cached)?,
            false => Recorded::Yes,
        };
        if has_crashed {
            return Err(RuntimeError::Crashed { path: library.to_owned() });
        }
        let attempt = Attempt::begin(folder, library)
            .map_err(|error| RuntimeError::Unmarked { folder: folder.to_owned(), reason: error.to_string() })?;
        let opened = Self::open(library)?;
        drop(attempt);
        if recorded == Recorded::No
            && let Err(error) = record::write(library)
        {
            tracing::warn!(library = %library.display(), %error, "the checksum of the ONNX runtime was not recorded");
        }
        Ok(opened)
    }

    /// Returns the path of the loaded library.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Returns the version, such as `1.31`.
    pub fn version(&self) -> String {
        format!("1.{}", self.minor)
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("library", &self.library).field("minor", &self.minor).finish_non_exhaustive()
    }
}

/// Allows loading libraries again that may have crashed a process.
///
/// # Errors
/// The folder of runtimes cannot be written.
pub fn forget_failed_loads(folder: &Path) -> Result<(), InstallError> {
    record::forget_attempts(folder).map_err(|source| InstallError::Unwritable { path: folder.to_owned(), source })
}

/// Returns the path of the runtime's library.
///
/// A configured path is returned even if nothing is there; then [`Runtime::open`] fails. Without one, it is the library
/// that [`install_runtime`] installed in `folder`.
///
/// # Errors
/// [`RuntimeError::NotInstalled`] if no path is configured and no runtime is installed.
pub fn find_runtime(configured: Option<&Path>, folder: &Path) -> Result<PathBuf, RuntimeError> {
    if let Some(path) = configured {
        return Ok(path.to_owned());
    }
    let installed = RuntimePackage::for_this_platform().map(|package| package.library_in(folder));
    installed
        .filter(|library| library.is_file())
        .ok_or_else(|| RuntimeError::NotInstalled { folder: folder.to_owned() })
}

/// Forwards the runtime's log.
fn log(level: LogLevel, category: &str, _id: &str, _place: &str, message: &str) {
    match level {
        LogLevel::Fatal | LogLevel::Error => tracing::error!(category, "{message}"),
        LogLevel::Warning => tracing::warn!(category, "{message}"),
        LogLevel::Info => tracing::debug!(category, "{message}"),
        LogLevel::Verbose => tracing::trace!(category, "{message}"),
    }
}

/// The default index of Python packages (PEP 503).
pub(crate) const PACKAGE_INDEX: &str = "https://pypi.org/simple";

/// A version of the runtime, as a package of its publishers.
///
/// They publish the library for every platform as part of a Python package: an archive from which a single file is
/// extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimePackage {
    /// The name of the project in the index.
    pub project: &'static str,
    /// The version of the runtime.
    pub version: &'static str,
    /// The file name of the archive.
    pub file: &'static str,
    /// The SHA-256 of the archive, in hexadecimal.
    pub sha256: &'static str,
    /// The path of the library in the archive.
    pub member: &'static str,
    /// The file name of the library once installed.
    pub library: &'static str,
}

/// Pinned, since the content of other versions was not checked. There is none for macOS on Intel: its last version is
/// too old.
const VERSION: &str = "1.31.1";

macro_rules! package {
    ($platform:literal, $sha256:literal, $member:literal, $library:literal) => {
        RuntimePackage {
            project: "onnxruntime",
            version: VERSION,
            file: concat!("onnxruntime-1.31.1-cp312-cp312-", $platform, ".whl"),
            sha256: $sha256,
            member: concat!("onnxruntime/capi/", $member),
            library: $library,
        }
    };
}

impl RuntimePackage {
    /// Returns the package for the platform of this program, if there is one.
    pub fn for_this_platform() -> Option<Self> {
        Self::for_platform(std::env::consts::OS, std::env::consts::ARCH)
    }

    /// Returns the package for an operating system and a processor, by Rust's names.
    pub fn for_platform(system: &str, processor: &str) -> Option<Self> {
        let package = match (system, processor) {
            ("linux", "x86_64") => package!(
                "manylinux_2_28_x86_64",
                "1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536",
                "libonnxruntime.so.1.31.1",
                "libonnxruntime.so"
            ),
            ("linux", "aarch64") => package!(
                "manylinux_2_28_aarch64",
                "0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc",
                "libonnxruntime.so.1.31.1",
                "libonnxruntime.so"
            ),
            ("macos", "aarch64") => package!(
                "macosx_14_0_arm64",
                "96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c",
                "libonnxruntime.1.31.1.dylib",
                "libonnxruntime.dylib"
            ),
            ("windows", "x86_64") => package!(
                "win_amd64",
                "ae8a9a351efda685cc59a66226cdefaa37a126c1d66872ca23a2de9425326130",
                "onnxruntime.dll",
                "onnxruntime.dll"
            ),
            ("windows", "aarch64") => package!(
                "win_arm64",
                "fe8b9ac1ae8e894e12c47ee82e4f6dfc1835768133687257866469fda80d0bf1",
                "onnxruntime.dll",
                "onnxruntime.dll"
            ),
            _ => return None,
        };
        Some(package)
    }

    /// Returns the path at which the library is or would be installed in a folder of runtimes. Each version has its own
    /// subfolder, so that one can be installed while another is in use.
    pub fn library_in(&self, folder: &Path) -> PathBuf {
        self.folder_in(folder).join(self.library)
    }

    fn folder_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}", self.project, self.version))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Digest;

    #[test]
    fn every_package_has_the_pinned_version() {
        for (system, processor) in [
            ("linux", "x86_64"),
            ("linux", "aarch64"),
            ("macos", "aarch64"),
            ("windows", "x86_64"),
            ("windows", "aarch64"),
        ] {
            let package = RuntimePackage::for_platform(system, processor).expect("there is one");
            assert!(package.file.starts_with(&format!("onnxruntime-{VERSION}-")), "{package:?}");
            assert!(Digest::sha256(package.sha256).is_some(), "{package:?}");
            assert!(package.member.contains(VERSION) || system == "windows", "{package:?}");
        }
        assert_eq!(RuntimePackage::for_platform("macos", "x86_64"), None);
    }
}
