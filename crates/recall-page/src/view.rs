//! The parts of pages.

pub(crate) mod code;
pub(crate) mod labels;
pub(crate) mod layout;
pub(crate) mod link;
