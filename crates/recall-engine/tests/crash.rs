//! Crash tests: after a crash at any moment, every acknowledged change is in the journals and in the answers.
//!
//! The journals are on an in-memory disk that simulates crashes, the index on a real one. An oracle that does not use journals
//! computes the expected state. `RECALL_CRASH_STATES=3000 cargo test --release -p recall-engine --test crash` checks that many
//! states; `RECALL_CRASH_SEED=100` begins with another sequence of operations, so that several runs check different ones.

#[path = "crash/oracle.rs"]
mod oracle;
#[path = "crash/refusals.rs"]
mod refusals;
mod support;
#[path = "crash/work.rs"]
mod work;
#[path = "crash/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use recall_testkit::{History, Image};
use work::Work;
use world::{World, observe};

/// The default number of states that are checked, which takes a minute on two busy cores.
const STATES: usize = 120;

/// How many of the several hundred states of one sequence of operations are checked.
const STATES_EACH: usize = 30;

/// The number of operations in a sequence.
const OPERATIONS: usize = 10;

#[test]
fn acknowledged_changes_survive_a_crash_at_any_moment() {
    let wanted =
        std::env::var("RECALL_CRASH_STATES").map_or(STATES, |states| states.parse().expect("a number of states"));
    let first = std::env::var("RECALL_CRASH_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    let (seeds, seen) = (AtomicU64::new(first), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while seen.load(Ordering::Relaxed) < wanted {
                    seen.fetch_add(crash(seeds.fetch_add(1, Ordering::Relaxed)), Ordering::Relaxed);
                }
            });
        }
    });
    println!("{} states of the sequences {first} to {}", seen.into_inner(), seeds.into_inner() - 1);
}

/// Runs a sequence of operations and checks some of the states that a crash may leave; returns how many.
fn crash(seed: u64) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    let world = World::new();
    let history = History::default();
    for disk in &world.disks {
        disk.record(&history);
    }
    let mut work = Work::new(&world);
    for _ in 0..OPERATIONS {
        work.operate(&mut random);
        history.acknowledge(1);
        work.keep_index(&mut random);
        work.edit_outside(&mut random);
    }
    let (oracle, indexes) = work.end();

    let mut states: BTreeSet<(Vec<Image>, usize)> = BTreeSet::new();
    for moment in history.moments() {
        states.extend(moment.images().into_iter().map(|images| (images, moment.acknowledged)));
    }
    let states: Vec<_> = states.into_iter().collect();
    let chosen = random.choose_multiple(&states, STATES_EACH);
    for (images, acknowledged) in &chosen {
        let index = &indexes[random.usize(..indexes.len())];
        check(&world.after(images, Some(index)), &world.after(images, None), &oracle, *acknowledged, seed);
    }
    chosen.len()
}

/// Checks the state after a crash, with an index of another moment and without an index.
fn check(behind: &World, bare: &World, oracle: &oracle::Oracle, acknowledged: usize, seed: u64) {
    let (found, answered) = observe(behind, oracle.ids());
    let (again, anew) = observe(bare, oracle.ids());
    assert!(
        oracle.allows(&found, acknowledged),
        "seed {seed}, after {acknowledged}: {found:#?}\nis none of {:#?}",
        oracle.allowed(acknowledged)
    );
    assert_eq!(found, again, "seed {seed}, after {acknowledged}");
    let same = answered.iter().zip(&anew).take_while(|(one, other)| one == other).count();
    assert!(
        same == answered.len().max(anew.len()),
        "seed {seed}, after {acknowledged}, hit {same}: {:#?}\nfrom the journals alone {:#?}",
        answered.get(same),
        anew.get(same)
    );
    behind.still_works(seed);
}
