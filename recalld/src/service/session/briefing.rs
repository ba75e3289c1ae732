//! `Briefing`: what should a new session know?

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
    service.call(move |daemon| daemon.engine.briefing(&origin, &asked)).await.map(to_proto)
}

pub(super) fn to_proto(briefing: Briefing) -> BriefingResponse {
    let Briefing { text, used_tokens, sections, warnings } = briefing;
    BriefingResponse {
        text,
        used_tokens,
        sections: sections.into_iter().map(section).collect(),
        warnings: warning::to_proto(warnings),
    }
}

fn section(section: BriefingSection) -> v1::BriefingSection {
    let BriefingSection { kind, title, text, citations } = section;
    v1::BriefingSection { kind: kind.as_str().to_owned(), title: title.to_owned(), text, citations }
}
