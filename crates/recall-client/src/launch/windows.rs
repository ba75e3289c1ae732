//! How a program is separated from its starter on Windows.

use std::os::windows::process::CommandExt as _;
use std::process::Command;

/// `DETACHED_PROCESS`: the program has no console, so it survives the closing of the starter's.
const WITHOUT_CONSOLE: u32 = 0x0000_0008;

/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the starter's console is not for the program.
const NEW_GROUP: u32 = 0x0000_0200;

/// Also keeps the pipes of this process from the program, which outlives it.
pub(super) fn detach(command: &mut Command) {
    command.creation_flags(WITHOUT_CONSOLE | NEW_GROUP);
    recall_os::system::keep_standard_handles();
}

pub(super) fn new_group(command: &mut Command) {
    command.creation_flags(NEW_GROUP);
}
