//! `recall update` and `recall promote`: changes of a stored memory.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::memory::format_update;
use crate::output::human::style::{GOOD, PATH};
use crate::{Exit, args, complete, standard_input};

/// Arguments of `recall update`. What is omitted keeps its value.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The id of the memory.
    #[arg(value_name = "ID", value_parser = args::memory_id, add = ArgValueCompleter::new(complete::memories))]
    id: String,
    /// The new text; `-` reads it from standard input.
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// The new title.
    #[arg(long, short)]
    title: Option<String>,
    /// The files that it is about, in their current state; replaces the previous ones. An empty value removes all.
    #[arg(long = "file", value_name = "PATH", add = ArgValueCompleter::new(complete::paths))]
    files: Option<Vec<String>>,
    /// When an agent is shown it unasked, as for `recall remember`; replaces the previous ones. An empty value: never.
    #[arg(long = "cue", value_name = "KIND:TEXT")]
    cues: Option<Vec<String>>,
    /// The new tags; replaces the previous ones. An empty value removes all.
    #[arg(long = "tag", value_delimiter = ',', value_name = "TAG")]
    tags: Option<Vec<String>>,
    /// Since when it holds, as for `recall remember`. An empty value: from its addition on.
    #[arg(long, value_name = "TIME")]
    valid_from: Option<String>,
    /// Until when it holds. An empty value: that is open.
    #[arg(long, value_name = "TIME")]
    valid_until: Option<String>,
}

pub(super) async fn run(args: UpdateArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let request = request(args, standard_input::memory, context.request_context())?;
    let output = &context.output;
    let client = context.connect().await?;
    let answer = client.update(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_update(&answer.memory.unwrap_or_default()))?;
        }
    }
    Ok(Exit::Done)
}

fn request(
    args: UpdateArgs,
    input: impl FnOnce() -> Result<String, CommandError>,
    asker: v1::RequestContext,
) -> Result<v1::UpdateRequest, CommandError> {
    let UpdateArgs { id, text, title, files, cues, tags, valid_from, valid_until } = args;
    let texts = [&text, &title, &valid_from, &valid_until];
    if texts.iter().all(|text| text.is_none()) && [&files, &cues, &tags].iter().all(|list| list.is_none()) {
        let cli_error = CliError::usage("nothing to change");
        return Err(cli_error
            .with_hint("give a text, `--title`, `--file`, `--cue`, `--tag`, `--valid-from` or `--valid-until`")
            .into());
    }
    let content = match text.as_deref() {
        Some("-") => Some(input()?),
        _ => text,
    };
    let list =
        |values: Vec<String>| v1::TextList { values: values.into_iter().filter(|value| !value.is_empty()).collect() };
    Ok(v1::UpdateRequest {
        context: Some(asker),
        id,
        title,
        content,
        tags: tags.map(list),
        related_files: files.map(list),
        cues: cues.map(list),
        expected_updated_at: None,
        valid_from,
        valid_until,
    })
}

/// Arguments of `recall promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// The id of the memory.
    #[arg(value_name = "ID", add = ArgValueCompleter::new(complete::memories))]
    id: String,
}

pub(super) async fn run_promote(args: PromoteArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = context.connect().await?;
    let domain = context.global.domain.clone().unwrap_or_default();
    let request = v1::PromoteRequest {
        context: Some(context.request_context()),
        id: args.id,
        to: if domain.is_empty() { v1::Scope::Global } else { v1::Scope::Domain }.into(),
        domain,
    };
    let answer = client.promote(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            let v1::PromoteResponse { id, scope: store } = &answer;
            let store = scope::store_from_proto(*store).map_or("wider", |store| store.as_str());
            output.text(&format!("{GOOD}promoted{GOOD:#} {PATH}{id}{PATH:#} to the {store} store\n"))?;
            if answer.scope() == v1::StoreScope::Global {
                output.note("it is for all projects, so it is no longer checked against the files of this one");
            }
        }
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: UpdateArgs,
    }

    fn asked(line: &[&str]) -> Result<v1::UpdateRequest, CommandError> {
        let line = Line::try_parse_from([&["update", "L-0123abcd"], line].concat()).expect("well-formed");
        request(line.args, || Ok("From a pipe.\n".to_owned()), v1::RequestContext::default())
    }

    #[test]
    fn what_is_given_is_amended_and_nothing_else() {
        let request = asked(&["-", "--tag", "a,b", "--file", ""]).expect("well-formed");
        let list =
            |values: &[&str]| Some(v1::TextList { values: values.iter().map(|value| (*value).to_owned()).collect() });
        assert_eq!((request.content.as_deref(), request.title), (Some("From a pipe.\n"), None));
        assert_eq!((request.tags, request.related_files), (list(&["a", "b"]), list(&[])));
        let request = asked(&["--title", "T"]).expect("well-formed");
        assert_eq!((request.title.as_deref(), request.content, request.tags), (Some("T"), None, None));
    }

    #[test]
    fn an_amendment_of_nothing_is_refused() {
        assert!(matches!(asked(&[]), Err(CommandError::Failed(cli_error)) if cli_error.exit == Exit::Usage));
    }
}
