//! What has to do with what, by the symbols and edges of the catalog?
//!
//! Edges are stored as the text names their far end: a module path, a bare name, a relative link. Here they are
//! resolved among the documents of one store: [`paths`] finds documents by the end of a path, [`resolve`] knows how
//! each language's imports name files, [`links`] gives the whole graph between documents.

mod links;
mod paths;
mod resolve;

pub use links::{Links, links};
