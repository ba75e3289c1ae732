//! `Status`: reports the state of the daemon and the stores.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use recall_api::convert::{limits, memory, scope, time};
use recall_api::hint::{self, Audience};
use recall_api::v1::{self, Severity, StatsRequest, StatsResponse, StatusRequest, StatusResponse, VerificationState};
use recall_api::{Failure, InvalidRequest};
use recall_core::{Clock as _, Provenance, Scope, Timestamp, VerifyMemories, VerifyMode};
use recall_engine::{
    BudgetUse, CountRecords, Counts, DayCounts, FailureEntry, FailureEntryKind, FileCounts, HistoryStatus, KeptStore,
    LeftOutGroup, LiveSession, OperationProgress, RecorderCounts, Records, Savings, Stats, Status as Found,
    StatusError, StoreStats, StoreStatus, VerifyReport,
};
use tonic::Status;

use super::{Service, context, ids, warning};
use crate::blocking;
use crate::daemon::{Daemon, Identity, protocols};
use crate::meter::Summary;
use crate::process::{MemoryUse, SystemClock};

/// The maximum number of failures listed per store.
const FAILURES_LISTED: usize = 100;

pub(super) async fn handle(service: &Service, request: StatusRequest) -> Result<StatusResponse, Status> {
    let StatusRequest { context, scope: wanted, every_store, failures, metrics, kept, sessions: lists_sessions } =
        request;
    let wanted = scope::from_proto(wanted, Scope::All)?;
    let listed = if failures { FAILURES_LISTED } else { 0 };
    let daemon = &service.daemon;
    // The daemon reports its own state even if the client has no project or an unusable one.
    let mut operations = Vec::new();
    let (mut stores, warnings) = match context::origin(context) {
        Ok(origin) => {
            let read = move |daemon: &Daemon| {
                let found = daemon.engine.status(&origin, wanted, listed)?;
                Ok::<_, StatusError>((found, daemon.engine.operations(&origin)))
            };
            match service.call(read).await {
                Ok((Found { stores, open_stores: _ }, running)) => {
                    operations = running;
                    (stores, Vec::new())
                }
                Err(status) => (Vec::new(), vec![trouble(&Failure::from_status(&status))]),
            }
        }
        Err(InvalidRequest { field: "context.working_directory", .. }) => (Vec::new(), Vec::new()),
        Err(error) => return Err(error.into()),
    };
    if every_store {
        let daemon = Arc::clone(daemon);
        let open = blocking::run(move || daemon.engine.status_of_open_stores(listed)).await?;
        let known: Vec<_> = stores.iter().map(|store| store.root.clone()).collect();
        stores.extend(open.stores.into_iter().filter(|store| !known.contains(&store.root)));
    }
    let asked = Arc::clone(daemon);
    let read = move || {
        (asked.models.in_use_with(&asked.engine), asked.models.problems_now(), asked.engine.count_open_sessions())
    };
    let (models, problems, sessions) = blocking::run(read).await?;
    let mut warnings = warnings;
    warnings.extend(problems.into_iter().map(warning::model_warning));
    let kept =
        if kept { service.call(|daemon| Ok::<_, StatusError>(daemon.engine.kept_stores())).await? } else { Vec::new() };
    let at_work = if lists_sessions {
        service.call(|daemon| Ok::<_, StatusError>(daemon.engine.live_sessions())).await?
    } else {
        Vec::new()
    };
    Ok(StatusResponse {
        sessions: at_work.into_iter().map(live_session).collect(),
        operations: operations.into_iter().map(operation).collect(),
        kept: kept.into_iter().map(kept_store).collect(),
        daemon: Some(daemon_status(daemon, sessions)),
        stores: stores.into_iter().map(store_status).collect(),
        models,
        latencies: if metrics { latencies(daemon) } else { Vec::new() },
        counters: if metrics { counters(daemon) } else { BTreeMap::new() },
        warnings,
    })
}

