//! `Export` and `Import`, the contents of a store as a stream of bytes; `Backup` and `Restore`.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use recall_api::convert::{remember, scope};
use recall_api::v1::import_request::Part;
use recall_api::{Failure, InvalidRequest, Problem, Reason, v1};
use recall_core::Scope;
use recall_engine::{
    BackupReport, BackupRequest, Embeddings, ExistingFile, ExportError, ExportRequest, ImportReport, ImportRequest,
    RestoreMode, RestoreReport, RestoreRequest, Resume, Trust, Unused,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::{Pieces, Service, context};
use crate::failure::IntoFailure;
use crate::jobs::LAST_EVENT_PATIENCE;

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
