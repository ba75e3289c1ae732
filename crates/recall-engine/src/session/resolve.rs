//! The session that an id or the beginning of one names.

use std::sync::Arc;

use recall_core::Timestamp;

use crate::Engine;
use crate::session_log::SessionError;
use crate::store::Store;

/// The fewest characters of an abbreviated id.
const LEAST_CHARS: usize = 4;

/// The most candidates that an error lists.
const MOST_CANDIDATES: usize = 10;

impl Engine {
    /// Returns the id of the known session that a text names: by its whole id, or by a beginning that fits no other; `None` if
    /// there is none.
    ///
    /// # Errors
    /// The beginning fits several sessions, or the sessions cannot be read.
    pub(crate) fn find_session(store: &Arc<Store>, now: Timestamp, text: &str) -> Result<Option<String>, SessionError> {
        let sessions = Self::sessions_of(store, now)?;
        if sessions.iter().any(|session| session.id == text) {
            return Ok(Some(text.to_owned()));
        }
        if text.chars().count() < LEAST_CHARS {
            return Ok(None);
        }
        let mut fitting: Vec<String> =
            sessions.into_iter().map(|session| session.id).filter(|id| id.starts_with(text)).collect();
        if fitting.len() > 1 {
            fitting.truncate(MOST_CANDIDATES);
            return Err(SessionError::Ambiguous { id: text.to_owned(), candidates: fitting });
        }
        Ok(fitting.pop())
    }
}
