//! `ListEvents`: lists the events of a session.

use recall_engine::EventListing;
use recall_proto::convert::session;
use recall_proto::v1::{ListEventsRequest, ListEventsResponse};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: ListEventsRequest) -> Result<ListEventsResponse, Status> {
    let (from, asked) = session::events(request, &service.daemon.settings.limits)?;
    let origin = context::origin(Some(from))?;
    let EventListing { events, next_offset } =
        service.call(move |daemon| daemon.engine.list_events(&origin, &asked)).await?;
    Ok(ListEventsResponse {
        events: events.into_iter().map(session::event_to_proto).collect(),
        next_cursor: next_offset.map(|offset| offset.to_string()).unwrap_or_default(),
    })
}
