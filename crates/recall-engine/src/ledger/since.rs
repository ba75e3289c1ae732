//! The first day whose journal may differ from the user's own log.

use recall_journal::Day;

/// The first day of a comparison of the journals with the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Since {
    /// The first day of all.
    Always,
    /// This day.
    Day(Day),
}
