//! `recall config`

mod change;
mod edit;
mod list;
mod path;
mod schema;

use clap::Subcommand;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Output;

/// The commands of `recall config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the settings with their values.
    #[command(after_help = examples!("recall config list", "recall config list search --origin", "recall config list --changed"))]
    List(list::ListArgs),
    /// Show the value of a setting.
    #[command(after_help = examples!("recall config get daemon.idle_exit", "recall config get index.exclude --origin"))]
    Get(list::GetArgs),
    /// Set a setting in a file. Comments and other lines stay.
    #[command(after_help = examples!(
        "recall config set daemon.idle_exit 1h",
        "recall config set index.exclude '[\"vendored/**\"]' --layer project",
    ))]
    Set(change::SetArgs),
    /// Remove a setting from a file, so that the layer below decides.
    #[command(after_help = examples!("recall config unset daemon.idle_exit"))]
    Unset(change::UnsetArgs),
    /// Edit a file of settings in your editor. The result is checked before it replaces the file.
    #[command(after_help = examples!("recall config edit", "recall config edit --layer project"))]
    Edit(edit::EditArgs),
    /// Show where the files are.
    #[command(after_help = examples!("recall config path", "recall config path --layer user"))]
    Path(path::PathArgs),
    /// Print the JSON schema of the files, for editors.
    #[command(after_help = examples!("recall config schema"))]
    Schema,
}

pub(super) async fn run(command: ConfigCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    match command {
        ConfigCommand::List(args) => list::run(&args, context).await,
        ConfigCommand::Get(args) => list::get(&args, context).await,
        ConfigCommand::Set(args) => change::set(&args, context).await,
        ConfigCommand::Unset(args) => change::unset(&args, context).await,
        ConfigCommand::Edit(args) => edit::run(&args, context),
        ConfigCommand::Path(args) => path::run(&args, context),
        ConfigCommand::Schema => {
            let text = serde_json::to_string_pretty(&schema::schema()).expect("the schema has text keys only");
            Output::raw(&(text + "\n"))?;
            Ok(Exit::Done)
        }
    }
}
