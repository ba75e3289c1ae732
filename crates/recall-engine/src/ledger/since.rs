//! What may be missing from the journals, compared with the user's own log.

use recall_core::Timestamp;
use recall_journal::Day;

/// The first day of a comparison of the journals with the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Since {
    /// The first day of all.
    Always,
    Day(Day),
}

/// A suspicion that the journals lack events of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspicion {
    /// The first day that may lack events.
    pub(crate) since: Since,
    /// A moment at which the journals were as they had been read before; `None` if no such moment is known.
    pub(crate) intact: Option<Timestamp>,
}

impl Suspicion {
    /// The suspicion against every day.
    pub(crate) const ALWAYS: Self = Self { since: Since::Always, intact: None };

    /// Returns the suspicion that covers both: the earlier day, and the earlier moment.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { since: self.since.min(other.since), intact: self.intact.min(other.intact) }
    }
}
