//! `Candidates`: returns the features of all candidate documents, as the learned rankers see them.

use recall_api::convert::candidates::{self, Call, DocumentFeatures};
use recall_api::v1::{CandidatesRequest, CandidatesResponse};
use recall_engine::{RankedDocument, feature_names};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: CandidatesRequest) -> Result<CandidatesResponse, Status> {
    let Call { context, request, rankers } = candidates::from_proto(request, &service.daemon.settings.limits)?;
    let origin = context::origin(Some(context))?;
    let documents = service.call(move |daemon| {
        // A search does not wait for the links between documents; training data must not depend on timing.
        daemon.engine.settle(&origin, request.scope)?;
        daemon.engine.candidates(&origin, &request)
    });
    let documents = documents.await?;
    let rankers = if rankers { service.daemon.engine.built_in_rankers() } else { Vec::new() };
    let names = feature_names(service.daemon.engine.feature_set());
    let width = names.len();
    Ok(CandidatesResponse {
        features: names.into_iter().map(ToOwned::to_owned).collect(),
        documents: documents.into_iter().map(|found| document(found, width)).collect(),
        rankers: rankers.into_iter().map(|(kind, bytes)| (kind.as_str().to_owned(), bytes)).collect(),
    })
}

/// Converts a document with the first `width` of its features.
fn document(found: RankedDocument, width: usize) -> recall_api::v1::RankedDocument {
    let RankedDocument { path, lines, kind, mut features } = found;
    features.truncate(width);
    candidates::document_to_proto(DocumentFeatures { path, lines, kind: kind.as_str().to_owned(), features })
}
