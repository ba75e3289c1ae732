//! `recall eval context`: the share of the relevant files that a context window has.
//!
//! Each query is asked as a search and as a context with every budget. The hits of the search, packed whole in their order,
//! are what the window is compared with.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::quality::{CorpusKind, Query};
use clap::Args;
use recall_api::{convert, v1};
use recall_cli::{CommandContext, Exit, Format, ProgressLine};
use recall_client::Client;
use recall_text::tokens::count;

use crate::collection::Collection;
use crate::error::BenchError;
use crate::evaluation::{add_query_id, index, replay, request_context_in};
use crate::report::BudgetReport;
use crate::{human, json};

/// The hits that are packed in their order. None of the default budgets has room for more.
const PACKED_HITS: u32 = 50;

/// Arguments of `recall eval context`.
#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// The folder with `dataset.toml` and `queries.jsonl` [default: the built-in collection about payments, indexed in a
    /// temporary home].
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// The budgets in tokens.
    #[arg(long, value_delimiter = ',', default_value = "500,1000,2000,4000", value_name = "N")]
    budgets: Vec<u32>,
    /// What is packed, as for `recall context` [default: what that packs].
    #[arg(long, value_delimiter = ',', value_parser = kind, value_name = "TYPE")]
    types: Vec<v1::ContextType>,
}

fn kind(text: &str) -> Result<v1::ContextType, String> {
    convert::context_type(text).ok_or_else(|| {
        let known: Vec<String> = convert::CONTEXT_TYPES.map(convert::context_type_name).into();
        format!("unknown type `{text}`: the types are {}", known.join(", "))
    })
}

pub(crate) async fn run(args: ContextArgs, context: &CommandContext) -> Result<Exit, BenchError> {
    let ContextArgs { dataset, budgets, types } = args;
    let collection = Collection::open(dataset.as_deref(), context)?;
    let dataset = &collection.dataset;
    let bar = ProgressLine::queries(context.output.format, dataset.queries.len() as u64);
    let mut measured: Vec<Vec<Measured>> = vec![Vec::new(); budgets.len()];
    for (name, corpus) in &dataset.corpora {
        let queries: Vec<&Query> = dataset.queries.iter().filter(|query| query.corpus == *name).collect();
        if queries.is_empty() {
            continue;
        }
        let mut ask = async |client: &Client, from: &v1::RequestContext, query: &Query| {
            measure(client, from, query, &budgets, &types, &mut measured).await?;
            bar.step();
            Ok(())
        };
        match corpus.kind {
            CorpusKind::Repository => replay(context, corpus, &queries, ask).await?,
            CorpusKind::Folder => {
                let client = collection.connect(context).await?;
                let from = request_context_in(context, &context.absolute(&corpus.path));
                index(&client, from.clone()).await?;
                for query in queries {
                    ask(&client, &from, query).await?;
                }
            }
        }
    }
    drop(bar);
    let reports: Vec<BudgetReport> =
        budgets.iter().zip(&mut measured).map(|(&budget, of)| report(budget, of)).collect();
    match context.output.format {
        Format::Json => context.output.json(&json::windows(&dataset.name, dataset.queries.len(), &reports))?,
        Format::Human => context.output.text(&human::windows(&reports, context.output.width))?,
    }
    let is_held = reports.iter().all(|report| report.above == 0);
    Ok(if is_held { Exit::Done } else { Exit::Refused })
}

/// The measures of one query with one budget.
#[derive(Clone, Debug)]
struct Measured {
    in_order: f64,
    window: f64,
    with_text: f64,
    is_above: bool,
    took: Duration,
}

