//! The errors of backups, imports of what other tools remember, and publications, as reasons with hints.

use recall_api::{Failure, Reason};
use recall_core::ForeignKind;
use recall_engine::{
    BackupError, ExportError, ImportError, MigrateError, PublishError, PublishSourceError, ReadError, RestoreError,
};
use recall_text::error_chain;

use super::{IntoFailure, fault_failure, shared_failure, store_failure};

/// The hint if a file cannot be read.
const READABLE: &str = "`ls -l` shows whose file it is; make it readable for your user";

/// The hint if a file cannot be written.
const WRITABLE: &str = "`ls -ld` shows whose folder it is; name a file in a folder that you may write";

/// The hint if a file of a store cannot be written. Restoring adds only what is missing.
const AGAIN: &str = "make it writable for your user, then restore again: what is there is not added twice";

/// The hint for a backup that is not accepted.
const ANOTHER: &str = "nothing was restored; use another copy, and compare it with `sha256sum` on both machines";

/// The hint for an export that was changed.
const NOT_IMPORTED: &str = "nothing was imported; use another copy, and compare it with `sha256sum` on both machines";

impl IntoFailure for BackupError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        let fault = self.fault();
        match self {
            Self::NotAbsolute { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "path")
                .with_hint("name a file by its absolute path"),
            Self::Exists { path } => Failure::new(Reason::Conflict, message)
                .with_detail("path", path.to_string_lossy())
                .with_hint("name another file; `--force` replaces a file, but no folder or link"),
            Self::Folder(error) if error.is_missing() => Failure::new(Reason::NotFound, message)
                .with_detail("path", error.path().to_string_lossy())
                .with_hint("create the folder first, or name a file in another one"),
            Self::Folder(_) | Self::Write { .. } => {
                with_hint(fault_failure(fault, message, Reason::Unavailable), WRITABLE)
            }
            Self::Read { .. } => with_hint(fault_failure(fault, message, Reason::Unavailable), READABLE),
            Self::TooLarge { limit, .. } => Failure::new(Reason::LimitExceeded, message)
                .with_detail("limit", limit.to_string())
                .with_hint("copy that file by hand, and move it out of the store; or back up one scope at a time"),
            Self::Store(error) => store_failure(&error, message, Reason::Unavailable),
        }
    }
}

impl IntoFailure for ExportError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::Changed { .. } => Failure::new(Reason::Conflict, message)
                .with_hint("export again without `--resume`: what was exported is of another state"),
            Self::NoCheckpoint => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "resume.blake3")
                .with_hint("export again without `--resume`"),
            Self::NoModel => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "with_embeddings")
                .with_hint("leave `--with-embeddings` out, or set `search.model` to \"static\""),
            Self::Model(_) => Failure::new(Reason::EmbeddingFailed, message),
            Self::Unread => Failure::new(Reason::Cancelled, message).with_hint("`recall export --resume` continues it"),
            Self::Journal(error) => error.into_failure(),
            Self::Scope(error) => error.into_failure(),
            Self::Store(error) => store_failure(&error, message, Reason::Unavailable),
        }
    }
}

