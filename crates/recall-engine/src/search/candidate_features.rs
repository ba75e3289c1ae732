//! Candidate documents of a query with their ranking features, for training and evaluation.

use std::collections::HashMap;

use recall_core::{ChunkRow, SearchRequest};
use recall_text::DocPath;

use crate::Engine;
use crate::error::SearchError;
use crate::origin::Origin;
use crate::ranking::{ContentKind, Rankers};
use crate::search::context::{Search, StageClock};
use crate::search::store_results::PastUse;
use crate::search::{candidates, order, searched_stores};

/// A candidate document with the features that the learned ranker of its kind reads.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedDocument {
    /// The path, with which training finds its label.
    pub path: DocPath,
    /// The first and the last line of the chunk that represents the document.
    pub lines: (u32, u32),
    /// The kind, which selects the ranker.
    pub kind: ContentKind,
    /// Its features, in the order of [`all_feature_names`](crate::all_feature_names); those of [`feature_names`](crate::feature_names)
    /// come first.
    pub features: Vec<f32>,
}

impl Engine {
    /// Returns the features of every candidate, in no particular order and without selection.
    ///
    /// # Errors
    /// The same as [`Engine::search`].
    pub fn candidates(&self, origin: &Origin, request: &SearchRequest) -> Result<Vec<RankedDocument>, SearchError> {
        self.repairing(|| self.ranked_documents(origin, request))
    }

    fn ranked_documents(&self, origin: &Origin, request: &SearchRequest) -> Result<Vec<RankedDocument>, SearchError> {
        let (understood, _) = self.understood(origin, request)?;
        let scope = understood.scope.unwrap_or(request.scope);
        let stores = self.searched_stores(origin, scope, request, &understood)?.stores;
        let rankers = stores[0].rankers(&self.settings.rankers);
        let searched = searched_stores(&stores, &[]);
        let search = Search {
            engine: self,
            request,
            understood: &understood,
            scope,
            searched: &searched,
            stores: &stores,
            base: &stores[0].store,
            rankers,
            filter: None,
            period: None,
            past: PastUse::Adopted,
        };
        // Every candidate has its features, even if no ranker decides on the order.
        let candidates = candidates::gather(&search, &search.weights(), true, &mut StageClock::default())?;
        let (set, none) = (order::feature_set(&candidates), Rankers::none());
        let mut all = Vec::new();
        for kind in ContentKind::ALL {
            let kinds: Vec<_> = candidates.iter().map(|of_store| of_store.with_kind(kind)).collect();
            let (features, _) = order::score_documents(&search, &kinds, kind, set, rankers.unwrap_or(&none))?;
            let mut place = 0;
            for (store, found) in stores.iter().zip(&kinds) {
                let chunks: Vec<ChunkRow> = found.documents.iter().map(|document| document.chunk).collect();
                let read = store.index.read(|snapshot| snapshot.hits(&chunks))?;
                let by_row: HashMap<ChunkRow, _> = read.into_iter().flatten().map(|chunk| (chunk.row, chunk)).collect();
                for chunk in chunks {
                    // A chunk without a document was deleted meanwhile.
                    all.extend(by_row.get(&chunk).map(|found| RankedDocument {
                        path: store.mount.outer_path(&found.document.document.path),
                        lines: (found.chunk.span.start_line, found.chunk.span.end_line),
                        kind,
                        features: features.row(place),
                    }));
                    place += 1;
                }
            }
        }
        Ok(all)
    }
}
