//! Do this program and the daemon understand each other?

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use recall_proto::PROTOCOLS;
use recall_proto::v1::recall_client::RecallClient;
use recall_proto::v1::{HandshakeRequest, HandshakeResponse, ProtocolRange};
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::version;

/// The version of this program.
pub(crate) const CLIENT_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Who the daemon says that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonIdentity {
    /// Its version.
    pub version: String,
    /// The protocol revisions that it speaks.
    pub protocols: RangeInclusive<u32>,
    /// Its process id; 0 when it did not say.
    pub pid: u32,
    /// How long it has been running.
    pub uptime: Duration,
    /// Whether a client started it.
    pub auto_started: bool,
    /// Whether it said which data it serves, so that it compared them with the client's.
    pub(crate) says_data_home: bool,
}

/// What this program makes of a daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They understand each other, and the daemon is not older.
    Fits,
    /// They understand each other, but the daemon is the older one.
    OlderButFits,
    /// They have no revision in common, and the daemon is the older one.
    Older,
    /// They have no revision in common, and the daemon is the newer one.
    Newer,
}

/// Exchanges versions, and tells the daemon which data home the client means.
///
/// # Errors
/// The daemon serves other data, or the call failed for another reason than that there is no common revision.
pub(crate) async fn greet(
    rpc: &mut RecallClient<Channel>,
    client_name: &str,
    data_home: &Path,
) -> Result<DaemonIdentity, Status> {
    let request = HandshakeRequest {
        context: None,
        client_name: client_name.to_owned(),
        client_version: CLIENT_VERSION.to_owned(),
        protocol: Some(ProtocolRange { min: *PROTOCOLS.start(), max: *PROTOCOLS.end() }),
        // A path that is not text cannot be sent; the socket that follows from it is the client's own all the same.
        data_home: data_home.to_str().unwrap_or_default().to_owned(),
    };
    match rpc.handshake(request).await {
        Ok(answer) => Ok(answer.into_inner().into()),
        Err(status) => identity_of_refusal(&status).ok_or(status),
    }
}

/// Judges a daemon.
pub(crate) fn judge(daemon: &DaemonIdentity) -> Verdict {
    let older = version::compare(&daemon.version, CLIENT_VERSION) == Some(Ordering::Less);
    let common = daemon.protocols.start() <= PROTOCOLS.end() && PROTOCOLS.start() <= daemon.protocols.end();
    match (common, older) {
        (true, false) => Verdict::Fits,
        (true, true) => Verdict::OlderButFits,
        (false, _) if daemon.protocols.end() < PROTOCOLS.start() => Verdict::Older,
        (false, _) => Verdict::Newer,
    }
}

/// Whether the daemon refused because it serves another data home.
pub(crate) fn is_other_home(status: &Status) -> bool {
    status.get_details_error_info().is_some_and(|info| info.reason == "HOME_MISMATCH")
}

/// A daemon that speaks no common revision refuses, and says in the error's details who it is.
fn identity_of_refusal(status: &Status) -> Option<DaemonIdentity> {
    if status.code() != Code::FailedPrecondition {
        return None;
    }
    let info = status.get_details_error_info().filter(|info| info.reason == "VERSION_MISMATCH")?;
    let number = |key: &str| info.metadata.get(key)?.parse().ok();
    Some(DaemonIdentity {
        version: info.metadata.get("version")?.clone(),
        protocols: number("protocol_min")?..=number("protocol_max")?,
        pid: 0,
        uptime: Duration::ZERO,
        auto_started: false,
        says_data_home: false,
    })
}

impl From<HandshakeResponse> for DaemonIdentity {
    fn from(answer: HandshakeResponse) -> Self {
        let protocols = answer.protocols.map_or(answer.protocol..=answer.protocol, |range| range.min..=range.max);
        Self {
            version: answer.version,
            protocols,
            pid: answer.pid,
            uptime: Duration::from_millis(answer.uptime_ms),
            auto_started: answer.auto_started,
            says_data_home: !answer.data_home.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tonic_types::ErrorDetails;

    use super::*;

    fn daemon(version: &str, protocols: RangeInclusive<u32>) -> DaemonIdentity {
        let version = version.to_owned();
        DaemonIdentity { version, protocols, pid: 1, uptime: Duration::ZERO, auto_started: true, says_data_home: true }
    }

    #[test]
    fn the_matrix_of_versions() {
        let (oldest, newest) = PROTOCOLS.into_inner();
        for (version, protocols, expected) in [
            (CLIENT_VERSION, PROTOCOLS, Verdict::Fits),
            ("999.0.0", PROTOCOLS, Verdict::Fits),
            ("999.0.0", newest..=newest + 5, Verdict::Fits),
            ("999.0.0", newest + 1..=newest + 5, Verdict::Newer),
            ("0.0.1", PROTOCOLS, Verdict::OlderButFits),
            ("0.0.1", oldest - 1..=oldest - 1, Verdict::Older),
            // The revisions decide, whatever the version says.
            (CLIENT_VERSION, newest + 1..=newest + 1, Verdict::Newer),
            ("unreadable", PROTOCOLS, Verdict::Fits),
        ] {
            assert_eq!(judge(&daemon(version, protocols.clone())), expected, "{version} {protocols:?}");
        }
    }

    #[test]
    fn a_refusal_says_who_refuses() {
        let metadata = [("version", "0.0.1"), ("protocol_min", "3"), ("protocol_max", "4")];
        let metadata: HashMap<_, _> = metadata.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        let refusal = |reason: &str| {
            let details = ErrorDetails::with_error_info(reason, "recall", metadata.clone());
            Status::with_error_details(Code::FailedPrecondition, "no common revision", details)
        };
        let identity = identity_of_refusal(&refusal("VERSION_MISMATCH")).expect("all is told");
        assert_eq!((identity.version.as_str(), identity.protocols), ("0.0.1", 3..=4));
        assert_eq!(identity_of_refusal(&refusal("INTERNAL")), None);
        assert_eq!(identity_of_refusal(&Status::failed_precondition("no details")), None);
    }
}
