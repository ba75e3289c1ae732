//! Imports and audits of what other tools remember.

use std::collections::BTreeMap;

use crate::v1;
use serde::Serialize;

use crate::json::{ItemFailure, answer};

#[derive(Debug, Serialize)]
struct Migrated<'a> {
    paths: &'a [String],
    memories: Arrivals,
    sessions: Arrivals,
    files: Arrivals,
    ratings: u64,
    masked: u64,
    missing_files: u64,
    left_out: BTreeMap<&'a str, LeftOut<'a>>,
    is_cut: bool,
    took_ms: f64,
}

#[derive(Debug, Serialize)]
struct Arrivals {
    found: u64,
    added: u64,
    known: u64,
}

#[derive(Debug, Serialize)]
struct LeftOut<'a> {
    count: u64,
    items: Vec<ItemFailure<'a>>,
}

#[derive(Debug, Serialize)]
struct Audited<'a> {
    sources: Vec<AuditedSource<'a>>,
    took_ms: f64,
}

#[derive(Debug, Serialize)]
struct AuditedSource<'a> {
    kind: &'a str,
    paths: &'a [String],
    items: u64,
    sound: u64,
    claims: u64,
    missing_files: u64,
    missing_symbols: u64,
    secrets: u64,
    findings: Vec<AuditFinding<'a>>,
}

#[derive(Debug, Serialize)]
struct AuditFinding<'a> {
    kind: &'a str,
    item: &'a str,
    title: &'a str,
    what: &'a str,
    line: Option<u32>,
}

impl From<Option<v1::Arrivals>> for Arrivals {
    fn from(message: Option<v1::Arrivals>) -> Self {
        let v1::Arrivals { found, added, known } = message.unwrap_or_default();
        Self { found, added, known }
    }
}

/// What was imported from another tool.
pub fn migrate_answer(message: &v1::MigrateResponse) -> impl Serialize {
    let v1::MigrateResponse {
        paths,
        memories,
        sessions,
        files,
        ratings,
        masked,
        missing_files,
        left_out,
        is_cut,
        took_ms,
    } = message;
    let left_out = left_out.iter().map(|v1::LeftOut { code, count, items }| {
        (code.as_str(), LeftOut { count: *count, items: items.iter().map(ItemFailure::from).collect() })
    });
    answer(Migrated {
        paths,
        memories: (*memories).into(),
        sessions: (*sessions).into(),
        files: (*files).into(),
        ratings: *ratings,
        masked: *masked,
        missing_files: *missing_files,
        left_out: left_out.collect(),
        is_cut: *is_cut,
        took_ms: *took_ms,
    })
}

/// What an audit found.
pub fn audit_answer(message: &v1::AuditResponse) -> impl Serialize {
    let v1::AuditResponse { sources, took_ms } = message;
    answer(Audited { sources: sources.iter().map(source).collect(), took_ms: *took_ms })
}

fn source(message: &v1::AuditedSource) -> AuditedSource<'_> {
    let v1::AuditedSource { kind, paths, items, sound, claims, missing_files, missing_symbols, secrets, findings } =
        message;
    AuditedSource {
        kind,
        paths,
        items: *items,
        sound: *sound,
        claims: *claims,
        missing_files: *missing_files,
        missing_symbols: *missing_symbols,
        secrets: *secrets,
        findings: findings.iter().map(finding).collect(),
    }
}

fn finding(message: &v1::AuditFinding) -> AuditFinding<'_> {
    let v1::AuditFinding { kind, item, title, what, line } = message;
    AuditFinding { kind, item, title, what, line: Some(*line).filter(|line| *line > 0) }
}
