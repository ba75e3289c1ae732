//! Reports of backups.

use crate::v1;
use serde::Serialize;

use crate::json::{ItemFailure, answer, non_empty};

#[derive(Debug, Serialize)]
struct BackedUp<'a> {
    path: &'a str,
    bytes: u64,
    files: u64,
    records: u64,
    left_out: Vec<ItemFailure<'a>>,
    took_ms: f64,
}

#[derive(Debug, Serialize)]
struct Restored<'a> {
    added: u64,
    known: u64,
    untrusted: u64,
    conflicts: Vec<ItemFailure<'a>>,
    left_out: Vec<ItemFailure<'a>>,
    project_root: Option<&'a str>,
    created: Option<&'a str>,
    recall_version: Option<&'a str>,
    took_ms: f64,
}

#[derive(Debug, Serialize)]
struct Imported<'a> {
    added: u64,
    known: u64,
    changed: u64,
    untrusted: u64,
    documents: u64,
    left_out: Vec<ItemFailure<'a>>,
    project_root: Option<&'a str>,
    created: Option<&'a str>,
    recall_version: Option<&'a str>,
    cuts_alike: bool,
    took_ms: f64,
}

/// What was imported from an export.
pub fn import_answer(message: &v1::ImportResponse) -> impl Serialize {
    let v1::ImportResponse {
        added,
        known,
        changed,
        failures,
        untrusted,
        documents,
        project_root,
        created,
        recall_version,
        cuts_alike,
        took_ms,
    } = message;
    answer(Imported {
        added: *added,
        known: *known,
        changed: *changed,
        untrusted: *untrusted,
        documents: *documents,
        left_out: failures.iter().map(ItemFailure::from).collect(),
        project_root: non_empty(project_root),
        created: non_empty(created),
        recall_version: non_empty(recall_version),
        cuts_alike: *cuts_alike,
        took_ms: *took_ms,
    })
}

/// A backup that was made.
pub fn backed_up(message: &v1::BackupResponse) -> impl Serialize {
    let v1::BackupResponse { path, bytes, files, records, left_out, took_ms } = message;
    let left_out = left_out.iter().map(ItemFailure::from).collect();
    answer(BackedUp { path, bytes: *bytes, files: *files, records: *records, left_out, took_ms: *took_ms })
}

/// What was restored from a backup.
pub fn restore_answer(message: &v1::RestoreResponse) -> impl Serialize {
    let v1::RestoreResponse {
        added,
        known,
        untrusted,
        conflicts,
        left_out,
        project_root,
        created,
        recall_version,
        took_ms,
    } = message;
    answer(Restored {
        added: *added,
        known: *known,
        untrusted: *untrusted,
        conflicts: conflicts.iter().map(ItemFailure::from).collect(),
        left_out: left_out.iter().map(ItemFailure::from).collect(),
        project_root: non_empty(project_root),
        created: non_empty(created),
        recall_version: non_empty(recall_version),
        took_ms: *took_ms,
    })
}
