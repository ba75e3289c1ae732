//! How a program is separated from its starter on Unix.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Nothing to do: the daemon begins a session of its own.
pub(super) fn detach(_command: &mut Command) {}

pub(super) fn new_group(command: &mut Command) {
    command.process_group(0);
}
