//! Memories through the real programs: they survive a kill, merge by git, and are found from the journal alone.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_testkit::{Outcome, Project, Running};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::{Value, json};

const SOURCE: &str = "pub fn open_store(path: &str) -> Store {\n    Store::at(path)\n}\n\npub fn close_store() {}\n";

fn project(sandbox: &Sandbox) -> Project {
    sandbox.project("shop", &[("src/store.rs", SOURCE), ("docs/zoo.md", "# Zoo\n\nKeepers feed at noon.\n")])
}

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

#[track_caller]
fn remember(sandbox: &Sandbox, project: &Project, text: &str, more: &[&str]) -> String {
    let added = json_of(sandbox, project, &[&["remember", text], more].concat());
    assert!(added["status"] == "added" || added["status"] == "superseded", "{added}");
    added["id"].as_str().expect("an id").to_owned()
}

/// The ids of the memories among the hits.
#[track_caller]
fn found(sandbox: &Sandbox, project: &Project, query: &str) -> Vec<String> {
    let answer = json_of(sandbox, project, &["search", query]);
    let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let ids = hits.iter().filter(|hit| hit.get("memory").is_some()).filter_map(|hit| hit["doc"]["id"].as_str());
    ids.map(str::to_owned).collect()
}

fn daemon(sandbox: &Sandbox, project: &Project) -> u64 {
    json_of(sandbox, project, &["status"])["daemon"]["pid"].as_u64().expect("a process id")
}

fn kill(process: u64) {
    let killed = Command::new("kill").args(["-KILL", &process.to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
}

fn journal(project: &Project) -> PathBuf {
    let mut days = fs::read_dir(project.path(".recall")).expect("there").map(|entry| entry.expect("there").path());
    days.find_map(|day| Some(day.join("memories.jsonl")).filter(|file| file.is_file())).expect("a journal")
}

#[test]
fn what_is_stale_is_listed_with_the_reason() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    found(&sandbox, &project, "store");
    let id = remember(&sandbox, &project, "The store waits for wombats.", &["--file", "src/store.rs"]);
    remember(&sandbox, &project, "Keepers feed the wombats at noon.", &[]);
    assert_eq!(sandbox.recall(&project, &["list", "--stale"]).code, Some(1), "nothing is stale yet");
    project.write("src/store.rs", "pub fn other() {}\n");
    let listed = sandbox.recall(&project, &["list", "--stale"]);
    assert!(listed.stdout.contains(&id) && listed.stdout.contains("changed: src/store.rs"), "{listed:?}");
    assert!(listed.stdout.contains("STALE BECAUSE") && !listed.stdout.contains("Keepers"), "{listed:?}");
    let told = json_of(&sandbox, &project, &["list", "--stale"]);
    assert_eq!(told["results"][0]["stale_reasons"], json!(["changed: src/store.rs"]), "{told}");
    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    let told = agent.ask("recall_list", json!({"type": "lesson", "stale": true}));
    assert!(told.contains("Nothing that was asked for is stale"), "{told}");
    let told = agent.ask("recall_list", json!({"type": "all", "stale": true}));
    assert!(told.contains(&id) && told.contains("stale: changed: src/store.rs"), "{told}");
    let told = agent.ask("recall_list", json!({"type": "changes", "since": "1d"}));
    assert!(told.contains("## Decided or learnt") && told.contains(&id) && told.contains("Keepers"), "{told}");
    let age = sandbox.recall(&project, &["config", "set", "freshness.stale_after_days", "{ documentation = 1 }"]);
    assert_eq!(age.code, Some(0), "{age:?}");
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_hours(24 * 365 * 40);
    let file = fs::File::options().write(true).open(project.path("docs/zoo.md")).expect("there");
    file.set_modified(old).expect("set");
    let told = json_of(&sandbox, &project, &["list", "--stale", "--type", "documentation"]);
    let reason = told["results"][0]["stale_reasons"][0].to_string();
    assert!(
        reason.contains("neither changed nor confirmed for") && reason.contains("limit of its type is 1"),
        "{told}"
    );
}

#[test]
fn memories_that_contradict_each_other_are_shown_as_pairs_until_they_are_settled() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let npm = remember(&sandbox, &project, "Use npm to install the packages of the web app.", &[]);
    remember(&sandbox, &project, "Keepers feed the wombats at noon.", &[]);
    let added = json_of(&sandbox, &project, &["remember", "The web app is installed with pnpm, not with npm."]);
    let pnpm = added["id"].as_str().expect("an id").to_owned();
    assert_eq!(added["similar"][0]["relation"], "contradiction", "{added}");
    assert_eq!(added["warnings"][0]["code"], "MAY_CONTRADICT", "{added}");
    let listed = json_of(&sandbox, &project, &["list", "--contradicted"]);
    assert_eq!(listed["results"].as_array().map(Vec::len), Some(2), "{listed}");
    let got = json_of(&sandbox, &project, &["get", &npm]);
    assert_eq!(got["memory"]["contradicts"][0]["id"], json!(pnpm), "{got}");
    let found = sandbox.recall(&project, &["search", "npm web app"]);
    assert!(found.stdout.contains(&format!("may contradict {npm}")), "{found:?}");
    let both = sandbox.recall(&project, &["settle", &npm, &pnpm, "--both", "in the old repository only"]);
    assert_eq!(both.code, Some(0), "{both:?}");
    assert_eq!(sandbox.recall(&project, &["list", "--contradicted"]).code, Some(1), "both hold");
    let kept = json_of(&sandbox, &project, &["get", &npm]);
    assert!(kept["memory"]["content"].to_string().contains(&format!("holds next to {pnpm}: in the old")), "{kept}");
    let settled = sandbox.recall(&project, &["settle", &pnpm, &npm]);
    assert_eq!(settled.code, Some(0), "{settled:?}");
    assert_ne!(sandbox.recall(&project, &["get", &npm]).code, Some(0), "it is deleted");
}

