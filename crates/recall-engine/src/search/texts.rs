//! How close together do the words of the question stand in the best candidates?
//!
//! Read for prose alone: there it is worth .03 nDCG@10, in code nothing, where names say what stands together.

use std::sync::Arc;

use recall_core::{ChunkRow, Understood};
use recall_lexical::{Closeness, ClosenessReader};

use super::pool::OfKind;
use crate::error::StoreError;
use crate::ranking::Kind;
use crate::store::Store;
use crate::task_pool::{Deferred, TaskPool};
/// How many texts are read. To read one costs some twenty microseconds, and what is ranked lower by its words alone is
/// seldom the answer.
const MOST_TEXTS: usize = 12;

/// The closeness in the texts of one kind's documents, while other threads read them.
pub(super) struct Texts {
    /// How many documents there are.
    documents: usize,
    readings: Vec<Reading>,
}

/// The texts of one store.
struct Reading {
    /// The documents, by their places among all.
    places: Vec<usize>,
    closeness: Deferred<Result<Vec<Option<Closeness>>, StoreError>>,
}

impl Texts {
    /// Has the texts of the best documents read, each by its chunk.
    pub(super) fn read(tasks: &TaskPool, stores: &[Arc<Store>], understood: &Understood, kinds: &[OfKind<'_>]) -> Self {
        if kinds.iter().any(|kind| kind.kind == Kind::Code) {
            let documents = kinds.iter().map(|kind| kind.documents.len()).sum();
            return Self { documents, readings: Vec::new() };
        }
        let all = kinds.iter().enumerate();
        let documents: Vec<_> =
            all.flat_map(|(store, kind)| kind.documents.iter().zip(&kind.ties).map(move |one| (store, one))).collect();
        let tie = |place: usize| (documents[place].0, documents[place].1.1, place);
        let worth = |place: usize| documents[place].1.0.chunk_score;
        let mut best: Vec<usize> = (0..documents.len()).collect();
        best.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then_with(|| tie(a).cmp(&tie(b))));
        best.truncate(MOST_TEXTS);
        let reading = |(number, store): (usize, &Arc<Store>)| {
            let places: Vec<usize> = best.iter().copied().filter(|&place| documents[place].0 == number).collect();
            let rows: Vec<ChunkRow> = places.iter().map(|&place| documents[place].1.0.chunk).collect();
            let (store, mut reader) = (Arc::clone(store), ClosenessReader::new(understood));
            let closeness = move || {
                // A chunk that is gone is being replaced; what is expanded later notices, and the search begins anew.
                let texts = store.read(|snapshot| snapshot.chunk_texts(&rows))?;
                Ok(texts.into_iter().map(|text| text.map(|text| reader.read(&text))).collect())
            };
            let chunks = kinds[number].finds.evidence.question.chunks as u64;
            (!places.is_empty()).then(|| Reading { places, closeness: tasks.spawn_from(chunks, closeness) })
        };
        Self { documents: documents.len(), readings: stores.iter().enumerate().filter_map(reading).collect() }
    }

    /// The closeness of each document, store by store; `None` for what was not read.
    ///
    /// # Errors
    /// A store cannot be read.
    pub(super) fn closeness(self) -> Result<Vec<Option<Closeness>>, StoreError> {
        let mut all = vec![None; self.documents];
        for Reading { places, closeness } in self.readings {
            for (place, one) in places.into_iter().zip(closeness.join()?) {
                all[place] = one;
            }
        }
        Ok(all)
    }
}
