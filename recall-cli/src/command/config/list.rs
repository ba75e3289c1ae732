//! `recall config list` and `recall config get`

use std::fmt::Write as _;

use clap::Args;
use recall_api::{Failure, Reason, v1};
use recall_client::{Client, ConnectError, Launch};
use recall_config::{Layer, Loaded, Origin, Place, Reach, Row, Settings};
use serde::Serialize;

use super::path::{layer_root, unknown};
use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::style::{DIM, NOTE, SYMBOL};
use crate::output::human::text::printable;
use crate::output::{Format, Output};

/// Arguments of `recall config list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// A section, such as `search`, or a setting; all if left out.
    #[arg(value_name = "SECTION")]
    section: Option<String>,
    /// Show where each value comes from: the file and line, the variable, or the default.
    #[arg(long)]
    origin: bool,
    /// Show only the settings whose value is not the default.
    #[arg(long)]
    changed: bool,
}

/// Arguments of `recall config get`.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// The setting, such as `daemon.idle_exit`.
    #[arg(value_name = "KEY")]
    key: String,
    /// Show where the value comes from.
    #[arg(long)]
    origin: bool,
}

/// The settings, as JSON.
#[derive(Debug, Serialize)]
struct ShownList<'a> {
    settings: Vec<ShownSetting<'a>>,
    /// The parts of the files that are ignored.
    warnings: Vec<v1::Warning>,
}

#[derive(Debug, Serialize)]
struct ShownSetting<'a> {
    key: &'a str,
    value: &'a str,
    default: &'a str,
    layer: &'a str,
    file: Option<String>,
    line: Option<usize>,
    variable: Option<&'a str>,
    who: &'a str,
    read_by: &'a str,
    doc: &'a str,
    /// The value of the running daemon, if it is another one.
    daemon: Option<&'a str>,
}

pub(super) async fn run(args: &ListArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let ListArgs { section, origin, changed } = args;
    let known = KnownSettings::read(context, section.as_deref()).await?;
    let is_shown = |row: &&Row| !changed || row.origin.layer != Layer::Default;
    let rows: Vec<&Row> = known.rows.iter().filter(is_shown).collect();
    known.show(&rows, context, |text, row| {
        let _ = write!(text, "{SYMBOL}{}{SYMBOL:#} = {}", row.key, printable(&row.value));
        if *origin {
            let _ = write!(text, "  {DIM}# {}{DIM:#}", printable(&origin_text(&row.origin)));
        }
        text.push('\n');
    })?;
    Ok(if rows.is_empty() { Exit::NothingFound } else { Exit::Done })
}

pub(super) async fn get(args: &GetArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let GetArgs { key, origin } = args;
    let known = KnownSettings::read(context, Some(key)).await?;
    let Some(row) = known.rows.iter().find(|row| row.key == *key) else { return Err(unknown(key)) };
    known.show(&[row], context, |text, row| {
        let _ = write!(text, "{}", printable(&row.value));
        if *origin {
            let _ = write!(text, "  {DIM}# {}{DIM:#}", printable(&origin_text(&row.origin)));
        }
        text.push('\n');
    })?;
    Ok(Exit::Done)
}

/// Formats where a value comes from.
fn origin_text(origin: &Origin) -> String {
    match &origin.place {
        Some(place) => format!("{} ({})", place, origin.layer.as_str()),
        None => origin.layer.as_str().to_owned(),
    }
}

/// The settings of the files and variables here, and of the running daemon.
struct KnownSettings {
    rows: Vec<Row>,
    warnings: Vec<recall_config::Warning>,
    /// What the daemon answered; empty if none runs.
    daemon: Vec<v1::Setting>,
}

