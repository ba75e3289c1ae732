//! The turns of transcripts, below everything that is indexed.
//!
//! They are read only if the request names their type. What was once said is no knowledge of the project: most of it was superseded
//! in the same session. So a memory or a file comes first, whatever its score.

use recall_core::rql::Filter;
use recall_core::{DocumentType, Filters, OtherProjects, Scope, SearchRequest, StoreScope};

use super::answer::{Answer, Hit};
use crate::Engine;
use crate::store::Store;
use crate::transcripts::{TranscriptCoverage, hit};
use crate::warning::Warning;

/// How the transcripts of a project are searched.
pub(super) struct TurnSearch<'a> {
    pub(super) engine: &'a Engine,
    /// The store of the project.
    pub(super) store: &'a Store,
    pub(super) request: &'a SearchRequest,
    pub(super) filter: Option<&'a Filter>,
    /// The words of the query, without the filters in it.
    pub(super) text: &'a str,
}

impl TurnSearch<'_> {
    /// Adds the turns to an answer, as far as its page has room. Pages follow each other if transcripts are all that is asked for.
    pub(super) fn add_to(&self, answer: &mut Answer) {
        let Filters { types, languages, paths, tags, mount: _ } = &answer.filters;
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
            let Some((document, chunk, text)) = hit(turn) else { continue };
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
