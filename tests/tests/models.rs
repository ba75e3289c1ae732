//! Models, from the command to the network: installed, used, and done without where they fail.
//!
//! What runs a network needs the runtime: the variable `RECALL_TEST_WHEELS` names a folder with its package, as `.ci/run` fetches
//! it. Without the variable there is nothing to run, which each such test says.

#[path = "models/add.rs"]
mod add;
#[path = "models/case.rs"]
mod case;
#[path = "models/embed.rs"]
mod embed;
#[path = "models/fetch.rs"]
mod fetch;
#[path = "../../crates/recall-models/tests/support/library.rs"]
mod library;
#[path = "models/network.rs"]
mod network;
#[path = "../../crates/recall-models/tests/onnx/onnx_file.rs"]
#[expect(dead_code, reason = "the networks of these tests need a part of the form")]
mod onnx_file;
#[path = "models/rerank.rs"]
mod rerank;
#[path = "models/runtime.rs"]
mod runtime;
#[path = "../../crates/recall-models/tests/support/server.rs"]
mod server;
