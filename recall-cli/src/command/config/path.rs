//! `recall config path`, and the files of settings that a command is about.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use recall_config::{BroadRoot, Dirs, SettingsFile, settings_root};
use serde::Serialize;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::DIM;
use crate::output::human::text::printable;
use crate::{Exit, project_root};

/// Arguments of `recall config path`.
#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// Show this file only.
    #[arg(long, value_enum)]
    layer: Option<FileLayer>,
}

/// The files, as JSON.
#[derive(Debug, Serialize)]
struct Files {
    files: Vec<ShownFile>,
}

#[derive(Debug, Serialize)]
struct ShownFile {
    layer: &'static str,
    path: String,
    exists: bool,
}

pub(super) fn run(args: &PathArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let PathArgs { layer } = *args;
    let user = (FileLayer::User, Some(context.dirs().user_config()));
    let project = (FileLayer::Project, layer_root(context).map(|root| Dirs::project_config(&root)));
    let files: Vec<ShownFile> = [user, project]
        .into_iter()
        .filter(|(own, _)| layer.is_none_or(|wanted| wanted == *own))
        .filter_map(|(own, path)| Some(file(own, &path?)))
        .collect();
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&Files { files })?,
        Format::Human if layer.is_some() => {
            let paths: Vec<_> = files.iter().map(|file| printable(&file.path)).collect();
            output.text(&(paths.join("\n") + "\n"))?;
        }
        Format::Human => output.text(&files.iter().map(line).collect::<Vec<_>>().concat())?,
    }
    Ok(Exit::Done)
}

fn file(layer: FileLayer, path: &Path) -> ShownFile {
    let layer = match layer {
        FileLayer::User => "user",
        FileLayer::Project => "project",
    };
    ShownFile { layer, exists: path.exists(), path: path.to_string_lossy().into_owned() }
}

fn line(file: &ShownFile) -> String {
    let ShownFile { layer, path, exists } = file;
    let missing = if *exists { String::new() } else { format!("  {DIM}(not written yet){DIM:#}") };
    format!("{layer:7}  {}{missing}\n", printable(path))
}

/// A file of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileLayer {
    /// The user's file.
    User,
    /// The project's file.
    Project,
}

impl From<FileLayer> for SettingsFile {
    fn from(layer: FileLayer) -> Self {
        match layer {
            FileLayer::User => Self::User,
            FileLayer::Project => Self::Project,
        }
    }
}

/// Returns the root of the project whose file is a layer; `None` where no project may be.
pub(super) fn layer_root(context: &CommandContext) -> Option<PathBuf> {
    let broad = if context.global.allow_broad_root { BroadRoot::Accept } else { BroadRoot::Refuse };
    let home = context.process_env.environment.home.as_deref();
    settings_root(&context.process_env.directory, context.project().as_deref(), home, broad)
}

/// Returns the project's root for a change, and checks it if the change is in the project.
pub(super) fn root_for(layer: FileLayer, context: &CommandContext) -> Result<PathBuf, CommandError> {
    let root = project_root::resolve(context);
    if layer == FileLayer::Project {
        project_root::check(&root, context)?;
    }
    Ok(root)
}

/// Reports a setting that does not exist.
pub(super) fn unknown(key: &str) -> CommandError {
    let likely = recall_config::defaults().nearest(key).map(|name| format!("; did you mean `{name}`?"));
    CliError::usage(format!("unknown setting `{key}`{}", likely.unwrap_or_default()))
        .with_hint("`recall config list` shows all settings")
        .into()
}
