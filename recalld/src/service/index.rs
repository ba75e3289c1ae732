//! `Index` and `Remove`: adds files to the index and removes them; `Rebuild` and `Compact`: builds it again, and frees the space of
//! deleted data; `Publish`: publishes a project to a shared store.

use std::collections::HashSet;
use std::path::PathBuf;

use recall_api::convert::{indexed_type, remember, scope};
use recall_api::v1::{
    self, CompactRequest, CompactResponse, IndexEvent, IndexRequest, ItemFailure, RebuildRequest, RebuildTarget,
    RemoveRequest, RemoveResponse,
};
use recall_api::{InvalidRequest, Problem};
use recall_core::{DocumentId, MemoryId, Scope, StoreScope};
use recall_engine::{
    Cancel, CompactReport, Comparison, IndexRequest as Asked, PublishReport, PublishRequest, RebuildPart, RemoveReport,
    Tombstones,
};
use tonic::Status;

use super::{Pieces, Service, context, run};

pub(super) fn handle(service: &Service, request: IndexRequest) -> Result<Pieces<IndexEvent>, Status> {
    let IndexRequest {
        context,
        paths,
        globs,
        tags,
        source,
        type_hint,
        recursive,
        // Size and modification time are always compared.
        mtime_only: _,
        ignore,
        force,
        scope: wanted,
    } = request;
    let origin = context::origin(context)?;
    let wanted = scope::from_proto(wanted, Scope::Project)?;
    let asked = Asked {
        paths: checked_paths(paths)?,
        scope: wanted,
        recursive: recursive.unwrap_or(true),
        globs,
        ignore,
        tags,
        source: Some(source).filter(|source| !source.is_empty()),
        document_type: indexed_type("type_hint", &type_hint)?,
        force,
    };
    Ok(run::stream(service, origin, wanted, move |engine, origin, progress, cancel| {
        engine.index(origin, &asked, progress, cancel)
    }))
}

fn checked_paths(paths: Vec<String>) -> Result<Vec<PathBuf>, InvalidRequest> {
    for path in &paths {
        if path.is_empty() {
            return Err(InvalidRequest::new("paths", Problem::Empty));
        }
        if path.contains('\0') {
            let problem = Problem::Malformed { value: path.replace('\0', "\u{fffd}"), expected: "a path without NUL" };
            return Err(InvalidRequest::new("paths", problem));
        }
    }
    Ok(paths.into_iter().map(PathBuf::from).collect())
}

pub(super) fn rebuild(service: &Service, request: RebuildRequest) -> Result<Pieces<IndexEvent>, Status> {
    let RebuildRequest { context, scope: wanted, target } = request;
    let part = part(target)?;
    let origin = context::origin(context)?;
    let wanted = scope::from_proto(wanted, Scope::Project)?;
    Ok(run::stream(service, origin, wanted, move |engine, origin, progress, cancel| {
        engine.rebuild(origin, wanted, part, progress, cancel)
    }))
}

fn part(target: i32) -> Result<RebuildPart, InvalidRequest> {
    match RebuildTarget::try_from(target) {
        Ok(RebuildTarget::Unspecified | RebuildTarget::All) => Ok(RebuildPart::All),
        Ok(RebuildTarget::Catalog) => Ok(RebuildPart::Catalog),
        Ok(RebuildTarget::Lexical) => Ok(RebuildPart::Lexical),
        Ok(RebuildTarget::Vectors) => Ok(RebuildPart::Vectors),
        Err(_) => {
            let problem = Problem::Unknown { value: target.to_string(), known: "all, catalog, lexical, vectors" };
            Err(InvalidRequest::new("target", problem))
        }
    }
}

pub(super) async fn remove(service: &Service, request: RemoveRequest) -> Result<RemoveResponse, Status> {
    let RemoveRequest { context, items, scope: wanted, purge } = request;
    if items.is_empty() || items.iter().any(|item| item.trim().is_empty()) {
        return Err(InvalidRequest::new("items", Problem::Empty).into());
    }
    let provenance = remember::provenance(&context.clone().unwrap_or_default());
    let origin = context::origin(context)?;
    let tombstones = if purge { Tombstones::Purge } else { Tombstones::Keep };
    let asked = recall_engine::RemoveRequest {
        items,
        scope: scope::from_proto(wanted, Scope::Project)?,
        tombstones,
        provenance,
    };
    let report = service.call(move |daemon| daemon.engine.remove(&origin, &asked)).await?;
    Ok(remove_response(report))
}

fn remove_response(report: RemoveReport) -> RemoveResponse {
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

pub(super) async fn compact(service: &Service, request: CompactRequest) -> Result<CompactResponse, Status> {
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

/// The most paths of a difference that an answer names.
const MOST_PATHS: usize = 100;

pub(super) async fn publish(service: &Service, request: v1::PublishRequest) -> Result<v1::PublishResponse, Status> {
    let v1::PublishRequest { context, store, repository, branch, verify } = request;
    let origin = context::origin(context)?;
    let named = |name: String| Some(name).filter(|name| !name.is_empty());
    let asked = PublishRequest {
        store: named(store),
        repository: named(repository),
        branch: named(branch),
        comparison: if verify { Comparison::Each } else { Comparison::Digest },
    };
    let publish =
        move |daemon: &crate::daemon::Daemon| daemon.engine.publish(&origin, &asked, &mut |_| {}, &Cancel::default());
    let PublishReport { store, branch, outcome, difference, took } = service.call(publish).await?;
    let difference = difference.unwrap_or_default();
    let differing = |code: &str, paths: Vec<String>| {
        let code = code.to_owned();
        paths.into_iter().map(move |item| v1::ItemFailure { item, code: code.clone(), reason: String::new() })
    };
    let all = differing("MISSING", difference.missing)
        .chain(differing("DIFFERENT", difference.different))
        .chain(differing("EXTRA", difference.extra));
    let mut differences: Vec<v1::ItemFailure> = all.collect();
    let difference_count = differences.len() as u64;
    differences.truncate(MOST_PATHS);
    Ok(v1::PublishResponse {
        store,
        repository: branch.repository,
        branch: branch.name,
        generation: outcome.generation,
        documents: outcome.documents,
        sent_documents: outcome.sent_documents,
        removed_documents: outcome.removed_documents,
        sent_chunks: outcome.sent_chunks,
        known_chunks: outcome.known_chunks,
        differences,
        difference_count,
        took_ms: took.as_secs_f64() * 1e3,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_path_is_rejected() {
        for path in ["", "a\0b"] {
            assert_eq!(checked_paths(vec![path.to_owned()]).map_err(|error| error.field), Err("paths"), "{path:?}");
        }
        assert_eq!(checked_paths(vec!["src".to_owned()]), Ok(vec![PathBuf::from("src")]));
    }
}
