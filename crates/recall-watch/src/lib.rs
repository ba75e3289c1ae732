//! Which files does a root hold, which of them changed, and is their content text?
//!
//! [`scan()`] walks a root under its [`Rules`] and costs a stat a file; [`stat`] looks at one file again;
//! [`content::read`] opens one without ever leaving the root and decodes it; [`root`] says where a project begins and
//! which paths lie inside it.
//!
//! [`Watcher`] tells whether anything in a root may have changed since the last scan, from the events of the operating system.
//!
//! The stat scan is the source of truth. Nothing here parses, remembers or writes anything, and nothing here knows the
//! time: whoever observes brings the moment along ([`is_racy`]).

mod change;
pub mod content;
mod ignore_files;
mod listing;
mod names;
mod open;
pub mod root;
mod rules;
mod scan;
mod skip;
mod symlink;
mod walk;
mod watcher;

pub use change::{StatOutcome, is_racy, stat};
pub use rules::{Addition, Depth, IgnoreRules, Rules};
pub use scan::{FoundFile, Scan, ScanError, SkippedFile, scan};
pub use skip::SkipReason;
pub use watcher::{Changes, Part, Watch, WatchError, Watcher};
