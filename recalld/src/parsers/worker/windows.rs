//! The confinement of a parse worker on Windows: none. The worker is the daemon's program and ends with its input; a parser that
//! takes too long is killed, but its memory is not limited.

/// Nothing to do.
pub(super) fn close_inherited() {}

/// Nothing to do.
pub(super) fn confine() {}
