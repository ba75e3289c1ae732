//! The processes of a sandbox.

use std::path::Path;

/// Kills every process with that `RECALL_HOME`, and waits until they have ended.
///
/// A daemon started by a client is not a child of the test process and has left its parent's session, so it is
/// recognised by its environment.
#[cfg(target_os = "linux")]
pub(crate) fn kill_all(recall_home: &Path) -> bool {
    use std::time::Instant;

    use rustix::process::{Pid, Signal, kill_process};

    let start = Instant::now();
    loop {
        let alive = running_processes(recall_home);
        if alive.is_empty() {
            return true;
        }
        for id in alive {
            if let Some(id) = Pid::from_raw(id) {
                // It may have ended since.
                let _ = kill_process(id, Signal::KILL);
            }
        }
        if start.elapsed() > crate::DEADLINE {
            return false;
        }
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn running_processes(recall_home: &Path) -> Vec<i32> {
    let mut wanted = b"RECALL_HOME=".to_vec();
    wanted.extend_from_slice(recall_home.as_os_str().as_encoded_bytes());
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id: &i32| environment(*id).split(|byte| *byte == 0).any(|variable| variable == wanted))
        .collect()
}

/// Returns a process's environment; empty for a process of another user, an ended process and kernel threads.
///
/// During `exec` the environment is empty for a moment, so it is read again until it is not.
#[cfg(target_os = "linux")]
fn environment(id: i32) -> Vec<u8> {
    use std::time::{Duration, Instant};

    /// The longest time that `exec` takes. A process that was started without variables is only delayed by it.
    const LOADING: Duration = Duration::from_millis(100);
    let start = Instant::now();
    loop {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        // Zombies and kernel threads have no such link.
        let runs_a_program = || std::fs::read_link(format!("/proc/{id}/exe")).is_ok();
        if !environment.is_empty() || start.elapsed() > LOADING || !runs_a_program() {
            return environment;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The environment of another process cannot be read here. The daemon's idle exit ends it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kill_all(_recall_home: &Path) -> bool {
    true
}