impl KnownSettings {
    async fn read(context: &CommandContext, wanted: Option<&str>) -> Result<Self, CommandError> {
        let environment = &context.process_env.environment;
        let root = layer_root(context);
        let loaded = Settings::load(context.dirs(), root.as_deref(), environment, &[]).map_err(CliError::from)?;
        let Loaded { settings, table, warnings } = loaded;
        let is_wanted = |row: &&Row| {
            let rest = wanted.map(|wanted| row.key.strip_prefix(wanted));
            rest.is_none_or(|rest| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
        };
        let rows: Vec<Row> = table.rows().filter(is_wanted).cloned().collect();
        if let (true, Some(wanted)) = (rows.is_empty(), wanted) {
            return Err(unknown(wanted));
        }
        let daemon = daemon_view(context, &settings, wanted).await?;
        Ok(Self { rows, warnings, daemon })
    }

    /// Returns the value that the running daemon uses, if it is another one.
    fn running(&self, row: &Row) -> Option<&str> {
        let setting = self.daemon.iter().find(|setting| setting.key == row.key && row.reach != Reach::Client)?;
        let used = if setting.running.is_empty() { &setting.value } else { &setting.running };
        (*used != row.value).then_some(used)
    }

    fn show(
        &self,
        rows: &[&Row],
        context: &CommandContext,
        line: impl Fn(&mut String, &Row),
    ) -> Result<(), CommandError> {
        let output = &context.output;
        if output.format == Format::Json {
            let settings = rows.iter().map(|row| self.shown_setting(row)).collect();
            let warnings = self.warnings.iter().map(shown_warning).collect();
            return output.answer(&ShownList { settings, warnings });
        }
        let mut text = String::new();
        for row in rows {
            line(&mut text, row);
        }
        output.text(&text)?;
        self.talk(rows, output);
        Ok(())
    }

    /// Tells a person what is ignored, and what the daemon does not use yet.
    fn talk(&self, rows: &[&Row], output: &Output) {
        for warning in &self.warnings {
            output.note(&format!("{NOTE}note{NOTE:#}: {}", printable(&warning.to_string())));
        }
        for (row, used) in rows.iter().filter_map(|row| Some((row, self.running(row)?))) {
            let key = row.key;
            output.note(&format!("{NOTE}note{NOTE:#}: the running daemon uses {key} = {}", printable(used)));
        }
        if rows.iter().any(|row| self.running(row).is_some()) {
            output.note(&format!("{NOTE}hint{NOTE:#}: `recall daemon restart` makes it read its settings again"));
        }
    }

    fn shown_setting<'a>(&'a self, row: &'a Row) -> ShownSetting<'a> {
        let Row { key, reach, shape: _, value, origin, default, doc } = row;
        let (file, line, variable) = match &origin.place {
            Some(Place::File { path, line }) => (Some(path.to_string_lossy().into_owned()), Some(*line), None),
            Some(Place::Variable { name }) => (None, None, Some(&**name)),
            Some(Place::Flag) | None => (None, None, None),
        };
        ShownSetting {
            key,
            value,
            default,
            layer: origin.layer.as_str(),
            file,
            line,
            variable,
            who: reach.who(),
            read_by: reach.read_by(),
            doc,
            daemon: self.running(row),
        }
    }
}

fn shown_warning(warning: &recall_config::Warning) -> v1::Warning {
    let path = match warning.place() {
        Place::File { path, .. } => path.to_string_lossy().into_owned(),
        Place::Variable { .. } | Place::Flag => String::new(),
    };
    let severity = v1::Severity::Warning.into();
    v1::Warning { code: "CONFIGURATION".to_owned(), message: warning.to_string(), hint: String::new(), path, severity }
}

/// Asks the daemon for its view, if one runs.
async fn daemon_view(
    context: &CommandContext,
    settings: &Settings,
    wanted: Option<&str>,
) -> Result<Vec<v1::Setting>, CommandError> {
    let client = match Client::connect(&context.options(Launch::Never, settings)).await {
        Ok(client) => client,
        Err(ConnectError::NotRunning { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let key = wanted.unwrap_or_default().to_owned();
    match client.config(v1::ConfigRequest { context: Some(context.request_context()), key }).await {
        Ok(answer) => Ok(answer.settings),
        Err(status) if Failure::from_status(&status).reason == Reason::Unsupported => {
            context.output.note("the running daemon is older and does not tell its settings");
            Ok(Vec::new())
        }
        Err(status) => Err(status.into()),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// A mirror of the schema that rejects unknown fields.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Mirror {
        key: String,
        value: String,
        default: String,
        layer: String,
        file: Option<String>,
        line: Option<u32>,
        variable: Option<String>,
        who: String,
        read_by: String,
        doc: String,
        daemon: Option<String>,
    }

    #[test]
    fn a_setting_is_read_with_its_schema() {
        let rows: Vec<Row> = recall_config::defaults().rows().cloned().collect();
        let running =
            v1::Setting { key: "daemon.drain".to_owned(), running: "\"9s\"".to_owned(), ..v1::Setting::default() };
        let known = KnownSettings { rows, warnings: Vec::new(), daemon: vec![running] };
        for row in &known.rows {
            let written = serde_json::to_string(&known.shown_setting(row)).expect("plain data");
            let Mirror { key, value, default, layer, file, line, variable, who, read_by, doc, daemon } =
                serde_json::from_str(&written).expect("the schema");
            assert_eq!((&*key, &*layer, &value), (row.key, "default", &default));
            assert_eq!((file, line, variable), (None, None, None));
            assert!(
                ["project", "user"].contains(&&*who) && ["search", "daemon", "command"].contains(&&*read_by),
                "{key}"
            );
            assert!(!doc.is_empty(), "{key}");
            assert_eq!(daemon.as_deref(), (key == "daemon.drain").then_some("\"9s\""), "{key}");
        }
    }
}
