//! Memory use as `/proc` reports it.

use super::figures::MemoryUse;

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
        let status =
            "Name:\trecalld\nVmHWM:\t    9000 kB\nVmSize:\t    1024 kB\nVmRSS:\t    8192 kB\nRssAnon:\t     100 kB\n";
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
