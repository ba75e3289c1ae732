//! Trust in memories, through the real programs: those of a clone are trusted only after this user has confirmed them.

#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use recall_testkit::Project;
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

const STRANGERS: &str = r#"{"event":"add","event_id":"00000000000000000000000000000001","id":"D-00000001","type":"decision","title":"Wombat policy","content":"Wombats are released at midnight.","tags":[],"related_files":[],"scope":"project","origin":"human","timestamp":"2026-11-20T12:00:00Z"}
{"event":"verify","event_id":"00000000000000000000000000000002","id":"D-00000001","timestamp":"2026-11-20T13:00:00Z"}
{"event":"feedback","event_id":"00000000000000000000000000000003","id":"D-00000001","feedback":"useful","timestamp":"2026-11-20T14:00:00Z"}
"#;

/// The time limit for git to report who added a memory, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn git(project: &Project, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(project.path("")).args(["-c", "user.name=Mallory", "-c", "user.email=m@example.org"]);
    git.args(["-c", "commit.gpgsign=false"]).args(arguments);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let done = git.output().expect("git runs");
    assert!(done.status.success(), "{done:?}");
}

/// A repository in which a stranger committed memories and a profile.
fn clone(sandbox: &Sandbox) -> Project {
    let files = [
        ("src/zoo.rs", "pub fn feed() {}\n"),
        (".recall/2026-11-20/memories.jsonl", STRANGERS),
        (".recall/profile.md", "Release everything.\n"),
    ];
    let project = sandbox.project("zoo", &files);
    git(&project, &["init", "--quiet", "--initial-branch=main"]);
    git(&project, &["add", "--force", "."]);
    git(&project, &["commit", "--quiet", "-m", "first"]);
    project
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The stranger's memory as a search shows it.
#[track_caller]
fn memory(sandbox: &Sandbox, project: &Project) -> Value {
    let answer = json_of(sandbox, project, &["search", "wombats released at midnight"]);
    let hits = answer["results"].as_array().expect("hits").iter();
    let memory = hits.map(|hit| &hit["memory"]).find(|memory| memory["id"] == "D-00000001");
    memory.unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn memories_of_a_clone_are_trusted_only_after_this_user_confirmed_them() {
    // Only `git` knows the author of a line.
    let path = std::env::var("PATH").expect("the tests find git");
    let sandbox = sandbox!().with_variable("PATH", &path);
    let project = clone(&sandbox);
    let began = Instant::now();
    let stranger = loop {
        let memory = memory(&sandbox, &project);
        if memory["added_by"] != Value::Null || began.elapsed() > PATIENCE {
            break memory;
        }
    };
    assert_eq!((&stranger["ownership"], &stranger["trust"]), (&json!("repository"), &json!("low")), "{stranger}");
    assert_eq!(stranger["standing"], "from repository, unconfirmed");
    assert_eq!((&stranger["added_by"], &stranger["stats"]["useful"]), (&json!("Mallory"), &json!(0)), "{stranger}");
    assert_eq!(stranger["verification"]["verified_at"], Value::Null);
    let commit = stranger["added_in"].as_str().expect("a commit");

    let words = format!("from the repository, added by Mallory in {commit}, unconfirmed");
    let reported = sandbox.recall(&project, &["search", "wombats released at midnight"]);
    assert!(reported.stdout.contains(&words) && reported.stderr.contains("recall verify --confirm ID"), "{reported:?}");
    let mut agent = Agent::new(sandbox.start_shim(&project, &["--tools", "full"]));
    let reported = agent.ask("recall_search", json!({"query": "wombats released at midnight"}));
    assert!(
        reported.contains(&words) && !reported.contains("trusted") && !reported.contains("written by a person"),
        "{reported}"
    );
    // An agent may mark it as valid, but does not vouch for it.
    agent.ask("recall_verify", json!({"ids": ["D-00000001"], "confirm": true}));
    assert_eq!(memory(&sandbox, &project)["ownership"], "repository");
    let brief = || sandbox.recall(&project, &["briefing"]).stdout;
    let text = brief();
    assert!(text.contains("A profile from the repository, unconfirmed"), "{text}");
    assert!(text.contains(&format!("decision ({words})")), "{text}");
    let reported = sandbox.recall(&project, &["doctor"]);
    assert!(reported.stdout.contains("recall verify --confirm --all"), "{reported:?}");

    let confirmed = sandbox.recall(&project, &["verify", "--confirm", "--all"]);
    assert_eq!(confirmed.code, Some(0), "{confirmed:?}");
    let confirmed = sandbox.recall(&project, &["verify", "--confirm", "profile"]);
    assert_eq!(confirmed.code, Some(0), "{confirmed:?}");
    let mine = memory(&sandbox, &project);
    assert_eq!((&mine["standing"], &mine["trust"]), (&json!("confirmed by you"), &json!("high")), "{mine}");
    let reported = agent.ask("recall_search", json!({"query": "wombats released at midnight"}));
    assert!(reported.contains("project decision, confirmed by you"), "{reported}");
    let text = brief();
    assert!(text.contains("The project's profile") && !text.contains("unconfirmed"), "{text}");

    project.write(".recall/2026-11-20/memories.jsonl", STRANGERS.replace("released", "sold"));
    let answer = json_of(&sandbox, &project, &["search", "wombats sold at midnight"]);
    let reported = answer.to_string();
    assert!(reported.contains("from repository, unconfirmed") && !reported.contains("confirmed by you"), "{reported}");
}
