//! `recall list`

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::{DocumentType, Scope};
use recall_text::Language;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::list::{Shown, render};
use crate::output::human::quantity::count;
use crate::{Exit, args, complete};

/// The page size of `--all`.
const PAGE: u32 = 100;

/// Arguments of `recall list`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command")]
pub(crate) struct ListArgs {
    /// List only documents of this type; `all` lists every type, as without the option.
    #[arg(long = "type", value_parser = listed_type, value_name = "TYPE")]
    document_type: Option<ListedType>,
    /// The stores to list: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// List only documents in this language.
    #[arg(long = "lang", visible_alias = "language", value_parser = args::language, value_name = "LANGUAGE")]
    language: Option<Language>,
    /// List only documents with all of these tags.
    #[arg(long = "tag", value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    /// List only items at or below this path, or that match it as a glob; relative to the project's root.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "PATH|GLOB", add = ArgValueCompleter::new(complete::paths))]
    path: String,
    /// List only what was made at or after this time, as for `recall search`.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    since: String,
    /// List only what was made before this time.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    before: String,
    /// List only items flagged for review: rarely useful, outdated or duplicate.
    #[arg(long)]
    flagged: bool,
    /// List only what is stale, and say why: memories that are old or no longer fit their files, and files older than
    /// `freshness.stale_after_days` allows.
    #[arg(long, conflicts_with = "flagged")]
    stale: bool,
    /// List only memories that another one may contradict, as far as they were compared.
    #[arg(long, conflicts_with_all = ["flagged", "stale"])]
    contradicted: bool,
    /// List only memories that are proposed: they count once a person accepts them, with `recall review`.
    #[arg(long, conflicts_with_all = ["flagged", "stale", "contradicted"])]
    proposed: bool,
    /// The sort order.
    #[arg(long, default_value = "updated")]
    sort: Sort,
    /// The number of entries.
    #[arg(long, short, default_value_t = 20, value_name = "N")]
    limit: u32,
    /// The cursor from the previous page.
    #[arg(long, default_value = "", hide_default_value = true)]
    cursor: String,
    /// List everything, page by page.
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    all: bool,
}

/// The type of the documents that are listed.
#[derive(Clone, Copy, Debug)]
enum ListedType {
    All,
    One(DocumentType),
}

fn listed_type(text: &str) -> Result<ListedType, String> {
    if text == "all" { Ok(ListedType::All) } else { args::document_type(text).map(ListedType::One) }
}

/// The sort order of a listing.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sort {
    /// The latest change first.
    Updated,
    /// The newest first.
    Created,
    /// By title.
    Title,
    /// By path.
    Path,
}

impl From<Sort> for v1::ListSort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Updated => Self::UpdatedAt,
            Sort::Created => Self::CreatedAt,
            Sort::Title => Self::Title,
            Sort::Path => Self::Path,
        }
    }
}

pub(super) async fn run(args: ListArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (all, stale) = (args.all, args.stale);
    let mut request = request(args, context.request_context());
    let mut entries = Vec::new();
    loop {
        let page = context.ask(async |client| client.list(request.clone()).await).await?;
        let next = page.next_cursor.clone();
        if context.output.format == Format::Json {
            if all {
                context.output.json_line(&recall_api::json::answer(&page))?;
            } else {
                context.output.answer(&page)?;
            }
        }
        context.output.warn(&page.warnings);
        let total = page.total;
        entries.extend(page.entries);
        if !all || next.is_empty() {
            let shown = if stale { Shown::Why } else { Shown::Facts };
            return finish(&entries, total, &next, (shown, Exit::without_hits(&page.warnings)), context);
        }
        request.cursor = next;
    }
}

fn finish(
    entries: &[v1::ListEntry],
    total: u64,
    next: &str,
    (shown, without_entries): (Shown, Exit),
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let output = &context.output;
    if entries.is_empty() {
        output.note(match shown {
            Shown::Why => "no stale items found",
            Shown::Facts => "nothing found",
        });
        return Ok(without_entries);
    }
    if output.format == Format::Human {
        context.page(&render(entries, shown, output.screen()))?;
        let shown = count(entries.len() as u64);
        let of = if total > 0 { format!(" of {}", count(total)) } else { String::new() };
        if next.is_empty() {
            output.status_line(&format!("\n{shown}{of}"));
        } else {
            output.left_out(&format!("{shown}{of} · more with --cursor {next} or --all"));
        }
    }
    Ok(Exit::Done)
}

fn request(args: ListArgs, context: v1::RequestContext) -> v1::ListRequest {
    let ListArgs {
        document_type,
        scope,
        language,
        tags,
        path,
        since,
        before,
        flagged,
        stale,
        contradicted,
        proposed,
        sort,
        limit,
        cursor,
        all,
    } = args;
    v1::ListRequest {
        context: Some(context),
        r#type: match document_type {
            Some(ListedType::One(kind)) => kind.as_str().to_owned(),
            Some(ListedType::All) | None => String::new(),
        },
        scope: scope::to_proto(scope).into(),
        limit: Some(if all { PAGE } else { limit }),
        sort: v1::ListSort::from(sort).into(),
        cursor,
        path,
        tags,
        language: language.map(|language| language.to_string()).unwrap_or_default(),
        flagged,
        stale,
        since,
        before,
        contradicted,
        proposed,
    }
}
