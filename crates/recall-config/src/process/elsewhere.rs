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
