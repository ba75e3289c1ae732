//! The sessions that made commits or changed files, with the evidence.
//!
//! A session knows the commits that its hooks saw and the files that it edited. A commit that nobody recorded may still be the work of
//! a session that edited its files shortly before. If neither is known, the answer says what was looked
//! at: sessions are not recorded everywhere, so that there was none cannot be known.

use std::collections::BTreeMap;
use std::time::Duration;

use recall_core::{Session, Timestamp};
use recall_journal::Day;
use recall_text::quantity::{count_noun, span};

use crate::git::{HASH_CHARS, LineCommit};
use crate::session_log::Deed;
use crate::store::Store;

const SECOND_NANOS: i64 = 1_000_000_000;
const MINUTE_NANOS: i64 = 60 * SECOND_NANOS;

/// How long before a commit an edit counts as part of it: work of a day is often committed in the evening.
const WINDOW_NANOS: i64 = 24 * 60 * MINUTE_NANOS;

/// The most sessions whose events are read for one answer.
const MOST_READ: usize = 200;

/// Who made lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    /// A session.
    Session {
        /// Its id.
        id: String,
        /// What says so.
        evidence: String,
        /// When the lines were there.
        until: Timestamp,
    },
    /// Why no session is named.
    Unknown(String),
}

/// The sessions of a store.
pub(super) struct Makers<'s> {
    store: &'s Store,
    /// The sessions, or why they cannot be read.
    sessions: Result<Vec<Session>, String>,
    /// What the sessions did that were looked at.
    deeds: BTreeMap<String, Vec<(Deed, Timestamp)>>,
    /// The number of sessions that were not looked at.
    unread: usize,
}

impl<'s> Makers<'s> {
    pub(super) fn new(store: &'s Store, sessions: Result<Vec<Session>, String>) -> Self {
        Self { store, sessions, deeds: BTreeMap::new(), unread: 0 }
    }