fn daemon_status(daemon: &Daemon, sessions: usize) -> v1::DaemonStatus {
    let Identity { version, program: _, is_managed: _, pid, tenure, started_at, started: _, socket, data_home: _, log } =
        &daemon.identity;
    let MemoryUse { resident_bytes, anonymous_bytes, peak_bytes, mapped_bytes: _ } = MemoryUse::read();
    v1::DaemonStatus {
        pid: *pid,
        version: (*version).to_owned(),
        build: String::new(),
        protocols: Some(protocols()),
        started_at: Some(time::to_proto(*started_at)),
        uptime_ms: daemon.identity.uptime().as_millis() as u64,
        memory: Some(v1::MemoryUse {
            resident_bytes,
            anonymous_bytes,
            peak_bytes,
            ceiling_bytes: daemon.settings.daemon.memory_ceiling_bytes,
            shares: vec![
                share("indexing", daemon.engine.index_runs()),
                share("messages", daemon.admission.message_use()),
                share("answers", daemon.admission.answer_use()),
            ],
        }),
        connections: daemon.activity.clients() as u32,
        sessions: sessions as u32,
        requests_in_flight: daemon.meter.in_flight(),
        limits: Some(limits::to_proto(&daemon.settings.limits)),
        socket: socket.to_string_lossy().into_owned(),
        log: log.as_ref().map(|log| log.to_string_lossy().into_owned()).unwrap_or_default(),
        auto_started: daemon.identity.is_auto_started(),
        private: *tenure == crate::configuration::Tenure::Private,
    }
}

fn operation(progress: OperationProgress) -> v1::Operation {
    let OperationProgress { kind, done, total } = progress;
    v1::Operation { name: kind.as_str().to_owned(), done, total, unit: kind.unit().to_owned() }
}

fn live_session(session: LiveSession) -> v1::LiveSession {
    let LiveSession { id, agent, work_tree, branch, goal, last, files } = session;
    v1::LiveSession {
        id,
        agent: agent.unwrap_or_default(),
        work_tree: work_tree.to_string_lossy().into_owned(),
        branch: branch.unwrap_or_default(),
        goal: goal.unwrap_or_default(),
        last_at: Some(time::to_proto(last)),
        files: files.into_iter().map(|file| file.path).collect(),
    }
}

fn kept_store(store: KeptStore) -> v1::KeptStore {
    let KeptStore { root, index_bytes, last_change, is_gone, gone_since } = store;
    v1::KeptStore {
        root: root.to_string_lossy().into_owned(),
        index_bytes,
        last_change: last_change.map(time::to_proto),
        gone: is_gone,
        gone_since: gone_since.map(time::to_proto),
    }
}

fn share(name: &str, usage: BudgetUse) -> v1::MemoryShare {
    let BudgetUse { whole_bytes, used_bytes, waiting } = usage;
    v1::MemoryShare { name: name.to_owned(), whole_bytes, used_bytes, waiting: waiting as u64 }
}

fn store_status(state: StoreStatus) -> v1::StoreStatus {
    let StoreStatus {
        scope,
        root,
        index,
        generation,
        documents,
        chunks,
        symbols,
        edges,
        text_bytes,
        index_bytes,
        memories,
        memories_pending,
        by_type,
        by_language,
        indexing,
        scanned_ago,
        unwatched,
        newest: _,
        files: FileCounts { listed, indexed, failed: unread, skipped, pending },
        left_out,
        ruled_out,
        failed,
        failures: failed_files,
        ranker,
        history,
        embedded,
        model,
        embeddings_problems,
        awaits_power,
        repaired,
        configuration,
    } = state;
    let mut warnings = troubles(repaired, embeddings_problems, model.as_deref(), configuration);
    warnings.extend((memories_pending > 0).then(|| not_in_journals(memories_pending)));
    let is_indexed = generation.0 > 0;
    let part = |with: u64| if chunks == 0 { f64::from(is_indexed) } else { with as f64 / chunks as f64 };
    v1::StoreStatus {
        id: ids::store_id(&root),
        scope: scope::store_to_proto(scope).into(),
        name: ids::store_name(&root),
        initialised: root.join(".recall").is_dir(),
        root: root.to_string_lossy().into_owned(),
        index_path: index.to_string_lossy().into_owned(),
        files: Some(v1::FileCounts { listed, indexed, failed: unread, skipped, pending }),
        indexed: is_indexed,
        generation: generation.0,
        documents,
        chunks,
        symbols,
        edges,
        memories,
        text_bytes,
        index_bytes,
        indexing: indexing.map(|job| v1::Indexing { done: job.files_done, total: job.files, running: true }),
        failed,
        failures: failures(failed_files),
        left_out: left_out.into_iter().map(left_out_group).collect(),
        ruled_out,
        last_scan: scanned_ago.map(|ago| time::to_proto(before_now(ago))),
        last_change: None,
        freshness: (if unwatched.is_none() { v1::Freshness::Watched } else { v1::Freshness::Scanned }).into(),
        unwatched: unwatched.unwrap_or_default(),
        documents_by_type: by_type.into_iter().map(|(kind, count)| (kind.as_str().to_owned(), count)).collect(),
        documents_by_language: by_language.into_iter().collect(),
        embedded: embedded.into_iter().map(|(model, with)| (model, part(with))).collect(),
        memories_verified: None,
        schema_versions: BTreeMap::new(),
        warnings,
        ranker: ranker.as_str().to_owned(),
        model: model.unwrap_or_default(),
        history: history.map(history_status),
        awaits_power,
    }
}

