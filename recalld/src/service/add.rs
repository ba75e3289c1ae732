//! `Add`: stores a memory.

use recall_engine::{AddOutcome, AddReport, SimilarMemory};
use recall_proto::convert::remember;
use recall_proto::v1;
use recall_proto::v1::{AddRequest, AddResponse, AddStatus};
use tonic::Status;

use super::{Service, context, memory};

pub(super) async fn handle(service: &Service, request: AddRequest) -> Result<AddResponse, Status> {
    let (from, asked) = remember::add(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.add_memory(&origin, &asked)).await?;
    Ok(response(report))
}

pub(super) fn response(report: AddReport) -> AddResponse {
    let AddReport { id, title, outcome, similar, notes } = report;
    let status = match outcome {
        AddOutcome::Added => AddStatus::Added,
        AddOutcome::Repeats => AddStatus::Duplicate,
        AddOutcome::Supersedes => AddStatus::Superseded,
    };
    AddResponse {
        id: id.to_string(),
        title,
        status: status.into(),
        similar: similar.into_iter().map(similar_to_proto).collect(),
        warnings: memory::notes(notes),
    }
}

fn similar_to_proto(similar: SimilarMemory) -> v1::SimilarMemory {
    let SimilarMemory { id, title, similarity } = similar;
    v1::SimilarMemory { id: id.to_string(), title, similarity }
}
