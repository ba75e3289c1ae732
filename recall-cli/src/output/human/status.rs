//! Text output of `recall status`.

use std::collections::BTreeMap;
use std::fmt::Write;

use anstyle::Style;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::StoreScope;

use super::index::{PARSE_FAILED, RULED_OUT};
use super::quantity::{bytes, count, count_noun};
use super::style::{DIM, PATH, STRONG, WARNING};
use super::table::{Align, Column, render as table};
use super::text::{moment, printable, wrap};
use crate::output::format::Screen;

/// The maximum number of languages shown.
const LANGUAGES: usize = 6;

/// The minimum text size, in bytes, for which the ratio of index size to text size is shown.
const RATIO_FROM: u64 = 100_000;

/// The column in which the values of a store begin.
const FACT_INDENT: usize = 15;

/// Formats the daemon, each store and the metrics.
pub(crate) fn render(status: &v1::StatusResponse, screen: Screen) -> String {
    let width = screen.width;
    let v1::StatusResponse { daemon, stores, models, latencies, counters, warnings: _, kept, sessions, operations: _ } =
        status;
    let mut parts: Vec<String> = Vec::new();
    let facts = daemon.iter().map(super::daemon::render).chain(stores.iter().map(store));
    parts.extend(facts.map(|facts| wrap(&facts, width, FACT_INDENT).into_owned()));
    if !models.is_empty() {
        parts.push(models.iter().map(model).collect());
    }
    if !kept.is_empty() {
        parts.push(kept_table(kept, screen));
    }
    if !sessions.is_empty() {
        parts.push(sessions_at_work(sessions, screen.now));
    }
    if !latencies.is_empty() {
        parts.push(latency_table(latencies, width));
    }
    if !counters.is_empty() {
        let lines: Vec<String> =
            counters.iter().map(|(name, number)| format!("{name:<20} {}", count(*number))).collect();
        parts.push(lines.join("\n") + "\n");
    }
    parts.join("\n")
}

/// Formats the sessions that are at work, each with its goal and its files below it.
fn sessions_at_work(sessions: &[v1::LiveSession], now: Option<jiff::Timestamp>) -> String {
    let mut text = String::new();
    for v1::LiveSession { id, agent, work_tree, branch, goal, last_at, files } in sessions {
        let who = if agent.is_empty() { "a person" } else { agent };
        let on = if branch.is_empty() { String::new() } else { format!(" on {}", printable(branch)) };
        let last = last_at.as_ref().map(|at| format!("  {DIM}{}{DIM:#}", moment(at, now))).unwrap_or_default();
        let _ = writeln!(text, "{STRONG}{}{STRONG:#} {PATH}{}{PATH:#}{on}{last}", printable(who), printable(work_tree));
        if !goal.is_empty() {
            let _ = writeln!(text, "  {}", printable(goal));
        }
        if !files.is_empty() {
            let _ = writeln!(text, "  {DIM}edits{DIM:#} {}", printable(&files.join(", ")));
        }
        let _ = writeln!(text, "  {DIM}session {}{DIM:#}", printable(id));
    }
    text
}

