//! `Briefing`: summarizes the project for a new session.

use recall_engine::{Briefing, BriefingSection};
use recall_proto::convert::session;
use recall_proto::v1::{self, BriefingRequest, BriefingResponse};
use tonic::Status;

use crate::service::{Service, context, warning};

pub(in crate::service) async fn handle(
    service: &Service,
    request: BriefingRequest,
) -> Result<BriefingResponse, Status> {
    let (from, asked) = session::briefing(request)?;
    let origin = context::origin(Some(from))?;
    let session = asked.provenance.session.clone().unwrap_or_default();
    let briefing = service.call(move |daemon| daemon.engine.briefing(&origin, &asked)).await?;
    Ok(to_proto(service, &session, briefing))
}

/// Converts a briefing for a session.
pub(super) fn to_proto(service: &Service, session: &str, briefing: Briefing) -> BriefingResponse {
    let Briefing { text, used_tokens, sections, warnings } = briefing;
    let mut warnings = warning::to_proto(warnings);
    service.daemon.complete(session, &mut warnings);
    BriefingResponse { text, used_tokens, sections: sections.into_iter().map(section).collect(), warnings }
}

fn section(section: BriefingSection) -> v1::BriefingSection {
    let BriefingSection { kind, title, text, citations } = section;
    v1::BriefingSection { kind: kind.as_str().to_owned(), title: title.to_owned(), text, citations }
}
