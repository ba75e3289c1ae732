//! How far is it?

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};

/// Tells a client how far a call is. Each notification says more than the one before, as the protocol demands.
#[derive(Debug)]
pub(crate) struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    told: Option<u64>,
}

impl Progress {
    /// The progress of a call; `None` when the client did not ask for it.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self { peer: context.peer.clone(), token, told: None })
    }

    /// Tells that so many files are done. What is not more than was told is not told.
    ///
    /// Returns when the notification is written, so that none comes after the call's result.
    pub(crate) async fn tell(&mut self, done: u64, total: u64, message: &str) {
        if self.told.is_some_and(|told| done <= told) {
            return;
        }
        self.told = Some(done);
        let notification = ProgressNotificationParam::new(self.token.clone(), done as f64)
            .with_total(total.max(done) as f64)
            .with_message(message);
        // A client that is gone learns nothing; the end of the input ends the call.
        let _ = self.peer.notify_progress(notification).await;
    }
}
