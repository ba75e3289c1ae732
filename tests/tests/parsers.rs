//! Parsers in child processes: a text that crashes or hangs one costs one file.
//!
//! The daemon under test has workers that crash on a marker; see `src/bin/recalld.rs`.

#![cfg(target_os = "linux")]

use std::fs;
use std::time::{Duration, Instant};

use recall_testkit::{Project, Running, wait_until};
use recall_tests::{Sandbox, sandbox};
use rustix::process::{Pid, Signal, kill_process};

/// The number of files besides the one that crashes.
const FILES: usize = 200;

/// A daemon and a project.
struct Case {
    sandbox: Sandbox,
    project: Project,
    _daemon: Running,
}

impl Case {
    fn new() -> Self {
        let sandbox = sandbox!().with_variable("RECALL_DAEMON__PARSER_IDLE", "2s");
        let project = sandbox.project("burrows", &[]);
        let daemon = sandbox.start_daemon(&["--foreground"]);
        Self { sandbox, project, _daemon: daemon }
    }

    fn write_files(&self) {
        for number in 0..FILES {
            let functions = (0..20).map(|at| format!("pub fn burrow_{number}_{at}() -> usize {{ {at} }}\n"));
            self.project.write(&format!("src/burrow_{number}.rs"), functions.collect::<String>());
        }
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let outcome = self.sandbox.recall(&self.project, arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
        outcome.stdout
    }

    fn pid(&self) -> i32 {
        let all = self.sandbox.processes();
        assert_eq!(all.len(), 1, "one daemon: {all:?}");
        all[0]
    }

    /// The file is found by its words, all others by the names of their functions, and the daemon is the same.
    fn check(&self, pid: i32, reason: &str) {
        assert!(self.succeeds(&["search", "wombats dig tunnels"]).contains("bad.rs"));
        let failures = self.succeeds(&["status", "--failures"]);
        let line = failures.lines().find(|line| line.contains("bad.rs"));
        assert!(line.is_some_and(|line| line.contains(reason)), "{failures}");
        assert_eq!(failures.matches("indexed in windows").count(), 1, "{failures}");
        let status = self.succeeds(&["status"]);
        assert!(status.contains(&format!("documents    {}", FILES + 1)), "{status}");
        assert_eq!(self.pid(), pid);
    }
}

/// The parse workers of a daemon.
fn workers(daemon: i32) -> Vec<i32> {
    let all = fs::read_dir("/proc").expect("Linux").flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|id| id.trim() == daemon.to_string()))
            && is_worker(*pid)
    })
    .collect()
}

fn is_worker(pid: i32) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line == b"recalld\0parse-worker\0"
}

fn kill(pid: i32) {
    // It may have ended.
    let _ = kill_process(Pid::from_raw(pid).expect("a process id"), Signal::KILL);
}

fn bad(marker: &str) -> String {
    format!("// Wombats dig tunnels.\n// TEST: THE PARSER {marker} HERE\npub fn dig() {{}}\n")
}

#[test]
fn a_crash_costs_one_file_of_two_hundred() {
    for (marker, reason) in [("ABORTS", "crashed with SIGABRT"), ("OVERFLOWS ITS STACK", "crashed with SIG")] {
        let case = Case::new();
        let pid = case.pid();
        case.write_files();
        case.project.write("src/bad.rs", bad(marker));
        case.succeeds(&["add", "."]);
        case.check(pid, reason);
        for number in (0..FILES).step_by(37) {
            let name = format!("burrow_{number}_7");
            assert!(case.succeeds(&["search", &name]).contains(&format!("src/burrow_{number}.rs")), "{name}");
        }
    }
}

#[test]
fn a_hang_ends_after_the_limit() {
    let case = Case::new();
    let pid = case.pid();
    case.write_files();
    case.succeeds(&["add", "."]);
    case.project.write("src/bad.rs", bad("HANGS"));
    let began = Instant::now();
    case.succeeds(&["add", "."]);
    let took = began.elapsed();
    // The limit is two seconds of processor time, of which a loaded machine gives the worker a part.
    assert!(took > Duration::from_secs(2) && took < Duration::from_mins(1), "{took:?}");
    case.check(pid, "did not end within 2000 ms");
    // Its content has not changed, so it is not parsed again.
    let began = Instant::now();
    case.succeeds(&["add", "."]);
    assert!(began.elapsed() < took, "{:?}", began.elapsed());
}

#[test]
fn an_import_survives_that_its_workers_are_killed() {
    let case = Case::new();
    let pid = case.pid();
    case.write_files();
    let mut import = case.sandbox.start_recall(&case.project, &["add", "."]);
    let mut killed = 0;
    while !import.has_ended() {
        for worker in workers(pid) {
            kill(worker);
            killed += 1;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(import.finish().code, Some(0));
    assert!(killed > 0, "no worker was found");
    let status = case.succeeds(&["status"]);
    assert!(status.contains(&format!("documents    {FILES}")), "{status}");
    for number in (0..FILES).step_by(37) {
        assert!(case.succeeds(&["search", &format!("burrow_{number}_7")]).contains(&format!("burrow_{number}.rs")));
    }
    assert_eq!(case.pid(), pid);
}

/// What the open descriptors of a process lead to.
fn open_files(pid: impl std::fmt::Display) -> Vec<String> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs").flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok()).map(|file| file.display().to_string()).collect()
}

#[test]
fn workers_have_nothing_and_leave_when_idle() {
    let inherited = open_files(std::process::id());
    let case = Case::new();
    let pid = case.pid();
    case.write_files();
    case.succeeds(&["add", "."]);
    let working = workers(pid);
    assert!(!working.is_empty());
    for worker in &working {
        // What the daemon itself was started with may be there as well.
        let own = open_files(worker).into_iter().filter(|file| !inherited.contains(file));
        assert!(
            own.clone().all(|file| file.starts_with("pipe:") || file == "/dev/null"),
            "{:?}",
            own.collect::<Vec<_>>()
        );
        assert_eq!(fs::read(format!("/proc/{worker}/environ")).expect("it runs"), b"");
        let limits = fs::read_to_string(format!("/proc/{worker}/limits")).expect("it runs");
        assert!(limits.lines().any(|line| line.starts_with("Max core file size") && line.contains(" 0 ")), "{limits}");
    }
    wait_until("no worker", || workers(pid).is_empty().then_some(()));
}

#[test]
fn no_worker_outlives_its_daemon() {
    for marker in ["HANGS", "RUNS"] {
        let case = Case::new();
        let pid = case.pid();
        case.project.write("src/bad.rs", bad(marker));
        let import = case.sandbox.start_recall(&case.project, &["add", "."]);
        let running = wait_until("a worker", || Some(workers(pid)).filter(|workers| !workers.is_empty()));
        kill(pid);
        wait_until("the end of the workers", || running.iter().all(|worker| !is_worker(*worker)).then_some(()));
        drop(import);
    }
}
