//! The faults of files that a session has been told of.
//!
//! A line of a journal that cannot be read stays so until a person mends it. To repeat that with each answer would cost a model
//! tokens and teach people to overlook it. So each session is told once of each fault, and clients without a session together
//! once. A fault that changes is another one. What was told is kept in memory: a daemon that starts tells it again.

use std::collections::{HashSet, VecDeque};

use parking_lot::Mutex;
use recall_proto::v1::Warning;

use crate::service::warning::{JOURNAL_LINES_UNREAD, SELECTION_LINES_UNREAD};

/// How many pairs of a session and a fault are remembered. The oldest is forgotten first, and then told once more.
const REMEMBERED: usize = 4096;

/// The warnings that are told once a session.
const ONCE: [&str; 2] = [JOURNAL_LINES_UNREAD, SELECTION_LINES_UNREAD];

/// The faults that sessions have been told of.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    known: HashSet<Key>,
    /// The same, the oldest first.
    order: VecDeque<Key>,
}

/// A session, and the code and the words of a warning.
type Key = (String, String, String);

impl Reported {
    /// Removes the warnings that are told once a session and that this one was told before. An empty session is that of all
    /// clients that name none.
    pub(crate) fn keep_new(&self, session: &str, warnings: &mut Vec<Warning>) {
        warnings.retain(|warning| !ONCE.contains(&warning.code.as_str()) || self.is_new(session, warning));
    }

    fn is_new(&self, session: &str, warning: &Warning) -> bool {
        let key = (session.to_owned(), warning.code.clone(), warning.message.clone());
        let Told { known, order } = &mut *self.told.lock();
        if !known.insert(key.clone()) {
            return false;
        }
        order.push_back(key);
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(code: &str, message: &str) -> Warning {
        Warning { code: code.to_owned(), message: message.to_owned(), ..Warning::default() }
    }

    #[test]
    fn a_session_is_told_once_of_a_fault_until_it_changes() {
        let reported = Reported::default();
        let check = |session: &str, warning: Warning, expected: usize| {
            let mut warnings = vec![warning];
            reported.keep_new(session, &mut warnings);
            assert_eq!(warnings.len(), expected, "{session}");
        };
        check("a", warning(JOURNAL_LINES_UNREAD, "line 1"), 1);
        check("a", warning(JOURNAL_LINES_UNREAD, "line 1"), 0);
        check("b", warning(JOURNAL_LINES_UNREAD, "line 1"), 1);
        check("", warning(JOURNAL_LINES_UNREAD, "line 1"), 1);
        check("", warning(JOURNAL_LINES_UNREAD, "line 1"), 0);
        check("a", warning(SELECTION_LINES_UNREAD, "line 1"), 1);
        check("a", warning(JOURNAL_LINES_UNREAD, "line 2"), 1);
        for _ in 0..2 {
            check("a", warning("INDEXING", "still"), 1);
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let reported = Reported::default();
        for session in 0..REMEMBERED + 100 {
            reported.keep_new(&session.to_string(), &mut vec![warning(JOURNAL_LINES_UNREAD, "line 1")]);
        }
        let told = reported.told.lock();
        assert_eq!((told.known.len(), told.order.len()), (REMEMBERED, REMEMBERED));
    }
}
