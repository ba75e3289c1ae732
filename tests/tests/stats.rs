//! `recall stats`: counts of stores, and the estimate of what answers saved.

use recall_testkit::{Project, Sandbox};
use recall_tests::sandbox;
use serde_json::Value;

fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let answer = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn burrows(sandbox: &Sandbox) -> Project {
    let project = sandbox.project("p", &[("docs/digging.md", "# Digging\n\nWombats dig at night.\n")]);
    let functions =
        (0..200).map(|at| format!("pub fn burrow_{at}() -> usize {{\n    let depth = {at};\n    depth\n}}\n\n"));
    project.write("src/burrows.rs", functions.collect::<String>());
    project
}

#[test]
fn the_contents_of_stores_are_counted() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    assert_eq!(sandbox.recall(&project, &["remember", "Wombats dig at night."]).code, Some(0));
    let stats = json(&sandbox, &project, &["stats"]);
    let store = &stats["stores"][0];
    assert_eq!((&store["scope"], &store["memories"], &store["documents"]), (&"project".into(), &1.into(), &3.into()));
    assert_eq!((&store["types"]["code"], &store["languages"]["rust"]), (&1.into(), &1.into()));
    assert!(store["symbols"].as_u64().is_some_and(|symbols| symbols >= 200), "{store}");
    assert!(stats.get("savings").is_none());
    let answer = sandbox.recall(&project, &["stats", "--savings"]);
    assert!(answer.stdout.contains("no answers are recorded"), "{}", answer.stdout);
}

#[test]
fn the_tokens_of_recorded_answers_are_set_beside_those_of_their_files() {
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7");
    let project = burrows(&sandbox);
    for query in ["burrow_7", "burrow_42", "wombats dig at night"] {
        assert_eq!(sandbox.recall(&project, &["search", query, "-k", "1"]).code, Some(0), "{query}");
    }
    let savings = |sandbox: &Sandbox| json(sandbox, &project, &["stats", "--savings"])["savings"].clone();
    let saved = savings(&sandbox);
    assert_eq!((&saved["is_estimate"], &saved["sessions"]), (&true.into(), &1.into()), "{saved}");
    assert_eq!((&saved["answers"], &saved["hits"], &saved["files"]), (&3.into(), &3.into(), &3.into()), "{saved}");
    let number = |name: &str| saved[name].as_i64().expect("a number");
    assert!(number("answer_tokens") > 0 && number("file_tokens") > 2 * number("answer_tokens"), "{saved}");
    assert_eq!(number("saved_tokens"), number("file_tokens") - number("answer_tokens"));
    assert!(saved["method"].as_str().is_some_and(|method| method.contains("might have read fewer files")));
    // A file that is gone counts on neither side.
    project.remove("src/burrows.rs");
    let after = savings(&sandbox);
    assert_eq!(
        (&after["answers"], &after["unknown_hits"], &after["files"]),
        (&3.into(), &2.into(), &1.into()),
        "{after}"
    );
}

#[test]
fn the_days_of_a_project_are_drawn_as_one_page() {
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7");
    let project = burrows(&sandbox);
    assert_eq!(sandbox.recall(&project, &["remember", "Wombats dig at night."]).code, Some(0));
    for query in ["burrow_7", "burrow_42"] {
        assert_eq!(sandbox.recall(&project, &["search", query, "-k", "1"]).code, Some(0), "{query}");
    }
    let page = sandbox.recall(&project, &["stats", "--html"]).stdout;
    for part in [
        "<!DOCTYPE html>",
        "<svg",
        "<p>2 searches</p>",
        "of 2 answers</p>",
        "1 memory, 1 of them new",
        "Method: the tokens",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<script"), "{page}");
    let activity = &json(&sandbox, &project, &["stats", "--html"])["activity"];
    let days = activity["days"].as_array().expect("days");
    let total = |name: &str| days.iter().filter_map(|day| day[name].as_u64()).sum::<u64>();
    assert_eq!((total("searches"), total("answers"), total("memories")), (2, 2, 1), "{activity}");
    assert_eq!(activity["memories_unanchored"], 1, "{activity}");
}
