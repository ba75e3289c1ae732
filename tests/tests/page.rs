//! The page: who may see it, what it shows, and what hostile text in it does.

mod api;
pub(crate) mod browser;
mod content;
mod hostile;
mod opening;
mod refusals;
mod schema;
mod search;