fn history_status(status: HistoryStatus) -> v1::HistoryStatus {
    let HistoryStatus { commits, questions, without, with, is_used } = status;
    v1::HistoryStatus { commits, questions, rank_without: without, rank_with: with, used: is_used }
}

fn left_out_group(group: LeftOutGroup) -> v1::LeftOutGroup {
    let LeftOutGroup { reason, files, may_hide_text } = group;
    v1::LeftOutGroup { reason, files, may_hide_text }
}

/// Returns the notice that memories of linked work trees are in no journal.
fn not_in_journals(memories: u64) -> v1::Warning {
    let message = format!("memories of linked work trees that are in no journal yet: {memories}");
    let hint = "`recall doctor --fix` writes them to the journal of this work tree, so that you can commit them";
    warning::new("MEMORIES_PENDING", Severity::Notice, message, hint)
}

/// Converts the list of files that are not indexed, or not by their syntax.
pub(super) fn failures(entries: Vec<FailureEntry>) -> Vec<v1::ItemFailure> {
    let code = |kind| match kind {
        FailureEntryKind::Failed => "FAILED",
        FailureEntryKind::Skipped => "SKIPPED",
        FailureEntryKind::Unparsed => "PARSE_FAILED",
        FailureEntryKind::RuledOut => "RULED_OUT",
    };
    let one = |FailureEntry { path, reason, kind }| v1::ItemFailure { item: path, code: code(kind).to_owned(), reason };
    entries.into_iter().map(one).collect()
}

fn troubles(
    repaired: Vec<String>,
    embeddings: Vec<String>,
    model: Option<&str>,
    configuration: Vec<String>,
) -> Vec<v1::Warning> {
    let repaired = repaired.into_iter().map(|what| recall_engine::Warning::Repaired { what });
    let instead = || model.map(str::to_owned);
    let unusable = |reason| recall_engine::Warning::EmbeddingsUnusable { reason, instead: instead() };
    let embeddings = embeddings.into_iter().map(unusable);
    let configuration = configuration.into_iter().map(|message| recall_engine::Warning::Configuration { message });
    warning::to_proto(repaired.chain(embeddings).chain(configuration).collect())
}

/// Returns the warning that the stores' status is not available.
fn trouble(failure: &Failure) -> v1::Warning {
    let hint = hint::for_failure(failure, Audience::Command).unwrap_or_default();
    warning::new(failure.reason.as_str(), Severity::Error, failure.message.clone(), &hint)
}

fn before_now(ago: Duration) -> Timestamp {
    let Timestamp(now) = SystemClock.now();
    Timestamp(now.saturating_sub(i64::try_from(ago.as_nanos()).unwrap_or(i64::MAX)))
}

fn latencies(daemon: &Daemon) -> Vec<v1::LatencyHistogram> {
    let millis = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let histogram = |(name, summary): (String, Summary)| {
        let Summary { count, p50, p95, p99, longest, total } = summary;
        v1::LatencyHistogram {
            name: format!("rpc.{name}"),
            count,
            p50_ms: millis(p50),
            p95_ms: millis(p95),
            p99_ms: millis(p99),
            max_ms: millis(longest),
            total_ms: millis(total),
        }
    };
    daemon.meter.latencies().into_iter().map(histogram).collect()
}

