//! How much a session did, which decides whether its summary may become a file of the project.

use recall_core::{SessionEvent, SessionEventType, SessionShare};

use super::history::Keeping;
use super::summary::tells_something;

/// How much a session did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Substance {
    /// At most it searched. What it did is nobody else's concern, and never becomes a file.
    Trivial,
    /// It recorded work, or somebody wrote its summary.
    Work,
    /// It decided something, or added a memory.
    Decision,
}

impl Substance {
    /// Judges a session by its events, the number of memories that were added in it, and its written summary.
    pub(super) fn judge(events: &[SessionEvent], memories: usize, summary: Option<&str>) -> Self {
        let decides = |event: &SessionEvent| event.details.event_type == SessionEventType::Decision;
        if memories > 0 || events.iter().any(decides) {
            Self::Decision
        } else if summary.is_some() || events.iter().any(tells_something) {
            Self::Work
        } else {
            Self::Trivial
        }
    }

    /// Returns where the summary belongs if nobody asked for it.
    pub(super) fn keeping(self, share: SessionShare) -> Keeping {
        let least = match share {
            SessionShare::Never => return Keeping::Private,
            SessionShare::Decisions => Self::Decision,
            SessionShare::All => Self::Work,
        };
        if self >= least { Keeping::Shared } else { Keeping::Private }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_shares_what_has_enough_substance() {
        use Keeping::{Private, Shared};
        use SessionShare::{All, Decisions, Never};
        for (share, expected) in [
            (Never, [Private, Private, Private]),
            (Decisions, [Private, Private, Shared]),
            (All, [Private, Shared, Shared]),
        ] {
            let of_each = [Substance::Trivial, Substance::Work, Substance::Decision].map(|one| one.keeping(share));
            assert_eq!(of_each, expected, "{share:?}");
        }
    }
}
