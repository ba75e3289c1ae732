//! Quoting of foreign text, so that it cannot be mistaken for recall's own.

pub(crate) use recall_core::quote::{QUOTE_CHARS, inline, quote};
