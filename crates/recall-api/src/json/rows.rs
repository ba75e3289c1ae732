//! Answers to queries in RQL.

use recall_core::StoreScope;
use recall_core::rql::{Field, Selected};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::convert::scope;
use crate::json::answer;
use crate::json::field::rfc3339;
use crate::v1;

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
    fn a_row_has_the_selected_fields_only() {
        let hit =
            v1::Hit { doc: Some(v1::Document::default()), memory: Some(v1::Memory::default()), ..v1::Hit::default() };
        let row = row(&["doc.path".to_owned(), "chunk.id".to_owned()], &hit);
        assert_eq!(Value::from(row), serde_json::json!({ "doc": { "path": null }, "chunk": { "id": null } }));
    }
}
