//! What is learnt from a project's history.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use recall_core::Scope;
use recall_engine::{Engine, HistoryStatus};

use crate::support::{Sandbox, paths};

/// The words of the project for its files, which are not in them.
const WORDS: [&str; 6] = ["sprocket", "gizmo", "flange", "ratchet", "spindle", "gasket"];

/// Makes a project of six files that have the same words, with a history of so many commits, each of one file. `subject` writes the
/// subject of a commit for the file with that number.
fn project(commits: usize, subject: impl Fn(usize, usize) -> String) -> Sandbox {
    let sandbox = Sandbox::new();
    let mut stream = String::new();
    for number in 0..commits {
        let file = (number * number + number / 7) % WORDS.len();
        // Texts that are nearly equal would be one hit.
        let own = ["abc", "def", "ghi", "jkl", "mno", "pqr"][file];
        let lines: Vec<String> = (0..12).map(|line| format!("    {own}{line} = {own}(value, {own}{line})")).collect();
        let lines = lines.join("\n");
        let text =
            format!("def {own}(value):\n    # tune the handling once more\n{lines}\n    return {}\n", 1_000 + number);
        let subject = subject(file, number);
        let when = format!("Ada <ada@example.com> {} +0000", 1_700_000_000 + number);
        let _ = write!(stream, "commit refs/heads/main\ncommitter {when}\ndata {}\n{subject}\n", subject.len());
        let _ = write!(stream, "M 644 inline part{file}.py\ndata {}\n{text}\n", text.len());
    }
    git(&sandbox, &["init", "-q", "-b", "main"], "");
    git(&sandbox, &["fast-import", "--quiet"], &stream);
    git(&sandbox, &["reset", "-q", "--hard", "main"], "");
    sandbox
}

fn git(sandbox: &Sandbox, arguments: &[&str], input: &str) {
    let mut git = Command::new("git");
    let git = git.args(arguments).current_dir(sandbox.root()).stdin(Stdio::piped());
    let mut git = git.spawn().expect("git runs");
    git.stdin.take().expect("piped").write_all(input.as_bytes()).expect("read");
    assert!(git.wait().expect("it ends").success(), "{arguments:?}");
}

fn ready_engine(sandbox: &Sandbox) -> Engine {
    let engine = sandbox.engine();
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    engine
}

fn status(sandbox: &Sandbox, engine: &Engine) -> Option<HistoryStatus> {
    engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status").stores[0].history
}

/// Returns for how many of the words their file is first.
fn files_found_first(sandbox: &Sandbox, engine: &Engine) -> usize {
    let is_first = |(file, word): (usize, &str)| {
        paths(&sandbox.search(engine, &format!("the {word} handling is broken")))[0] == format!("part{file}.py")
    };
    WORDS.into_iter().enumerate().filter(|&one| is_first(one)).count()
}

fn of_its_file(file: usize, _: usize) -> String {
    format!("Tune the {} handling once more", WORDS[file])
}

#[test]
fn a_history_that_finds_its_newest_changes_earlier_orders_code() {
    let sandbox = project(240, of_its_file);
    let engine = ready_engine(&sandbox);
    assert_eq!(status(&sandbox, &engine), None);
    let before = files_found_first(&sandbox, &engine);
    assert_eq!(engine.learn_from_history(), 1);
    let learnt = status(&sandbox, &engine).expect("learnt");
    assert!(learnt.is_used && learnt.commits == 240 && learnt.questions == 48, "{learnt:?}");
    assert!(learnt.with > learnt.without + 0.1, "{learnt:?}");
    let after = files_found_first(&sandbox, &engine);
    assert!(after > before, "{after} and {before}");
    assert_eq!(engine.learn_from_history(), 0, "nothing is new");
    engine.close();
    let again = sandbox.engine();
    assert_eq!(status(&sandbox, &again), Some(learnt), "it is in the folder of the index");
}

#[test]
fn a_history_that_is_no_better_is_not_used() {
    let sandbox = project(240, |_, number| format!("Tune the {} handling once more", WORDS[number % WORDS.len()]));
    let engine = ready_engine(&sandbox);
    let before = sandbox.search(&engine, "tune the handling of a flange");
    assert_eq!(engine.learn_from_history(), 1);
    let learnt = status(&sandbox, &engine).expect("it was tried");
    assert!(!learnt.is_used && learnt.questions == 48, "{learnt:?}");
    assert_eq!(paths(&sandbox.search(&engine, "tune the handling of a flange")), paths(&before));
}

#[test]
fn a_short_history_is_not_judged() {
    let sandbox = project(30, of_its_file);
    let engine = ready_engine(&sandbox);
    assert_eq!(engine.learn_from_history(), 1);
    let learnt = status(&sandbox, &engine).expect("it was read");
    assert!(!learnt.is_used && (learnt.commits, learnt.questions) == (30, 0), "{learnt:?}");
}

#[test]
fn a_project_that_does_not_want_it_learns_nothing() {
    let mut sandbox = project(240, of_its_file);
    sandbox.learns_from_history = false;
    let engine = ready_engine(&sandbox);
    assert_eq!((engine.learn_from_history(), status(&sandbox, &engine)), (0, None));
}

#[test]
fn a_folder_without_a_history_has_nothing_to_learn() {
    let sandbox = Sandbox::with(&[("a.py", "def handle(value):\n    return value\n")]);
    let engine = ready_engine(&sandbox);
    assert_eq!((engine.learn_from_history(), status(&sandbox, &engine)), (0, None));
}
