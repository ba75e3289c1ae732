//! The schema of counts of stores and of imports, as seen by a client: no unknown fields, no wrong types.

#![expect(dead_code, reason = "reading the fields is the test")]

use std::collections::BTreeMap;

use recall_api::v1;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stats {
    ok: bool,
    schema_version: String,
    stores: Vec<StoreStats>,
    savings: Option<Savings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreStats {
    scope: Option<String>,
    root: Option<String>,
    documents: u64,
    chunks: u64,
    symbols: u64,
    edges: u64,
    text_bytes: u64,
    types: BTreeMap<String, u64>,
    languages: BTreeMap<String, u64>,
    memories: u64,
    sessions: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Savings {
    is_estimate: bool,
    method: String,
    since: Option<String>,
    sessions: u64,
    answers: u64,
    hits: u64,
    unknown_hits: u64,
    files: u64,
    answer_tokens: u64,
    file_tokens: u64,
    saved_tokens: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Imported {
    ok: bool,
    schema_version: String,
    added: u64,
    known: u64,
    changed: u64,
    untrusted: u64,
    documents: u64,
    left_out: Vec<LeftOut>,
    project_root: Option<String>,
    created: Option<String>,
    recall_version: Option<String>,
    cuts_alike: bool,
    took_ms: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    item: String,
    code: String,
    reason: String,
}

fn read<T: DeserializeOwned>(message: &impl serde::Serialize) -> T {
    let text = serde_json::to_string(message).expect("serialisable");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn stats_are_read_with_their_schema() {
    let stores = vec![v1::StoreStats { types: [("code".to_owned(), 3)].into(), ..v1::StoreStats::default() }];
    let savings = Some(v1::Savings { answer_tokens: 5, file_tokens: 3, ..v1::Savings::default() });
    let stats: Stats = read(&recall_api::json::stats(&v1::StatsResponse { stores, savings }));
    assert_eq!(stats.stores[0].types["code"], 3);
    let savings = stats.savings.expect("requested");
    assert!(savings.is_estimate && savings.method.contains("might have read fewer files"));
    assert_eq!(savings.saved_tokens, -2);
    let stats: Stats = read(&recall_api::json::stats(&v1::StatsResponse::default()));
    assert!(stats.savings.is_none());
}

#[test]
fn imports_are_read_with_their_schema() {
    let failures = vec![v1::ItemFailure { code: "LEFT_OUT".to_owned(), ..v1::ItemFailure::default() }];
    let message = v1::ImportResponse { added: 2, failures, ..v1::ImportResponse::default() };
    let imported: Imported = read(&recall_api::json::import_answer(&message));
    assert_eq!((imported.added, imported.left_out.len(), imported.project_root), (2, 1, None));
}
