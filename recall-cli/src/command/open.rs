//! `recall open`

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::{Reason, v1};
use recall_core::Scope;
use serde::Serialize;

use crate::command_context::CommandContext;
use crate::editor::Editor;
use crate::error::{CliError, CommandError};
use crate::last_search::{LastSearch, Place};
use crate::output::Format;
use crate::output::human::item::content;
use crate::output::human::text::printable;
use crate::{Exit, complete, project_root};

/// Arguments of `recall open`.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The number of a hit of the last search in this terminal, a path, a path with a line (`path:10`), a citation, or an id.
    #[arg(value_name = "HIT|PATH|CITATION|ID", add = ArgValueCompleter::new(complete::items))]
    target: String,
    /// Show the editor's command, without running it.
    #[arg(long)]
    dry_run: bool,
}

/// What was opened, and with which command.
#[derive(Debug, Serialize)]
struct OpenedFile<'a> {
    path: String,
    line: u32,
    command: &'a [String],
    dry_run: bool,
}

pub(super) async fn run(args: OpenArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (file, line) = find(&args.target, context).await?;
    let editor = Editor::find(&context.process_env)?;
    if !args.dry_run {
        editor.open(&file, line)?;
    }
    let (program, arguments) = editor.command(&file, line);
    let words = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
    let command: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    match context.output.format {
        Format::Json => {
            let path = file.to_string_lossy().into_owned();
            let opened = OpenedFile { path, line, command: &command, dry_run: args.dry_run };
            context.output.answer(&opened)?;
        }
        Format::Human if args.dry_run => {
            let words: Vec<_> = command.iter().map(|word| quote(word)).collect();
            context.output.text(&format!("{}\n", printable(&words.join(" "))))?;
        }
        Format::Human => {}
    }
    Ok(Exit::Done)
}

/// Quotes a word for a shell if it needs that.
fn quote(word: &str) -> String {
    // The only word that cannot be quoted has a zero byte, which an argument cannot have.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// Returns the file and the line that a target names.
async fn find(target: &str, context: &CommandContext) -> Result<(PathBuf, u32), CommandError> {
    if let Ok(number) = target.parse() {
        let (root, place) = hit(number, context)?;
        return place_of(&place, Some(&root), context).await;
    }
    let request = v1::GetRequest {
        context: Some(context.request_context()),
        id: target.to_owned(),
        scope: scope::to_proto(Scope::All).into(),
        ..v1::GetRequest::default()
    };
    let answer = context.ask(async |client| client.get(request.clone()).await).await?;
    context.output.warn(&answer.warnings);
    let doc = answer.doc.clone().unwrap_or_default();
    let line = content(&answer).1;
    let place = Place {
        root: doc.root.into(),
        store_id: doc.store_id,
        path: doc.path,
        line,
        is_memory: answer.memory.is_some(),
    };
    let place = if place.is_memory { Place { path: doc.id, ..place } } else { place };
    place_of(&place, None, context).await
}

/// Returns the hit with a number of the last search in this terminal, and the root of the project that was searched.
fn hit(number: usize, context: &CommandContext) -> Result<(PathBuf, Place), CommandError> {
    let process_env = &context.process_env;
    let last = LastSearch::read(&process_env.dirs, process_env.started)
        .map_err(|source| CliError::refusal("cannot read the hits of the last search", &source))?;
    let Some(last) = last else {
        let message = "no search was shown in this terminal within a day";
        let cli_error = CliError::new(Exit::NothingFound, Reason::NotFound, message);
        return Err(cli_error.with_hint("search first, or name a path, a citation or an id").into());
    };
    if let Some(place) = last.hit(number) {
        return Ok((last.project_root.clone(), place.clone()));
    }
    let end = last.first + last.hits.len().saturating_sub(1);
    let cli_error = CliError::new(Exit::NothingFound, Reason::NotFound, format!("the last search has no hit {number}"));
    Err(cli_error.with_hint(format!("its hits are {} to {end}", last.first)).into())
}

/// Returns the file of a place in a store of the project.
pub(super) async fn place_of(
    place: &Place,
    project_root: Option<&Path>,
    context: &CommandContext,
) -> Result<(PathBuf, u32), CommandError> {
    if place.is_memory {
        let message = format!("{} is a memory: it has no file to edit", place.path);
        let cli_error = CliError::new(Exit::Usage, Reason::InvalidArgument, message);
        let hint = format!("`recall get {0}` shows it, `recall update {0}` changes it", place.path);
        return Err(cli_error.with_hint(hint).into());
    }
    let roots = if place.root.as_os_str().is_empty() {
        roots_of(place, project_root, context).await?
    } else {
        vec![place.root.clone()]
    };
    let file = roots.iter().map(|root| root.join(&place.path)).find(|file| file.is_file());
    let Some(file) = file else {
        let message = format!("`{}` is not a file of this project any more", place.path);
        let cli_error = CliError::new(Exit::NothingFound, Reason::NotFound, message);
        return Err(cli_error.with_hint("search again").into());
    };
    Ok((file, place.line))
}

/// Returns the roots below which a file of the project's stores may be: that of its store, then that of the project, to which the
/// paths of nested repositories are relative.
async fn roots_of(
    place: &Place,
    project_root: Option<&Path>,
    context: &CommandContext,
) -> Result<Vec<PathBuf>, CommandError> {
    let project_root = project_root.map_or_else(|| project_root::resolve(context), Path::to_owned);
    let mut asked = context.request_context();
    asked.project_root = project_root.to_string_lossy().into_owned();
    let request = v1::StatusRequest {
        context: Some(asked),
        scope: scope::to_proto(Scope::All).into(),
        ..v1::StatusRequest::default()
    };
    let status = context.connect().await?.status(request).await?;
    let Some(store) = status.stores.into_iter().find(|store| store.id == place.store_id) else {
        let message = format!("`{}` is published on a shared store and has no file on this machine", place.path);
        let cli_error = CliError::new(Exit::NothingFound, Reason::NotFound, message);
        return Err(cli_error.with_hint(format!("`recall get {}` shows it", quote(&place.path))).into());
    };
    Ok(vec![store.root.into(), project_root])
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Mirror {
        ok: bool,
        schema_version: String,
        path: String,
        line: u32,
        command: Vec<String>,
        dry_run: bool,
    }

    #[test]
    fn what_was_opened_is_read_with_its_schema() {
        let command = ["vim".to_owned(), "+3".to_owned(), "/p/a.rs".to_owned()];
        let opened = OpenedFile { path: "/p/a.rs".to_owned(), line: 3, command: &command, dry_run: true };
        let written = serde_json::to_string(&recall_api::json::answer(opened)).expect("plain data");
        let Mirror { ok, schema_version, path, line, command, dry_run } =
            serde_json::from_str(&written).expect("the schema");
        assert_eq!((ok, schema_version.as_str(), path.as_str(), line, dry_run), (true, "1", "/p/a.rs", 3, true));
        assert_eq!(command, ["vim", "+3", "/p/a.rs"]);
    }
}
