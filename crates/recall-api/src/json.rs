//! The JSON schema, version 1, of `recall --json` and of tools that offer JSON.
//!
//! An answer is its message: the build script lets `serde` serialise the messages, and the options of `proto/recall/json.proto` say
//! where the JSON differs from them. What is here are values of the protocol's types ([`rfc3339`], [`to_struct`]), the few fields
//! of another shape, and the answers that no message holds. Within a version, fields are only added. The module does not word
//! errors: callers pass them to [`failure`].

pub(crate) mod field;

use std::cmp::Reverse;
use std::collections::BTreeMap;

pub use field::{rfc3339, timestamp, to_struct};

use crate::convert::scope;
use crate::v1;
use prost_types::Timestamp;
use recall_core::StoreScope;
use recall_core::rql::{Field, Selected};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The schemas of the answers by the names of their messages, a JSON object. They refer to each other as parts of an `OpenAPI` document.
pub const SCHEMAS: &str = include_str!(concat!(env!("OUT_DIR"), "/schemas.json"));

const SCHEMA_VERSION: &str = "1";

/// The fields that surround every answer.
#[derive(Debug, Serialize)]
pub struct Envelope<T> {
    ok: bool,
    schema_version: &'static str,
    #[serde(flatten)]
    body: T,
}

/// Wraps an answer: `ok` is `true`.
pub fn answer<T: Serialize>(body: T) -> Envelope<T> {
    Envelope { ok: true, schema_version: SCHEMA_VERSION, body }
}

/// Wraps an error: `ok` is `false`.
pub fn failure<T: Serialize>(body: T) -> Envelope<T> {
    Envelope { ok: false, schema_version: SCHEMA_VERSION, body }
}

/// The summary of an indexing run: its last event, with the warnings of all events.
pub fn index_answer<'a>(finished: &'a v1::IndexFinished, warnings: &'a [v1::Warning]) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Run<'a> {
        event: &'static str,
        #[serde(flatten)]
        finished: &'a v1::IndexFinished,
        warnings: &'a [v1::Warning],
    }
    answer(Run { event: "finished", finished, warnings })
}

/// A session with its events, in the order in which they are given.
pub fn session<'a>(session: &'a v1::Session, events: &'a [v1::SessionEvent]) -> impl Serialize + use<'a> {
    #[derive(Serialize)]
    struct Shown<'a> {
        session: &'a v1::Session,
        events: &'a [v1::SessionEvent],
    }
    answer(Shown { session, events })
}

/// What is here, and the commands to run next, each with its reason.
pub fn overview<'a>(
    status: &'a v1::StatusResponse,
    sessions: &'a [v1::Session],
    decisions: &'a [v1::ListEntry],
    flagged: Option<u64>,
    next: &[(&'a str, &'a str)],
) -> impl Serialize {
    #[derive(Serialize)]
    struct Overview<'a> {
        stores: &'a [v1::StoreStatus],
        at_work: &'a [v1::LiveSession],
        sessions: &'a [v1::Session],
        decisions: &'a [v1::ListEntry],
        flagged: Option<u64>,
        next: Vec<Next<'a>>,
        warnings: &'a [v1::Warning],
    }
    #[derive(Serialize)]
    struct Next<'a> {
        command: &'a str,
        reason: &'a str,
    }
    answer(Overview {
        stores: &status.stores,
        at_work: &status.sessions,
        sessions,
        decisions,
        flagged,
        next: next.iter().map(|&(command, reason)| Next { command, reason }).collect(),
        warnings: &status.warnings,
    })
}

/// The method of the estimate, in words.
pub const SAVINGS_METHOD: &str = "the tokens of the hits in recorded answers, compared with the tokens of the whole files that hold them \
    today; a file counts once for each answer, and tokens are estimated from characters. Without an answer, an agent might have read fewer \
    files, or only parts of them; with it, the agent may still have read the files";

/// Returns the difference between the tokens of the files and those of the answers; negative if the answers have more.
pub fn saved_tokens(savings: &v1::Savings) -> i64 {
    let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    signed(savings.file_tokens).saturating_sub(signed(savings.answer_tokens))
}

