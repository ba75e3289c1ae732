//! The decision whether a client replaces an older daemon, and the reasons why it does not.

use std::fmt;

use crate::handshake::{self, DaemonIdentity};
use crate::options::{Launch, Replace};

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
    program.is_some_and(|program| handshake::is_older(&daemon.version, program))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use recall_api::PROTOCOLS;

    use super::*;

    fn daemon(auto_started: bool, managed: bool, program: &str) -> DaemonIdentity {
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
            (daemon(true, false, ""), Launch::IfNeeded, Replace::Older, Ok(Successor::Ours)),
            (daemon(true, false, ""), Launch::Never, Replace::Older, Err(KeptBecause::NotAsked)),
            (daemon(true, false, ""), Launch::IfNeeded, Replace::Never, Err(KeptBecause::TurnedOff)),
            (daemon(false, true, "/bin/recalld"), Launch::IfNeeded, Replace::Older, service()),
            (daemon(false, true, ""), Launch::IfNeeded, Replace::Older, Err(KeptBecause::Foreground)),
            (daemon(false, false, "/bin/recalld"), Launch::IfNeeded, Replace::Older, Err(KeptBecause::Foreground)),
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
            assert_eq!(is_newer(program, &daemon(true, false, "")), expected, "{program:?}");
        }
    }
}
