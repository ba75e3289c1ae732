//! Folders whose files are opened, replaced and deleted relative to an open handle, without following symbolic links.
//!
//! A repository that somebody else wrote may hold links to any place and devices in place of files. A [`Folder`] refuses both:
//! every component of a path below it is a plain name, every folder on the way is a folder, and only regular files are opened.
//! What is checked is what is opened, because each step goes from a handle to the next name.
//!
//! It does not decide which folders are trusted: [`Folder::open`] follows links in the path that it is given.

mod error;
mod folder;
mod git_files;
mod private;
mod project_root;
mod set_aside;

pub use error::OpenError;
pub use folder::{Access, Folder};
pub use git_files::write_git_files;
pub use project_root::project_root;
pub use set_aside::set_aside;
