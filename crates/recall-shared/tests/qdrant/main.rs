//! Tests of the store on Qdrant, on the contract server.
//!
//! The suite runs on a real server too if the variable `RECALL_TEST_QDRANT_URL` has its address (and `RECALL_TEST_QDRANT_KEY` its key).

mod cluster;
mod collecting;
mod faults;
mod overtaken;
mod reading;
mod requests;
mod statuses;
#[path = "../conformance/suite.rs"]
mod suite;
mod tenants;

use std::sync::Arc;
use std::time::Duration;

use recall_shared::{Qdrant, QdrantSettings, Spread};
use recall_testkit::ContractServer;

/// The time that the clock of a store tells.
const NOW: u64 = 1_800_000_000;

/// The settings of a store, as a tenant.
fn settings(address: String, tenant: &str) -> QdrantSettings {
    QdrantSettings {
        address,
        key: String::new(),
        tenant: tenant.to_owned(),
        deadline: Duration::from_secs(20),
        publish_deadline: Duration::from_mins(1),
        spread: Spread::default(),
        clock: Arc::new(|| NOW),
    }
}

fn store_at(address: String, tenant: &str) -> Qdrant {
    Qdrant::new(settings(address, tenant)).expect("a valid address")
}

#[test]
fn the_store_conforms_on_the_contract_server() {
    let server = ContractServer::start();
    suite::check::everything(&store_at(server.address(), "team"));
}
