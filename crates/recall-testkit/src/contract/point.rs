//! Points: their fields and their vectors.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use qdrant_client::qdrant::Value;
use qdrant_client::qdrant::value::Kind;
use tonic::Status;

/// Fields by name.
pub(super) type Fields = HashMap<String, Value>;

#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) fields: Fields,
    pub(super) vectors: HashMap<String, Stored>,
}

/// A vector.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    Dense(Vec<f32>),
    Sparse(BTreeMap<u32, f32>),
}

/// A text among fields.
pub(super) fn text(fields: &Fields, name: &str) -> Option<String> {
    match fields.get(name)?.kind.as_ref()? {
        Kind::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the tenants of points to store, if each has one.
pub(super) fn tenants<'a>(all: impl Iterator<Item = &'a Fields>) -> Result<Vec<String>, Status> {
    let tenants: Option<BTreeSet<String>> = all.map(|fields| text(fields, "tenant")).collect();
    match tenants {
        Some(tenants) if tenants.iter().all(|tenant| !tenant.is_empty()) => Ok(tenants.into_iter().collect()),
        _ => Err(Status::failed_precondition("a point has no tenant")),
    }
}
