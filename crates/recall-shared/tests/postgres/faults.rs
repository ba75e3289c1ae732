//! Faults of the network between a store and its server.

use std::time::Duration;

use oorandom::Rand32;
use recall_shared::{Memory, SharedStore as _, publish, verify};
use recall_testkit::{CuttingProxy, PostgresServer};

use super::{settings, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};

/// The number of injected faults.
const FAULTS: u64 = 300;

#[test]
fn no_fault_of_the_network_loses_or_repeats_anything() {
    let server = PostgresServer::start();
    let proxy = CuttingProxy::before(&server.host());
    let address = format!("postgres://recall@127.0.0.1:{}/team", proxy.port());
    let mut impatient = settings(address, "team");
    (impatient.deadline, impatient.publish_deadline) = (Duration::from_secs(5), Duration::from_secs(10));
    let faulty = recall_shared::Postgres::new(&impatient).expect("a valid address");
    let (direct, memory) = (store_at(server.address(), "team"), Memory::default());
    let (mut random, main) = (Rand32::new(5), branch("team/a", "main"));
    let mut corpus = Corpus::random(1, 80);
    publish(&direct, &main, Some(&model()), &corpus).expect("it answers");
    publish(&memory, &main, Some(&model()), &corpus).expect("it answers");
    while proxy.cuts() < FAULTS {
        corpus.change(&mut random);
        if corpus.documents.len() < 40 || corpus.documents.len() > 160 {
            corpus = Corpus::random(u64::from(random.rand_u32()), 80);
        }
        let before = proxy.cuts();
        proxy.cut_after(i64::from(random.rand_range(0..60_000)));
        let done = publish(&faulty, &main, Some(&model()), &corpus).is_ok();
        proxy.cut_after(-1);
        let was_cut = proxy.cuts() > before;
        assert!(done || was_cut, "it failed without a fault");
        if !done {
            // Readers see one of the two states. The next publication repairs the rest.
            publish(&direct, &main, Some(&model()), &corpus).expect("it answers");
        }
        publish(&memory, &main, Some(&model()), &corpus).expect("it answers");
        proxy.cut_after(i64::from(random.rand_range(0..4_000)));
        let word = format!("w{}", random.rand_range(0..40));
        let key = crate::suite::corpus::number(&word);
        if let Ok(statistics) = faulty.statistics(&[key]) {
            let there = statistics.counts.get(&key).copied().unwrap_or_default();
            let rows = direct.statistics(&[key]).expect("it answers").counts.get(&key).copied().unwrap_or_default();
            assert_eq!(there, rows, "an answer is right or an error");
        }
        proxy.cut_after(-1);
        assert_eq!(paths_with(&direct, &word), paths_with(&memory, &word), "{word}");
    }
    let (difference, _) = verify(&direct, &main, Some(&model()), &corpus).expect("it answers");
    assert!(difference.is_empty(), "{difference:?}");
    let twice = "select count(*) from (select path from recall_1.document where is_live group by branch, path having count(*) > 1) d";
    assert_eq!(server.sql("team", twice), ["0"]);
    let sums = "select (select sum(cardinality(keys)) from recall_1.chunk_keys) + \
                (select sum(cardinality(keys)) from recall_1.document where is_live) - (select sum(count) from recall_1.term)";
    assert_eq!(server.sql("team", sums), ["0"], "the statistics agree with the rows");
}
