//! What the operating system says of the machine, and functions of Windows and macOS that neither the standard library nor a
//! well-kept crate offers without `unsafe`.

use std::fs;
use std::path::Path;
use std::time::Duration;

#[cfg(windows)]
pub use handles::keep_standard_handles;
#[cfg(target_os = "macos")]
pub use launchd::launchd_listener;

/// Where Linux lists batteries and mains (`Documentation/ABI/testing/sysfs-class-power`).
const POWER_SUPPLIES: &str = "/sys/class/power_supply";

/// Returns whether this machine is powered by its battery. False where that is not known: on Windows and macOS always.
#[must_use]
pub fn runs_on_battery() -> bool {
    discharges(Path::new(POWER_SUPPLIES))
}

/// Returns whether a battery of the machine discharges and no mains is connected. Batteries of devices, such as a mouse, do not count.
fn discharges(supplies: &Path) -> bool {
    let Ok(entries) = fs::read_dir(supplies) else { return false };
    let mut is_discharging = false;
    for entry in entries.flatten() {
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default().trim().to_owned();
        if read("scope") == "Device" {
            continue;
        }
        match read("type").as_str() {
            "Battery" => is_discharging |= read("status") == "Discharging",
            // Mains, USB and wireless chargers.
            _ if read("online") == "1" => return false,
            _ => {}
        }
    }
    is_discharging
}

/// Returns the processor time that the calling thread has used. Time in which it waited, or another process ran, is not in it.
#[must_use]
pub fn thread_time() -> Duration {
    thread_clock::read()
}

#[cfg(unix)]
mod thread_clock {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    pub(super) fn read() -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
}

#[cfg(windows)]
mod thread_clock {
    use std::time::Duration;

    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};

    /// A `FILETIME` counts tenths of a microsecond.
    const NANOS_PER_UNIT: u64 = 100;

    /// Windows counts a thread's time in ticks of its scheduler, which are 16 ms or shorter.
    #[expect(unsafe_code, reason = "the functions of Windows")]
    pub(super) fn read() -> Duration {
        let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
        let [created, ended, kernel, user] = &mut times;
        // SAFETY: the handle of the calling thread is always valid, and the four places are writable. After a failure they are 0.
        unsafe { GetThreadTimes(GetCurrentThread(), created, ended, kernel, user) };
        let [_, _, kernel, user] =
            times.map(|time| (u64::from(time.dwHighDateTime) << 32) | u64::from(time.dwLowDateTime));
        Duration::from_nanos(NANOS_PER_UNIT * (kernel + user))
    }
}

#[cfg(windows)]
mod handles {
    //! Which handles a child process gets.

    use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
    use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE};

    /// Keeps the standard handles of this process from processes that it starts later, except where one is passed on by name.
    ///
    /// Windows gives a child all handles that may be inherited, and those that this process got from its own starter may. A child that
    /// outlives this process would keep the pipe of the starter open, which then waits for the end of the output.
    #[expect(unsafe_code, reason = "the functions of Windows")]
    pub fn keep_standard_handles() {
        for name in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
            // SAFETY: both functions take any value. A handle that is missing or invalid is refused, and then no child can inherit it.
            unsafe {
                SetHandleInformation(GetStdHandle(name), HANDLE_FLAG_INHERIT, 0);
            }
        }
    }
}

#[cfg(target_os = "macos")]
mod launchd {
    //! Sockets on which launchd listens for a program.

    use std::io;
    use std::os::fd::FromRawFd as _;
    use std::os::unix::net::UnixListener;

    /// Takes over the socket of that name in the agent's property list; `None` if launchd did not start this process, or has no such
    /// socket.
    ///
    /// # Errors
    /// The socket was taken over before.
    #[expect(unsafe_code, reason = "descriptors are numbers in the interface of launchd")]
    pub fn launchd_listener(name: &str) -> io::Result<Option<UnixListener>> {
        let descriptors = match raunch::activate_socket(name) {
            Ok(descriptors) => descriptors,
            Err(raunch::Error::NotManaged | raunch::Error::NotInPlist) => return Ok(None),
            Err(error) => return Err(io::Error::other(error)),
        };
        // SAFETY: launchd gives each descriptor to this process once, and nothing else in it owns it.
        let mut listeners = descriptors.into_iter().map(|descriptor| unsafe { UnixListener::from_raw_fd(descriptor) });
        // The property list has one path, so there is one socket; others would be closed here.
        let listener = listeners.next();
        listener.iter().try_for_each(|listener| listener.set_nonblocking(true))?;
        Ok(listener)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(folder: &Path, name: &str, files: &[(&str, &str)]) {
        let supply = folder.join(name);
        fs::create_dir_all(&supply).unwrap();
        for (file, text) in files {
            fs::write(supply.join(file), format!("{text}\n")).unwrap();
        }
    }

    #[test]
    fn a_laptop_runs_on_battery_until_it_is_plugged_in() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!discharges(&folder.path().join("none")), "a machine without the folder");
        assert!(!discharges(folder.path()), "a machine without supplies");
        supply(folder.path(), "BAT0", &[("type", "Battery"), ("status", "Discharging")]);
        assert!(discharges(folder.path()));
        supply(folder.path(), "AC", &[("type", "Mains"), ("online", "0")]);
        assert!(discharges(folder.path()));
        supply(folder.path(), "AC", &[("type", "Mains"), ("online", "1")]);
        assert!(!discharges(folder.path()));
    }

    #[test]
    fn only_work_takes_a_threads_time() {
        let (before, work) = (thread_time(), Duration::from_millis(50));
        std::thread::sleep(work);
        assert!(thread_time() < before + work, "it slept");
        // Ends only if the clock advances.
        while thread_time() < before + work {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn the_battery_of_a_mouse_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        supply(folder.path(), "hid", &[("type", "Battery"), ("status", "Discharging"), ("scope", "Device")]);
        assert!(!discharges(folder.path()));
    }
}
