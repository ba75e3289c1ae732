//! `Remove`: removes documents and memories from the index.

use std::collections::HashSet;

use recall_api::convert::{remember, scope};
use recall_api::v1::{ItemFailure, RemoveRequest, RemoveResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::{DocumentId, MemoryId, Scope, StoreScope};
use recall_engine::{RemoveReport, RemoveRequest as Asked, Tombstones};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: RemoveRequest) -> Result<RemoveResponse, Status> {
    let RemoveRequest { context, items, scope: wanted, purge } = request;
    if items.is_empty() || items.iter().any(|item| item.trim().is_empty()) {
        return Err(InvalidRequest::new("items", Problem::Empty).into());
    }
    let provenance = remember::provenance(&context.clone().unwrap_or_default());
    let origin = context::origin(context)?;
    let tombstones = if purge { Tombstones::Purge } else { Tombstones::Keep };
    let asked = Asked { items, scope: scope::from_proto(wanted, Scope::Project)?, tombstones, provenance };
    let report = service.call(move |daemon| daemon.engine.remove(&origin, &asked)).await?;
    Ok(response(report))
}

fn response(report: RemoveReport) -> RemoveResponse {
    let RemoveReport { removals, memories, remaining, documents, forgotten, generation } = report;
    let mut seen = HashSet::new();
    let removed = removals.iter().flat_map(|removal| &removal.documents).filter(|path| seen.insert(*path));
    RemoveResponse {
        documents,
        memories: memories.len() as u64,
        removed: removed
            .map(|path| DocumentId::from_path(path).to_string())
            .chain(memories.iter().map(ToString::to_string))
            .collect(),
        failures: remaining.into_iter().map(still_there).collect(),
        generation: generation.0,
        forgotten,
    }
}

/// Reports that a memory still exists in another store.
fn still_there((id, scope): (MemoryId, StoreScope)) -> ItemFailure {
    let store = scope.as_str();
    let reason =
        format!("it is kept in the {store} store as well, and stays there; remove it with the scope `{store}`");
    ItemFailure { item: id.to_string(), code: "KEPT_ELSEWHERE".to_owned(), reason }
}
