//! Transformers in ONNX Runtime.
//!
//! Each network has one thread, since a session must not be run by two threads at once. Requests of all callers meet in
//! its queue and are run in batches.

mod assignment;
mod batch;
mod cross_encoder;
mod encoder;
mod error;
mod network;
mod open;
mod pool;
mod provider;
mod settings;
mod slot;
mod tokens;
mod worker;

pub use cross_encoder::OnnxCrossEncoder;
pub use encoder::OnnxEncoder;
pub use error::{LoadError, RunError};
pub(crate) use network::{Network, OnnxNetwork, Task};
pub use provider::ProviderUse;
pub use settings::OnnxSettings;
pub(crate) use tokens::{TextTokenizer, Tokens};
pub use worker::ModelState;
