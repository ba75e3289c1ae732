//! Metrics of the daemon in the text format of Prometheus, version 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use axum::extract::{Extension, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use recall_api::v1::{DaemonStatus, LatencyHistogram, StatusRequest, StatusResponse, StoreStatus};

use super::envelope::failure;
use super::guard::Projects;
use crate::pages::Site;

/// The media type of the format.
const TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Reports the daemon, and the stores of all projects that the request may be about.
pub(super) async fn text(Extension(Projects(projects)): Extension<Projects>, State(mut site): State<Site>) -> Response {
    let mut status = StatusResponse::default();
    let mut stores = BTreeMap::new();
    for project in projects {
        let context = Some(project.subject.context.clone());
        let request = StatusRequest { context, metrics: true, ..StatusRequest::default() };
        match site.rpc.status(request).await {
            Ok(answer) => status = answer.into_inner(),
            Err(error) => return failure(&error),
        }
        stores.extend(std::mem::take(&mut status.stores).into_iter().map(|store| (store.root.clone(), store)));
    }
    status.stores = stores.into_values().collect();
    ([(CONTENT_TYPE, TYPE)], metrics_text(&status)).into_response()
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Counter,
    Gauge,
    Summary,
}

/// A text in the format.
#[derive(Debug, Default)]
struct Text(String);

impl Text {
    fn metric(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Summary => "summary",
        };
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// Adds a value of the metric that was begun last.
    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let _ = write!(self.0, "{}{label}=\"{}\"", if at == 0 { '{' } else { ',' }, escape(text));
        }
        let _ = writeln!(self.0, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.metric(name, Kind::Gauge, help);
        self.value(name, &[], value);
    }
}

/// Escapes a label's value: the backslash, the quotation mark and the line break.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn metrics_text(status: &StatusResponse) -> String {
    let mut text = Text::default();
    daemon(&mut text, &status.daemon.clone().unwrap_or_default());
    for (name, number) in &status.counters {
        let name = format!("recall_{}_total", name.replace('.', "_"));
        text.metric(&name, Kind::Counter, "Counted since the daemon started.");
        text.value(&name, &[], *number as f64);
    }
    latencies(&mut text, &status.latencies);
    stores(&mut text, &status.stores);
    text.0
}

fn daemon(text: &mut Text, daemon: &DaemonStatus) {
    let memory = daemon.memory.clone().unwrap_or_default();
    text.metric("recall_build_info", Kind::Gauge, "The version of the daemon, in a label.");
    text.value("recall_build_info", &[("version", &daemon.version)], 1.0);
    text.gauge("recall_uptime_seconds", "How long the daemon has been running.", daemon.uptime_ms as f64 / 1_000.0);
    text.gauge("recall_connections", "Clients of the daemon.", daemon.connections.into());
    text.gauge("recall_sessions_open", "Open sessions.", daemon.sessions.into());
    text.gauge("recall_requests_in_flight", "Requests in progress.", daemon.requests_in_flight.into());
    for (name, help, bytes) in [
        ("recall_memory_resident_bytes", "Resident memory of the daemon.", memory.resident_bytes),
        ("recall_memory_anonymous_bytes", "Resident memory without mapped files.", memory.anonymous_bytes),
        ("recall_memory_peak_bytes", "The peak of the resident memory.", memory.peak_bytes),
        (
            "recall_memory_ceiling_bytes",
            "The limit of the memory without mapped files; 0 for none.",
            memory.ceiling_bytes,
        ),
    ] {
        text.gauge(name, help, bytes as f64);
    }
}

fn latencies(text: &mut Text, latencies: &[LatencyHistogram]) {
    const NAME: &str = "recall_latency_seconds";
    text.metric(NAME, Kind::Summary, "How long RPCs and their stages took.");
    for LatencyHistogram { name, count, p50_ms, p95_ms, p99_ms, max_ms: _, total_ms } in latencies {
        if *count == 0 {
            continue;
        }
        for (quantile, ms) in [("0.5", p50_ms), ("0.95", p95_ms), ("0.99", p99_ms)] {
            text.value(NAME, &[("operation", name), ("quantile", quantile)], ms / 1_000.0);
        }
        text.value("recall_latency_seconds_sum", &[("operation", name)], total_ms / 1_000.0);
        text.value("recall_latency_seconds_count", &[("operation", name)], *count as f64);
    }
}

/// A figure of a store: the metric, its help, and how it is read.
type Figure = (&'static str, &'static str, fn(&StoreStatus) -> u64);

fn stores(text: &mut Text, stores: &[StoreStatus]) {
    const FIGURES: [Figure; 6] = [
        ("recall_store_documents", "Documents of a store.", |store| store.documents),
        ("recall_store_chunks", "Chunks of a store.", |store| store.chunks),
        ("recall_store_symbols", "Symbols of a store.", |store| store.symbols),
        ("recall_store_memories", "Memories of a store.", |store| store.memories),
        ("recall_store_text_bytes", "The indexed text of a store.", |store| store.text_bytes),
        ("recall_store_index_bytes", "The index of a store on disk.", |store| store.index_bytes),
    ];
    text.gauge("recall_stores", "Stores of the projects that the key or the cookie opens.", stores.len() as f64);
    for (name, help, read) in FIGURES {
        text.metric(name, Kind::Gauge, help);
        for store in stores {
            text.value(name, &[("store", &store.name), ("root", &store.root)], read(store) as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_escaped_labels() {
        let mut text = Text::default();
        text.value("a", &[("store", "x\"y\\z\n"), ("root", "/r")], 1.5);
        text.value("b", &[], 3.0);
        assert_eq!(text.0, "a{store=\"x\\\"y\\\\z\\n\",root=\"/r\"} 1.5\nb 3\n");
    }

    #[test]
    fn each_metric_is_begun_once_before_its_values() {
        let latency = |name: &str| LatencyHistogram { name: name.to_owned(), count: 2, ..LatencyHistogram::default() };
        let store = |root: &str| StoreStatus { root: root.to_owned(), documents: 3, ..StoreStatus::default() };
        let status = StatusResponse {
            latencies: vec![latency("rpc.Search"), latency("rpc.Get")],
            stores: vec![store("/a"), store("/b")],
            counters: [("recorder.written".to_owned(), 7)].into(),
            ..StatusResponse::default()
        };
        let text = metrics_text(&status);
        let mut begun: Vec<&str> = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let name = rest.split(' ').next().expect("a name");
                assert!(!begun.contains(&name), "{text}");
                begun.push(name);
            } else if !line.starts_with('#') {
                let name = line.split(['{', ' ']).next().expect("a name");
                let of_summary = name.trim_end_matches("_sum").trim_end_matches("_count");
                assert!(begun.last().is_some_and(|last| *last == name || *last == of_summary), "{line}: {text}");
            }
        }
        assert!(
            text.contains("recall_recorder_written_total 7\n")
                && text.contains("recall_store_documents{store=\"\",root=\"/b\"} 3\n")
        );
    }
}
