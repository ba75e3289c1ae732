//! The identity of a process: its id and its start.
//!
//! The operating system reuses the id of a process that has ended, so an id alone may be that of another process.

#[cfg(target_os = "linux")]
#[path = "process/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "process/elsewhere.rs"]
mod platform;

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
