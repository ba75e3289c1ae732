//! Why an agent cannot be registered or unregistered.

use std::io;
use std::path::PathBuf;

use crate::document::DocumentError;

/// Why an agent cannot be registered or unregistered. Nothing is changed then, unless the variant says so.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The file's text cannot be edited.
    #[error("cannot edit `{}`", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// Why.
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
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file, or a folder above it, is a link that leads out of the home folder or the project.
    #[error("`{}` is a link to `{}`, which is outside of {}", path.display(), target.display(), within.display())]
    LinkOut {
        /// The file.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// The folder that it should stay in.
        within: PathBuf,
    },
    /// A link leads to nothing.
    #[error("`{}` is a link to nothing", path.display())]
    LinkToNothing {
        /// The link.
        path: PathBuf,
    },
    /// There is a folder, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file may not be written.
    #[error("`{}` is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file is larger than any configuration.
    #[error("`{}` has {bytes} bytes; at most {limit_bytes} are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// Another program changed the file at the same time.
    #[error("another program changed `{}` at the same time", path.display())]
    Meanwhile {
        /// The file.
        path: PathBuf,
    },
    /// Another server has recall's name.
    #[error("another MCP server is registered as `{name}` in `{}`", path.display())]
    Taken {
        /// The name.
        name: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// The vendor's program cannot be run.
    #[error("cannot run `{line}`")]
    Run {
        /// The command line.
        line: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The vendor's command failed.
    #[error("`{line}` failed: {status}")]
    Failed {
        /// The command line.
        line: String,
        /// The exit status.
        status: String,
        /// What it wrote to standard error.
        said: String,
    },
    /// The vendor's command did not end in time and was killed. It may have changed the file.
    #[error("`{line}` did not end within {limit_s} seconds")]
    TooSlow {
        /// The command line.
        line: String,
        /// The limit in seconds.
        limit_s: u64,
    },
    /// The vendor's command succeeded, and the file does not show it.
    #[error("`{line}` succeeded, but `{}` {missing}", path.display())]
    NoEffect {
        /// The command line.
        line: String,
        /// The file.
        path: PathBuf,
        /// What is missing or still there.
        missing: &'static str,
    },
    /// The agent has no file in projects.
    #[error("{title} has no configuration in projects")]
    NoProjectFile {
        /// The agent.
        title: &'static str,
    },
    /// The agent has no hooks that recall knows.
    #[error("{title} has no hooks that recall can use")]
    NoHooks {
        /// The agent.
        title: &'static str,
    },
    /// The list of recall's registrations cannot be used.
    #[error("cannot read the list of registrations `{}`: {message}", path.display())]
    Ledger {
        /// The file.
        path: PathBuf,
        /// What the parser reports.
        message: String,
    },
}
