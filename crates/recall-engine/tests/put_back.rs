//! Acknowledged memories that git dropped are put back once; what somebody removed on purpose is not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use recall_core::{
    AskBriefing, BriefingSubject, Clock, MemoryId, MemoryType, Provenance, Scope, Timestamp, UpdateMemory,
};
use recall_engine::{
    DoctorRequest, Engine, Fix, ItemRequest, Parent, Problem, RemoveRequest, SecretScan, Tombstones, Warning,
};

use crate::support::{Sandbox, SystemClock, new_memory};

mod histories;
mod linked;
mod renamed;

/// How long comparing the journals may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The number of memories that are written while git replaces their journal.
const WRITES: usize = 300;

/// Runs git; returns whether it succeeded. Git refuses to replace a file that is being changed.
fn git(root: &Path, arguments: &[&str]) -> bool {
    run_git(root, arguments).status.success()
}

/// Runs git; returns what it prints.
fn git_output(root: &Path, arguments: &[&str]) -> String {
    String::from_utf8_lossy(&run_git(root, arguments).stdout).into_owned()
}

fn run_git(root: &Path, arguments: &[&str]) -> Output {
    let mut git = Command::new("git");
    git.current_dir(root).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
    git.args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0"]).args(arguments);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    git.output().expect("git runs")
}

fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    assert!(git(&sandbox.root(), &["init", "--quiet", "--initial-branch=main"]));
    assert!(git(&sandbox.root(), &["add", "."]));
    assert!(git(&sandbox.root(), &["commit", "--quiet", "-m", "first"]));
    sandbox
}

fn remember(sandbox: &Sandbox, engine: &Engine, number: usize) -> MemoryId {
    let memory = new_memory(
        MemoryType::Lesson,
        format!("Lesson {number}"),
        format!("Wombat number {number} digs burrow {number}{number}."),
    );
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

fn problems(sandbox: &Sandbox, engine: &Engine, fix: Fix) -> Vec<Problem> {
    let request = DoctorRequest { scope: Scope::Project, fix, secrets: SecretScan::Off };
    let findings = engine.doctor(&sandbox.origin(), &request).expect("checked").findings;
    findings.into_iter().filter(|finding| !finding.is_fixed).map(|finding| finding.problem).collect()
}

/// Sends searches until a condition holds.
#[track_caller]
fn wait(sandbox: &Sandbox, engine: &Engine, what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}: {:?}", problems(sandbox, engine, Fix::Nothing));
        sandbox.search(engine, "wombat");
    }
}

/// Drops the lines that are in no commit.
fn drop_uncommitted(sandbox: &Sandbox) {
    assert!(git(&sandbox.root(), &["checkout", "--quiet", "--", ".recall"]));
}

fn commit(sandbox: &Sandbox) {
    let root = sandbox.root();
    assert!(git(&root, &["add", "--force", "--all", "."]) && git(&root, &["commit", "--quiet", "-m", "more"]));
}

/// Returns the record of the fates of missing events.
fn fates(sandbox: &Sandbox) -> String {
    let log = sandbox.home().join("written");
    let log = fs::read_dir(log).expect("a log").flatten().find(|entry| entry.path().is_dir()).expect("of the project");
    fs::read_to_string(log.path().join("returned.jsonl")).unwrap_or_default()
}

/// Removes the last line of the only journal, as a person does in an editor.
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
    let first = remember(&sandbox, &engine, 1);
    commit(&sandbox);
    let ids = [first, remember(&sandbox, &engine, 2)].map(|id| id.to_string());
    sandbox.search(&engine, "wombat");
    drop_uncommitted(&sandbox);
    assert_eq!(added(&sandbox).len(), 1);
    let all = BTreeMap::from(ids.clone().map(|id| (id, 1)));
    wait(&sandbox, &engine, "put back", || added(&sandbox) == all);
    let told = problems(&sandbox, &engine, Fix::Nothing);
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

    let warnings = sandbox.search(&engine, "wombat").warnings;
    let is_named = |warning: &Warning| matches!(warning, Warning::PutBack { ids: named } if named.len() == 1 && ids.contains(&named[0].to_string()));
    assert!(warnings.iter().any(is_named), "{warnings:?}");

    // The second time it counts as intended, also for a daemon that is started later and for a full repair.
    drop_uncommitted(&sandbox);
    engine.close();
    let engine = sandbox.engine();
    wait(&sandbox, &engine, "gone again", || problems(&sandbox, &engine, Fix::Everything).iter().any(put_back(1)));
    let third = remember(&sandbox, &engine, 3);
    drop_uncommitted(&sandbox);
    wait(&sandbox, &engine, "another one is put back", || added(&sandbox).contains_key(&third.to_string()));
    assert_eq!(added(&sandbox).len(), 2);
}

/// Sets the times at which git last wrote its files ten seconds back: a time less than a step of the clock before a memory counts as
/// one after it.
fn let_git_rest(sandbox: &Sandbox) {
    for name in ["index", "HEAD", "logs/HEAD"] {
        let file =
            fs::File::options().append(true).open(sandbox.root().join(".git").join(name)).expect("a file of git");
        let written = file.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        file.set_modified(written - Duration::from_secs(10)).expect("set");
    }
}

