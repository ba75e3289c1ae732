//! Does git, as it is installed, merge journals as these tests think?

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use recall_core::Event;
use recall_journal::{Changes, Disk, Follower, Journal, Memories};

use crate::drawn::LATER;
use crate::merge::Branches;

/// How many merges are made: each runs a dozen processes.
const MERGES: u64 = 36;

struct Repository {
    place: tempfile::TempDir,
}

impl Repository {
    fn new(attributes: &str) -> Self {
        let repository = Self { place: tempfile::tempdir().expect("a folder") };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        fs::create_dir(repository.folder()).expect("made");
        fs::write(repository.folder().join(".gitattributes"), attributes).expect("written");
        repository
    }

    fn folder(&self) -> std::path::PathBuf {
        self.place.path().join(".recall")
    }

    /// Runs git without anything of the user's; whether it succeeded.
    fn git(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
            .args(arguments);
        command
            .current_dir(self.place.path())
            .env("GIT_CONFIG_GLOBAL", Path::new("/dev/null"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.output().expect("git runs").status.success()
    }

    fn commit(&self, events: &[Event]) {
        let journal = Journal::open(Arc::new(Disk::new(self.folder()))).expect("opens");
        journal.append_all(events).expect("writable");
        assert!(self.git(&["add", "--all"]));
        assert!(self.git(&["commit", "--quiet", "--allow-empty", "--message", "memories"]));
    }
}

fn state(folder: &Path) -> (Memories, usize) {
    let mut follower = Follower::new(Arc::new(Disk::new(folder)));
    let memories = follower.replay(LATER).expect("readable").into_iter().collect();
    (memories, follower.faults().filter(|fault| fault.kind.is_loss()).count())
}

#[test]
fn no_merge_loses_what_either_side_had() {
    for seed in 0..MERGES {
        let branches = Branches::draw(&mut fastrand::Rng::with_seed(seed));
        // Without the attribute git leaves a conflict to a person; both sides are read all the same.
        let is_union = seed % 3 != 0;
        let repository = Repository::new(if is_union { "*.jsonl merge=union\n" } else { "" });
        let base = branches.base.len();
        repository.commit(&branches.base);
        assert!(repository.git(&["checkout", "--quiet", "-b", "theirs"]));
        repository.commit(&branches.theirs[base..]);
        assert!(repository.git(&["checkout", "--quiet", "main"]));
        repository.commit(&branches.ours[base..]);
        let is_clean = repository.git(&["merge", "--quiet", "--no-edit", "theirs"]);
        assert!(is_clean || !is_union, "seed {seed}");
        assert_eq!(state(&repository.folder()), (branches.expected(), 0), "seed {seed}");
    }
}

#[test]
fn a_checkout_is_followed() {
    let branches = Branches::draw(&mut fastrand::Rng::with_seed(4711));
    let repository = Repository::new("*.jsonl merge=union\n");
    let base = branches.base.len();
    repository.commit(&branches.base);
    assert!(repository.git(&["checkout", "--quiet", "-b", "theirs"]));
    repository.commit(&branches.theirs[base..]);
    let mut follower = Follower::new(Arc::new(Disk::new(repository.folder())));
    let read: Memories = follower.replay(LATER).expect("readable").into_iter().collect();
    assert_eq!(read, branches.theirs.iter().cloned().collect());
    assert!(repository.git(&["checkout", "--quiet", "main"]));
    let Changes::Rewritten(events) = follower.changes(LATER).expect("readable") else { panic!("lines went away") };
    assert_eq!(events.into_iter().collect::<Memories>(), branches.base.iter().cloned().collect());
    assert!(repository.git(&["checkout", "--quiet", "theirs"]));
    let mut memories: Memories = branches.base.iter().cloned().collect();
    match follower.changes(LATER).expect("readable") {
        Changes::None => {}
        Changes::Added(events) => memories.extend(events),
        Changes::Rewritten(events) => memories = events.into_iter().collect(),
    }
    assert_eq!(memories, branches.theirs.into_iter().collect());
}
