//! Text output for people.
//!
//! The functions return text with ANSI styles; [`Output`](crate::output::Output) strips them if colours are off.

pub(crate) mod adopted;
pub(crate) mod daemon;
pub(crate) mod exact;
pub(crate) mod excerpt;
pub(crate) mod index;
pub(crate) mod item;
pub(crate) mod list;
pub(crate) mod markdown;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod overview;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod status;
pub mod style;
pub mod table;
pub(crate) mod text;
pub(crate) mod transcript;

pub(crate) use recall_text::quantity;
