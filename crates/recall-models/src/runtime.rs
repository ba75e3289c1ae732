//! Where is the ONNX runtime, and is it one that can be used?

mod attempt;
mod install;
mod package;
mod record;
mod wheel;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ort::LoadDynamicError;
use ort::environment::Environment;
use ort::logging::LogLevel;
use parking_lot::Mutex;

use attempt::Attempt;
use record::{Care, Recorded};

pub use install::{InstallError, install_runtime, install_runtime_from};
pub use package::RuntimePackage;

/// The oldest runtime that can be used, as its minor version: the first that tells which provider runs which part.
const OLDEST_MINOR: u32 = ort::MINOR_VERSION;

/// The runtime of this process. There can be one: the library keeps its state in globals.
static OPEN: Mutex<Option<Runtime>> = Mutex::new(None);

/// The ONNX runtime, loaded into this process.
#[derive(Clone)]
pub struct Runtime {
    environment: Environment,
    library: Arc<Path>,
    minor: u32,
}

/// Held while a library is verified and loaded.
static LOADING: Mutex<()> = Mutex::new(());

impl Runtime {
    /// Loads the runtime from its library, or tells the one that is loaded from there.
    ///
    /// Nothing is sent anywhere: the library's telemetry is off. What it logs is logged as this program logs.
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
        tracing::info!(library = %library.display(), version = format!("1.{minor}"), "the ONNX runtime is loaded");
        let runtime = Self { environment, library: library.into(), minor };
        *open = Some(runtime.clone());
        Ok(runtime)
    }

    /// Loads the runtime from its library, unless that would end this process.
    ///
    /// The bytes of a library that was installed are verified first. A library that was being loaded when a process died is not
    /// loaded again until [`forget_failed_loads`] is called or the library is replaced. `folder` is that of the runtimes, where
    /// this is kept.
    ///
    /// # Errors
    /// See [`RuntimeError`].
    pub fn open_guarded(library: &Path, folder: &Path) -> Result<Self, RuntimeError> {
        let _loading = LOADING.lock();
        let is_open = OPEN.lock().is_some();
        if is_open || !library.is_file() {
            return Self::open(library);
        }
        let has_ended_one = attempt::ended_a_process(folder, library);
        // Only what was installed is recorded; a library that the settings name is its owner's.
        let recorded = match library.starts_with(folder) {
            true if has_ended_one => record::verify(library, Care::Whole)?,
            true => record::verify(library, Care::Usual)?,
            false => Recorded::Yes,
        };
        if has_ended_one {
            return Err(RuntimeError::Crashed { path: library.to_owned() });
        }
        let attempt = Attempt::begin(folder, library)
            .map_err(|error| RuntimeError::Unmarked { folder: folder.to_owned(), reason: error.to_string() })?;
        let opened = Self::open(library)?;
        drop(attempt);
        if recorded == Recorded::No
            && let Err(error) = record::write(library)
        {
            tracing::warn!(library = %library.display(), %error, "the checksum of the ONNX runtime is not kept");
        }
        Ok(opened)
    }

    /// The file that it was loaded from.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Its version: `1.31`.
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

/// Allows libraries to be loaded again during whose loading a process died.
///
/// # Errors
/// The folder of runtimes cannot be written.
pub fn forget_failed_loads(folder: &Path) -> Result<(), InstallError> {
    attempt::forget(folder).map_err(|source| InstallError::Unwritable { path: folder.to_owned(), source })
}

/// Tells where the runtime's library is.
///
/// A configured path is the answer even where nothing is there: [`Runtime::open`] then says so. Without one it is the library
/// that [`install_runtime`] put into `folder`.
///
/// # Errors
/// [`RuntimeError::NotInstalled`] where nothing is configured and nothing was installed.
pub fn find_runtime(configured: Option<&Path>, folder: &Path) -> Result<PathBuf, RuntimeError> {
    if let Some(path) = configured {
        return Ok(path.to_owned());
    }
    let installed = RuntimePackage::of_this_platform().map(|package| package.library_in(folder));
    installed
        .filter(|library| library.is_file())
        .ok_or_else(|| RuntimeError::NotInstalled { folder: folder.to_owned() })
}

/// The ONNX runtime cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// No path is configured, and none was installed.
    #[error("no ONNX runtime is configured, and none is installed in {}", folder.display())]
    NotInstalled {
        /// Where one would be.
        folder: PathBuf,
    },
    /// There is no file at the path.
    #[error("there is no ONNX runtime at {}", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The runtime is older than what is needed.
    #[error("the ONNX runtime at {} is {found}; at least 1.{OLDEST_MINOR} is needed", path.display())]
    TooOld {
        /// Its library.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// The file is no ONNX runtime for this machine, or it did not start.
    #[error("{} cannot be loaded as the ONNX runtime: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What was said.
        reason: String,
    },
    /// The library is not the one that was installed.
    #[error("the ONNX runtime at {} is damaged: its checksum is {found}, not {expected}", path.display())]
    Damaged {
        /// The library.
        path: PathBuf,
        /// The SHA-256 that it had when it was installed, in hexadecimal digits.
        expected: String,
        /// The one that it has.
        found: String,
    },
    /// It cannot be said whether the library is the one that was installed.
    #[error("the ONNX runtime cannot be verified: {} cannot be read: {reason}", path.display())]
    Unverified {
        /// The file that cannot be read.
        path: PathBuf,
        /// What was said.
        reason: String,
    },
    /// A process died while it loaded the library.
    #[error("the ONNX runtime at {} is not loaded: it ended the daemon the last time", path.display())]
    Crashed {
        /// The library.
        path: PathBuf,
    },
    /// It cannot be noted that the library is about to be loaded.
    #[error("the ONNX runtime is not loaded: {} cannot be written: {reason}", folder.display())]
    Unmarked {
        /// The folder of runtimes.
        folder: PathBuf,
        /// What was said.
        reason: String,
    },
    /// The process has loaded another library, which cannot be unloaded.
    #[error("the ONNX runtime at {} is in use; {} takes effect when the daemon starts anew", open.display(), asked.display())]
    AnotherIsOpen {
        /// The one that is loaded.
        open: PathBuf,
        /// The one that was asked for.
        asked: PathBuf,
    },
}

/// Passes on what the runtime logs.
fn log(level: LogLevel, category: &str, _id: &str, _place: &str, message: &str) {
    match level {
        LogLevel::Fatal | LogLevel::Error => tracing::error!(category, "{message}"),
        LogLevel::Warning => tracing::warn!(category, "{message}"),
        LogLevel::Info => tracing::debug!(category, "{message}"),
        LogLevel::Verbose => tracing::trace!(category, "{message}"),
    }
}
