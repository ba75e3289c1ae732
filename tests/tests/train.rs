//! Rankers trained on a project's own history, with the real programs: training, use, damage and removal.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use recall_testkit::{Outcome, Project, Running, Sandbox};
use serde_json::Value;

const NOUNS: [&str; 12] = [
    "invoice", "refund", "webhook", "ledger", "customer", "receipt", "voucher", "balance", "dispute", "mandate",
    "payout", "tariff",
];

const MANNERS: [&str; 18] = [
    "carefully",
    "quickly",
    "lazily",
    "safely",
    "nightly",
    "eagerly",
    "quietly",
    "rarely",
    "twice",
    "early",
    "slowly",
    "partly",
    "blindly",
    "firmly",
    "freely",
    "gently",
    "jointly",
    "loosely",
];

/// A sandbox in which git is found.
fn sandbox() -> Sandbox {
    let path = std::env::var("PATH").expect("there are programs");
    recall_tests::sandbox!().with_variable("PATH", &path)
}

/// A project whose commits always change the file in `src`, although another file contains the words more often.
fn with_history(sandbox: &Sandbox, manners: &[&str]) -> Project {
    let project = sandbox.project("payments", &[]);
    git(sandbox, project.root(), &["init", "--quiet", "--initial-branch=main"], None);
    let mut commits: Vec<(String, Vec<(String, String)>)> = vec![("Begin".to_owned(), Vec::new())];
    for noun in NOUNS {
        let attic = format!("// settle the {noun}\nfn settle_{noun}() {{ settle({noun}); }}\n");
        commits[0].1.push((format!("src/desk/{noun}.rs"), format!("fn {noun}() {{}}\n")));
        commits[0].1.push((format!("attic/one/two/three/{noun}.rs"), attic));
    }
    for manner in manners {
        for noun in NOUNS {
            let text = format!("fn {noun}() {{ {manner}(); }}\n");
            let change = (format!("src/desk/{noun}.rs"), text);
            commits.push((format!("settle the {noun} {manner}"), vec![change]));
        }
    }
    let mut stream = String::new();
    for (at, (message, files)) in commits.iter().enumerate() {
        let _ = writeln!(stream, "commit refs/heads/main\ncommitter A <a@example.org> {} +0000", 1_700_000_000 + at);
        let _ = writeln!(stream, "data {}\n{message}", message.len());
        for (path, text) in files {
            let _ = writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len());
        }
    }
    git(sandbox, project.root(), &["fast-import", "--quiet"], Some(&stream));
    git(sandbox, project.root(), &["reset", "--quiet", "--hard", "main"], None);
    project
}

