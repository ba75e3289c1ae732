//! An MCP server over standard input and output, in front of the daemon.
//!
//! `recall-shim` is started by the agent and speaks MCP over its standard input and output, in every revision of the
//! protocol. Discovery, `initialize` and the lists are answered from data that is built in; the first call of a tool
//! connects to the daemon, and starts it where it is not running.
//!
//! It keeps no index, no model and no state of a conversation, writes nothing but protocol to standard output, and ends
//! only with its input: whatever goes wrong with the daemon is the text of an answer.

mod about;
mod answer;
mod arguments;
mod cursor;
mod daemon;
mod error;
mod index_run;
mod json;
mod options;
mod progress;
mod prompt;
mod render;
mod resource;
mod run;
mod server;
mod stdio;
mod surroundings;
mod tool;

pub use options::{Options, ToolSet};
pub use run::main;
