//! The context of one run of the program, shared by all commands.

use std::path::{Path, PathBuf};

use recall_api::v1::RequestContext;
use recall_config::Dirs;

use crate::args::Global;
use crate::error::CommandError;
use crate::output::Output;
use crate::process_env::ProcessEnv;

/// The client name that this program sends to the daemon.
pub(crate) const CLIENT_NAME: &str = "recall";

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One run of the program: its environment, the global options and the output.
#[derive(Clone, Debug)]
pub struct CommandContext {
    pub(crate) process_env: ProcessEnv,
    pub(crate) global: Global,
    /// The output.
    pub output: Output,
}

impl CommandContext {
    pub(crate) fn begin(global: Global, output: Output) -> Result<Self, CommandError> {
        Ok(Self { process_env: ProcessEnv::capture()?, global, output })
    }

    /// Returns the context that is sent with every request.
    pub fn request_context(&self) -> RequestContext {
        let caller = self.process_env.caller.clone();
        RequestContext {
            working_directory: text(&self.process_env.directory),
            project_root: self.project().map(|root| text(&root)).unwrap_or_default(),
            project_id: String::new(),
            session_id: caller.session_id,
            agent: caller.agent,
            client_name: CLIENT_NAME.to_owned(),
            client_version: VERSION.to_owned(),
            provenance: Some(caller.provenance),
            allow_broad_root: self.global.allow_broad_root,
            domain: self.global.domain.clone().unwrap_or_default(),
            as_of: self.global.as_of.clone().unwrap_or_default(),
        }
    }

    /// Returns where recall's files live.
    pub fn dirs(&self) -> &Dirs {
        &self.process_env.dirs
    }

    /// Returns one of recall's programs, which is next to this one or on the search path.
    pub fn own_program(&self, name: &str) -> Option<PathBuf> {
        self.process_env.programs.own_program(name)
    }

    /// The absolute path of the project's root, if the user gave one.
    pub(crate) fn project(&self) -> Option<PathBuf> {
        self.global.projects.first().map(|path| self.absolute(path))
    }

    /// The absolute paths of further projects.
    pub(crate) fn other_projects(&self) -> Vec<PathBuf> {
        self.global.projects.iter().skip(1).map(|path| self.absolute(path)).collect()
    }

    /// Makes a path of the user absolute.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        let joined = self.process_env.directory.join(path);
        // `.` and repeated separators are removed; `..` is kept, because its meaning depends on symlinks.
        joined.components().collect()
    }
}

/// Converts a path for the protocol. Bytes that are not UTF-8 are replaced, so that the daemon reports the path.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
