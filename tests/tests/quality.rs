//! Search quality on a collection judged by people.
//!
//! The real programs over `tests/collections/payments`, whose README describes how it was judged. The floors guard
//! against accidental regressions; whether a change is an improvement is decided on larger collections.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use recall_testkit::{Outcome, Running, Sandbox};
use serde_json::Value;

/// The floors of nDCG@10, over all queries and per category: .03 below the value measured when it was set, rounded down to
/// a hundredth. A category has 11 to 28 queries, so a query that loses its answer costs .04 to .09: hits may change places,
/// but no query may lose its answer unless others gain theirs. Queries that share no words with their answers are hardly
/// answered without a model, hence the low floor of `semantic`.
const FLOORS: &[(&str, f64)] = &[
    (ALL, 0.67),
    ("decision", 0.73),
    ("hybrid", 0.80),
    ("keyword", 0.84),
    ("path", 0.89),
    ("semantic", 0.18),
    ("symbol", 0.84),
];

/// Not a category: all queries together.
const ALL: &str = "all";

#[test]
fn no_category_is_answered_worse_than_its_floor() {
    let sandbox = recall_tests::sandbox!();
    let dataset = collection();
    let outcome = recall(&sandbox, &["eval", "run", "--dataset", &dataset.to_string_lossy(), "--json"]);
    let report = json(&outcome);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let measured = measured(&report);
    assert_eq!(below(FLOORS, &measured), [""; 0], "{measured:?}");
}

/// The floor of the area under the ROC curve: the share of pairs of an answered and an absent query in which the answered one
/// has the higher confidence. It is .02 below the value measured when it was set, rounded down to a hundredth.
const LEAST_SEPARATION: f64 = 0.93;

/// The least share of absent queries whose response is marked as doubtful, and the largest share of answered ones.
const DOUBTED: (f64, f64) = (0.85, 0.18);

#[test]
fn irrelevant_results_are_recognized() {
    let sandbox = recall_tests::sandbox!();
    let ask = |file: &str| -> Vec<(f64, bool)> {
        let lines = std::fs::read_to_string(collection().join(file)).expect("a file of the collection");
        lines.lines().filter_map(|line| confidence(&sandbox, &text(&query(line)["text"]))).collect()
    };
    let (answered, absent) = (ask("queries.jsonl"), ask("absent.jsonl"));
    assert!(answered.len() > 110 && absent.len() > 35, "{} and {}", answered.len(), absent.len());
    let doubted = |answers: &[(f64, bool)]| {
        answers.iter().filter(|(_, is_doubtful)| *is_doubtful).count() as f64 / answers.len() as f64
    };
    let measured = (separation(&answered, &absent), doubted(&absent), doubted(&answered));
    assert!(measured.0 >= LEAST_SEPARATION, "{measured:?}");
    assert!(measured.1 >= DOUBTED.0 && measured.2 <= DOUBTED.1, "{measured:?}");
}

/// The confidence of the response to a query, and whether it is marked as doubtful. The confidence is 0 without a hit, and
/// `None` for a path, which no ranker scores.
fn confidence(sandbox: &Sandbox, query: &str) -> Option<(f64, bool)> {
    let corpus = collection().join("corpus");
    let outcome = recall(sandbox, &["--project", &corpus.to_string_lossy(), "search", "--json", "--", query]);
    let answer = json(&outcome);
    let is_doubtful = answer["low_confidence"].as_bool().unwrap_or_else(|| panic!("{outcome:?}"));
    let is_empty = answer["results"].as_array().is_some_and(Vec::is_empty);
    match answer["confidence"].as_f64() {
        Some(confidence) => Some((confidence, is_doubtful)),
        None => is_empty.then_some((0.0, true)),
    }
}

fn separation(answered: &[(f64, bool)], absent: &[(f64, bool)]) -> f64 {
    let pairs = answered.iter().flat_map(|(more, _)| absent.iter().map(move |(less, _)| more.total_cmp(less)));
    let worth = |order| match order {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    pairs.map(worth).sum::<f64>() / (answered.len() * absent.len()) as f64
}

fn query(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn metrics_below_or_without_a_floor_are_reported() {
    let measured = [("a", 0.5), ("b", 0.5), ("c", 0.5)].map(|(name, ndcg)| (name.to_owned(), ndcg));
    let expected = ["nDCG@10 of b is 0.5000; its floor is 0.51", "c has no floor", "d was not measured"];
    assert_eq!(below(&[("a", 0.5), ("b", 0.51), ("d", 0.1)], &measured), expected);
}

/// The nDCG@10 of all queries and of each category, by name.
fn measured(report: &Value) -> Vec<(String, f64)> {
    let ndcg = |means: &Value| means["ndcg@10"].as_f64().unwrap_or_else(|| panic!("{means} has no nDCG@10"));
    let groups = report["groups"].as_array().expect("a list").iter().filter(|group| group["by"] == "category");
    let by_category = groups.map(|group| (text(&group["name"]), ndcg(&group["mean"])));
    std::iter::once((ALL.to_owned(), ndcg(&report["mean_of_queries"]))).chain(by_category).collect()
}

/// Returns the metrics that are below their floor, have none, or were not measured.
fn below(floors: &[(&str, f64)], measured: &[(String, f64)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, ndcg) in measured {
        match floors.iter().find(|(known, _)| known == name) {
            Some((_, floor)) if ndcg >= floor => {}
            Some((_, floor)) => complaints.push(format!("nDCG@10 of {name} is {ndcg:.4}; its floor is {floor:.2}")),
            None => complaints.push(format!("{name} has no floor")),
        }
    }
    let is_missing = |name: &&str| !measured.iter().any(|(known, _)| known == name);
    let missing = floors.iter().map(|(name, _)| *name).filter(is_missing);
    complaints.extend(missing.map(|name| format!("{name} was not measured")));
    complaints
}

fn collection() -> PathBuf {
    recall_tests::workspace().join("tests/collections/payments")
}

fn recall(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = sandbox.command(&sandbox.binaries().recall, &recall_tests::workspace());
    command.args(arguments);
    Running::to_end(command)
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}