#[test]
fn a_line_that_a_person_removes_stays_removed() {
    let sandbox = repository();
    let_git_rest(&sandbox);
    let engine = sandbox.engine();
    let first = remember(&sandbox, &engine, 1).to_string();
    remember(&sandbox, &engine, 2);
    sandbox.search(&engine, "wombat");
    lose_last_line(&sandbox);
    let is_told = || {
        let told = problems(&sandbox, &engine, Fix::Everything);
        assert!(!told.iter().any(|problem| matches!(problem, Problem::Vanished { .. })), "{told:?}");
        told.contains(&Problem::TakenOut { events: 1 })
    };
    wait(&sandbox, &engine, "told", is_told);
    // Later changes by git do not make it an accident.
    commit(&sandbox);
    drop_uncommitted(&sandbox);
    assert!(is_told());
    assert_eq!(added(&sandbox), BTreeMap::from([(first, 1)]));
}

/// The system's clock, late by some nanoseconds.
#[derive(Default)]
struct LateClock(AtomicI64);

impl Clock for LateClock {
    fn now(&self) -> Timestamp {
        Timestamp(SystemClock.now().0 + self.0.load(Ordering::Relaxed))
    }
}

/// Removes the last line of the only journal in place, as some editors do.
fn cut_last_line(sandbox: &Sandbox) {
    let journal = journals(sandbox).pop().expect("a journal");
    let text = fs::read_to_string(&journal).expect("readable");
    let end = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    fs::write(journal, &text[..end]).expect("written");
}

#[test]
fn a_line_that_a_person_removes_stays_removed_although_git_ran_meanwhile() {
    for (is_committed, remove) in
        [(false, cut_last_line as fn(&Sandbox)), (false, lose_last_line), (true, cut_last_line), (true, lose_last_line)]
    {
        let sandbox = repository();
        let clock = Arc::new(LateClock::default());
        let engine = sandbox.engine_by_clock(Arc::clone(&clock) as Arc<dyn Clock>);
        let first = remember(&sandbox, &engine, 1).to_string();
        if is_committed {
            commit(&sandbox);
            remember(&sandbox, &engine, 4);
            drop_uncommitted(&sandbox);
        } else {
            fs::remove_dir_all(sandbox.root().join(".recall")).expect("removed");
        }
        // The first comparison is done: what was lost before the journals were read the first time is back.
        let lost = 1 + usize::from(is_committed);
        wait(&sandbox, &engine, "put back", || added(&sandbox).len() == lost);
        let known = added(&sandbox);
        let second = remember(&sandbox, &engine, 2).to_string();
        remember(&sandbox, &engine, 3);
        // It is seen in the journal, well after it was written.
        clock.0.store(2_000_000_000, Ordering::Relaxed);
        sandbox.write("b.rs", "fn b() {}\n");
        sandbox.search(&engine, "wombat");
        // Git changes its index, as it does whenever a prompt shows its state, and after that moment.
        assert!(git(&sandbox.root(), &["add", "b.rs"]));
        let index = fs::File::options().append(true).open(sandbox.root().join(".git/index")).expect("an index");
        let written = index.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        index.set_modified(written + Duration::from_secs(10)).expect("set");
        remove(&sandbox);
        let is_told = || problems(&sandbox, &engine, Fix::Nothing).contains(&Problem::TakenOut { events: 1 });
        wait(&sandbox, &engine, "told", is_told);
        let left: BTreeMap<String, usize> = known.into_iter().chain([(second, 1)]).collect();
        assert!(left.contains_key(&first));
        assert_eq!(added(&sandbox), left, "{is_committed}");
    }
}

#[test]
fn a_dropped_change_does_not_revive_a_memory_on_a_branch_without_it() {
    let sandbox = repository();
    let (engine, root) = (sandbox.engine(), sandbox.root());
    let id = remember(&sandbox, &engine, 1);
    commit(&sandbox);
    assert!(git(&root, &["checkout", "--quiet", "-b", "without"]));
    let request = RemoveRequest {
        items: vec![id.to_string()],
        scope: Scope::Project,
        tombstones: Tombstones::Keep,
        provenance: Provenance::default(),
    };
    engine.remove(&sandbox.origin(), &request).expect("deleted");
    commit(&sandbox);
    assert!(git(&root, &["checkout", "--quiet", "main"]));
    let title = Some("Wombats at midnight".to_owned());
    let update = UpdateMemory {
        id,
        title,
        content: None,
        tags: None,
        cues: None,
        related_files: None,
        expected: None,
        provenance: Provenance::default(),
        valid: recall_core::WordedTime::default(),
    };
    engine.update_memory(&sandbox.origin(), &update).expect("updated");
    drop_uncommitted(&sandbox);
    assert!(git(&root, &["checkout", "--quiet", "without"]));
    let told = problems(&sandbox, &engine, Fix::Everything);
    assert!(!told.iter().any(|problem| matches!(problem, Problem::Vanished { .. })), "{told:?}");
    assert_eq!(git_output(&root, &["status", "--porcelain"]), "");
    assert!(sandbox.search(&engine, "wombat").hits.iter().all(|hit| hit.memory.is_none()));
    // Where the memory is, its change belongs.
    assert!(git(&root, &["checkout", "--quiet", "main"]));
    let is_back = || sandbox.search(&engine, "wombat").hits.iter().any(|hit| hit.document.title.contains("midnight"));
    wait(&sandbox, &engine, "put back", is_back);
}

