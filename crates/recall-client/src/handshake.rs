//! The handshake with the daemon, the compatibility and comparison of versions, and the decision whether a client replaces an
//! older daemon.

use std::cmp::Ordering;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use recall_api::PROTOCOLS;
use recall_api::v1::recall_client::RecallClient;
use recall_api::v1::{HandshakeRequest, HandshakeResponse, ProtocolRange};
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::options::{ConnectOptions, Launch, Replace};

/// The identity that the daemon reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonIdentity {
    /// The release version of its program.
    pub version: String,
    /// The protocol revisions that it supports.
    pub protocols: RangeInclusive<u32>,
    /// Its process id; 0 if unknown.
    pub pid: u32,
    /// How long it has been running.
    pub uptime: Duration,
    /// Whether a client started it.
    pub auto_started: bool,
    /// Whether a service manager started it, and starts it again.
    pub managed: bool,
    /// The path of its program; empty if unknown.
    pub program: String,
    /// Whether it reported its data home, and therefore compared it with the client's.
    pub(crate) says_data_home: bool,
}

/// Whether a daemon is compatible with this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compatibility {
    /// They share a revision, and the daemon is not older.
    Compatible,
    /// They share a revision, and the daemon is older.
    CompatibleButOlder,
    /// They share no revision, and the daemon is older.
    Older,
    /// They share no revision, and the daemon is newer.
    Newer,
}

/// Exchanges versions, and sends the client's data home.
///
/// # Errors
/// The daemon serves another data home, or the call failed for another reason than incompatible revisions.
pub(crate) async fn greet(rpc: &mut RecallClient<Channel>, options: &ConnectOptions) -> Result<DaemonIdentity, Status> {
    let request = HandshakeRequest {
        context: None,
        client_name: options.client_name.clone(),
        client_version: options.version.clone(),
        protocol: Some(ProtocolRange { min: *PROTOCOLS.start(), max: *PROTOCOLS.end() }),
        // A path that is not text cannot be sent; the socket that follows from it is the client's own all the same.
        data_home: options.dirs.data.to_str().unwrap_or_default().to_owned(),
    };
    match rpc.handshake(request).await {
        Ok(answer) => Ok(answer.into_inner().into()),
        Err(status) => identity_of_refusal(&status).ok_or(status),
    }
}

/// Compares a daemon with this program, which has the given version.
pub(crate) fn compatibility(daemon: &DaemonIdentity, version: &str) -> Compatibility {
    let older = is_older(&daemon.version, version);
    let common = daemon.protocols.start() <= PROTOCOLS.end() && PROTOCOLS.start() <= daemon.protocols.end();
    match (common, older) {
        (true, false) => Compatibility::Compatible,
        (true, true) => Compatibility::CompatibleButOlder,
        (false, _) if daemon.protocols.end() < PROTOCOLS.start() => Compatibility::Older,
        (false, _) => Compatibility::Newer,
    }
}

/// Whether the daemon refused because it serves another data home.
pub(crate) fn is_other_home(status: &Status) -> bool {
    status.get_details_error_info().is_some_and(|info| info.reason == "HOME_MISMATCH")
}

/// A daemon without a common revision refuses the handshake, with its identity in the error's details.
fn identity_of_refusal(status: &Status) -> Option<DaemonIdentity> {
    if status.code() != Code::FailedPrecondition {
        return None;
    }
    let info = status.get_details_error_info().filter(|info| info.reason == "VERSION_MISMATCH")?;
    let is_true = |key: &str| info.metadata.get(key).is_some_and(|value| value == "true");
    let number = |key: &str| info.metadata.get(key)?.parse().ok();
    Some(DaemonIdentity {
        version: info.metadata.get("version")?.clone(),
        protocols: number("protocol_min")?..=number("protocol_max")?,
        pid: 0,
        uptime: Duration::ZERO,
        auto_started: is_true("auto_started"),
        managed: is_true("managed"),
        program: info.metadata.get("program").cloned().unwrap_or_default(),
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
            managed: answer.managed,
            program: answer.program,
            says_data_home: !answer.data_home.is_empty(),
        }
    }
}

