//! Use of the program `git`, discovery of the repository of a folder, and what git's own files say of its files.
//!
//! A repository may be untrusted. Its configuration cannot run a program, name a file outside its work tree, or choose
//! which `git` is run, except in a [`writing_command`](Program::writing_command), which a user asks for. The commands and the meaning of their output are left to the callers.

mod program;
mod repository;
mod tracked;
mod user;

pub use program::{MissingGit, Program};
pub use repository::{Repository, common_dir, git_dir_named_by};
pub use tracked::TrackedFiles;
pub use user::{UserConfig, UserIgnoreFile};