#[test]
fn acknowledged_memories_survive_a_kill_and_the_loss_of_the_index() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    found(&sandbox, &project, "wombats");
    let mut ids = Vec::new();
    for n in 0..5 {
        let text = format!("Wombats of house {n} dig {n}{n} burrows in week {n}.");
        ids.push(remember(&sandbox, &project, &text, &["--force"]));
        kill(daemon(&sandbox, &project));
    }
    ids.sort();
    let sorted = || {
        let mut found = found(&sandbox, &project, "wombats dig burrows");
        found.sort();
        found
    };
    assert_eq!(sorted(), ids);
    kill(daemon(&sandbox, &project));
    fs::remove_dir_all(sandbox.recall_home().join("data")).ok();
    assert_eq!(sorted(), ids);
}

#[test]
fn a_memory_is_added_read_changed_and_removed_by_commands() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    found(&sandbox, &project, "store");
    let text = "`open_store` waits for the wombat lock.";
    let id = remember(&sandbox, &project, text, &["--type", "lesson", "--file", "src/store.rs", "--tag", "locks"]);
    let item = json_of(&sandbox, &project, &["get", &id]);
    let memory = &item["memory"];
    assert_eq!((&item["doc"]["id"], &item["text"], &item["doc"]["path"]), (&json!(id), &json!(text), &Value::Null));
    assert_eq!(
        (&memory["type"], &memory["origin"], &memory["trust"]),
        (&json!("lesson"), &json!("human"), &json!("high"))
    );
    assert_eq!(memory["verification"]["state"], "verified");
    assert_eq!(memory["provenance"]["project_name"], "shop");

    let again = sandbox.recall(&project, &["remember", "`open_store` waits for the wombat lock!"]);
    assert_eq!(again.code, Some(4), "{again:?}");
    assert!(again.stdout.contains(&id) && again.stderr.contains("--force"), "{again:?}");

    let listed = json_of(&sandbox, &project, &["list", "--type", "lesson"]);
    assert_eq!((&listed["total"], &listed["results"][0]["memory"]["tags"]), (&json!(1), &json!(["locks"])));
    let rated = json_of(&sandbox, &project, &["feedback", &id, "useful", "--note", "fixed the deadlock"]);
    assert_eq!(rated["item_stats"]["useful"], 1);

    let check = |expected: (Option<i32>, &str)| {
        let outcome = sandbox.recall(&project, &["verify", "--check"]);
        assert!(outcome.code == expected.0 && outcome.stdout.contains(expected.1), "{outcome:?}");
    };
    check((Some(0), "verified"));
    project.write("src/store.rs", SOURCE.replace("Store::at(path)", "Store::beside(path)"));
    check((Some(1), "changed: open_store in src/store.rs"));
    let hit = &json_of(&sandbox, &project, &["search", "wombat lock"])["results"][0];
    assert_eq!(hit["memory"]["verification"]["state"], "changed");
    // Without a repository, nobody knows the text of that time. `--diff` confirms nothing.
    let differs = sandbox.recall(&project, &["verify", &id, "--diff"]);
    assert!(differs.stdout.contains("git does not have the text of that time"), "{differs:?}");
    check((Some(1), "changed: open_store in src/store.rs"));
    let confirmed = json_of(&sandbox, &project, &["verify", &id]);
    assert_eq!(
        (&confirmed["broken"], &confirmed["results"][0]["verification"]["state"]),
        (&json!(0), &json!("verified"))
    );
    check((Some(0), "verified"));

    assert_eq!(json_of(&sandbox, &project, &["promote", &id])["scope"], "global");
    let other = sandbox.project("other", &[("a.rs", "fn a() {}\n")]);
    assert_eq!(found(&sandbox, &other, "wombat lock"), [id.as_str()]);
    let removed = json_of(&sandbox, &other, &["rm", "--scope", "global", &id]);
    assert_eq!((&removed["memories"], &removed["removed"]), (&json!(1), &json!([id])));
    assert_eq!(found(&sandbox, &other, "wombat lock"), [""; 0]);
    let gone = sandbox.recall(&other, &["get", &id]);
    assert_eq!(gone.code, Some(1), "{gone:?}");
}

