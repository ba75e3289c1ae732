//! `StartSession`: starts a session.

use std::sync::Arc;

use recall_core::{AskBriefing, Provenance};
use recall_engine::StartedSession;
use recall_proto::convert::{session, time};
use recall_proto::v1::{StartSessionRequest, StartSessionResponse};
use tonic::Status;

use super::briefing;
use crate::service::{Service, context};

pub(in crate::service) async fn handle(
    service: &Service,
    request: StartSessionRequest,
) -> Result<StartSessionResponse, Status> {
    let (from, (asked, wants_briefing)) = session::start(request)?;
    let origin = Arc::new(context::origin(Some(from))?);
    let (here, goal) = (Arc::clone(&origin), asked.goal.clone());
    let provenance = asked.provenance.clone();
    let StartedSession { id, started, recoverable } =
        service.call(move |daemon| daemon.engine.start_session(&here, &asked)).await?;
    let briefing = if wants_briefing {
        let provenance = Provenance { session: Some(id.clone()), ..provenance };
        let asked = AskBriefing { budget_tokens: session::default_briefing_tokens(), goal, provenance };
        let briefing = service.call(move |daemon| daemon.engine.briefing(&origin, &asked)).await?;
        Some(briefing::to_proto(service, &id, briefing))
    } else {
        None
    };
    Ok(StartSessionResponse {
        session_id: id,
        started_at: Some(time::to_proto(started)),
        recoverable_session_id: recoverable.unwrap_or_default(),
        briefing,
    })
}
