//! `History`: lists the commits that changed a document.

use recall_api::convert::{limits, scope};
use recall_api::v1::{Commit, HistoryRequest, HistoryResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_engine::{DocumentCommit, History, HistoryRequest as Asked};
use tonic::Status;

use super::{Service, context, warning};

pub(super) async fn handle(service: &Service, request: HistoryRequest) -> Result<HistoryResponse, Status> {
    let HistoryRequest { context, id, scope: wanted, limit } = request;
    if id.trim().is_empty() {
        return Err(InvalidRequest::new("id", Problem::Empty).into());
    }
    let limit = limits::commits(limit)? as usize;
    let asked = Asked { id, scope: scope::from_proto(wanted, Scope::All)?, limit };
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let found = service.call(move |daemon| daemon.engine.history(&origin, &asked)).await?;
    let mut response = response(found);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn response(history: History) -> HistoryResponse {
    let History { path, commits, warnings } = history;
    let commit = |DocumentCommit { id, day, author, subject }| Commit { id, day, author, subject };
    HistoryResponse { path, commits: commits.into_iter().map(commit).collect(), warnings: warning::to_proto(warnings) }
}