#[test]
fn the_text_is_read_from_a_pipe_and_the_agent_from_the_environment() {
    let sandbox = sandbox!()
        .with_variable("CLAUDECODE", "1")
        .with_variable("EDI_SESSION_ID", "session-7")
        .with_variable("EDI_AGENT_MODE", "coder")
        .with_variable("EDI_GIT_BRANCH", "fix/wombat")
        .with_variable("EDI_GIT_SHA", "0123456789abcdef0123456789abcdef01234567");
    let project = project(&sandbox);
    let mut running = sandbox.start_recall(&project, &["--json", "remember", "-", "--type", "decision"]);
    running.send("# Wombats stay\n\nThey were here first.");
    let Outcome { code, stdout, stderr } = running.finish();
    assert_eq!(code, Some(0), "{stdout} {stderr}");
    let added: Value = serde_json::from_str(&stdout).expect("JSON");
    let id = added["id"].as_str().expect("an id");
    assert!(id.starts_with("D-"), "{id}");
    let memory = json_of(&sandbox, &project, &["get", id])["memory"].clone();
    assert_eq!((&memory["title"], &memory["origin"]), (&json!("Wombats stay"), &json!("observed")));
    assert_eq!((&memory["session"], &memory["agent"]), (&json!("session-7"), &json!("claude-code")));
    assert_eq!(memory["provenance"]["git_branch"], "fix/wombat");
    assert_eq!(memory["provenance"]["agent_mode"], "coder");
}

#[test]
fn secrets_reach_neither_the_journal_nor_an_answer() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    let added = json_of(&sandbox, &project, &["remember", &format!("The wombat job uses {token} until May.")]);
    assert_eq!(added["warnings"][0]["code"], "SECRET_MASKED", "{added}");
    assert!(!fs::read_to_string(journal(&project)).expect("readable").contains(&token));
    let answer = sandbox.recall(&project, &["search", "wombat job"]);
    assert!(answer.stdout.contains("[secret: ") && !answer.stdout.contains(&token), "{answer:?}");
}

