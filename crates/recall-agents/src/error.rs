//! Why an agent cannot be registered or unregistered, and why a document cannot be edited.

use std::io;
use std::path::PathBuf;

/// Why an agent cannot be registered or unregistered. Nothing is changed then, unless the variant says so.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The file's text cannot be edited.
    #[error("cannot edit `{}`", path.display())]
    Document {
        /// The configuration that was to be edited.
        path: PathBuf,
        /// What about its text keeps it from being edited.
        #[source]
        source: DocumentError,
    },
    /// The file system refused.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        /// `read`, `write` or `remove`.
        doing: &'static str,
        /// The file or the folder.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The file, or a folder above it, is a link that leads out of the home folder or the project.
    #[error("`{}` is a link to `{}`, which is outside of {}", path.display(), target.display(), within.display())]
    LinkOut {
        /// The path before links are resolved.
        path: PathBuf,
        /// The path after links are resolved.
        target: PathBuf,
        /// The folder that it should stay in.
        within: PathBuf,
    },
    /// A link leads to nothing.
    #[error("`{}` is a link to nothing", path.display())]
    LinkToNothing {
        /// The path that is a link, or leads through one.
        path: PathBuf,
    },
    /// There is a folder, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The path at which a file should be.
        path: PathBuf,
    },
    /// The file may not be written.
    #[error("`{}` is read-only", path.display())]
    ReadOnly {
        /// The configuration that has no permission to write.
        path: PathBuf,
    },
    /// The file is larger than any configuration.
    #[error("`{}` has {bytes} bytes; at most {limit_bytes} are read", path.display())]
    TooLarge {
        /// The file that was not read.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The greatest size that is read, in bytes.
        limit_bytes: u64,
    },
    /// Another program changed the file at the same time.
    #[error("another program changed `{}` at the same time", path.display())]
    Meanwhile {
        /// The file, which was left as the other program wrote it.
        path: PathBuf,
    },
    /// Another program or person has a file at the path of a file of recall's own.
    #[error("`{}` is not recall's, and is where its hooks would be", path.display())]
    NotOurs {
        /// The file, which was left as it is.
        path: PathBuf,
    },
    /// Another server has recall's name.
    #[error("another MCP server is registered as `{name}` in `{}`", path.display())]
    Taken {
        /// The name under which recall would be registered.
        name: &'static str,
        /// The configuration that has the other server.
        path: PathBuf,
    },
    /// The vendor's program cannot be run.
    #[error("cannot run `{line}`")]
    Run {
        /// The command line, quoted for a shell.
        line: String,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The vendor's command failed.
    #[error("`{line}` failed: {status}")]
    Failed {
        /// The command line, quoted for a shell.
        line: String,
        /// Its exit status or the signal that ended it, in words.
        status: String,
        /// What it wrote to standard error.
        said: String,
    },
    /// The vendor's command did not end in time and was killed. It may have changed the file.
    #[error("`{line}` did not end within {limit_s} seconds")]
    TooSlow {
        /// The command line, quoted for a shell.
        line: String,
        /// The limit in seconds.
        limit_s: u64,
    },
    /// The vendor's command succeeded, and the file does not show it.
    #[error("`{line}` succeeded, but `{}` {missing}", path.display())]
    NoEffect {
        /// The command line, quoted for a shell.
        line: String,
        /// The configuration that the command should have changed.
        path: PathBuf,
        /// What is missing or still there.
        missing: &'static str,
    },
    /// The agent has no file in projects.
    #[error("{title} has no configuration in projects")]
    NoProjectFile {
        /// The agent's name for people.
        title: &'static str,
    },
    /// The agent has no hooks that recall knows.
    #[error("{title} has no hooks that recall can use")]
    NoHooks {
        /// The agent's name for people.
        title: &'static str,
    },
    /// The list of recall's registrations cannot be used.
    #[error("cannot read the list of registrations `{}`: {message}", path.display())]
    Ledger {
        /// The file that lists the registrations.
        path: PathBuf,
        /// What the parser reports.
        message: String,
    },
}

/// Why a document cannot be edited.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text is not in the format, for example after an edit by hand.
    #[error("it is not valid {format}: {message}")]
    Syntax {
        /// The name of the format.
        format: &'static str,
        /// What the parser reports.
        message: String,
    },
    /// There is something else where an object is expected.
    #[error("{what} is not an object")]
    NotAnObject {
        /// The key, or the whole document.
        what: String,
    },
    /// A key occurs twice, so that programs disagree on its value.
    #[error("the key `{key}` occurs more than once")]
    Duplicate {
        /// The key that is repeated.
        key: String,
    },
    /// No edit was found that changes nothing else.
    #[error("it is written in a way that cannot be edited without changing more than the entry")]
    Unclear,
}

/// Reports that there is something else where an object is expected.
pub(crate) fn not_an_object(key: &str) -> DocumentError {
    DocumentError::NotAnObject { what: format!("`{key}`") }
}
