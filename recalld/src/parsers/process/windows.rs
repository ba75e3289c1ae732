//! The process of a parse worker on Windows.

use std::io;
use std::os::windows::process::CommandExt as _;
use std::process::{Command, ExitStatus};

/// `CREATE_NO_WINDOW`: no window opens for a worker of a daemon without a console.
const NO_WINDOW: u32 = 0x0800_0000;

/// The only variable of a worker: libraries of the system are found through it.
const SYSTEM_FOLDER: &str = "SystemRoot";

/// The smallest status of a process that an exception ended.
const EXCEPTION: u32 = 0xC000_0000;

/// Exceptions by which a parser may end.
const EXCEPTIONS: [(u32, &str); 6] = [
    (0xC000_0005, "an access violation"),
    (0xC000_00FD, "a stack overflow"),
    (0xC000_001D, "an illegal instruction"),
    (0xC000_0094, "a division by zero"),
    (0xC000_0374, "a damaged heap"),
    (0xC000_0409, "an abort"),
];

/// Returns a command for the daemon's own program, with one variable.
pub(super) fn command() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env_clear().current_dir("/").creation_flags(NO_WINDOW);
    command.envs(std::env::var_os(SYSTEM_FOLDER).map(|folder| (SYSTEM_FOLDER, folder)));
    Ok(command)
}

/// Describes the end of a worker for a person.
pub(super) fn describe(status: ExitStatus) -> String {
    let Some(code) = status.code().map(i32::cast_unsigned) else { return "ended".to_owned() };
    match EXCEPTIONS.iter().find(|(known, _)| *known == code) {
        Some((_, name)) => format!("crashed with {name}"),
        None if code >= EXCEPTION => format!("crashed with exception {code:#010x}"),
        None => format!("ended with exit code {code}"),
    }
}
