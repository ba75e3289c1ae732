//! What the daemon asks of the system for its own process.

pub(crate) use platform::{keep_files_private, leave_terminal, raise_file_limit};

#[cfg(unix)]
mod platform {
    //! The daemon's process on Unix.

    use rustix::fs::Mode;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// Makes the files that this process creates accessible to its user only.
    pub(crate) fn keep_files_private() {
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }

    /// Begins a session of its own: the daemon must survive its terminal. The call fails, harmlessly, if the process leads its group
    /// already, as it does when started from a shell.
    pub(crate) fn leave_terminal() {
        let _ = rustix::process::setsid();
    }

    /// The most open files that macOS takes as a limit (`OPEN_MAX`), although its hard limit is none.
    const OPEN_MAX: u64 = 10_240;

    /// Raises the soft limit on open files to the hard limit: each client takes one, each store several, and the soft limit
    /// is 1024 on many systems, and 256 on macOS.
    pub(crate) fn raise_file_limit() {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let most =
            if cfg!(target_os = "macos") { Some(maximum.map_or(OPEN_MAX, |most| most.min(OPEN_MAX))) } else { maximum };
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: most, maximum }) {
            tracing::warn!(%error, current = current.unwrap_or(u64::MAX), "the limit on open files stays as it is");
        }
    }
}

#[cfg(windows)]
mod platform {
    //! The daemon's process on Windows.

    /// Nothing to do: files inherit the access list of the user's profile.
    pub(crate) fn keep_files_private() {}

    /// Nothing to do: the client starts the daemon without a console.
    pub(crate) fn leave_terminal() {}

    /// Nothing to do: there is no such limit.
    pub(crate) fn raise_file_limit() {}
}