async fn measure(
    client: &Client,
    from: &v1::RequestContext,
    query: &Query,
    budgets: &[u32],
    types: &[v1::ContextType],
    measured: &mut [Vec<Measured>],
) -> Result<(), BenchError> {
    let search = v1::SearchRequest {
        context: Some(from.clone()),
        query: query.text.clone(),
        scope: v1::Scope::Project.into(),
        limit: Some(PACKED_HITS),
        include_memories: Some(false),
        ..v1::SearchRequest::default()
    };
    let hits = client.search(search).await.map_err(|status| add_query_id(query, status))?.results;
    for (&budget, measured) in budgets.iter().zip(measured) {
        let request = v1::ContextRequest {
            context: Some(from.clone()),
            task: query.text.clone(),
            context_types: types.iter().map(|kind| i32::from(*kind)).collect(),
            budget_tokens: Some(budget),
            scope: v1::Scope::Project.into(),
            ..v1::ContextRequest::default()
        };
        let began = Instant::now();
        let answer = client.context(request).await.map_err(|status| add_query_id(query, status))?;
        let took = began.elapsed();
        let packed = answer.context.unwrap_or_default();
        let path = |span: &v1::PackedSpan| span.doc.as_ref().map(|doc| doc.path.clone()).unwrap_or_default();
        let all: BTreeSet<String> = packed.chunks.iter().map(path).chain(citations(&packed.text)).collect();
        let with_text = |span: &&v1::PackedSpan| packed.text.contains(&format!("### {}:", path(span)));
        let with_text: BTreeSet<String> = packed.chunks.iter().filter(with_text).map(path).collect();
        measured.push(Measured {
            in_order: share(query, &in_order(&hits, budget)),
            window: share(query, &all),
            with_text: share(query, &with_text),
            is_above: count(&packed.text) > budget,
            took,
        });
    }
    Ok(())
}

/// Returns the paths in the lists of a window: entries like `- src/a.rs:1-9 fn a()`.
fn citations(text: &str) -> impl Iterator<Item = String> {
    let place = |line: &str| Some(line.strip_prefix("- ")?.split_once(':')?.0.to_owned());
    text.lines().filter_map(place).collect::<Vec<_>>().into_iter()
}

/// Returns the files of the hits that fit a budget whole, in their order. The first that does not fit ends the window.
fn in_order(hits: &[v1::Hit], budget: u32) -> BTreeSet<String> {
    let mut left = budget;
    let mut files = BTreeSet::new();
    for hit in hits {
        let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
        let (from, to) = (chunk.start_line, chunk.end_line);
        let block = format!("### {}:{from}-{to}\n```{}\n{}\n```\n", doc.path, doc.language, chunk.text.trim_end());
        let Some(rest) = left.checked_sub(count(&block)) else { break };
        left = rest;
        files.insert(doc.path);
    }
    files
}

fn share(query: &Query, files: &BTreeSet<String>) -> f64 {
    let relevant: BTreeSet<&str> = query.relevant.iter().map(|relevant| relevant.path.as_str()).collect();
    let found = relevant.iter().filter(|path| files.contains(**path)).count();
    found as f64 / relevant.len().max(1) as f64
}

fn report(budget_tokens: u32, measured: &mut [Measured]) -> BudgetReport {
    let mean = |of: fn(&Measured) -> f64| measured.iter().map(of).sum::<f64>() / measured.len().max(1) as f64;
    let (in_order, window, with_text) = (mean(|one| one.in_order), mean(|one| one.window), mean(|one| one.with_text));
    let above = measured.iter().filter(|one| one.is_above).count();
    measured.sort_by_key(|one| one.took);
    let median = measured.get(measured.len() / 2).map_or(Duration::ZERO, |one| one.took);
    BudgetReport { budget_tokens, in_order, window, with_text, above, median }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_packed_whole_until_one_does_not_fit() {
        let hit = |path: &str, lines: usize| v1::Hit {
            doc: Some(v1::Document { path: path.to_owned(), ..v1::Document::default() }),
            chunk: Some(v1::Chunk { text: "let a = b;\n".repeat(lines), ..v1::Chunk::default() }),
            ..v1::Hit::default()
        };
        let hits = [hit("a.rs", 5), hit("b.rs", 50), hit("c.rs", 1)];
        let packed = |budget| in_order(&hits, budget).into_iter().collect::<Vec<_>>();
        assert_eq!(packed(10), [""; 0]);
        assert_eq!(packed(150), ["a.rs"]);
        assert_eq!(packed(5000), ["a.rs", "b.rs", "c.rs"]);
    }

    #[test]
    fn the_lists_of_a_window_name_files() {
        let text = "## Tests\n- tests/a.rs:1-9 works\n- D-0123abcd decision (own): x\n";
        assert_eq!(citations(text).collect::<Vec<_>>(), ["tests/a.rs", "D-0123abcd decision (own)"]);
    }
}
