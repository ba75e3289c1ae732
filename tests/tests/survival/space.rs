//! No space for writes: reported, nothing is lost, and work resumes when there is space again.
//!
//! A limit on the size of files makes a write end at any byte, as a full disk does.

use std::fs;
use std::path::{Path, PathBuf};

use recall_testkit::{Project, Running, wait_until};
use recall_tests::{Sandbox, sandbox};
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::witness::{Certainty, Witness};

/// How many bytes of the next line of the journal can be written: none, or up to its beginning, its ids, its middle. The
/// shortest lines have about two hundred bytes.
const INTO_THE_LINE: &[u64] = &[0, 1, 2, 11, 12, 30, 60, 100, 130, 150];

/// Starts a daemon that ignores `SIGXFSZ`, so that a write beyond the limit fails instead of killing it.
fn start(sandbox: &Sandbox) -> Running {
    let mut command = sandbox.command(Path::new("/bin/sh"), sandbox.path());
    command.args(["-c", "trap '' XFSZ; exec \"$0\""]).arg(&sandbox.binaries().recalld);
    let daemon = Running::start(command);
    wait_until("a daemon that answers", || sandbox.is_listening().then_some(()));
    daemon
}

/// Limits the size of the files that a process writes; `None` removes the limit.
fn limit(daemon: &Running, bytes: Option<u64>) {
    let pid = Pid::from_raw(daemon.id().cast_signed()).expect("a process id");
    prlimit(Some(pid), Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("ours");
}

fn journal(project: &Project) -> PathBuf {
    let mut days = fs::read_dir(project.path(".recall")).expect("there").map(|entry| entry.expect("there").path());
    days.find_map(|day| Some(day.join("memories.jsonl")).filter(|file| file.is_file())).expect("a journal")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_without_space_reports_it_loses_nothing_and_recovers() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("src/burrow.rs", "pub fn dig() {}\n")]);
    let daemon = start(&sandbox);
    let mut witness = Witness::new(&sandbox, &project, Vec::new()).await;
    for number in 0..3 {
        witness.add(&format!("Wombat of old {number}")).await.expect("kept");
    }
    // Both stores are open; one that is not cannot be opened without space, which is another error.
    witness.promote(2).await.expect("kept");
    for (round, &into) in INTO_THE_LINE.iter().enumerate() {
        let before = fs::read(journal(&project)).expect("there");
        limit(&daemon, Some(before.len() as u64 + into));
        let known = witness.items.len();
        let failures = [
            witness.add(&format!("Wombat refused {round}")).await.expect_err("there is no space"),
            witness.rate(0).await.expect_err("there is no space"),
            witness.remove(0).await.expect_err("there is no space"),
            witness.promote(1).await.expect_err("there is no space"),
        ];
        for failure in failures {
            let why = failure.message.to_lowercase();
            assert!(why.contains("file too large") && why.contains("journal"), "{failure}");
        }
        assert_eq!(fs::read(journal(&project)).expect("there"), before, "a refused write is undone");
        witness.items.truncate(known);
        let item = &mut witness.items[0];
        (item.is_rating, item.removed) = (false, Certainty::No);
        witness.items[1].promoted = Certainty::No;
        // All acknowledged memories can still be read.
        witness.check().await;

        limit(&daemon, None);
        witness.add(&format!("Wombat thereafter {round}")).await.expect("kept");
        witness.rate(0).await.expect("kept");
        witness.check().await;
        let last = witness.items.last().expect("just added");
        witness.check_found(last).await;
    }
    assert_eq!(witness.items[0].useful, INTO_THE_LINE.len() as u64);
    let items = std::mem::take(&mut witness.items);
    drop((witness, daemon));
    let _daemon = start(&sandbox);
    let mut witness = Witness::new(&sandbox, &project, items).await;
    witness.check().await;
    assert_eq!(witness.faults().await, 0);
}
