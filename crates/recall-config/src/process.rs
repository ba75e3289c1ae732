//! The identity of a process: its id and its start.
//!
//! The operating system reuses the id of a process that has ended, so an id alone may be that of another process.

#[cfg(windows)]
pub use platform::{kill, user_of};

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
        use super::*;

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

#[cfg(test)]
mod tests {
    use super::*;

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
