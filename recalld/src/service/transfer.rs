//! `Export` and `Import`, the contents of a store as a stream of bytes; `Backup` and `Restore`; `Migrate` and `Audit`, what
//! other tools remember.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use recall_api::convert::{remember, scope};
use recall_api::v1::import_request::Part;
use recall_api::{Failure, InvalidRequest, Problem, Reason, v1};
use recall_core::{ForeignKind, Scope};
use recall_engine::{
    Arrivals, AuditFinding, AuditFindingKind, AuditReport, AuditedSource, BackupReport, BackupRequest, Embeddings,
    ExistingFile, ExportError, ExportRequest, ForeignProjects, ForeignSource, ImportReport, ImportRequest, LeftOutItem,
    LeftOutTally, MigrateReport, MigrateRequest, RestoreMode, RestoreReport, RestoreRequest, Resume, Trust, Unused,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::{Pieces, Service, context};
use crate::blocking::LAST_EVENT_PATIENCE;
use crate::failure::IntoFailure;

/// The largest piece of an export.
const PIECE_BYTES: usize = 64 * 1024;

/// How many pieces wait for a client, or for the engine.
const PIECES_WAITING: usize = 4;

/// How long the next piece waits for a client that does not read or send. Until then, an export keeps the index from being tidied
/// up, and both occupy a thread.
const PATIENCE: Duration = Duration::from_mins(2);

/// `Export`: streams what a store holds.
pub(super) fn export(service: &Service, request: v1::ExportRequest) -> Result<Pieces<v1::ExportResponse>, Status> {
    let v1::ExportRequest { context, scope: wanted, with_embeddings, resume } = request;
    let resume = resume.map(|v1::ExportResume { generation, after_row, records, blake3 }| Resume {
        generation,
        after_row,
        records,
        blake3,
    });
    let asked = ExportRequest {
        scope: scope::from_proto(wanted, Scope::Project)?,
        embeddings: if with_embeddings { Embeddings::Included } else { Embeddings::LeftOut },
        resume,
    };
    let origin = context::origin(context)?;
    let (pieces, received) = mpsc::channel(PIECES_WAITING);
    let daemon = Arc::clone(&service.daemon);
    tokio::spawn(async move {
        let (inside, working) = (pieces.clone(), Arc::clone(&daemon));
        let handle = Handle::current();
        let run = daemon.jobs.run(&pieces, move |cancel| {
            working.engine.export(&origin, &asked, &mut |data, items| {
                for piece in data.chunks(PIECE_BYTES) {
                    let piece = Ok(v1::ExportResponse { data: piece.to_vec(), items });
                    let sent = handle.block_on(tokio::time::timeout(PATIENCE, inside.send(piece)));
                    if cancel.is_cancelled() || !matches!(sent, Ok(Ok(()))) {
                        return Err(ExportError::Unread);
                    }
                }
                Ok(())
            })
        });
        let failed: Status = match run.await {
            Some(Ok(Ok(()))) => return,
            Some(Ok(Err(error))) => error.into_failure().into(),
            Some(Err(panicked)) => panicked,
            None => Failure::new(Reason::Unavailable, "the daemon is shutting down; the export is not whole").into(),
        };
        // Bounds the wait for a client that does not read.
        let _ = tokio::time::timeout(LAST_EVENT_PATIENCE, pieces.send(Err(failed))).await;
    });
    Ok(Box::pin(ReceiverStream::new(received)))
}

/// `Import`: receives an export, checks it, and adds what the store lacks.
pub(super) async fn import(
    service: &Service,
    mut request: Streaming<v1::ImportRequest>,
) -> Result<v1::ImportResponse, Status> {
    let Some(v1::ImportRequest { part: Some(Part::Begin(begin)) }) = request.message().await? else {
        return Err(InvalidRequest::new("begin", Problem::Empty).into());
    };
    let v1::ImportBegin { context, scope: wanted, dry_run, trust } = begin;
    let asked = ImportRequest {
        scope: scope::from_proto(wanted, Scope::Project)?,
        mode: if dry_run { RestoreMode::DryRun } else { RestoreMode::Write },
        trust: if trust { Trust::Yes } else { Trust::No },
        provenance: remember::provenance(&context.clone().unwrap_or_default()),
    };
    let origin = context::origin(context)?;
    let (pieces, received) = mpsc::channel(PIECES_WAITING);
    let receive = async move {
        loop {
            let piece = match tokio::time::timeout(PATIENCE, request.message()).await {
                Ok(Ok(Some(v1::ImportRequest { part: Some(Part::Data(data)) }))) => Ok(data),
                Ok(Ok(Some(_))) => Err(io::Error::other("a later piece has no data")),
                Ok(Ok(None)) => return,
                // The connection broke; what was received is not whole.
                Ok(Err(status)) => Err(io::Error::other(status.message().to_owned())),
                Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, format!("no piece came for {PATIENCE:?}"))),
            };
            let is_last = piece.is_err();
            // A closed channel means that the import has failed already.
            if pieces.send(piece).await.is_err() || is_last {
                return;
            }
        }
    };
    let import = service.call(move |daemon| {
        daemon.engine.import(&origin, &asked, &mut Received { pieces: received, current: Vec::new(), at: 0 })
    });
    let ((), report) = tokio::join!(receive, import);
    Ok(response(report?))
}

