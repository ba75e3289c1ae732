//! Stores on a server.

use std::sync::Arc;
use std::time::Duration;

use recall_shared::{Qdrant, QdrantSettings, Spread};

/// The time that the clock of a store tells.
pub(crate) const NOW: u64 = 1_800_000_000;

/// The settings of a store, as a tenant.
pub(crate) fn settings(address: String, tenant: &str) -> QdrantSettings {
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

pub(crate) fn store_at(address: String, tenant: &str) -> Qdrant {
    Qdrant::new(settings(address, tenant)).expect("a valid address")
}
