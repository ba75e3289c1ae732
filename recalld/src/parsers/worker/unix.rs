//! The confinement of a parse worker on Unix.

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::memory::MemoryUse;

/// The most address space that a worker may add to what its start took, which is mostly reserved and never used.
const ADDRESS_SPACE_BYTES: u64 = 1024 * 1024 * 1024;

/// Closes what the daemon inherited from the process that started it. The daemon's own descriptors were closed by `exec`.
pub(super) fn close_inherited() {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    let open: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // One of them was the list itself, which is closed already.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Gives up what a parser does not need. A limit that the system refuses is left as it is.
pub(super) fn confine() {
    let mapped = MemoryUse::read().mapped_bytes;
    let limits = [
        // Where the mapped memory is not known, neither is a limit that a worker can run in.
        (mapped > 0).then_some((Resource::As, mapped + ADDRESS_SPACE_BYTES)),
        Some((Resource::Core, 0)),
        Some((Resource::Fsize, 0)),
        // Only those that it has: standard input, output and error.
        Some((Resource::Nofile, 3)),
    ];
    for (resource, most) in limits.into_iter().flatten() {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    // A stopped worker does not notice the end of its input.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}
