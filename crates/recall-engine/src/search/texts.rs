//! How close together do the words of the question stand in the best candidates?
//!
//! Read for prose alone: there it is worth .03 nDCG@10, in code nothing, where names say what stands together.

use recall_core::{ChunkRow, Understood};
use recall_lexical::{Closeness, ClosenessReader};

use super::pool::OneSide;
use crate::error::StoreError;
use crate::rankers::Side;
use crate::store::Store;
use std::sync::Arc;

/// How many texts are read. To read one costs some twenty microseconds, and what is ranked lower by its words alone is
/// seldom the answer.
const MOST_TEXTS: usize = 12;

/// The closeness in the text of each document's chunk, store by store; `None` for what was not read.
pub(super) fn closeness(
    stores: &[Arc<Store>],
    understood: &Understood,
    sides: &[OneSide<'_>],
) -> Result<Vec<Option<Closeness>>, StoreError> {
    let documents: Vec<_> = sides
        .iter()
        .enumerate()
        .flat_map(|(store, side)| side.documents.iter().map(move |one| (store, *one)))
        .collect();
    let tie = |place: usize| {
        let (store, one) = documents[place];
        (store, sides[store].finds.tie(one.document), place)
    };
    let score = |place: usize| documents[place].1.chunk_score;
    let mut read = vec![None; documents.len()];
    if sides.iter().any(|side| side.side == Side::Code) {
        return Ok(read);
    }
    let mut best: Vec<usize> = (0..documents.len()).collect();
    best.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then_with(|| tie(a).cmp(&tie(b))));
    best.truncate(MOST_TEXTS);
    let mut reader = ClosenessReader::new(understood);
    for (number, store) in stores.iter().enumerate() {
        let here: Vec<usize> = best.iter().copied().filter(|&place| documents[place].0 == number).collect();
        let rows: Vec<ChunkRow> = here.iter().map(|&place| documents[place].1.chunk).collect();
        if rows.is_empty() {
            continue;
        }
        // A chunk that is gone is being replaced; what is expanded later notices, and the search begins anew.
        for (place, text) in here.into_iter().zip(store.read(|snapshot| snapshot.chunk_texts(&rows))?) {
            read[place] = text.map(|text| reader.read(&text));
        }
    }
    Ok(read)
}
