//! Measuring of search quality with the real programs: datasets, run files, floors and queries from a git history.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use recall_testkit::{Outcome, Project, Running, Sandbox};
use serde::Deserialize;
use serde_json::Value;

const MANIFEST: &str = "name = \"tiny\"\ndescription = \"Payments, in two files.\"\nlicence = \"MIT\"\n";

const WEBHOOKS: &str = "# Webhooks\n\nA delivery that failed is tried again with growing pauses.\n";

const REFUNDS: &str = "# Refunds\n\nMoney goes back to the card that paid.\n";

/// Two queries that the first hit answers, and one whose answer is not found.
const QUERIES: &str = r#"{"id":"q1","text":"failed webhook delivery","category":"semantic","relevant":[{"path":"webhooks.md"}]}
{"id":"q2","text":"refunds to the card","category":"semantic","language":"markdown","relevant":[{"path":"refunds.md","start_line":1,"end_line":3}]}
{"id":"q3","text":"growing pauses","category":"keyword","relevant":[{"path":"refunds.md"}]}
"#;

fn dataset(sandbox: &Sandbox, queries: &str) -> Project {
    let files = [
        ("dataset.toml", MANIFEST),
        ("queries.jsonl", queries),
        ("corpus/webhooks.md", WEBHOOKS),
        ("corpus/refunds.md", REFUNDS),
    ];
    sandbox.project("dataset", &files)
}

