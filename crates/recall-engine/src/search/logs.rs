//! What stands below other hits: session logs below the memories that they mention, and the turns of transcripts below
//! everything that is indexed.
//!
//! The summary of a session repeats the words of what was decided in it, so it matches the same questions. The memory is the answer;
//! the log says how it came about.
//!
//! Turns are read only if the request names their type. What was once said is no knowledge of the project: most of it was
//! superseded in the same session. So a memory or a file comes first, whatever its score.

use recall_core::rql::Filter;
use recall_core::{DocumentRow, DocumentType, Filters, MemoryId, OtherProjects, Scope, SearchRequest, StoreScope};

use super::answer::{Answer, Hit};
use super::candidates::StoreCandidates;
use super::context::Search;
use super::ranked::Ranked;
use crate::Engine;
use crate::error::StoreError;
use crate::matching::PeriodLimit;
use crate::store::Store;
use crate::transcripts::{TranscriptCoverage, hit_of_turn};
use crate::warning::Warning;

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

/// How the transcripts of a project are searched.
pub(super) struct TurnSearch<'a> {
    pub(super) engine: &'a Engine,
    /// The store of the project.
    pub(super) store: &'a Store,
    pub(super) request: &'a SearchRequest,
    pub(super) filter: Option<&'a Filter>,
    /// The words of the query, without the filters in it.
    pub(super) text: &'a str,
    /// The period in which turns were said.
    pub(super) period: Option<&'a PeriodLimit>,
}

impl TurnSearch<'_> {
    /// Adds the turns to an answer, as far as its page has room. Pages follow each other if transcripts are all that is asked for.
    pub(super) fn add_to(&self, answer: &mut Answer) {
        let Filters { types, languages, paths, tags, since: _, before: _, mount: _ } = &answer.filters;
        let may_match = self.filter.is_none() && languages.is_empty() && paths.is_empty() && tags.is_empty();
        let is_here = self.store.scope == StoreScope::Project
            && matches!(answer.scope, Scope::Project | Scope::All)
            && self.request.others == OtherProjects::None;
        if !types.contains(&DocumentType::Transcript) || !may_match || !is_here {
            return;
        }
        let is_only = types.len() == 1;
        if !is_only && (answer.next_offset.is_some() || self.request.offset > 0) {
            return;
        }
        let room = (self.request.limit as usize).saturating_sub(answer.hits.len());
        let offset = if is_only { self.request.offset as usize } else { 0 };
        let said = self.engine.said_turns(self.store, self.text, offset + room);
        let lowest = answer.hits.last().map(|hit| hit.score);
        for turn in said.turns.iter().skip(offset) {
            let Some((document, chunk, text)) = hit_of_turn(turn) else { continue };
            if self.period.is_some_and(|period| !period.contains(document.modified)) {
                continue;
            }
            // Scores of another scale, below all others.
            let score = lowest.map_or(turn.score, |lowest| lowest - 1.0 / (1.0 + turn.score));
            answer.hits.push(Hit { score, ..Hit::new(self.store.scope, document, chunk, text) });
        }
        answer.candidates += said.found;
        if is_only {
            answer.is_doubtful = false;
            answer.best_score = answer.hits.first().map(|hit| hit.score);
            let next = offset + room;
            answer.next_offset = u32::try_from(next).ok().filter(|_| said.found > next as u64);
            // Files that are not indexed hold no transcripts.
            answer.warnings.retain(|warning| !matches!(warning, Warning::FilesLeftOut { .. }));
        }
        answer.warnings.extend(left_out(&said.coverage));
    }
}

fn left_out(coverage: &TranscriptCoverage) -> Option<Warning> {
    let TranscriptCoverage { is_on, read: _, elsewhere: _, older, too_large, unreadable } = coverage;
    if !is_on {
        return Some(Warning::TranscriptsOff);
    }
    let files = older + too_large + unreadable.len() as u64;
    (files > 0).then_some(Warning::TranscriptsLeftOut { files })
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
