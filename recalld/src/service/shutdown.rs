//! `Shutdown`: ends the daemon at the request of a client.

use std::time::Duration;

use recall_api::v1::{ShutdownRequest, ShutdownResponse};

use super::Service;
use crate::event::Event;

/// The maximum length of a logged reason.
const REASON_BYTES: usize = 64;

pub(super) fn handle(service: &Service, request: ShutdownRequest) -> ShutdownResponse {
    let ShutdownRequest { context: _, drain_ms, mut reason } = request;
    reason.truncate(reason.floor_char_boundary(REASON_BYTES));
    let daemon = &service.daemon;
    let drain = drain_ms.map_or(daemon.settings.daemon.drain, |millis| Duration::from_millis(millis.into()));
    // If the queue is full, it already contains events that end the daemon.
    let _ = daemon.events.try_send(Event::ShutdownRequested { reason, drain });
    ShutdownResponse { pid: daemon.identity.pid }
}