/// Compares two release versions numerically: `0.10.0` is after `0.9.2`. Suffixes after `-` or `+` are ignored.
///
/// Returns `None` if one of them is not a version.
fn compare(left: &str, right: &str) -> Option<Ordering> {
    Some(numbers(left)?.cmp(&numbers(right)?))
}

/// Whether one release version is before another. An unknown version is not.
pub(crate) fn is_older(left: &str, right: &str) -> bool {
    compare(left, right) == Some(Ordering::Less)
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let release = version.split(['-', '+']).next()?;
    let mut parts = release.split('.').map(str::parse);
    let numbers = [parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?];
    parts.next().is_none().then_some(numbers)
}

/// An older daemon that a client uses as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlderDaemon {
    /// The daemon's version.
    pub version: String,
    /// The version of this program.
    pub client_version: String,
    /// Why it was not replaced.
    pub why: KeptBecause,
}

/// The reason why an older daemon was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptBecause {
    /// This client starts no daemon.
    NotAsked,
    /// The setting `client.replace_older` is off.
    TurnedOff,
    /// A person started it and ends it.
    Foreground,
    /// The program that would be started is not newer than the daemon.
    NoNewerProgram,
    /// It was replaced, and an older one came back.
    CameBack,
}

impl fmt::Display for OlderDaemon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, client_version, why } = self;
        write!(f, "the daemon ({version}) is older than this program ({client_version}) and keeps running")?;
        f.write_str(match why {
            KeptBecause::NotAsked => "",
            KeptBecause::TurnedOff => ": `client.replace_older` is off",
            KeptBecause::Foreground => ": it was started in the foreground",
            KeptBecause::NoNewerProgram => ": its program was not upgraded",
            KeptBecause::CameBack => ": an older daemon was started again",
        })
    }
}

/// The program that runs after the daemon has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Successor {
    /// The one that this client starts.
    Ours,
    /// The one that the service manager starts, at this path.
    Service {
        /// The path.
        program: String,
    },
}

/// Returns the program that would take over from an older daemon.
///
/// # Errors
/// The daemon must not be replaced by this client.
pub(crate) fn successor(daemon: &DaemonIdentity, launch: Launch, replace: Replace) -> Result<Successor, KeptBecause> {
    match (launch, replace) {
        (Launch::Never, _) => Err(KeptBecause::NotAsked),
        (_, Replace::Never) => Err(KeptBecause::TurnedOff),
        _ if daemon.auto_started => Ok(Successor::Ours),
        _ if daemon.managed && !daemon.program.is_empty() => Ok(Successor::Service { program: daemon.program.clone() }),
        _ => Err(KeptBecause::Foreground),
    }
}

