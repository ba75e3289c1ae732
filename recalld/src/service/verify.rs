//! `Verify`: checks whether memories are still valid, or confirms them.

use recall_core::MemoryView;
use recall_engine::VerifyReport;
use recall_proto::convert::{memory, remember};
use recall_proto::v1::{VerifiedMemory, VerifyRequest, VerifyResponse};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: VerifyRequest) -> Result<VerifyResponse, Status> {
    let (from, asked) = remember::verify(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.verify_memories(&origin, &asked)).await?;
    let broken = report.broken();
    // The verification of each memory reports the anchors that could not be renewed.
    let VerifyReport { memories, notes: _ } = report;
    Ok(VerifyResponse { results: memories.iter().map(verified).collect(), broken })
}

fn verified(recalled: &MemoryView) -> VerifiedMemory {
    VerifiedMemory {
        id: recalled.memory.id.to_string(),
        title: recalled.memory.title.to_string(),
        verification: Some(memory::verification_to_proto(&recalled.verification)),
    }
}
