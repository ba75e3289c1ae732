//! Cycles of starting, ending, suspending and overloading the daemon, and deleting its files: after each cycle a search
//! succeeds and one daemon is left.
//!
//! `RECALL_CYCLES=220 RECALL_CYCLES_SEED=7 cargo test -p recall-tests --test survival cycles` tries other orders, and more.

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

/// How many cycles there are, unless the environment says otherwise: some half a minute.
const CYCLES: usize = 30;

/// What decides about their order, unless the environment says otherwise.
const SEED: u64 = 20;

/// The most connections that a daemon takes, as the settings have it.
const CONNECTIONS: usize = 512;

/// What a search must find.
const WANTED: &str = "src/burrow.rs";

/// How long a daemon that was stopped is kept so while a client waits for it.
const STOPPED: Duration = Duration::from_millis(200);

/// How often it is looked whether something has happened.
const LOOK: Duration = Duration::from_millis(5);

/// How long processes that are superfluous may take to end: longer than the longest drain.
const ENDING: Duration = Duration::from_secs(20);

/// What the files of a daemon are called.
const RUNTIME_FILES: [&str; 3] = ["recalld.lock", "recalld.sock", "start.lock"];

/// What is done to a daemon, or asked of one.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Start,
    Stop,
    Restart,
    Kill,
    Terminate,
    Interrupt,
    Pause,
    Search,
    SixAtOnce,
    NoDaemon,
    DeleteSocket,
    DeleteLock,
    DeleteDataLock,
    DeleteFolder,
    Silence,
    Preface,
}

const DEEDS: [Deed; 16] = [
    Deed::Start,
    Deed::Stop,
    Deed::Restart,
    Deed::Kill,
    Deed::Terminate,
    Deed::Interrupt,
    Deed::Pause,
    Deed::Search,
    Deed::SixAtOnce,
    Deed::NoDaemon,
    Deed::DeleteSocket,
    Deed::DeleteLock,
    Deed::DeleteDataLock,
    Deed::DeleteFolder,
    Deed::Silence,
    Deed::Preface,
];

/// The most that is done in one cycle.
const DEEDS_A_CYCLE: usize = 3;

/// A sandbox with a project, and what was odd in it.
struct Place {
    sandbox: Sandbox,
    project: Project,
    /// Connections that are kept open until the end of the cycle.
    open: Vec<UnixStream>,
    odd: Vec<String>,
    took: Vec<Duration>,
}

#[test]
fn after_every_cycle_a_search_answers_and_one_daemon_is_left() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let cycles = number("RECALL_CYCLES").map_or(CYCLES, |cycles| cycles as usize);
    let seed = number("RECALL_CYCLES_SEED").unwrap_or(SEED);
    let mut random = fastrand::Rng::with_seed(seed);
    // Each connection is a file of this process too.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("within what is allowed");
    let sandbox = sandbox!();
    let temporary = sandbox.path().join("t");
    fs::create_dir(&temporary).expect("the sandbox is new");
    let sandbox = sandbox.with_variable("TMPDIR", temporary.to_str().expect("plain"));
    let project = sandbox.project("shop", &[(WANTED, "pub fn wombat_burrow() {}\n"), ("README.md", "A shop.\n")]);
    let mut place = Place { sandbox, project, open: Vec::new(), odd: Vec::new(), took: Vec::new() };
    for cycle in 0..cycles {
        let deeds: Vec<Deed> =
            (0..random.usize(1..=DEEDS_A_CYCLE)).map(|_| DEEDS[random.usize(..DEEDS.len())]).collect();
        let before = place.odd.len();
        for deed in &deeds {
            place.does(*deed);
        }
        place.check();
        place.open.clear();
        for odd in &mut place.odd[before..] {
            *odd = format!("cycle {cycle}, {deeds:?}: {odd}");
        }
    }
    let (odd, mut took) = (place.odd, place.took);
    took.sort();
    let (median, longest) = (took[took.len() / 2], took[took.len() - 1]);
    let told = format!("{cycles} cycles from seed {seed}: {} odd, p50 {median:?}, most {longest:?}", odd.len());
    eprintln!("{told}");
    assert!(odd.is_empty(), "{told}\n{}", odd.join("\n"));
}

