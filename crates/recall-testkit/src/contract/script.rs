//! What a contract server does wrong on demand, and what it was asked.

use std::time::Duration;

use tonic::{Code, Status};

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
