//! The tests of the walker by its interface.

mod git;
mod nasty;
mod oracle;
mod tree;
