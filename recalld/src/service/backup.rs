//! `Backup` and `Restore`.

use recall_api::convert::{remember, scope};
use recall_api::v1;
use recall_core::Scope;
use recall_engine::{
    BackupReport, BackupRequest, ExistingFile, RestoreMode, RestoreReport, RestoreRequest, Trust, Unused,
};
use tonic::Status;

use super::{Service, context};

/// `Backup`: writes a backup into a file.
pub(super) async fn handle(service: &Service, request: v1::BackupRequest) -> Result<v1::BackupResponse, Status> {
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
