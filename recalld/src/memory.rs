//! The memory use of the daemon's process and its parse workers.

#[cfg(target_os = "linux")]
#[path = "memory/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "memory/elsewhere.rs"]
mod platform;

mod figures;

pub(crate) use figures::MemoryUse;

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
