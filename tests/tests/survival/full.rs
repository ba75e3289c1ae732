//! A full file system with the journals and the index on it: reported, nothing is lost, and work resumes when there is
//! space.
//!
//! If no file system can be mounted, nothing is tested here; `space.rs` tests a limit on file sizes instead.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_api::v1;
use recall_testkit::{Project, Running, wait_until};
use recall_tests::{Sandbox, sandbox};
use rustix::process::geteuid;

use super::witness::{Certainty, Witness, connect};

/// The folders of the system's programs; the sandbox contains only recall's.
const SYSTEM_PROGRAMS: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// The allocation unit of the file system, in bytes.
const PAGE: usize = 4096;

/// The number of free pages: none, too few for a commit of the index, enough for some of its files, enough for a few
/// commits.
const PAGES_LEFT: &[usize] = &[0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 0];

/// The number of requests on a nearly full file system.
const ASKED: usize = 40;

/// With this many free pages or fewer, a request must fail eventually, because the journals alone fill them.
const TOO_FEW: usize = 8;

/// The upper bound of requests until one fails. A rebuilt index frees space for the journals.
const ASKED_AT_MOST: usize = 4000;

/// A shell in a new mount namespace. `$1` is the folder and `$2` the daemon's program.
fn in_a_namespace(sandbox: &Sandbox, folder: &Path, script: &str) -> Command {
    let mut command = sandbox.command(Path::new("/bin/sh"), sandbox.path());
    // An unprivileged user may mount in a user namespace, as its root.
    let user = if geteuid().is_root() { "" } else { "--user --map-root-user" };
    let unshare = format!("exec unshare {user} --mount sh -c '{script}' sh \"$1\" \"$2\"");
    command.env("PATH", SYSTEM_PROGRAMS).args(["-c", &unshare, "sh"]);
    command.arg(folder).arg(&sandbox.binaries().recalld);
    command
}

/// A small file system over a project's folder, with a daemon that is restarted whenever it ends.
struct Small<'a> {
    sandbox: &'a Sandbox,
    /// The folder, as the daemon sees it.
    folder: PathBuf,
    _shell: Running,
}

impl<'a> Small<'a> {
    /// Mounts it; `None` if that is not permitted.
    fn mount(sandbox: &'a Sandbox, project: &Project) -> Option<Self> {
        let folder = project.path(".recall");
        fs::create_dir(&folder).expect("ours");
        let mount = "mount -t tmpfs -o size=6m none \"$1\"";
        if Running::to_end(in_a_namespace(sandbox, &folder, mount)).code != Some(0) {
            #[expect(clippy::print_stderr, reason = "the test reports that it was skipped")]
            {
                eprintln!("skipped: a file system cannot be mounted here");
            }
            return None;
        }
        let script = format!("{mount} && while :; do \"$2\"; done");
        let shell = Running::start(in_a_namespace(sandbox, &folder, &script));
        let inside = Path::new("/proc").join(shell.id().to_string()).join("root");
        let folder = inside.join(folder.strip_prefix("/").expect("absolute"));
        wait_until("a daemon that answers", || sandbox.is_listening().then_some(()));
        Some(Self { sandbox, folder, _shell: shell })
    }

    /// Fills the file system except for some pages.
    fn fill(&self, pages_left: usize) {
        let open =
            |name: &str| OpenOptions::new().create(true).append(true).open(self.folder.join(name)).expect("ours");
        let mut reserve = open("reserve");
        reserve.write_all(&vec![b'r'; pages_left * PAGE]).expect("there is room");
        let mut filler = open("filler");
        loop {
            match filler.write_all(&[b'f'; PAGE]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        fs::remove_file(self.folder.join("reserve")).expect("ours");
    }

    /// Frees the space again.
    fn clear(&self) {
        fs::remove_file(self.folder.join("filler")).expect("ours");
    }

    /// Returns the contents of all journals.
    fn journals(&self) -> Vec<u8> {
        let mut days: Vec<_> =
            fs::read_dir(&self.folder).expect("there").map(|day| day.expect("there").path()).collect();
        days.sort_unstable();
        days.iter().filter_map(|day| fs::read(day.join("memories.jsonl")).ok()).flatten().collect()
    }

    /// Kills the daemon and waits for the next one.
    async fn kill(&self) {
        let before = connect(self.sandbox).await.status(v1::StatusRequest::default()).await.expect("a status");
        let pid = before.daemon.expect("reported").pid;
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("ours");
        wait_until("the daemon's end", || rustix::process::test_kill_process(pid).is_err().then_some(()));
        wait_until("a daemon that answers", || self.sandbox.is_listening().then_some(()));
    }
}

/// Sends requests while there is little space. A request that fails reports the reason and leaves the journals unchanged.
async fn ask_without_room(small: &Small<'_>, witness: &mut Witness, round: usize) {
    let (mut refused, mut number) = (0, 0);
    while number < ASKED || (refused == 0 && PAGES_LEFT[round] <= TOO_FEW) {
        assert!(number < ASKED_AT_MOST, "{} pages were enough for all requests", PAGES_LEFT[round]);
        number += 1;
        let before = small.journals();
        let known = witness.items.len();
        let outcome = match number % 4 {
            3 => witness.rate(0).await,
            _ => witness.add(&format!("Wombat without room {round} {number}")).await,
        };
        let Err(failure) = outcome else { continue };
        let why = failure.message.to_lowercase();
        assert!(why.contains("no space left") && why.contains("journal"), "{failure}");
        assert_eq!(small.journals(), before, "a refused write is undone");
        witness.items.truncate(known);
        witness.items[0].is_rating = false;
        refused += 1;
    }
    // All acknowledged memories can still be read.
    witness.check().await;
    witness.search_somehow().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_file_system_is_reported_and_loses_nothing() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("src/burrow.rs", "pub fn dig() {}\n")]);
    let Some(small) = Small::mount(&sandbox, &project) else { return };
    let mut witness = Witness::new(&sandbox, &project, Vec::new()).await;
    for number in 0..3 {
        witness.add(&format!("Wombat of old {number}")).await.expect("kept");
    }
    witness.check_found(&witness.items[0]).await;
    for (round, &pages_left) in PAGES_LEFT.iter().enumerate() {
        small.fill(pages_left);
        ask_without_room(&small, &mut witness, round).await;
        if round % 2 == 0 {
            small.kill().await;
            let items = std::mem::take(&mut witness.items);
            // Opening an unfinished index takes space, so a new daemon may report that there is none.
            witness = Witness::new(&sandbox, &project, items).await;
            witness.check_somehow().await;
            witness.search_somehow().await;
        }
        small.clear();
        witness.add(&format!("Wombat thereafter {round}")).await.expect("kept");
        witness.remove(witness.items.len() - 2).await.expect("kept");
        witness.check().await;
        for item in [0, witness.items.len() - 2, witness.items.len() - 1] {
            witness.check_found(&witness.items[item]).await;
        }
    }
    assert!(witness.items.iter().filter(|item| item.removed == Certainty::No).count() > PAGES_LEFT.len());
    small.kill().await;
    let items = std::mem::take(&mut witness.items);
    let mut witness = Witness::new(&sandbox, &project, items).await;
    witness.check().await;
    for item in &witness.items {
        witness.check_found(item).await;
    }
    assert_eq!(witness.faults().await, 0);
}
