//! `recall bench --loop`: what the hook of a prompt shows, measured on a git history.
//!
//! Each subject of a commit is a prompt, asked in the tree before the commit. A place that the hook shows is relevant if the
//! commit changed its file. Then the prompts are asked again in the newest tree, with the bodies of their commits as memories: a
//! memory is relevant if it is the body of the prompt's own commit. Each threshold of confidence is a request as `recall hook prompt`
//! sends it, so what is measured is what agents get.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::quality::mine::{History, MineLimits};
use crate::quality::{Corpus, Dataset, Query};
use recall_api::v1;
use recall_api::v1::remind_request::Occasion;
use recall_cli::{CommandContext, Exit, Format, ProgressLine};
use recall_client::Client;
use recall_core::title_of;
use recall_text::tokens::count;

use crate::error::BenchError;
use crate::evaluation::{add_query_id, replay};
use crate::report::{MemoryReport, MemoryRow, PromptReport, ThresholdRow};
use crate::{human, json};

/// The thresholds that are measured, in hundredths.
const THRESHOLDS: [u32; 13] = [0, 3, 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70];

/// The shortest body that becomes a memory, in bytes. A shorter one says little that the subject does not.
const BODY_BYTES: usize = 120;

/// What is known about a prompt, one answer a threshold.
type Answers = Vec<v1::RemindResponse>;

