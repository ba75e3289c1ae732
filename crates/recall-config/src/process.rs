//! The identity of a process: its id and its start.
//!
//! The operating system reuses the id of a process that has ended, so an id alone may be that of another process.

/// The start of a process, in clock ticks since boot. It distinguishes two processes with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStart(pub(crate) u64);

impl ProcessStart {
    /// Returns the start of a process; `None` if there is no such process, or if the operating system does not report
    /// it.
    pub fn of(pid: u32) -> Option<Self> {
        start_of(pid)
    }
}

/// Returns the file name of a process's program; `None` if there is no such process, or if the operating system does
/// not report it.
pub fn program_of(pid: u32) -> Option<String> {
    name_of_program(pid)
}

#[cfg(target_os = "linux")]
fn start_of(pid: u32) -> Option<ProcessStart> {
    start_in(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses field 22 of `/proc/PID/stat`; see `proc_pid_stat(5)`. A zombie counts as ended.
#[cfg(target_os = "linux")]
fn start_in(stat: &str) -> Option<ProcessStart> {
    // Field 2 is the program's name in parentheses, and may itself contain spaces and parentheses.
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
    // The program was replaced while it runs, for example by an upgrade.
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
    fn the_start_is_parsed_for_any_program_name() {
        let rest = "1 7 7 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 5 0 8813 1000 200 18446744073709551615";
        check(&format!("7 (recalld) S {rest}"), Some(8813));
        check(&format!("7 (a) S 9) R {rest}"), Some(8813));
        check(&format!("7 (recalld) Z {rest}"), None);
        check("7 (recalld) S 1 7", None);
        check("", None);
    }

    #[test]
    fn only_a_running_process_has_a_start_and_a_program() {
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