/// A mirror of a report's schema that rejects unknown fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are there to be known")]
struct Report {
    ok: bool,
    schema_version: String,
    dataset: String,
    queries: usize,
    corpora: usize,
    mean_of_corpora: BTreeMap<String, f64>,
    mean_of_queries: BTreeMap<String, f64>,
    groups: Vec<Value>,
    ablation: Vec<Ablation>,
    changes: Vec<Value>,
    floors: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are there to be known")]
struct Ablation {
    stage: String,
    metric: String,
    without: f64,
    with: f64,
    difference: f64,
    interval: [f64; 2],
    better: usize,
    worse: usize,
    same: usize,
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

#[track_caller]
fn check(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn a_dataset_is_evaluated() {
    let sandbox = recall_tests::sandbox!();
    let dataset = dataset(&sandbox, QUERIES);
    let outcome = sandbox.recall(&dataset, &["eval", "run", "--dataset", ".", "--out", "run.jsonl", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report = json(&outcome);
    assert_eq!((&report["ok"], &report["dataset"], &report["queries"]), (&true.into(), &"tiny".into(), &3.into()));
    check(&report["mean_of_queries"]["ndcg@10"], 2.0 / 3.0);
    check(&report["mean_of_corpora"]["hit@1"], 2.0 / 3.0);
    let groups = report["groups"].as_array().expect("a list");
    let said: Vec<_> = groups
        .iter()
        .map(|group| format!("{} {} {} {:.1}", group["by"], group["name"], group["queries"], group["mean"]["mrr@10"]))
        .collect();
    let expected = [
        r#""category" "keyword" 1 0.0"#,
        r#""category" "semantic" 2 1.0"#,
        r#""language" "markdown" 1 1.0"#,
        r#""corpus" "corpus" 3 0.6666666666666666"#,
    ];
    assert_eq!(said, expected);

    let run = fs::read_to_string(dataset.path("run.jsonl")).expect("written");
    assert!(run.starts_with(r#"{"qid":"q1","results":[{"path":"webhooks.md","start":1,"end":3}"#), "{run}");
    assert_eq!(run.lines().count(), 3);

    let outcome = sandbox.recall(&dataset, &["eval", "run", "--dataset", ".", "--compare", "run.jsonl"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for expected in ["tiny", "category", "semantic", "What has changed", "ndcg@10", "+0.000 … +0.000"] {
        assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
}

#[test]
fn the_figures_over_mcp_are_those_of_the_daemon() {
    let sandbox = recall_tests::sandbox!();
    let dataset = dataset(&sandbox, QUERIES);
    let run = |more: &[&str]| {
        let outcome = sandbox.recall(&dataset, &[&["eval", "run", "--dataset", ".", "--json"], more].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        json(&outcome)
    };
    let by_daemon = run(&["--out", "daemon.jsonl"]);
    let over_mcp = run(&["--over", "mcp", "--out", "mcp.jsonl"]);
    assert_eq!(over_mcp["mean_of_queries"], by_daemon["mean_of_queries"]);
    let answers = |file: &str| fs::read_to_string(dataset.path(file)).expect("written");
    assert_eq!(answers("mcp.jsonl"), answers("daemon.jsonl"));
}

#[test]
fn without_a_dataset_the_built_in_collection_is_measured_in_a_home_of_its_own() {
    let sandbox = recall_tests::sandbox!();
    let project = sandbox.project("elsewhere", &[("a.md", "# A\n\nText.\n")]);
    let outcome = sandbox.recall(&project, &["eval", "run", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report = json(&outcome);
    assert_eq!(report["dataset"], "payments");
    assert!(report["mean_of_queries"]["ndcg@10"].as_f64().is_some_and(|mean| mean > 0.5), "{report}");
    let over_mcp = sandbox.recall(&project, &["eval", "run", "--over", "mcp", "--json"]);
    assert_eq!(json(&over_mcp)["mean_of_queries"], report["mean_of_queries"], "{over_mcp:?}");
    let indexes = sandbox.recall(&project, &["status", "--stores", "--json"]).stdout;
    assert!(!indexes.contains("recall-bench-"), "{indexes}");
}

#[test]
fn an_ablation_leaves_out_each_stage_in_turn() {
    // Neither a name nor a path matches the answer; an embedding would.
    let sandbox = recall_tests::sandbox!().with_variable("RECALL_SEARCH__MODEL", "none");
    let query = r#"{"id":"q","text":"the card that paid","category":"semantic","relevant":[{"path":"refunds.md"}]}"#;
    let dataset = dataset(&sandbox, query);
    let outcome = sandbox.recall(&dataset, &["eval", "run", "--dataset", ".", "--ablate", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report: Report = serde_json::from_str(&outcome.stdout).expect("the schema");
    let worth: Vec<_> = report.ablation.iter().map(|row| (row.stage.as_str(), row.difference)).collect();
    // Without a model and a cross-encoder their contribution is unknown.
    let others = ["symbol", "path", "rare_words", "file_kind", "structure", "ranker", "collapse"];
    let expected: Vec<_> = std::iter::once(("lexical", 1.0)).chain(others.map(|stage| (stage, 0.0))).collect();
    assert_eq!(worth, expected);
    assert_eq!((report.ablation[0].better, report.ablation[1].same), (1, 1));
}

#[test]
fn two_evaluations_of_a_dataset_have_the_same_figures() {
    let sandbox = recall_tests::sandbox!();
    let dataset = dataset(&sandbox, QUERIES);
    let ask = || {
        let outcome = sandbox.recall(&dataset, &["eval", "run", "--dataset", ".", "--ablate", "--json"]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        outcome.stdout
    };
    let first = ask();
    assert_eq!(ask(), first);
    assert_eq!(sandbox.recall(&dataset, &["daemon", "restart"]).code, Some(0));
    assert_eq!(ask(), first, "after a restart");
}

#[test]
fn a_mean_below_its_floor_fails_with_a_code_of_its_own() {
    let sandbox = recall_tests::sandbox!();
    let dataset = dataset(&sandbox, QUERIES);
    let with_floor = |floor, more: &[&str]| {
        let arguments = [&["eval", "run", "--dataset", ".", "--floor", floor], more].concat();
        sandbox.recall(&dataset, &arguments)
    };
    assert_eq!(with_floor("ndcg@10=0.66", &[]).code, Some(0));
    let outcome = with_floor("p@1=0.67", &[]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stderr.contains("error: p@1 is 0.6667; the floor is 0.6700"), "{}", outcome.stderr);
    let outcome = with_floor("p@1=0.67", &["--json"]);
    assert_eq!((outcome.code, &json(&outcome)["floors"][0]["holds"]), (Some(4), &false.into()));
    let outcome = with_floor("quality=1", &[]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
}

#[test]
fn mistakes_are_reported_before_any_query_runs() {
    let sandbox = recall_tests::sandbox!();
    let planted = dataset(&sandbox, &QUERIES.replace(r#"[{"path":"refunds.md"}]"#, r#"[{"path":"refund.md"}]"#));
    let outcome = sandbox.recall(&planted, &["eval", "run", "--dataset", "."]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("queries.jsonl:3: query `q3`: the relevant file `refund.md`"),
        "{}",
        outcome.stderr
    );
    let outcome = sandbox.recall(&planted, &["eval", "run", "--dataset", "elsewhere"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("hint: a dataset is a folder with"), "{}", outcome.stderr);
    assert!(!sandbox.is_listening(), "no daemon was needed");
}

#[test]
fn a_run_of_another_dataset_is_refused() {
    let sandbox = recall_tests::sandbox!();
    let dataset = dataset(&sandbox, QUERIES);
    dataset.write("other.jsonl", r#"{"qid":"x","results":[]}"#);
    let outcome = sandbox.recall(&dataset, &["eval", "run", "--dataset", ".", "--compare", "other.jsonl"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("answers the query `x`"), "{}", outcome.stderr);
}

/// A sandbox in which git is found, and a repository with a history of four commits.
fn with_history() -> (Sandbox, Project) {
    let path = std::env::var("PATH").expect("there are programs");
    let sandbox = recall_tests::sandbox!().with_variable("PATH", &path);
    let project = sandbox.project("payments", &[]);
    git(&sandbox, project.root(), &["init", "--quiet", "--initial-branch=main"]);
    let commit = |message: &str, files: &[(&str, &str)]| {
        for (path, text) in files {
            project.write(path, text);
        }
        git(&sandbox, project.root(), &["add", "--all"]);
        git(&sandbox, project.root(), &["commit", "--quiet", "-m", message]);
    };
    let webhooks = "fn deliver_webhook(payload: &str) { post(payload); }\n";
    let refunds = "fn refund_payment(card: &str) { send_back(card); }\n";
    commit("Begin", &[("src/webhooks.rs", webhooks), ("src/refunds.rs", refunds), ("README.md", "# Payments\n")]);
    commit(
        "feat: retry webhook delivery after failures (#4)",
        &[("src/webhooks.rs", "fn deliver_webhook(payload: &str) { retry(|| post(payload)); }\n")],
    );
    commit("Bump version", &[("Cargo.toml", "version = 2\n")]);
    commit(
        "Refund payment to another card",
        &[("src/refunds.rs", "fn refund_payment(card: &str, other: &str) { send_back(other); }\n")],
    );
    (sandbox, project)
}

fn git(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) {
    let mut git = sandbox.command(Path::new("git"), folder);
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.org");
    }
    git.env("GIT_CONFIG_NOSYSTEM", "1").args(arguments);
    let outcome = Running::to_end(git);
    assert_eq!(outcome.code, Some(0), "git {arguments:?}: {outcome:?}");
}

#[test]
fn a_history_is_mined_and_evaluated_at_the_parent_commits() {
    let (sandbox, project) = with_history();
    let outcome = sandbox.recall(&project, &["bench", "--mine", "--out", "../mined", "--ablate", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report = json(&outcome);
    assert_eq!((&report["dataset"], &report["queries"]), (&"payments".into(), &2.into()));
    check(&report["mean_of_queries"]["ndcg@10"], 1.0);
    check(&report["ablation"][0]["with"], 1.0);
    assert_eq!(sandbox.processes(), [0; 0], "the daemon of its own has ended");
    assert!(!sandbox.dirs().data.join("stores").exists(), "the user's indexes are not touched");

    let queries = fs::read_to_string(sandbox.path().join("src/mined/queries.jsonl")).expect("written");
    let texts: Vec<_> = queries
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["text"].as_str().map(ToOwned::to_owned))
        .collect();
    let expected = ["Refund payment to another card", "retry webhook delivery after failures"];
    assert_eq!(texts, expected.map(|text| Some(text.to_owned())));

    let outcome = sandbox.recall(&project, &["eval", "run", "--dataset", "../mined", "--floor", "hit@1=1"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

#[test]
fn a_folder_without_history_is_an_error() {
    let path = std::env::var("PATH").expect("there are programs");
    let sandbox = recall_tests::sandbox!().with_variable("PATH", &path);
    let project = sandbox.project("plain", &[("a.rs", "fn a() {}\n")]);
    let outcome = sandbox.recall(&project, &["bench", "--mine"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("is not in a git repository"), "{}", outcome.stderr);
    git(&sandbox, project.root(), &["init", "--quiet"]);
    let outcome = sandbox.recall(&project, &["bench", "--mine", "."]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stderr.contains("has no commit"), "{}", outcome.stderr);
    let outcome = sandbox.recall(&project, &["bench"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
}