/// Formats the stores on disk, the largest first.
fn kept_table(kept: &[v1::KeptStore], screen: Screen) -> String {
    const LAYOUT: [Column<'_>; 4] = [
        Column { heading: "index", align: Align::Right, style: Style::new() },
        Column { heading: "changed", align: Align::Left, style: Style::new() },
        Column { heading: "root is gone since", align: Align::Left, style: Style::new() },
        Column { heading: "root", align: Align::Path, style: PATH },
    ];
    let mut kept: Vec<_> = kept.iter().collect();
    kept.sort_by_key(|store| std::cmp::Reverse(store.index_bytes));
    let rows = kept.into_iter().map(|store| {
        let v1::KeptStore { root, index_bytes, last_change, gone, gone_since } = store;
        let gone_since = match (gone, gone_since) {
            (false, _) => String::new(),
            (true, Some(since)) => moment(since, screen.now),
            (true, None) => "now".to_owned(),
        };
        [
            bytes(*index_bytes),
            last_change.as_ref().map(|time| moment(time, screen.now)).unwrap_or_default(),
            gone_since,
            printable(root).into_owned(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    table(&LAYOUT, &rows, screen.width)
}

fn store(store: &v1::StoreStatus) -> String {
    let scope = scope::store_from_proto(store.scope).map_or("store", StoreScope::as_str);
    // The folder of the global store has the name of its scope.
    let name = if store.name == scope { String::new() } else { format!(" {}", printable(&store.name)) };
    let mut text = format!("{STRONG}{scope}{STRONG:#}{name}");
    let _ = writeln!(text, "  {PATH}{}{PATH:#}", printable(&store.root));
    let run = store.indexing.filter(|run| run.running);
    if !store.indexed && run.is_none() {
        let is_scanned = store.files.is_some_and(|files| files.listed > 0) || store.ruled_out > 0;
        if is_scanned {
            text.push_str("  no documents: none of its files is indexed\n");
            text.push_str(&left_out_lines(store));
        } else {
            text.push_str("  not indexed yet: the first search does it, or `recall include .`\n");
        }
        return text;
    }
    let _ = writeln!(
        text,
        "  documents    {} in {} with {}, {} of text",
        count(store.documents),
        count_noun(store.chunks, "chunk", "chunks"),
        count_noun(store.symbols, "symbol", "symbols"),
        bytes(store.text_bytes),
    );
    parts_line(&mut text, "types", &store.documents_by_type, usize::MAX);
    parts_line(&mut text, "languages", &store.documents_by_language, LANGUAGES);
    if store.memories > 0 {
        let _ = writeln!(text, "  memories     {}", count(store.memories));
    }
    // The fixed size of an index exceeds a small project, and during indexing the index grows before its text is
    // counted.
    let is_telling = run.is_none() && store.text_bytes >= RATIO_FROM;
    let ratio = store.index_bytes as f64 / store.text_bytes.max(1) as f64;
    let ratio = if is_telling { format!(" ({ratio:.1} × the text)") } else { String::new() };
    let _ =
        writeln!(text, "  index        {} on disk{ratio}, generation {}", bytes(store.index_bytes), store.generation);
    if let Some(run) = run {
        let first = if store.indexed { "" } else { ", for the first time" };
        let _ = writeln!(text, "  indexing     {} of {} files{first}", count(run.done), count(run.total));
    }
    let fresh = match v1::Freshness::try_from(store.freshness) {
        Ok(v1::Freshness::Watched) => "changes are watched",
        Ok(v1::Freshness::Scanned) => "files are scanned before each search",
        Ok(v1::Freshness::Polled) => "files are compared from time to time",
        Ok(v1::Freshness::Unspecified) | Err(_) => "",
    };
    let why = match store.unwatched.as_str() {
        "" => String::new(),
        reason => format!(": {}", printable(reason)),
    };
    if !fresh.is_empty() {
        let _ = writeln!(text, "  freshness    {fresh}{why}");
    }
    for (model, part) in &store.embedded {
        let how_far = if *part < 1.0 {
            format!("{:.0} % of the chunks embedded", part * 100.0)
        } else if run.is_some() {
            "all chunks so far".to_owned()
        } else {
            "whole index".to_owned()
        };
        let answers = if *model == store.model && store.embedded.len() > 1 { ", in use" } else { "" };
        let waits = if *part < 1.0 && store.awaits_power { ", waits while this machine runs on battery" } else { "" };
        let _ = writeln!(text, "  embeddings   {} model, {how_far}{answers}{waits}", printable(model));
    }
    let ranker = match store.ranker.as_str() {
        "own" => "learnt from this project's history",
        "none" => "none, the retrievers' ranks are fused",
        other => other,
    };
    if !ranker.is_empty() {
        let _ = writeln!(text, "  ranker       {}", printable(ranker));
    }
    if let Some(history) = &store.history {
        let _ = writeln!(text, "  history      {}", history_line(history));
    }
    if store.failed > 0 {
        let more = if store.failures.is_empty() { ", `recall status --failures` lists them" } else { "" };
        let _ =
            writeln!(text, "  {WARNING}failed{WARNING:#}       {}{more}", count_noun(store.failed, "file", "files"));
    }
    let unparsed: Vec<_> = store.failures.iter().filter(|failure| failure.code == PARSE_FAILED).collect();
    if !unparsed.is_empty() {
        let _ = writeln!(text, "  not parsed   {}", count_noun(unparsed.len() as u64, "file", "files"));
        text.push_str(&items(&unparsed));
    }
    text.push_str(&left_out_lines(store));
    let _ = writeln!(text, "  {DIM}kept in      {}{DIM:#}", printable(&store.index_path));
    text
}

/// Formats what was learnt from the history, and whether it is used.
fn history_line(history: &v1::HistoryStatus) -> String {
    let &v1::HistoryStatus { commits, questions, rank_without, rank_with, used } = history;
    if questions == 0 {
        return format!("not used: {} are too few to judge it", count_noun(commits, "commit", "commits"));
    }
    let commits = count_noun(commits, "commit", "commits");
    let newest = format!("on the newest {questions}: MRR {rank_with:.2} instead of {rank_without:.2}");
    if used { format!("learnt from {commits}, better {newest}") } else { format!("not used: no better {newest}") }
}

/// Formats how many files are not indexed, for which reasons, and, if they were asked for, which.
fn left_out_lines(store: &v1::StoreStatus) -> String {
    let files: u64 = store.left_out.iter().map(|group| group.files).sum();
    let reasons = store.left_out.iter().map(|group| format!("{} {}", count(group.files), printable(&group.reason)));
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let reasons = if reasons.is_empty() { reasons } else { format!(": {reasons}") };
    let ruled = match store.ruled_out {
        0 => String::new(),
        paths => format!("; rules exclude {}", count_noun(paths, "path", "paths")),
    };
    let (ruled_out, others): (Vec<_>, Vec<_>) = store
        .failures
        .iter()
        .filter(|failure| failure.code != PARSE_FAILED)
        .partition(|failure| failure.code == RULED_OUT);
    let can_list = store.failures.is_empty() && files + store.ruled_out > 0;
    let more = if can_list { "; `recall status --failures` lists them" } else { "" };
    let mut text = format!("  left out     {}{reasons}{ruled}{more}\n", count_noun(files, "file", "files"));
    text.push_str(&items(&others));
    text.push_str(&items(&ruled_out));
    let untold = store.ruled_out.saturating_sub(ruled_out.len() as u64);
    if !store.failures.is_empty() && untold > 0 {
        let _ = writeln!(text, "    and {} more by rules", count(untold));
    }
    text
}

fn items(failures: &[&v1::ItemFailure]) -> String {
    let mut text = String::new();
    for v1::ItemFailure { item, code: _, reason } in failures {
        let _ = writeln!(text, "    {PATH}{}{PATH:#}  {}", printable(item), printable(reason));
    }
    text
}

/// `  types        code 120, documentation 14, adr 3`, the most frequent first.
fn parts_line(text: &mut String, name: &str, parts: &BTreeMap<String, u64>, most: usize) {
    if parts.is_empty() {
        return;
    }
    let mut parts: Vec<_> = parts.iter().collect();
    parts.sort_by_key(|&(name, number)| (std::cmp::Reverse(number), name));
    let mut said: Vec<_> =
        parts.iter().take(most).map(|(name, number)| format!("{name} {}", count(**number))).collect();
    if parts.len() > most {
        let rest: u64 = parts[most..].iter().map(|(_, number)| **number).sum();
        said.push(format!("others {}", count(rest)));
    }
    let _ = writeln!(text, "  {name:<12} {}", said.join(", "));
}

fn model(model: &v1::Model) -> String {
    let roles = if model.used_as.is_empty() { "not used".to_owned() } else { model.used_as.join(", ") };
    let provider = match model.provider.as_str() {
        _ if !model.address.is_empty() => format!(", at {}", printable(&model.address)),
        "" => ", not loaded".to_owned(),
        provider => format!(", on {}", printable(provider)),
    };
    let problem = if model.problem.is_empty() { String::new() } else { format!(": {}", printable(&model.problem)) };
    let mut text = format!("{STRONG}model{STRONG:#} {} ({roles}{provider}){problem}\n", printable(&model.name));
    if let Some(remote) = &model.remote {
        text.push_str(&remote_use(remote));
    }
    text
}

/// Formats what a remote model has cost, its pace and what is left.
fn remote_use(remote: &v1::RemoteUse) -> String {
    let v1::RemoteUse { texts, tokens, dollars, tokens_today, tokens_daily, texts_per_second, chunks_left } = *remote;
    let cost = dollars.map_or_else(String::new, |dollars| format!(", ${dollars:.4}"));
    let mut text = format!(
        "  sent         {} with {}{cost}\n",
        count_noun(texts, "text", "texts"),
        count_noun(tokens, "token", "tokens")
    );
    if let Some(daily) = tokens_daily {
        let _ = writeln!(text, "  today        {} of {} tokens", count(tokens_today), count(daily));
    }
    if chunks_left > 0 {
        let pace = texts_per_second.filter(|pace| *pace > 0.0).map_or_else(String::new, |pace| {
            let minutes = (chunks_left as f64 / pace / 60.0).ceil() as u64;
            format!(", {pace:.0} a second, about {}", count_noun(minutes, "minute", "minutes"))
        });
        let _ = writeln!(text, "  to embed     {}{pace}", count_noun(chunks_left, "chunk", "chunks"));
    }
    text
}

fn latency_table(latencies: &[v1::LatencyHistogram], width: Option<usize>) -> String {
    let number = |heading| Column { heading, align: Align::Right, style: Style::new() };
    let name = Column { heading: "MILLISECONDS", align: Align::Left, style: Style::new() };
    let layout = [name, number("COUNT"), number("P50"), number("P95"), number("P99"), number("MAX")];
    let rows: Vec<_> = latencies
        .iter()
        .map(|v1::LatencyHistogram { name, count: times, p50_ms, p95_ms, p99_ms, max_ms, total_ms: _ }| {
            let ms = |ms: &f64| format!("{ms:.2}");
            [name.clone(), count(*times), ms(p50_ms), ms(p95_ms), ms(p99_ms), ms(max_ms)]
        })
        .collect();
    table(&layout, &rows, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
        pairs.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect()
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one field a line")]
    fn daemon_and_stores_are_shown() {
        let status = v1::StatusResponse {
            daemon: Some(v1::DaemonStatus {
                pid: 4711,
                version: "0.1.0".to_owned(),
                uptime_ms: 3_725_000,
                memory: Some(v1::MemoryUse {
                    resident_bytes: 80 << 20,
                    anonymous_bytes: 30 << 20,
                    peak_bytes: 120 << 20,
                    ceiling_bytes: 512 << 20,
                    shares: vec![
                        v1::MemoryShare {
                            name: "indexing".to_owned(),
                            whole_bytes: 192 << 20,
                            used_bytes: 192 << 20,
                            waiting: 3,
                        },
                        v1::MemoryShare { name: "answers".to_owned(), ..v1::MemoryShare::default() },
                    ],
                }),
                connections: 2,
                sessions: 1,
                socket: "/run/user/7/recall/recalld.sock".to_owned(),
                auto_started: true,
                ..v1::DaemonStatus::default()
            }),
            stores: vec![
                v1::StoreStatus {
                    scope: v1::StoreScope::Project.into(),
                    name: "tokio".to_owned(),
                    root: "/src/tokio".to_owned(),
                    index_path: "/data/stores/0123".to_owned(),
                    indexed: true,
                    generation: 12,
                    documents: 790,
                    chunks: 6_543,
                    symbols: 9_000,
                    text_bytes: 4 << 20,
                    index_bytes: 6 << 20,
                    documents_by_type: numbers(&[("code", 700), ("documentation", 90)]),
                    documents_by_language: numbers(&[
                        ("rust", 700),
                        ("markdown", 80),
                        ("toml", 4),
                        ("yaml", 3),
                        ("bash", 1),
                        ("css", 1),
                        ("html", 1),
                    ]),
                    failed: 1,
                    left_out: [("too large", 2), ("binary", 1)]
                        .map(|(reason, files)| v1::LeftOutGroup {
                            reason: reason.to_owned(),
                            files,
                            may_hide_text: reason != "binary",
                        })
                        .to_vec(),
                    ruled_out: 4,
                    freshness: v1::Freshness::Scanned.into(),
                    embedded: BTreeMap::from([("all-MiniLM-L6-v2".to_owned(), 0.42), ("static".to_owned(), 1.0)]),
                    model: "static".to_owned(),
                    ranker: "own".to_owned(),
                    history: Some(v1::HistoryStatus {
                        commits: 2_310,
                        questions: 120,
                        rank_without: 0.6123,
                        rank_with: 0.6571,
                        used: true,
                    }),
                    ..v1::StoreStatus::default()
                },
                v1::StoreStatus {
                    scope: v1::StoreScope::Global.into(),
                    name: "global".to_owned(),
                    root: "/data/global".to_owned(),
                    ..v1::StoreStatus::default()
                },
            ],
            counters: numbers(&[("requests", 1_234)]),
            latencies: vec![v1::LatencyHistogram {
                name: "rpc.Search".to_owned(),
                count: 1_000,
                p50_ms: 0.61,
                p95_ms: 1.2,
                p99_ms: 3.0,
                max_ms: 12.34,
                total_ms: 700.0,
            }],
            ..v1::StatusResponse::default()
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&status, Screen::default())), @r"
        recalld 0.1.0 running for 1 h 2 min, pid 4711, started when it was needed
          memory       30.0 MiB private, 80.0 MiB resident, peak 120.0 MiB, limit 512.0 MiB
          in flight    indexing 192.0 MiB of 192.0 MiB, 3 waiting
          clients      2 connections, 1 session, 0 requests in flight
          socket       /run/user/7/recall/recalld.sock

        project tokio  /src/tokio
          documents    790 in 6,543 chunks with 9,000 symbols, 4.0 MiB of text
          types        code 700, documentation 90
          languages    rust 700, markdown 80, toml 4, yaml 3, bash 1, css 1, others 1
          index        6.0 MiB on disk (1.5 × the text), generation 12
          freshness    files are scanned before each search
          embeddings   all-MiniLM-L6-v2 model, 42 % of the chunks embedded
          embeddings   static model, whole index, in use
          ranker       learnt from this project's history
          history      learnt from 2,310 commits, better on the newest 120: MRR 0.66 instead of 0.61
          failed       1 file, `recall status --failures` lists them
          left out     3 files: 2 too large, 1 binary; rules exclude 4 paths; `recall status --failures` lists them
          kept in      /data/stores/0123

        global  /data/global
          not indexed yet: the first search does it, or `recall include .`

        MILLISECONDS  COUNT   P50   P95   P99    MAX
        rpc.Search    1,000  0.61  1.20  3.00  12.34

        requests             1,234
        ");
    }

    #[test]
    fn what_is_left_out_is_listed_with_the_rules_last() {
        let failure = |item: &str, code: &str, reason: &str| v1::ItemFailure {
            item: item.to_owned(),
            code: code.to_owned(),
            reason: reason.to_owned(),
        };
        let group = v1::LeftOutGroup { reason: "binary".to_owned(), files: 1, may_hide_text: false };
        let status = v1::StoreStatus {
            left_out: vec![group],
            ruled_out: 2,
            failures: vec![
                failure("a.png", "SKIPPED", "binary"),
                failure("b.rs", PARSE_FAILED, "too deep"),
                failure("build/", RULED_OUT, "in the built-in list"),
            ],
            ..v1::StoreStatus::default()
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&left_out_lines(&status)), @r"
          left out     1 file: 1 binary; rules exclude 2 paths
            a.png  binary
            build/  in the built-in list
            and 1 more by rules
        ");
        let nothing = left_out_lines(&v1::StoreStatus::default());
        assert_eq!(nothing, "  left out     0 files\n");
    }

    #[test]
    fn a_store_that_is_indexed_for_the_first_time_tells_how_far_that_is() {
        let mut new = v1::StoreStatus { scope: v1::StoreScope::Project.into(), ..v1::StoreStatus::default() };
        assert!(store(&new).contains("not indexed yet"));
        new.files = Some(v1::FileCounts { listed: 2, skipped: 2, ..v1::FileCounts::default() });
        new.left_out = vec![v1::LeftOutGroup { reason: "cannot be read".to_owned(), files: 2, may_hide_text: true }];
        let told = store(&new);
        assert!(told.contains("no documents") && told.contains("left out     2 files: 2 cannot be read"), "{told}");
        new.documents = 3;
        new.indexing = Some(v1::Indexing { done: 3, total: 10, running: true });
        new.embedded = BTreeMap::from([("static".to_owned(), 1.0)]);
        let told = store(&new);
        assert!(told.contains("documents    3") && told.contains("3 of 10 files, for the first time"), "{told}");
        assert!(told.contains("static model, all chunks so far"), "{told}");
        assert!(!told.contains("not indexed yet"), "{told}");
    }
}
