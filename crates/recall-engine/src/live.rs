//! Who works where: the files that the sessions of all agents on this machine edited in the last minutes, and what each was asked last.
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

/// The most prompts that are kept of a session. Two, since a short answer such as "yes, go on" says nothing and must not hide the request
/// before it.
const PROMPTS_OF_SESSION: usize = 2;

/// The most prompts that are kept of all sessions.
const MOST_PROMPTS: usize = 1_000;

/// What sessions did lately.
#[derive(Debug, Default)]
pub(crate) struct LiveSessions {
    /// The edits of the last hours, the latest last.
    edits: Mutex<VecDeque<LiveEdit>>,
    /// The sessions and their last prompts, the latest last.
    prompts: Mutex<VecDeque<(String, String)>>,
}

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

impl LiveSessions {
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
        let mut edits = self.edits.lock();
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

    /// Notes what a session was asked, a text without secrets.
    pub(crate) fn note_prompt(&self, session: &str, prompt: String) {
        let mut prompts = self.prompts.lock();
        prompts.push_back((session.to_owned(), prompt));
        let count = prompts.iter().filter(|(known, _)| known == session).count();
        if count > PROMPTS_OF_SESSION
            && let Some(oldest) = prompts.iter().position(|(known, _)| known == session)
        {
            prompts.remove(oldest);
        }
        while prompts.len() > MOST_PROMPTS {
            prompts.pop_front();
        }
    }

    /// Returns the last prompts of a session, the latest last.
    pub(crate) fn prompts(&self, session: &str) -> Vec<String> {
        let prompts = self.prompts.lock();
        prompts.iter().filter(|(known, _)| known == session).map(|(_, prompt)| prompt.clone()).collect()
    }

    /// Forgets a session that has ended.
    pub(crate) fn forget(&self, session: &str) {
        self.edits.lock().retain(|edit| edit.session != session);
        self.prompts.lock().retain(|(known, _)| known != session);
    }

    /// Returns the sessions that edited a file of a repository since a time, other than `own`, the latest first, without their goals.
    pub(crate) fn find_others(&self, place: &WorkPlace, own: Option<&str>, since: Timestamp) -> Vec<LiveSession> {
        let edits = self.edits.lock();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_prompts_of_a_session_are_kept_until_it_ends() {
        let live = LiveSessions::default();
        for (session, prompt) in [("a", "one"), ("b", "other"), ("a", "two"), ("a", "three")] {
            live.note_prompt(session, prompt.to_owned());
        }
        assert_eq!(live.prompts("a"), ["two", "three"]);
        live.forget("a");
        assert_eq!((live.prompts("a").len(), live.prompts("b").len()), (0, 1));
        for number in 0..2 * MOST_PROMPTS {
            live.note_prompt(&format!("s{number}"), "x".to_owned());
        }
        assert_eq!(live.prompts.lock().len(), MOST_PROMPTS);
    }
}
