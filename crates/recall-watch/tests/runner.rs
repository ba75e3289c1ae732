//! The tests of the walker by its interface.

mod nasty;
mod oracle;
mod tree;
