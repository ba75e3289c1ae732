//! Acknowledged memories that git or an editor removed are put back once, unless git still has them.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_core::{AddMemory, AskBriefing, BriefingSubject, MemoryId, MemoryType, Provenance, Repeats, Scope};
use recall_engine::{DoctorRequest, Engine, Mend, Problem, SecretScan};
use support::Sandbox;

/// How long comparing the journals may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The number of memories that are written while git replaces their journal.
const WRITES: usize = 300;

/// Runs git; returns whether it succeeded. Git refuses to replace a file that is being changed.
fn git(root: &Path, arguments: &[&str]) -> bool {
    let mut git = Command::new("git");
    git.current_dir(root).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
    git.args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0"]).args(arguments);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    git.output().expect("git runs").status.success()
}

fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    assert!(git(&sandbox.root(), &["init", "--quiet", "--initial-branch=main"]));
    assert!(git(&sandbox.root(), &["add", "."]));
    assert!(git(&sandbox.root(), &["commit", "--quiet", "-m", "first"]));
    sandbox
}

fn remember(sandbox: &Sandbox, engine: &Engine, number: usize) -> MemoryId {
    let memory = AddMemory {
        memory_type: MemoryType::Lesson,
        title: format!("Lesson {number}"),
        content: format!("Wombat number {number} digs burrow {number}{number}."),
        scope: Scope::Project,
        tags: Vec::new(),
        related_files: Vec::new(),
        supersedes: None,
        repeats: Repeats::Accept,
        source: None,
        origin: None,
        key: None,
        provenance: Provenance::default(),
    };
    engine.add_memory(&sandbox.origin(), &memory).expect("kept").id
}

fn journals(sandbox: &Sandbox) -> Vec<PathBuf> {
    let days = fs::read_dir(sandbox.root().join(".recall")).into_iter().flatten().flatten();
    days.map(|day| day.path().join("memories.jsonl")).filter(|path| path.is_file()).collect()
}

/// Returns how often each memory is added in the journals of the work tree.
fn added(sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let mut added = BTreeMap::new();
    for journal in journals(sandbox) {
        for line in fs::read_to_string(journal).expect("readable").lines() {
            let id = line.split("\"id\":\"").nth(1).and_then(|rest| rest.get(..10)).expect("an id");
            *added.entry(id.to_owned()).or_default() += 1;
        }
    }
    added
}

fn problems(sandbox: &Sandbox, engine: &Engine, mend: Mend) -> Vec<Problem> {
    let request = DoctorRequest { scope: Scope::Project, mend, secrets: SecretScan::Off };
    let findings = engine.doctor(&sandbox.origin(), &request).expect("checked").findings;
    findings.into_iter().filter(|finding| !finding.is_mended).map(|finding| finding.problem).collect()
}

/// Sends searches until a condition holds.
#[track_caller]
fn wait(sandbox: &Sandbox, engine: &Engine, what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}: {:?}", problems(sandbox, engine, Mend::Nothing));
        sandbox.search(engine, "wombat");
    }
}

/// Removes the last line of the only journal, as an editor does that saves an older text.
fn lose_last_line(sandbox: &Sandbox) {
    let journal = journals(sandbox).pop().expect("a journal");
    let text = fs::read_to_string(&journal).expect("readable");
    let end = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let edited = journal.with_file_name("edited");
    fs::write(&edited, &text[..end]).expect("written");
    fs::rename(edited, journal).expect("replaced");
}

#[test]
fn a_vanished_memory_is_put_back_once_and_reported() {
    let sandbox = repository();
    let engine = sandbox.engine();
    let ids = [1, 2].map(|number| remember(&sandbox, &engine, number).to_string());
    sandbox.search(&engine, "wombat");
    lose_last_line(&sandbox);
    assert_eq!(added(&sandbox).len(), 1);
    let all = BTreeMap::from(ids.map(|id| (id, 1)));
    wait(&sandbox, &engine, "put back", || added(&sandbox) == all);
    let told = problems(&sandbox, &engine, Mend::Nothing);
    let put_back = |gone: u64| move |problem: &Problem| matches!(problem, Problem::PutBack { events: 1, gone_again, .. } if *gone_again == gone);
    assert!(told.iter().any(put_back(0)), "{told:?}");
    assert!(!told.iter().any(|problem| matches!(problem, Problem::Vanished { .. })), "{told:?}");
    let asked = AskBriefing {
        goal: None,
        budget_tokens: 2000,
        subject: BriefingSubject::Project,
        provenance: Provenance::default(),
    };
    let text = engine.briefing(&sandbox.origin(), &asked).expect("told").text;
    assert!(text.contains("1 line of memories had vanished"), "{text}");

    // The second time it counts as intended, also for a daemon that is started later and for a full repair.
    lose_last_line(&sandbox);
    engine.close();
    let engine = sandbox.engine();
    wait(&sandbox, &engine, "gone again", || problems(&sandbox, &engine, Mend::Everything).iter().any(put_back(1)));
    let third = remember(&sandbox, &engine, 3);
    lose_last_line(&sandbox);
    wait(&sandbox, &engine, "another one is put back", || added(&sandbox).contains_key(&third.to_string()));
    assert_eq!(added(&sandbox).len(), 2);
}

#[test]
fn a_memory_that_vanished_while_no_daemon_ran_is_put_back_by_the_next_one() {
    let sandbox = repository();
    let engine = sandbox.engine();
    let id = remember(&sandbox, &engine, 1).to_string();
    engine.close();
    fs::remove_dir_all(sandbox.root().join(".recall")).expect("removed");
    let engine = sandbox.engine();
    wait(&sandbox, &engine, "put back", || added(&sandbox) == BTreeMap::from([(id.clone(), 1)]));
}

