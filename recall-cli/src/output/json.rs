//! JSON output of what the command itself knows: errors and the state of the daemon.
//!
//! `recall_api::json` formats the daemon's responses in the same schema.

use std::collections::BTreeMap;

use recall_api::json::{Envelope, answer, failure};
use serde::Serialize;

use crate::error::CliError;

/// Returns the JSON form of an error.
pub(crate) fn failure_envelope(cli_error: &CliError) -> Envelope<Failed<'_>> {
    let CliError { exit: _, reason, message, causes, hint, details } = cli_error;
    let error = ErrorBody { code: reason.as_str(), message, causes, details, hint: hint.as_deref() };
    failure(Failed { error })
}

#[derive(Debug, Serialize)]
pub(crate) struct Failed<'a> {
    error: ErrorBody<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    code: &'static str,
    message: &'a str,
    causes: &'a [String],
    details: &'a BTreeMap<String, String>,
    hint: Option<&'a str>,
}

/// The state of the daemon's process.
#[derive(Debug, Default, Serialize)]
pub(crate) struct DaemonState<'a> {
    pub(crate) running: bool,
    pub(crate) changed: bool,
    pub(crate) pid: Option<u32>,
    pub(crate) version: Option<&'a str>,
    /// Why a running daemon is unreachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unreachable: Option<&'a str>,
    /// When an unreachable daemon started, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<&'a str>,
    /// How the daemon was ended: `request`, `SIGTERM` or `SIGKILL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_by: Option<&'static str>,
}

/// Returns the JSON form of the daemon's state.
pub(crate) fn state(state: DaemonState<'_>) -> Envelope<DaemonState<'_>> {
    answer(state)
}

#[cfg(test)]
mod tests {
    use recall_api::{Failure, Reason};
    use serde::Deserialize;

    use super::*;

    /// A mirror of the schema that rejects unknown fields.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct FailedMirror {
        ok: bool,
        schema_version: String,
        error: ErrorMirror,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ErrorMirror {
        code: String,
        message: String,
        causes: Vec<String>,
        details: BTreeMap<String, String>,
        hint: Option<String>,
    }

    #[test]
    fn a_failure_is_read_with_its_schema() {
        let failure = Failure::new(Reason::LimitExceeded, "`limit` is 99").with_detail("setting", "limits.hits");
        let written = serde_json::to_string(&failure_envelope(&CliError::from(failure))).expect("plain data");
        let FailedMirror { ok, schema_version, error } = serde_json::from_str(&written).expect("the schema");
        let ErrorMirror { code, message, causes, details, hint } = error;
        assert_eq!((ok, schema_version.as_str()), (false, "1"));
        assert_eq!((code.as_str(), message.as_str(), causes.len()), ("LIMIT_EXCEEDED", "`limit` is 99", 0));
        assert_eq!(details["setting"], "limits.hits");
        assert!(hint.expect("a hint").contains("limits.hits"));
    }
}
