//! The suite on servers. They need their packages: the variable `RECALL_TEST_WHEELS` must name a folder with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use recall_shared::{Postgres, PostgresSettings, Qdrant, QdrantSettings, Replica, SharedStore, Spread};
use recall_testkit::{ContractServer, PostgresServer};

/// The time at which the clock of a store starts.
const START: u64 = 1_800_000_000;

/// Longer than any store keeps what was replaced.
const LATER: u64 = 2 * 24 * 60 * 60;

#[test]
fn a_store_on_postgresql_gives_the_answers_of_the_index() {
    let server = PostgresServer::start();
    let store = Postgres::new(&PostgresSettings {
        address: server.address(),
        password: String::new(),
        authentication: recall_shared::Authentication::Scram,
        tenant: "team".to_owned(),
        deadline: Duration::from_secs(20),
        read: Replica::Any,
        publish_deadline: Duration::from_mins(1),
    });
    let age = || {
        server.sql("team", "update recall_1.document set ended = ended - interval '2 days'");
        server.sql("team", "update recall_1.chunk set touched = touched - interval '2 days'");
    };
    super::conforms(&(Arc::new(store.expect("a valid address")) as Arc<dyn SharedStore>), super::EQUAL, age);
}

#[test]
fn a_store_on_the_segments_of_qdrant_gives_the_answers_of_the_index() {
    let server = ContractServer::on_segments();
    let now = Arc::new(AtomicU64::new(START));
    let clock = Arc::clone(&now);
    let store = Qdrant::new(QdrantSettings {
        address: server.address(),
        key: String::new(),
        tenant: "team".to_owned(),
        deadline: Duration::from_secs(20),
        publish_deadline: Duration::from_mins(1),
        spread: Spread::default(),
        clock: Arc::new(move || clock.load(Ordering::Relaxed)),
    });
    let age = || {
        now.fetch_add(LATER, Ordering::Relaxed);
    };
    super::conforms(&(Arc::new(store.expect("a valid address")) as Arc<dyn SharedStore>), super::EQUAL, age);
}
