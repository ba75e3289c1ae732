//! Text for a model: a description of the answer first, then the results, without repetition.
//!
//! A tool's own text is in the tool's file; here is what several share, and the text of a search. Content of files is shown
//! with line numbers inside a fence that is longer than any run of backticks in the answer, or on one line if it is a name.
//! So it cannot be mistaken for the program's own text.

mod exact;
mod fit;
#[cfg(test)]
mod frames;
mod get;
mod hit;
pub(crate) mod index;
mod origin;
#[cfg(test)]
pub(crate) mod sample;
mod search;
mod session;
mod text;

pub(crate) use exact::exact;
pub(crate) use get::{body, get, memory, render_add};
pub(crate) use index::{failed_items, index, rebuilt, render_init};
pub(crate) use origin::origin;
pub(crate) use search::{JUDGE_REMINDER, Shape, nothing, search};
pub(crate) use session::{briefing, events, render_end, render_start, sessions};
pub(crate) use text::{
    ANSWER_CHARS, Place, TAIL_CHARS, TITLE_CHARS, TooMany, chars, clean, inline, moment, notes, page,
};
