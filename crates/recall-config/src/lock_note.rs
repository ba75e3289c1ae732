//! The note that a daemon writes into its lock file, for programs that cannot connect to it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use recall_core::Timestamp;

use crate::process::{ProcessStart, program_of};

/// A part of the file name of the daemon's program.
const PROGRAM: &str = "recalld";

/// The last line of a note. A note is written over an earlier one before the file is cut, so a reader may find the rest of the earlier
/// one behind it. If that rest named a socket, clients would send a signal that a starting daemon does not handle yet: it would end.
const END: &str = "end";

/// Nanoseconds in a millisecond.
const NANOS: i64 = 1_000_000;

/// The holder of a lock. A note is only valid while the lock is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockNote {
    /// The holder's process id.
    pub pid: u32,
    /// The start of its process; `None` if unknown.
    pub started: Option<ProcessStart>,
    /// The time at which it started, in whole milliseconds; `None` if unknown.
    pub since: Option<Timestamp>,
    /// The socket that it listens on; `None` until it accepts connections and handles signals.
    pub socket: Option<PathBuf>,
}

impl LockNote {
    /// Returns the file with the note about the holder of a lock: the locked file itself. On Windows, nobody else can read a
    /// locked file, so the note is next to it.
    pub fn file_of(lock: &Path) -> PathBuf {
        if cfg!(windows) { lock.with_extension("note") } else { lock.to_owned() }
    }

    /// Parses a note; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().take_while(|line| *line != END);
        let pid = lines.next()?.trim().parse().ok()?;
        let mut note = Self { pid, started: None, since: None, socket: None };
        // A later version may write more fields.
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

    /// Formats the note: the process id on the first line, then one name and value per line, then the last line.
    pub fn to_text(&self) -> String {
        let Self { pid, started, since, socket } = self;
        let mut text = format!("{pid}\n");
        if let Some(ProcessStart(ticks)) = started {
            let _ = writeln!(text, "started {ticks}");
        }
        if let Some(since) = since {
            let _ = writeln!(text, "since {}", since.as_millis());
        }
        // A path that does not fit on a line is left out. Clients can determine the socket's path themselves.
        if let Some(socket) = socket.as_deref().and_then(Path::to_str).filter(|path| !path.contains('\n')) {
            let _ = writeln!(text, "socket {socket}");
        }
        text.push_str(END);
        text.push('\n');
        text
    }

    /// Returns whether the process with the noted id wrote the note and runs the daemon's program.
    ///
    /// Returns false if the note or the operating system does not say when the process started: then a signal could
    /// reach another process.
    pub fn is_verified(&self) -> bool {
        let is_same = self.started.is_some() && ProcessStart::read(self.pid) == self.started;
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
    fn a_formatted_note_is_parsed_unchanged() {
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
    fn the_rest_of_an_earlier_note_is_not_read() {
        let starting = LockNote { pid: 4712, started: Some(ProcessStart(8900)), since: None, socket: None };
        let earlier = LockNote {
            since: Some(Timestamp(1_790_000_000_123 * NANOS)),
            socket: Some("/run/user/7/recall/recalld.sock".into()),
            ..starting.clone()
        };
        let (mut text, earlier) = (starting.to_text(), earlier.to_text());
        text.push_str(&earlier[text.len()..]);
        assert!(text.contains("\nsocket "), "{text}");
        check(&text, Some(&starting));
    }

    #[test]
    fn unknown_and_invalid_fields_are_ignored() {
        let bare = LockNote { pid: 4711, started: None, since: None, socket: None };
        check("4711\n", Some(&bare));
        check("4711\ncolour blue\nstarted soon\nsince never\nsocket here\n", Some(&bare));
        check("", None);
        check("soon\n", None);
    }

    #[test]
    fn another_process_is_not_mistaken_for_the_holder() {
        let own = std::process::id();
        let note = LockNote { pid: own, started: ProcessStart::read(own), since: None, socket: None };
        assert!(!note.is_verified(), "it does not run the daemon's program");
        let mut daemon = sleeping_daemon();
        let (pid, started) = (daemon.id(), ProcessStart::read(daemon.id()));
        let note = LockNote { pid, started, since: None, socket: None };
        assert_eq!(note.is_verified(), cfg!(target_os = "linux"));
        assert!(!LockNote { started: Some(ProcessStart(1)), ..note.clone() }.is_verified(), "the id was reused");
        assert!(!LockNote { started: None, ..note.clone() }.is_verified(), "it did not say when it started");
        daemon.kill().expect("ours");
        daemon.wait().expect("ours");
        assert!(!note.is_verified(), "it has ended");
    }

    /// Starts a process whose program has the daemon's name.
    fn sleeping_daemon() -> std::process::Child {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join(PROGRAM);
        // Copied by another process: a program that is open for writing cannot be run, not even if only a child that
        // another test is just starting has it open.
        let copied = std::process::Command::new("cp").arg("/bin/sleep").arg(&program).status();
        assert!(copied.expect("there is `cp`").success());
        std::process::Command::new(&program).arg("1000").spawn().expect("it runs")
    }
}
