//! The context of one run of the program, shared by all commands.

use std::path::{Path, PathBuf};

use recall_proto::v1::RequestContext;

use crate::args::Global;
use crate::complaint::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

/// The client name that this program sends to the daemon.
pub(crate) const CLIENT_NAME: &str = "recall";

/// One run of the program: its environment, the global options and the output.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) surroundings: Surroundings,
    pub(crate) global: Global,
    pub(crate) output: Output,
}

impl Invocation {
    pub(crate) fn begin(global: Global, output: Output) -> Result<Self, CommandError> {
        Ok(Self { surroundings: Surroundings::capture()?, global, output })
    }

    /// Returns the context that is sent with every request.
    pub(crate) fn context(&self) -> RequestContext {
        let caller = self.surroundings.caller.clone();
        RequestContext {
            working_directory: text(&self.surroundings.directory),
            project_root: self.project().map(|root| text(&root)).unwrap_or_default(),
            project_id: String::new(),
            session_id: caller.session_id,
            agent: caller.agent,
            client_name: CLIENT_NAME.to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            provenance: Some(caller.provenance),
            allow_broad_root: self.global.allow_broad_root,
            domain: self.global.domain.clone().unwrap_or_default(),
        }
    }

    /// The absolute path of the project's root, if the user gave one.
    pub(crate) fn project(&self) -> Option<PathBuf> {
        self.global.project.as_deref().map(|path| self.absolute(path))
    }

    /// Makes a path of the user absolute.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        let joined = self.surroundings.directory.join(path);
        // `.` and repeated separators are removed; `..` is kept, because its meaning depends on symlinks.
        joined.components().collect()
    }
}

/// Converts a path for the protocol. Bytes that are not UTF-8 are replaced, so that the daemon reports the path.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
