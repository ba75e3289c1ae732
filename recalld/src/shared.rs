//! Construction of the shared stores from the user's settings.

use std::sync::Arc;

use recall_config::{Environment, ReadFrom, Settings, SpreadConfig, StoreConfig, StoreKind};
use recall_core::{Clock as _, error_chain};
use recall_shared::{
    Guarded, Postgres, PostgresSettings, Qdrant, QdrantSettings, Replica, SharedStore, Spread, StoreError,
};

use crate::clock::SystemClock;

/// Returns the stores by name, without connecting to any. One that cannot be used says so to each search and publication.
pub(crate) fn stores(settings: &Settings, environment: &Environment) -> Vec<Guarded> {
    let stores = settings.stores.iter().map(|(name, config)| {
        let key = environment.store_keys.get(name).cloned().unwrap_or_default();
        match store(config, key) {
            Ok(store) => Guarded::new(name.clone(), store),
            Err(error) => {
                let reason = error_chain(&error);
                tracing::error!(store = name, reason, "the shared store cannot be used");
                Guarded::unusable(name.clone(), reason)
            }
        }
    });
    stores.collect()
}

fn store(config: &StoreConfig, key: String) -> Result<Arc<dyn SharedStore>, StoreError> {
    let StoreConfig { kind, address, tenant, deadline, publish_deadline, read, spread } = config.clone();
    match kind {
        StoreKind::Postgres => Ok(Arc::new(Postgres::new(&PostgresSettings {
            address,
            password: key,
            tenant,
            deadline,
            read: match read {
                ReadFrom::Any => Replica::Any,
                ReadFrom::Primary => Replica::Primary,
            },
            publish_deadline,
        })?)),
        StoreKind::Qdrant => {
            let SpreadConfig { shards, replicas, write_consistency } = spread;
            let spread = Spread { shards, replicas, write_consistency };
            let clock = Arc::new(|| (SystemClock.now().as_millis() / 1_000).max(0).cast_unsigned());
            let settings = QdrantSettings { address, key, tenant, deadline, publish_deadline, spread, clock };
            Ok(Arc::new(Qdrant::new(settings)?))
        }
    }
}
