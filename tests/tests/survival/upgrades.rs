//! Upgrades: a newer command replaces the daemon while an older session works, and cycles of starts, ends, kills and upgrades leave
//! nothing behind.
//!
//! The daemon under test takes its version from `RECALL_TEST_VERSION`, which clients pass on to it. `RECALL_UPGRADES=500 cargo test -p
//! recall-tests --test survival upgrades` runs more cycles.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_client::daemon::{Holder, log_file};
use recall_testkit::{Outcome, Project, Running, wait_until};
use recall_tests::{Agent, Sandbox, sandbox};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// How often the daemon is replaced under the session.
const REPLACEMENTS: u32 = 20;

/// The default number of cycles.
const CYCLES: u32 = 15;

/// How many newer clients meet an older daemon at once.
const CLIENTS: usize = 6;

/// The seed of the order of steps.
const SEED: u64 = 25;

/// The polling interval.
const POLL: Duration = Duration::from_millis(5);

/// How long superfluous processes may take to end: longer than the longest drain.
const GRACE: Duration = Duration::from_secs(20);

/// The files of a daemon in its runtime folder.
const RUNTIME_FILES: [&str; 3] = ["recalld.lock", "recalld.sock", "start.lock"];

/// The name of a version; all are older than the programs under test, so that their daemon decides.
fn version(number: u32) -> String {
    format!("0.0.{number}")
}

/// Starts `recall` whose daemon has a version.
fn start(sandbox: &Sandbox, project: &Project, number: u32, arguments: &[&str]) -> Running {
    let mut command = sandbox.command(&sandbox.binaries().recall, project.root());
    command.env("RECALL_TEST_VERSION", version(number)).args(arguments);
    Running::start(command)
}

/// Runs `recall daemon start` of a version.
fn upgrade(sandbox: &Sandbox, project: &Project, number: u32) -> Outcome {
    start(sandbox, project, number, &["--json", "daemon", "start"]).finish()
}

/// Starts an agent with an MCP server of the oldest version.
fn agent_in(sandbox: &Sandbox, project: &Project) -> Agent {
    let mut command = sandbox.command(&sandbox.binaries().recall_shim, project.root());
    command.env("RECALL_TEST_VERSION", version(0));
    Agent::new(Running::start(command))
}

/// Calls a tool, which must not fail; returns its text.
fn ask(agent: &mut Agent, tool: &str, arguments: &Value) -> String {
    let (text, is_error) = agent.call(tool, arguments);
    assert!(!is_error, "{tool}: {text}");
    text
}

#[test]
fn a_session_loses_no_call_while_the_daemon_is_replaced() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("src/burrow.rs", "pub fn wombat_burrow() {}\n")]);
    let mut agent = agent_in(&sandbox, &project);
    ask(&mut agent, "recall_search", &json!({"query": "wombat_burrow"}));
    let is_done = AtomicBool::new(false);
    let titles = std::thread::scope(|scope| {
        let upgrades = scope.spawn(|| {
            // Also if an upgrade fails, the session must end.
            let outcomes: Vec<_> = (1..=REPLACEMENTS).map(|number| upgrade(&sandbox, &project, number)).collect();
            is_done.store(true, Ordering::SeqCst);
            outcomes
        });
        let mut titles = Vec::new();
        while !is_done.load(Ordering::SeqCst) {
            let found = ask(&mut agent, "recall_search", &json!({"query": "wombat_burrow"}));
            assert!(found.contains("src/burrow.rs"), "{found}");
            let title = format!("Finding number {} of the session", titles.len());
            let content = format!("{title}: {}", words(titles.len() as u64));
            ask(
                &mut agent,
                "recall_add",
                &json!({"type": "lesson", "title": title, "content": content, "force": true}),
            );
            titles.push(title);
        }
        for (number, outcome) in (1..).zip(upgrades.join().expect("no panic")) {
            let state: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"));
            assert_eq!(state["version"], version(number), "{outcome:?}");
            assert_eq!(state["changed"], true, "{outcome:?}");
        }
        titles
    });
    let journals = journals(&project.path(".recall"));
    for title in &titles {
        let times = journals.lines().filter(|line| line.contains(&format!("\"title\":\"{title}\""))).count();
        assert_eq!(times, 1, "{title} of {}", titles.len());
    }
    let found = sandbox.recall(&project, &["search", titles.last().expect("some were added")]);
    assert!(found.stdout.contains(titles.last().expect("some were added")), "{found:?}");
    wait_until("one daemon to be left", || (daemons(&sandbox, &agent) == 1).then_some(()));
}

/// The number of processes besides the agent's server.
fn daemons(sandbox: &Sandbox, agent: &Agent) -> usize {
    sandbox.processes().into_iter().filter(|id| *id != agent.shim.id().cast_signed()).count()
}

/// A text that differs from all others.
fn words(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let word = |random: &mut fastrand::Rng| (0..6).map(|_| random.lowercase()).collect::<String>();
    (0..15).map(|_| word(&mut random)).collect::<Vec<_>>().join(" ")
}

