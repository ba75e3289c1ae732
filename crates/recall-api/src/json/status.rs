//! The status of the daemon and its stores.

use std::collections::BTreeMap;

use crate::v1;
use serde::Serialize;

use crate::json::daemon::Daemon;
use crate::json::models::Model;
use crate::json::{Indexing, ItemFailure, Warning, answer, non_empty, store_scope, timestamp_text, warnings};

#[derive(Debug, Serialize)]
pub(crate) struct Status<'a> {
    daemon: Option<Daemon<'a>>,
    stores: Vec<Store<'a>>,
    models: Vec<Model<'a>>,
    latencies: Vec<Latency<'a>>,
    counters: &'a BTreeMap<String, u64>,
    warnings: Vec<Warning<'a>>,
    kept: Vec<KeptIndex<'a>>,
}

#[derive(Debug, Serialize)]
struct FileCounts {
    listed: u64,
    indexed: u64,
    failed: u64,
    skipped: u64,
    pending: u64,
}

impl From<&v1::FileCounts> for FileCounts {
    fn from(message: &v1::FileCounts) -> Self {
        let &v1::FileCounts { listed, indexed, failed, skipped, pending } = message;
        Self { listed, indexed, failed, skipped, pending }
    }
}

/// Files that are not indexed for the same reason.
#[derive(Debug, Serialize)]
struct LeftOutGroup<'a> {
    reason: &'a str,
    files: u64,
    may_hide_text: bool,
}

impl<'a> From<&'a v1::LeftOutGroup> for LeftOutGroup<'a> {
    fn from(message: &'a v1::LeftOutGroup) -> Self {
        let v1::LeftOutGroup { reason, files, may_hide_text } = message;
        Self { reason, files: *files, may_hide_text: *may_hide_text }
    }
}

#[derive(Debug, Serialize)]
struct KeptIndex<'a> {
    root: &'a str,
    index_bytes: u64,
    last_change: Option<String>,
    gone: bool,
    gone_since: Option<String>,
}

/// The answer of `recall publish --format json`.
pub fn publish_answer(message: &v1::PublishResponse) -> impl Serialize {
    #[derive(Serialize)]
    struct Published<'a> {
        store: &'a str,
        repository: &'a str,
        branch: &'a str,
        generation: u64,
        documents: u64,
        sent_documents: u64,
        removed_documents: u64,
        sent_chunks: u64,
        known_chunks: u64,
        differences: Vec<Difference<'a>>,
        difference_count: u64,
        took_ms: f64,
    }
    #[derive(Serialize)]
    struct Difference<'a> {
        path: &'a str,
        code: &'a str,
    }
    let v1::PublishResponse {
        store,
        repository,
        branch,
        generation,
        documents,
        sent_documents,
        removed_documents,
        sent_chunks,
        known_chunks,
        differences,
        difference_count,
        took_ms,
    } = message;
    answer(Published {
        store,
        repository,
        branch,
        generation: *generation,
        documents: *documents,
        sent_documents: *sent_documents,
        removed_documents: *removed_documents,
        sent_chunks: *sent_chunks,
        known_chunks: *known_chunks,
        differences: differences.iter().map(|one| Difference { path: &one.item, code: &one.code }).collect(),
        difference_count: *difference_count,
        took_ms: *took_ms,
    })
}

/// The space that `compact` has freed.
pub fn compact_answer(message: &v1::CompactResponse) -> impl Serialize {
    #[derive(Debug, Serialize)]
    struct Compacted<'a> {
        bytes_before: u64,
        bytes_after: u64,
        deleted_roots: &'a [String],
        took_ms: f64,
    }

    let v1::CompactResponse { bytes_before, bytes_after, took_ms, deleted_roots } = message;
    answer(Compacted { bytes_before: *bytes_before, bytes_after: *bytes_after, deleted_roots, took_ms: *took_ms })
}

/// The status of the daemon and its stores.
pub fn status(message: &v1::StatusResponse) -> impl Serialize {
    let v1::StatusResponse { daemon, stores, models, latencies, counters, warnings: messages, kept } = message;
    answer(Status {
        daemon: daemon.as_ref().map(Daemon::from),
        stores: stores.iter().map(Store::from).collect(),
        models: models.iter().map(Model::from).collect(),
        latencies: latencies.iter().map(Latency::from).collect(),
        counters,
        warnings: warnings(messages),
        kept: kept.iter().map(KeptIndex::from).collect(),
    })
}

