//! The note that a daemon writes into its lock, for programs that cannot reach it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use recall_core::Timestamp;

use crate::process::{ProcessStart, program_of};

/// How the file name of the daemon's program begins.
const PROGRAM: &str = "recalld";

/// Nanoseconds in a millisecond.
const NANOS: i64 = 1_000_000;

/// Who holds a lock. Only the note of a lock that is held says anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockNote {
    /// The holder's process id.
    pub pid: u32,
    /// When its process started; `None` if it did not say.
    pub started: Option<ProcessStart>,
    /// The time of day at which it started, in whole milliseconds; `None` if it did not say.
    pub since: Option<Timestamp>,
    /// The socket that it listens on; `None` until it listens and handles signals.
    pub socket: Option<PathBuf>,
}

impl LockNote {
    /// Reads a note; `None` if there is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let pid = lines.next()?.trim().parse().ok()?;
        let mut note = Self { pid, started: None, since: None, socket: None };
        // A later version may say more.
        for (name, value) in lines.filter_map(|line| line.split_once(' ')) {
            match name {
                "started" => note.started = value.parse().ok().map(ProcessStart),
                "since" => {
                    note.since = value.parse().ok().and_then(|millis: i64| millis.checked_mul(NANOS)).map(Timestamp);
                }
                "socket" => note.socket = Some(PathBuf::from(value)).filter(|path| path.is_absolute()),
                _ => {}
            }
        }
        Some(note)
    }

    /// Writes the note: the process id on the first line, then a name and a value a line.
    pub fn to_text(&self) -> String {
        let Self { pid, started, since, socket } = self;
        let mut text = format!("{pid}\n");
        if let Some(ProcessStart(ticks)) = started {
            let _ = writeln!(text, "started {ticks}");
        }
        if let Some(since) = since {
            let _ = writeln!(text, "since {}", since.as_millis());
        }
        // A path that is not a line of text is left out: clients know where the socket is by themselves.
        if let Some(socket) = socket.as_deref().and_then(Path::to_str).filter(|path| !path.contains('\n')) {
            let _ = writeln!(text, "socket {socket}");
        }
        text
    }

    /// Whether the process with the noted id is the one that wrote the note, and runs the daemon's program.
    ///
    /// False if the note or the system does not say when the process started: a signal to it could reach a stranger.
    pub fn is_verified(&self) -> bool {
        let is_same = self.started.is_some() && ProcessStart::of(self.pid) == self.started;
        is_same && program_of(self.pid).is_some_and(|name| name.contains(PROGRAM))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&LockNote>) {
        assert_eq!(LockNote::parse(text).as_ref(), expected, "{text}");
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let bare = LockNote { pid: 4711, started: None, since: None, socket: None };
        let whole = LockNote {
            started: Some(ProcessStart(8813)),
            since: Some(Timestamp(1_790_000_000_123 * NANOS)),
            socket: Some("/run/user/7/a recall/recalld.sock".into()),
            ..bare.clone()
        };
        for note in [bare, whole] {
            check(&note.to_text(), Some(&note));
        }
    }

    #[test]
    fn the_note_of_another_version_says_what_is_known() {
        let bare = LockNote { pid: 4711, started: None, since: None, socket: None };
        check("4711\n", Some(&bare));
        check("4711\ncolour blue\nstarted soon\nsince never\nsocket here\n", Some(&bare));
        check("", None);
        check("soon\n", None);
    }

    #[test]
    fn another_process_is_not_taken_for_the_holder() {
        let own = std::process::id();
        let note = LockNote { pid: own, started: ProcessStart::of(own), since: None, socket: None };
        assert!(!note.is_verified(), "it does not run the daemon's program");
        let mut daemon = sleeping_daemon();
        let (pid, started) = (daemon.id(), ProcessStart::of(daemon.id()));
        let note = LockNote { pid, started, since: None, socket: None };
        assert_eq!(note.is_verified(), cfg!(target_os = "linux"));
        assert!(!LockNote { started: Some(ProcessStart(1)), ..note.clone() }.is_verified(), "the id was given again");
        assert!(!LockNote { started: None, ..note.clone() }.is_verified(), "it did not say when it started");
        daemon.kill().expect("ours");
        daemon.wait().expect("ours");
        assert!(!note.is_verified(), "it has ended");
    }

    /// A process whose program has the daemon's name.
    fn sleeping_daemon() -> std::process::Child {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join(PROGRAM);
        // Copied by another process: a program that is open for writing, if only in a child that another test is just
        // starting, cannot be run.
        let copied = std::process::Command::new("cp").arg("/bin/sleep").arg(&program).status();
        assert!(copied.expect("there is `cp`").success());
        std::process::Command::new(&program).arg("1000").spawn().expect("it runs")
    }
}
