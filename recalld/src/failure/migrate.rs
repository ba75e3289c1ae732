//! The errors of imports of what other tools remember, as reasons with hints.

use recall_api::{Failure, Reason};
use recall_core::ForeignKind;
use recall_engine::{MigrateError, ReadError};
use recall_text::error_chain;

use super::{IntoFailure, fault_failure, store_failure};

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
