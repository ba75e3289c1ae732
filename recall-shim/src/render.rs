//! Answers as text for a model: what it is first, then what was found, nothing twice.
//!
//! What comes out of files stands behind line numbers inside a fence that is longer than any run of backticks in the
//! answer, or on one line where a name is expected; it cannot pass for anything that this program says.

mod clean;
#[cfg(test)]
mod frames;
mod get;
mod graph;
mod hit;
mod index;
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
use clean::inline;
pub(crate) use get::{body, get, memory};
pub(crate) use graph::graph;
pub(crate) use index::{index, initialised, rebuilt};
pub(crate) use list::{TooMany, list};
pub(crate) use memory::{added, promoted, rated, stored, verified};
use origin::origin;
pub(crate) use quote::{Place, page};
pub(crate) use related::related;
pub(crate) use search::{JUDGE_REMINDER, Shape, nothing, search};
pub(crate) use session::{briefing, ended, events, logged, sessions, started};
pub(crate) use status::{Detail, status};

/// The longest answer. Clients cut or refuse results of about 25,000 tokens, and put those above 50,000 characters
/// aside into a file; this is some 8,000 tokens.
pub(crate) const ANSWER_CHARS: usize = 30_000;

/// What stays free for the lines at the end of an answer.
const TAIL_CHARS: usize = 700;

fn chars(text: &str) -> usize {
    text.chars().count()
}
