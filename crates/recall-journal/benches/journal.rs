//! Benchmarks of durable appends and of replays.
//!
//! `cargo bench -p recall-journal [-- FOLDER]` creates the journals below `FOLDER`, or below the system's temporary
//! folder. It measures the disk on which that folder is.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its figures, and stops at the first error"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{
    Event, EventBody, EventId, MemoryChange, MemoryId, MemoryOrigin, MemoryType, NewMemory, Provenance, StoreScope,
    Timestamp,
};
use recall_journal::{Disk, Follower, Journal, Memories};

const MEMORIES: u64 = 100_000;

/// The number of memories added per day in the replayed journals.
const MEMORIES_PER_DAY: u64 = 1000;

const APPENDS: u64 = 500;

const THREADS: u64 = 32;

const EVENTS_PER_THREAD: u64 = 200;

/// A time by which all modification times can be trusted.
const LATER: Timestamp = Timestamp(i64::MAX);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test` builds and runs benchmarks too.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let folder = arguments.iter().find(|argument| !argument.starts_with('-'));
    let folder = folder.map_or_else(std::env::temp_dir, PathBuf::from);
    one_thread(&folder);
    many_threads(&folder);
    replay_all(&folder);
}

/// A memory of some 600 bytes: a paragraph.
fn event(number: u64) -> Event {
    let added = NewMemory {
        title: format!("What was learnt on occasion {number}").into(),
        content: format!(
            "Number {number}. {}",
            "The retry must not be sooner than the timeout of the peer. ".repeat(8)
        )
        .into(),
        tags: vec!["retries".to_owned(), "network".to_owned()],
        cues: None,
        related_files: Vec::new(),
        scope: StoreScope::Project,
        source: None,
        origin: MemoryOrigin::Observed,
        supersedes: None,
        anchors: Vec::new(),
        lineage: None,
        valid: recall_core::ValidTime::default(),
    };
    let id = MemoryId { memory_type: MemoryType::Lesson, number: number as u32 };
    Event {
        timestamp: Timestamp((number / MEMORIES_PER_DAY) as i64 * 86_400_000_000_000),
        id: EventId::from_parts(&[&number.to_le_bytes()]),
        body: EventBody::Memory { id, change: MemoryChange::Add(Box::new(added)) },
        provenance: Provenance { session: Some("5c1f".to_owned()), ..Provenance::default() },
    }
}

fn open(folder: &Path) -> Journal {
    Journal::open(Arc::new(Disk::new(folder))).unwrap()
}

fn one_thread(folder: &Path) {
    let place = tempfile::tempdir_in(folder).unwrap();
    let journal = open(place.path());
    let times = (0..APPENDS).map(|number| time(|| journal.append(&event(number)).unwrap()).1).collect();
    print_percentiles("one thread, an event acknowledged", times);
}

fn many_threads(folder: &Path) {
    let place = tempfile::tempdir_in(folder).unwrap();
    let journal = open(place.path());
    let (times, whole) = time(|| {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let journal = &journal;
                    let numbers = thread * EVENTS_PER_THREAD..(thread + 1) * EVENTS_PER_THREAD;
                    scope.spawn(move || -> Vec<Duration> {
                        numbers
                            .map(|number| time(|| journal.append(&event(number % MEMORIES_PER_DAY)).unwrap()).1)
                            .collect()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        })
    });
    println!("{THREADS} threads: {:.0} events a second", times.len() as f64 / whole.as_secs_f64());
    print_percentiles(&format!("{THREADS} threads, an event acknowledged"), times);
}

fn replay_all(folder: &Path) {
    let place = tempfile::tempdir_in(folder).unwrap();
    let journal = open(place.path());
    let events: Vec<_> = (0..MEMORIES).map(event).collect();
    print_time("100,000 memories written, a day at a time", || {
        events.chunks(MEMORIES_PER_DAY as usize).for_each(|day| journal.append_all(day).unwrap());
    });
    let mut follower = Follower::new(Arc::new(Disk::new(place.path())));
    let events = print_time("  replayed", || follower.replay(LATER).unwrap());
    println!("    {} events of {:.1} MB", events.len(), follower.bytes() as f64 / 1e6);
    let memories = print_time("  folded to memories", || events.into_iter().collect::<Memories>());
    print_time("  each memory copied", || assert_eq!(memories.iter().count() as u64, MEMORIES));
    print_percentiles(
        "  a poll that finds nothing",
        (0..100).map(|_| time(|| follower.changes(LATER).unwrap()).1).collect(),
    );
    let after = (0..100).map(|number| {
        journal.append(&event(MEMORIES - 1 - number % MEMORIES_PER_DAY)).unwrap();
        time(|| follower.changes(LATER).unwrap()).1
    });
    print_percentiles("  a poll that finds an event", after.collect());
    print_time("  opened for appending", || open(place.path()));
}

/// Prints the elapsed time of some work, and how much of it this thread spent on a processor.
fn print_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let before = cpu();
    let (outcome, whole) = time(work);
    println!("{what}: {whole:.2?}, of which on the processor {:.2?}", cpu().saturating_sub(before));
    outcome
}

fn time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let outcome = work();
    (outcome, start.elapsed())
}

/// Returns the processor time of this thread, if the system reports it.
fn cpu() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(statistics.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

fn print_percentiles(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what}: p50 {:.2?}, p95 {:.2?}, p99 {:.2?}", at(0.5), at(0.95), at(0.99));
}