/// Writes an estimate with its method and its result.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn savings_estimate<S: Serializer>(savings: &Option<v1::Savings>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct EstimatedSavings<'a> {
        is_estimate: bool,
        method: &'static str,
        #[serde(flatten)]
        savings: &'a v1::Savings,
        saved_tokens: i64,
    }
    let estimate = savings.as_ref().map(|savings| EstimatedSavings {
        is_estimate: true,
        method: SAVINGS_METHOD,
        savings,
        saved_tokens: saved_tokens(savings),
    });
    estimate.serialize(serializer)
}

/// Writes the counts of a facet as a list, by descending frequency, then by name.
pub(crate) fn facet_counts<S: Serializer>(counts: &BTreeMap<String, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Count<'a> {
        value: &'a str,
        documents: u64,
    }
    let mut counts: Vec<_> = counts.iter().map(|(value, &documents)| Count { value, documents }).collect();
    // The map is sorted by name, and the sort is stable.
    counts.sort_by_key(|count| Reverse(count.documents));
    counts.serialize(serializer)
}

/// Writes a time in RFC 3339; an empty text without one.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn time_or_empty<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    time.as_ref().and_then(rfc3339).unwrap_or_default().serialize(serializer)
}

/// Writes what was left out as an object by code.
pub(crate) fn left_out_by_code<S: Serializer>(groups: &[v1::LeftOut], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Group<'a> {
        count: u64,
        items: &'a [v1::ItemFailure],
    }
    let groups =
        groups.iter().map(|v1::LeftOut { code, count, items }| (code.as_str(), Group { count: *count, items }));
    groups.collect::<BTreeMap<_, _>>().serialize(serializer)
}

/// Writes the feedback about an item also with the names that clients of EDI's Codex expect.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn rating<S: Serializer>(stats: &Option<v1::ItemStats>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Rating<'a> {
        retrieval_count: u64,
        useful_count: u64,
        not_useful_count: u64,
        usefulness_rate: Option<f64>,
        #[serde(flatten)]
        stats: &'a v1::ItemStats,
    }
    let rating = stats.as_ref().map(|stats| Rating {
        retrieval_count: stats.retrievals,
        useful_count: stats.useful,
        not_useful_count: stats.not_useful,
        usefulness_rate: stats.usefulness,
        stats,
    });
    rating.serialize(serializer)
}

/// Writes the paths at which a publication differs.
pub(crate) fn differences<S: Serializer>(failures: &[v1::ItemFailure], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Difference<'a> {
        path: &'a str,
        code: &'a str,
    }
    serializer.collect_seq(failures.iter().map(|failure| Difference { path: &failure.item, code: &failure.code }))
}

/// Writes drafts with their numbers, from 1.
pub(crate) fn numbered_drafts<S: Serializer>(drafts: &[v1::Draft], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct NumberedDraft<'a> {
        number: usize,
        #[serde(flatten)]
        draft: &'a v1::Draft,
    }
    serializer.collect_seq(drafts.iter().enumerate().map(|(at, draft)| NumberedDraft { number: at + 1, draft }))
}

/// Writes a warning of a stream in a field of its own, next to the name of the event.
pub(crate) fn nested_warning<S: Serializer>(warning: &v1::Warning, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Nested<'a> {
        warning: &'a v1::Warning,
    }
    Nested { warning }.serialize(serializer)
}

#[derive(Debug, Serialize)]
struct Rows<'a> {
    query: Option<&'a v1::QueryEcho>,
    fields: &'a [String],
    results: Vec<Map<String, Value>>,
    stats: Option<&'a v1::SearchStats>,
    warnings: &'a [v1::Warning],
    next_offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a v1::QueryPlan>,
}

/// An answer to a query in RQL. Each result has the selected fields in the order of `SELECT`, in the objects `doc`, `chunk` and
/// `memory`.
pub fn rows(message: &v1::QueryResponse) -> impl Serialize {
    let v1::QueryResponse { query, fields, results, stats, warnings, next_offset, plan } = message;
    answer(Rows {
        query: query.as_ref(),
        fields,
        results: results.iter().map(|hit| row(fields, hit)).collect(),
        stats: stats.as_ref(),
        warnings,
        next_offset: *next_offset,
        plan: plan.as_ref(),
    })
}

fn row(fields: &[String], hit: &v1::Hit) -> Map<String, Value> {
    let mut row = Map::new();
    for column in fields.iter().filter_map(|name| Selected::from_name(name)) {
        let value = cell(column, hit);
        match column {
            Selected::Score => {
                row.insert(column.as_str().to_owned(), value);
            }
            Selected::Field(field) => {
                let object = row.entry(field.object().as_str()).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(object) = object {
                    object.insert(field.bare_name().to_owned(), value);
                }
            }
        }
    }
    row
}