#[test]
fn a_memory_that_git_still_has_is_not_put_back() {
    let sandbox = repository();
    let (engine, root) = (sandbox.engine(), sandbox.root());
    remember(&sandbox, &engine, 1);
    // In a stash, as an untracked file; on another branch; only in the index; in an earlier state of a branch.
    let check = |what: &str| {
        let told = problems(&sandbox, &engine, Mend::Everything);
        let is_wrong = |problem: &Problem| matches!(problem, Problem::Vanished { .. } | Problem::PutBack { .. });
        assert!(!told.iter().any(is_wrong), "{what}: {told:?}");
        assert_eq!(added(&sandbox).len(), 0, "{what}");
    };
    assert!(git(&root, &["stash", "--include-untracked", "--quiet"]));
    check("stash");
    assert!(git(&root, &["stash", "pop", "--quiet"]));
    assert!(git(&root, &["switch", "--quiet", "-c", "other"]));
    assert!(git(&root, &["add", "--force", ".recall"]));
    let journal = journals(&sandbox).pop().expect("a journal");
    let text = fs::read(&journal).expect("readable");
    fs::remove_file(&journal).expect("removed");
    check("index");
    fs::write(&journal, text).expect("written");
    assert!(git(&root, &["commit", "--quiet", "-m", "memories"]));
    assert!(git(&root, &["switch", "--quiet", "main"]));
    check("branch");
    assert!(git(&root, &["branch", "--quiet", "-D", "other"]));
    check("reflog");
}

#[test]
fn without_a_repository_memories_are_put_back_only_on_request() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let id = remember(&sandbox, &engine, 1).to_string();
    sandbox.search(&engine, "wombat");
    fs::remove_file(journals(&sandbox).pop().expect("a journal")).expect("removed");
    let told = problems(&sandbox, &engine, Mend::Nothing);
    let is_told = |problem: &Problem| matches!(problem, Problem::Vanished { events: 1, reason: Some(_) });
    assert!(told.iter().any(is_told), "{told:?}");
    assert!(added(&sandbox).is_empty());
    let told = problems(&sandbox, &engine, Mend::Everything);
    assert!(!told.iter().any(is_told), "{told:?}");
    assert_eq!(added(&sandbox), BTreeMap::from([(id, 1)]));
}

#[test]
fn a_new_folder_at_the_same_path_gets_no_memories_of_the_former_one() {
    let sandbox = repository();
    let engine = sandbox.engine();
    remember(&sandbox, &engine, 1);
    engine.close();
    // The old folder is kept, so that the file system does not reuse its inode.
    fs::rename(sandbox.root(), sandbox.home().join("former")).expect("moved");
    fs::create_dir(sandbox.home().join("project")).expect("made");
    sandbox.write("b.rs", "fn b() {}\n");
    assert!(git(&sandbox.root(), &["init", "--quiet"]));
    let engine = sandbox.engine();
    remember(&sandbox, &engine, 2);
    let told = problems(&sandbox, &engine, Mend::Everything);
    assert!(!told.iter().any(|problem| matches!(problem, Problem::Vanished { .. })), "{told:?}");
    assert_eq!(added(&sandbox).len(), 1);
}

/// Returns the ids of all memories in any object of git.
fn in_objects(root: &Path) -> BTreeSet<String> {
    let mut git = Command::new("git");
    let all = git.current_dir(root).args(["cat-file", "--batch-all-objects", "--batch"]).output().expect("git runs");
    let text = String::from_utf8_lossy(&all.stdout).into_owned();
    text.split("\"id\":\"").skip(1).filter_map(|rest| rest.get(..10)).map(str::to_owned).collect()
}

#[test]
fn nothing_acknowledged_is_lost_while_git_replaces_the_journals() {
    let sandbox = repository();
    let (engine, root) = (sandbox.engine(), sandbox.root());
    remember(&sandbox, &engine, 1000);
    assert!(git(&root, &["add", "--force", ".recall"]) && git(&root, &["commit", "--quiet", "-m", "memories"]));
    assert!(git(&root, &["branch", "other"]));
    let is_writing = AtomicBool::new(true);
    let (ids, switches) = std::thread::scope(|scope| {
        let switching = scope.spawn(|| {
            let mut switches = 0;
            while is_writing.load(Ordering::Relaxed) {
                for branch in ["other", "main"] {
                    git(&root, &["commit", "--quiet", "--all", "-m", "more"]);
                    switches += usize::from(git(&root, &["checkout", "--quiet", branch]));
                }
                if git(&root, &["stash", "--quiet"]) {
                    git(&root, &["stash", "pop", "--quiet"]);
                }
            }
            switches
        });
        let ids: Vec<String> = (0..WRITES).map(|number| remember(&sandbox, &engine, number).to_string()).collect();
        is_writing.store(false, Ordering::Relaxed);
        (ids, switching.join().expect("no panic"))
    });
    let lost = || {
        let (here, kept) = (added(&sandbox), in_objects(&root));
        ids.iter().filter(|id| !here.contains_key(*id) && !kept.contains(*id)).count()
    };
    let lost_at_first = lost();
    wait(&sandbox, &engine, "nothing is lost", || lost() == 0);
    println!("{WRITES} writes, {switches} switches: {lost_at_first} lost at first");
    let log = sandbox.home().join("written");
    let log = fs::read_dir(log).expect("a log").flatten().find(|entry| entry.path().is_dir()).expect("of the project");
    let notes = fs::read_to_string(log.path().join("returned.jsonl")).unwrap_or_default();
    let put_back: BTreeSet<&str> = notes.lines().collect();
    assert_eq!(put_back.len(), notes.lines().count(), "no event is put back twice");
}
