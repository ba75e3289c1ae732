//! What a fake provider does next, by its rules and the faults that were ordered, and what it received.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;

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

/// A fault of the network or of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The server answers with a status, headers and a body.
    Status {
        /// The status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// The answer begins late.
    Delay(Duration),
    /// The connection is closed after so many bytes of the body.
    Truncate(usize),
    /// The connection is closed before an answer.
    Close,
    /// The connection is reset before an answer.
    Reset,
    /// The connection is reset within the body.
    ResetWithin,
    /// The answer has status 200, and a wrong body.
    Body(String),
    /// The answer is changed.
    Mutate(Mutation),
    /// The answer is not HTTP.
    NotHttp,
}

/// A change of a right answer to embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The last vector is missing.
    Short,
    /// There is one vector more.
    Long,
    /// The vectors are in another order. In formats with indexes, these are right.
    Reversed,
    /// Two vectors have the same index.
    SameIndex,
    /// The first vector is all zero.
    Zero,
    /// A component is `NaN`.
    NotANumber,
    /// A component is `null`.
    Null,
    /// A component is greater than a number of 32 bits can be.
    Huge,
    /// Vectors have a component less.
    FewerDimensions,
    /// Vectors have a component more.
    MoreDimensions,
    /// Vectors have no component.
    NoDimensions,
}

impl Mutation {
    /// All changes.
    pub const ALL: [Self; 11] = [
        Self::Short,
        Self::Long,
        Self::Reversed,
        Self::SameIndex,
        Self::Zero,
        Self::NotANumber,
        Self::Null,
        Self::Huge,
        Self::FewerDimensions,
        Self::MoreDimensions,
        Self::NoDimensions,
    ];
}

impl Fault {
    /// Creates a status without further headers, with a message as vendors write it.
    pub fn status(status: u16) -> Self {
        let body = format!(r#"{{"error":{{"message":"provoked {status}"}}}}"#);
        Self::Status { status, headers: Vec::new(), body }
    }

    /// Creates a status that names when to ask again.
    pub fn retry_after(status: u16, seconds: &str) -> Self {
        let headers = vec![("retry-after".to_owned(), seconds.to_owned())];
        Self::Status { status, headers, body: r#"{"error":"slow down"}"#.to_owned() }
    }
}

/// The name of a model that the server has, with any provider.
pub const FAKE_MODEL: &str = "fake-model";

/// The rules of a fake provider.
#[derive(Clone, Debug)]
pub struct FakeRules {
    /// The key that a request must have; `None` for any.
    pub key: Option<String>,
    /// The dimensions of the vectors, unless a request asks for others.
    pub dimensions: usize,
    /// The most texts of a request; more are refused with status 413.
    pub most_texts: usize,
    /// The most bytes of a text; a longer one is refused with status 400.
    pub longest_text: usize,
}

impl Default for FakeRules {
    fn default() -> Self {
        Self { key: None, dimensions: 64, most_texts: 2048, longest_text: 100_000 }
    }
}
