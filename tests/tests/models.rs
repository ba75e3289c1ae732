//! Models, from the command to the network: installation, use, and fallback after errors.
//!
//! Tests that run a network need ONNX Runtime: the variable `RECALL_TEST_WHEELS` must name a folder with its package, as
//! downloaded by `.ci/run`. They are only built with the feature `onnx-tests`.

#![cfg_attr(
    not(feature = "onnx-tests"),
    expect(dead_code, unused_imports, reason = "parts of the modules only serve the tests that run a network")
)]

mod add;
mod case;
#[cfg(feature = "onnx-tests")]
mod embed;
mod fetch;
#[path = "../../crates/recall-models/tests/support/library.rs"]
mod library;
mod network;
#[path = "../../crates/recall-models/tests/onnx/onnx_file.rs"]
#[expect(dead_code, reason = "the networks of these tests need a part of the form")]
mod onnx_file;
#[cfg(feature = "onnx-tests")]
mod rerank;
mod runtime;
#[path = "../../crates/recall-models/tests/support/server.rs"]
mod server;
