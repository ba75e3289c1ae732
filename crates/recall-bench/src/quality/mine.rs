//! Mining of queries from the history of a git repository.
//!
//! A commit message describes in a person's words what the changed files are about. So the message is a query, and the
//! files are its answer **in the tree of the commit's parent**, the tree that the author searched before the change.
//! [`History`] reads the queries, [`Checkout`] writes their trees into a folder.
//!
//! `git` runs as a child process that only reads objects: it writes no index, reference or configuration, uses no
//! network, runs no hook, filter or signature check, and never prompts for a password.

mod checkout;
mod error;
mod git;
mod history;
mod subject;

pub use checkout::{Checkout, Moved};
pub use error::{CheckoutError, GitError, MineError};
pub use git::{Commit, Hunk, Lineage};
pub use history::{History, MineLimits, MinedQuery, code_files, without_credits};
