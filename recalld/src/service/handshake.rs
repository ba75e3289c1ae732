//! `Handshake`: do the client and the daemon understand each other?

use recall_proto::convert::time;
use recall_proto::v1::{HandshakeRequest, HandshakeResponse, ProtocolRange};
use recall_proto::{Failure, PROTOCOLS, Reason, newest_common};
use tonic::Status;

use super::Service;
use crate::daemon::{Identity, VERSION, protocols};

/// What this release can do beyond answering, sorted.
const CAPABILITIES: [&str; 1] = ["lexical"];

pub(super) fn handle(service: &Service, request: &HandshakeRequest) -> Result<HandshakeResponse, Status> {
    let identity = &service.daemon.identity;
    let protocol = agreed(request.protocol.as_ref())?;
    tracing::debug!(client = request.client_name, version = request.client_version, protocol, "handshake");
    Ok(response(identity, protocol))
}

/// The revision that both speak. A client that names none is taken to speak the newest.
fn agreed(theirs: Option<&ProtocolRange>) -> Result<u32, Failure> {
    let Some(theirs) = theirs else { return Ok(*PROTOCOLS.end()) };
    newest_common(&PROTOCOLS, &(theirs.min..=theirs.max)).ok_or_else(|| {
        let (oldest, newest) = PROTOCOLS.into_inner();
        let message = format!(
            "the daemon speaks the protocol revisions {oldest} to {newest}, the client {} to {}",
            theirs.min, theirs.max
        );
        Failure::new(Reason::VersionMismatch, message)
            .with_detail("version", VERSION)
            .with_detail("protocol_min", oldest.to_string())
            .with_detail("protocol_max", newest.to_string())
            .with_hint("update recall and run `recall daemon restart`")
    })
}

fn response(identity: &Identity, protocol: u32) -> HandshakeResponse {
    HandshakeResponse {
        version: VERSION.to_owned(),
        protocol,
        protocols: Some(protocols()),
        build: String::new(),
        pid: identity.pid,
        started_at: Some(time::to_proto(identity.started_at)),
        uptime_ms: identity.uptime().as_millis() as u64,
        schema_versions: std::collections::BTreeMap::new(),
        capabilities: CAPABILITIES.map(ToOwned::to_owned).to_vec(),
        auto_started: identity.is_auto_started(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(min: u32, max: u32, expected: Option<u32>) {
        let agreed = agreed(Some(&ProtocolRange { min, max }));
        assert_eq!(agreed.as_ref().ok(), expected.as_ref(), "{min} to {max}");
        if let Err(failure) = agreed {
            assert_eq!(failure.reason, Reason::VersionMismatch);
            assert_eq!(failure.details["version"], VERSION);
            assert_eq!(failure.details["protocol_max"], PROTOCOLS.end().to_string());
        }
    }

    #[test]
    fn the_matrix_of_revisions() {
        let (oldest, newest) = PROTOCOLS.into_inner();
        check(oldest, newest, Some(newest));
        check(0, u32::MAX, Some(newest));
        check(newest, newest + 3, Some(newest));
        check(newest + 1, newest + 3, None);
        check(0, oldest - 1, None);
        check(newest, oldest.saturating_sub(1), None);
        assert_eq!(agreed(None).ok(), Some(newest));
    }
}