/// Returns the value of a column of a row; `null` if the row has none.
pub fn cell(column: Selected, hit: &v1::Hit) -> Value {
    match column {
        Selected::Score => hit.score.into(),
        Selected::Field(Field::DocStaleness) => hit.staleness.into(),
        Selected::Field(field) => value(field, hit).unwrap_or(Value::Null),
    }
}

fn value(field: Field, hit: &v1::Hit) -> Option<Value> {
    let text = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    let time = |time: Option<&_>| time.and_then(rfc3339).into();
    let scope = |number| scope::store_from_proto(number).map(StoreScope::as_str).into();
    let (doc, chunk, memory) = (hit.doc.as_ref(), hit.chunk.as_ref(), hit.memory.as_ref());
    Some(match field {
        Field::DocId => text(&doc?.id),
        Field::DocPath => text(&doc?.path),
        Field::DocMtime => time(doc?.mtime.as_ref()),
        Field::DocHash => text(&doc?.hash),
        Field::DocTag => doc?.tag.clone().into(),
        Field::DocSource => text(&doc?.source),
        Field::DocType => text(&doc?.r#type),
        Field::DocTitle => text(&doc?.title),
        Field::DocScope => scope(doc?.scope),
        Field::DocLanguage => text(&doc?.language),
        Field::DocSize => doc?.size.into(),
        Field::DocStaleness => hit.staleness.into(),
        Field::ChunkId => text(&chunk?.id),
        Field::ChunkDocId => text(&chunk?.doc_id),
        Field::ChunkOffset => chunk?.offset.into(),
        Field::ChunkTokens => chunk?.tokens.into(),
        Field::ChunkText => chunk?.text.clone().into(),
        Field::ChunkKind => text(&chunk?.kind),
        Field::ChunkSymbol => text(&chunk?.symbol),
        Field::ChunkStartLine => chunk?.start_line.into(),
        Field::ChunkEndLine => chunk?.end_line.into(),
        Field::MemoryId => text(&memory?.id),
        Field::MemoryType => text(&memory?.r#type),
        Field::MemoryTitle => text(&memory?.title),
        Field::MemoryContent => memory?.content.clone().into(),
        Field::MemoryTag => memory?.tags.clone().into(),
        Field::MemoryScope => scope(memory?.scope),
        Field::MemoryCreatedAt => time(memory?.created_at.as_ref()),
        Field::MemoryUpdatedAt => time(memory?.updated_at.as_ref()),
        Field::MemorySession => text(&memory?.session),
        Field::MemoryUsefulness => memory?.stats.as_ref()?.usefulness?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_null_and_unrequested_ones_are_omitted() {
        let message = v1::SearchResponse { results: vec![v1::Hit::default()], ..v1::SearchResponse::default() };
        let json = serde_json::to_value(answer(&message)).expect("serialisable");
        assert_eq!(json["ok"], true);
        assert_eq!(json["schema_version"], "1");
        assert!(json["next_offset"].is_null());
        let hit = json["results"][0].as_object().expect("a hit");
        assert!(hit["doc"].is_null());
        assert!(!hit.contains_key("explain") && !hit.contains_key("memory"));
    }

    #[test]
    fn a_run_includes_its_warnings() {
        let finished = v1::IndexFinished { added: 2, ..v1::IndexFinished::default() };
        let messages = [v1::Warning { code: "TOO_LARGE".to_owned(), ..v1::Warning::default() }];
        let json = serde_json::to_value(index_answer(&finished, &messages)).expect("serialisable");
        assert_eq!((&json["event"], &json["added"]), (&"finished".into(), &2.into()));
        assert_eq!(json["warnings"][0]["code"], "TOO_LARGE");
        assert!(json["warnings"][0]["hint"].is_null());
    }

    #[test]
    fn a_row_has_the_selected_fields_only() {
        let hit =
            v1::Hit { doc: Some(v1::Document::default()), memory: Some(v1::Memory::default()), ..v1::Hit::default() };
        let row = row(&["doc.path".to_owned(), "chunk.id".to_owned()], &hit);
        assert_eq!(Value::from(row), serde_json::json!({ "doc": { "path": null }, "chunk": { "id": null } }));
    }
}
