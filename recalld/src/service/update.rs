//! `Update`: amends a memory.

use recall_engine::UpdateReport;
use recall_proto::convert::{memory as convert, remember};
use recall_proto::v1::{UpdateRequest, UpdateResponse};
use tonic::Status;

use super::{Service, context, memory};

pub(super) async fn handle(service: &Service, request: UpdateRequest) -> Result<UpdateResponse, Status> {
    let (from, asked) = remember::update(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.update_memory(&origin, &asked)).await?;
    let UpdateReport { memory: recalled, notes } = report;
    let scope = recalled.memory.scope;
    Ok(UpdateResponse { memory: Some(convert::to_proto(&recalled, scope)), warnings: memory::notes(notes) })
}