impl Place {
    fn does(&mut self, deed: Deed) {
        let dirs = self.sandbox.dirs();
        match deed {
            Deed::Start => self.commands("start"),
            Deed::Stop => self.commands("stop"),
            Deed::Restart => self.commands("restart"),
            Deed::Kill => self.signal(Signal::KILL),
            Deed::Terminate => self.signal(Signal::TERM),
            Deed::Interrupt => self.signal(Signal::INT),
            Deed::Pause => self.pause(),
            Deed::Search => self.searches(1, &[]),
            Deed::SixAtOnce => self.searches(6, &[]),
            Deed::NoDaemon => self.searches(1, &["--no-daemon"]),
            // What is not there need not be deleted.
            Deed::DeleteSocket => drop(fs::remove_file(dirs.socket())),
            Deed::DeleteLock => drop(fs::remove_file(dirs.lock())),
            Deed::DeleteDataLock => drop(fs::remove_file(dirs.data_lock())),
            Deed::DeleteFolder => drop(fs::remove_dir_all(&dirs.runtime)),
            Deed::Silence => self.connect(b""),
            Deed::Preface => self.connect(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
        }
    }

    fn commands(&mut self, command: &str) {
        let outcome = self.sandbox.recall(&self.project, &["daemon", command]);
        if outcome.code != Some(0) {
            self.odd.push(format!("daemon {command}: {outcome:?}"));
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Holder::of(&self.sandbox.dirs()).and_then(|holder| holder.pid());
        if let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
            // It may just be ending.
            let _ = kill_process(pid, signal);
        }
    }

    /// Stops the process while a client searches, and lets it go on.
    fn pause(&mut self) {
        let holder = Holder::of(&self.sandbox.dirs()).and_then(|holder| holder.pid());
        let Some(pid) = holder.and_then(|pid| Pid::from_raw(pid.cast_signed())) else { return };
        if kill_process(pid, Signal::STOP).is_err() {
            return;
        }
        let mut search = self.search(&[]);
        let began = Instant::now();
        while began.elapsed() < STOPPED && !search.has_ended() {
            std::thread::park_timeout(LOOK);
        }
        // Its client may have ended it.
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
        if outcome.code != Some(0) || !outcome.stdout.contains(WANTED) {
            self.odd.push(format!("a search: {outcome:?}"));
        }
    }

    /// Takes every place of the daemon, as far as there is one.
    fn connect(&mut self, greeting: &[u8]) {
        for _ in 0..CONNECTIONS {
            let Ok(mut stream) = UnixStream::connect(self.sandbox.dirs().socket()) else { return };
            // The daemon may have closed it for the next one.
            let _ = stream.write_all(greeting);
            self.open.push(stream);
        }
    }

    /// A search answers, one daemon is left, and nothing else.
    fn check(&mut self) {
        self.searches(1, &[]);
        if self.processes().is_empty() {
            // The daemon that answered was told to end before.
            self.searches(1, &[]);
        }
        let processes = self.processes();
        if processes.len() != 1 {
            self.odd.push(format!("{} processes are left: {processes:?}", processes.len()));
        }
        let runtime = names_in(&self.sandbox.dirs().runtime);
        let surplus: Vec<_> = runtime.iter().filter(|name| !RUNTIME_FILES.contains(&name.as_str())).collect();
        let private = names_in(&self.sandbox.path().join("t"));
        if !surplus.is_empty() || !private.is_empty() {
            self.odd.push(format!("left behind: {surplus:?} {private:?}"));
        }
    }
}

impl Place {
    /// The processes that are left once those that are ending have ended: one, or none.
    fn processes(&self) -> Vec<i32> {
        let began = Instant::now();
        loop {
            let processes = self.sandbox.processes();
            let is_ending = || Holder::of(&self.sandbox.dirs()).is_some_and(|_| !self.sandbox.is_listening());
            if (processes.len() <= 1 && !is_ending()) || began.elapsed() > ENDING {
                return processes;
            }
            std::thread::park_timeout(LOOK);
        }
    }
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
