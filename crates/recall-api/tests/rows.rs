//! The schema of rows as seen by a client: no unknown fields, no wrong types.

use recall_api::v1;
use serde::Deserialize;
use serde_json::Value;

macro_rules! mirror {
    ($($Name:ident { $($field:ident: $Type:ty),* $(,)? })*) => {
        $(
            #[derive(Debug, Deserialize)]
            #[serde(deny_unknown_fields)]
            #[expect(dead_code, reason = "reading them is the test")]
            struct $Name { $($field: $Type,)* }
        )*
    };
}

mirror! {
    Rows {
        ok: bool, schema_version: String, query: Echo, fields: Vec<String>, results: Vec<Row>, stats: Option<Value>,
        warnings: Vec<Value>, next_offset: Option<u32>, plan: Option<Plan>,
    }
    Echo {
        text: String, rql: String, filters: Option<Value>, filter: Option<String>, class: String, limit: u32,
        offset: u32, scope: String, weights: Option<Value>, language: Option<String>, translation: Option<String>,
    }
    Row { doc: Option<DocRow>, chunk: Option<ChunkRow>, memory: Option<MemoryRow>, score: Option<f64> }
    DocRow {
        id: String, path: String, mtime: Option<String>, hash: Option<String>, tag: Vec<String>, source: Option<String>,
        r#type: Option<String>, title: Option<String>, scope: Option<String>, language: Option<String>, size: u64,
        staleness: f64,
    }
    ChunkRow {
        id: String, doc_id: String, offset: u32, tokens: u32, text: String, kind: String, symbol: Option<String>,
        start_line: u32, end_line: u32,
    }
    MemoryRow {
        id: String, r#type: String, title: String, content: String, tag: Vec<String>, scope: Option<String>,
        created_at: Option<String>, updated_at: Option<String>, session: Option<String>, usefulness: Option<f64>,
    }
    Plan { conditions: Vec<PlannedCondition>, stores: Vec<StoreReading>, order: String, passed: u64 }
    PlannedCondition { text: String, evaluated: String }
    StoreReading { scope: Option<String>, documents: u64, chunks: u64, texts: u64, search: Vec<String> }
}

#[test]
fn rows_are_read_with_their_schema() {
    let selected = |object| {
        let fields = recall_rql::Field::ALL.iter().filter(move |field| field.object() == object);
        fields.map(|field| field.as_str().to_owned()).collect::<Vec<_>>()
    };
    let named = |name: &str| name.to_owned();
    let document = v1::Document { id: named("d"), path: named("src/a.rs"), ..v1::Document::default() };
    let lesson = v1::Memory { id: named("L-1"), r#type: named("lesson"), title: named("t"), ..v1::Memory::default() };
    let chunk =
        v1::Chunk { id: "c".to_owned(), doc_id: "d".to_owned(), kind: "part".to_owned(), ..v1::Chunk::default() };
    let hit = v1::Hit { doc: Some(document), chunk: Some(chunk), memory: Some(lesson), ..v1::Hit::default() };
    for object in recall_rql::Object::ALL {
        let mut fields = selected(object);
        fields.push("score".to_owned());
        let message = v1::QueryResponse {
            query: Some(v1::QueryEcho { rql: "SELECT".to_owned(), ..v1::QueryEcho::default() }),
            results: vec![hit.clone()],
            fields,
            stats: Some(v1::SearchStats::default()),
            warnings: vec![v1::Warning::default()],
            next_offset: Some(1),
            plan: Some(v1::QueryPlan {
                conditions: vec![v1::PlannedCondition::default()],
                stores: vec![v1::StoreReading::default()],
                ..v1::QueryPlan::default()
            }),
        };
        let text = serde_json::to_string(&recall_api::json::rows(&message)).expect("serialisable");
        let read: Rows = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        let row = &read.results[0];
        let present = [row.doc.is_some(), row.chunk.is_some(), row.memory.is_some()];
        assert_eq!(present, [object.as_str() == "doc", object.as_str() == "chunk", object.as_str() == "memory"]);
        assert!(read.plan.is_some());
    }
    let bare =
        v1::QueryResponse { fields: vec!["doc.path".to_owned()], results: vec![hit], ..v1::QueryResponse::default() };
    let json = serde_json::to_value(recall_api::json::rows(&bare)).expect("written");
    assert_eq!(
        json["results"][0].as_object().map(|row| row.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["doc".to_owned()])
    );
    assert!(json.get("plan").is_none());
}
