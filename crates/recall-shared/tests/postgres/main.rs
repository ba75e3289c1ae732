//! Tests on PostgreSQL with pgvector. They need its package: the variable `RECALL_TEST_WHEELS` must name a folder with it.

mod failover;
mod faults;
mod tenants;

use std::time::Duration;

use recall_shared::{Postgres, PostgresSettings, Replica};
use recall_testkit::PostgresServer;

use crate::suite;

/// The settings of a store, as a tenant.
fn settings(address: String, tenant: &str) -> PostgresSettings {
    PostgresSettings {
        address,
        password: String::new(),
        authentication: recall_shared::Authentication::Scram,
        tenant: tenant.to_owned(),
        deadline: Duration::from_secs(20),
        read: Replica::Any,
        publish_deadline: Duration::from_mins(1),
    }
}

fn store_at(address: String, tenant: &str) -> Postgres {
    Postgres::new(&settings(address, tenant)).expect("a valid address")
}

#[test]
fn postgres_conforms() {
    let server = PostgresServer::start();
    let store = store_at(server.address(), "team");
    suite::check::everything(&store);
}
