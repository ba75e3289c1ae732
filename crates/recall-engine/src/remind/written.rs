//! Which memories about a file were made with the lines that an edit replaces.
//!
//! What was learnt when a line was written is what its next editor lacks, and it need not share a word with what they were asked.
//! Git knows the commit of a line. A memory belongs to a commit if it names it, if it was added right before or after it, or if its
//! session made it (ADR 83).

use std::collections::BTreeMap;

use recall_core::{Memory, Replacement, Timestamp};
use recall_text::DocPath;

use crate::Engine;
use crate::engine::MountedStore;
use crate::git::{Git, HASH_CHARS, LineWriter, cites};
use crate::session_log::Deed;
use crate::store::Store;
use crate::store::definitions::changed_lines;

/// The most sessions whose events are read for one edit.
const MOST_SESSIONS: usize = 20;

/// Returns for each memory the share of the replaced lines of a file that were written in its commit. All are zero if the lines or their
/// commits are not known in time.
///
/// `path` is the file as the client sees it. Each memory comes with the place of its store.
pub(super) fn written_shares(
    engine: &Engine,
    stores: &[MountedStore],
    path: &DocPath,
    replacements: &[Replacement],
    memories: &[(usize, Memory)],
) -> Vec<f64> {
    let mut shares = vec![0.0; memories.len()];
    let mut provenances = memories.iter().map(|(_, memory)| &memory.provenance);
    if replacements.is_empty() || !provenances.any(|it| it.commit.is_some() || it.session.is_some()) {
        return shares;
    }
    let writers = writers_of_lines(engine, stores, path, replacements);
    let mut sessions = SessionCommits::default();
    for (share, (own, memory)) in shares.iter_mut().zip(memories).filter(|_| !writers.is_empty()) {
        let written = writers.iter().filter(|writer| belongs(&stores[*own], memory, writer, &mut sessions)).count();
        *share = written as f64 / writers.len() as f64;
    }
    shares
}

/// Returns who wrote each replaced line of a file, from the repository of the store that has it.
fn writers_of_lines(
    engine: &Engine,
    stores: &[MountedStore],
    path: &DocPath,
    replacements: &[Replacement],
) -> Vec<LineWriter> {
    let settings = &engine.settings.why;
    let nanos = settings.edit_history.map(|back| i64::try_from(back.as_nanos()).unwrap_or(i64::MAX));
    let since = nanos.map(|nanos| Timestamp(engine.clock.now().0.saturating_sub(nanos)));
    for store in stores {
        let Some(inner) = store.mount.inner_path(path) else { continue };
        let lines = changed_lines(store, &inner, replacements);
        if !lines.is_empty() {
            return Git::at(&store.root).line_writers(&inner, &lines, since, settings.edit_wait);
        }
    }
    Vec::new()
}

/// Returns whether a memory was made with a commit.
fn belongs(store: &Store, memory: &Memory, writer: &LineWriter, sessions: &mut SessionCommits) -> bool {
    let LineWriter { commit, before } = writer;
    let added_at = memory.provenance.commit.as_deref();
    // One that was added while the commit was prepared knows the commit before.
    if added_at
        .is_some_and(|at| is_hash_of(at, commit) || before.as_deref().is_some_and(|before| is_hash_of(at, before)))
    {
        return true;
    }
    cites(&memory.title, commit)
        || cites(&memory.content, commit)
        || memory.provenance.session.as_deref().is_some_and(|session| sessions.contain(store, session, commit))
}

/// Whether a hash, shortened or whole, is that of a commit.
fn is_hash_of(hash: &str, commit: &str) -> bool {
    hash.len() >= HASH_CHARS && commit.starts_with(hash)
}

/// The commits that sessions recorded, by the ids of the sessions.
#[derive(Debug, Default)]
struct SessionCommits(BTreeMap<String, Vec<String>>);

impl SessionCommits {
    fn contain(&mut self, store: &Store, session: &str, commit: &str) -> bool {
        if !self.0.contains_key(session) {
            let is_read = self.0.len() < MOST_SESSIONS;
            let events = if is_read { store.sessions.read(session).ok().flatten() } else { None };
            let commits = events.iter().flatten().filter_map(|event| match Deed::parse(event)? {
                Deed::Commit(hash) => Some(hash),
                Deed::Edit(_) => None,
            });
            self.0.insert(session.to_owned(), commits.collect());
        }
        self.0[session].iter().any(|hash| is_hash_of(hash, commit))
    }
}
