//! Semantic evidence: the cosine similarity of the candidates to the query.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ChunkRow, DocumentRow, ModelFingerprint, RankedList, Understood};
use recall_index::lexical::{DocumentEvidence, Evidence, SearchError, Searcher};
use rustc_hash::FxHashMap;

use crate::embeddings::{self, Near};
use crate::engine::MountedStore;
use crate::ranking::FeatureSet;
use crate::store::Store;
use crate::warning::Warning;

/// The least cosine to the query of a document that contains none of its words and that the query does not name. Below it, the
/// document is not a candidate.
///
/// Measured with the built-in model over 1,900 mined questions: of such documents, one in 70 to 30 is an answer above this
/// cosine, one in 150 below it. The nearest document of all is above it for nine questions of ten. Without the limit, a query
/// without an answer would find the least distant documents. The greatest cosine of any model counts, an encoder's on the scale of
/// the built-in model.
const LEAST_COSINE: f32 = 0.3;

/// The same for a question of several terms. A paraphrase shares no word with its answer, and the built-in model gives such pairs
/// 0.1 to 0.3. An answer of which all hits are that far is marked as doubtful.
const LEAST_COSINE_OF_QUESTION: f32 = 0.1;

/// The cosines of one store's documents to the query, by document row.
pub(super) struct SemanticEvidence {
    /// The name of the embedding model.
    pub(super) model: Arc<str>,
    /// Whether the cosines are of one model or blended from an encoder and the built-in model.
    pub(super) features: FeatureSet,
    documents: FxHashMap<i64, Cosines>,
}

/// Cosines of a document to the query, from -1 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cosines {
    /// The cosine of its nearest chunk among the candidates; blended if two models count.
    pub(super) best: f32,
    /// The cosine of the chunk that represents the document, on the same scale.
    pub(super) chunk: f32,
    /// The highest cosine over all models and candidate chunks of the document, on the scale of the built-in model.
    pub(super) greatest: f32,
    /// The highest cosine that compares kinds over the candidate chunks of the document, on the same scale.
    pub(super) preferred: f32,
}

/// A function that returns the nearness of chunks.
type NearnessOf<'a> = Box<dyn FnOnce(&[ChunkRow]) -> Vec<Option<embeddings::Nearness>> + 'a>;

/// The nearness of chunks to the query.
pub(super) struct QueryNearness<'a> {
    /// The name of the embedding model.
    pub(super) model: Arc<str>,
    /// Whether the cosines are of one model or blended from an encoder and the built-in model.
    pub(super) features: FeatureSet,
    /// Returns the nearness of each chunk; `None` for one that was not compared.
    pub(super) nearness: NearnessOf<'a>,
}

/// Returns the models that cover a store; `None` if it has no documents.
pub(super) fn models_of(store: &Store) -> Option<Vec<ModelFingerprint>> {
    let complete = || store.index.embeddings().answering_models(store.index.generation());
    (!store.index.holds_nothing()).then(|| complete().map(|complete| complete.models()).unwrap_or_default())
}

/// Returns the models that cover every store with documents, because cosines of two models do not compare. `None` allows any
/// model: there is at most one such store.
pub(super) fn common_models(
    stores: impl Iterator<Item = Option<Vec<ModelFingerprint>>>,
) -> Option<Vec<ModelFingerprint>> {
    let mut stores = stores.flatten();
    let first = stores.next()?;
    let mut others = stores.peekable();
    others.peek()?;
    Some(others.fold(first, |mut common, here| {
        common.retain(|model| here.contains(model));
        common
    }))
}

/// Waits until the embeddings that follow at once cover every store, for `patience` in all.
pub(super) fn wait_for_embeddings(stores: &[MountedStore], patience: Duration) {
    let began = Instant::now();
    for store in stores {
        store.index.embeddings().wait_for(store.index.generation(), patience.saturating_sub(began.elapsed()));
    }
}

/// Returns a warning for each reason why embeddings of the stores were not used; `model` is the one that was used instead.
pub(crate) fn warn_of_problems(stores: &[MountedStore], model: Option<&str>) -> impl Iterator<Item = Warning> {
    let problems = stores.iter().flat_map(|store| store.index.embeddings().problems());
    problems.map(move |reason| Warning::EmbeddingsUnusable { reason, instead: model.map(ToOwned::to_owned) })
}

