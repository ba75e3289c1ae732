//! What a call of a tool works with.

use std::path::Path;

use recall_proto::v1::{RequestContext, Scope};
use serde::Deserialize;

use crate::daemon::Daemon;
use crate::progress::Progress;

/// What a call of a tool works with.
pub(crate) struct Call<'c> {
    pub(crate) daemon: &'c Daemon,
    /// Who asks, and from where.
    pub(crate) context: RequestContext,
    /// The user's home folder, which is no project; `None` where there is none.
    pub(crate) home: Option<&'c Path>,
    pub(crate) progress: Option<Progress>,
    /// What makes two calls pages of one answer; see `question` in [`tool`](super).
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
