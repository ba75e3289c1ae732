//! Tests that run networks. They need ONNX Runtime and all-MiniLM-L6-v2: the variable `RECALL_TEST_WHEELS` must name a
//! folder with the two Python packages, as downloaded by `.ci/run`. They are only built with the feature `onnx-tests`.

#![expect(clippy::unwrap_used, reason = "a test's failure is a panic")]

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
