//! `EndSession`: ends a session and stores its summary and memories.

use recall_engine::EndedSession;
use recall_proto::convert::session;
use recall_proto::v1::{EndSessionRequest, EndSessionResponse};
use tonic::Status;

use crate::service::{Service, add, context, memory};

pub(in crate::service) async fn handle(
    service: &Service,
    request: EndSessionRequest,
) -> Result<EndSessionResponse, Status> {
    let (from, asked) = session::end(request)?;
    let origin = context::origin(Some(from))?;
    let EndedSession { id, summary_path, memories, notes } =
        service.call(move |daemon| daemon.engine.end_session(&origin, &asked)).await?;
    Ok(EndSessionResponse {
        session_id: id,
        summary_path: summary_path.map(|path| path.to_string()).unwrap_or_default(),
        memories: memories.into_iter().map(add::response).collect(),
        warnings: memory::notes(notes),
    })
}
