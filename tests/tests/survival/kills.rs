//! Kills of the daemon at random moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use recall_testkit::Project;
use recall_tests::{Sandbox, sandbox};

use super::witness::{Certainty, Item, Witness};

/// The default number of kills. They take about ten seconds.
const KILLS: usize = 20;

/// The number of concurrent clients.
const CLIENTS: usize = 4;

/// The number of kills over the same journals; each starts from the state that the previous one left.
const ROUNDS: usize = 5;

/// The longest that clients work before the kill, in microseconds.
const WORK_MICROS: u64 = 200_000;

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_operations_survive_a_kill_at_any_moment() {
    let kills = std::env::var("RECALL_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    let mut random = fastrand::Rng::with_seed(kills as u64);
    let (mut done, mut acknowledged) = (0, 0);
    while done < kills {
        let sandbox = sandbox!();
        let project = sandbox.project("shop", &[("src/burrow.rs", "pub fn dig() {}\n")]);
        let mut items = vec![Vec::new(); CLIENTS];
        for round in 0..ROUNDS.min(kills - done) {
            items = survive(&sandbox, &project, items, round, &mut random).await;
            done += 1;
        }
        acknowledged += check_journals(&sandbox, &project, items, &mut random).await;
    }
    assert!(acknowledged > kills, "{kills} kills met {acknowledged} acknowledged memories");
}

/// Sends requests until the daemon is killed, and checks the memories of the next one.
async fn survive(
    sandbox: &Sandbox,
    project: &Project,
    items: Vec<Vec<Item>>,
    round: usize,
    random: &mut fastrand::Rng,
) -> Vec<Vec<Item>> {
    let mut daemon = sandbox.start_daemon(&[]);
    let done = Arc::new(AtomicUsize::new(0));
    let mut clients = Vec::new();
    for (number, items) in items.into_iter().enumerate() {
        let witness = Witness::new(sandbox, project, items).await;
        let prefix = format!("Wombat{round}x{number}");
        clients.push(tokio::spawn(work(witness, prefix, Arc::clone(&done), random.fork())));
    }
    // Before the first acknowledgement, the daemon creates its stores.
    while done.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_micros(random.u64(..WORK_MICROS))).await;
    daemon.kill();
    let mut items = Vec::new();
    for client in clients {
        items.push(client.await.expect("no panic"));
    }
    if random.u32(..4) == 0 {
        std::fs::remove_dir_all(sandbox.recall_home().join("data/stores")).ok();
    }
    let mut daemon = sandbox.start_daemon(&[]);
    let mut checked = Vec::new();
    for items in items {
        let mut witness = Witness::new(sandbox, project, items).await;
        witness.check().await;
        if let Some(item) = random.choice(&witness.items) {
            witness.check_found(item).await;
        }
        checked.push(witness.items);
    }
    daemon.kill();
    checked
}

/// Sends one request after another until the daemon stops responding.
async fn work(mut witness: Witness, prefix: String, done: Arc<AtomicUsize>, mut random: fastrand::Rng) -> Vec<Item> {
    for number in 0.. {
        let in_force = |item: &&(usize, &Item)| item.1.removed == Certainty::No && item.1.promoted == Certainty::No;
        let items: Vec<_> = witness.items.iter().enumerate().filter(|item| in_force(&item)).collect();
        let chosen = random.choice(items).map(|(at, _)| at);
        let outcome = match (random.u32(..10), chosen) {
            (6 | 7, Some(item)) => witness.rate(item).await,
            (8, Some(item)) => witness.promote(item).await,
            (9, Some(item)) => witness.remove(item).await,
            _ => witness.add(&format!("{prefix}x{number}")).await,
        };
        if outcome.is_err() {
            break;
        }
        done.fetch_add(1, Ordering::Relaxed);
    }
    witness.items
}

/// Checks that the journals are undamaged after the next write; returns the number of memories.
async fn check_journals(
    sandbox: &Sandbox,
    project: &Project,
    items: Vec<Vec<Item>>,
    random: &mut fastrand::Rng,
) -> usize {
    let _daemon = sandbox.start_daemon(&[]);
    let all: Vec<_> = items.into_iter().flatten().collect();
    let count = all.len();
    let mut witness = Witness::new(sandbox, project, all).await;
    witness.add("Wombats at last").await.expect("kept");
    witness.check().await;
    for item in random.choose_multiple(&witness.items, 5) {
        witness.check_found(item).await;
    }
    assert_eq!(witness.faults().await, 0, "a line is torn");
    count
}