fn git(sandbox: &Sandbox, folder: &Path, arguments: &[&str], input: Option<&str>) {
    let mut git = sandbox.command(Path::new("git"), folder);
    git.env("GIT_CONFIG_NOSYSTEM", "1").args(arguments);
    if let Some(text) = input {
        let file = folder.join(".git/stream");
        fs::write(&file, text).expect("writable");
        git.stdin(Stdio::from(fs::File::open(file).expect("just written")));
        let status = git.status().expect("git is there");
        assert!(status.success(), "git {arguments:?}: {status}");
        return;
    }
    let outcome = Running::to_end(git);
    assert_eq!(outcome.code, Some(0), "git {arguments:?}: {outcome:?}");
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The ranker of the project as the status reports it, and the codes of its warnings.
fn ranker(sandbox: &Sandbox, project: &Project) -> (String, Vec<String>) {
    let status = json(&sandbox.recall(project, &["status", "--json"]));
    let store = &status["stores"][0];
    (store["ranker"].as_str().expect("reported").to_owned(), codes(store))
}

fn codes(answer: &Value) -> Vec<String> {
    let warnings = answer["warnings"].as_array().expect("a list");
    warnings.iter().map(|warning| warning["code"].as_str().expect("a code").to_owned()).collect()
}

/// The path of the first hit, and the codes of the warnings.
fn first(sandbox: &Sandbox, project: &Project) -> (String, Vec<String>) {
    let outcome = sandbox.recall(project, &["search", "settle the voucher monthly", "--json"]);
    let answer = json(&outcome);
    let path = answer["results"][0]["doc"]["path"].as_str().unwrap_or_else(|| panic!("{outcome:?}"));
    (path.to_owned(), codes(&answer))
}

/// How many of the nouns lead to the file that the history changed for them.
fn led_by_history(sandbox: &Sandbox, project: &Project) -> usize {
    NOUNS
        .into_iter()
        .filter(|noun| {
            let question = format!("settle the {noun} monthly");
            let answer = json(&sandbox.recall(project, &["search", &question, "--json"]));
            answer["results"][0]["doc"]["path"] == format!("src/desk/{noun}.rs")
        })
        .count()
}

/// Returns the path of the only stored ranker.
fn kept(sandbox: &Sandbox) -> Option<PathBuf> {
    let folders = fs::read_dir(sandbox.dirs().data.join("rankers")).ok()?;
    let mut files = folders.flatten().map(|folder| folder.path().join("code.ranker")).filter(|file| file.is_file());
    let file = files.next();
    assert!(files.next().is_none(), "one project has a ranker");
    file
}

#[test]
fn a_project_learns_from_its_history_and_forgets() {
    let sandbox = sandbox();
    let project = with_history(&sandbox, &MANNERS);
    let built_in = || ("built-in".to_owned(), Vec::new());
    let attic = "attic/one/two/three/voucher.rs".to_owned();
    assert_eq!(first(&sandbox, &project).0, attic, "its words are in it more often");
    assert_eq!(ranker(&sandbox, &project), built_in());
    let before = led_by_history(&sandbox, &project);

    let outcome = sandbox.recall(&project, &["bench", "--mine", "--train", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report = json(&outcome);
    let (queries, usable) =
        (report["queries"].as_u64().expect("reported"), report["usable"].as_u64().expect("reported"));
    assert!(queries == 216 && (200..=216).contains(&usable), "{report}");
    let own = &report["own"];
    assert!(own["difference"].as_f64().is_some_and(|gain| gain > 0.0), "{report}");
    assert_eq!(own["built_in"], report["alone"]["built_in"], "both are compared with the same");
    let file = kept(&sandbox).expect("it is better");
    assert_eq!((&report["kept"], report["path"].as_str()), (&true.into(), file.to_str()));

    // The running daemon uses the new one.
    assert_eq!(ranker(&sandbox, &project), ("own".to_owned(), Vec::new()));
    assert_eq!(first(&sandbox, &project).1, Vec::<String>::new());
    let after = led_by_history(&sandbox, &project);
    assert!(after > before + NOUNS.len() / 4, "{before} before, {after} after, of {}", NOUNS.len());
    let other = sandbox.project("other", &[("a.rs", "fn settle_a_voucher() {}\n")]);
    assert_eq!(sandbox.recall(&other, &["search", "settle"]).code, Some(0));
    assert_eq!(ranker(&sandbox, &other), built_in(), "it is of one project alone");

    let sound = fs::read(&file).expect("readable");
    fs::write(&file, &sound[..sound.len() / 2]).expect("writable");
    let unusable = vec!["RANKER_UNUSABLE".to_owned()];
    assert_eq!(first(&sandbox, &project), (attic.clone(), unusable.clone()));
    assert_eq!(ranker(&sandbox, &project), ("built-in".to_owned(), unusable));
    let outcome = sandbox.recall(&project, &["search", "settle the voucher"]);
    assert!(outcome.stderr.contains("recall bench --forget"), "{outcome:?}");

    let forget = |says: &str| {
        let outcome = sandbox.recall(&project, &["bench", "--forget"]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(outcome.stdout.contains(says), "{outcome:?}");
    };
    forget("removed");
    assert_eq!(kept(&sandbox), None);
    assert_eq!(first(&sandbox, &project), (attic, Vec::new()));
    assert_eq!(ranker(&sandbox, &project), built_in());
    forget("no ranker of its own");
}

#[test]
fn a_short_history_is_not_learnt_from() {
    let sandbox = sandbox();
    let project = with_history(&sandbox, &MANNERS[..2]);
    let outcome = sandbox.recall(&project, &["bench", "--mine", "--train"]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    let says = "error: the history yields 24 usable queries; a ranker is learnt from 200 at least";
    assert!(outcome.stderr.contains(says) && outcome.stderr.contains("hint: "), "{}", outcome.stderr);
    assert!(!sandbox.is_listening(), "nothing was replayed");
    assert_eq!(kept(&sandbox), None);
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let sandbox = sandbox();
    let project = sandbox.project("plain", &[]);
    for arguments in [
        &["bench", "--train"][..],
        &["bench", "--mine", "--force"],
        &["bench", "--mine", "--forget"],
        &["bench", "--mine", "--train", "--ablate"],
    ] {
        assert_eq!(sandbox.recall(&project, arguments).code, Some(2), "{arguments:?}");
    }
}
