//! An MCP server over standard input and output, in front of the daemon.
//!
//! The agent starts `recall-shim`, which speaks every revision of MCP over its standard input and output. It answers
//! discovery, `initialize` and the lists from built-in data; the first tool call connects to the daemon, and starts it if
//! it is not running.
//!
//! It keeps no index, no model and no state of a conversation, writes only protocol messages to standard output, and ends
//! only with its input: a failure of the daemon becomes the text of an answer.
//!
//! A session costs one such process, so everything expensive is in the daemon. Texts are for a model: each token is read in every
//! later turn, so an answer says the most with the fewest words, and content of files is fenced so that it cannot be taken for the
//! program's own text.
//!
//! Begin with `server`, `transport` (ADR 54), `tool` and `daemon`.

mod answer;
mod arguments;
mod cursor;
mod daemon;
mod error;
mod json;
mod process_env;
mod prompt;
mod render;
mod resource;
mod roots;
mod run;
mod server;
mod skill;
mod tool;
mod transport;

pub use process_env::{Options, ToolSet};
pub use run::main;
