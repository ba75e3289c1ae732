//! Candidate documents of a query with their ranking features, for training and evaluation.

use std::collections::HashMap;

use recall_core::{ChunkRow, Scope, SearchRequest, Understood};
use recall_text::DocPath;

use crate::Engine;
use crate::engine::MountedStore;
use crate::error::SearchError;
use crate::origin::Origin;
use crate::ranking::{ContentKind, FeatureSet, Rankers, features};
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
    /// Returns the feature set of candidates: with semantic features if an embedding model is configured.
    pub fn feature_set(&self) -> FeatureSet {
        if self.settings.model.is_some() { FeatureSet::Semantic } else { FeatureSet::Words }
    }

    /// Returns the built-in rankers of the kinds for this engine's feature set, in their binary form, over
    /// [`feature_names`](crate::feature_names).
    ///
    /// # Panics
    /// Never: the ranker of a kind does not use features that are computed from its own scores.
    pub fn built_in_rankers(&self) -> Vec<(ContentKind, Vec<u8>)> {
        let names: Vec<String> = features::names(self.feature_set()).into_iter().map(ToOwned::to_owned).collect();
        let written = |kind| {
            let ranker = self.settings.rankers.ranker(kind, self.feature_set())?.clone();
            Some((kind, ranker.over(&names).expect("a ranker of a kind knows the features before ranking").write()))
        };
        [ContentKind::Code, ContentKind::Prose].into_iter().filter_map(written).collect()
    }

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
        let rows = candidate_rows(self, request, &understood, scope, &stores)?;
        let mut documents = Vec::with_capacity(rows.len());
        for (place, store) in stores.iter().enumerate() {
            let here: Vec<_> = rows.iter().filter(|row| row.store == place).collect();
            let chunks: Vec<ChunkRow> = here.iter().map(|row| row.chunk).collect();
            let read = store.index.read(|snapshot| snapshot.hits(&chunks))?;
            let by_row: HashMap<ChunkRow, _> = read.into_iter().flatten().map(|chunk| (chunk.row, chunk)).collect();
            documents.extend(here.into_iter().filter_map(|row| {
                let found = by_row.get(&row.chunk)?;
                let span = found.chunk.span;
                Some(RankedDocument {
                    path: store.mount.outer_path(&found.document.document.path),
                    lines: (span.start_line, span.end_line),
                    kind: row.kind,
                    features: row.row.clone(),
                })
            }));
        }
        Ok(documents)
    }
}

/// A candidate document with the row of features that a ranker reads.
struct CandidateRow {
    store: usize,
    chunk: ChunkRow,
    kind: ContentKind,
    row: Vec<f32>,
}

/// Returns the features of every candidate, even if no ranker decides on the order.
fn candidate_rows(
    engine: &Engine,
    request: &SearchRequest,
    understood: &Understood,
    scope: Scope,
    stores: &[MountedStore],
) -> Result<Vec<CandidateRow>, SearchError> {
    let ranking = stores[0].ranking(&engine.settings.rankers);
    let base = &stores[0].store;
    let searched = searched_stores(stores, &[]);
    let searched = &searched[..];
    let search = Search {
        engine,
        request,
        understood,
        scope,
        searched,
        stores,
        base,
        ranking: &ranking,
        filter: None,
        period: None,
        past: PastUse::Adopted,
    };
    let candidates = candidates::gather(&search, &search.weights(), true, &mut StageClock::default())?;
    let (set, none) = (order::feature_set(&candidates), Rankers::none());
    let rankers = ranking.rankers.as_ref().unwrap_or(&none);
    let mut all = Vec::new();
    for kind in ContentKind::ALL {
        let kinds: Vec<_> = candidates.iter().map(|of_store| of_store.with_kind(kind)).collect();
        let (features, _) = order::score_documents(&search, &kinds, kind, set, rankers)?;
        let documents =
            kinds.iter().enumerate().flat_map(|(store, one)| one.documents.iter().map(move |d| (store, *d)));
        all.extend(documents.enumerate().map(|(place, (store, document))| CandidateRow {
            store,
            chunk: document.chunk,
            kind,
            row: features.row(place),
        }));
    }
    Ok(all)
}
