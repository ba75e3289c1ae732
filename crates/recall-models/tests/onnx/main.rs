//! Do networks run as they should? Needs a runtime: the variable `RECALL_TEST_WHEELS` names a folder with two Python packages, the
//! runtime and all-MiniLM-L6-v2, as `.ci/run` fetches them. Without the variable there is nothing to run, which each test says.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends where an answer is missing, and says where it had nothing to run"
)]

mod add;
mod bert;
mod encode;
mod fixture;
mod minilm;
mod onnx_file;
mod pull;
mod rerank;
#[path = "../support/server.rs"]
mod server;
