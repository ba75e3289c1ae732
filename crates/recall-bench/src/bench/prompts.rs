//! `recall bench --loop`: what the hook of a prompt shows, measured on a git history.
//!
//! Each commit message is a prompt, asked in the tree before the commit. A place that the hook shows is relevant if the commit
//! changed its file. The selection is that of `recall hook prompt`, with each threshold of confidence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use recall_cli::{CommandContext, Exit, Format, PromptLimits, QueryBar, prompt_answer, prompt_search};
use recall_core::tokens::count;
use recall_eval::mine::{History, MineLimits};
use recall_eval::{Dataset, Query};
use recall_proto::v1;

use crate::error::BenchError;
use crate::evaluation::{of_query, replay};
use crate::prompt_report::{PromptReport, ThresholdRow};
use crate::{human, json};

/// The thresholds that are measured, in hundredths.
const THRESHOLDS: [u32; 14] = [0, 10, 20, 30, 40, 50, 55, 60, 65, 70, 75, 80, 85, 90];

/// What was found for a prompt.
struct Found {
    prompt: String,
    /// The files that the commit changed, tests included.
    relevant: BTreeSet<String>,
    response: v1::SearchResponse,
}

pub(crate) async fn run(
    path: &Path,
    queries: Option<usize>,
    budget_tokens: u32,
    context: &CommandContext,
) -> Result<Exit, BenchError> {
    let default = MineLimits::default();
    let limits = MineLimits { queries: queries.unwrap_or(default.queries).max(1), ..default };
    let history = History::open(path)?;
    let mined = history.commits(&limits)?;
    let tests: BTreeMap<String, Vec<String>> =
        mined.iter().map(|query| (query.commit.clone(), query.tests.clone())).collect();
    let dataset = Dataset::of_history(&history, mined);
    let bar = QueryBar::new(context.output.format, dataset.queries.len() as u64);
    let mut found = Vec::new();
    for (name, corpus) in &dataset.corpora {
        let queries: Vec<&Query> = dataset.queries.iter().filter(|query| query.corpus == *name).collect();
        replay(context, corpus, &queries, async |client, from, query| {
            let response = match prompt_search(from.clone(), &query.text) {
                Some(search) => client.search(search).await.map_err(|status| of_query(query, status))?,
                None => v1::SearchResponse::default(),
            };
            let changed = query.relevant.iter().map(|relevant| relevant.path.clone());
            let relevant = changed.chain(tests.get(&query.id).cloned().unwrap_or_default()).collect();
            found.push(Found { prompt: query.text.clone(), relevant, response });
            bar.step();
            Ok(())
        })
        .await?;
    }
    drop(bar);
    let report = PromptReport {
        dataset: dataset.name.clone(),
        prompts: found.len(),
        named: found.iter().filter(|found| names_a_file(found)).count(),
        budget_tokens,
        rows: THRESHOLDS.iter().map(|&hundredths| row(f64::from(hundredths) / 100.0, budget_tokens, &found)).collect(),
    };
    match context.output.format {
        Format::Json => context.output.json(&json::prompts(&report))?,
        Format::Human => context.output.text(&human::prompts(&report, context.output.width))?,
    }
    Ok(Exit::Done)
}

/// Measures what the hook shows with a threshold.
fn row(threshold: f64, budget_tokens: u32, found: &[Found]) -> ThresholdRow {
    let limits = PromptLimits { place_confidence: threshold, memory_confidence: threshold, budget_tokens };
    let mut row = ThresholdRow { threshold, ..ThresholdRow::default() };
    for Found { prompt: _, relevant, response } in found {
        let answer = prompt_answer(response, &limits, |_| true);
        let path = |hit: &&v1::Hit| hit.doc.as_ref().map_or("", |doc| doc.path.as_str()).to_owned();
        let right = answer.shown.iter().map(path).filter(|path| relevant.contains(path)).count();
        let tokens = count(&answer.text);
        row.shown += answer.shown.len();
        row.relevant += right;
        row.answered += usize::from(!answer.shown.is_empty());
        row.helped += usize::from(right > 0);
        row.tokens += u64::from(tokens);
        row.most_tokens = row.most_tokens.max(tokens);
    }
    row
}

/// Whether the prompt itself names a relevant file, by its name without the extension.
fn names_a_file(found: &Found) -> bool {
    let prompt = found.prompt.to_lowercase();
    let words: BTreeSet<&str> = prompt.split(|c: char| !c.is_alphanumeric() && !"_-".contains(c)).collect();
    let name = |path: &String| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split('.').next().unwrap_or(file).to_lowercase()
    };
    found.relevant.iter().any(|path| words.contains(name(path).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prompt: &str, relevant: &[&str], hits: &[(&str, f64)]) -> Found {
        let hit = |(path, confidence): &(&str, f64)| v1::Hit {
            doc: Some(v1::Document { path: (*path).to_owned(), ..v1::Document::default() }),
            chunk: Some(v1::Chunk::default()),
            confidence: Some(*confidence),
            ..v1::Hit::default()
        };
        let results = hits.iter().map(hit).collect();
        let response = v1::SearchResponse { results, ..v1::SearchResponse::default() };
        Found { prompt: prompt.to_owned(), relevant: relevant.iter().map(|&path| path.to_owned()).collect(), response }
    }

    #[test]
    fn a_threshold_trades_misses_for_precision() {
        let found = [
            found("open the store", &["src/store.rs"], &[("src/store.rs", 0.9), ("src/other.rs", 0.4)]),
            found("close it", &["src/a.rs", "tests/a.rs"], &[("src/b.rs", 0.6), ("tests/a.rs", 0.3)]),
        ];
        let check = |threshold: f64, expected: (usize, usize, usize, usize)| {
            let row = row(threshold, 600, &found);
            assert_eq!((row.shown, row.relevant, row.answered, row.helped), expected, "{threshold}");
            assert!(row.most_tokens <= 600 && row.tokens <= 1_200);
        };
        check(0.0, (4, 2, 2, 2));
        check(0.5, (2, 1, 2, 1));
        check(0.7, (1, 1, 1, 1));
        check(0.95, (0, 0, 0, 0));
        assert!(names_a_file(&found[0]) && !names_a_file(&found[1]));
    }
}