/// The lines of all journals of memories.
fn journals(folder: &Path) -> String {
    let days = fs::read_dir(folder).expect("there").map(|entry| entry.expect("readable").path());
    days.filter_map(|day| fs::read_to_string(day.join("memories.jsonl")).ok()).collect()
}

/// A step of a cycle.
#[derive(Clone, Copy, Debug)]
enum Step {
    Start,
    Stop,
    Kill,
    Terminate,
    Upgrade,
    UpgradeByMany,
    OlderClient,
}

const STEPS: [Step; 7] =
    [Step::Start, Step::Stop, Step::Kill, Step::Terminate, Step::Upgrade, Step::UpgradeByMany, Step::OlderClient];

#[test]
fn starts_ends_kills_and_upgrades_leave_nothing_behind() {
    let cycles = std::env::var("RECALL_UPGRADES").map_or(CYCLES, |cycles| cycles.parse().expect("a number of cycles"));
    let mut random = fastrand::Rng::with_seed(SEED);
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("src/burrow.rs", "pub fn wombat_burrow() {}\n")]);
    let search = |number: u32| start(&sandbox, &project, number, &["search", "wombat_burrow"]);
    let mut newest = 1;
    let succeeds = |running: Running, step: Step| {
        let outcome = running.finish();
        let log = || fs::read_to_string(log_file(&sandbox.dirs())).unwrap_or_default();
        assert_eq!(outcome.code, Some(0), "{step:?}: {outcome:?}\n{}", log());
    };
    succeeds(search(newest), Step::Start);
    let known = files(&sandbox.recall_home());
    for cycle in 0..cycles {
        let step = STEPS[random.usize(..STEPS.len())];
        match step {
            Step::Start => succeeds(start(&sandbox, &project, newest, &["daemon", "start"]), step),
            Step::Stop => succeeds(start(&sandbox, &project, newest, &["daemon", "stop"]), step),
            Step::Kill => signal(&sandbox, Signal::KILL),
            Step::Terminate => signal(&sandbox, Signal::TERM),
            Step::Upgrade => {
                newest += 1;
                succeeds(search(newest), step);
            }
            Step::UpgradeByMany => {
                newest += 1;
                let searches: Vec<_> = (0..CLIENTS).map(|_| search(newest)).collect();
                for running in searches {
                    succeeds(running, step);
                }
            }
            Step::OlderClient => succeeds(search(newest - 1), step),
        }
        succeeds(search(newest), step);
        if settled(&sandbox).is_empty() {
            // The daemon that answered was already shutting down.
            succeeds(search(newest), step);
        }
        let processes = settled(&sandbox);
        assert_eq!(processes.len(), 1, "{cycle} {step:?}: {processes:?}");
        let runtime = names_in(&sandbox.dirs().runtime);
        assert!(runtime.iter().all(|name| RUNTIME_FILES.contains(&name.as_str())), "{cycle} {step:?}: {runtime:?}");
        assert!(names_in(&sandbox.dirs().data.join("markers")).len() <= 1, "{cycle} {step:?}: markers are left");
        let surplus: Vec<_> = files(&sandbox.recall_home()).difference(&known).cloned().collect();
        assert!(surplus.is_empty(), "{cycle} {step:?}: {surplus:?}");
    }
    succeeds(start(&sandbox, &project, newest, &["daemon", "stop"]), Step::Stop);
    assert_eq!(sandbox.processes(), [0_i32; 0]);
    assert!(!sandbox.dirs().socket().exists());
    assert_eq!(names_in(&sandbox.dirs().data.join("markers")), BTreeSet::new());
}

/// The processes that are left once those that are ending have ended.
fn settled(sandbox: &Sandbox) -> Vec<i32> {
    let began = Instant::now();
    loop {
        let processes = sandbox.processes();
        let is_ending = || Holder::find(&sandbox.dirs()).is_some() && !sandbox.is_listening();
        if (processes.len() <= 1 && !is_ending()) || began.elapsed() > GRACE {
            return processes;
        }
        std::thread::park_timeout(POLL);
    }
}

fn signal(sandbox: &Sandbox, signal: Signal) {
    let pid = Holder::find(&sandbox.dirs()).and_then(|holder| holder.pid());
    if let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
        // It may have ended already.
        let _ = kill_process(pid, signal);
    }
}

/// The files below a folder by relative path, except those whose names change with their content, the markers of the running daemon and
/// its socket.
fn files(root: &Path) -> BTreeSet<String> {
    fn collect(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
            let changes = ["/lexical/", "/vectors/", "data/markers/", "/logs/", "catalog.db-", "run/", "/retrievals"];
            if path.is_dir() {
                collect(&path, root, found);
            } else if !changes.iter().any(|part| name.contains(part)) {
                found.insert(name);
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(root, root, &mut found);
    found
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
