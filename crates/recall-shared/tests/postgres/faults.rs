//! Faults of the network between a store and its server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use oorandom::Rand32;
use recall_shared::{Memory, SharedStore as _, publish, verify};
use recall_testkit::PostgresServer;

use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model};
use crate::{settings, store_at};

/// The number of injected faults.
const FAULTS: u64 = 300;

/// A proxy that cuts connections after a number of bytes.
struct Proxy {
    port: u16,
    /// How many more bytes pass, in both directions, before all connections are cut; negative for no limit.
    left: Arc<AtomicI64>,
    cuts: Arc<AtomicU64>,
}

impl Proxy {
    fn before(server: &PostgresServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let (left, cuts) = (Arc::new(AtomicI64::new(-1)), Arc::new(AtomicU64::new(0)));
        let (host, shared) = (server.host(), (Arc::clone(&left), Arc::clone(&cuts)));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&host) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().expect("open"), to.try_clone().expect("open"));
                    let (left, cuts) = shared.clone();
                    std::thread::spawn(move || pass(from, to, &left, &cuts));
                }
            }
        });
        Self { port, left, cuts }
    }

    /// Cuts all connections once that many more bytes have passed.
    fn cut_after(&self, bytes: i64) {
        self.left.store(bytes, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, left: &AtomicI64, cuts: &AtomicU64) {
    let mut buffer = [0; 4096];
    while let Ok(count) = from.read(&mut buffer) {
        let mut passes = count;
        let allowed = left.load(Ordering::SeqCst);
        if allowed >= 0 && left.fetch_sub(count as i64, Ordering::SeqCst) < count as i64 {
            // The last message is torn.
            passes = usize::try_from(allowed).unwrap_or_default().min(count);
            if left.swap(-1, Ordering::SeqCst) != -1 {
                cuts.fetch_add(1, Ordering::SeqCst);
            }
        }
        if count == 0 || to.write_all(&buffer[..passes]).is_err() || passes < count {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
fn no_fault_of_the_network_loses_or_repeats_anything() {
    let server = PostgresServer::start();
    let proxy = Proxy::before(&server);
    let address = format!("postgres://recall@127.0.0.1:{}/team", proxy.port);
    let mut impatient = settings(address, "team");
    (impatient.deadline, impatient.publish_deadline) = (Duration::from_secs(5), Duration::from_secs(10));
    let faulty = recall_shared::Postgres::new(impatient).expect("a valid address");
    let (direct, memory) = (store_at(server.address(), "team"), Memory::default());
    let (mut random, main) = (Rand32::new(5), branch("team/a", "main"));
    let mut corpus = Corpus::random(1, 80);
    publish(&direct, &main, Some(&model()), &corpus).expect("it answers");
    publish(&memory, &main, Some(&model()), &corpus).expect("it answers");
    while proxy.cuts.load(Ordering::SeqCst) < FAULTS {
        corpus.change(&mut random);
        if corpus.documents.len() < 40 || corpus.documents.len() > 160 {
            corpus = Corpus::random(u64::from(random.rand_u32()), 80);
        }
        let before = proxy.cuts.load(Ordering::SeqCst);
        proxy.cut_after(i64::from(random.rand_range(0..60_000)));
        let done = publish(&faulty, &main, Some(&model()), &corpus).is_ok();
        proxy.cut_after(-1);
        let was_cut = proxy.cuts.load(Ordering::SeqCst) > before;
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