impl IntoFailure for ImportError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        let fault = self.fault();
        match self {
            Self::NotAnExport { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_hint("nothing was imported; name a file that `recall export` wrote"),
            Self::OtherVersion { version, known } if version > known => {
                Failure::new(Reason::SchemaNewer, message).with_hint("nothing was imported; update recall")
            }
            Self::OtherVersion { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_hint("nothing was imported; export again with this version of recall"),
            Self::Damaged { line, .. } => Failure::new(Reason::StoreDamaged, message)
                .with_detail("line", line.to_string())
                .with_hint(NOT_IMPORTED),
            Self::Truncated { .. } => Failure::new(Reason::StoreDamaged, message).with_hint(
                "nothing was imported; finish the export with `recall export --resume`, or use another copy",
            ),
            Self::ForeignFile { line, path } => Failure::new(Reason::PermissionDenied, message)
                .with_detail("line", line.to_string())
                .with_detail("path", path)
                .with_hint("nothing was imported; use an export from a source that you know"),
            Self::OtherScope { exported, .. } => Failure::new(Reason::InvalidScope, message)
                .with_detail("scope", exported)
                .with_hint("nothing was imported; name the scope of the export with `--scope`"),
            Self::TrustedByAgent => Failure::new(Reason::PermissionDenied, message)
                .with_hint("a person imports it with `recall import FILE --trust` in a shell; or leave `--trust` out"),
            Self::GlobalNeedsTrust => Failure::new(Reason::PermissionDenied, message)
                .with_hint("if you know where the export is from, add `--trust`"),
            Self::Input(_) => {
                Failure::new(Reason::Unavailable, message).with_hint("nothing was imported; import again")
            }
            Self::Journal(error) => error.into_failure(),
            Self::Write(_) => with_hint(fault_failure(fault, message, Reason::Unavailable), WRITABLE),
            Self::Scope(error) => error.into_failure(),
            Self::Store(error) => store_failure(&error, message, Reason::Unavailable),
        }
    }
}

impl IntoFailure for RestoreError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        let fault = self.fault();
        match self {
            Self::NotAbsolute { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "path")
                .with_hint("name the backup by its absolute path"),
            Self::Open(error) if error.is_missing() => Failure::new(Reason::NotFound, message)
                .with_detail("path", error.path().to_string_lossy())
                .with_hint("check the path; it is taken from the directory that the command runs in"),
            Self::Folder { path, newest } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("path", path.to_string_lossy())
                .with_hint(match newest {
                    Some(newest) => format!("the newest backup in it: `recall restore {}`", newest.display()),
                    None => "no backup is in it; name a file that `recall backup` wrote".to_owned(),
                }),
            Self::NotABackup { path, .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("path", path.to_string_lossy())
                .with_hint("name a file that `recall backup` wrote"),
            Self::Newer { .. } => fault_failure(fault, message, Reason::SchemaNewer)
                .with_hint("nothing was restored; update recall, and restore again"),
            Self::Damaged { .. } => fault_failure(fault, message, Reason::StoreDamaged).with_hint(ANOTHER),
            Self::TooLarge { limit, .. } => Failure::new(Reason::LimitExceeded, message)
                .with_detail("limit", limit.to_string())
                .with_hint("`recall backup` writes no such file; use a backup from a source that you know"),
            Self::ForeignEntry { entry, .. } => Failure::new(Reason::PermissionDenied, message)
                .with_detail("entry", entry)
                .with_hint("`recall backup` writes no such file; use a backup from a source that you know"),
            Self::TrustedByAgent => Failure::new(Reason::PermissionDenied, message).with_hint(
                "a person restores it with `recall restore FILE --trust` in a shell; or leave `--trust` out",
            ),
            Self::Open(_) | Self::Read { .. } => {
                with_hint(fault_failure(fault, message, Reason::Unavailable), READABLE)
            }
            Self::Write { .. } => with_hint(fault_failure(fault, message, Reason::Unavailable), AGAIN),
            Self::Store(error) => store_failure(&error, message, Reason::Unavailable),
        }
    }
}

/// Adds a hint if access was denied; other faults have their own.
fn with_hint(failure: Failure, hint: &str) -> Failure {
    match failure.reason {
        Reason::PermissionDenied | Reason::ReadOnly => failure.with_hint(hint),
        _ => failure,
    }
}

/// The hint for a source that is something else.
const NAME_IT: &str = "nothing was imported; name the file or folder of the tool: docs/import.md lists them";

