//! The peak private memory of a process, as the kernel reports it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The sampling interval.
const INTERVAL: Duration = Duration::from_millis(10);

/// The private memory of a process in bytes, without mapped files; `None` once it has ended.
pub(crate) fn own_bytes(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Samples the memory of a process until the result is requested.
pub(crate) struct Peak {
    most_bytes: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Peak {
    /// Starts sampling.
    pub(crate) fn of(pid: i32) -> Self {
        let (most_bytes, is_over) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (most, over) = (Arc::clone(&most_bytes), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed)
                && let Some(bytes) = own_bytes(pid)
            {
                most.fetch_max(bytes, Ordering::Relaxed);
                std::thread::park_timeout(INTERVAL);
            }
        });
        Self { most_bytes, is_over, thread }
    }

    /// Stops sampling; returns the largest sample in bytes.
    pub(crate) fn end(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic");
        self.most_bytes.load(Ordering::Relaxed)
    }
}