/// The received bytes, as the engine reads them on a thread for blocking work.
struct Received {
    pieces: mpsc::Receiver<io::Result<Vec<u8>>>,
    current: Vec<u8>,
    at: usize,
}

impl Read for Received {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.current.len() {
            match self.pieces.blocking_recv() {
                None => return Ok(0),
                Some(piece) => (self.current, self.at) = (piece?, 0),
            }
        }
        let rest = &self.current[self.at..];
        let bytes = rest.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        self.at += bytes;
        Ok(bytes)
    }
}

fn response(report: ImportReport) -> v1::ImportResponse {
    let ImportReport {
        added,
        known,
        changed,
        untrusted,
        documents,
        left_out,
        project,
        created,
        recall_version,
        cuts_alike,
        took,
    } = report;
    let failure = |Unused { path, reason }| v1::ItemFailure { item: path, code: "LEFT_OUT".to_owned(), reason };
    v1::ImportResponse {
        added,
        known,
        changed,
        failures: left_out.into_iter().map(failure).collect(),
        untrusted,
        documents,
        project_root: project,
        created,
        recall_version,
        cuts_alike,
        took_ms: took.as_secs_f64() * 1e3,
    }
}

/// `Backup`: writes a backup into a file.
pub(super) async fn backup(service: &Service, request: v1::BackupRequest) -> Result<v1::BackupResponse, Status> {
    let v1::BackupRequest { context, scope: wanted, path, replace } = request;
    let existing = if replace { ExistingFile::Replace } else { ExistingFile::Keep };
    let asked = BackupRequest { file: path.into(), scope: scope::from_proto(wanted, Scope::All)?, existing };
    let origin = context::origin(context)?;
    let report = service.call(move |daemon| daemon.engine.backup(&origin, &asked)).await?;
    let BackupReport { file, bytes, files, records, left_out, took } = report;
    Ok(v1::BackupResponse {
        path: file.to_string_lossy().into_owned(),
        bytes,
        files,
        records,
        left_out: failures("LEFT_OUT", left_out),
        took_ms: took.as_secs_f64() * 1e3,
    })
}

/// `Restore`: adds what a backup has and the stores lack.
pub(super) async fn restore(service: &Service, request: v1::RestoreRequest) -> Result<v1::RestoreResponse, Status> {
    let v1::RestoreRequest { context, scope: wanted, path, dry_run, trust } = request;
    let asked = RestoreRequest {
        file: path.into(),
        scope: scope::from_proto(wanted, Scope::All)?,
        mode: if dry_run { RestoreMode::DryRun } else { RestoreMode::Write },
        trust: if trust { Trust::Yes } else { Trust::No },
        provenance: remember::provenance(&context.clone().unwrap_or_default()),
    };
    let origin = context::origin(context)?;
    let report = service.call(move |daemon| daemon.engine.restore(&origin, &asked)).await?;
    let RestoreReport { added, known, untrusted, conflicts, left_out, project, created, recall_version, took } = report;
    Ok(v1::RestoreResponse {
        added,
        known,
        untrusted,
        conflicts: failures("DIFFERS", conflicts),
        left_out: failures("LEFT_OUT", left_out),
        project_root: project,
        created,
        recall_version,
        took_ms: took.as_secs_f64() * 1e3,
    })
}

fn failures(code: &str, unused: Vec<Unused>) -> Vec<v1::ItemFailure> {
    let failure = |Unused { path, reason }| v1::ItemFailure { item: path, code: code.to_owned(), reason };
    unused.into_iter().map(failure).collect()
}

/// The kinds, for errors.
const KNOWN_KINDS: &str =
    "recall-v0, edi-codex, openai-codex, edi, claude-mem, mem0, basic-memory, memory-server, serena, transcripts";

/// The most findings of one tool that are listed.
const MOST_FINDINGS: u32 = 10_000;

/// `Migrate`: imports what a tool remembers.
pub(super) async fn migrate(service: &Service, request: v1::MigrateRequest) -> Result<v1::MigrateResponse, Status> {
    let v1::MigrateRequest { context, kind, scope: wanted, source, dry_run, limit } = request;
    let asked = MigrateRequest {
        source: foreign_source(foreign_kind(&kind)?, wanted, source)?,
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
    let kinds = if kind.is_empty() { Vec::new() } else { vec![foreign_kind(&kind)?] };
    // The kind of the source is replaced by each of `kinds`.
    let asked = foreign_source(kinds.first().copied().unwrap_or(ForeignKind::EdiCodex), wanted, source)?;
    if kinds.is_empty() && asked.path.is_some() {
        return Err(InvalidRequest::new("kind", Problem::Empty).into());
    }
    let origin = context::origin(context)?;
    let limit = limit.min(MOST_FINDINGS) as usize;
    let report = service.call(move |daemon| daemon.engine.audit(&origin, &kinds, &asked, limit)).await?;
    Ok(audit_answer(report))
}

fn foreign_kind(name: &str) -> Result<ForeignKind, InvalidRequest> {
    name.parse()
        .map_err(|_| InvalidRequest::new("kind", Problem::Unknown { value: name.to_owned(), known: KNOWN_KINDS }))
}

fn foreign_source(
    kind: ForeignKind,
    wanted: i32,
    source: Option<v1::ForeignSource>,
) -> Result<ForeignSource, InvalidRequest> {
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
