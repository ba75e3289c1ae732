//! Memory use on macOS and Windows. The system does not report the peak, nor which part is of mapped files.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::figures::MemoryUse;

pub(super) fn read_process(pid: u32) -> Option<MemoryUse> {
    let pid = Pid::from_u32(pid);
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
    let resident_bytes = system.process(pid)?.memory();
    Some(MemoryUse { resident_bytes, anonymous_bytes: resident_bytes, peak_bytes: 0, mapped_bytes: 0 })
}
