//! The day from which on the journals may differ from what this user wrote.

use recall_journal::Day;

/// From which day on the journals are compared with the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Since {
    /// From the first day on.
    Always,
    /// From that day on.
    Day(Day),
}