    /// Returns the session with an id.
    pub(super) fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.iter().flatten().find(|session| session.id == id)
    }

    /// Returns who made a commit: the session that recorded it, else the one that `claimed` names, else the one that edited the file last
    /// before it and after `since`, when the file was committed before.
    pub(super) fn find(
        &mut self,
        commit: &LineCommit,
        path: &str,
        claimed: Option<&str>,
        since: impl FnOnce() -> Option<Timestamp>,
    ) -> Maker {
        if let Err(reason) = &self.sessions {
            return Maker::Unknown(format!("the sessions cannot be read: {reason}"));
        }
        let until = end_of_second(commit.authored);
        let session = |id: String, evidence: &str| Maker::Session { id, evidence: evidence.to_owned(), until };
        if let Some(id) = self.recorder(commit) {
            return session(id, "recorded the commit");
        }
        if let Some(known) = claimed.and_then(|id| self.session(id)) {
            return session(known.id.clone(), "named by an Agent Trace");
        }
        let since = since().unwrap_or(Timestamp(i64::MIN)).0.max(until.0.saturating_sub(WINDOW_NANOS));
        if let Some((id, at, others)) = self.editor(path, since, until) {
            let before = span(Duration::from_nanos(u64::try_from(until.0 - at.0).unwrap_or_default()));
            let evidence = format!("edited the file {before} before the commit{}", others_too(others));
            return Maker::Session { id, evidence, until };
        }
        if let Some(id) = self.summarist(commit) {
            return session(id, "its summary names the commit");
        }
        Maker::Unknown(self.reason(commit))
    }

    /// Returns who edited a file last since a time; `since` is when it was committed last.
    pub(super) fn find_editor(&mut self, path: &str, since: Option<Timestamp>, now: Timestamp) -> Maker {
        if let Err(reason) = &self.sessions {
            return Maker::Unknown(format!("the sessions cannot be read: {reason}"));
        }
        match self.editor(path, since.map_or(i64::MIN, |since| since.0), now) {
            Some((id, at, others)) => {
                let ago = span(Duration::from_nanos(u64::try_from(now.0 - at.0).unwrap_or_default()));
                let evidence = format!("edited the file {ago} ago{}", others_too(others));
                Maker::Session { id, evidence, until: now }
            }
            None => Maker::Unknown(format!(
                "no session of this work tree recorded an edit of the file{}{}",
                if since.is_some() { " since its last commit" } else { "" },
                self.unread_words()
            )),
        }
    }

    /// Returns the session that recorded a commit. It did so when the commit was made, or a little later.
    fn recorder(&mut self, commit: &LineCommit) -> Option<String> {
        let at = commit.committed.0;
        let ids = self.sessions_between(at.saturating_sub(MINUTE_NANOS), at.saturating_add(WINDOW_NANOS));
        let is_it = |deed: &Deed| match deed {
            Deed::Commit(hash) => hash.len() >= HASH_CHARS && commit.hash.starts_with(hash.as_str()),
            Deed::Edit(_) => false,
        };
        ids.into_iter().find(|id| self.deeds(id).iter().any(|(deed, _)| is_it(deed)))
    }

    /// Returns the session that edited a file last in a time, when, and how many others did too.
    fn editor(&mut self, path: &str, since: i64, until: Timestamp) -> Option<(String, Timestamp, usize)> {
        let mut edits: Vec<(Timestamp, String)> = Vec::new();
        for id in self.sessions_between(since, until.0) {
            let is_edit = |(deed, at): &&(Deed, Timestamp)| {
                matches!(deed, Deed::Edit(file) if file == path) && at.0 > since && *at <= until
            };
            if let Some((_, at)) = self.deeds(&id).iter().rev().find(is_edit) {
                edits.push((*at, id));
            }
        }
        let others = edits.len().saturating_sub(1);
        edits.into_iter().max().map(|(at, id)| (id, at, others))
    }

    /// Returns the session, known by its summary alone, that names a commit.
    fn summarist(&self, commit: &LineCommit) -> Option<String> {
        let short = commit.hash.get(..HASH_CHARS)?;
        let names_it = |session: &&Session| session.summary.as_deref().is_some_and(|text| text.contains(short));
        let mut sessions = self.sessions.iter().flatten().filter(|session| session.events == 0);
        sessions.find(names_it).map(|session| session.id.clone())
    }

    /// Returns the sessions that did something between two times, those that began last first.
    fn sessions_between(&self, from: i64, to: i64) -> Vec<String> {
        let sessions = self.sessions.iter().flatten();
        let is_between = |session: &&Session| session.events > 0 && session.started.0 <= to && session.last.0 >= from;
        sessions.filter(is_between).map(|session| session.id.clone()).collect()
    }

    /// Returns what a session did, in order; nothing if it was not looked at.
    fn deeds(&mut self, id: &str) -> &[(Deed, Timestamp)] {
        if !self.deeds.contains_key(id) {
            let events = if self.deeds.len() < MOST_READ { self.store.sessions.read(id).ok().flatten() } else { None };
            if events.is_none() {
                self.unread += 1;
            }
            let deeds = events.iter().flatten().filter_map(|event| Some((Deed::parse(event)?, event.timestamp)));
            let deeds = deeds.collect();
            self.deeds.insert(id.to_owned(), deeds);
        }
        &self.deeds[id]
    }

    fn reason(&self, commit: &LineCommit) -> String {
        let first = self.sessions.iter().flatten().map(|session| session.started).min();
        match first {
            None => "no session of this work tree is recorded".to_owned(),
            Some(first) if end_of_second(commit.authored.max(commit.committed)) < first => {
                let day = Day::from_timestamp(first);
                format!("the sessions of this work tree begin on {day}; this commit is older")
            }
            Some(_) => format!(
                "no session of this work tree recorded this commit, or edited the file in the day before it{}",
                self.unread_words()
            ),
        }
    }

    fn unread_words(&self) -> String {
        match self.unread {
            0 => String::new(),
            unread => format!("; {} could not be looked at", count_noun(unread as u64, "session", "sessions")),
        }
    }
}

/// Returns the last moment that git's time may mean. It knows the second only.
fn end_of_second(at: Timestamp) -> Timestamp {
    Timestamp(at.0.saturating_add(SECOND_NANOS - 1))
}

fn others_too(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(", and {} too", count_noun(others as u64, "other session", "other sessions")),
    }
}
