//! How near in meaning to the query are the candidates?

use std::sync::Arc;

use recall_core::{ChunkRow, DocumentRow, ModelFingerprint, RankedList, Understood};
use recall_lexical::{DocumentEvidence, Evidence, SearchError, Searcher};
use rustc_hash::FxHashMap;

use crate::embeddings::{self, Near};
use crate::ranking::Basis;
use crate::store::Store;

/// A document that holds no word of the query, and that the query does not name, answers it only when it is at least so near:
/// the cosine.
///
/// Of the documents without a word that were brought for 1,900 mined questions, one in 70 to 30 was an answer from here on,
/// and one in 150 below; the nearest document of all is nearer for nine questions of ten. A query that nothing here answers
/// finds nothing so, rather than what is least far from it. That was the built-in model; an encoder whose cosines are all
/// greater is not held back, nor what one of two models alone finds near.
const LEAST_COSINE: f32 = 0.3;

/// How near the documents of one store are to the query, by document row.
pub(super) struct Meaning {
    /// The name of the model that tells it.
    pub(super) model: Arc<str>,
    /// Whether that model tells it alone, or together with the one that follows at once.
    pub(super) basis: Basis,
    documents: FxHashMap<i64, Nearness>,
}

/// How near a document is to the query: cosines, from -1 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearness {
    /// Of its nearest chunk among the candidates.
    pub(super) best: f32,
    /// Of the chunk that stands for it.
    pub(super) chunk: f32,
    /// The greatest one that any model says of any of its chunks among the candidates.
    pub(super) greatest: f32,
}

/// The models that can tell the meaning in every store that holds something: cosines by two do not compare. `None` for any,
/// where there is one such store.
pub(super) fn shared_models(stores: &[Arc<Store>]) -> Option<Vec<ModelFingerprint>> {
    let mut stores = stores.iter().filter(|store| !store.holds_nothing());
    let models = |store: &Arc<Store>| {
        let covering = store.semantic.covering(store.lexical.generation());
        covering.map(|covering| covering.models()).unwrap_or_default()
    };
    let first = stores.next()?;
    let mut others = stores.peekable();
    others.peek()?;
    Some(others.fold(models(first), |mut shared, store| {
        let here = models(store);
        shared.retain(|model| here.contains(model));
        shared
    }))
}

/// Prepares to find what lies near the query in a store by these models, or any, among what the filters let through; `None`
/// where there are no embeddings that could be asked. What is returned finds it on any thread, and `None` where they cannot be
/// asked after all.
///
/// # Errors
/// The lexical index, which knows what the filters let through, is damaged.
pub(super) fn near(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
    depth: usize,
    models: Option<&[ModelFingerprint]>,
) -> Result<Option<impl FnOnce() -> Option<Near> + Send + 'static>, SearchError> {
    let Some(covering) = store.semantic.covering(searcher.generation()) else { return Ok(None) };
    let covering = match models {
        Some(models) => covering.only(models),
        None => covering,
    };
    let (text, allowed) = (understood.text.clone(), searcher.allowed(&understood.filters)?);
    Ok(Some(move || covering.near(&text, allowed.as_deref(), depth)))
}

impl Meaning {
    /// Compares the documents of the evidence with the query, by those of their chunks that a retriever brought.
    ///
    /// For a document that holds no word of the query, its nearest chunk stands; one that is not near either is taken out of
    /// the evidence and of the lists.
    pub(super) fn of(near: &Near, lists: &mut [RankedList], evidence: &mut Evidence) -> Self {
        let mut chunks: Vec<(i64, ChunkRow)> =
            evidence.documents.iter().map(|document| (document.document.0, document.chunk)).collect();
        chunks.extend(lists.iter().flat_map(|list| &list.candidates).map(|one| (one.document.0, one.chunk)));
        chunks.sort_unstable();
        chunks.dedup();
        let rows: Vec<ChunkRow> = chunks.iter().map(|&(_, row)| row).collect();
        let known = chunks.into_iter().zip(near.nearness(&rows));
        let known: Vec<(i64, ChunkRow, embeddings::Nearness)> =
            known.filter_map(|((document, row), nearness)| Some((document, row, nearness?))).collect();
        let mut documents = FxHashMap::default();
        for of_one in known.chunk_by(|one, other| one.0 == other.0) {
            let Ok(place) = evidence.documents.binary_search_by_key(&of_one[0].0, |known| known.document.0) else {
                continue;
            };
            let document = &mut evidence.documents[place];
            let nearest = of_one.iter().fold(of_one[0], |best, one| if one.2.told > best.2.told { *one } else { best });
            if document.chunk_score <= 0.0 {
                document.chunk = nearest.1;
            }
            let best = nearest.2.told;
            let chunk = of_one.iter().find(|one| one.1 == document.chunk).map_or(best, |one| one.2.told);
            let greatest = of_one.iter().map(|one| one.2.greatest).fold(best, f32::max);
            documents.insert(of_one[0].0, Nearness { best, chunk, greatest });
        }
        let basis = if near.is_together() { Basis::Together } else { Basis::Meaning };
        let meaning = Self { model: Arc::clone(&near.model), basis, documents };
        evidence.documents.retain(|document| meaning.may_answer(document));
        let stays = |one: DocumentRow| evidence.documents.binary_search_by_key(&one, |known| known.document).is_ok();
        for list in lists {
            list.candidates.retain(|one| stays(one.document));
        }
        meaning
    }

    fn may_answer(&self, document: &DocumentEvidence) -> bool {
        let DocumentEvidence { body_coverage, symbol_coverage, comment_coverage, path_coverage, .. } = *document;
        let holds_a_word =
            [body_coverage, symbol_coverage, comment_coverage, path_coverage].iter().any(|part| *part > 0.0);
        let DocumentEvidence { names_folded, names_near, phrase_equal, path_equal, .. } = *document;
        let is_named = [names_folded, names_near, phrase_equal, path_equal].iter().any(|part| *part > 0.0);
        holds_a_word
            || is_named
            || self.nearness(document.document).is_none_or(|nearness| nearness.greatest >= LEAST_COSINE)
    }

    /// How near a document is; `None` for one without embeddings.
    pub(super) fn nearness(&self, document: DocumentRow) -> Option<Nearness> {
        self.documents.get(&document.0).copied()
    }
}
