//! `Promote`: moves a memory to a wider store.

use recall_engine::PromoteReport;
use recall_proto::convert::{remember, scope};
use recall_proto::v1::{PromoteRequest, PromoteResponse};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: PromoteRequest) -> Result<PromoteResponse, Status> {
    let (from, asked) = remember::promote(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.promote_memory(&origin, &asked)).await?;
    let PromoteReport { id, scope: store } = report;
    Ok(PromoteResponse { id: id.to_string(), scope: scope::store_to_proto(store).into() })
}
