//! `recall eval judge`: what the selected language model is worth as a judge of hits.
//!
//! Each query is asked once, with the language model. Its scores tell which hits it would keep, and the hits know their ranks
//! without it.

use std::path::PathBuf;

use crate::quality::{Answer, CorpusKind, Dataset, Decision, JudgeWorth, Lines, Query, Relevant};
use clap::Args;
use recall_api::{Reason, v1};
use recall_cli::{CliError, CommandContext, Exit, Format, ProgressLine};
use recall_client::Client;

use crate::error::BenchError;
use crate::evaluation::{add_query_id, index, request_context_in};
use crate::{human, json};

/// The hits of a query that are judged.
const HITS: u32 = 10;

/// The number of the stage in which the language model rescores.
const STAGE: u32 = 3;

/// Arguments of `recall eval judge`.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// The folder with `dataset.toml` and `queries.jsonl`. Its corpora must be folders.
    #[arg(long, value_name = "DIR")]
    dataset: PathBuf,
}

pub(crate) async fn run(args: JudgeArgs, context: &CommandContext) -> Result<Exit, BenchError> {
    let dataset = Dataset::read(&context.absolute(&args.dataset))?;
    if dataset.corpora.values().any(|corpus| corpus.kind == CorpusKind::Repository) {
        // Trees of a repository are asked in a home of their own, in which no model is selected.
        let message = "a dataset with repositories cannot be judged";
        return Err(CliError::new(Exit::Refused, Reason::Unsupported, message.to_owned())
            .with_hint("take one whose corpora are folders")
            .into());
    }
    let bar = ProgressLine::queries(context.output.format, dataset.queries.len() as u64);
    let client = context.connect().await?;
    let (mut judged, mut passed_over): (Vec<(Vec<Decision>, &[Relevant])>, _) = (Vec::new(), 0);
    for (name, corpus) in &dataset.corpora {
        let from = request_context_in(context, &context.absolute(&corpus.path));
        index(&client, from.clone()).await?;
        for query in dataset.queries.iter().filter(|query| query.corpus == *name) {
            match ask(&client, &from, query).await? {
                Some(decisions) => judged.push((decisions, &query.relevant)),
                None => passed_over += 1,
            }
            bar.step();
        }
    }
    drop(bar);
    if judged.is_empty() {
        let message = "no language model judged a query";
        return Err(CliError::new(Exit::Refused, Reason::EmbeddingFailed, message.to_owned())
            .with_hint("choose one with `recall models use judge`; `recall status` shows its problems")
            .into());
    }
    let worth = JudgeWorth::compute(&judged);
    match context.output.format {
        Format::Json => context.output.json(&json::judge(&dataset.name, &worth, passed_over))?,
        Format::Human => context.output.text(&human::judge(&worth, passed_over))?,
    }
    Ok(Exit::Done)
}

/// Asks a query; returns the decisions in the order without the language model, `None` if it took no part.
async fn ask(client: &Client, from: &v1::RequestContext, query: &Query) -> Result<Option<Vec<Decision>>, BenchError> {
    let request = v1::SearchRequest {
        context: Some(from.clone()),
        query: query.text.clone(),
        scope: v1::Scope::Project.into(),
        limit: Some(HITS),
        explain: true,
        judge: Some(true),
        ..v1::SearchRequest::default()
    };
    let answer = client.search(request).await.map_err(|status| add_query_id(query, status))?;
    Ok(decisions(answer.results))
}

fn decisions(hits: Vec<v1::Hit>) -> Option<Vec<Decision>> {
    let mut ranked: Vec<(u32, Decision)> = hits
        .into_iter()
        .filter_map(|hit| {
            let rescored = hit.explain?.rerank.filter(|rescored| rescored.stage == STAGE)?;
            let (document, chunk) = (hit.doc?, hit.chunk?);
            let lines = Some(Lines { start: chunk.start_line, end: chunk.end_line });
            let answer = Answer { path: document.path, lines };
            // 0 is the middle of the model's scale.
            Some((rescored.rank_before, Decision { answer, is_kept: rescored.score >= 0.0 }))
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    (!ranked.is_empty()).then(|| ranked.into_iter().map(|(_, decision)| decision).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_in_the_order_without_the_judge() {
        let hit = |path: &str, stage, score, rank_before| v1::Hit {
            doc: Some(v1::Document { path: path.to_owned(), ..v1::Document::default() }),
            chunk: Some(v1::Chunk::default()),
            explain: Some(v1::Explain {
                rerank: Some(v1::Reranked { model: "m".to_owned(), stage, score, rank_before }),
                ..v1::Explain::default()
            }),
            ..v1::Hit::default()
        };
        let found = decisions(vec![hit("b", 3, 2.0, 2), hit("a", 3, -1.0, 1), hit("c", 1, 9.0, 3)]).expect("judged");
        let found: Vec<_> = found.iter().map(|one| (one.answer.path.as_str(), one.is_kept)).collect();
        assert_eq!(found, [("a", false), ("b", true)]);
        assert_eq!(decisions(vec![hit("c", 1, 9.0, 3)]), None);
    }
}
