//! Merges of journals by the installed git, which must lose nothing.
//!
//! `RECALL_MERGES=2000 cargo test -p recall-journal --test journal git` sets the number of merges with `git merge-file
//! --union`; a tenth as many run in repositories.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use recall_core::Event;
use recall_journal::{Changes, Day, Disk, Follower, Journal, Memories};

use crate::drawn::{LATER, any_kind, lines};
use crate::merge::Branches;

/// The default number of file merges. Each one is a process.
const MERGES: u64 = 360;

/// The number of file merges per merge in a repository, which takes a dozen processes.
const FILES_A_REPOSITORY: u64 = 10;

/// The number of file merges per generated case: three branches become one, in two orders.
const MERGES_A_DRAWING: u64 = 4;

fn merges() -> u64 {
    std::env::var("RECALL_MERGES").map_or(MERGES, |merges| merges.parse().expect("a number of merges"))
}

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

    /// Runs git without the user's configuration. Returns whether it succeeded.
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

/// Returns the union merge by git of three versions of a file.
fn united(folder: &Path, base: &str, ours: &str, theirs: &str) -> String {
    let files = [("ours", ours), ("base", base), ("theirs", theirs)];
    let paths = files.map(|(name, text)| {
        fs::write(folder.join(name), text).expect("written");
        folder.join(name)
    });
    let output = Command::new("git").args(["merge-file", "--union", "--stdout"]).args(paths).output();
    let output = output.expect("git runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn three_branches_give_one_state_in_either_merge_order() {
    let place = tempfile::tempdir().expect("a folder");
    for seed in 0..merges() / MERGES_A_DRAWING {
        let mut random = fastrand::Rng::with_seed(seed);
        let Branches { base, ours, theirs } = Branches::draw(&mut random);
        let third: Vec<_> = (0..random.usize(..12)).map(|_| any_kind(random.u64(..120))).collect();
        let mut sides = [ours, theirs, [base.clone(), third].concat()];
        let expected: Memories = sides.iter().flatten().cloned().collect();
        let text = |events: &[Event]| lines(events).iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let base = text(&base);
        for _ in 0..2 {
            random.shuffle(&mut sides);
            let [first, second, third] = sides.each_ref().map(|side| text(side));
            let merged = united(place.path(), &base, &first, &second);
            let merged = united(place.path(), &base, &merged, &third);
            let image = BTreeMap::from([(Day::from_name("2026-11-20").expect("a day"), merged.into_bytes())]);
            assert_eq!(crate::merge::state(&image), expected, "seed {seed}");
        }
    }
}

#[test]
fn a_merge_in_a_repository_loses_no_event_of_either_side() {
    for seed in 0..merges() / FILES_A_REPOSITORY {
        let branches = Branches::draw(&mut fastrand::Rng::with_seed(seed));
        // Without the attribute git leaves a conflict. Both sides are read all the same.
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
