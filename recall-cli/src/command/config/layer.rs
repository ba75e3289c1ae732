//! The files of settings that a command is about.

use std::path::PathBuf;

use clap::ValueEnum;
use recall_config::{BroadRoot, SettingsFile, settings_root};

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::project_root;

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
