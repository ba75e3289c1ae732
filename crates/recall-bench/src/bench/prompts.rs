//! `recall bench --loop`: what the hook of a prompt shows, measured on a git history.
//!
//! Each subject of a commit is a prompt, asked in the tree before the commit. A place that the hook shows is relevant if the
//! commit changed its file. Then the prompts are asked again in the newest tree, with the bodies of their commits as memories: a
//! memory is relevant if it is the body of the prompt's own commit. The selection is that of `recall hook prompt`, with each
//! threshold of confidence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::quality::mine::{History, MineLimits};
use crate::quality::{Corpus, Dataset, Query};
use recall_api::v1;
use recall_cli::{CommandContext, Exit, Format, PromptLimits, QueryBar, prompt_answer, prompt_search};
use recall_client::Client;
use recall_core::title_of;
use recall_core::tokens::count;

use crate::error::BenchError;
use crate::evaluation::{add_query_id, replay};
use crate::prompt_report::{MemoryReport, MemoryRow, PromptReport, ThresholdRow};
use crate::{human, json};

/// The thresholds that are measured, in hundredths.
const THRESHOLDS: [u32; 13] = [0, 3, 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70];

/// The shortest body that becomes a memory, in bytes. A shorter one says little that the subject does not.
const BODY_BYTES: usize = 120;

/// A confidence that no hit has.
const NEVER: f64 = 2.0;

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
    let mut bodies: BTreeMap<String, String> =
        mined.iter().map(|query| (query.commit.clone(), query.body.clone())).collect();
    bodies.retain(|_, body| body.len() >= BODY_BYTES);
    let dataset = Dataset::from_history(&history, mined);
    let bar = QueryBar::new(context.output.format, 2 * dataset.queries.len() as u64);
    let (mut found, mut memories) = (Vec::new(), Vec::new());
    for (name, corpus) in &dataset.corpora {
        let queries: Vec<&Query> = dataset.queries.iter().filter(|query| query.corpus == *name).collect();
        replay(context, corpus, &queries, async |client, from, query| {
            let response = ask(client, from, query).await?;
            let changed = query.relevant.iter().map(|relevant| relevant.path.clone());
            let relevant = changed.chain(tests.get(&query.id).cloned().unwrap_or_default()).collect();
            found.push(Found { prompt: query.text.clone(), relevant, response });
            bar.step();
            Ok(())
        })
        .await?;
        memories.extend(with_memories(context, corpus, &queries, &bodies, &bar).await?);
    }
    drop(bar);
    let shares = || THRESHOLDS.iter().map(|&hundredths| f64::from(hundredths) / 100.0);
    let report = PromptReport {
        dataset: dataset.name.clone(),
        prompts: found.len(),
        named: found.iter().filter(|found| names_a_file(found)).count(),
        budget_tokens,
        rows: shares().map(|threshold| row(threshold, budget_tokens, &found)).collect(),
        memories: MemoryReport {
            known: memories.iter().filter(|found| found.relevant.is_some()).count(),
            unknown: memories.iter().filter(|found| found.relevant.is_none()).count(),
            rows: shares().map(|threshold| memory_row(threshold, budget_tokens, &memories)).collect(),
        },
    };
    match context.output.format {
        Format::Json => context.output.json(&json::prompts(&report))?,
        Format::Human => context.output.text(&human::prompts(&report, context.output.width))?,
    }
    Ok(Exit::Done)
}

/// What was found for a prompt among memories.
struct FoundMemories {
    /// The id of the memory that is relevant; `None` if there is none.
    relevant: Option<String>,
    response: v1::SearchResponse,
}

/// Asks every prompt in the newest tree, in which the bodies are memories.
async fn with_memories(
    context: &CommandContext,
    corpus: &Corpus,
    queries: &[&Query],
    bodies: &BTreeMap<String, String>,
    bar: &QueryBar,
) -> Result<Vec<FoundMemories>, BenchError> {
    // The newest commit is the first.
    let tree = queries.first().and_then(|query| query.tree.clone());
    let queries: Vec<Query> =
        queries.iter().map(|query| Query { tree: tree.clone(), relevant: Vec::new(), ..(*query).clone() }).collect();
    let mut ids: Option<BTreeMap<String, String>> = None;
    let mut found = Vec::new();
    replay(context, corpus, &queries.iter().collect::<Vec<_>>(), async |client, from, query| {
        if ids.is_none() {
            ids = Some(remember(client, from, bodies).await?);
        }
        let relevant = ids.as_ref().and_then(|ids| ids.get(&query.id)).cloned();
        found.push(FoundMemories { relevant, response: ask(client, from, query).await? });
        bar.step();
        Ok(())
    })
    .await?;
    Ok(found)
}

/// Adds each body as a memory, and returns their ids by their commits.
async fn remember(
    client: &Client,
    from: &v1::RequestContext,
    bodies: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, BenchError> {
    let mut ids = BTreeMap::new();
    for (commit, body) in bodies {
        let request = v1::AddRequest {
            context: Some(from.clone()),
            r#type: "lesson".to_owned(),
            title: title_of(body),
            content: body.clone(),
            force: true,
            ..v1::AddRequest::default()
        };
        ids.insert(commit.clone(), client.add(request).await?.id);
    }
    Ok(ids)
}

/// Asks a prompt as the hook does.
async fn ask(client: &Client, from: &v1::RequestContext, query: &Query) -> Result<v1::SearchResponse, BenchError> {
    match prompt_search(from.clone(), &query.text) {
        Some(search) => client.search(search).await.map_err(|status| add_query_id(query, status)),
        None => Ok(v1::SearchResponse::default()),
    }
}

/// Measures which memories the hook shows with a threshold.
fn memory_row(threshold: f64, budget_tokens: u32, found: &[FoundMemories]) -> MemoryRow {
    let limits = PromptLimits { place_confidence: NEVER, memory_confidence: threshold, budget_tokens };
    let mut row = MemoryRow { threshold, ..MemoryRow::default() };
    for FoundMemories { relevant, response } in found {
        let shown = prompt_answer(response, &limits, |_| true).shown;
        let is_relevant = |hit: &&&v1::Hit| hit.memory.as_ref().map(|memory| &memory.id) == relevant.as_ref();
        let right = shown.iter().filter(is_relevant).count();
        row.shown += shown.len();
        row.relevant += right;
        row.helped += usize::from(right > 0);
        row.alarms += usize::from(relevant.is_none() && !shown.is_empty());
    }
    row
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
        let memory = |id: &str| v1::Memory { id: id.to_owned(), title: "x".to_owned(), ..v1::Memory::default() };
        let hit = |id: &str, confidence| v1::Hit {
            memory: Some(memory(id)),
            confidence: Some(confidence),
            ..v1::Hit::default()
        };
        let found_memories = |relevant: Option<&str>, results| FoundMemories {
            relevant: relevant.map(str::to_owned),
            response: v1::SearchResponse { results, ..v1::SearchResponse::default() },
        };
        let memories = [
            found_memories(Some("L-1"), vec![hit("L-1", 0.8), hit("L-2", 0.3)]),
            found_memories(None, vec![hit("L-2", 0.4)]),
        ];
        let check = |threshold: f64, expected: (usize, usize, usize, usize)| {
            let row = memory_row(threshold, 600, &memories);
            assert_eq!((row.shown, row.relevant, row.helped, row.alarms), expected, "{threshold}");
        };
        check(0.1, (3, 1, 1, 1));
        check(0.5, (1, 1, 1, 0));
        check(0.9, (0, 0, 0, 0));
        assert!(names_a_file(&found[0]) && !names_a_file(&found[1]));
    }
}
