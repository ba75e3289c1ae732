//! Errors of installing and loading ONNX Runtime.

use std::io;
use std::path::PathBuf;

use zip::result::ZipError;

use crate::fetch::FetchError;

/// The minor version of the oldest supported runtime: the first that reports which provider runs which part.
pub(super) const OLDEST_MINOR: u32 = ort::MINOR_VERSION;

/// ONNX Runtime cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// No path is configured, and no runtime is installed.
    #[error("no ONNX runtime is configured, and none is installed in `{}`", folder.display())]
    NotInstalled {
        /// The folder of runtimes.
        folder: PathBuf,
    },
    /// No file is at the path.
    #[error("there is no ONNX runtime at `{}`", path.display())]
    Missing {
        /// The path that is configured.
        path: PathBuf,
    },
    /// The runtime is too old.
    #[error("the ONNX runtime at `{}` is {found}; at least 1.{OLDEST_MINOR} is needed", path.display())]
    TooOld {
        /// The path of the library.
        path: PathBuf,
        /// The version that the library reports.
        found: String,
    },
    /// The file is not an ONNX runtime for this machine, or it failed to start.
    #[error("`{}` cannot be loaded as the ONNX runtime: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The loader's or the runtime's message.
        reason: String,
    },
    /// The library differs from the installed one.
    #[error("the ONNX runtime at `{}` is damaged: its checksum is {found}, expected {expected}", path.display())]
    Damaged {
        /// The library.
        path: PathBuf,
        /// The SHA-256 of the installed library, in hexadecimal.
        expected: String,
        /// The present SHA-256.
        found: String,
    },
    /// The library could not be verified.
    #[error("cannot verify the ONNX runtime: cannot read `{}`: {reason}", path.display())]
    Unverified {
        /// The file that cannot be read.
        path: PathBuf,
        /// The operating system's or the parser's message.
        reason: String,
    },
    /// A process died while it loaded the library.
    #[error("the ONNX runtime at `{}` is not loaded: it crashed the daemon the last time", path.display())]
    Crashed {
        /// The library.
        path: PathBuf,
    },
    /// The attempt to load the library could not be recorded.
    #[error("the ONNX runtime is not loaded: cannot write to `{}`: {reason}", folder.display())]
    Unmarked {
        /// The folder of runtimes.
        folder: PathBuf,
        /// The operating system's message.
        reason: String,
    },
    /// The process has loaded another library, which cannot be unloaded.
    #[error("the ONNX runtime at `{}` is in use; `{}` takes effect when the daemon restarts", open.display(), asked.display())]
    AnotherIsOpen {
        /// The path of the library that is loaded.
        open: PathBuf,
        /// The path of the library that was to be loaded.
        asked: PathBuf,
    },
}

/// The runtime could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no package for this platform.
    #[error("there is no package of the ONNX runtime for {system} on {processor}")]
    NoPackage {
        /// The operating system, as Rust names it.
        system: &'static str,
        /// The architecture of the processor, as Rust names it.
        processor: &'static str,
    },
    /// Another process is installing it.
    #[error("another process is installing the ONNX runtime")]
    Busy,
    /// The index does not list the package.
    #[error("`{index}` does not list `{file}`")]
    NotInIndex {
        /// The URL of the index page.
        index: String,
        /// The file name of the package.
        file: String,
    },
    /// The download failed.
    #[error("cannot download the package of the ONNX runtime")]
    Fetch(#[from] FetchError),
    /// The local package cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The package.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The local package is not the pinned one.
    #[error("`{}` is not {file}: its checksum is {found}, expected {expected}", path.display())]
    OtherPackage {
        /// The local package.
        path: PathBuf,
        /// The file name of the package for this platform.
        file: &'static str,
        /// The pinned SHA-256, in hexadecimal.
        expected: String,
        /// The SHA-256 of the local package.
        found: String,
    },
    /// The library cannot be extracted from the package, although the checksum is correct.
    #[error("cannot extract {member} from `{}`", path.display())]
    BadPackage {
        /// The package.
        path: PathBuf,
        /// The library's path in the package.
        member: String,
        /// The error of the extraction.
        source: WheelError,
    },
    /// The folder cannot be written.
    #[error("cannot write to `{}`", path.display())]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The runtime was installed, but cannot be loaded.
    #[error("the installed ONNX runtime cannot be loaded")]
    Unusable(#[from] RuntimeError),
}

/// The archive cannot be read, or lacks the member.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// The archive cannot be read, or the file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a zip archive, or the member is missing.
    #[error(transparent)]
    Zip(#[from] ZipError),
    /// The member is larger than any library.
    #[error("the library is too large: {bytes} bytes")]
    TooLarge {
        /// The size in the archive.
        bytes: u64,
    },
}