fn counters(daemon: &Daemon) -> BTreeMap<String, u64> {
    let RecorderCounts { written, dropped, failed } = daemon.engine.recorder_counts();
    let counters = [
        ("requests", daemon.meter.requests()),
        ("errors", daemon.meter.errors()),
        ("recorder.written", written),
        ("recorder.dropped", dropped),
        ("recorder.failed", failed),
    ];
    counters.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

pub(super) async fn stats(service: &Service, request: StatsRequest) -> Result<StatsResponse, Status> {
    let StatsRequest { context, scope: wanted, savings, activity, html } = request;
    let wanted = scope::from_proto(wanted, Scope::All)?;
    let origin = context::origin(context)?;
    let (savings, activity) = (savings || html, activity || html);
    let records = if savings || activity { CountRecords::Yes } else { CountRecords::No };
    let asked = origin.clone();
    let Stats { stores, records } = service.call(move |daemon| daemon.engine.stats(&asked, wanted, records)).await?;
    let Records { savings: saved, days } = records.unwrap_or_default();
    let activity = if activity {
        let check = VerifyMemories {
            ids: Vec::new(),
            scope: Scope::Project,
            mode: VerifyMode::Check,
            with_changes: false,
            provenance: Provenance::default(),
        };
        let report = service.call(move |daemon| daemon.engine.verify_memories(&origin, &check)).await?;
        Some(activity_message(days, &report))
    } else {
        None
    };
    let answer = StatsResponse {
        stores: stores.into_iter().map(store_stats).collect(),
        savings: savings.then(|| savings_message(saved)),
        activity,
        html: String::new(),
    };
    let page = if html { recall_page::stats_page(&answer) } else { String::new() };
    Ok(StatsResponse { html: page, ..answer })
}

fn activity_message(days: BTreeMap<String, DayCounts>, report: &VerifyReport) -> v1::Activity {
    let days = days.into_iter().map(|(day, counts)| day_activity(day, counts));
    let mut activity = v1::Activity { days: days.collect(), ..v1::Activity::default() };
    for memory in &report.memories {
        let count = match memory::verification_to_proto(&memory.verification).state() {
            VerificationState::Verified => &mut activity.memories_unchanged,
            VerificationState::Changed => &mut activity.memories_changed,
            VerificationState::Gone => &mut activity.memories_gone,
            VerificationState::Unanchored | VerificationState::Unspecified => &mut activity.memories_unanchored,
        };
        *count += 1;
    }
    activity
}

fn day_activity(day: String, counts: DayCounts) -> v1::DayActivity {
    let DayCounts { searches, answers, used, answer_tokens, file_tokens, memories } = counts;
    v1::DayActivity { day, searches, answers, used, answer_tokens, file_tokens, memories }
}

fn store_stats(store: StoreStats) -> v1::StoreStats {
    let StoreStats { scope: of, root, counts, memories, sessions } = store;
    let Counts { documents, chunks, symbols, edges, text_bytes, unparsed: _, by_type, by_language } = counts;
    let types: HashMap<String, u64> =
        by_type.into_iter().map(|(kind, number)| (kind.as_str().to_owned(), number)).collect();
    let languages: HashMap<String, u64> =
        by_language.into_iter().map(|(language, number)| (language.to_string(), number)).collect();
    v1::StoreStats {
        scope: scope::store_to_proto(of).into(),
        root: root.to_string_lossy().into_owned(),
        documents,
        chunks,
        symbols,
        edges,
        text_bytes,
        types: types.into_iter().collect(),
        languages: languages.into_iter().collect(),
        memories,
        sessions,
    }
}

fn savings_message(savings: Savings) -> v1::Savings {
    let Savings { since, sessions, answers, hits, unknown_hits, files, answer_tokens, file_tokens } = savings;
    v1::Savings {
        since: since.map(time::to_proto),
        sessions,
        answers,
        hits,
        unknown_hits,
        files,
        answer_tokens,
        file_tokens,
    }
}