/// What was found for a prompt.
struct Found {
    prompt: String,
    /// The files that the commit changed, tests included.
    relevant: BTreeSet<String>,
    answers: Answers,
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
    let bar = ProgressLine::queries(context.output.format, 2 * dataset.queries.len() as u64);
    let (mut found, mut memories) = (Vec::new(), Vec::new());
    for (name, corpus) in &dataset.corpora {
        let queries: Vec<&Query> = dataset.queries.iter().filter(|query| query.corpus == *name).collect();
        replay(context, corpus, &queries, async |client, from, query| {
            let answers = ask(client, from, query, budget_tokens).await?;
            let changed = query.relevant.iter().map(|relevant| relevant.path.clone());
            let relevant = changed.chain(tests.get(&query.id).cloned().unwrap_or_default()).collect();
            found.push(Found { prompt: query.text.clone(), relevant, answers });
            bar.step();
            Ok(())
        })
        .await?;
        memories.extend(with_memories(context, corpus, &queries, &bodies, budget_tokens, &bar).await?);
    }
    drop(bar);
    let report = PromptReport {
        dataset: dataset.name.clone(),
        prompts: found.len(),
        named: found.iter().filter(|found| names_a_file(found)).count(),
        budget_tokens,
        rows: thresholds().enumerate().map(|(place, threshold)| row(place, threshold, &found)).collect(),
        memories: MemoryReport {
            known: memories.iter().filter(|found| found.relevant.is_some()).count(),
            unknown: memories.iter().filter(|found| found.relevant.is_none()).count(),
            rows: thresholds().enumerate().map(|(place, threshold)| memory_row(place, threshold, &memories)).collect(),
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
    answers: Answers,
}

/// Asks every prompt in the newest tree, in which the bodies are memories.
async fn with_memories(
    context: &CommandContext,
    corpus: &Corpus,
    queries: &[&Query],
    bodies: &BTreeMap<String, String>,
    budget_tokens: u32,
    bar: &ProgressLine,
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
        found.push(FoundMemories { relevant, answers: ask(client, from, query, budget_tokens).await? });
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

/// Returns the thresholds as confidences.
fn thresholds() -> impl Iterator<Item = f64> {
    THRESHOLDS.iter().map(|&hundredths| f64::from(hundredths) / 100.0)
}

/// Asks a prompt as the hook does, with each threshold.
async fn ask(
    client: &Client,
    from: &v1::RequestContext,
    query: &Query,
    budget_tokens: u32,
) -> Result<Answers, BenchError> {
    let mut answers = Vec::with_capacity(THRESHOLDS.len());
    for threshold in thresholds() {
        let request = v1::RemindRequest {
            context: Some(from.clone()),
            occasion: Some(Occasion::Prompt(query.text.clone())),
            budget_tokens: Some(budget_tokens),
            place_confidence: threshold,
            memory_confidence: threshold,
            ..v1::RemindRequest::default()
        };
        answers.push(client.remind(request).await.map_err(|status| add_query_id(query, status))?);
    }
    Ok(answers)
}

/// Measures which memories the hook shows with a threshold, the one at that place of the list.
fn memory_row(place: usize, threshold: f64, found: &[FoundMemories]) -> MemoryRow {
    let mut row = MemoryRow { threshold, ..MemoryRow::default() };
    for FoundMemories { relevant, answers } in found {
        // Memories come before places, which take nothing of their budget.
        let shown: Vec<&str> =
            answers[place].reminders.iter().map(|it| it.memory_id.as_str()).filter(|id| !id.is_empty()).collect();
        let right = shown.iter().filter(|id| relevant.as_deref() == Some(**id)).count();
        row.shown += shown.len();
        row.relevant += right;
        row.helped += usize::from(right > 0);
        row.alarms += usize::from(relevant.is_none() && !shown.is_empty());
    }
    row
}

/// Measures what the hook shows with a threshold, the one at that place of the list.
fn row(place: usize, threshold: f64, found: &[Found]) -> ThresholdRow {
    let mut row = ThresholdRow { threshold, ..ThresholdRow::default() };
    for Found { prompt: _, relevant, answers } in found {
        let v1::RemindResponse { heading, reminders, footing, warnings: _ } = &answers[place];
        let right = reminders.iter().filter(|reminder| relevant.contains(&reminder.path)).count();
        let texts: String = reminders.iter().map(|reminder| reminder.text.as_str()).collect();
        let tokens = count(&format!("{heading}{texts}{footing}"));
        row.shown += reminders.len();
        row.relevant += right;
        row.answered += usize::from(!reminders.is_empty());
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

    fn found(prompt: &str, relevant: &[&str], shown: &[&[&str]]) -> Found {
        let reminder = |path: &&str| v1::Reminder {
            path: (*path).to_owned(),
            text: format!("- {path}\n"),
            ..v1::Reminder::default()
        };
        let answer = |paths: &&[&str]| v1::RemindResponse {
            reminders: paths.iter().map(reminder).collect(),
            ..v1::RemindResponse::default()
        };
        let relevant = relevant.iter().map(|&path| path.to_owned()).collect();
        Found { prompt: prompt.to_owned(), relevant, answers: shown.iter().map(answer).collect() }
    }

    #[test]
    fn a_threshold_trades_misses_for_precision() {
        let found = [
            found("open the store", &["src/store.rs"], &[&["src/store.rs", "src/other.rs"], &["src/store.rs"], &[]]),
            found("close it", &["src/a.rs", "tests/a.rs"], &[&["src/b.rs", "tests/a.rs"], &["src/b.rs"], &[]]),
        ];
        let check = |place: usize, expected: (usize, usize, usize, usize)| {
            let row = row(place, 0.5, &found);
            assert_eq!((row.shown, row.relevant, row.answered, row.helped), expected, "{place}");
            assert!(row.most_tokens <= 600 && row.tokens <= 1_200);
        };
        check(0, (4, 2, 2, 2));
        check(1, (2, 1, 2, 1));
        check(2, (0, 0, 0, 0));
        let answer = |ids: &[&str]| v1::RemindResponse {
            reminders: ids
                .iter()
                .map(|id| v1::Reminder { memory_id: (*id).to_owned(), ..v1::Reminder::default() })
                .collect(),
            ..v1::RemindResponse::default()
        };
        // A place, which has no id, is not a memory.
        let memories = [
            FoundMemories {
                relevant: Some("L-1".to_owned()),
                answers: vec![answer(&["L-1", "L-2", ""]), answer(&["L-1"]), answer(&[])],
            },
            FoundMemories { relevant: None, answers: vec![answer(&["L-2"]), answer(&[]), answer(&[])] },
        ];
        let check = |place: usize, expected: (usize, usize, usize, usize)| {
            let row = memory_row(place, 0.5, &memories);
            assert_eq!((row.shown, row.relevant, row.helped, row.alarms), expected, "{place}");
        };
        check(0, (3, 1, 1, 1));
        check(1, (1, 1, 1, 0));
        check(2, (0, 0, 0, 0));
        assert!(names_a_file(&found[0]) && !names_a_file(&found[1]));
    }
}
