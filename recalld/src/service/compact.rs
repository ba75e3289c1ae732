//! `Compact`: frees the space of deleted data.

use recall_api::convert::scope;
use recall_api::v1::{CompactRequest, CompactResponse};
use recall_core::Scope;
use recall_engine::CompactReport;
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: CompactRequest) -> Result<CompactResponse, Status> {
    let CompactRequest { context, scope: wanted } = request;
    let wanted = scope::from_proto(wanted, Scope::Project)?;
    let origin = context::origin(context)?;
    let report = service.call(move |daemon| daemon.engine.compact(&origin, wanted)).await?;
    let CompactReport { bytes_before, bytes_after, deleted, took } = report;
    Ok(CompactResponse {
        bytes_before,
        bytes_after,
        took_ms: took.as_secs_f64() * 1e3,
        deleted_roots: deleted.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
    })
}
