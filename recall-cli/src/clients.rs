//! Registration of recall in coding agents.

pub(crate) mod claude_code;
pub(crate) mod json_file;
