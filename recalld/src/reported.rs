//! The file warnings that each session has already received.
//!
//! A journal line that cannot be read stays so until a person repairs it. Repeating the warning with each answer would cost
//! a model tokens and teach people to ignore it. So each session receives each warning once, and all clients without a
//! session count as one. A warning with another text is a new one. The record is kept in memory only: a restarted daemon
//! sends the warnings again.

use std::collections::{HashSet, VecDeque};

use parking_lot::Mutex;
use recall_api::v1::Warning;

use crate::service::warning::{JOURNAL_LINES_UNREAD, SELECTION_LINES_UNREAD};

/// The capacity, in pairs of a session and a warning. The oldest pair is evicted first; its warning is then sent once more.
const REMEMBERED: usize = 4096;

/// The codes of the warnings that are sent once per session.
const ONCE: [&str; 2] = [JOURNAL_LINES_UNREAD, SELECTION_LINES_UNREAD];

/// The file warnings that sessions have received.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    sent: Mutex<SentReport>,
}

#[derive(Debug, Default)]
struct SentReport {
    known: HashSet<Key>,
    /// The same keys, oldest first.
    order: VecDeque<Key>,
}

/// A session, and the code and the text of a warning.
type Key = (String, String, String);

impl Reported {
    /// Removes the once-per-session warnings that the session has already received. All clients without a session share the
    /// empty one.
    pub(crate) fn keep_new(&self, session: &str, warnings: &mut Vec<Warning>) {
        warnings.retain(|warning| !ONCE.contains(&warning.code.as_str()) || self.is_new(session, warning));
    }

    fn is_new(&self, session: &str, warning: &Warning) -> bool {
        let key = (session.to_owned(), warning.code.clone(), warning.message.clone());
        let SentReport { known, order } = &mut *self.sent.lock();
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
    fn a_session_receives_a_warning_once_until_its_text_changes() {
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
    fn the_record_is_bounded() {
        let reported = Reported::default();
        for session in 0..REMEMBERED + 100 {
            reported.keep_new(&session.to_string(), &mut vec![warning(JOURNAL_LINES_UNREAD, "line 1")]);
        }
        let sent = reported.sent.lock();
        assert_eq!((sent.known.len(), sent.order.len()), (REMEMBERED, REMEMBERED));
    }
}
