//! Tests of the store on Qdrant that depend on what an engine answers, with the contract server in front of Qdrant's own segments.

#[path = "../qdrant/collecting.rs"]
mod collecting;
#[path = "../qdrant/overtaken.rs"]
mod overtaken;
#[path = "../qdrant/reading.rs"]
mod reading;
#[path = "../qdrant/stores.rs"]
mod stores;
#[path = "../qdrant/tenants.rs"]
mod tenants;

use recall_testkit::ContractServer;

use crate::suite;
use stores::{NOW, settings, store_at};

fn server() -> ContractServer {
    ContractServer::on_segments()
}

#[test]
fn the_store_conforms_on_the_segments_of_qdrant() {
    let server = server();
    suite::check::everything(&store_at(server.address(), "team"));
}
