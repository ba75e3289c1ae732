//! `Migrate` and `Audit`: what other tools remember.

use std::path::PathBuf;

use recall_api::convert::scope;
use recall_api::{InvalidRequest, Problem, v1};
use recall_core::{ForeignKind, Scope};
use recall_engine::{
    Arrivals, AuditFinding, AuditFindingKind, AuditReport, AuditedSource, ForeignProjects, ForeignSource, LeftOutItem,
    LeftOutTally, MigrateReport, MigrateRequest, RestoreMode,
};
use tonic::Status;

use super::{Service, context};

/// The kinds, for errors.
const KNOWN: &str =
    "recall-v0, edi-codex, openai-codex, edi, claude-mem, mem0, basic-memory, memory-server, serena, transcripts";

/// The most findings of one tool that are listed.
const MOST_FINDINGS: u32 = 10_000;

/// `Migrate`: imports what a tool remembers.
pub(super) async fn import(service: &Service, request: v1::MigrateRequest) -> Result<v1::MigrateResponse, Status> {
    let v1::MigrateRequest { context, kind, scope: wanted, source, dry_run, limit } = request;
    let asked = MigrateRequest {
        source: self::source(self::kind(&kind)?, wanted, source)?,
        mode: if dry_run { RestoreMode::DryRun } else { RestoreMode::Write },
        limit: (limit > 0).then_some(limit),
    };
    let origin = context::origin(context)?;
    let report = service.call(move |daemon| daemon.engine.migrate(&origin, &asked)).await?;
    Ok(migrate_answer(report))
}

/// `Audit`: compares what tools remember with the project.
pub(super) async fn audit(service: &Service, request: v1::AuditRequest) -> Result<v1::AuditResponse, Status> {
    let v1::AuditRequest { context, kind, scope: wanted, source, limit } = request;
    let kinds = if kind.is_empty() { Vec::new() } else { vec![self::kind(&kind)?] };
    // The kind of the source is replaced by each of `kinds`.
    let asked = self::source(kinds.first().copied().unwrap_or(ForeignKind::EdiCodex), wanted, source)?;
    if kinds.is_empty() && asked.path.is_some() {
        return Err(InvalidRequest::new("kind", Problem::Empty).into());
    }
    let origin = context::origin(context)?;
    let limit = limit.min(MOST_FINDINGS) as usize;
    let report = service.call(move |daemon| daemon.engine.audit(&origin, &kinds, &asked, limit)).await?;
    Ok(audit_answer(report))
}

fn kind(name: &str) -> Result<ForeignKind, InvalidRequest> {
    name.parse().map_err(|_| InvalidRequest::new("kind", Problem::Unknown { value: name.to_owned(), known: KNOWN }))
}

fn source(kind: ForeignKind, wanted: i32, source: Option<v1::ForeignSource>) -> Result<ForeignSource, InvalidRequest> {
    let v1::ForeignSource { path, projects, every_project } = source.unwrap_or_default();
    let path = Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty());
    if let Some(relative) = path.as_ref().filter(|path| !path.is_absolute()) {
        let problem =
            Problem::Malformed { value: relative.to_string_lossy().into_owned(), expected: "an absolute path" };
        return Err(InvalidRequest::new("source.path", problem));
    }
    let projects = match (every_project, projects) {
        (true, _) => ForeignProjects::Every,
        (false, projects) if projects.is_empty() => ForeignProjects::Own,
        (false, projects) => ForeignProjects::Named(projects),
    };
    Ok(ForeignSource { kind, path, scope: scope::from_proto(wanted, Scope::Project)?, projects })
}

fn migrate_answer(report: MigrateReport) -> v1::MigrateResponse {
    let MigrateReport { paths, memories, sessions, files, ratings, masked, missing_files, left_out, is_cut, took } =
        report;
    let left_out = left_out.into_iter().map(|(code, LeftOutTally { count, items })| {
        let item = |LeftOutItem { item, reason }| v1::ItemFailure { item, code: code.to_owned(), reason };
        v1::LeftOut { code: code.to_owned(), count, items: items.into_iter().map(item).collect() }
    });
    v1::MigrateResponse {
        paths: texts(paths),
        memories: Some(arrivals(memories)),
        sessions: Some(arrivals(sessions)),
        files: Some(arrivals(files)),
        ratings,
        masked,
        missing_files,
        left_out: left_out.collect(),
        is_cut,
        took_ms: took.as_secs_f64() * 1e3,
    }
}

fn arrivals(Arrivals { found, added, known }: Arrivals) -> v1::Arrivals {
    v1::Arrivals { found, added, known }
}

fn audit_answer(report: AuditReport) -> v1::AuditResponse {
    let AuditReport { sources, took } = report;
    let finding = |AuditFinding { kind, item, title, what, line }| {
        let kind = match kind {
            AuditFindingKind::MissingFile => "missing_file",
            AuditFindingKind::MissingSymbol => "missing_symbol",
            AuditFindingKind::Secret => "secret",
        };
        v1::AuditFinding { kind: kind.to_owned(), item, title, what, line }
    };
    let source = |source| {
        let AuditedSource { kind, paths, items, sound, claims, missing_files, missing_symbols, secrets, findings } =
            source;
        v1::AuditedSource {
            kind: kind.to_string(),
            paths: texts(paths),
            items,
            sound,
            claims,
            missing_files,
            missing_symbols,
            secrets,
            findings: findings.into_iter().map(finding).collect(),
        }
    };
    v1::AuditResponse { sources: sources.into_iter().map(source).collect(), took_ms: took.as_secs_f64() * 1e3 }
}

fn texts(paths: Vec<PathBuf>) -> Vec<String> {
    paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
}
