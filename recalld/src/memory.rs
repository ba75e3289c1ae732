//! The memory use of the daemon's process and its parse workers.

/// A process's memory, in bytes; figures that the platform does not report are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the unit is a part of each name")]
pub(crate) struct MemoryUse {
    /// The resident memory.
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
    pub(crate) fn of_this_process() -> Self {
        std::fs::read_to_string("/proc/self/status").map(|status| Self::from_status(&status)).unwrap_or_default()
    }

    /// Reads the figures of another process of the user.
    pub(crate) fn of_process(pid: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
        status.map(|status| Self::from_status(&status)).unwrap_or_default()
    }

    fn from_status(status: &str) -> Self {
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let kibibytes = line.and_then(|value| value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
            kibibytes.unwrap_or_default() * 1024
        };
        Self {
            resident_bytes: bytes("VmRSS"),
            anonymous_bytes: bytes("RssAnon"),
            peak_bytes: bytes("VmHWM"),
            mapped_bytes: bytes("VmSize"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_reports_kibibytes() {
        let status =
            "Name:\trecalld\nVmHWM:\t    9000 kB\nVmSize:\t    1024 kB\nVmRSS:\t    8192 kB\nRssAnon:\t     100 kB\n";
        let expected = MemoryUse {
            resident_bytes: 8 << 20,
            anonymous_bytes: 102_400,
            peak_bytes: 9_216_000,
            mapped_bytes: 1 << 20,
        };
        assert_eq!(MemoryUse::from_status(status), expected);
    }

    #[test]
    fn missing_figures_are_zero() {
        assert_eq!(MemoryUse::from_status("VmRSS: much\n"), MemoryUse::default());
    }
}
