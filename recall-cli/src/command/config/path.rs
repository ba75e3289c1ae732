//! `recall config path`

use std::path::Path;

use clap::Args;
use recall_config::Dirs;
use serde::Serialize;

use super::layer::{FileLayer, layer_root};
use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::DIM;
use crate::output::human::text::printable;

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
