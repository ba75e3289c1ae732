//! The suite on a real server, if there is one.

use std::io::Write as _;

use qdrant_client::Qdrant as Client;
use qdrant_client::qdrant::{Condition, DeletePointsBuilder, Filter};
use recall_shared::{Qdrant, SharedStore as _};

use super::settings;
use crate::suite;

const ADDRESS: &str = "RECALL_TEST_QDRANT_URL";
const KEY: &str = "RECALL_TEST_QDRANT_KEY";

/// Deletes what a tenant has, when it is dropped.
struct Tenant {
    name: String,
    address: String,
    key: String,
}

impl Drop for Tenant {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let client = Client::from_url(&self.address).skip_compatibility_check().api_key(self.key.clone());
            let client = client.build().expect("a client");
            for collection in client.list_collections().await.expect("it answers").collections {
                if collection.name.starts_with("recall_1_") {
                    let mine = Filter::must([Condition::matches("tenant", self.name.clone())]);
                    let delete = DeletePointsBuilder::new(&collection.name).points(mine).wait(true);
                    client.delete_points(delete).await.expect("it answers");
                }
            }
        });
    }
}

#[test]
fn the_store_conforms_on_a_real_server_if_there_is_one() {
    let Ok(address) = std::env::var(ADDRESS) else {
        // Not by `eprintln!`, which a passing test does not show.
        let _ = writeln!(std::io::stderr(), "NOT RUN: the suite on a real Qdrant; {ADDRESS} has no address");
        return;
    };
    let key = std::env::var(KEY).unwrap_or_default();
    let name = format!("test-{:016x}", fastrand::u64(..));
    let tenant = Tenant { name: name.clone(), address: address.clone(), key: key.clone() };
    let store =
        Qdrant::new(recall_shared::QdrantSettings { key, ..settings(address, &name) }).expect("a valid address");
    store.ping().expect("the server answers");
    suite::check::everything(&store);
    drop(tenant);
}
