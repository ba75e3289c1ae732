//! Answers to queries in RQL.

use crate::v1;
use recall_rql::{Field, Selected};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::search::{Query, Stats};
use crate::json::{Warning, answer, non_empty, store_scope, timestamp_text, warnings};

#[derive(Debug, Serialize)]
struct Rows<'a> {
    query: Option<Query<'a>>,
    fields: &'a [String],
    results: Vec<Map<String, Value>>,
    stats: Option<Stats<'a>>,
    warnings: Vec<Warning<'a>>,
    next_offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan<'a>>,
}

/// An answer to a query in RQL. Each result has the selected fields in the order of `SELECT`, in the objects `doc`, `chunk` and
/// `memory`.
pub fn rows(message: &v1::QueryResponse) -> impl Serialize {
    let v1::QueryResponse { query, fields, results, stats, warnings: messages, next_offset, plan } = message;
    answer(Rows {
        query: query.as_ref().map(Query::from),
        fields,
        results: results.iter().map(|hit| row(fields, hit)).collect(),
        stats: stats.as_ref().map(Stats::from),
        warnings: warnings(messages),
        next_offset: *next_offset,
        plan: plan.as_ref().map(Plan::from),
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
    let text = |text: &str| non_empty(text).map_or(Value::Null, Value::from);
    let time = |time: Option<&_>| timestamp_text(time).map_or(Value::Null, Value::from);
    let scope = |scope| store_scope(scope).map_or(Value::Null, Value::from);
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

#[derive(Debug, Serialize)]
struct Plan<'a> {
    conditions: Vec<PlannedCondition<'a>>,
    stores: Vec<StoreReading<'a>>,
    order: &'a str,
    passed: u64,
}

impl<'a> From<&'a v1::QueryPlan> for Plan<'a> {
    fn from(message: &'a v1::QueryPlan) -> Self {
        let v1::QueryPlan { conditions, stores, order, passed } = message;
        Self {
            conditions: conditions.iter().map(PlannedCondition::from).collect(),
            stores: stores.iter().map(StoreReading::from).collect(),
            order,
            passed: *passed,
        }
    }
}

#[derive(Debug, Serialize)]
struct PlannedCondition<'a> {
    text: &'a str,
    evaluated: &'a str,
}

impl<'a> From<&'a v1::PlannedCondition> for PlannedCondition<'a> {
    fn from(message: &'a v1::PlannedCondition) -> Self {
        let v1::PlannedCondition { text, evaluated } = message;
        Self { text, evaluated }
    }
}

#[derive(Debug, Serialize)]
struct StoreReading<'a> {
    scope: Option<&'static str>,
    documents: u64,
    chunks: u64,
    texts: u64,
    search: &'a [String],
}

impl<'a> From<&'a v1::StoreReading> for StoreReading<'a> {
    fn from(message: &'a v1::StoreReading) -> Self {
        let v1::StoreReading { scope, documents, chunks, texts, search } = message;
        Self { scope: store_scope(*scope), documents: *documents, chunks: *chunks, texts: *texts, search }
    }
}
