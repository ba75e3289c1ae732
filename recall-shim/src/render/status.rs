//! The answer with the state of the daemon and the stores.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recall_proto::v1::{
    DaemonStatus, Freshness, LatencyHistogram, Limits, Model, StatusResponse, StoreScope, StoreStatus,
};

use super::index::failed_items;
use super::notes::notes;
use super::quantity::{count, counted, moment, size, time};
use crate::render::clean::inline;
use crate::render::length::ANSWER_CHARS;

/// The level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Overview,
    Everything,
}

/// Formats the state of the daemon and the stores.
pub(crate) fn status(response: &StatusResponse, detail: Detail) -> String {
    let StatusResponse { daemon, stores, models, latencies, counters: _, warnings } = response;
    let all: Vec<_> = warnings.iter().chain(stores.iter().flat_map(|store| &store.warnings)).cloned().collect();
    let mut text = notes(&all, None);
    for store in stores {
        text.push_str(&store_lines(store, detail));
    }
    text.push_str(&model_lines(models));
    if let Some(daemon) = daemon {
        text.push_str(&daemon_lines(daemon, detail));
    }
    if detail == Detail::Everything {
        text.push_str(&latency_lines(latencies));
    }
    // The length grows only with the languages and failures of a few stores, so nothing is cut in practice.
    match text.char_indices().nth(ANSWER_CHARS) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

fn store_lines(store: &StoreStatus, detail: Detail) -> String {
    let name = inline(&store.name, 80);
    let root = inline(&store.root, 400);
    let mut text = match store.scope() {
        StoreScope::Project => format!("Project {name} ({root}): "),
        StoreScope::Global => "Global store: ".to_owned(),
        StoreScope::Domain | StoreScope::Unspecified => format!("Domain {name} ({root}): "),
    };
    if !store.indexed && store.scope() == StoreScope::Global {
        text.push_str("empty.\n");
        return text;
    }
    if !store.indexed {
        text.push_str("not indexed yet; the first search does it, or recall_index with path \".\".\n");
        return text;
    }
    let indexing = store.indexing.unwrap_or_default();
    let covered = if indexing.running {
        format!("indexing, {} of {} files done", count(indexing.done), count(indexing.total))
    } else if store.failed > 0 {
        format!("complete but for {} that failed", counted(store.failed, "file"))
    } else {
        "complete".to_owned()
    };
    let _ = writeln!(
        text,
        "{covered}; {}, {}, {}, {}, generation {}.",
        counted(store.documents, "document"),
        counted(store.chunks, "chunk"),
        counted(store.symbols, "symbol"),
        if store.memories == 1 { "1 memory".to_owned() } else { format!("{} memories", count(store.memories)) },
        count(store.generation),
    );
    let kept = match store.freshness() {
        Freshness::Watched => "watched for changes",
        Freshness::Scanned => "scanned before answers",
        Freshness::Polled => "scanned from time to time",
        Freshness::Unspecified => "freshness unknown",
    };
    let changed =
        moment(store.last_change.as_ref()).map_or_else(String::new, |moment| format!(", last change {moment}"));
    let scanned = moment(store.last_scan.as_ref()).map_or_else(String::new, |moment| format!(", last scan {moment}"));
    let _ = writeln!(text, "    {kept}{scanned}{changed}; id {}", inline(&store.id, 80));
    for (model, part) in store.embedded.iter().filter(|(_, part)| **part < 1.0) {
        let embedded = part * 100.0;
        let until = match store.model.as_str() {
            "" => "keyword matches only".to_owned(),
            other => format!("{} is used", inline(other, 80)),
        };
        let _ = writeln!(text, "    {embedded:.0} % embedded by {}; until it is complete, {until}", inline(model, 80));
    }
    if detail == Detail::Everything {
        let _ = writeln!(
            text,
            "    text {}, index {} in {}",
            size(store.text_bytes),
            size(store.index_bytes),
            inline(&store.index_path, 400)
        );
        let _ = writeln!(text, "    by type: {}", counts(&store.documents_by_type));
        let _ = writeln!(text, "    by language: {}", counts(&store.documents_by_language));
        let failures = failed_items(&store.failures, store.failed);
        if !failures.is_empty() {
            let _ = writeln!(text, "{}", failures.trim_start());
        }
    }
    text
}

/// Formats counts, the largest first.
fn counts(named: &BTreeMap<String, u64>) -> String {
    const MOST: usize = 20;
    let mut sorted: Vec<_> = named.iter().collect();
    sorted.sort_by_key(|&(name, number)| (std::cmp::Reverse(*number), name));
    let shown = sorted.iter().take(MOST).map(|(name, number)| format!("{} {}", inline(name, 40), count(**number)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    if shown.is_empty() { "none".to_owned() } else { shown }
}

fn model_lines(models: &[Model]) -> String {
    let used = models.iter().filter(|model| !model.used_as.is_empty());
    let shown =
        used.map(|model| format!("{} as {}", inline(&model.name, 80), inline(&model.used_as.join(" and "), 80)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    if shown.is_empty() {
        "Models: none in use; search is by words, symbols and paths.\n".to_owned()
    } else {
        format!("Models: {shown}.\n")
    }
}

fn daemon_lines(daemon: &DaemonStatus, detail: Detail) -> String {
    let memory = daemon.memory.clone().unwrap_or_default();
    let mut text = format!(
        "Daemon: recalld {}, pid {}, up {}, memory {}.\n",
        inline(&daemon.version, 40),
        daemon.pid,
        time(daemon.uptime_ms as f64),
        size(memory.resident_bytes),
    );
    if detail == Detail::Overview {
        return text;
    }
    let _ = writeln!(
        text,
        "    own memory {}, peak {}; {}, {} in flight",
        size(memory.anonymous_bytes),
        size(memory.peak_bytes),
        counted(daemon.connections.into(), "connection"),
        counted(daemon.requests_in_flight.into(), "request"),
    );
    if let Some(Limits { query_bytes, hits, list_entries, file_bytes, .. }) = daemon.limits {
        let _ = writeln!(
            text,
            "    limits: query {}, hits {hits}, listing {list_entries}, file {}",
            size(query_bytes),
            size(file_bytes)
        );
    }
    if !daemon.log.is_empty() {
        let _ = writeln!(text, "    log {}", inline(&daemon.log, 400));
    }
    text
}

fn latency_lines(latencies: &[LatencyHistogram]) -> String {
    const MOST: usize = 40;
    let mut text = String::new();
    for LatencyHistogram { name, count: number, p50_ms, p99_ms, max_ms, .. } in latencies.iter().take(MOST) {
        let (p50, p99, max) = (time(*p50_ms), time(*p99_ms), time(*max_ms));
        let _ = writeln!(text, "    {} {}: p50 {p50}, p99 {p99}, max {max}", inline(name, 60), count(*number));
    }
    if text.is_empty() { text } else { format!("Latencies:\n{text}") }
}

#[cfg(test)]
mod tests {
    use recall_proto::v1::{Indexing, ItemFailure, MemoryUse};

    use super::*;

    fn sample() -> StatusResponse {
        let project = StoreStatus {
            id: "5f3c".to_owned(),
            scope: StoreScope::Project.into(),
            name: "recall".to_owned(),
            root: "/home/me/recall".to_owned(),
            indexed: true,
            generation: 12,
            documents: 1_234,
            chunks: 5_678,
            symbols: 4_000,
            failed: 1,
            failures: vec![ItemFailure {
                item: "a.rs".to_owned(),
                code: "TOO_LARGE".to_owned(),
                reason: "2 MB".to_owned(),
            }],
            freshness: Freshness::Scanned.into(),
            documents_by_language: [("rust".to_owned(), 900), ("c".to_owned(), 900), ("go".to_owned(), 1_000)].into(),
            ..StoreStatus::default()
        };
        let global = StoreStatus { scope: StoreScope::Global.into(), ..StoreStatus::default() };
        StatusResponse {
            stores: vec![project, global],
            daemon: Some(DaemonStatus {
                version: "0.1.0".to_owned(),
                pid: 42,
                uptime_ms: 7_500_000,
                memory: Some(MemoryUse { resident_bytes: 45_000_000, ..MemoryUse::default() }),
                limits: Some(Limits { query_bytes: 10_240, hits: 50, list_entries: 100, ..Limits::default() }),
                ..DaemonStatus::default()
            }),
            latencies: vec![LatencyHistogram {
                name: "rpc.Search".to_owned(),
                count: 9,
                p50_ms: 0.5,
                p99_ms: 3.0,
                max_ms: 12.0,
                ..LatencyHistogram::default()
            }],
            ..StatusResponse::default()
        }
    }

    #[test]
    fn the_overview_shows_what_is_indexed() {
        insta::assert_snapshot!(status(&sample(), Detail::Overview));
    }

    #[test]
    fn everything_is_more() {
        insta::assert_snapshot!(status(&sample(), Detail::Everything));
    }

    #[test]
    fn a_running_index_says_how_far_it_is() {
        let mut response = sample();
        response.stores[0].indexing = Some(Indexing { done: 5, total: 9, running: true });
        assert!(status(&response, Detail::Overview).contains("indexing, 5 of 9 files done"));
    }
}
