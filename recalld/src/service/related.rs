//! `Related`: finds documents that are linked or similar to a document.

use recall_api::convert::{document, document_type, limits, scope};
use recall_api::v1::{RelatedEntry, RelatedRequest, RelatedResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_engine::{Related, RelatedDocument, RelatedRequest as Asked};
use tonic::Status;

use super::{Service, context, store, warning};

pub(super) async fn handle(service: &Service, request: RelatedRequest) -> Result<RelatedResponse, Status> {
    let RelatedRequest { context, id, scope: wanted, limit, types } = request;
    if id.trim().is_empty() {
        return Err(InvalidRequest::new("id", Problem::Empty).into());
    }
    let types: Result<Vec<_>, _> = types.iter().map(|name| document_type("types", name)).collect();
    let asked = Asked {
        id,
        scope: scope::from_proto(wanted, Scope::All)?,
        limit: limits::related_entries(limit)?,
        types: types?.into_iter().flatten().collect(),
    };
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let related = service.call(move |daemon| daemon.engine.related_documents(&origin, &asked)).await?;
    let mut response = response(related);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn response(related: Related) -> RelatedResponse {
    let Related { scope, documents, coverage, warnings } = related;
    let store_id = store::id(&coverage.root);
    let entry = |found: RelatedDocument| {
        let RelatedDocument { document: found, score, ties, citation } = found;
        RelatedEntry {
            score,
            doc: Some(document::to_proto(&found, scope, &store_id)),
            reasons: ties.into_iter().map(|tie| tie.as_str().to_owned()).collect(),
            citation: citation.unwrap_or_default(),
        }
    };
    RelatedResponse {
        results: documents.into_iter().map(entry).collect(),
        generation: coverage.generation.0,
        warnings: warning::to_proto(warnings),
    }
}
