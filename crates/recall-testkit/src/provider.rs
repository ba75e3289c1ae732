//! A server that speaks the formats of the vendors of models, and fails on demand.
//!
//! Its vectors and replies are computed from what it received, so that a test can tell a right answer from a wrong one. It refuses
//! what the vendors refuse: a wrong key, an unknown field, an empty text, a batch or a text that is too large. The vendors' own
//! clients accept it; `cargo xtask sdks` shows it.

mod connection;
mod formats;
mod rules;

use std::net::{TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use connection::Shared;
pub use connection::{Fault, Received};
pub use formats::fake_vector;
pub use rules::{FAKE_MODEL, FakeRules, Mutation};

/// A running server, which ends with the process or when it is told to.
pub struct FakeProvider {
    address: String,
    shared: Arc<Shared>,
}

impl FakeProvider {
    /// Starts a server on a free port of this machine.
    ///
    /// # Panics
    /// No port is free.
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

    /// Removes what the script has left.
    pub fn clear_script(&self) {
        self.shared.script.lock().clear();
    }

    /// Returns how many requests the script still names.
    pub fn scripted_answers(&self) -> usize {
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
    pub fn received_requests(&self) -> Vec<Received> {
        self.shared.received.lock().clone()
    }
}
