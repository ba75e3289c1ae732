//! Which questions does a repository's history answer?
//!
//! A commit's message says in a person's words what the files that it changes are about. So the message is a query, and
//! the files are its answer **in the tree of the commit's parent**, which does not hold the change itself: the tree
//! that whoever made the change searched. [`History`] reads the queries, [`Checkout`] puts their trees into a folder.
//!
//! `git` runs as a child process, reads the repository's objects and writes nothing into it: no index, no reference, no
//! configuration. It reaches no network, runs no hook, no filter and no signature check, and asks nobody for a password.

mod checkout;
mod error;
mod git;
mod history;
mod labels;
mod log;
mod subject;

pub use checkout::{Checkout, Moved};
pub use error::{CheckoutError, GitError, MineError};
pub use history::{History, Lineage, MineLimits, MinedQuery};
