//! `Search`: finds the chunks that answer a query.

mod answer;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use recall_api::v1::{self, RequestContext, SearchRequest, SearchResponse};
use recall_api::{Failure, Reason, convert};
use recall_config::SearchSettings;
use recall_core::rql::Filter;
use recall_core::{DocumentId, OtherProjects, Recording, Scope, take_as_of};
use recall_engine::{Answer, Engine, GetError, ItemRequest, Origin, Parent, Warning};
use recall_text::{DocPath, error_chain};
use tonic::Status;

use super::{CallLength, Service, query, warning};
use crate::admission::Answering;
use crate::daemon::Daemon;
pub(super) use answer::{indexing, millis, searched_store, to_proto};

/// The name of the client that agents use.
const SHIM: &str = "recall-shim";

/// How many copies of a document's whole text an answer needs: as read, in the hit, and encoded.
const COPIES_OF_A_TEXT: u64 = 3;

/// Gives a request the user's defaults for what it does not say.
fn with_defaults(mut request: SearchRequest, settings: &SearchSettings) -> SearchRequest {
    if request.scope == i32::from(v1::Scope::Unspecified) {
        request.scope = convert::scope::to_proto(settings.scope).into();
    }
    request.limit.get_or_insert(settings.limit);
    request.rerank.get_or_insert(settings.rerank);
    request
}

/// Takes the time that the query names with `as-of:` as that of the request.
fn with_time_of_query(mut request: SearchRequest) -> SearchRequest {
    if let Some((as_of, query)) = take_as_of(&request.query) {
        request.context.get_or_insert_default().as_of = as_of;
        request.query = query;
    }
    request
}

pub(super) async fn handle(
    service: &Service,
    answering: &Answering,
    request: SearchRequest,
) -> Result<SearchResponse, Status> {
    let began = Instant::now();
    let request = with_time_of_query(request);
    let request = with_defaults(request, &service.daemon.settings.search);
    let call = convert::search::from_proto(request, &service.daemon.settings.limits)?;
    let convert::search::Call { context, request, filter, condensed, include_parent, min_relative_score } = call;
    let condition = filter.as_deref().map(Filter::parse).transpose();
    let condition = condition.map_err(|error| query::failure(error, "filter"))?;
    let provenance = convert::remember::provenance(&context);
    let session = provenance.session.clone().unwrap_or_default();
    if request.others != OtherProjects::None {
        may_search_elsewhere(&context, service.daemon.settings.search.agents_everywhere)?;
    }
    let origin = Arc::new(service.origin(Some(context)).await?);

    let asked = request.clone();
    let from = Arc::clone(&origin);
    let search = move |daemon: &Daemon| daemon.engine.search_or_find(&from, &asked, condition.as_ref());
    let mut answer = service.call_indexed(CallLength::Short, |answer: &Answer| &answer.warnings, search).await?;
    if let (Some(part), Some(best)) = (min_relative_score, answer.best_score) {
        let count = answer.hits.len();
        answer.hits.retain(|hit| hit.score >= best * part);
        // Later hits score even lower, so there is no next page.
        answer.next_offset = answer.next_offset.filter(|_| answer.hits.len() == count);
    }
    if request.recording == Recording::On {
        // Only queues a note; it is written after the answer is sent.
        service.daemon.engine.note_search(&origin, &provenance, &request, &answer);
    }
    let parents = if include_parent {
        let documents: Vec<_> = answer.hits.iter().map(|hit| (hit.document.id, hit.document.path.clone())).collect();
        let text_bytes: u64 = answer.hits.iter().map(|hit| hit.document.size_bytes).sum();
        answering.admit_texts(text_bytes * COPIES_OF_A_TEXT).await;
        service.call(move |daemon| parent_texts(&daemon.engine, &origin, &documents)).await?
    } else {
        ParentTexts::default()
    };
    let mut response = to_proto(&request, filter, answer, &parents.texts, began.elapsed());
    response.warnings.extend(warning::to_proto(parents.warnings));
    response.warnings.extend(condensed.as_ref().map(warning::condensed_warning));
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// Checks that the caller may search other projects: a person, or an agent if the user allows it.
pub(super) fn may_search_elsewhere(context: &RequestContext, agents_may: bool) -> Result<(), Failure> {
    let RequestContext { agent, session_id, client_name, .. } = context;
    let is_agent = !agent.is_empty() || !session_id.is_empty() || client_name == SHIM;
    if agents_may || !is_agent {
        return Ok(());
    }
    Err(Failure::new(Reason::PermissionDenied, "agents may not search other projects").with_hint(
        "a person may allow it with `agents_everywhere = true` under `[search]` in the user's `recall.toml`",
    ))
}

/// The texts of documents, and the warnings of shared stores that did not answer.
#[derive(Default)]
struct ParentTexts {
    texts: HashMap<DocumentId, String>,
    warnings: Vec<Warning>,
}

/// Returns the texts of the documents that still exist. One of a shared store is found by its path alone.
fn parent_texts(
    engine: &Engine,
    origin: &Origin,
    documents: &[(DocumentId, DocPath)],
) -> Result<ParentTexts, GetError> {
    let mut parents = ParentTexts::default();
    for (document, path) in documents {
        if parents.texts.contains_key(document) {
            continue;
        }
        let get = |id: String| engine.get(origin, &ItemRequest { id, parent: Parent::Leave, scope: Scope::All });
        let found = match get(document.to_string()) {
            Err(error) if error.is_missing() => get(path.as_str().to_owned()),
            found => found,
        };
        match found {
            Ok(item) => {
                parents.texts.insert(*document, item.text);
            }
            // It was removed after the search; its hit has no parent text.
            Err(error) if error.is_missing() => {}
            Err(GetError::Shared { store, source }) => {
                let reason = error_chain(&source);
                parents.warnings.push(Warning::SharedStore { store, reason, is_new: true });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(parents)
}
