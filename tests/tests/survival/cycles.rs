//! Cycles of starting, ending, suspending and overloading the daemon, and deleting its files: after each cycle a search
//! succeeds and one daemon is left.
//!
//! `RECALL_CYCLES=220 RECALL_CYCLES_SEED=7 cargo test -p recall-tests --test survival cycles` runs more cycles, in another order.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use recall_client::daemon::Holder;
use recall_testkit::{Project, Running};
use recall_tests::{Sandbox, sandbox};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

/// The default number of cycles. They take about half a minute.
const CYCLES: usize = 30;

/// The default seed of their order.
const SEED: u64 = 20;

/// The connection limit of a daemon, as in the settings.
const CONNECTIONS: usize = 512;

/// The file that a search must find.
const EXPECTED: &str = "src/burrow.rs";

/// How long a daemon stays suspended while a client waits for it.
const SUSPENSION: Duration = Duration::from_millis(200);

/// The polling interval.
const POLL: Duration = Duration::from_millis(5);

/// How long superfluous processes may take to end: longer than the longest drain.
const GRACE: Duration = Duration::from_secs(20);

/// The names of a daemon's files.
const RUNTIME_FILES: [&str; 3] = ["recalld.lock", "recalld.sock", "start.lock"];

/// A step of a cycle.
#[derive(Clone, Copy, Debug)]
enum Step {
    Start,
    Stop,
    Restart,
    Kill,
    Terminate,
    Interrupt,
    Pause,
    Search,
    SixSearches,
    NoDaemon,
    DeleteSocket,
    DeleteLock,
    DeleteDataLock,
    DeleteFolder,
    SilentConnections,
    HttpPreface,
}

const STEPS: [Step; 16] = [
    Step::Start,
    Step::Stop,
    Step::Restart,
    Step::Kill,
    Step::Terminate,
    Step::Interrupt,
    Step::Pause,
    Step::Search,
    Step::SixSearches,
    Step::NoDaemon,
    Step::DeleteSocket,
    Step::DeleteLock,
    Step::DeleteDataLock,
    Step::DeleteFolder,
    Step::SilentConnections,
    Step::HttpPreface,
];

/// The most steps of a cycle.
const STEPS_PER_CYCLE: usize = 3;

/// A sandbox with a project, and the failures observed in it.
struct Case {
    sandbox: Sandbox,
    project: Project,
    /// Connections that are kept open until the end of the cycle.
    open: Vec<UnixStream>,
    failures: Vec<String>,
    took: Vec<Duration>,
}

#[test]
fn after_every_cycle_a_search_answers_and_one_daemon_is_left() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let cycles = number("RECALL_CYCLES").map_or(CYCLES, |cycles| cycles as usize);
    let seed = number("RECALL_CYCLES_SEED").unwrap_or(SEED);
    let mut random = fastrand::Rng::with_seed(seed);
    // Each connection is an open file of this process too.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("within what is allowed");
    let sandbox = sandbox!();
    let temporary = sandbox.path().join("t");
    fs::create_dir(&temporary).expect("the sandbox is new");
    let sandbox = sandbox.with_variable("TMPDIR", temporary.to_str().expect("plain"));
    let project = sandbox.project("shop", &[(EXPECTED, "pub fn wombat_burrow() {}\n"), ("README.md", "A shop.\n")]);
    let mut case = Case { sandbox, project, open: Vec::new(), failures: Vec::new(), took: Vec::new() };
    for cycle in 0..cycles {
        let steps: Vec<Step> =
            (0..random.usize(1..=STEPS_PER_CYCLE)).map(|_| STEPS[random.usize(..STEPS.len())]).collect();
        let before = case.failures.len();
        for step in &steps {
            case.run_step(*step);
        }
        case.check();
        case.open.clear();
        for failure in &mut case.failures[before..] {
            *failure = format!("cycle {cycle}, {steps:?}: {failure}");
        }
    }
    let (failures, mut took) = (case.failures, case.took);
    took.sort();
    let (median, longest) = (took[took.len() / 2], took[took.len() - 1]);
    let reported =
        format!("{cycles} cycles from seed {seed}: {} failures, p50 {median:?}, most {longest:?}", failures.len());
    eprintln!("{reported}");
    assert!(failures.is_empty(), "{reported}\n{}", failures.join("\n"));
}

