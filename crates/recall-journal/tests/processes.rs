//! Durability of acknowledged events after a kill, and isolation of concurrent processes.
//!
//! The oracle is outside the killed process: a child reports each acknowledged event through a pipe, which outlives the
//! child. `RECALL_JOURNAL_KILLS=500 cargo test -p recall-journal --test processes` sets the number of kills.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this test is a program of its own, and stops at the first error"
)]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use recall_core::{
    Event, EventBody, EventId, MemoryChange, MemoryId, MemoryOrigin, MemoryType, NewMemory, Provenance, StoreScope,
    Timestamp,
};
use recall_journal::{Disk, Follower, Journal};
use recall_text::DocPath;

/// The variable with a child's task: the number of its first event, the number of events, and a folder.
const CHILD: &str = "RECALL_JOURNAL_CHILD";

/// How often a child is killed by default; this takes a few seconds.
const KILLS: u64 = 40;

const THREADS: u64 = 4;

/// The distance between the first event numbers of two children.
const STRIDE: u64 = 1_000_000;

fn main() {
    if let Ok(task) = std::env::var(CHILD) {
        return child(&task);
    }
    let kills = std::env::var("RECALL_JOURNAL_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    survive(kills);
    share(4, 100);
}

/// Builds the event of a number. Some are long, so that their write takes a while.
fn event(number: u64) -> Event {
    let length = if number.is_multiple_of(7) { 600_000 } else { 40 + number as usize % 400 };
    let added = NewMemory {
        title: format!("memory {number}").into(),
        content: "text ".repeat(length / 5).into(),
        tags: Vec::new(),
        cues: None,
        related_files: vec![DocPath::new("src/lib.rs").expect("a path")],
        scope: StoreScope::Project,
        source: None,
        origin: MemoryOrigin::Observed,
        supersedes: None,
        anchors: Vec::new(),
        lineage: None,
        valid: recall_core::ValidTime::default(),
    };
    let id = MemoryId { memory_type: MemoryType::Note, number: number as u32 };
    Event {
        timestamp: Timestamp(1_795_176_000_000_000_000 + number as i64 % 3 * 86_400_000_000_000),
        id: EventId::from_parts(&[&number.to_le_bytes()]),
        body: EventBody::Memory { id, change: MemoryChange::Add(Box::new(added)) },
        provenance: Provenance::default(),
    }
}

/// Appends from several threads, and reports each event once it is acknowledged.
fn child(task: &str) {
    let mut parts = task.splitn(3, ' ');
    let [first, count] = [0; 2].map(|_: u64| parts.next().unwrap().parse::<u64>().unwrap());
    let journal = Journal::open(Arc::new(Disk::new(parts.next().unwrap()))).unwrap();
    let out = Mutex::new(std::io::stdout());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (journal, out) = (&journal, &out);
            scope.spawn(move || {
                for number in (first + thread..first + count).step_by(THREADS as usize) {
                    journal.append(&event(number)).unwrap();
                    let mut out = out.lock().unwrap();
                    out.write_all(&number.to_le_bytes()).and_then(|()| out.flush()).unwrap();
                }
            });
        }
    });
}

fn spawn(folder: &Path, first: u64, count: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(CHILD, format!("{first} {count} {}", folder.display())).stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// Reads the next acknowledged number from a child; `None` once the child has ended.
fn acknowledged(from: &mut impl Read) -> Option<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
}

/// Checks that the expected events are there and every line can be read. Returns the number of distinct events.
fn check(folder: &Path, expected: &BTreeSet<u64>) -> usize {
    let mut follower = Follower::new(Arc::new(Disk::new(folder)));
    let events = follower.replay(Timestamp(i64::MAX)).unwrap();
    assert_eq!(follower.faults().next(), None);
    let found: BTreeSet<_> = events.iter().map(|event| event.id).collect();
    for number in expected {
        assert!(found.contains(&event(*number).id), "event {number} was acknowledged but is lost");
    }
    found.len()
}

fn survive(kills: u64) {
    let start = Instant::now();
    let mut random = fastrand::Rng::with_seed(kills);
    let (mut rounds, mut total, mut repairs, mut unacknowledged) = (0, 0, 0, 0);
    while rounds < kills {
        // A folder is reused for some rounds, so that later children meet what earlier ones left.
        let place = tempfile::tempdir().unwrap();
        let mut expected = BTreeSet::new();
        for _ in 0..10.min(kills - rounds) {
            let mut child = spawn(place.path(), rounds * STRIDE, STRIDE);
            let mut pipe = child.stdout.take().unwrap();
            for _ in 0..random.u32(..25) {
                expected.extend(acknowledged(&mut pipe));
            }
            let end = Instant::now() + Duration::from_micros(random.u64(..4000));
            while Instant::now() < end {
                std::hint::spin_loop();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            expected.extend(std::iter::from_fn(|| acknowledged(&mut pipe)));
            repairs += Journal::open(Arc::new(Disk::new(place.path()))).unwrap().take_repairs().len();
            unacknowledged = check(place.path(), &expected) - expected.len();
            rounds += 1;
        }
        total += expected.len();
    }
    assert!(total > 0);
    println!(
        "{kills} kills: {total} acknowledged events, 0 lost, {repairs} ends repaired, {unacknowledged} more in the last folder, {:?}",
        start.elapsed()
    );
}

fn share(children: u64, count: u64) {
    let place = tempfile::tempdir().unwrap();
    let mut running: Vec<_> = (0..children).map(|child| spawn(place.path(), child * STRIDE, count)).collect();
    let mut expected = BTreeSet::new();
    for child in &mut running {
        let mut pipe = child.stdout.take().unwrap();
        expected.extend(std::iter::from_fn(|| acknowledged(&mut pipe)));
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(expected.len() as u64, children * count);
    assert_eq!(check(place.path(), &expected), expected.len());
    println!("{children} processes at once: {} events, every line complete", expected.len());
}
