//! What does every command have at hand?

use std::path::{Path, PathBuf};

use recall_proto::v1::RequestContext;

use crate::args::Global;
use crate::complaint::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

/// The name under which this program introduces itself.
pub(crate) const CLIENT_NAME: &str = "recall";

/// One run of the program: its surroundings, what holds for every command, and where output goes.
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

    /// The context that goes with every request.
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

    /// The project's root, where the user named it; absolute.
    pub(crate) fn project(&self) -> Option<PathBuf> {
        self.global.project.as_deref().map(|path| self.absolute(path))
    }

    /// A path that the user gave, absolute.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        let joined = self.surroundings.directory.join(path);
        // `.` and repeated separators go; `..` stays, because what it means depends on symlinks.
        joined.components().collect()
    }
}

/// A path as the protocol carries it. Bytes that are no text are replaced, so that the daemon reports them.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
