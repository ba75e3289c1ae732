//! `recall_status`

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recall_api::v1::{
    DaemonStatus, Freshness, LatencyHistogram, Limits, Model, Scope, StatusRequest, StatusResponse, StoreScope,
    StoreStatus,
};
use recall_text::quantity::{bytes, count, count_noun, millis};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::json;
use crate::render::{ANSWER_CHARS, failed_items, inline, moment, notes};
use crate::tool::call::Call;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    verbose: bool,
    #[serde(default)]
    format: Format,
}

/// The level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Overview,
    Everything,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { verbose, format } = arguments;
    let request = StatusRequest {
        context: Some(call.context),
        scope: Scope::All.into(),
        every_store: false,
        failures: verbose,
        metrics: verbose,
        // These name other projects.
        kept: false,
        sessions: false,
    };
    let status = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.status(request).await }
    });
    let response = status.await?;
    let detail = if verbose { Detail::Everything } else { Detail::Overview };
    Ok(match format {
        Format::Text => Answer::Text(text(&response, detail)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Formats the state of the daemon and the stores.
fn text(response: &StatusResponse, detail: Detail) -> String {
    let StatusResponse {
        daemon,
        stores,
        models,
        latencies,
        counters: _,
        warnings,
        kept: _,
        sessions: _,
        operations: _,
    } = response;
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
        format!("complete but for {} that failed", count_noun(store.failed, "file", "files"))
    } else if store.left_out.iter().any(|group| group.may_hide_text) {
        "complete but for files that are left out".to_owned()
    } else {
        "complete".to_owned()
    };
    let _ = writeln!(
        text,
        "{covered}; {}, {}, {}, {}, generation {}.",
        count_noun(store.documents, "document", "documents"),
        count_noun(store.chunks, "chunk", "chunks"),
        count_noun(store.symbols, "symbol", "symbols"),
        count_noun(store.memories, "memory", "memories"),
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
    let _ = writeln!(text, "    left out: {}", left_out_counts(store));
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
            bytes(store.text_bytes),
            bytes(store.index_bytes),
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

/// Formats how many files are not indexed, and for which reasons.
fn left_out_counts(store: &StoreStatus) -> String {
    let files: u64 = store.left_out.iter().map(|group| group.files).sum();
    let reasons: Vec<String> =
        store.left_out.iter().map(|group| format!("{} {}", count(group.files), inline(&group.reason, 80))).collect();
    let mut text = count_noun(files, "file", "files");
    if !reasons.is_empty() {
        let _ = write!(text, " ({})", reasons.join(", "));
    }
    if store.ruled_out > 0 {
        let _ = write!(text, ", and what rules exclude in {}", count_noun(store.ruled_out, "path", "paths"));
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
        millis(daemon.uptime_ms as f64),
        bytes(memory.resident_bytes),
    );
    if detail == Detail::Overview {
        return text;
    }
    let _ = writeln!(
        text,
        "    own memory {}, peak {}; {}, {} in flight",
        bytes(memory.anonymous_bytes),
        bytes(memory.peak_bytes),
        count_noun(daemon.connections.into(), "connection", "connections"),
        count_noun(daemon.requests_in_flight.into(), "request", "requests"),
    );
    if let Some(Limits { query_bytes, hits, list_entries, file_bytes, .. }) = daemon.limits {
        let _ = writeln!(
            text,
            "    limits: query {}, hits {hits}, listing {list_entries}, file {}",
            bytes(query_bytes),
            bytes(file_bytes)
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
        let (p50, p99, max) = (millis(*p50_ms), millis(*p99_ms), millis(*max_ms));
        let _ = writeln!(text, "    {} {}: p50 {p50}, p99 {p99}, max {max}", inline(name, 60), count(*number));
    }
    if text.is_empty() { text } else { format!("Latencies:\n{text}") }
}

#[cfg(test)]
mod tests {
    use recall_api::v1::{Indexing, ItemFailure, MemoryUse};

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
            left_out: vec![recall_api::v1::LeftOutGroup {
                reason: "too large".to_owned(),
                files: 1,
                may_hide_text: true,
            }],
            ruled_out: 2,
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
        insta::assert_snapshot!(text(&sample(), Detail::Overview));
    }

    #[test]
    fn everything_is_more() {
        insta::assert_snapshot!(text(&sample(), Detail::Everything));
    }

    #[test]
    fn a_running_index_says_how_far_it_is() {
        let mut response = sample();
        response.stores[0].indexing = Some(Indexing { done: 5, total: 9, running: true });
        assert!(text(&response, Detail::Overview).contains("indexing, 5 of 9 files done"));
    }
}
