//! `recall config set` and `recall config unset`

use clap::Args;
use recall_client::{Client, ConnectError, Launch};
use recall_config::{Change, Changed, Layer, Loaded, Reach, Row, Settings};
use serde::Serialize;

use super::path::{FileLayer, layer_root, root_for};
use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{GOOD, NOTE, PATH, WARNING};
use crate::output::human::text::printable;

/// Arguments of `recall config set`.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    /// The setting, such as `daemon.idle_exit`.
    #[arg(value_name = "KEY")]
    key: String,
    /// The value, in TOML. A text needs no quotation marks.
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    /// The file to change.
    #[arg(long, value_enum, default_value = "user")]
    layer: FileLayer,
}

/// Arguments of `recall config unset`.
#[derive(Debug, Args)]
pub(crate) struct UnsetArgs {
    /// The setting, such as `daemon.idle_exit`.
    #[arg(value_name = "KEY")]
    key: String,
    /// The file to change.
    #[arg(long, value_enum, default_value = "user")]
    layer: FileLayer,
}

/// A change, as JSON.
#[derive(Debug, Serialize)]
struct Reported<'a> {
    key: &'a str,
    path: String,
    line: Option<usize>,
    before: Option<&'a str>,
    after: Option<&'a str>,
    changed: bool,
    /// The value in force after the change, with the layers above and below.
    value: Option<String>,
    layer: Option<&'static str>,
    read_by: Option<&'static str>,
}

pub(super) async fn set(args: &SetArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let SetArgs { key, value, layer } = args;
    change(key, &Change::Set(value.clone()), *layer, context).await
}

pub(super) async fn unset(args: &UnsetArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let UnsetArgs { key, layer } = args;
    change(key, &Change::Unset, *layer, context).await
}

async fn change(key: &str, change: &Change, layer: FileLayer, context: &CommandContext) -> Result<Exit, CommandError> {
    let root = root_for(layer, context)?;
    let changed = recall_config::change(context.dirs(), &root, layer.into(), key, change)?;
    let loaded = Settings::load(context.dirs(), layer_root(context).as_deref(), &context.process_env.environment, &[]);
    let row = loaded.as_ref().ok().and_then(|loaded| loaded.table.row(key));
    let output = &context.output;
    match output.format {
        Format::Json => {
            let Changed { path, before, after, line, is_changed } = &changed;
            output.answer(&Reported {
                key,
                path: path.to_string_lossy().into_owned(),
                line: *line,
                before: before.as_deref(),
                after: after.as_deref(),
                changed: *is_changed,
                value: row.map(|row| row.value.clone()),
                layer: row.map(|row| row.origin.layer.as_str()),
                read_by: row.map(|row| row.reach.read_by()),
            })?;
        }
        Format::Human => {
            output.text(&change_message(key, &changed))?;
            if let (Some(row), Ok(Loaded { settings, .. })) = (row, &loaded) {
                talk(row, layer, &changed, settings, context).await;
            }
        }
    }
    if let Err(error) = loaded {
        output.note(&format!("{WARNING}warning{WARNING:#}: {}", printable(&error.to_string())));
    }
    Ok(Exit::Done)
}

fn change_message(key: &str, changed: &Changed) -> String {
    let Changed { path, before, after, line, is_changed } = changed;
    let path = path.to_string_lossy();
    let path = printable(&path);
    let place = line.map_or_else(|| path.to_string(), |line| format!("{path}:{line}"));
    match (after, before) {
        (Some(value), _) if !is_changed => {
            format!("`{key}` is {} already in {PATH}{place}{PATH:#}\n", printable(value))
        }
        (Some(value), _) => format!("{GOOD}set{GOOD:#} {key} = {} in {PATH}{place}{PATH:#}\n", printable(value)),
        (None, Some(_)) => format!("{GOOD}removed{GOOD:#} {key} from {PATH}{place}{PATH:#}\n"),
        (None, None) => format!("`{key}` is not in {PATH}{place}{PATH:#}\n"),
    }
}

/// Tells when a change takes effect, or that a later layer hides it.
async fn talk(row: &Row, layer: FileLayer, changed: &Changed, settings: &Settings, context: &CommandContext) {
    let own = match layer {
        FileLayer::User => Layer::User,
        FileLayer::Project => Layer::Project,
    };
    let output = &context.output;
    if let Some(place) = row.origin.place.as_ref().filter(|_| row.origin.layer > own) {
        let place = place.to_string();
        output.note(&format!(
            "{WARNING}warning{WARNING:#}: here {} decides: {} = {}",
            printable(&place),
            row.key,
            row.value
        ));
    } else if changed.is_changed && row.reach == Reach::Daemon && is_daemon_running(settings, context).await {
        output.note(&format!("{NOTE}hint{NOTE:#}: it takes effect with `recall daemon restart`"));
    }
}

async fn is_daemon_running(settings: &Settings, context: &CommandContext) -> bool {
    let connected = Client::connect(&context.options(Launch::Never, settings)).await;
    !matches!(connected, Err(ConnectError::NotRunning { .. }))
}
