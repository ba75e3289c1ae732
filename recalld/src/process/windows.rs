//! The daemon's process on Windows.

/// Nothing to do: files inherit the access list of the user's profile.
pub(crate) fn keep_files_private() {}

/// Nothing to do: the client starts the daemon without a console.
pub(crate) fn leave_terminal() {}

/// Nothing to do: there is no such limit.
pub(crate) fn raise_file_limit() {}
