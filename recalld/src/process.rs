//! What the daemon asks of the system for its own process: privacy and limits, the time, and the memory and the processor time that it
//! and its parse workers use.

use std::time::Duration;

use recall_core::{Clock, Timestamp};

pub(crate) use platform::{keep_files_private, leave_terminal, raise_file_limit};

#[cfg(unix)]
mod platform {
    //! The daemon's process on Unix.

    use rustix::fs::Mode;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// Makes the files that this process creates accessible to its user only.
    pub(crate) fn keep_files_private() {
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }

    /// Begins a session of its own: the daemon must survive its terminal. The call fails, harmlessly, if the process leads its group
    /// already, as it does when started from a shell.
    pub(crate) fn leave_terminal() {
        let _ = rustix::process::setsid();
    }

    /// The most open files that macOS takes as a limit (`OPEN_MAX`), although its hard limit is none.
    const OPEN_MAX: u64 = 10_240;

    /// Raises the soft limit on open files to the hard limit: each client takes one, each store several, and the soft limit
    /// is 1024 on many systems, and 256 on macOS.
    pub(crate) fn raise_file_limit() {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let most =
            if cfg!(target_os = "macos") { Some(maximum.map_or(OPEN_MAX, |most| most.min(OPEN_MAX))) } else { maximum };
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: most, maximum }) {
            tracing::warn!(%error, current = current.unwrap_or(u64::MAX), "the limit on open files stays as it is");
        }
    }
}

#[cfg(windows)]
mod platform {
    //! The daemon's process on Windows.

    /// Nothing to do: files inherit the access list of the user's profile.
    pub(crate) fn keep_files_private() {}

    /// Nothing to do: the client starts the daemon without a console.
    pub(crate) fn leave_terminal() {}

    /// Nothing to do: there is no such limit.
    pub(crate) fn raise_file_limit() {}
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock of the machine")]
    fn now(&self) -> Timestamp {
        std::time::SystemTime::now().into()
    }
}

/// A process's memory, in bytes; figures that the platform does not report are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the unit is a part of each name")]
pub(crate) struct MemoryUse {
    pub(crate) resident_bytes: u64,
    /// The resident memory without mapped files.
    pub(crate) anonymous_bytes: u64,
    /// The peak of the resident memory.
    pub(crate) peak_bytes: u64,
    /// The mapped address space.
    pub(crate) mapped_bytes: u64,
}

impl MemoryUse {
    /// Reads the figures of this process.
    pub(crate) fn read() -> Self {
        Self::read_process(std::process::id())
    }

    /// Reads the figures of another process of the user.
    pub(crate) fn read_process(pid: u32) -> Self {
        other_process::read_process(pid).unwrap_or_default()
    }
}

/// Returns the processor time that another process has used, in the kernel and outside; `None` if it has ended, or the platform does not
/// report it cheaply.
pub(crate) fn processor_time(pid: u32) -> Option<Duration> {
    other_process::processor_time(pid)
}

#[cfg(target_os = "linux")]
mod other_process {
    //! What `/proc` reports of a process.

    use std::time::Duration;

    use super::MemoryUse;

    /// The unit of times in `/proc`, `1 / USER_HZ` of a second, which is the same on all platforms that recall is built for.
    const TICK: Duration = Duration::from_millis(10);

    pub(super) fn processor_time(pid: u32) -> Option<Duration> {
        time_in(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses fields 14 and 15 of `/proc/PID/stat`; see `proc_pid_stat(5)`.
    fn time_in(stat: &str) -> Option<Duration> {
        // Field 2 is the program's name in parentheses, and may itself contain spaces and parentheses.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
        let (user, kernel): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some(TICK * user.saturating_add(kernel))
    }

    pub(super) fn read_process(pid: u32) -> Option<MemoryUse> {
        std::fs::read_to_string(format!("/proc/{pid}/status")).map(|status| from_status(&status)).ok()
    }

    fn from_status(status: &str) -> MemoryUse {
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let kibibytes = line.and_then(|value| value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
            kibibytes.unwrap_or_default() * 1024
        };
        MemoryUse {
            resident_bytes: bytes("VmRSS"),
            anonymous_bytes: bytes("RssAnon"),
            peak_bytes: bytes("VmHWM"),
            mapped_bytes: bytes("VmSize"),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_kernel_reports_kibibytes() {
            let status = "Name:\trecalld\nVmHWM:\t    9000 kB\nVmSize:\t    1024 kB\nVmRSS:\t    8192 kB\nRssAnon:\t     100 kB\n";
            let expected = MemoryUse {
                resident_bytes: 8 << 20,
                anonymous_bytes: 102_400,
                peak_bytes: 9_216_000,
                mapped_bytes: 1 << 20,
            };
            assert_eq!(from_status(status), expected);
        }

        #[test]
        fn the_time_of_a_process_is_that_in_the_kernel_and_outside() {
            let stat = "12 (a) b) R 1 2 2 0 -1 4194304 100 0 0 0 150 25 0 0 20 0 1 0 9000 10 20";
            assert_eq!(time_in(stat), Some(Duration::from_millis(1750)));
            assert_eq!(time_in("12 (a) R 1"), None);
            assert!(processor_time(std::process::id()).is_some());
        }

        #[test]
        fn missing_figures_are_zero() {
            assert_eq!(from_status("VmRSS: much\n"), MemoryUse::default());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other_process {
    //! Memory use on macOS and Windows. The system does not report the peak, nor which part is of mapped files.

    use std::time::Duration;

    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

    use super::MemoryUse;

    /// Not known: a list of all processes would be read for each answer.
    pub(super) fn processor_time(_pid: u32) -> Option<Duration> {
        None
    }

    pub(super) fn read_process(pid: u32) -> Option<MemoryUse> {
        let pid = Pid::from_u32(pid);
        let mut system = System::new().ok()?;
        let what = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        let resident_bytes = system.process(pid)?.memory();
        Some(MemoryUse { resident_bytes, anonymous_bytes: resident_bytes, peak_bytes: 0, mapped_bytes: 0 })
    }
}
