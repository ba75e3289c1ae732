//! `LogEvent`: records an event of a session.

use recall_engine::LoggedEvent;
use recall_proto::convert::{session, time};
use recall_proto::v1::{LogEventRequest, LogEventResponse};
use tonic::Status;

use super::{Service, context, memory};

pub(super) async fn handle(service: &Service, request: LogEventRequest) -> Result<LogEventResponse, Status> {
    let (from, asked) = session::log(request)?;
    let origin = context::origin(Some(from))?;
    let LoggedEvent { id, timestamp, notes } =
        service.call(move |daemon| daemon.engine.log_event(&origin, &asked)).await?;
    Ok(LogEventResponse {
        logged: true,
        event_id: id.to_string(),
        timestamp: Some(time::to_proto(timestamp)),
        warnings: memory::notes(notes),
    })
}
