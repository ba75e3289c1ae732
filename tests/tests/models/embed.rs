//! A selected model: it embeds in the background, resumes after a kill, and is bypassed if it fails.

use std::fs;

use recall_testkit::wait_until;
use serde_json::{Value, json};

use super::case::{Case, path};
use super::network::{Behaviour, network};

/// The number of pages of a project whose embedding takes some time.
const PAGES: usize = 1200;

#[cfg(unix)]
fn kill(process: &Value) {
    let killed = std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
}

/// The share of the project's chunks that a model has embedded.
#[track_caller]
fn part(status: &Value, model: &str) -> f64 {
    status["stores"][0]["embedded"][model].as_f64().unwrap_or_default()
}

fn is_warned(answer: &Value) -> bool {
    let warnings = answer["warnings"].as_array().expect("a list");
    warnings.iter().any(|warning| warning["code"] == "EMBEDDINGS_UNUSABLE")
}

#[test]
fn the_selected_model_embeds_queries_and_its_provider_is_reported() {
    let variables = [("RECALL_SEARCH__MODEL", "none"), ("RECALL_DAEMON__LOG_LEVEL", "debug")];
    let case = Case::with_runtime(&variables);
    assert_eq!(case.search("store").0, None);
    let folder = case.model("tiny", &network(8, Behaviour::Plain), "{}");
    case.succeeds(&["models", "add", path(&folder)]);
    let used = case.json(&["models", "use", "embed", "tiny"]);
    assert_eq!((&used["model"]["name"], used["chunks_to_embed"].as_u64()), (&json!("tiny"), Some(1)), "{used}");
    wait_until("the model", || (case.search("store").0.as_deref() == Some("tiny")).then_some(()));
    let (_, answer) = case.search("store");
    assert_eq!((&answer["results"][0]["doc"]["path"], is_warned(&answer)), (&json!("docs/shop.md"), false), "{answer}");

    let status = case.json(&["status"]);
    let model = &status["models"][0];
    assert_eq!((&model["name"], &model["provider"], &model["loaded"]), (&json!("tiny"), &json!("cpu"), &json!(true)));
    assert_eq!((part(&status, "tiny"), &status["stores"][0]["model"]), (1.0, &json!("tiny")), "{status}");
    let said = case.succeeds(&["status"]);
    assert!(said.contains("model tiny (embed, on cpu)") && said.contains("tiny model, whole index"), "{said}");
    assert!(case.listed("tiny")["provider"] == "cpu");
    let log = || fs::read_to_string(case.sandbox.dirs().log_file()).expect("a log");
    wait_until("released memory", || log().contains("released the memory of its runs").then_some(()));
    let log = log();
    let loaded = log.lines().find(|line| line.contains("loaded a network")).unwrap_or_default();
    assert!(loaded.contains(r#""provider":"cpu""#), "{log}");

    // The next daemon uses it too.
    case.succeeds(&["daemon", "restart"]);
    wait_until("the model", || (case.search("store").0.as_deref() == Some("tiny")).then_some(()));
    case.succeeds(&["models", "use", "embed", "none"]);
    assert_eq!(case.search("store").0, None);
}

#[test]
#[cfg(unix)]
fn embedding_resumes_after_a_kill_of_the_daemon() {
    let case = Case::with_runtime(&[("RECALL_SEARCH__MODEL", "static")]);
    for number in 0..PAGES {
        let text = format!("# Page {number}\n\nWe open the garden and the store of page {number}.\n");
        case.project.write(&format!("docs/{number}.md"), text);
    }
    case.succeeds(&["add", "."]);
    let folder = case.model("slow", &network(8, Behaviour::Slow), "{}");
    case.succeeds(&["models", "add", path(&folder)]);
    case.succeeds(&["models", "use", "embed", "slow"]);
    let begun = wait_until("a part of the embeddings", || {
        let status = case.json(&["status"]);
        (part(&status, "slow") > 0.0).then_some(status)
    });
    assert!(part(&begun, "slow") < 1.0, "it is too fast for this test");
    assert_eq!(begun["stores"][0]["model"], "slow", "it votes with the part that it has");
    // The model answers the question in time, or the built-in one does.
    assert!(matches!(case.search("garden").0.as_deref(), Some("slow" | "static")));
    let said = case.succeeds(&["status"]);
    assert!(said.contains("slow model, ") && said.contains("static model, whole index"), "{said}");
    let before = part(&case.json(&["status"]), "slow");
    kill(&begun["daemon"]["pid"]);

    let after = case.json(&["status"]);
    assert_ne!(after["daemon"]["pid"], begun["daemon"]["pid"]);
    assert!(part(&after, "slow") >= before, "{before} {after}");
    wait_until("the rest of the embeddings", || (part(&case.json(&["status"]), "slow") >= 1.0).then_some(()));
    wait_until("the model", || (case.search("garden").0.as_deref() == Some("slow")).then_some(()));
}

#[test]
fn a_model_that_fails_is_bypassed() {
    for (built_in, expected) in [("static", Some("static")), ("none", None)] {
        let case = Case::with_runtime(&[("RECALL_SEARCH__MODEL", built_in)]);
        let folder = case.model("tiny", &network(8, Behaviour::Plain), "{}");
        case.succeeds(&["models", "add", path(&folder)]);
        case.succeeds(&["models", "use", "embed", "tiny"]);
        wait_until("the model", || (case.search("store").0.as_deref() == Some("tiny")).then_some(()));

        // The file of the network is replaced before the next load.
        let installed = case.sandbox.dirs().models().join("tiny/model.onnx");
        fs::write(&installed, network(8, Behaviour::NotANumber)).expect("writable");
        case.succeeds(&["daemon", "restart"]);
        let (model, answer) = case.search("store");
        assert_eq!((model.as_deref(), &answer["results"][0]["doc"]["path"]), (expected, &json!("docs/shop.md")));
        assert!(is_warned(&answer), "{answer}");
        let listed = case.listed("tiny");
        assert!(listed["problem"].as_str().is_some_and(|problem| problem.contains("has changed")), "{listed}");
        assert!(case.succeeds(&["models", "list"]).contains("cannot be used"));

        // The library is deleted.
        fs::remove_dir_all(case.sandbox.dirs().runtimes()).expect("it is there");
        case.succeeds(&["daemon", "restart"]);
        let (model, answer) = case.search("store");
        assert_eq!((model.as_deref(), is_warned(&answer)), (expected, true), "{answer}");
        let status = case.recall(&["status"]);
        assert!(status.stdout.contains("no ONNX runtime is configured"), "{status:?}");
    }
}
