//! Domains, named stores shared by several projects, through the real programs.

#![cfg(unix)]

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

#[test]
fn a_project_lists_a_domain_and_sees_what_is_kept_there() {
    let sandbox = sandbox!();
    let team = sandbox.project("team", &[("jitter.md", "# Retry with jitter\n\nWait a random time.\n")]);
    let configuration = sandbox.dirs().user_config();
    std::fs::create_dir_all(configuration.parent().expect("below the home")).expect("made");
    std::fs::write(&configuration, format!("roots.domains = {{ team = {:?} }}\n", team.root())).expect("written");
    let listing = "search.domains = [\"team\", \"nobody\"]\n";
    let shop =
        sandbox.project("shop", &[("a.md", "# Retry budget\n\nThree tries.\n"), (".recall/recall.toml", listing)]);
    let other = sandbox.project("other", &[("b.md", "# Retry elsewhere\n\nOnce.\n")]);

    let found = |project: &Project, arguments: &[&str]| {
        let answer = json_of(&sandbox, project, &[&["search", "retry"], arguments].concat());
        let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        let mut paths: Vec<String> =
            hits.iter().filter_map(|hit| hit["doc"]["path"].as_str().map(str::to_owned)).collect();
        paths.sort();
        paths
    };
    assert_eq!(found(&shop, &[]), ["a.md", "jitter.md"]);
    assert_eq!(found(&shop, &["--scope", "domain"]), ["jitter.md"]);
    assert_eq!(found(&other, &[]), ["b.md"]);
    let warned = sandbox.recall(&shop, &["search", "retry"]).stderr;
    assert!(warned.contains("`search.domains` names `nobody`"), "{warned}");

    let refused = sandbox.recall(&shop, &["search", "retry", "--scope", "domain", "--domain", "ops"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("the project sees no domain `ops`") && refused.stderr.contains("search.domains"),
        "{refused:?}"
    );
    let none = sandbox.recall(&other, &["search", "retry", "--scope", "domain"]);
    assert_eq!(none.code, Some(2), "{none:?}");

    let id = json_of(&sandbox, &shop, &["remember", "Budgets are per caller.", "--file", "a.md"])["id"].clone();
    let id = id.as_str().expect("an id");
    let promoted = json_of(&sandbox, &shop, &["promote", id, "--domain", "team"]);
    assert_eq!((&promoted["id"], &promoted["scope"]), (&json!(id), &json!("domain")), "{promoted}");
    let hit = &json_of(&sandbox, &shop, &["search", "budgets per caller", "--scope", "domain"])["results"][0];
    assert_eq!((&hit["doc"]["id"], &hit["doc"]["scope"]), (&json!(id), &json!("domain")), "{hit}");
    assert!(team.path(".recall").is_dir(), "it is kept with the team");
    assert_eq!(sandbox.recall(&other, &["get", id]).code, Some(1));
}
