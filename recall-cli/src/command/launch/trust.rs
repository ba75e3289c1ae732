//! The modes of repositories that this user confirmed.
//!
//! A mode from a repository would instruct the user's agent, and anyone may have written it. The hash of a confirmed
//! one, which includes its name, is kept in the data home; a changed file has to be confirmed again.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use recall_api::Reason;
use recall_config::Dirs;
use recall_core::ContentHash;

use super::mode::{Mode, ModeSource};
use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};

/// Whether a mode may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is built-in, the user's own, or confirmed.
    Trusted,
    /// It came with the repository, and the user has not confirmed its text.
    Unconfirmed,
}

/// Returns whether a mode may be used.
///
/// # Errors
/// The file of confirmations cannot be read.
pub(crate) fn trust_of(mode: &Mode, dirs: &Dirs) -> Result<Trust, CommandError> {
    let ModeSource::Project { hash, .. } = &mode.source else { return Ok(Trust::Trusted) };
    let path = file(dirs);
    match fs::read_to_string(&path) {
        Ok(text) if text.lines().any(|line| line == hash.to_string()) => Ok(Trust::Trusted),
        Ok(_) => Ok(Trust::Unconfirmed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Trust::Unconfirmed),
        Err(error) => Err(CliError::refusal(format!("cannot read `{}`", path.display()), &error).into()),
    }
}

/// Stores that the user confirms a mode as it is.
///
/// # Errors
/// An agent asks for it, or the file cannot be written.
pub(crate) fn confirm(mode: &Mode, context: &CommandContext) -> Result<(), CommandError> {
    if is_agent(context) {
        let message = "only a person can confirm a mode, and the environment names an agent";
        let cli_error = CliError::new(Exit::Refused, Reason::PermissionDenied, message);
        return Err(cli_error.with_hint("confirm it in a shell of your own").into());
    }
    let ModeSource::Project { hash, .. } = &mode.source else { return Ok(()) };
    let path = file(context.dirs());
    append(&context.dirs().data, &path, hash)
        .map_err(|error| CliError::refusal(format!("cannot write `{}`", path.display()), &error).into())
}

/// Whether the environment names an agent or its session.
pub(crate) fn is_agent(context: &CommandContext) -> bool {
    let caller = &context.process_env.caller;
    !caller.agent.is_empty() || !caller.session_id.is_empty()
}

fn append(folder: &PathBuf, path: &PathBuf, hash: &ContentHash) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{hash}")?;
    file.sync_all()
}

fn file(dirs: &Dirs) -> PathBuf {
    dirs.data.join("confirmed-modes")
}