#[test]
fn a_memory_of_another_branch_is_in_no_answer() {
    let sandbox = repository();
    let (engine, root) = (sandbox.engine(), sandbox.root());
    remember(&sandbox, &engine, 1);
    commit(&sandbox);
    sandbox.search(&engine, "wombat");
    assert!(git(&root, &["checkout", "--quiet", "-b", "other"]));
    // No search reads the line before it is gone.
    let id = remember(&sandbox, &engine, 2);
    commit(&sandbox);
    assert!(git(&root, &["checkout", "--quiet", "main"]));
    let request = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::Project };
    assert!(engine.get(&sandbox.origin(), &request).is_err());
    let hits = |hits: Vec<recall_engine::Hit>| hits.into_iter().filter_map(|hit| hit.document.memory).count();
    assert_eq!(hits(sandbox.search(&engine, "wombat").hits), 1);
    assert!(git(&root, &["merge", "--quiet", "other"]));
    assert_eq!(hits(sandbox.search(&engine, "wombat").hits), 2);
}

#[test]
fn a_memory_that_a_commit_had_goes_with_the_commit() {
    let sandbox = repository();
    let (engine, root) = (sandbox.engine(), sandbox.root());
    assert!(git(&root, &["switch", "--quiet", "-c", "other"]));
    remember(&sandbox, &engine, 1);
    commit(&sandbox);
    assert!(git(&root, &["switch", "--quiet", "main"]));
    wait(&sandbox, &engine, "seen in git", || fates(&sandbox).contains("in_git"));
    assert!(git(&root, &["branch", "--quiet", "-D", "other"]));
    assert!(
        git(&root, &["reflog", "expire", "--expire=now", "--all"]) && git(&root, &["gc", "--quiet", "--prune=now"])
    );
    assert!(in_objects(&root).is_empty());
    let told = problems(&sandbox, &engine, Fix::Everything);
    assert!(!told.iter().any(|problem| matches!(problem, Problem::Vanished { .. })), "{told:?}");
    assert!(added(&sandbox).is_empty());
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
fn a_memory_whose_file_was_removed_is_put_back_into_the_file_of_the_next_one() {
    let sandbox = repository();
    let engine = sandbox.engine();
    let first = remember(&sandbox, &engine, 1).to_string();
    sandbox.search(&engine, "wombat");
    fs::remove_dir_all(sandbox.root().join(".recall")).expect("removed");
    let second = remember(&sandbox, &engine, 2).to_string();
    let both = BTreeMap::from([(first, 1), (second, 1)]);
    wait(&sandbox, &engine, "put back", || added(&sandbox) == both);
}

#[test]
fn a_memory_that_git_still_has_is_not_put_back() {
    let sandbox = repository();
    let (engine, root) = (sandbox.engine(), sandbox.root());
    remember(&sandbox, &engine, 1);
    // In a stash, as an untracked file; on another branch; only in the index; in an earlier state of a branch.
    let check = |what: &str| {
        let told = problems(&sandbox, &engine, Fix::Everything);
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
    let told = problems(&sandbox, &engine, Fix::Nothing);
    let is_told = |problem: &Problem| matches!(problem, Problem::Vanished { events: 1, reason: Some(_) });
    assert!(told.iter().any(is_told), "{told:?}");
    assert!(added(&sandbox).is_empty());
    let told = problems(&sandbox, &engine, Fix::Everything);
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
    let told = problems(&sandbox, &engine, Fix::Everything);
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

/// Says that nothing is written any more, also when a write panics.
struct EndOfWrites<'a>(&'a AtomicBool);

impl Drop for EndOfWrites<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
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
        let end = EndOfWrites(&is_writing);
        let ids: Vec<String> = (0..WRITES).map(|number| remember(&sandbox, &engine, number).to_string()).collect();
        drop(end);
        (ids, switching.join().expect("no panic"))
    });
    let lost = || {
        let (here, kept) = (added(&sandbox), in_objects(&root));
        ids.iter().filter(|id| !here.contains_key(*id) && !kept.contains(*id)).count()
    };
    let lost_at_first = lost();
    wait(&sandbox, &engine, "nothing is lost", || lost() == 0);
    println!("{WRITES} writes, {switches} switches: {lost_at_first} lost at first");
    let notes = fates(&sandbox);
    let lines = || notes.lines().filter(|line| line.contains("put_back"));
    let put_back: BTreeSet<&str> = lines().map(|line| line.split("\"at\"").next().expect("a line")).collect();
    assert_eq!(put_back.len(), lines().count(), "no event is put back twice");
}
