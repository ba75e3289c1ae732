//! A workspace of real git repositories: submodules and clones in one folder, with a daemon that watches them.

use std::fs;
use std::path::Path;
use std::process::Command;

use recall_testkit::{Outcome, Project};
use recall_tests::{Sandbox, sandbox};
use serde_json::Value;

fn git(at: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"]);
    assert!(git.args(arguments).current_dir(at).status().expect("git runs").success(), "{arguments:?}");
}

/// Commits everything below a folder, in a new repository if there is none.
fn commit(at: &Path) {
    git(at, &["init", "-q", "-b", "main"]);
    git(at, &["add", "-A"]);
    git(at, &["commit", "-q", "-m", "change"]);
}

/// Returns the paths of the results, best first.
fn paths(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Vec<String> {
    let arguments: Vec<&str> = ["search", "--json"].iter().chain(arguments).copied().collect();
    let Outcome { code, stdout, stderr } = sandbox.recall(project, &arguments);
    let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    assert!(code == Some(0) || code == Some(1), "{stdout}{stderr}");
    let path = |hit: &Value| hit["doc"]["path"].as_str().expect("a path").to_owned();
    answer["results"].as_array().expect("results").iter().map(path).collect()
}

#[test]
fn a_submodule_and_a_clone_are_searched_with_the_folder_that_holds_them() {
    let sandbox = sandbox!();
    let library = sandbox.project("library", &[("src/den.rs", "pub fn quoll_den() -> u32 { 1 }\n")]);
    commit(library.root());
    let outer = sandbox.project("outer", &[("src/main.rs", "fn main() { start_of_everything(); }\n")]);
    commit(outer.root());
    let source = library.root().display().to_string();
    git(outer.root(), &["submodule", "add", "-q", &source, "libs/den"]);
    git(outer.root(), &["clone", "-q", &source, "tools/den2"]);

    let found = |query: &str| paths(&sandbox, &outer, &[query]);
    // The clone has the same text, so it is another place of the same result.
    let first = found("quoll_den").into_iter().filter(|path| path != ".gitmodules").collect::<Vec<_>>();
    assert!(first == ["libs/den/src/den.rs"] || first == ["tools/den2/src/den.rs"], "{first:?}");
    assert_eq!(paths(&sandbox, &outer, &["--path", "tools", "quoll_den"]), ["tools/den2/src/den.rs"]);
    assert_eq!(found("start_of_everything"), ["src/main.rs"]);

    // A branch switch in the nested repository.
    let nested = outer.root().join("libs/den");
    git(&nested, &["switch", "-q", "-c", "other"]);
    fs::write(nested.join("src/den.rs"), "pub fn bandicoot() -> u32 { 2 }\n").expect("written");
    commit(&nested);
    assert_eq!(found("bandicoot")[0], "libs/den/src/den.rs");
    git(&nested, &["switch", "-q", "main"]);
    assert!(!found("bandicoot").iter().any(|path| path.starts_with("libs")));
    git(&nested, &["switch", "-q", "other"]);
    assert_eq!(found("bandicoot")[0], "libs/den/src/den.rs");

    // A memory of the nested repository is found from the folder above, about the file as it is seen there.
    let inside = sandbox.recall_in(
        &nested,
        &["remember", "--type", "lesson", "--file", "src/den.rs", "Bandicoots need a second exit."],
    );
    assert_eq!(inside.code, Some(0), "{}", inside.stderr);
    let Outcome { stdout, .. } = sandbox.recall(&outer, &["search", "--json", "second exit of bandicoots"]);
    let answer: Value = serde_json::from_str(&stdout).expect("JSON");
    let memory = &answer["results"][0]["memory"];
    assert_eq!(memory["related_files"][0], "libs/den/src/den.rs", "{stdout}");

    let Outcome { stdout, .. } = sandbox.recall(&outer, &["get", "libs/den/src/den.rs"]);
    assert!(stdout.contains("bandicoot"), "{stdout}");
    let status = sandbox.recall(&outer, &["status"]).stdout;
    for root in ["libs/den", "tools/den2"] {
        assert!(status.contains(&outer.root().join(root).display().to_string()), "{status}");
    }
}

#[test]
fn a_person_finds_what_was_done_in_other_projects() {
    let sandbox = sandbox!();
    let [api, web, new] = [("api", "quoll"), ("web", "numbat"), ("new", "bilby")].map(|(name, animal)| {
        let text = format!("pub fn retry_with_jitter_{animal}() {{}}\n");
        sandbox.project(name, &[("src/retry.rs", &text)])
    });
    for project in [&api, &web] {
        assert_eq!(sandbox.recall(project, &["search", "retry"]).code, Some(0));
    }
    let found = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["search", "--json", "retry with jitter"].iter().chain(arguments).copied().collect();
        let Outcome { stdout, stderr, .. } = sandbox.recall(&new, &arguments);
        let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
        let mut found: Vec<(String, String)> = answer["results"]
            .as_array()
            .expect("results")
            .iter()
            .map(|hit| {
                let root = hit["doc"]["root"].as_str().unwrap_or("here").to_owned();
                let citation = hit["citation"].as_str().expect("a citation");
                (root, citation.split(':').next().expect("a path").to_owned())
            })
            .collect();
        found.sort();
        found
    };
    let at = |project: &Project| {
        let root = project.root().canonicalize().expect("there").display().to_string();
        (root.clone(), format!("{root}/src/retry.rs"))
    };
    let here = ("here".to_owned(), "src/retry.rs".to_owned());
    assert_eq!(found(&[]), std::slice::from_ref(&here));
    assert_eq!(found(&["--everywhere"]), [at(&api), at(&web), here.clone()]);
    let (own, other) = (new.root().display().to_string(), api.root().display().to_string());
    assert_eq!(found(&["--project", &own, "--project", &other]), [at(&api), here]);

    let human = sandbox.recall(&new, &["search", "--everywhere", "retry with jitter"]).stdout;
    assert!(human.contains(&at(&web).1), "{human}");
    let refused = sandbox.recall(&new, &["list", "--project", &own, "--project", &other]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);

    // An agent is refused, by its environment, unless the user's settings allow it.
    let as_agent = || {
        let mut command = sandbox.command(&sandbox.binaries().recall, new.root());
        command.args(["search", "--everywhere", "retry"]).env("CLAUDECODE", "1");
        recall_testkit::Running::to_end(command)
    };
    let refused = as_agent();
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(refused.stderr.contains("agents_everywhere"), "{}", refused.stderr);
    sandbox.recall(&new, &["daemon", "stop"]);
    let settings = sandbox.dirs().user_config();
    fs::create_dir_all(settings.parent().expect("below a folder")).expect("made");
    fs::write(settings, "[search]\nagents_everywhere = true\n").expect("written");
    assert_eq!(as_agent().code, Some(0));
}
