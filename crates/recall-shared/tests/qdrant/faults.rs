//! Faults of the network and of the server.

use std::io::Write as _;
use std::time::Duration;

use oorandom::Rand32;
use recall_shared::{Memory, Qdrant, SharedStore as _, StoreError, publish, verify};
use recall_testkit::{ContractServer, CuttingProxy, FailureMoment};
use tonic::Code;

use super::{server, settings, store_at};
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, model, number};

/// The number of injected faults of each kind.
const FAULTS: u64 = 300;

/// Something that makes requests fail.
trait Faulty {
    /// How many faults there were.
    fn count(&self) -> u64;
    /// Lets some of the next requests fail, soon after this call if it is for a search.
    fn begin(&mut self, random: &mut Rand32, is_search: bool);
    fn end(&mut self);
}

impl Faulty for &CuttingProxy {
    fn count(&self) -> u64 {
        self.cuts()
    }

    fn begin(&mut self, random: &mut Rand32, is_search: bool) {
        self.cut_after(i64::from(random.rand_range(0..if is_search { 4_000 } else { 40_000 })));
    }

    fn end(&mut self) {
        self.cut_after(-1);
    }
}

struct Statuses<'a> {
    server: &'a ContractServer,
    met: u64,
}

impl Faulty for Statuses<'_> {
    fn count(&self) -> u64 {
        self.met
    }

    fn begin(&mut self, random: &mut Rand32, is_search: bool) {
        let codes =
            [Code::Unavailable, Code::Internal, Code::DeadlineExceeded, Code::Cancelled, Code::Aborted, Code::Unknown];
        let methods: &[&str] =
            if is_search { &["Count", "Scroll", ""] } else { &["Upsert", "SetPayload", "Delete", "Scroll", ""] };
        let method = methods[random.rand_range(0..methods.len() as u32) as usize];
        let moment = if random.rand_float() < 0.5 { FailureMoment::Before } else { FailureMoment::After };
        // A few requests pass first.
        let passing = random.rand_range(0..if is_search { 3 } else { 12 });
        if passing > 0 {
            self.server.delay(method, passing, Duration::ZERO);
        }
        let times = random.rand_range(1..5);
        // A publication that is refused ends at once, halfway.
        let is_refused = !is_search && random.rand_float() < 0.2;
        let code = if is_refused { Code::PermissionDenied } else { codes[random.rand_range(0..6) as usize] };
        self.server.fail(method, times, moment, code);
    }

    fn end(&mut self) {
        self.met += self.server.heal();
    }
}

/// Publishes through something faulty again and again. Nothing is lost, nothing is there twice, no answer is wrong.
fn nothing_is_lost(server: &ContractServer, faulty: &Qdrant, mut cause: impl Faulty, seed: u64) {
    let (direct, memory) = (store_at(server.address(), "team"), Memory::default());
    let (mut random, main) = (Rand32::new(seed), branch("team/a", "main"));
    let mut corpus = Corpus::random(1, 60);
    publish(&direct, &main, Some(&model()), &corpus).expect("it answers");
    publish(&memory, &main, Some(&model()), &corpus).expect("it answers");
    let mut failed = 0;
    while cause.count() < FAULTS {
        let before = memory_paths(&memory);
        corpus.change(&mut random);
        if corpus.documents.len() < 30 || corpus.documents.len() > 120 {
            corpus = Corpus::random(u64::from(random.rand_u32()), 60);
        }
        cause.begin(&mut random, false);
        let done = publish(faulty, &main, Some(&model()), &corpus).is_ok();
        cause.end();
        publish(&memory, &main, Some(&model()), &corpus).expect("it answers");
        if !done {
            failed += 1;
            // Readers see one of the two states, and the next publication does the rest.
            let there: Vec<String> = direct.manifest(&main).expect("it answers").into_keys().collect();
            assert!(there == before || there == memory_paths(&memory), "{there:?}");
            publish(&direct, &main, Some(&model()), &corpus).expect("it answers");
        }
        let word = format!("w{}", random.rand_range(0..40));
        cause.begin(&mut random, true);
        match faulty.statistics(&[number(&word)]) {
            Ok(there) => {
                let rows = direct_statistics(&mut cause, &direct, &word);
                assert_eq!(there, rows, "an answer is right or an error");
            }
            Err(error) => assert!(error.may_pass(), "{error:?}"),
        }
        cause.end();
        assert_eq!(paths_with(&direct, &word), paths_with(&memory, &word), "{word}");
    }
    let (difference, _) = verify(&direct, &main, Some(&model()), &corpus).expect("it answers");
    assert!(difference.is_empty(), "{difference:?}");
    let statistics = direct.statistics(&[]).expect("it answers");
    assert_eq!(statistics.documents as usize, corpus.documents.len(), "no document is there twice");
    let keys = server.texts("recall_1_chunks", "text");
    let mut distinct = keys.clone();
    distinct.dedup();
    assert_eq!(keys, distinct, "no chunk is there twice");
    let _ = writeln!(std::io::stderr(), "{} faults, {failed} publications failed", cause.count());
}

fn direct_statistics(cause: &mut impl Faulty, direct: &Qdrant, word: &str) -> recall_shared::Statistics {
    // The faults of the server would meet this request too.
    cause.end();
    direct.statistics(&[number(word)]).expect("it answers")
}

fn memory_paths(memory: &Memory) -> Vec<String> {
    match memory.manifest(&branch("team/a", "main")) {
        Ok(manifest) => manifest.into_keys().collect(),
        Err(StoreError::Empty) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn no_fault_of_the_network_loses_or_repeats_anything() {
    let server = server();
    let proxy = CuttingProxy::before(&server.host());
    let mut impatient = settings(format!("http://127.0.0.1:{}", proxy.port()), "team");
    (impatient.deadline, impatient.publish_deadline) = (Duration::from_secs(5), Duration::from_secs(10));
    let faulty = Qdrant::new(impatient).expect("a valid address");
    nothing_is_lost(&server, &faulty, &proxy, 5);
}

#[test]
fn no_error_of_the_server_loses_or_repeats_anything() {
    let server = server();
    let faulty = store_at(server.address(), "team");
    nothing_is_lost(&server, &faulty, Statuses { server: &server, met: 0 }, 6);
}
