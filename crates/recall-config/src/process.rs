//! The identity of a process: its id, and when it started.
//!
//! The system gives an id again once its process has ended, so that an id alone may name a stranger.

/// When a process started, in clock ticks since the machine did. Two processes with one id differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStart(pub(crate) u64);

impl ProcessStart {
    /// When the process with that id started; `None` if there is none, or if the system does not say.
    pub fn of(pid: u32) -> Option<Self> {
        start_of(pid)
    }
}

/// The file name of the program that a process runs; `None` if there is none, or if the system does not say.
pub fn program_of(pid: u32) -> Option<String> {
    name_of_program(pid)
}

#[cfg(target_os = "linux")]
fn start_of(pid: u32) -> Option<ProcessStart> {
    start_in(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads field 22 of `/proc/PID/stat`; see `proc_pid_stat(5)`. A process that has ended and was not waited for is none.
#[cfg(target_os = "linux")]
fn start_in(stat: &str) -> Option<ProcessStart> {
    // Field 2 is the program's name in parentheses, and may itself hold spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok().map(ProcessStart)
}

#[cfg(target_os = "linux")]
fn name_of_program(pid: u32) -> Option<String> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let name = path.file_name()?.to_str()?;
    // A program that was replaced while it runs, as by an upgrade.
    Some(name.strip_suffix(" (deleted)").unwrap_or(name).to_owned())
}

#[cfg(not(target_os = "linux"))]
fn start_of(_pid: u32) -> Option<ProcessStart> {
    None
}

#[cfg(not(target_os = "linux"))]
fn name_of_program(_pid: u32) -> Option<String> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn check(stat: &str, expected: Option<u64>) {
        assert_eq!(start_in(stat), expected.map(ProcessStart), "{stat}");
    }

    #[test]
    fn the_start_is_read_whatever_the_program_is_called() {
        let rest = "1 7 7 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 5 0 8813 1000 200 18446744073709551615";
        check(&format!("7 (recalld) S {rest}"), Some(8813));
        check(&format!("7 (a) S 9) R {rest}"), Some(8813));
        check(&format!("7 (recalld) Z {rest}"), None);
        check("7 (recalld) S 1 7", None);
        check("", None);
    }

    #[test]
    fn a_running_process_has_a_start_and_a_program_and_an_ended_one_has_none() {
        let own = std::process::id();
        assert_eq!(ProcessStart::of(own), ProcessStart::of(own));
        assert!(ProcessStart::of(own).is_some());
        assert!(program_of(own).is_some_and(|name| name.starts_with("recall_config")), "{:?}", program_of(own));
        let mut ended = std::process::Command::new("/bin/sleep").arg("1000").spawn().expect("it runs");
        let started = ProcessStart::of(ended.id());
        assert!(started.is_some());
        assert_ne!(started, ProcessStart::of(1));
        ended.kill().expect("ours");
        ended.wait().expect("ours");
        assert_eq!((ProcessStart::of(ended.id()), program_of(ended.id())), (None, None));
    }
}
