//! The health of the daemon and the stores.

mod attention;
mod left_out;

use std::time::Duration;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{
    DaemonStatus, Freshness, LatencyHistogram, StatsRequest, StatusRequest, StatusResponse, StoreStatus,
};
use recall_text::quantity::{bytes, count, count_noun, millis, span};
use serde::Deserialize;

use super::{Here, Site, failure, problem};
use crate::answer::{self, Shown};
use crate::plots;
use crate::view::{self, Tab};

/// The latencies that are shown.
const LATENCIES: usize = 12;

/// The parameters of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HealthQuery {
    /// Set by the script: only the part that it renews is wanted.
    part: String,
}

pub(super) async fn page(
    Extension(project): Here,
    State(mut site): State<Site>,
    asked: Query<HealthQuery>,
) -> Response {
    let context = Some(project.subject.context.clone());
    let request = StatusRequest { context, failures: true, metrics: true, ..StatusRequest::default() };
    let answer = match site.rpc.status(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Health, &Shown::from(status)),
    };
    let live = html! { div data-live="health?part=live" { (content(&answer)) } };
    if !asked.part.is_empty() {
        return answer::page(StatusCode::OK, live);
    }
    let context = Some(project.subject.context.clone());
    let request = StatsRequest { context, savings: true, activity: true, ..StatsRequest::default() };
    let figures = match site.rpc.stats(request).await {
        Ok(figures) => plots::section(&figures.into_inner(), Some("memories?standing=stale")),
        Err(status) => problem(&Shown::from(status)),
    };
    let shown = html! {
        h1 { "Health" }
        (live)
        h2 { "Figures" }
        (figures)
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Health, "Health", &shown))
}

fn content(answer: &StatusResponse) -> Markup {
    let daemon = answer.daemon.clone().unwrap_or_default();
    let mut latencies: Vec<&LatencyHistogram> = answer.latencies.iter().filter(|latency| latency.count > 0).collect();
    latencies.sort_by(|left, right| right.count.cmp(&left.count).then(left.name.cmp(&right.name)));
    html! {
        (attention::section(answer))
        section.cards {
            @for store in &answer.stores { (store_card(store)) }
            (daemon_card(&daemon))
            (memory_card(&daemon))
            @if !answer.models.is_empty() {
                div.card { h2 { "Models" } dl.facts { @for model in &answer.models { dt { (model.name) } dd { (model.used_as.join(", ")) } } } p.todo { code { "recall models" } " installs and selects others." } }
            }
        }
        @for store in &answer.stores { (left_out::section(store)) }
        @if !latencies.is_empty() {
            h2 { "Latencies" }
            div.wide role="region" aria-label="Latencies" tabindex="0" { table {
                thead { tr { th { "Operation" } th.n { "Calls" } th.n { "Median" } th.n { "95 %" } th.n { "99 %" } th.n { "Longest" } } }
                tbody { @for latency in latencies.iter().take(LATENCIES) {
                    tr {
                        td { (latency.name) } td.n { (count(latency.count)) }
                        @for time in [latency.p50_ms, latency.p95_ms, latency.p99_ms, latency.max_ms] { td.n { (millis(time)) } }
                    }
                } }
            } }
        }
    }
}

/// Shows how much is done, of which more is better.
fn done(part: f64, title: &str) -> Markup {
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    html! { progress max="1" value=(format!("{part:.3}")) title=(title) { (format!("{:.0} %", part * 100.0)) } }
}

/// Shows how much is used, of which less is better.
fn bar(used: f64, title: &str) -> Markup {
    let part = if used.is_finite() { used.clamp(0.0, 1.0) } else { 0.0 };
    html! { meter min="0" max="1" high="0.9" value=(format!("{part:.3}")) title=(title) { (format!("{:.0} %", part * 100.0)) } }
}

fn store_card(store: &StoreStatus) -> Markup {
    let files = store.files.unwrap_or_default();
    let indexing = store.indexing.unwrap_or_default();
    let changes = match store.freshness() {
        Freshness::Watched => "watched",
        Freshness::Scanned => "looked for before each answer",
        Freshness::Polled => "looked for now and then",
        Freshness::Unspecified => "unknown",
    };
    html! {
        div.card {
            h2 { (store.name) }
            p.dim.path { (store.root) }
            @if indexing.running {
                p { "Indexing: " (count(indexing.done)) " of " (count(indexing.total)) " files" (done(indexing.done as f64 / indexing.total.max(1) as f64, "indexed")) }
            }
            dl.facts {
                dt { "Files" } dd { (count(files.indexed)) " of " (count(files.listed)) " indexed" @if files.skipped > 0 { ", " (count(files.skipped)) " left out" } }
                dt { "Documents" } dd { (count(store.documents)) }
                dt { "Chunks" } dd { (count(store.chunks)) }
                dt { "Symbols" } dd { (count(store.symbols)) ", " (count_noun(store.edges, "edge", "edges")) }
                dt { "Memories" } dd { a href="memories" { (count(store.memories)) } }
                @for (model, part) in &store.embedded { dt { "Embedded" } dd { (done(*part, model)) " " (model) } }
                dt { "Index" } dd { (bytes(store.index_bytes)) " for " (bytes(store.text_bytes)) " of text, generation " (store.generation) }
                dt { "Changes" } dd { (changes) @if !store.unwatched.is_empty() { ": " (store.unwatched) } }
                dt { "Last scan" } dd { (view::time(store.last_scan.as_ref())) }
            }
            p.todo { code { "recall doctor" } " checks it, " code { "recall rebuild" } " makes the index again, " code { "recall compact" } " frees space." }
        }
    }
}

fn daemon_card(daemon: &DaemonStatus) -> Markup {
    html! {
        div.card {
            h2 { "Daemon" }
            dl.facts {
                dt { "Version" } dd { (daemon.version) ", process " (daemon.pid) }
                dt { "Running" } dd { "for " (span(Duration::from_millis(daemon.uptime_ms))) }
                dt { "Clients" } dd { (count(daemon.connections.into())) ", " a href="sessions" { (count_noun(daemon.sessions.into(), "session", "sessions")) } }
                dt { "Requests" } dd { (count(daemon.requests_in_flight.into())) " in progress" }
            }
            p.todo { code { "recall daemon restart" } " reads changed settings, " code { "recall daemon logs" } " shows what happened." }
        }
    }
}

fn memory_card(daemon: &DaemonStatus) -> Markup {
    let memory = daemon.memory.clone().unwrap_or_default();
    let part = memory.anonymous_bytes as f64 / memory.ceiling_bytes.max(1) as f64;
    html! {
        div.card {
            h2 { "Memory" }
            p { (bytes(memory.anonymous_bytes)) @if memory.ceiling_bytes > 0 { " of " (bytes(memory.ceiling_bytes)) " " (bar(part, "of the ceiling")) } }
            dl.facts {
                dt { "With files" } dd { (bytes(memory.resident_bytes)) ", at most " (bytes(memory.peak_bytes)) }
                @for share in &memory.shares {
                    dt { (share.name) }
                    dd { (bar(share.used_bytes as f64 / share.whole_bytes.max(1) as f64, &share.name)) " " (bytes(share.used_bytes)) @if share.waiting > 0 { ", " (share.waiting) " waiting" } }
                }
            }
            p.todo { "The ceiling is the setting " code { "daemon.memory_ceiling_bytes" } "." }
        }
    }
}