/// Whether a program is newer than the daemon. An unknown version is not.
pub(crate) fn is_newer(program: Option<&str>, daemon: &DaemonIdentity) -> bool {
    program.is_some_and(|program| is_older(&daemon.version, program))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use recall_api::PROTOCOLS;
    use tonic_types::ErrorDetails;

    use super::*;

    fn daemon(version: &str, protocols: RangeInclusive<u32>) -> DaemonIdentity {
        let version = version.to_owned();
        DaemonIdentity {
            version,
            protocols,
            pid: 1,
            uptime: Duration::ZERO,
            auto_started: true,
            managed: false,
            program: String::new(),
            says_data_home: true,
        }
    }

    #[test]
    fn the_matrix_of_versions() {
        const OURS: &str = "0.1.0";
        let (oldest, newest) = PROTOCOLS.into_inner();
        for (version, protocols, expected) in [
            (OURS, PROTOCOLS, Compatibility::Compatible),
            ("999.0.0", PROTOCOLS, Compatibility::Compatible),
            ("999.0.0", newest..=newest + 5, Compatibility::Compatible),
            ("999.0.0", newest + 1..=newest + 5, Compatibility::Newer),
            ("0.0.1", PROTOCOLS, Compatibility::CompatibleButOlder),
            ("0.0.1", oldest - 1..=oldest - 1, Compatibility::Older),
            // The revisions decide, not the version.
            (OURS, newest + 1..=newest + 1, Compatibility::Newer),
            ("unreadable", PROTOCOLS, Compatibility::Compatible),
        ] {
            assert_eq!(compatibility(&daemon(version, protocols.clone()), OURS), expected, "{version} {protocols:?}");
        }
    }

    #[test]
    fn a_refusal_identifies_the_daemon() {
        let metadata = [("version", "0.0.1"), ("protocol_min", "3"), ("protocol_max", "4"), ("auto_started", "true")];
        let metadata: HashMap<_, _> = metadata.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        let refusal = |reason: &str| {
            let details = ErrorDetails::with_error_info(reason, "recall", metadata.clone());
            Status::with_error_details(Code::FailedPrecondition, "no common revision", details)
        };
        let identity = identity_of_refusal(&refusal("VERSION_MISMATCH")).expect("the details are complete");
        assert_eq!((identity.version.as_str(), identity.protocols), ("0.0.1", 3..=4));
        assert!(identity.auto_started && !identity.managed);
        assert_eq!(identity_of_refusal(&refusal("INTERNAL")), None);
        assert_eq!(identity_of_refusal(&Status::failed_precondition("no details")), None);
    }

    #[test]
    fn releases_are_ordered_by_number() {
        for (left, right, expected) in [
            ("0.1.0", "0.1.0", Some(Ordering::Equal)),
            ("0.9.2", "0.10.0", Some(Ordering::Less)),
            ("1.0.0", "0.99.99", Some(Ordering::Greater)),
            ("1.0.0-rc.1", "1.0.0+abc", Some(Ordering::Equal)),
            ("1.0", "1.0.0", None),
            ("1.0.0.0", "1.0.0", None),
            ("", "1.0.0", None),
            ("x.y.z", "1.0.0", None),
        ] {
            assert_eq!(compare(left, right), expected, "{left} against {right}");
        }
    }

    fn daemon_upgrade(auto_started: bool, managed: bool, program: &str) -> DaemonIdentity {
        DaemonIdentity {
            version: "0.2.0".to_owned(),
            protocols: PROTOCOLS,
            pid: 1,
            uptime: Duration::ZERO,
            auto_started,
            managed,
            program: program.to_owned(),
            says_data_home: true,
        }
    }

    #[test]
    fn what_a_person_started_is_kept() {
        let service = || Ok(Successor::Service { program: "/bin/recalld".to_owned() });
        for (daemon, launch, replace, expected) in [
            (daemon_upgrade(true, false, ""), Launch::IfNeeded, Replace::Older, Ok(Successor::Ours)),
            (daemon_upgrade(true, false, ""), Launch::Never, Replace::Older, Err(KeptBecause::NotAsked)),
            (daemon_upgrade(true, false, ""), Launch::IfNeeded, Replace::Never, Err(KeptBecause::TurnedOff)),
            (daemon_upgrade(false, true, "/bin/recalld"), Launch::IfNeeded, Replace::Older, service()),
            (daemon_upgrade(false, true, ""), Launch::IfNeeded, Replace::Older, Err(KeptBecause::Foreground)),
            (
                daemon_upgrade(false, false, "/bin/recalld"),
                Launch::IfNeeded,
                Replace::Older,
                Err(KeptBecause::Foreground),
            ),
        ] {
            assert_eq!(successor(&daemon, launch, replace), expected, "{daemon:?}");
        }
    }

    #[test]
    fn only_a_newer_program_takes_over() {
        for (program, expected) in [
            (Some("0.2.1"), true),
            (Some("0.10.0"), true),
            (Some("0.2.0"), false),
            (Some("0.1.9"), false),
            (Some("nonsense"), false),
            (None, false),
        ] {
            assert_eq!(is_newer(program, &daemon_upgrade(true, false, "")), expected, "{program:?}");
        }
    }
}
