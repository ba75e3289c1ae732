//! Who works where: the files that the sessions of all agents on this machine edited in the last minutes.
//!
//! Two agents in one repository do not know of each other, but one daemon sees both. It keeps the edits that hooks report in memory and
//! tells each about the other's. It states facts; there are no locks, since an agent that waits for a lock waits for a session that
//! nobody ended. A restart of the daemon forgets them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use recall_core::{EventDetails, HookRecord, MetadataValue, Provenance, Timestamp};
use recall_os::git::Repository;
use recall_text::DocPath;

/// How long an edit is kept.
pub(crate) const KEPT_NANOS: i64 = 24 * 60 * 60 * 1_000_000_000;

/// The most edits that are kept. Twenty busy agents make as many in an hour.
const MOST_EDITS: usize = 4_000;

/// The most files that are named of a session.
pub(crate) const MOST_FILES: usize = 8;

/// The most definitions that are kept of a file that a session edits.
const MOST_DEFINITIONS: usize = 8;

/// The edits of the last hours, the latest last.
#[derive(Debug, Default)]
pub(crate) struct LiveEdits(Mutex<VecDeque<LiveEdit>>);

/// An edit of a file by a session.
#[derive(Clone, Debug)]
struct LiveEdit {
    session: String,
    agent: Option<String>,
    branch: Option<String>,
    place: WorkPlace,
    /// The file, below the work tree.
    path: String,
    at: Timestamp,
    /// The definitions that it and earlier edits of the file concern, each with its last edit, the latest first.
    definitions: Vec<(String, Timestamp)>,
}

/// A work tree and the repository that it belongs to. A folder without git is its own repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkPlace {
    repository: PathBuf,
    pub(crate) work_tree: PathBuf,
    /// The project's root below the work tree, with `/` at its end; empty if they are the same.
    prefix: String,
}

impl WorkPlace {
    /// Finds the work tree of a project's root.
    pub(crate) fn find(root: &Path) -> Self {
        let Some(Repository { work_tree, common_dir, .. }) = Repository::find(root) else {
            return Self { repository: root.to_owned(), work_tree: root.to_owned(), prefix: String::new() };
        };
        let below = root.strip_prefix(&work_tree).unwrap_or(Path::new(""));
        let mut prefix = below.to_string_lossy().replace('\\', "/");
        if !prefix.is_empty() {
            prefix.push('/');
        }
        Self { repository: common_dir, work_tree, prefix }
    }

    pub(crate) fn path(&self, path: &DocPath) -> String {
        format!("{}{path}", self.prefix)
    }
}

/// A session that is at work.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSession {
    /// Its id.
    pub id: String,
    /// The agent; `None` for a person.
    pub agent: Option<String>,
    /// The work tree, or the project's root without git.
    pub work_tree: PathBuf,
    /// The branch; `None` if it is not known.
    pub branch: Option<String>,
    /// What it is for, with secrets masked; `None` if it was not stated.
    pub goal: Option<String>,
    /// When it did something last.
    pub last: Timestamp,
    /// The files that it edited last, the latest first, at most eight.
    pub files: Vec<LiveFile>,
}

/// A file that a session edited.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveFile {
    /// Its path below the work tree.
    pub path: String,
    /// When it was edited last.
    pub at: Timestamp,
    /// The definitions in it that were edited, the latest first, as far as they are known.
    pub definitions: Vec<String>,
}

impl LiveFile {
    /// Returns the edited definitions that are among others.
    pub(crate) fn shared_definitions(&self, others: &[String]) -> Vec<String> {
        self.definitions.iter().filter(|name| others.contains(name)).cloned().collect()
    }
}

/// Returns whether an event is an edit of files that a hook reports.
pub(crate) fn is_edit(details: &EventDetails) -> bool {
    let record = details.metadata.get(HookRecord::KEY);
    !details.related_files.is_empty()
        && matches!(record, Some(MetadataValue::Text(name)) if name == HookRecord::Edit.as_str())
}

impl LiveEdits {
    /// Notes what a session did, if it is an edit that a hook reports. `edited` are the definitions that it concerns.
    pub(crate) fn note(
        &self,
        root: &Path,
        provenance: &Provenance,
        details: &EventDetails,
        edited: &[String],
        now: Timestamp,
    ) {
        let Some(session) = provenance.session.clone().filter(|_| is_edit(details)) else { return };
        let place = WorkPlace::find(root);
        let mut edits = self.0.lock();
        for path in &details.related_files {
            let path = place.path(path);
            let mut definitions: Vec<_> = edited.iter().map(|name| (name.clone(), now)).collect();
            edits.retain(|known| {
                let is_earlier = known.session == session && known.path == path;
                if is_earlier {
                    let others = known.definitions.iter().filter(|(name, _)| !edited.contains(name));
                    definitions.extend(others.cloned());
                }
                !is_earlier
            });
            definitions.truncate(MOST_DEFINITIONS);
            let (agent, branch) = (provenance.agent.clone(), provenance.branch.clone());
            let (session, place) = (session.clone(), place.clone());
            edits.push_back(LiveEdit { session, agent, branch, place, path, at: now, definitions });
        }
        edits.retain(|edit| edit.at.0 > now.0 - KEPT_NANOS);
        while edits.len() > MOST_EDITS {
            edits.pop_front();
        }
    }

    /// Forgets a session that has ended.
    pub(crate) fn forget(&self, session: &str) {
        self.0.lock().retain(|edit| edit.session != session);
    }

    /// Returns the sessions that edited a file of a repository since a time, other than `own`, the latest first, without their goals.
    pub(crate) fn find_others(&self, place: &WorkPlace, own: Option<&str>, since: Timestamp) -> Vec<LiveSession> {
        let edits = self.0.lock();
        let of_others = edits.iter().rev().filter(|edit| {
            edit.place.repository == place.repository && edit.at >= since && Some(edit.session.as_str()) != own
        });
        let mut sessions: Vec<LiveSession> = Vec::new();
        for LiveEdit { session, agent, branch, place, path, at, definitions } in of_others {
            let definitions = definitions.iter().filter(|(_, at)| *at >= since).map(|(name, _)| name.clone()).collect();
            let file = LiveFile { path: path.clone(), at: *at, definitions };
            match sessions.iter_mut().find(|known| known.id == *session) {
                Some(known) => known.files.push(file),
                None => sessions.push(LiveSession {
                    id: session.clone(),
                    agent: agent.clone(),
                    work_tree: place.work_tree.clone(),
                    branch: branch.clone(),
                    goal: None,
                    last: *at,
                    files: vec![file],
                }),
            }
        }
        sessions
    }
}