impl Case {
    fn run_step(&mut self, step: Step) {
        let dirs = self.sandbox.dirs();
        match step {
            Step::Start => self.commands("start"),
            Step::Stop => self.commands("stop"),
            Step::Restart => self.commands("restart"),
            Step::Kill => self.signal(Signal::KILL),
            Step::Terminate => self.signal(Signal::TERM),
            Step::Interrupt => self.signal(Signal::INT),
            Step::Pause => self.pause(),
            Step::Search => self.searches(1, &[]),
            Step::SixSearches => self.searches(6, &[]),
            Step::NoDaemon => self.searches(1, &["--no-daemon"]),
            // A missing file need not be deleted.
            Step::DeleteSocket => drop(fs::remove_file(dirs.socket())),
            Step::DeleteLock => drop(fs::remove_file(dirs.lock())),
            Step::DeleteDataLock => drop(fs::remove_file(dirs.data_lock())),
            Step::DeleteFolder => drop(fs::remove_dir_all(&dirs.runtime)),
            Step::SilentConnections => self.connect(b""),
            Step::HttpPreface => self.connect(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
        }
    }

    fn commands(&mut self, command: &str) {
        let outcome = self.sandbox.recall(&self.project, &["daemon", command]);
        if outcome.code != Some(0) {
            self.failures.push(format!("daemon {command}: {outcome:?}"));
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Holder::find(&self.sandbox.dirs()).and_then(|holder| holder.pid());
        if let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
            // It may be ending already.
            let _ = kill_process(pid, signal);
        }
    }

    /// Suspends the process while a client searches, and resumes it.
    fn pause(&mut self) {
        let holder = Holder::find(&self.sandbox.dirs()).and_then(|holder| holder.pid());
        let Some(pid) = holder.and_then(|pid| Pid::from_raw(pid.cast_signed())) else { return };
        if kill_process(pid, Signal::STOP).is_err() {
            return;
        }
        let mut search = self.search(&[]);
        let began = Instant::now();
        while began.elapsed() < SUSPENSION && !search.has_ended() {
            std::thread::park_timeout(POLL);
        }
        // The client may have ended it.
        let _ = kill_process(pid, Signal::CONT);
        self.judge(search, began);
    }

    fn searches(&mut self, times: usize, arguments: &[&str]) {
        let began = Instant::now();
        let searches: Vec<_> = (0..times).map(|_| self.search(arguments)).collect();
        for search in searches {
            self.judge(search, began);
        }
    }

    fn search(&self, arguments: &[&str]) -> Running {
        self.sandbox.start_recall(&self.project, &[arguments, &["search", "wombat_burrow"]].concat())
    }

    fn judge(&mut self, search: Running, began: Instant) {
        let outcome = search.finish();
        self.took.push(began.elapsed());
        if outcome.code != Some(0) || !outcome.stdout.contains(EXPECTED) {
            self.failures.push(format!("a search: {outcome:?}"));
        }
    }

    /// Uses up the connections of the daemon, if one runs.
    fn connect(&mut self, greeting: &[u8]) {
        for _ in 0..CONNECTIONS {
            let Ok(mut stream) = UnixStream::connect(self.sandbox.dirs().socket()) else { return };
            // The daemon may have closed it in favour of the next one.
            let _ = stream.write_all(greeting);
            self.open.push(stream);
        }
    }

    /// Checks that a search succeeds, and that one daemon and nothing else is left.
    fn check(&mut self) {
        self.searches(1, &[]);
        if self.processes().is_empty() {
            // The daemon that answered was already shutting down.
            self.searches(1, &[]);
        }
        let processes = self.processes();
        if processes.len() != 1 {
            self.failures.push(format!("{} processes are left: {processes:?}", processes.len()));
        }
        let runtime = names_in(&self.sandbox.dirs().runtime);
        let surplus: Vec<_> = runtime.iter().filter(|name| !RUNTIME_FILES.contains(&name.as_str())).collect();
        let private = names_in(&self.sandbox.path().join("t"));
        if !surplus.is_empty() || !private.is_empty() {
            self.failures.push(format!("left behind: {surplus:?} {private:?}"));
        }
    }
}

impl Case {
    /// The processes that are left once those that are ending have ended.
    fn processes(&self) -> Vec<i32> {
        let began = Instant::now();
        loop {
            let processes = self.sandbox.processes();
            let is_ending = || Holder::find(&self.sandbox.dirs()).is_some_and(|_| !self.sandbox.is_listening());
            if (processes.len() <= 1 && !is_ending()) || began.elapsed() > GRACE {
                return processes;
            }
            std::thread::park_timeout(POLL);
        }
    }
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
