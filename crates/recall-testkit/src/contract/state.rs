//! Collections and their points, what a contract server does wrong on demand, and what it was asked.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use qdrant_client::qdrant::{CreateCollection, FieldType, UpdateMode};
use tonic::{Code, Status};

use super::point::{Fields, Point, Prepared, Stored, text};

/// Creates the points of a new collection, which are none.
pub(super) type Create = Box<dyn FnMut(&CreateCollection) -> Result<Box<dyn Points>, Status> + Send>;

/// All collections by name.
pub(super) struct State {
    pub(super) create: Create,
    pub(super) collections: BTreeMap<String, Collection>,
    /// The call that is being answered.
    pub(super) call: Option<Call>,
}

pub(super) struct Collection {
    pub(super) created: CreateCollection,
    pub(super) indexes: HashMap<String, FieldType>,
    pub(super) points: Box<dyn Points>,
}

/// What a query asks for: the points nearest to a vector.
#[derive(Debug)]
pub(super) struct Nearest {
    /// The name of the vector.
    pub(super) name: String,
    pub(super) vector: Stored,
    pub(super) most: usize,
    /// How many points a search of a graph compares.
    pub(super) breadth: Option<u64>,
}

/// The points of a collection. Requests were checked before.
pub(super) trait Points: Send {
    /// Stores points. A condition holds for the points that they replace.
    fn write(
        &mut self,
        points: Vec<(String, Point)>,
        mode: UpdateMode,
        condition: Option<&Prepared>,
    ) -> Result<(), Status>;

    /// Sets fields of all points that satisfy a condition.
    fn set(&mut self, fields: &Fields, condition: &Prepared) -> Result<(), Status>;

    /// Deletes all points that satisfy a condition.
    fn delete(&mut self, condition: &Prepared) -> Result<(), Status>;

    /// Returns the first `most` points that satisfy a condition, by identity, from `start` on.
    fn page(&mut self, condition: &Prepared, start: Option<&str>, most: usize)
    -> Result<Vec<(String, Fields)>, Status>;

    /// Counts the points that satisfy a condition.
    fn count(&mut self, condition: &Prepared) -> Result<u64, Status>;

    /// Returns the points with the greatest scores that satisfy a condition, the best first.
    fn best(&mut self, nearest: &Nearest, condition: &Prepared) -> Result<Vec<(String, f32)>, Status>;

    /// Learns of an index of a field.
    fn index(&mut self, _field: &str, _kind: FieldType) -> Result<(), Status> {
        Ok(())
    }
}

impl State {
    pub(super) fn new(create: Create) -> Self {
        Self { create, collections: BTreeMap::new(), call: None }
    }

    pub(super) fn collection(&mut self, name: &str) -> Result<&mut Collection, Status> {
        let missing = || Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"));
        self.collections.get_mut(name).ok_or_else(missing)
    }

    pub(super) fn lose(&mut self, collection: &str, each: usize) -> Result<usize, Status> {
        let Some(collection) = self.collections.get_mut(collection) else { return Ok(0) };
        let all = collection.points.page(&Prepared::default(), None, usize::MAX)?;
        let lost: Vec<String> = all.into_iter().step_by(each).map(|(id, _)| id).collect();
        let count = lost.len();
        collection.points.delete(&Prepared::with_ids(lost))?;
        Ok(count)
    }

    pub(super) fn sizes(&mut self) -> Result<Vec<(String, usize)>, Status> {
        let all = self.collections.iter_mut();
        let size = |(name, collection): (&String, &mut Collection)| {
            Ok((name.clone(), usize::try_from(collection.points.count(&Prepared::default())?).unwrap_or(usize::MAX)))
        };
        all.map(size).collect()
    }

    pub(super) fn texts(&mut self, collection: &str, field: &str) -> Result<Vec<String>, Status> {
        let Some(collection) = self.collections.get_mut(collection) else { return Ok(Vec::new()) };
        let all = collection.points.page(&Prepared::default(), None, usize::MAX)?;
        let mut texts: Vec<String> = all.iter().filter_map(|(_, fields)| text(fields, field)).collect();
        texts.sort();
        Ok(texts)
    }
}

/// When a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureMoment {
    /// Nothing has changed.
    Before,
    /// The change is made, but the client does not learn it.
    After,
}

/// A call that the server received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its method.
    pub method: &'static str,
    /// Its collection; empty for none.
    pub collection: String,
    /// The tenants of its filter or of its points.
    pub tenants: Vec<String>,
    /// For a write: whether it waits until it is applied, in the order of one leader.
    pub is_safe_write: Option<bool>,
    /// For a new collection: its shards, its replicas, and how many of these confirm a write.
    pub spread: Option<[Option<u32>; 3]>,
}

/// A failure or a delay of calls.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    pub(super) method: &'static str,
    pub(super) left: u32,
    pub(super) moment: FailureMoment,
    /// `Ok` for a delay.
    pub(super) code: Code,
    pub(super) retry_after: Option<u64>,
    pub(super) delay: Duration,
}

impl Injection {
    /// The answer of a call that it meets.
    pub(super) fn status(&self) -> Option<Status> {
        if self.code == Code::Ok {
            return None;
        }
        let mut status = Status::new(self.code, "injected");
        if let Some(seconds) = self.retry_after {
            status.metadata_mut().insert("retry-after", seconds.into());
        }
        Some(status)
    }
}

/// What goes wrong, and what was asked.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) injections: Vec<Injection>,
    /// How many calls the injections met.
    pub(super) met: u64,
    pub(super) calls: Vec<Call>,
    pub(super) key: Option<String>,
    pub(super) version: Option<String>,
}

impl Script {
    /// Returns the injection that a call meets.
    pub(super) fn meet(&mut self, method: &str) -> Option<Injection> {
        let meets = |injection: &&mut Injection| injection.method.is_empty() || injection.method == method;
        let injection = self.injections.iter_mut().find(meets)?;
        injection.left -= 1;
        let found = injection.clone();
        self.injections.retain(|injection| injection.left > 0);
        self.met += 1;
        Some(found)
    }
}
