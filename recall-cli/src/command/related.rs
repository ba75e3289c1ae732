//! `recall related`

use anstyle::Style;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::{DocumentType, Scope};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{DIM, PATH};
use crate::output::human::table::{Align, Column, render as table};
use crate::output::human::text::printable;
use crate::{Exit, args, complete};

/// Arguments of `recall related`.
#[derive(Debug, Args)]
pub(crate) struct RelatedArgs {
    /// A path, a path with lines (`path:10-20`), a citation, or an id as shown by `recall search --json`.
    #[arg(value_name = "ID|PATH|CITATION", add = ArgValueCompleter::new(complete::items))]
    id: String,
    /// Show only documents of these types.
    #[arg(long = "type", value_parser = args::document_type, value_delimiter = ',', value_name = "TYPE")]
    types: Vec<DocumentType>,
    /// The stores to look in: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// The number of documents.
    #[arg(long, short, default_value_t = 10, value_name = "N")]
    limit: u32,
}

pub(super) async fn run(args: RelatedArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let RelatedArgs { id, types, scope, limit } = args;
    let request = v1::RelatedRequest {
        context: Some(context.request_context()),
        id,
        scope: scope::to_proto(scope).into(),
        limit: Some(limit),
        types: types.into_iter().map(|kind| kind.as_str().to_owned()).collect(),
    };
    let answer = context.ask(async |client| client.related(request.clone()).await).await?;
    output.warn(&answer.warnings);
    if output.format == Format::Json {
        output.answer(&answer)?;
    }
    if answer.results.is_empty() {
        output.note("nothing found");
        return Ok(Exit::without_hits(&answer.warnings));
    }
    if output.format == Format::Human {
        context.page(&text(&answer.results, output.width))?;
    }
    Ok(Exit::Done)
}

/// Formats the documents as a table, nearest first, each with the related location and the reasons.
fn text(entries: &[v1::RelatedEntry], width: Option<usize>) -> String {
    let column = |heading, align, style| Column { heading, align, style };
    let layout = [
        column("NEAR", Align::Right, Style::new()),
        column("PATH", Align::Path, PATH),
        column("TYPE", Align::Left, DIM),
        column("HOW", Align::Left, Style::new()),
    ];
    let rows: Vec<_> = entries.iter().map(row).collect();
    table(&layout, &rows, width)
}

fn row(entry: &v1::RelatedEntry) -> [String; 4] {
    let doc = entry.doc.clone().unwrap_or_default();
    // The hash is of no use to a person.
    let place = entry.citation.rsplit_once('@').map_or(doc.path.as_str(), |(place, _)| place);
    let ways: Vec<&str> = entry.reasons.iter().map(|reason| in_words(reason)).collect();
    [format!("{:.2}", entry.score), printable(place).into_owned(), doc.r#type, printable(&ways.join(", ")).into_owned()]
}

/// Returns the label of a reason, from the point of view of the requested document.
fn in_words(reason: &str) -> &str {
    match reason {
        "imported_by" => "imported by it",
        "references" => "uses it",
        "referenced_by" => "used by it",
        "relates_to" => "linked",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_documents_are_a_table() {
        let entry = |score, path: &str, citation: &str, reasons: &[&str]| v1::RelatedEntry {
            score,
            doc: Some(v1::Document { path: path.to_owned(), r#type: "code".to_owned(), ..v1::Document::default() }),
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            citation: citation.to_owned(),
        };
        let entries = [
            entry(1.72, "src/gateway.rs", "src/gateway.rs:5-9@0123456789ab", &["references", "imports"]),
            entry(0.5, "docs/adr/0001.md", "", &["relates_to", "similar"]),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(&entries, None)), @r"
        NEAR  PATH                TYPE  HOW
        1.72  src/gateway.rs:5-9  code  uses it, imports
        0.50  docs/adr/0001.md    code  linked, similar
        ");
    }
}
