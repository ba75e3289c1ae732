//! The context of a tool call and its progress notifications.

use std::path::Path;

use recall_api::v1::{RequestContext, Scope};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{self, Peer, RoleServer};
use serde::Deserialize;

use crate::daemon::Daemon;

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

/// Sends a client the progress of a call. The progress grows with each notification, as the protocol demands.
#[derive(Debug)]
pub(crate) struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    reported: Option<u64>,
}

impl Progress {
    /// Returns the progress of a call; `None` if the client did not request it.
    pub(crate) fn for_call(context: &service::RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self { peer: context.peer.clone(), token, reported: None })
    }

    /// Reports that `done` files are done. Does nothing if that is not more than before.
    ///
    /// Returns when the notification is written, so that none is sent after the call's result.
    pub(crate) async fn tell(&mut self, done: u64, total: u64, message: &str) {
        if self.reported.is_some_and(|reported| done <= reported) {
            return;
        }
        self.reported = Some(done);
        let notification = ProgressNotificationParam::new(self.token.clone(), done as f64)
            .with_total(total.max(done) as f64)
            .with_message(message);
        // A failure means that the client is gone; the end of the input then ends the call.
        let _ = self.peer.notify_progress(notification).await;
    }
}
