//! Tests on PostgreSQL with pgvector. They need its package: the variable `RECALL_TEST_WHEELS` must name a folder with it.

mod failover;
mod faults;
mod rights;
mod tenants;

use std::time::Duration;

use recall_shared::{Ask, Depths, Filters, Postgres, PostgresSettings, Replica};
use recall_testkit::PostgresServer;

use crate::suite;
use crate::suite::corpus::model;

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

/// Asks for the nearest chunks alone.
fn nearest_ask(vector: Vec<f32>) -> Ask {
    Ask {
        words: Vec::new(),
        definitions: Vec::new(),
        files: Vec::new(),
        vector: Some((model(), vector)),
        filters: Filters::default(),
        without: Vec::new(),
        depths: Depths { words: 0, definitions: 0, files: 0, nearest: 100 },
    }
}

#[test]
fn postgres_conforms() {
    let server = PostgresServer::start();
    let store = store_at(server.address(), "team");
    suite::check::everything(&store);
}
