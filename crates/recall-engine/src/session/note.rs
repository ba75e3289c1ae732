//! Recording of searches that run in a session.

use recall_core::{ItemId, Provenance, SearchRequest};

use crate::Engine;
use crate::engine::recorder::{HitNote, Note, SearchNote};
use crate::engine::{RecorderCounts, SessionHit};
use crate::origin::Origin;
use crate::search::Answer;

impl Engine {
    /// Queues a note of a search and its hits if it ran in a session, and keeps the hits until the session uses them. Never blocks.
    pub fn note_search(&self, origin: &Origin, provenance: &Provenance, request: &SearchRequest, answer: &Answer) {
        if let Some(session) = &provenance.session {
            let hits = answer.hits.iter().map(|hit| match &hit.memory {
                Some(recalled) => SessionHit { item: ItemId::Memory(recalled.memory.id), path: String::new() },
                None => {
                    SessionHit { item: ItemId::Document(hit.document.id), path: hit.document.path.as_str().to_owned() }
                }
            });
            self.session_hits.note(session, hits);
        }
        self.recorder.note(origin, provenance, || {
            let hits = answer.hits.iter().map(|hit| HitNote {
                chunk: hit.id,
                memory: hit.memory.as_ref().map(|recalled| recalled.memory.id),
                path: hit.document.path.as_str().to_owned(),
                score: hit.score,
            });
            Note::Search(Box::new(SearchNote {
                request: request.clone(),
                class: answer.class.as_str(),
                confidence: answer.confidence,
                generation: answer.coverage.first().map_or(0, |coverage| coverage.generation.0),
                hits: hits.collect(),
            }))
        });
    }

    /// Returns the counts of notes since the engine was created.
    pub fn recorder_counts(&self) -> RecorderCounts {
        self.recorder.counts()
    }
}