/// Runs git in a folder, without the user's settings.
#[track_caller]
fn git(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> String {
    let mut command = sandbox.command(Path::new("git"), folder);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for (name, value) in [("NAME", "Ada"), ("EMAIL", "ada@example.org")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    command.args(arguments);
    let outcome = Running::to_end(command);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
    outcome.stdout.trim().to_owned()
}

#[test]
fn git_merges_the_memories_of_two_branches() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let git = |arguments: &[&str]| git(&sandbox, project.root(), arguments);
    git(&["init", "--quiet", "--initial-branch=main"]);
    let shared = remember(&sandbox, &project, "Wombats dig burrows.", &[]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "first"]);
    let head = git(&["rev-parse", "HEAD"]);

    git(&["switch", "--quiet", "-c", "side"]);
    let theirs = remember(&sandbox, &project, "Wombats bite when they are cornered.", &[]);
    let memory = json_of(&sandbox, &project, &["get", &theirs])["memory"].clone();
    assert_eq!(
        (&memory["provenance"]["git_branch"], &memory["provenance"]["git_commit"]),
        (&json!("side"), &json!(head))
    );
    json_of(&sandbox, &project, &["rm", &shared]);
    git(&["commit", "--quiet", "-am", "theirs"]);

    git(&["switch", "--quiet", "main"]);
    assert_eq!(found(&sandbox, &project, "wombats"), [shared.as_str()], "what another branch remembers is not here");
    let ours = remember(&sandbox, &project, "Wombats sleep through the whole day in summer.", &[]);
    json_of(&sandbox, &project, &["feedback", &shared, "useful"]);
    git(&["commit", "--quiet", "-am", "ours"]);
    git(&["merge", "--quiet", "side"]);

    let mut both = found(&sandbox, &project, "wombats");
    both.sort();
    let mut expected = [ours, theirs];
    expected.sort();
    let lines = fs::read_to_string(journal(&project)).expect("readable");
    assert_eq!(both, expected, "and what was deleted on one side, {shared}, stays deleted: {lines}");
}

#[test]
fn damaged_lines_are_reported_and_do_not_affect_others() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let id = remember(&sandbox, &project, "Wombats dig burrows.", &[]);
    let mut lines = fs::read(journal(&project)).expect("readable");
    lines.extend(b"{\"half\": \n\xff\xfe\n{\"type\":\"lesson\",\"source\":\"wiki\",\"content\":\"wombats bite\",\"timestamp\":\"2026-11-20T10:00:00Z\"}\n{\"torn");
    fs::write(journal(&project), &lines).expect("writable");
    assert_eq!(found(&sandbox, &project, "wombats").len(), 2);
    let status = sandbox.recall(&project, &["status", "--failures"]);
    assert!(status.stdout.contains("memories.jsonl:2"), "{status:?}");
    remember(&sandbox, &project, "Wombats sleep by day.", &[]);
    let after = fs::read(journal(&project)).expect("readable");
    let kept = lines.len() - b"{\"torn".len();
    assert!(after.starts_with(&lines[..kept]), "nothing but the torn line is taken away");
    assert!(found(&sandbox, &project, "wombats").contains(&id));
}

#[test]
fn an_agent_adds_finds_and_rates_a_memory() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let mut agent = Agent::new(sandbox.start_shim(&project, &["--tools", "full"]));
    let memory = json!({
        "type": "lesson", "title": "Opening waits", "content": "`open_store` waits for the wombat lock.",
        "related_files": ["src/store.rs"],
    });
    agent.ask("recall_search", json!({"query": "store"}));
    let kept = agent.ask("recall_add", &memory);
    let id = kept.strip_prefix("Saved as ").and_then(|rest| rest.split(' ').next()).expect("an id").to_owned();
    assert!(agent.ask("recall_add", memory).starts_with(&format!("Not saved: {id} says nearly the same")));
    let hits = agent.ask("recall_search", json!({"query": "wombat lock", "types": ["lesson"]}));
    let facts = format!("project lesson, own, observed by an agent, unconfirmed, verified against its files · id {id}");
    assert!(hits.contains(&facts) && hits.contains("Opening waits"), "{hits}");
    let noted = agent.ask("recall_feedback", json!({"item_id": id, "useful": true}));
    assert!(noted.contains("1 useful"), "{noted}");
    project.write("src/store.rs", "pub fn close_store() {}\n");
    let read = agent.ask("recall_get", json!({"id": id}));
    assert!(read.contains("confirmed by use") && read.contains("its files are gone"), "{read}");
    let verified = agent.ask("recall_verify", json!({}));
    assert!(verified.contains(&format!("{id} · Opening waits · gone; open_store in src/store.rs")), "{verified}");
    assert!(agent.ask("recall_promote", json!({"id": id})).contains("global store"));
    assert!(agent.ask("recall_list", json!({"type": "lesson"})).contains("global lesson"));
    assert!(agent.ask("recall_get", json!({"id": "L-00000000"})).starts_with("NOT_FOUND"));
}
