//! `recall find`

use std::io::{self, IsTerminal as _};

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::{DocumentType, Scope};
use recall_text::Language;
use serde::Serialize;

use super::open::place_of;
use crate::command_context::CommandContext;
use crate::editor::Editor;
use crate::error::{CliError, CommandError};
use crate::finder::{self, Chosen, Purpose};
use crate::output::{Format, Output};
use crate::{Exit, args, complete};

/// The number of hits in the list: the maximum of a search.
const HITS: u32 = 50;

/// Arguments of `recall find`.
#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// The query to begin with.
    #[arg(value_name = "QUERY", add = ArgValueCompleter::new(complete::symbols))]
    query: Vec<String>,
    /// The stores to search: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Search only documents of these types.
    #[arg(long = "type", value_delimiter = ',', value_parser = args::document_type, value_name = "TYPE")]
    types: Vec<DocumentType>,
    /// Search only documents in these languages.
    #[arg(long = "lang", visible_alias = "language", value_delimiter = ',', value_parser = args::language, value_name = "LANGUAGE")]
    languages: Vec<Language>,
    /// Search only documents at or below these paths, or that match these globs.
    #[arg(long = "path", value_name = "PATH|GLOB", add = ArgValueCompleter::new(complete::paths))]
    paths: Vec<String>,
    /// Print the citations of the chosen hits instead of opening them.
    #[arg(long)]
    print: bool,
}

/// A hit that was chosen.
#[derive(Debug, Serialize)]
struct Found<'a> {
    citation: &'a str,
    path: &'a str,
    line: u32,
}

pub(super) async fn run(args: FindArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let cli_error = CliError::usage("`recall find` needs a terminal on standard input and standard error");
        return Err(cli_error.with_hint("use `recall search` in scripts").into());
    }
    let prints = args.print || context.output.format == Format::Json;
    let client = context.connect().await?;
    let look = context.output.screen();
    let chosen = finder::run(client, request(args, context.request_context()), look)
        .await
        .map_err(|source| CliError::refusal("cannot use the terminal", &source))?;
    let Some((purpose, chosen)) = chosen else { return Ok(Exit::NothingFound) };
    let editor = match (purpose, context.output.format) {
        (Purpose::Open, Format::Human) if !prints => Some(Editor::find(&context.process_env)?),
        _ => None,
    };
    for Chosen { citation, place } in chosen {
        match (&editor, context.output.format) {
            (Some(editor), _) => {
                let (file, line) = place_of(&place, None, context).await?;
                editor.open(&file, line)?;
            }
            (None, Format::Json) => {
                let found = Found { citation: &citation, path: &place.path, line: place.line };
                context.output.answer(&found)?;
            }
            (None, Format::Human) => Output::raw(&format!("{citation}\n"))?,
        }
    }
    Ok(Exit::Done)
}

/// The search whose query is typed. It is not recorded: most of its queries are not finished.
fn request(args: FindArgs, context: v1::RequestContext) -> v1::SearchRequest {
    let FindArgs { query, scope, types, languages, paths, print: _ } = args;
    v1::SearchRequest {
        context: Some(context),
        query: query.join(" "),
        scope: scope::to_proto(scope).into(),
        filters: Some(v1::Filters {
            types: types.into_iter().map(|kind| kind.as_str().to_owned()).collect(),
            languages: languages.iter().map(ToString::to_string).collect(),
            paths,
            ..v1::Filters::default()
        }),
        limit: Some(HITS),
        rerank: Some(false),
        preview: true,
        ..v1::SearchRequest::default()
    }
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
        citation: String,
        path: String,
        line: u32,
    }

    #[test]
    fn what_was_chosen_is_read_with_its_schema() {
        let found = Found { citation: "a.rs:3-9@0123", path: "a.rs", line: 3 };
        let written = serde_json::to_string(&recall_api::json::answer(found)).expect("plain data");
        let Mirror { ok, schema_version, citation, path, line } = serde_json::from_str(&written).expect("the schema");
        assert_eq!((ok, schema_version.as_str(), citation.as_str()), (true, "1", "a.rs:3-9@0123"));
        assert_eq!((path.as_str(), line), ("a.rs", 3));
    }
}
