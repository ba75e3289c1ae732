//! The memory use of the daemon's process and its parse workers.

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
        platform::read_process(pid).unwrap_or_default()
    }
}

#[cfg(target_os = "linux")]
mod platform {
    //! Memory use as `/proc` reports it.

    use super::MemoryUse;

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
        fn missing_figures_are_zero() {
            assert_eq!(from_status("VmRSS: much\n"), MemoryUse::default());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    //! Memory use on macOS and Windows. The system does not report the peak, nor which part is of mapped files.

    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

    use super::MemoryUse;

    pub(super) fn read_process(pid: u32) -> Option<MemoryUse> {
        let pid = Pid::from_u32(pid);
        let mut system = System::new().ok()?;
        let what = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        let resident_bytes = system.process(pid)?.memory();
        Some(MemoryUse { resident_bytes, anonymous_bytes: resident_bytes, peak_bytes: 0, mapped_bytes: 0 })
    }
}
