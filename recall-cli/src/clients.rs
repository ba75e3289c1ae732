//! How does a coding agent learn of recall?

pub(crate) mod claude_code;
pub(crate) mod json_file;
