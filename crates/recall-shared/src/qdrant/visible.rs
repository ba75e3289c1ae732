//! Which documents of a branch readers see.
//!
//! A publication has a ticket, greater than those of all earlier ones of its branch. Its documents are staged under the ticket, and the
//! documents that it ends get the ticket too. Both count only if the branch's point says that the ticket is committed, so one write to
//! that point is the commit. What an overtaken publication wrote never counts.

use qdrant_client::qdrant::Value;

use super::field;
use super::point::{Point, text};
use crate::StoreError;

/// What has become of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It belongs to a publication that may be committed.
    Staged,
    /// Its publication was committed.
    Live,
    /// It was replaced or removed by a publication that was committed.
    Ended,
}

impl State {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::Live => "live",
            Self::Ended => "ended",
        }
    }

    pub(super) fn value(self) -> Value {
        text(self.as_str())
    }
}

/// The fields that [`Standing::read`] reads.
pub(super) const FIELDS: [&str; 3] = [field::STATE, field::TICKET, field::ENDED];

/// Whether a document counts, as far as it knows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) state: State,
    /// The ticket of its publication.
    pub(super) ticket: i64,
    /// The ticket of the last publication that wanted to end it; 0 for none.
    pub(super) ended: i64,
}

impl Standing {
    pub(super) fn read(point: &Point) -> Result<Self, StoreError> {
        let state = match point.text(field::STATE)? {
            "staged" => State::Staged,
            "live" => State::Live,
            "ended" => State::Ended,
            other => return Err(StoreError::Invalid { what: format!("`{other}` is not the state of a document") }),
        };
        Ok(Self { state, ticket: point.number(field::TICKET)?, ended: point.number(field::ENDED)? })
    }

    /// Whether readers see it, if this ticket is the last committed one of its branch.
    pub(super) fn is_visible(self, committed: i64) -> bool {
        let counts = match self.state {
            State::Live => true,
            State::Staged => self.ticket == committed,
            State::Ended => false,
        };
        counts && !self.is_ended(committed)
    }

    /// Whether the last committed publication ended it.
    fn is_ended(self, committed: i64) -> bool {
        committed != 0 && self.ended == committed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_committed_counts() {
        let check = |state, ticket, ended, committed, expected| {
            let standing = Standing { state, ticket, ended };
            assert_eq!(standing.is_visible(committed), expected, "{standing:?} {committed}");
        };
        check(State::Staged, 1, 0, 0, false);
        check(State::Staged, 1, 0, 1, true);
        check(State::Staged, 1, 0, 2, false);
        check(State::Live, 1, 0, 2, true);
        check(State::Live, 1, 3, 2, true);
        check(State::Live, 1, 3, 3, false);
        check(State::Live, 1, 3, 4, true);
        check(State::Ended, 1, 3, 3, false);
        check(State::Live, 0, 0, 0, true);
    }
}
