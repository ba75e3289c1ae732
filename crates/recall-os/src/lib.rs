//! Access to the operating system: folders whose files are opened, replaced and deleted without following symbolic links,
//! the program [`git`], and functions of the [`system`] that need `unsafe`.
//!
//! An untrusted repository may contain links to any place, and devices in place of files. A [`Folder`] refuses both:
//! every component of a path below it must be a plain name, every folder in the path a real folder, and only regular
//! files are opened. Each step resolves one name relative to an open handle, so the checked file is the opened file.
//!
//! The crate does not decide which folders are trusted: [`Folder::open`] follows links in its path.
//!
//! `openat2` with `RESOLVE_NO_SYMLINKS` would be one system call, on Linux only (ADR 21). Deletion goes through [`Folder::remove`],
//! which deletes a link itself and never its target. Begin with `folder`, then `git/repository` (which repository a folder belongs
//! to, ADR 20).

mod error;
mod folder;
pub mod git;
mod index_files;
mod project_root;
pub mod system;

pub use error::OpenError;
pub use folder::{Access, Folder, open_own, read_own};
pub use index_files::{FileStamp, delete_file, quarantine, quarantine_with, share_file};
pub use project_root::{GIT_FILES, is_temporary_folder, missing_lines, project_root, write_git_files};
pub use system::{runs_on_battery, thread_time};
