//! An agent that speaks to a shim, in the stateless revision of the protocol.

use recall_testkit::Running;
use serde::Serialize;
use serde_json::{Value, json};

/// An agent. It sends one request at a time.
#[derive(Debug)]
pub struct Agent {
    /// The shim.
    pub shim: Running,
    asked: u64,
}

impl Agent {
    /// An agent that has started this shim.
    pub fn new(shim: Running) -> Self {
        Self { shim, asked: 0 }
    }

    /// What each request says of the agent.
    pub fn meta() -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test-agent", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    }

    /// Sends a request and returns the response. Notifications before it are skipped.
    ///
    /// # Panics
    /// The shim ends, or sends something else than JSON.
    #[track_caller]
    pub fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.asked += 1;
        params["_meta"] = Self::meta();
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.shim.send(&request.to_string());
        loop {
            let message: Value = serde_json::from_str(&self.shim.line().expect("the shim runs")).expect("JSON");
            if message["id"] == self.asked {
                return message;
            }
        }
    }

    /// Calls a tool; returns its text, and whether it is an error.
    ///
    /// # Panics
    /// The answer has no text.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: impl Serialize) -> (String, bool) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        (text.to_owned(), result["isError"] == true)
    }

    /// Calls a tool; returns its text.
    ///
    /// # Panics
    /// The answer has no text.
    #[track_caller]
    pub fn ask(&mut self, tool: &str, arguments: impl Serialize) -> String {
        self.call(tool, arguments).0
    }
}
