//! The context of a tool call.

use std::path::Path;

use recall_api::v1::{RequestContext, Scope};
use serde::Deserialize;

use crate::daemon::Daemon;
use crate::progress::Progress;

/// The context of a tool call.
pub(crate) struct Call<'c> {
    pub(crate) daemon: &'c Daemon,
    /// The client and its project.
    pub(crate) context: RequestContext,
    /// The user's home folder, which is not a project; `None` if there is none.
    pub(crate) home: Option<&'c Path>,
    pub(crate) progress: Option<Progress>,
    /// The question, which is equal for all pages of an answer; see `question` in [`tool`](super).
    pub(crate) question: String,
}

/// The scope that a call names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScopeArgument {
    Project,
    Global,
    #[default]
    All,
}

impl From<ScopeArgument> for Scope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::Project => Self::Project,
            ScopeArgument::Global => Self::Global,
            ScopeArgument::All => Self::All,
        }
    }
}
