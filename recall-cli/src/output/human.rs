//! What does a person see?
//!
//! Every function here makes text with styles in it; whether they are shown is decided where the text is written.

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
