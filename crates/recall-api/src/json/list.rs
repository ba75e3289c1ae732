//! Listings and removals.

use crate::v1;
use serde::Serialize;

use crate::json::document::Document;
use crate::json::memory::Memory;
use crate::json::{ItemFailure, Warning, answer, non_empty, warnings};

#[derive(Debug, Serialize)]
pub(crate) struct Listing<'a> {
    results: Vec<Entry<'a>>,
    next_cursor: Option<&'a str>,
    total: u64,
    generation: u64,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    doc: Option<Document<'a>>,
    chunks: u32,
    staleness: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<RecordStatus<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stale_reasons: &'a [String],
}

#[derive(Debug, Serialize)]
struct RecordStatus<'a> {
    text: &'a str,
    link: Option<&'a str>,
}

/// A page of a listing.
pub fn listing(message: &v1::ListResponse) -> impl Serialize {
    let v1::ListResponse { entries, next_cursor, total, generation, warnings: messages } = message;
    answer(Listing {
        results: entries.iter().map(Entry::from).collect(),
        next_cursor: non_empty(next_cursor),
        total: *total,
        generation: *generation,
        warnings: warnings(messages),
    })
}

impl<'a> From<&'a v1::ListEntry> for Entry<'a> {
    fn from(message: &'a v1::ListEntry) -> Self {
        let v1::ListEntry { doc, chunks, staleness, memory, record, stale_reasons } = message;
        Self {
            doc: doc.as_ref().map(Document::from),
            chunks: *chunks,
            staleness: *staleness,
            memory: memory.as_ref().map(Memory::from),
            record: record.as_ref().map(|status| RecordStatus { text: &status.text, link: non_empty(&status.link) }),
            stale_reasons,
        }
    }
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the schema are those of the protocol")]
pub(crate) struct Removed<'a> {
    documents: u64,
    memories: u64,
    removed: &'a [String],
    failures: Vec<ItemFailure<'a>>,
    generation: u64,
    forgotten: u64,
}

/// The result of a removal.
pub fn remove_answer(message: &v1::RemoveResponse) -> impl Serialize {
    let v1::RemoveResponse { documents, memories, removed, failures, generation, forgotten } = message;
    answer(Removed {
        documents: *documents,
        memories: *memories,
        removed,
        failures: failures.iter().map(ItemFailure::from).collect(),
        generation: *generation,
        forgotten: *forgotten,
    })
}
