//! `recall config edit`

use std::fs;

use clap::Args;
use recall_config::{Dirs, SettingsFile, replace_text, text_of};
use serde::Serialize;

use super::path::{FileLayer, root_for};
use crate::Exit;
use crate::command_context::CommandContext;
use crate::editor::Editor;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::{GOOD, NOTE, PATH};
use crate::output::human::text::printable;

/// Arguments of `recall config edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The file to edit.
    #[arg(long, value_enum, default_value = "user")]
    layer: FileLayer,
}

/// The line at which the file is opened.
const FIRST_LINE: u32 = 1;

/// The text of a file that does not exist yet.
const NEW_FILE: &str = "# Settings of recall: see `recall config list`.\n";

/// The result, as JSON.
#[derive(Debug, Serialize)]
struct Edited {
    path: String,
    changed: bool,
}

pub(super) fn run(args: &EditArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let EditArgs { layer } = *args;
    let root = root_for(layer, context)?;
    let file = SettingsFile::from(layer);
    let path = match layer {
        FileLayer::User => context.dirs().user_config(),
        FileLayer::Project => Dirs::project_config(&root),
    };
    let before = text_of(context.dirs(), &root, file).map_err(CliError::from)?;
    // The copy is kept if what was written is not valid, so that no work is lost.
    let copy = context.dirs().config.join(format!("edit-{}.toml", std::process::id()));
    let shown = before.as_deref().unwrap_or(NEW_FILE);
    let refused = |source| CliError::refusal(format!("cannot write `{}`", copy.display()), &source);
    fs::create_dir_all(&context.dirs().config).and_then(|()| fs::write(&copy, shown)).map_err(refused)?;
    let opened = Editor::find(&context.process_env).and_then(|editor| editor.open(&copy, FIRST_LINE));
    if let Err(error) = opened {
        let _ = fs::remove_file(&copy);
        return Err(error);
    }
    let text = fs::read_to_string(&copy)
        .map_err(|source| CliError::refusal(format!("cannot read `{}`", copy.display()), &source))?;
    let changed = text != shown;
    if changed {
        match replace_text(context.dirs(), &root, file, before.as_deref(), &text, &copy) {
            Ok(warnings) => {
                for warning in warnings {
                    context.output.note(&format!("{NOTE}note{NOTE:#}: {}", printable(&warning.to_string())));
                }
            }
            Err(error) => {
                let hint = format!("`{}` is unchanged; your text is in `{}`", path.display(), copy.display());
                return Err(match error.into() {
                    CommandError::Failed(failed) => failed.with_hint(hint).into(),
                    other @ CommandError::ReaderGone => other,
                });
            }
        }
    }
    let _ = fs::remove_file(&copy);
    let output = &context.output;
    let path = path.to_string_lossy().into_owned();
    match output.format {
        Format::Json => output.answer(&Edited { path, changed })?,
        Format::Human if changed => {
            output.text(&format!("{GOOD}changed{GOOD:#} {PATH}{}{PATH:#}\n", printable(&path)))?;
        }
        Format::Human => output.text(&format!("`{}` is unchanged\n", printable(&path)))?,
    }
    Ok(Exit::Done)
}
