//! A server that speaks the formats of the vendors of models, and fails on demand.
//!
//! Its vectors and replies are computed from what it received, so that a test can tell a right answer from a wrong one. It refuses
//! what the vendors refuse: a wrong key, an unknown field, an empty text, a batch or a text that is too large. The vendors' own
//! clients accept it; `cargo xtask sdks` shows it.

mod connection;
mod fault;
mod formats;
mod vector;

use std::collections::VecDeque;
use std::net::{TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use serde_json::Value;

pub use fault::{Fault, Mutation};
pub use vector::fake_vector;

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

/// A running server, which ends with the process or when it is told to.
pub struct FakeProvider {
    address: String,
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) rules: FakeRules,
    pub(crate) script: Mutex<VecDeque<Option<Fault>>>,
    /// The fault of every request that the script does not name.
    pub(crate) always: Mutex<Option<Fault>>,
    pub(crate) received: Mutex<Vec<Received>>,
    pub(crate) is_down: Mutex<bool>,
}

impl FakeProvider {
    /// Starts a server on a free port of this machine.
    ///
    /// # Panics
    /// There is no free port.
    pub fn start(rules: FakeRules) -> Self {
        Self::start_at("127.0.0.1:0", rules)
    }

    /// Starts a server at an address.
    ///
    /// # Panics
    /// The address is taken.
    pub fn start_at(address: impl ToSocketAddrs, rules: FakeRules) -> Self {
        let listener = TcpListener::bind(address).expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let shared = Arc::new(Shared {
            rules,
            script: Mutex::default(),
            always: Mutex::default(),
            received: Mutex::default(),
            is_down: Mutex::new(false),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                // A client may disconnect at any time.
                thread::spawn(move || drop(connection::serve(&stream, &shared)));
            }
        });
        Self { address, shared }
    }

    /// Returns the address of Ollama's format, without a path.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the address of OpenAI's and Voyage's format.
    pub fn v1(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// Sets what happens to the next requests, one after the other; `None` for no fault.
    pub fn script(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.shared.script.lock().extend(faults);
    }

    /// Returns how many requests the script still names.
    pub fn scripted(&self) -> usize {
        self.shared.script.lock().len()
    }

    /// Sets what happens to every request that the script does not name.
    pub fn always(&self, fault: Option<Fault>) {
        *self.shared.always.lock() = fault;
    }

    /// Closes every connection without an answer, as a server that has died does, or stops doing so.
    pub fn set_down(&self, is_down: bool) {
        *self.shared.is_down.lock() = is_down;
    }

    /// Returns the received requests in order.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().clone()
    }
}