impl IntoFailure for MigrateError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NotFound { kind, .. } => {
                let command = match kind {
                    ForeignKind::Transcripts => "run it in the project, or name a transcript or a folder".to_owned(),
                    ForeignKind::EdiCodex => {
                        "name the database: `recall import edi-codex PATH`; the memories of OpenAI Codex are \
                         imported by `recall import openai-codex`"
                            .to_owned()
                    }
                    kind => format!("name the file or folder: `recall import {kind} PATH`"),
                };
                Failure::new(Reason::NotFound, message).with_hint(command)
            }
            Self::Read(error) => read_failure(&error, message),
            Self::Memory(error) => error.into_failure(),
            Self::Session(error) => error.into_failure(),
            Self::File(_) => fault_failure(self.fault(), message, Reason::Unavailable),
            Self::Store(error) => store_failure(&error, message, Reason::Unavailable),
        }
    }
}

fn read_failure(error: &ReadError, message: String) -> Failure {
    let (reason, path, hint) = match error {
        ReadError::Missing { path } => {
            (Reason::NotFound, path, "check the path; it is taken from the directory that the command runs in")
        }
        ReadError::Unexpected { path, .. } => (Reason::InvalidArgument, path, NAME_IT),
        ReadError::Newer { path, .. } => (Reason::SchemaNewer, path, "nothing was imported; update recall"),
        ReadError::Damaged { path, .. } => (
            Reason::StoreDamaged,
            path,
            "use a backup of that file; what was read before the damage may be imported already",
        ),
        ReadError::TooLarge { path, .. } => {
            (Reason::LimitExceeded, path, "import a part of it: a folder, or a smaller export")
        }
        ReadError::Changing { path } => (Reason::Conflict, path, "close the program that writes it, then try again"),
        ReadError::Io { path, .. } => {
            (Reason::PermissionDenied, path, "`ls -l` shows whose file it is; make it readable for your user")
        }
        ReadError::Copy { path, .. } => {
            (Reason::DiskFull, path, "make room on the disk of recall's data, and try again")
        }
    };
    Failure::new(reason, message).with_detail("path", path.to_string_lossy()).with_hint(hint)
}

impl IntoFailure for PublishError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NoStores => Failure::new(Reason::NotFound, message).with_hint(
                "add `[stores.NAME]` with `kind` and `address` to your `recall.toml`; see docs/shared-store.md",
            ),
            Self::SeveralStores { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "store")
                .with_hint("name one with `--store`"),
            Self::NoStore { .. } => {
                Failure::new(Reason::NotFound, message).with_hint("name one of these with `--store`")
            }
            Self::NoBranch => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "branch")
                .with_hint("name it with `--branch`"),
            Self::Index(error) => error.into_failure(),
            Self::Source(PublishSourceError::NotTracked) => Failure::new(Reason::InvalidArgument, message)
                .with_hint("only files that git tracks are published; run it in a git repository"),
            Self::Source(PublishSourceError::Store(error)) => store_failure(&error, message, Reason::IndexFailed),
            Self::Source(PublishSourceError::Model(_)) => Failure::new(Reason::EmbeddingFailed, message),
            Self::Shared { source, .. } => shared_failure(
                &source,
                message,
                "publish again when the server answers: what was sent is not sent twice",
            ),
            Self::Cancelled => Failure::new(Reason::Cancelled, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_failure_says_what_can_be_done() {
        let write = |kind: io::ErrorKind| {
            BackupError::Write { path: "/media/stick/a.recall".into(), source: kind.into() }.into_failure()
        };
        let full = write(io::ErrorKind::StorageFull);
        assert_eq!((full.reason, full.hint), (Reason::DiskFull, None));
        assert_eq!(full.message, "the backup `/media/stick/a.recall` cannot be written: no storage space");
        let denied = write(io::ErrorKind::PermissionDenied);
        assert_eq!((denied.reason, denied.hint.as_deref()), (Reason::PermissionDenied, Some(WRITABLE)));
        let exists = BackupError::Exists { path: "/a".into() }.into_failure();
        assert!(exists.hint.expect("a hint").contains("--force"));
        let newer = RestoreError::Newer { path: "/a".into(), version: 2, known: 1 }.into_failure();
        assert_eq!(newer.reason, Reason::SchemaNewer);
        assert!(newer.hint.expect("a hint").contains("update recall"));
    }
}
