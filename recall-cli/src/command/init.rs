//! `recall init`
//!
//! Writes a few files into the user's project, with the user's rights and without the daemon.

use std::path::{Path, PathBuf};

use clap::Args;
use recall_config::initialise;
use serde::Serialize;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::{Format, human::style};
use crate::{Exit, project_root};

/// Arguments of `recall init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The project's root [default: the root of the working directory's project].
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

/// The files that were written, as JSON.
#[derive(Debug, Serialize)]
struct Prepared {
    root: String,
    changed: bool,
    written: Vec<String>,
}

pub(super) fn run(args: &InitArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let root = match &args.path {
        Some(path) => context.absolute(path),
        None => project_root::resolve(context),
    };
    project_root::check(&root, context)?;
    let written = initialise(&root)?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&Prepared {
            root: root.display().to_string(),
            changed: !written.is_empty(),
            written: written.iter().map(|path| path.display().to_string()).collect(),
        })?,
        Format::Human => output.text(&init_message(&root, &written))?,
    }
    output.status_line("register recall in Claude Code with `recall mcp install`");
    Ok(Exit::Done)
}

fn init_message(root: &Path, written: &[PathBuf]) -> String {
    if written.is_empty() {
        return format!("`{}` is initialised already\n", root.display());
    }
    let good = style::GOOD;
    let files: Vec<String> = written.iter().map(|path| format!("  {}", path.display())).collect();
    format!("{good}initialised{good:#} `{}`\n{}\n", root.display(), files.join("\n"))
}
