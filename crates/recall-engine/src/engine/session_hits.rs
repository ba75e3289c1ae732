//! The latest hits of each session, to notice which of them it uses.
//!
//! They are in memory only: a restart forgets them, and what is used after that is not counted. Uses are a weak sign, so a lost one
//! costs little, and a search does not wait for a disk.

use std::collections::HashSet;

use parking_lot::Mutex;
use recall_core::ItemId;

/// The most sessions whose hits are kept; the one that searched longest ago is forgotten first.
const MOST_SESSIONS: usize = 64;

/// The most hits that are kept of a session, the latest ones.
const MOST_HITS: usize = 256;

/// The hits of the sessions.
#[derive(Default)]
pub(crate) struct SessionHits(Mutex<Vec<Searched>>);

/// A session that searched.
struct Searched {
    session: String,
    /// The latest last.
    hits: Vec<SessionHit>,
    /// The items that count as used in this session already.
    used: HashSet<ItemId>,
}

/// A hit of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionHit {
    /// The memory or the document, with the id that the client sees.
    pub(crate) item: ItemId,
    /// The path that the client sees; empty for a memory.
    pub(crate) path: String,
}

impl SessionHits {
    /// Keeps the hits of a search.
    pub(crate) fn note(&self, session: &str, hits: impl IntoIterator<Item = SessionHit>) {
        let mut sessions = self.0.lock();
        let place = sessions.iter().position(|searched| searched.session == session);
        let mut searched = match place {
            Some(place) => sessions.remove(place),
            None => Searched { session: session.to_owned(), hits: Vec::new(), used: HashSet::new() },
        };
        for hit in hits {
            if !searched.used.contains(&hit.item) && !searched.hits.contains(&hit) {
                searched.hits.push(hit);
            }
        }
        let excess = searched.hits.len().saturating_sub(MOST_HITS);
        searched.hits.drain(..excess);
        sessions.push(searched);
        let excess = sessions.len().saturating_sub(MOST_SESSIONS);
        sessions.drain(..excess);
    }

    /// Returns whether the session has hits that it has not used yet.
    pub(crate) fn has_unused(&self, session: &str) -> bool {
        self.0.lock().iter().any(|searched| searched.session == session && !searched.hits.is_empty())
    }

    /// Takes the hits of a session that were used now and not before.
    pub(crate) fn take_used(&self, session: &str, is_used: impl Fn(&SessionHit) -> bool) -> Vec<SessionHit> {
        let mut sessions = self.0.lock();
        let Some(searched) = sessions.iter_mut().find(|searched| searched.session == session) else {
            return Vec::new();
        };
        let used: Vec<SessionHit> = searched.hits.extract_if(.., |hit| is_used(hit)).collect();
        searched.used.extend(used.iter().map(|hit| hit.item));
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: &str) -> SessionHit {
        SessionHit { item: id.parse().expect("an id"), path: String::new() }
    }

    #[test]
    fn a_hit_is_used_once_in_a_session() {
        let hits = SessionHits::default();
        hits.note("s", [hit("L-00000001"), hit("L-00000002"), hit("L-00000001")]);
        assert!(hits.has_unused("s") && !hits.has_unused("t"));
        let used = |session| hits.take_used(session, |one| *one == hit("L-00000001")).len();
        assert_eq!((used("t"), used("s"), used("s")), (0, 1, 0));
        hits.note("s", [hit("L-00000001")]);
        assert_eq!(used("s"), 0);
        hits.note("t", [hit("L-00000001")]);
        assert_eq!(used("t"), 1);
    }

    #[test]
    fn few_sessions_with_few_hits_are_kept() {
        let hits = SessionHits::default();
        for number in 0..=MOST_SESSIONS {
            hits.note(&number.to_string(), [hit("L-00000001")]);
        }
        assert!(!hits.has_unused("0") && hits.has_unused("1"));
        hits.note("1", (0..=MOST_HITS).map(|number| hit(&format!("L-{:08x}", number + 2))));
        assert_eq!(hits.take_used("1", |_| true).len(), MOST_HITS);
    }
}
