//! What is noted of a request that ran in a session?

use recall_core::{
    Account, ChunkId, Feedback, Filters, ItemId, MemoryId, Metadata, MetadataValue, PathFilter, Provenance, RateItem,
    SearchRequest, SessionEventType, Verdict,
};

use crate::Engine;
use crate::answer::Answer;
use crate::origin::Origin;
use crate::session::RecorderCounts;

/// What a request leaves to be written down. Made where somebody waits for an answer, so that it only copies.
pub(super) enum Note {
    /// Something was searched for.
    Search(Box<SearchNote>),
    /// Something was judged.
    Judgment { item: ItemId, feedback: Feedback },
}

/// A search and what it found.
pub(super) struct SearchNote {
    request: SearchRequest,
    class: &'static str,
    confidence: Option<f64>,
    generation: u64,
    hits: Vec<HitNote>,
}

/// A hit.
struct HitNote {
    chunk: ChunkId,
    memory: Option<MemoryId>,
    path: String,
    score: f64,
}

impl Engine {
    /// Notes a search and what it found, where it was made in a session. Never waits.
    pub fn note_search(&self, origin: &Origin, provenance: &Provenance, request: &SearchRequest, answer: &Answer) {
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

    /// Notes what somebody said of an item, where it was said in a session. Never waits.
    pub(crate) fn note_judgment(&self, origin: &Origin, request: &RateItem) {
        let RateItem { item, feedback, provenance } = request;
        self.recorder.note(origin, provenance, || Note::Judgment { item: *item, feedback: feedback.clone() });
    }

    /// What became of what was noted since the engine was made.
    pub fn recorder_counts(&self) -> RecorderCounts {
        self.recorder.counts()
    }
}

impl Note {
    /// The note as an event tells it.
    pub(super) fn account(self) -> Account {
        match self {
            Self::Search(note) => note.account(),
            Self::Judgment { item, feedback } => judgment(item, feedback),
        }
    }
}

impl SearchNote {
    fn account(self) -> Account {
        let Self { request, class, confidence, generation, hits } = self;
        let SearchRequest { query, scope, filters, limit, offset, .. } = request;
        let Filters { types, languages, paths, tags } = filters;
        let mut metadata = Metadata::from([
            ("scope".to_owned(), text(&scope)),
            ("class".to_owned(), text(class)),
            ("limit".to_owned(), number(limit)),
            ("generation".to_owned(), MetadataValue::Number(generation as f64)),
            ("hits".to_owned(), MetadataValue::List(hits.into_iter().map(HitNote::value).collect())),
        ]);
        let mut filter = |name: &str, values: Vec<MetadataValue>| {
            if !values.is_empty() {
                metadata.insert(name.to_owned(), MetadataValue::List(values));
            }
        };
        filter("types", types.into_iter().map(|kind| text(kind.as_str())).collect());
        filter("languages", languages.into_iter().map(|language| text(&language)).collect());
        filter("paths", paths.into_iter().map(|PathFilter(pattern)| MetadataValue::Text(pattern)).collect());
        filter("tags", tags.into_iter().map(MetadataValue::Text).collect());
        if offset > 0 {
            metadata.insert("offset".to_owned(), number(offset));
        }
        if let Some(confidence) = confidence {
            metadata.insert("confidence".to_owned(), MetadataValue::Number(rounded(confidence)));
        }
        Account { metadata, ..Account::new(SessionEventType::RetrievalQuery, query) }
    }
}

impl HitNote {
    fn value(self) -> MetadataValue {
        let Self { chunk, memory, path, score } = self;
        // By this id feedback is given: a part of a memory stands for it.
        let id = memory.map_or_else(|| chunk.to_string(), |id| id.to_string());
        let mut hit = Metadata::from([
            ("id".to_owned(), MetadataValue::Text(id)),
            ("score".to_owned(), MetadataValue::Number(rounded(score))),
        ]);
        if memory.is_none() {
            hit.insert("path".to_owned(), MetadataValue::Text(path));
        }
        MetadataValue::Map(hit)
    }
}

fn judgment(item: ItemId, feedback: Feedback) -> Account {
    let Feedback { verdict, note } = feedback;
    let (verdict, repeats) = match verdict {
        Verdict::Useful => ("useful", None),
        Verdict::NotUseful => ("not_useful", None),
        Verdict::Outdated => ("outdated", None),
        Verdict::Duplicate { of } => ("duplicate", Some(of)),
    };
    let mut metadata = Metadata::from([("item_id".to_owned(), text(&item)), ("verdict".to_owned(), text(verdict))]);
    if let Some(of) = repeats {
        metadata.insert("duplicate_of".to_owned(), text(&of));
    }
    let content = format!("{item}: {verdict}");
    Account { rationale: note, metadata, ..Account::new(SessionEventType::RetrievalJudgment, content) }
}

fn text(value: &(impl ToString + ?Sized)) -> MetadataValue {
    MetadataValue::Text(value.to_string())
}

fn number(value: u32) -> MetadataValue {
    MetadataValue::Number(f64::from(value))
}

/// Four digits tell scores apart that anybody would.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
