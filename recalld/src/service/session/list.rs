//! `ListSessions`: lists the sessions of a project.

use recall_engine::SessionListing;
use recall_proto::convert::session;
use recall_proto::v1::{ListSessionsRequest, ListSessionsResponse};
use tonic::Status;

use crate::service::{Service, context};

pub(in crate::service) async fn handle(
    service: &Service,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse, Status> {
    let (from, asked) = session::list(request, &service.daemon.settings.limits)?;
    let origin = context::origin(Some(from))?;
    let SessionListing { sessions, next_offset } =
        service.call(move |daemon| daemon.engine.list_sessions(&origin, &asked)).await?;
    Ok(ListSessionsResponse {
        sessions: sessions.iter().map(session::to_proto).collect(),
        next_cursor: next_offset.map(|offset| offset.to_string()).unwrap_or_default(),
    })
}
