//! Collections and their points.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{CreateCollection, FieldType, Value};
use tonic::Status;

use super::script::Call;

/// All collections by name.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) collections: BTreeMap<String, Collection>,
    /// The call that is being answered.
    pub(super) call: Option<Call>,
}

/// A collection. Points are in the order of their identities.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) created: CreateCollection,
    pub(super) indexes: HashMap<String, FieldType>,
    pub(super) points: BTreeMap<String, Point>,
}

/// A point.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) fields: HashMap<String, Value>,
    pub(super) vectors: HashMap<String, Stored>,
}

/// A vector.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// Of length 1, or 0.
    Dense(Vec<f32>),
    Sparse(BTreeMap<u32, f32>),
}

impl State {
    pub(super) fn collection(&mut self, name: &str) -> Result<&mut Collection, Status> {
        let missing = || Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"));
        self.collections.get_mut(name).ok_or_else(missing)
    }

    pub(super) fn lose(&mut self, collection: &str, each: usize) -> usize {
        let Some(collection) = self.collections.get_mut(collection) else { return 0 };
        let lost: Vec<String> = collection.points.keys().step_by(each).cloned().collect();
        for id in &lost {
            collection.points.remove(id);
        }
        lost.len()
    }

    pub(super) fn sizes(&self) -> Vec<(String, usize)> {
        self.collections.iter().map(|(name, collection)| (name.clone(), collection.points.len())).collect()
    }

    pub(super) fn texts(&self, collection: &str, field: &str) -> Vec<String> {
        let points = self.collections.get(collection).into_iter().flat_map(|collection| collection.points.values());
        let mut texts: Vec<String> = points.filter_map(|point| text(&point.fields, field)).collect();
        texts.sort();
        texts
    }
}

/// A text among fields.
pub(super) fn text(fields: &HashMap<String, Value>, name: &str) -> Option<String> {
    match fields.get(name)?.kind.as_ref()? {
        Kind::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the tenants of points to store, if each has one.
pub(super) fn tenants<'a>(all: impl Iterator<Item = &'a HashMap<String, Value>>) -> Result<Vec<String>, Status> {
    let tenants: Option<BTreeSet<String>> = all.map(|fields| text(fields, "tenant")).collect();
    match tenants {
        Some(tenants) if tenants.iter().all(|tenant| !tenant.is_empty()) => Ok(tenants.into_iter().collect()),
        _ => Err(Status::failed_precondition("a point has no tenant")),
    }
}