/// Prepares a nearest-neighbour search in one store, by the given models or any, among the documents that pass the filters.
/// `None` if the store has no usable embeddings. The returned function runs on any thread; it returns `None` if the embeddings
/// cannot be searched after all.
///
/// # Errors
/// The lexical index, which evaluates the filters, is damaged.
pub(super) fn near(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
    depth: usize,
    models: Option<&[ModelFingerprint]>,
) -> Result<Option<impl FnOnce() -> Option<Near> + Send + 'static>, SearchError> {
    let Some(complete) = store.index.embeddings().answering_models(searcher.generation()) else { return Ok(None) };
    let complete = match models {
        Some(models) => complete.retain(models),
        None => complete,
    };
    let (text, allowed) = (understood.text.clone(), searcher.allowed_rows(&understood.filters)?);
    Ok(Some(move || complete.near(&text, allowed.as_deref(), depth)))
}

impl SemanticEvidence {
    /// Computes the cosines of the documents in the evidence, from those of their chunks that a retriever returned.
    ///
    /// A document that has no word of the query, and that the query does not name, is represented by its nearest chunk. If that is not
    /// near enough either, the document is removed from the evidence and the lists.
    pub(super) fn compute(near: QueryNearness<'_>, lists: &mut [RankedList], evidence: &mut Evidence) -> Self {
        let QueryNearness { model, features, nearness } = near;
        let mut chunks: Vec<(i64, ChunkRow)> =
            evidence.documents.iter().map(|document| (document.document.0, document.chunk)).collect();
        chunks.extend(lists.iter().flat_map(|list| &list.candidates).map(|one| (one.document.0, one.chunk)));
        chunks.sort_unstable();
        chunks.dedup();
        let rows: Vec<ChunkRow> = chunks.iter().map(|&(_, row)| row).collect();
        let known = chunks.into_iter().zip(nearness(&rows));
        let known: Vec<(i64, ChunkRow, embeddings::Nearness)> =
            known.filter_map(|((document, row), nearness)| Some((document, row, nearness?))).collect();
        let mut documents = FxHashMap::default();
        for of_one in known.chunk_by(|one, other| one.0 == other.0) {
            let Ok(place) = evidence.documents.binary_search_by_key(&of_one[0].0, |known| known.document.0) else {
                continue;
            };
            let document = &mut evidence.documents[place];
            let nearest =
                of_one.iter().fold(of_one[0], |best, one| if one.2.cosine > best.2.cosine { *one } else { best });
            if document.chunk_score <= 0.0 && !is_named(document) {
                document.chunk = nearest.1;
            }
            let best = nearest.2.cosine;
            let chunk = of_one.iter().find(|one| one.1 == document.chunk).map_or(best, |one| one.2.cosine);
            let greatest = of_one.iter().map(|one| one.2.greatest).fold(best, f32::max);
            let preferred = of_one.iter().map(|one| one.2.preferred).fold(-1.0, f32::max);
            documents.insert(of_one[0].0, Cosines { best, chunk, greatest, preferred });
        }
        let semantic = Self { model, features, documents };
        let least = if evidence.query.terms > 1.5 { LEAST_COSINE_OF_QUESTION } else { LEAST_COSINE };
        evidence.documents.retain(|document| semantic.may_answer(document, least));
        let stays = |one: DocumentRow| evidence.documents.binary_search_by_key(&one, |known| known.document).is_ok();
        for list in lists {
            list.candidates.retain(|one| stays(one.document));
        }
        semantic
    }

    fn may_answer(&self, document: &DocumentEvidence, least_cosine: f32) -> bool {
        let DocumentEvidence { body_coverage, symbol_coverage, comment_coverage, path_coverage, .. } = *document;
        let holds_a_word =
            [body_coverage, symbol_coverage, comment_coverage, path_coverage].iter().any(|part| *part > 0.0);
        holds_a_word
            || is_named(document)
            || document.names_begun > 0.0
            || self.cosines(document.document).is_none_or(|cosines| cosines.greatest >= least_cosine)
    }

    /// Returns the cosines of a document; `None` if it has no embeddings.
    pub(super) fn cosines(&self, document: DocumentRow) -> Option<Cosines> {
        self.documents.get(&document.0).copied()
    }
}

/// Returns whether the query names a document or a definition in it, or writes what is in its text.
fn is_named(document: &DocumentEvidence) -> bool {
    let DocumentEvidence { names_folded, names_near, phrase_equal, path_equal, .. } = *document;
    let DocumentEvidence { telling, literal, holds_rare, framed, .. } = *document;
    [names_folded, names_near, phrase_equal, path_equal, telling, literal, holds_rare, framed]
        .iter()
        .any(|part| *part > 0.0)
}
