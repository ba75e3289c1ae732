//! Text output for people.
//!
//! The functions return text with ANSI styles; [`Output`](crate::output::Output) strips them if colours are off.

pub(crate) mod complaint;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod evaluation;
pub(crate) mod excerpt;
mod explanation;
pub(crate) mod facets;
pub(crate) mod graph;
pub(crate) mod index;
pub(crate) mod item;
pub(crate) mod learning;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod quantity;
pub(crate) mod related;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod status;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
