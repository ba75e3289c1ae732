//! Which processes were started in a sandbox, and are still there?

use std::path::Path;

/// Kills every process whose `RECALL_HOME` is that folder, and waits until they are gone.
///
/// A daemon that a client started belongs to no test process: it has left its parent's session. Its environment is what
/// tells it.
#[cfg(target_os = "linux")]
pub(crate) fn kill_all(recall_home: &Path) -> bool {
    use std::time::Instant;

    use rustix::process::{Pid, Signal, kill_process};

    let start = Instant::now();
    loop {
        let alive = living(recall_home);
        if alive.is_empty() {
            return true;
        }
        for id in alive {
            if let Some(id) = Pid::from_raw(id) {
                // It may have ended since it was seen.
                let _ = kill_process(id, Signal::KILL);
            }
        }
        if start.elapsed() > crate::DEADLINE {
            return false;
        }
        std::thread::yield_now();
    }
}

/// The processes whose `RECALL_HOME` is that folder.
#[cfg(target_os = "linux")]
pub(crate) fn living(recall_home: &Path) -> Vec<i32> {
    let mut wanted = b"RECALL_HOME=".to_vec();
    wanted.extend_from_slice(recall_home.as_os_str().as_encoded_bytes());
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id: &i32| environment(*id).split(|byte| *byte == 0).any(|variable| variable == wanted))
        .collect()
}

/// A process's environment; empty for one of another user, one that has ended, and the kernel's own.
///
/// One that is just becoming another program shows none for a moment: it is asked again until it shows one.
#[cfg(target_os = "linux")]
fn environment(id: i32) -> Vec<u8> {
    use std::time::{Duration, Instant};

    /// How long a program takes to be loaded at the most; one that was started without any variable is waited for.
    const LOADING: Duration = Duration::from_millis(100);
    let start = Instant::now();
    loop {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        // Only what runs a program has a link to it: no zombie, no thread of the kernel.
        let runs_a_program = || std::fs::read_link(format!("/proc/{id}/exe")).is_ok();
        if !environment.is_empty() || start.elapsed() > LOADING || !runs_a_program() {
            return environment;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Nothing tells another process's environment here: the daemon's own idle exit ends it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kill_all(_recall_home: &Path) -> bool {
    true
}
