//! `Search`: finds the chunks that answer a query.

mod answer;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use recall_core::{DocumentId, Scope};
use recall_engine::{Engine, GetError, ItemRequest, Origin, Parent};
use recall_proto::convert;
use recall_proto::v1::{SearchRequest, SearchResponse};
use tonic::Status;

use super::{Service, context};
use crate::activity::ClientId;
use crate::admission::Answering;
use crate::failure::unsupported;

/// How many copies of a document's whole text an answer needs: as read, in the hit, and encoded.
const COPIES_OF_A_TEXT: u64 = 3;

pub(super) async fn handle(
    service: &Service,
    client: ClientId,
    answering: &Answering,
    request: SearchRequest,
) -> Result<SearchResponse, Status> {
    let began = Instant::now();
    let call = convert::search::from_proto(request, &service.daemon.settings.limits)?;
    let convert::search::Call { context, request, filter, include_parent, min_relative_score } = call;
    if filter.is_some() {
        return Err(unsupported("filters in RQL (`filter`)"));
    }
    let provenance = convert::remember::provenance(&context);
    let session = provenance.session.clone().unwrap_or_default();
    let origin = Arc::new(context::origin(Some(context))?);

    let asked = request.clone();
    let from = Arc::clone(&origin);
    let mut answer = service.call_short(client, move |daemon| daemon.engine.search(&from, &asked)).await?;
    if let (Some(part), Some(best)) = (min_relative_score, answer.best_score) {
        let count = answer.hits.len();
        answer.hits.retain(|hit| hit.score >= best * part);
        // Later hits score even lower, so there is no next page.
        answer.next_offset = answer.next_offset.filter(|_| answer.hits.len() == count);
    }
    // Only queues a note; it is written after the answer is sent.
    service.daemon.engine.note_search(&origin, &provenance, &request, &answer);
    let parents = if include_parent {
        let documents: Vec<_> = answer.hits.iter().map(|hit| hit.document.id).collect();
        let text_bytes: u64 = answer.hits.iter().map(|hit| hit.document.size_bytes).sum();
        answering.admit_texts(text_bytes * COPIES_OF_A_TEXT).await;
        service.call(move |daemon| parent_texts(&daemon.engine, &origin, &documents)).await?
    } else {
        HashMap::new()
    };
    let mut response = answer::to_proto(&request, answer, &parents, began.elapsed());
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// Returns the texts of the documents that still exist.
fn parent_texts(
    engine: &Engine,
    origin: &Origin,
    documents: &[DocumentId],
) -> Result<HashMap<DocumentId, String>, GetError> {
    let mut texts = HashMap::new();
    for &document in documents {
        if texts.contains_key(&document) {
            continue;
        }
        match engine.get(origin, &ItemRequest { id: document.to_string(), parent: Parent::Leave, scope: Scope::All }) {
            Ok(item) => {
                texts.insert(document, item.text);
            }
            // It was removed after the search; its hit has no parent text.
            Err(GetError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(texts)
}
