//! The notes that requests leave for the flight recorder, and their conversion to events.

use recall_core::{
    ChunkId, EventDetails, Feedback, Filters, ItemId, MemoryId, Metadata, MetadataValue, PathFilter, SearchRequest,
    SessionEventType, Verdict,
};

/// A note of a request. It is created while the client waits, so it only copies.
pub(crate) enum Note {
    Search(Box<SearchNote>),
    Judgment {
        item: ItemId,
        feedback: Feedback,
    },
    /// The session used a hit. The reason is in words.
    Use {
        item: ItemId,
        reason: &'static str,
    },
}

/// A search and its hits.
pub(crate) struct SearchNote {
    pub(crate) request: SearchRequest,
    pub(crate) class: &'static str,
    pub(crate) confidence: Option<f64>,
    pub(crate) generation: u64,
    pub(crate) hits: Vec<HitNote>,
}

pub(crate) struct HitNote {
    pub(crate) chunk: ChunkId,
    pub(crate) memory: Option<MemoryId>,
    pub(crate) path: String,
    pub(crate) score: f64,
}

impl Note {
    /// Converts the note to the details of an event.
    pub(crate) fn details(self) -> EventDetails {
        match self {
            Self::Search(note) => note.details(),
            Self::Judgment { item, feedback } => judgment(item, feedback),
            Self::Use { item, reason } => implicit_judgment(item, reason),
        }
    }
}

impl SearchNote {
    fn details(self) -> EventDetails {
        let Self { request, class, confidence, generation, hits } = self;
        let SearchRequest { query, scope, filters, limit, offset, .. } = request;
        let Filters { types, languages, paths, tags, mount: _ } = filters;
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
            metadata.insert("confidence".to_owned(), MetadataValue::Number(round(confidence)));
        }
        EventDetails { metadata, ..EventDetails::new(SessionEventType::RetrievalQuery, query) }
    }
}

impl HitNote {
    fn value(self) -> MetadataValue {
        let Self { chunk, memory, path, score } = self;
        // Feedback on a chunk of a memory goes to the memory, so its id is recorded.
        let id = memory.map_or_else(|| chunk.to_string(), |id| id.to_string());
        let mut hit = Metadata::from([
            ("id".to_owned(), MetadataValue::Text(id)),
            ("score".to_owned(), MetadataValue::Number(round(score))),
        ]);
        if memory.is_none() {
            hit.insert("path".to_owned(), MetadataValue::Text(path));
        }
        MetadataValue::Map(hit)
    }
}

fn judgment(item: ItemId, feedback: Feedback) -> EventDetails {
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
    EventDetails { rationale: note, metadata, ..EventDetails::new(SessionEventType::RetrievalJudgment, content) }
}

/// Returns the judgment that a use implies, with the origin that tells it from a rating.
fn implicit_judgment(item: ItemId, reason: &str) -> EventDetails {
    let metadata = Metadata::from([
        ("item_id".to_owned(), text(&item)),
        ("verdict".to_owned(), text("useful")),
        ("origin".to_owned(), text("implicit")),
    ]);
    let content = format!("{item}: useful ({reason})");
    EventDetails { metadata, ..EventDetails::new(SessionEventType::RetrievalJudgment, content) }
}

fn text(value: &(impl ToString + ?Sized)) -> MetadataValue {
    MetadataValue::Text(value.to_string())
}

fn number(value: u32) -> MetadataValue {
    MetadataValue::Number(f64::from(value))
}

/// Rounds a score to four decimals, which distinguish any scores that matter.
fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
