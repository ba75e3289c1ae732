//! The schema of imports and audits of other tools, as seen by a client: no unknown fields, no wrong types.

#![expect(dead_code, reason = "reading the fields is the test")]

use std::collections::BTreeMap;

use recall_api::v1;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Migrated {
    ok: bool,
    schema_version: String,
    paths: Vec<String>,
    memories: Arrivals,
    sessions: Arrivals,
    files: Arrivals,
    ratings: u64,
    masked: u64,
    missing_files: u64,
    left_out: BTreeMap<String, LeftOut>,
    is_cut: bool,
    took_ms: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arrivals {
    found: u64,
    added: u64,
    known: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    count: u64,
    items: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    #[serde(rename = "item")]
    name: String,
    code: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Audited {
    ok: bool,
    schema_version: String,
    sources: Vec<Source>,
    took_ms: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    kind: String,
    paths: Vec<String>,
    items: u64,
    sound: u64,
    claims: u64,
    missing_files: u64,
    missing_symbols: u64,
    secrets: u64,
    findings: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    kind: String,
    item: String,
    title: String,
    what: String,
    line: Option<u32>,
}

fn read<T: DeserializeOwned>(message: &impl serde::Serialize) -> T {
    let text = serde_json::to_string(message).expect("serialisable");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn imports_of_tools_are_read_with_their_schema() {
    let items = vec![v1::ItemFailure { item: "a".to_owned(), ..v1::ItemFailure::default() }];
    let message = v1::MigrateResponse {
        memories: Some(v1::Arrivals { found: 3, added: 2, known: 1 }),
        left_out: vec![v1::LeftOut { code: "DELETED".to_owned(), count: 7, items }],
        ..v1::MigrateResponse::default()
    };
    let migrated: Migrated = read(&recall_api::json::migrate_answer(&message));
    assert_eq!((migrated.memories.added, migrated.sessions.found, migrated.left_out["DELETED"].count), (2, 0, 7));
}

#[test]
fn audits_are_read_with_their_schema() {
    let finding = |line| v1::AuditFinding { kind: "secret".to_owned(), line, ..v1::AuditFinding::default() };
    let sources = vec![v1::AuditedSource { findings: vec![finding(0), finding(4)], ..v1::AuditedSource::default() }];
    let audited: Audited = read(&recall_api::json::audit_answer(&v1::AuditResponse { sources, took_ms: 1.0 }));
    let lines: Vec<_> = audited.sources[0].findings.iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [None, Some(4)]);
}
