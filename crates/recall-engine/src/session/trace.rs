//! The notes at the commits of a session: which lines it wrote, as records of Agent Trace.
//!
//! Only commits that the session recorded are noted, and of these only the files that it edited. The log knows no lines, so each line that
//! such a commit added to such a file counts. A note holds paths and the id of the session, no texts.

use std::collections::BTreeSet;

use recall_core::{SessionEvent, Timestamp};
use recall_os::git::Repository;

use super::agent_trace::{WrittenLines, add_record};
use crate::git::{Git, is_own};
use crate::mask;
use crate::memory::MemoryNote;
use crate::session_log::Deed;
use crate::store::Store;

/// The most commits of a session that are noted; the latest are.
const MOST_COMMITS: usize = 50;

/// Notes at the commits of a session which lines it wrote. Returns what could not be noted.
pub(super) fn write_traces(store: &Store, session: &str, events: &[SessionEvent], now: Timestamp) -> Vec<MemoryNote> {
    let (mut edited, mut hashes) = (BTreeSet::new(), BTreeSet::new());
    for deed in events.iter().rev().filter_map(Deed::parse) {
        match deed {
            Deed::Edit(path) => _ = edited.insert(path),
            Deed::Commit(hash) if hashes.len() < MOST_COMMITS => _ = hashes.insert(hash),
            Deed::Commit(_) => {}
        }
    }
    // A session without an agent is a person's, whose lines are not marked.
    let is_agent = events.iter().any(|event| event.provenance.agent.is_some());
    if !is_agent || edited.is_empty() {
        return Vec::new();
    }
    let failure = |commit: String| {
        let reason = note(store, session, &edited, &commit, now).err()?.to_owned();
        Some(MemoryNote::NotTraced { commit, reason })
    };
    hashes.into_iter().filter_map(failure).collect()
}

/// Notes at a commit which lines of these files a session wrote.
fn note(
    store: &Store,
    session: &str,
    edited: &BTreeSet<String>,
    commit: &str,
    now: Timestamp,
) -> Result<(), &'static str> {
    let git = Git::at(&store.root);
    // A commit that was amended away needs no note.
    let (Some(repository), Some(hash)) =
        (Repository::find(&store.root), git.commit_named(commit).and_then(|point| point.commit))
    else {
        return Ok(());
    };
    let below = store.root.strip_prefix(&repository.work_tree).unwrap_or(&store.root);
    let added = git.added_lines(&hash).ok_or("git did not list its lines")?;
    let files: Vec<WrittenLines> = added
        .into_iter()
        .filter(|(path, _)| edited.contains(path.as_str()) && !is_own(path) && !mask::is_secret_path(path))
        .map(|(path, lines)| (below.join(path.as_str()).to_string_lossy().replace('\\', "/"), lines))
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    let known = git.commit_notes(&[&hash]).remove(&hash).ok_or("git did not show its note")?;
    match add_record(&known.note, &hash, session, &files, now)? {
        Some(record) if !git.write_note(&hash, &record) => Err("git did not write its note"),
        _ => Ok(()),
    }
}
