//! Progress notifications.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};

/// Sends a client the progress of a call. The progress grows with each notification, as the protocol demands.
#[derive(Debug)]
pub(crate) struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    reported: Option<u64>,
}

impl Progress {
    /// Returns the progress of a call; `None` if the client did not request it.
    pub(crate) fn for_call(context: &RequestContext<RoleServer>) -> Option<Self> {
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
