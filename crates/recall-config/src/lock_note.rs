//! The note that a daemon writes into its lock file, for programs that cannot connect to it, with the identity of a
//! process: its id and its start.
//!
//! The operating system reuses the id of a process that has ended, so an id alone may be that of another process.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[cfg(windows)]
pub use platform::{kill, user_of};

use recall_core::Timestamp;

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

/// The start of a process. It distinguishes two processes with the same id. On Linux it is in clock ticks since boot, elsewhere
/// in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStart(pub(crate) u64);

impl ProcessStart {
    /// Returns the start of a process; `None` if there is no such process, or if the operating system does not report
    /// it.
    pub fn read(pid: u32) -> Option<Self> {
        platform::start_of(pid).map(Self)
    }
}

/// Returns the file name of a process's program; `None` if there is no such process, or if the operating system does
/// not report it.
pub fn program_of(pid: u32) -> Option<String> {
    platform::program_of(pid)
}

#[cfg(target_os = "linux")]
mod platform {
    //! Processes as `/proc` describes them.

    pub(super) fn start_of(pid: u32) -> Option<u64> {
        start_in(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses field 22 of `/proc/PID/stat`; see `proc_pid_stat(5)`. A zombie counts as ended.
    fn start_in(stat: &str) -> Option<u64> {
        // Field 2 is the program's name in parentheses, and may itself contain spaces and parentheses.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?;
        if matches!(state, "Z" | "X") {
            return None;
        }
        fields.nth(18)?.parse().ok()
    }

    pub(super) fn program_of(pid: u32) -> Option<String> {
        let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        let name = path.file_name()?.to_str()?;
        // The program was replaced while it runs, for example by an upgrade.
        Some(name.strip_suffix(" (deleted)").unwrap_or(name).to_owned())
    }

    #[cfg(test)]
    mod tests {
        use crate::lock_note::platform::*;

        fn check(stat: &str, expected: Option<u64>) {
            assert_eq!(start_in(stat), expected, "{stat}");
        }

        #[test]
        fn the_start_is_parsed_for_any_program_name() {
            let rest = "1 7 7 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 5 0 8813 1000 200 18446744073709551615";
            check(&format!("7 (recalld) S {rest}"), Some(8813));
            check(&format!("7 (a) S 9) R {rest}"), Some(8813));
            check(&format!("7 (recalld) Z {rest}"), None);
            check("7 (recalld) S 1 7", None);
            check("", None);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    //! Processes on systems without `/proc`: macOS and Windows.

    use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

    pub(super) fn start_of(pid: u32) -> Option<u64> {
        // A process that was killed and not yet waited for counts as ended.
        read(pid, ProcessRefreshKind::nothing(), |process| {
            (process.status() != ProcessStatus::Zombie).then(|| process.start_time())
        })
    }

    pub(super) fn program_of(pid: u32) -> Option<String> {
        read(pid, ProcessRefreshKind::nothing().with_exe(UpdateKind::Always), |process| {
            let path = process.exe()?;
            Some(path.file_name()?.to_str()?.to_owned())
        })
    }

    /// Returns the security identifier of the user that a process runs as; `None` if the system does not say.
    #[cfg(windows)]
    pub fn user_of(pid: u32) -> Option<String> {
        read(pid, ProcessRefreshKind::nothing().with_user(UpdateKind::Always), |process| {
            process.user_id().map(|user| user.to_string())
        })
    }

    /// Ends a process at once. Returns whether the system did so.
    #[cfg(windows)]
    pub fn kill(pid: u32) -> bool {
        read(pid, ProcessRefreshKind::nothing(), |process| Some(process.kill())).unwrap_or_default()
    }

    fn read<T>(pid: u32, what: ProcessRefreshKind, value: impl FnOnce(&sysinfo::Process) -> Option<T>) -> Option<T> {
        let pid = Pid::from_u32(pid);
        let mut system = System::new().ok()?;
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        value(system.process(pid)?)
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

    /// A program that runs until it is killed.
    fn idle() -> std::process::Command {
        let mut command = std::process::Command::new(if cfg!(windows) { "cmd" } else { "/bin/sleep" });
        command.arg(if cfg!(windows) { "/k" } else { "1000" });
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        command
    }

    #[test]
    fn only_a_running_process_has_a_start_and_a_program() {
        let own = std::process::id();
        assert_eq!(ProcessStart::read(own), ProcessStart::read(own));
        assert!(ProcessStart::read(own).is_some());
        assert!(program_of(own).is_some_and(|name| name.starts_with("recall_config")), "{:?}", program_of(own));
        let mut ended = idle().spawn().expect("it runs");
        let started = ProcessStart::read(ended.id());
        assert!(started.is_some());
        assert_ne!(started, ProcessStart::read(1));
        ended.kill().expect("ours");
        ended.wait().expect("ours");
        assert_eq!((ProcessStart::read(ended.id()), program_of(ended.id())), (None, None));
    }
}
