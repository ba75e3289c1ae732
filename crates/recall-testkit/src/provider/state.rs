//! What a fake provider does next, and what it received.

use std::collections::VecDeque;

use parking_lot::Mutex;
use serde_json::Value;

use super::fault::Fault;
use super::rules::FakeRules;

/// A request that a fake provider received.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The path.
    pub path: String,
    /// The headers, in lower case, except the key.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
    /// The fault that it met.
    pub fault: Option<Fault>,
}

impl Received {
    /// Returns the texts that were to be embedded.
    pub fn texts(&self) -> Vec<String> {
        let input = self.body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
        input.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    }
}

/// The state that all connections share.
pub(crate) struct Shared {
    pub(crate) rules: FakeRules,
    pub(crate) script: Mutex<VecDeque<Option<Fault>>>,
    /// The fault of every request that the script does not name.
    pub(crate) always: Mutex<Option<Fault>>,
    pub(crate) received: Mutex<Vec<Received>>,
    pub(crate) is_down: Mutex<bool>,
}