impl<'a> From<&'a v1::KeptStore> for KeptIndex<'a> {
    fn from(message: &'a v1::KeptStore) -> Self {
        let v1::KeptStore { root, index_bytes, last_change, gone, gone_since } = message;
        Self {
            root,
            index_bytes: *index_bytes,
            last_change: timestamp_text(last_change.as_ref()),
            gone: *gone,
            gone_since: timestamp_text(gone_since.as_ref()),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Store<'a> {
    id: &'a str,
    scope: Option<&'static str>,
    name: &'a str,
    root: &'a str,
    index_path: &'a str,
    initialised: bool,
    indexed: bool,
    generation: u64,
    documents: u64,
    chunks: u64,
    symbols: u64,
    edges: u64,
    memories: u64,
    text_bytes: u64,
    index_bytes: u64,
    indexing: Option<Indexing>,
    files: Option<FileCounts>,
    failed: u64,
    failures: Vec<ItemFailure<'a>>,
    left_out: Vec<LeftOutGroup<'a>>,
    ruled_out: u64,
    last_scan: Option<String>,
    last_change: Option<String>,
    freshness: Option<&'static str>,
    unwatched: Option<&'a str>,
    documents_by_type: &'a BTreeMap<String, u64>,
    documents_by_language: &'a BTreeMap<String, u64>,
    embedded: &'a BTreeMap<String, f64>,
    memories_verified: Option<f64>,
    schema_versions: &'a BTreeMap<String, u32>,
    ranker: Option<&'a str>,
    model: Option<&'a str>,
    warnings: Vec<Warning<'a>>,
}

impl<'a> From<&'a v1::StoreStatus> for Store<'a> {
    fn from(message: &'a v1::StoreStatus) -> Self {
        let v1::StoreStatus {
            id,
            scope,
            name,
            root,
            index_path,
            initialised,
            indexed,
            generation,
            documents,
            chunks,
            symbols,
            edges,
            memories,
            text_bytes,
            index_bytes,
            indexing,
            failed,
            failures,
            files,
            left_out,
            ruled_out,
            last_scan,
            last_change,
            freshness,
            unwatched,
            documents_by_type,
            documents_by_language,
            embedded,
            memories_verified,
            schema_versions,
            warnings: messages,
            ranker,
            model,
        } = message;
        Self {
            id,
            scope: store_scope(*scope),
            name,
            root,
            index_path,
            initialised: *initialised,
            indexed: *indexed,
            generation: *generation,
            documents: *documents,
            chunks: *chunks,
            symbols: *symbols,
            edges: *edges,
            memories: *memories,
            text_bytes: *text_bytes,
            index_bytes: *index_bytes,
            indexing: indexing.map(Indexing::from),
            files: files.as_ref().map(FileCounts::from),
            failed: *failed,
            failures: failures.iter().map(ItemFailure::from).collect(),
            left_out: left_out.iter().map(LeftOutGroup::from).collect(),
            ruled_out: *ruled_out,
            last_scan: timestamp_text(last_scan.as_ref()),
            last_change: timestamp_text(last_change.as_ref()),
            freshness: freshness_name(*freshness),
            unwatched: non_empty(unwatched),
            documents_by_type,
            documents_by_language,
            embedded,
            memories_verified: *memories_verified,
            schema_versions,
            ranker: non_empty(ranker),
            model: non_empty(model),
            warnings: warnings(messages),
        }
    }
}

fn freshness_name(freshness: i32) -> Option<&'static str> {
    match v1::Freshness::try_from(freshness) {
        Ok(v1::Freshness::Watched) => Some("watched"),
        Ok(v1::Freshness::Scanned) => Some("scanned"),
        Ok(v1::Freshness::Polled) => Some("polled"),
        Ok(v1::Freshness::Unspecified) | Err(_) => None,
    }
}

#[derive(Debug, Serialize)]
struct Latency<'a> {
    name: &'a str,
    count: u64,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    total_ms: f64,
}

impl<'a> From<&'a v1::LatencyHistogram> for Latency<'a> {
    fn from(message: &'a v1::LatencyHistogram) -> Self {
        let v1::LatencyHistogram { name, count, p50_ms, p95_ms, p99_ms, max_ms, total_ms } = message;
        Self {
            name,
            count: *count,
            p50_ms: *p50_ms,
            p95_ms: *p95_ms,
            p99_ms: *p99_ms,
            max_ms: *max_ms,
            total_ms: *total_ms,
        }
    }
}
