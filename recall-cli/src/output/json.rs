//! What does a program see?
//!
//! The schema of `--json`, version 1. Its types mirror the protocol's messages and take them apart field by field, so that
//! a new field stops the build until somebody decides about it. Within a version the schema only grows. A text that is
//! empty in the protocol because there is none is `null` here; moments are RFC 3339 in UTC.

pub(crate) mod daemon;
pub(crate) mod document;
pub(crate) mod index;
pub(crate) mod item;
pub(crate) mod list;
pub(crate) mod memory;
#[cfg(test)]
mod schema_tests;
pub(crate) mod search;
pub(crate) mod status;

use std::collections::BTreeMap;

use recall_core::{Scope, StoreScope};
use recall_proto::convert::scope;
use recall_proto::v1;
use serde::Serialize;

use crate::complaint::Complaint;

/// The version of the schema.
const SCHEMA_VERSION: &str = "1";

/// What every answer has around it.
#[derive(Debug, Serialize)]
pub(crate) struct Envelope<T> {
    ok: bool,
    schema_version: &'static str,
    #[serde(flatten)]
    body: T,
}

/// An answer.
pub(crate) fn answer<T: Serialize>(body: T) -> Envelope<T> {
    Envelope { ok: true, schema_version: SCHEMA_VERSION, body }
}

/// Why there is no answer.
pub(crate) fn failed(complaint: &Complaint) -> Envelope<Failed<'_>> {
    let Complaint { exit: _, reason, message, causes, hint, details } = complaint;
    let error = ErrorBody { code: reason.as_str(), message, causes, details, hint: hint.as_deref() };
    Envelope { ok: false, schema_version: SCHEMA_VERSION, body: Failed { error } }
}

#[derive(Debug, Serialize)]
pub(crate) struct Failed<'a> {
    error: ErrorBody<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    code: &'static str,
    message: &'a str,
    causes: &'a [String],
    details: &'a BTreeMap<String, String>,
    hint: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Warning<'a> {
    code: &'a str,
    message: &'a str,
    hint: Option<&'a str>,
    path: Option<&'a str>,
    severity: &'static str,
}

impl<'a> From<&'a v1::Warning> for Warning<'a> {
    fn from(message: &'a v1::Warning) -> Self {
        let v1::Warning { code, message, hint, path, severity } = message;
        let severity = match v1::Severity::try_from(*severity) {
            Ok(v1::Severity::Notice) => "notice",
            Ok(v1::Severity::Error) => "error",
            Ok(v1::Severity::Warning | v1::Severity::Unspecified) | Err(_) => "warning",
        };
        Self { code, message, hint: some(hint), path: some(path), severity }
    }
}

pub(crate) fn warnings(messages: &[v1::Warning]) -> Vec<Warning<'_>> {
    messages.iter().map(Warning::from).collect()
}

#[derive(Debug, Serialize)]
pub(crate) struct ItemFailure<'a> {
    item: &'a str,
    code: &'a str,
    reason: &'a str,
}

impl<'a> From<&'a v1::ItemFailure> for ItemFailure<'a> {
    fn from(message: &'a v1::ItemFailure) -> Self {
        let v1::ItemFailure { item, code, reason } = message;
        Self { item, code, reason }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Indexing {
    done: u64,
    total: u64,
    running: bool,
}

impl From<v1::Indexing> for Indexing {
    fn from(message: v1::Indexing) -> Self {
        let v1::Indexing { done, total, running } = message;
        Self { done, total, running }
    }
}

/// A text that may be missing.
fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// A moment, in RFC 3339 and UTC.
fn moment(message: Option<&prost_types::Timestamp>) -> Option<String> {
    let prost_types::Timestamp { seconds, nanos } = *message?;
    jiff::Timestamp::new(seconds, nanos).ok().map(|time| time.to_string())
}

/// The name of a store's scope.
fn store_scope(scope: i32) -> Option<&'static str> {
    scope::store_from_proto(scope).map(StoreScope::as_str)
}

/// The name of a request's scope.
fn request_scope(scope: i32) -> &'static str {
    scope::from_proto(scope, Scope::All).unwrap_or(Scope::All).as_str()
}
