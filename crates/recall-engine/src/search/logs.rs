//! The place of session logs: below the memories that they mention.
//!
//! The summary of a session repeats the words of what was decided in it, so it matches the same questions. The memory is the answer;
//! the log says how it came about.

use recall_core::{DocumentRow, DocumentType, MemoryId};

use super::candidates::StoreCandidates;
use super::context::Search;
use super::ranked::Ranked;
use crate::error::StoreError;

/// The number of first candidates in which the order is corrected: several pages.
const FIRST: usize = 200;

/// The factor on a memory's score that a log below it gets, so that only the order changes.
const BELOW: f64 = 1.0 - 1e-9;

/// Moves each log of a session below the last one of the memories that it mentions.
///
/// # Errors
/// A store cannot be read.
pub(super) fn move_below(
    search: &Search<'_>,
    candidates: &[StoreCandidates],
    ranked: &mut [Ranked<'_>],
) -> Result<(), StoreError> {
    let first = ranked.len().min(FIRST);
    let ranked = &mut ranked[..first];
    let Some(last) = ranked.iter().rposition(|one| memory_of(candidates, one).is_some()) else { return Ok(()) };
    // From the last to the first, so that the places of those that are still to move do not change.
    for place in (0..last).rev() {
        let (at, row) = (ranked[place].store, ranked[place].document);
        let Some(store) = search.stores.get(at).filter(|_| is_log(&candidates[at], row)) else { continue };
        let text = store.index.read(|snapshot| snapshot.text(row))?.unwrap_or_default();
        let place_of = |id| ranked.iter().position(|one| memory_of(candidates, one) == Some(id));
        let below = mentions(&text).filter_map(place_of).max();
        if let Some(below) = below.filter(|below| *below > place) {
            ranked[place].score = ranked[below].score * BELOW;
            ranked[place..=below].rotate_left(1);
        }
    }
    Ok(())
}

fn memory_of(candidates: &[StoreCandidates], one: &Ranked<'_>) -> Option<MemoryId> {
    candidates.get(one.store)?.known.memories.memory_in_row(one.document)
}

/// Returns whether a document of a store is the log of a session.
fn is_log(found: &StoreCandidates, row: DocumentRow) -> bool {
    let mut documents = found.evidence.documents.iter();
    let document = documents.find(|document| document.document == row);
    document.is_some_and(|document| document.traits.document_type == DocumentType::Session)
}

/// Returns the ids of memories in a text.
fn mentions(text: &str) -> impl Iterator<Item = MemoryId> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_between_other_words() {
        let text = "## Decided\n\n- D-0123abcd: keep it.\n- (L-89abcdef) well-known `x-y`\n";
        let ids: Vec<String> = mentions(text).map(|id| id.to_string()).collect();
        assert_eq!(ids, ["D-0123abcd", "L-89abcdef"]);
    }
}
