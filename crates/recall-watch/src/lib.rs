//! The files of a root: scanning, reading, and watching for changes.
//!
//! [`scan()`] walks a root under its [`Rules`], at the cost of one `stat` per file. [`stat`] checks one file again.
//! [`explain`] returns why a single file is left out. [`GitFacts`] are what git's own files say about a root.
//! [`content::read`] reads and decodes a file without ever leaving the root. [`root`] finds the root of a project and
//! resolves paths inside it.
//!
//! [`Watcher`] reports whether anything in a root may have changed since the last scan, from the events of the
//! operating system.
//!
//! The scan is the source of truth. This crate parses and writes no content, keeps no state beyond the watches, and has
//! no clock: the caller passes the time of an observation ([`is_racy`]).
//!
//! Events get lost: queues overflow, directories fill before they are watched, network mounts send none. So an event is only a reason
//! to scan (ADR 3, ADR 23). What git tracks is indexed whatever git's ignore files say, because somebody decided that it belongs to the
//! project (ADR 53).
//!
//! Begin with `scan`, `rules`, `content` and `watcher`.

pub mod content;
mod file;
mod git_facts;
mod ignore_files;
mod names;
pub mod root;
mod rules;
mod scan;
mod skip;
mod watcher;

pub use file::{StatOutcome, is_racy, stat};
pub use git_facts::GitFacts;

pub use names::Tracking;
pub use rules::{Addition, Depth, IgnoreRules, Rules};
pub use scan::{Explanation, FoundFile, Scan, ScanError, SkippedFile, explain, scan, scan_few};
pub use skip::{LeftOut, LeftOutRule, SizeLimits, SkipReason, group, may_hide_text};
pub use watcher::{Changes, Part, Watch, WatchError, Watcher};
