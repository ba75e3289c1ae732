//! The program `git`, run so that it only reads, and the repository that a folder belongs to.
//!
//! A repository may come from anybody. Its configuration runs no program, names no file outside its work tree and does not
//! decide which `git` is run. What is asked of `git`, and what its answers mean, is up to the callers.

mod program;
mod repository;

pub use program::{MissingGit, Program};
pub use repository::Repository;
