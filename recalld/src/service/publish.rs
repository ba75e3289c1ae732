//! `Publish`: publishes a project to a shared store.

use recall_api::v1;
use recall_engine::{Cancel, Comparison, PublishReport, PublishRequest};
use tonic::Status;

use super::{Service, context};

/// The most paths of a difference that an answer names.
const MOST_PATHS: usize = 100;

pub(super) async fn handle(service: &Service, request: v1::PublishRequest) -> Result<v1::PublishResponse, Status> {
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
