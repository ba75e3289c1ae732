//! `Handshake`: agrees on a protocol revision and checks the data home.

use std::path::Path;
use std::time::Duration;

use recall_api::convert::time;
use recall_api::v1::{HandshakeRequest, HandshakeResponse, ProtocolRange, ShutdownRequest, ShutdownResponse};
use recall_api::{Failure, PROTOCOLS, Reason, newest_common};
use tonic::Status;

use super::Service;
use crate::daemon::{Identity, protocols};
use crate::event::Event;

/// The optional capabilities of this release, sorted.
const CAPABILITIES: [&str; 1] = ["lexical"];

pub(super) fn handle(service: &Service, request: &HandshakeRequest) -> Result<HandshakeResponse, Status> {
    let identity = &service.daemon.identity;
    let protocol = agree(request.protocol.as_ref()).map_err(|failure| describe(failure, identity))?;
    check_home(&identity.data_home, &request.data_home)?;
    tracing::debug!(client = request.client_name, version = request.client_version, protocol, "handshake");
    Ok(response(identity, protocol))
}

/// Returns the newest common revision. A client that names none is assumed to speak the newest.
fn agree(theirs: Option<&ProtocolRange>) -> Result<u32, Failure> {
    let Some(theirs) = theirs else { return Ok(*PROTOCOLS.end()) };
    newest_common(&PROTOCOLS, &(theirs.min..=theirs.max)).ok_or_else(|| {
        let (oldest, newest) = PROTOCOLS.into_inner();
        let message = format!(
            "the daemon speaks the protocol revisions {oldest} to {newest}, the client {} to {}",
            theirs.min, theirs.max
        );
        Failure::new(Reason::VersionMismatch, message)
            .with_detail("protocol_min", oldest.to_string())
            .with_detail("protocol_max", newest.to_string())
    })
}

/// Adds what a client needs to know about a daemon that it may replace.
fn describe(failure: Failure, identity: &Identity) -> Failure {
    failure
        .with_detail("version", identity.version)
        .with_detail("auto_started", identity.is_auto_started().to_string())
        .with_detail("managed", identity.is_managed.to_string())
        .with_detail("program", identity.program())
}

/// Refuses a client with another data home than the daemon's. Compares canonical paths, because several paths may lead to
/// one folder.
fn check_home(ours: &Path, theirs: &str) -> Result<(), Failure> {
    let theirs_path = Path::new(theirs);
    let is_same = theirs.is_empty()
        || theirs_path == ours
        || matches!((dunce::canonicalize(theirs_path), dunce::canonicalize(ours)), (Ok(theirs), Ok(ours)) if theirs == ours);
    if is_same {
        return Ok(());
    }
    let message = format!("this daemon serves the data in `{}`, not those in `{theirs}`", ours.display());
    Err(Failure::new(Reason::HomeMismatch, message).with_detail("data_home", ours.display().to_string()))
}

fn response(identity: &Identity, protocol: u32) -> HandshakeResponse {
    HandshakeResponse {
        version: identity.version.to_owned(),
        protocol,
        protocols: Some(protocols()),
        build: String::new(),
        pid: identity.pid,
        started_at: Some(time::to_proto(identity.started_at)),
        uptime_ms: identity.uptime().as_millis() as u64,
        schema_versions: std::collections::BTreeMap::new(),
        capabilities: CAPABILITIES.map(ToOwned::to_owned).to_vec(),
        auto_started: identity.is_auto_started(),
        data_home: identity.data_home.display().to_string(),
        managed: identity.is_managed,
        program: identity.program(),
    }
}

/// The maximum length of a logged reason.
const REASON_BYTES: usize = 64;

pub(super) fn shutdown(service: &Service, request: ShutdownRequest) -> ShutdownResponse {
    let ShutdownRequest { context: _, drain_ms, mut reason } = request;
    reason.truncate(reason.floor_char_boundary(REASON_BYTES));
    let daemon = &service.daemon;
    let drain = drain_ms.map_or(daemon.settings.daemon.drain, |millis| Duration::from_millis(millis.into()));
    // If the queue is full, it already contains events that end the daemon.
    let _ = daemon.events.try_send(Event::ShutdownRequested { reason, drain });
    ShutdownResponse { pid: daemon.identity.pid }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(min: u32, max: u32, expected: Option<u32>) {
        let agreed = agree(Some(&ProtocolRange { min, max }));
        assert_eq!(agreed.as_ref().ok(), expected.as_ref(), "{min} to {max}");
        if let Err(failure) = agreed {
            assert_eq!(failure.reason, Reason::VersionMismatch);
            assert_eq!(failure.details["protocol_max"], PROTOCOLS.end().to_string());
        }
    }

    #[test]
    fn a_client_of_another_data_home_is_refused() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let (ours, link, other) = (place.path().join("ours"), place.path().join("link"), place.path().join("other"));
        for folder in [&ours, &other] {
            std::fs::create_dir(folder).expect("writable");
        }
        std::os::unix::fs::symlink(&ours, &link).expect("writable");
        for (theirs, expected) in [
            (String::new(), Ok(())),
            (ours.display().to_string(), Ok(())),
            (link.display().to_string(), Ok(())),
            (other.display().to_string(), Err(Reason::HomeMismatch)),
            ("/nonexistent/data".to_owned(), Err(Reason::HomeMismatch)),
        ] {
            assert_eq!(check_home(&ours, &theirs).map_err(|failure| failure.reason), expected, "{theirs}");
        }
    }

    #[test]
    fn the_newest_common_revision_is_chosen() {
        let (oldest, newest) = PROTOCOLS.into_inner();
        check(oldest, newest, Some(newest));
        check(0, u32::MAX, Some(newest));
        check(newest, newest + 3, Some(newest));
        check(newest + 1, newest + 3, None);
        check(0, oldest - 1, None);
        check(newest, oldest.saturating_sub(1), None);
        assert_eq!(agree(None).ok(), Some(newest));
    }
}
