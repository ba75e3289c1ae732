//! Ids in messages: those of stores, with their names, and abbreviated and foreign ids, which are replaced by those of memories and
//! documents before the requests are read.

use std::path::Path;

use recall_api::v1::{
    self, AddRequest, FeedbackRequest, GetRequest, GraphRequest, HistoryRequest, PromoteRequest, RelatedRequest,
    RemoveRequest, RequestContext, ReviewRequest, UpdateRequest, VerifyRequest, WhyRequest,
};
use recall_core::ContentHash;
use recall_engine::{Abbreviated, Coverage};
use tonic::Status;

use super::Service;

/// A request that names memories or documents.
pub(super) trait NamesItems {
    /// Whether its names may be the ids of documents. A symbol can look like the beginning of one.
    const DOCUMENTS: bool;

    /// Returns the client's context.
    fn context(&self) -> Option<&RequestContext>;

    fn names(&mut self) -> Vec<&mut String>;
}

macro_rules! names_items {
    ($($Request:ident, $documents:literal, |$request:ident| $names:expr;)*) => {
        $(
            impl NamesItems for $Request {
                const DOCUMENTS: bool = $documents;

                fn context(&self) -> Option<&RequestContext> {
                    self.context.as_ref()
                }

                fn names(&mut self) -> Vec<&mut String> {
                    let $request = self;
                    $names
                }
            }
        )*
    };
}

names_items! {
    AddRequest, false, |request| vec![&mut request.supersedes];
    FeedbackRequest, true, |request| vec![&mut request.item_id];
    GetRequest, true, |request| vec![&mut request.id];
    GraphRequest, false, |request| vec![&mut request.node];
    HistoryRequest, true, |request| vec![&mut request.id];
    ReviewRequest, false, |request| vec![&mut request.id, &mut request.into];
    PromoteRequest, false, |request| vec![&mut request.id];
    RelatedRequest, true, |request| vec![&mut request.id];
    RemoveRequest, false, |request| request.items.iter_mut().collect();
    UpdateRequest, false, |request| vec![&mut request.id];
    VerifyRequest, false, |request| request.ids.iter_mut().collect();
    WhyRequest, true, |request| vec![&mut request.file];
}

/// Replaces the abbreviated ids of a request, and those that memories had where they were imported from.
pub(super) async fn complete<R: NamesItems>(service: &Service, mut request: R) -> Result<R, Status> {
    let is_abbreviated = |name: &str| match Abbreviated::parse(name) {
        Some(Abbreviated::Memory | Abbreviated::Whole) => true,
        Some(Abbreviated::Document) => R::DOCUMENTS,
        None => false,
    };
    let abbreviated: Vec<String> =
        request.names().into_iter().filter(|name| is_abbreviated(name)).map(|name| name.clone()).collect();
    if abbreviated.is_empty() {
        return Ok(request);
    }
    let origin = service.origin(request.context().cloned()).await?;
    for name in abbreviated {
        let (origin, asked) = (origin.clone(), name.clone());
        let whole = service.call(move |daemon| daemon.engine.whole_id(&origin, &asked)).await?;
        request.names().into_iter().filter(|given| **given == name).for_each(|given| whole.clone_into(given));
    }
    Ok(request)
}

/// Returns a store's id, a hash of its root's path.
pub(super) fn store_id(root: &Path) -> String {
    ContentHash::hash(root.as_os_str().as_encoded_bytes()).short()
}

/// Returns the id of the searched store with that index; empty if there is none.
pub(super) fn store_id_at(place: usize, coverage: &[Coverage]) -> String {
    coverage.get(place).map(|coverage| store_id(&coverage.root)).unwrap_or_default()
}

/// Returns the generation of the project's store, or of the first searched store if the project's was not searched.
pub(super) fn generation(coverage: &[Coverage]) -> u64 {
    coverage.first().map_or(0, |coverage| coverage.generation.0)
}

/// Returns a store's name, which is that of its root's directory.
pub(super) fn store_name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}

/// Gives a published document its id.
pub(super) fn name_document(doc: &mut v1::Document) {
    doc.id.clone_from(&doc.path);
}

/// Gives a chunk of a published document its id.
pub(super) fn name_chunk(chunk: &mut v1::Chunk, path: &str, ordinal: u32) {
    chunk.id = format!("{path}#{ordinal}");
    path.clone_into(&mut chunk.doc_id);
}
