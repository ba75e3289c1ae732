//! Answers as text for a model: a description of the answer first, then the results, without repetition.
//!
//! Content of files is shown with line numbers inside a fence that is longer than any run of backticks in the answer, or on
//! one line if it is a name. So it cannot be mistaken for the program's own text.

mod clean;
#[cfg(test)]
mod frames;
mod get;
mod graph;
mod hit;
mod index;
mod length;
mod list;
mod memory;
mod notes;
mod origin;
mod quantity;
mod quote;
mod related;
#[cfg(test)]
pub(crate) mod sample;
mod search;
mod session;
mod status;

pub(crate) use clean::clean;
pub(crate) use get::{body, get, memory};
pub(crate) use graph::graph;
pub(crate) use index::{index, initialised, rebuilt};
pub(crate) use length::ANSWER_CHARS;
pub(crate) use list::{TooMany, list};
pub(crate) use memory::{added, promoted, rated, stored, verified};
pub(crate) use quote::{Place, page};
pub(crate) use related::related;
pub(crate) use search::{JUDGE_REMINDER, Shape, nothing, search};
pub(crate) use session::{briefing, ended, events, logged, sessions, started};
pub(crate) use status::{Detail, status};
