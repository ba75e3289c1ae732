//! Freshness of searches: an oracle outside the daemon writes a file and searches for it.

use std::fs;
use std::time::Duration;

use recall_testkit::{Project, Sandbox};
use recall_tests::sandbox;
use serde_json::Value;

/// The number of rounds of the oracle.
const ROUNDS: u64 = 60;

/// The codes of the warnings that a response may be older than the files.
const ANNOUNCED: [&str; 5] = ["SCAN_RUNNING", "INDEXING", "INDEXING_QUEUED", "NOT_INDEXED_YET", "NOT_COMPARED"];

/// A word that no file contains yet and that is not similar to another.
fn word(round: u64) -> String {
    let mut random = fastrand::Rng::with_seed(round);
    std::iter::repeat_with(|| random.lowercase()).take(14).collect()
}

/// Writes a word to a file, in a way that depends on the round; returns the path.
fn write(project: &Project, round: u64, word: &str) -> String {
    let line = format!("\npub fn {word}() {{}}\n");
    match round % 4 {
        0 => {
            let path = format!("src/part_{}.rs", round % 7);
            let text = fs::read_to_string(project.root().join(&path)).expect("there");
            project.write(&path, text + &line);
            path
        }
        1 => {
            let path = format!("src/new_{round}/deep/file.rs");
            project.write(&path, line);
            path
        }
        2 => {
            // As editors save: to a new file, then renamed over the old one.
            let path = format!("src/part_{}.rs", round % 7);
            let file = project.root().join(&path);
            let text = fs::read_to_string(&file).expect("there") + &line;
            fs::write(file.with_extension("tmp~"), text).expect("written");
            fs::rename(file.with_extension("tmp~"), file).expect("renamed");
            path
        }
        _ => {
            let path = format!("docs/note_{round}.md");
            project.write(&path, format!("# A note\n\nAbout {word}.\n"));
            path
        }
    }
}

fn ask(sandbox: &Sandbox, project: &Project, query: &str) -> Value {
    let outcome = sandbox.recall(project, &["--json", "search", query]);
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// Writes more files than a project may have that takes no turn to index.
fn large_project(sandbox: &Sandbox, name: &str) -> Project {
    let project = sandbox.project(name, &[]);
    for number in 0..100 {
        project.write(&format!("src/part_{number}.rs"), format!("pub fn {name}_{number}() {{}}\n"));
    }
    project
}

#[test]
fn the_first_searches_of_many_projects_wait_for_their_turns() {
    let sandbox = sandbox!().with_variable("RECALL_INDEX__AT_ONCE", "1");
    let projects = ["ant", "bee", "cow", "dog", "elk"].map(|name| (name, large_project(&sandbox, name)));
    let commands: [&[&str]; 5] = [
        &["search", "part 7"],
        &["search", "--exact", "bee_7"],
        &["get", "src/part_7.rs"],
        &["list", "--path", "src"],
        &["query", "--rql", "SELECT path FROM doc FILTER doc.path = 'src/part_7.rs'"],
    ];
    let searching = projects.iter().zip(commands).map(|((_, project), command)| sandbox.start_recall(project, command));
    for running in searching.collect::<Vec<_>>() {
        let outcome = running.finish();
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
}

#[test]
fn nothing_found_in_a_project_that_is_not_indexed_yet_has_its_own_exit_code() {
    let sandbox = sandbox!().with_variable("RECALL_INDEX__FIRST_WAIT", "0s");
    let project = large_project(&sandbox, "gnu");
    for command in [["search", "gnu_7"], ["get", "src/part_7.rs"], ["related", "src/part_7.rs"], ["list", "--all"]] {
        let outcome = sandbox.recall(&project, &[command[0], command[1], "--json"]);
        // The index may be there before the answer.
        if outcome.code != Some(0) {
            assert_eq!(outcome.code, Some(7), "{outcome:?}");
            assert!(outcome.stdout.contains("NOT_INDEXED_YET"), "{outcome:?}");
        }
    }
}

#[test]
fn a_search_finds_text_written_before_it_or_warns_that_it_may_not() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[]);
    for part in 0..7 {
        project.write(&format!("src/part_{part}.rs"), format!("//! Part {part}.\n"));
    }
    ask(&sandbox, &project, "part");
    let (mut announced, mut silent) = (0, Vec::new());
    for round in 0..ROUNDS {
        std::thread::sleep(Duration::from_millis(round * 37 % 150));
        let word = word(round);
        let path = write(&project, round, &word);
        let answer = ask(&sandbox, &project, &word);
        let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let is_found = hits.iter().any(|hit| hit["doc"]["path"] == *path);
        let warnings = answer["warnings"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let is_announced =
            warnings.iter().any(|warning| ANNOUNCED.iter().any(|code| warning["code"].as_str() == Some(code)));
        if !is_found && is_announced {
            announced += 1;
        } else if !is_found {
            silent.push((round, path));
        }
    }
    assert_eq!(silent, [], "not found, and not a word about it");
    // On an idle machine there is no warning; on a loaded one a scan may take longer than a search waits.
    assert!(announced <= ROUNDS / 2, "{announced} of {ROUNDS} searches were older than the files");
}
