//! The parts of pages.

pub(crate) mod chart;
pub(crate) mod code;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod standing;
pub(crate) mod time;
