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
mod stores;
mod tenants;

use recall_testkit::ContractServer;

use crate::suite;
use stores::{NOW, settings, store_at};

fn server() -> ContractServer {
    ContractServer::start()
}

#[test]
fn the_store_conforms_on_the_contract_server() {
    let server = server();
    suite::check::everything(&store_at(server.address(), "team"));
}
