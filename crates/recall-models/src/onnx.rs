//! What does a network make of a text?
//!
//! A network is run by one thread, because the runtime's sessions are not to be run by two; the requests of all callers
//! meet in its queue and leave it in batches.

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
