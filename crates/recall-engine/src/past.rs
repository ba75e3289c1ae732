//! The past of a project: its files at a commit, and its memories as they were recorded by then.
//!
//! Code and documents are git's objects, written to a folder of the data home as they are stored; memories are a replay of the events
//! up to that time. The folder is a root like any other, so that search, listing, windows and statements need to know nothing of time.
//! Annotating the present index with times was the alternative: every retriever, ranker and cache would have to know them, and one
//! that forgets would mix present and past (ADR 72).
//!
//! A past is named by its content, so that a question that is repeated finds it indexed. The ones that were not used lately are
//! deleted when another one is made.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use recall_core::{Event, EventId, TimePoint, Timestamp};
use recall_journal::{Disk, Follower, Journal, ReadError, Storage};
use recall_os::{Folder, OpenError};
use recall_text::PROJECT_FOLDER;

use crate::Engine;
use crate::error::{MemoryError, StoreError};
use crate::git::{Git, Tree, TreeFile};
use crate::moments::{Stretch, UnknownTime, resolve};
use crate::origin::Origin;
use crate::past_root::{DESCRIPTION, PastRoot};
use crate::store::Store;
use crate::store_folder::StoreFolder;

/// The file whose time is that of the last use of a past.
const USED: &str = "used";

/// An age, such as `3d`, is counted in minutes.
const AGE_NANOS: i64 = 60 * 1_000_000_000;

/// After this time, the draft of a past was left by a process that died.
const DRAFT_AGE: Duration = Duration::from_hours(24);

/// Why the past of a project cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PastError {
    /// The text names no time.
    #[error(transparent)]
    Time(#[from] UnknownTime),
    /// The commit has more than the settings allow.
    #[error(
        "commit {commit} has {files} files with {bytes} bytes; at most {most_files} files with {most_bytes} bytes are read"
    )]
    TooLarge {
        /// The commit.
        commit: String,
        /// Its files below the project's root.
        files: u64,
        /// Their size.
        bytes: u64,
        /// The setting `past.files`.
        most_files: u64,
        /// The setting `past.bytes`.
        most_bytes: u64,
    },
    /// Git did not list the files of the commit.
    #[error("git does not list the files of commit {commit}")]
    Unlisted {
        /// The commit.
        commit: String,
    },
    /// The files of the past cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The folder of the past.
        path: PathBuf,
        /// The operating system's error, or git's.
        #[source]
        source: io::Error,
    },
    /// The journals of the present cannot be read, or those of the past written.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The project's store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Engine {
    /// Returns the origin of requests for a project as it was at a time or a commit.
    ///
    /// A stretch of time, such as a day, means its end. Files are those of the last commit of the current branch by then. Memories are
    /// those of the journals in that commit, and those of today's journals that had been recorded by then.
    ///
    /// # Errors
    /// The text names no time, the commit is too large, or a file cannot be written.
    pub fn as_of(&self, origin: &Origin, text: &str) -> Result<Origin, PastError> {
        let project = self.registry.project(origin, &*self.clock)?;
        let now = self.clock.now();
        let Stretch { start, end: mut point } = resolve(&project.root, text, now)?;
        let is_age = || {
            resolve(&project.root, text, Timestamp(now.0 + AGE_NANOS)).ok().map(|later| later.end)
                != Some(point.clone())
        };
        if start == point && point.commit.is_none() && is_age() {
            // The same age a moment later is the same past, so that it need not be made again. A date stays what it says.
            point.at.0 -= point.at.0.rem_euclid(AGE_NANOS);
        }
        point.at = point.at.min(now);
        project.ledger.refresh(now)?;
        let git = Git::at(&project.root);
        let commit = git.commit_by(&point).and_then(|commit| commit.commit);
        let events = project.ledger.events_by(&point);
        let key = name_of(&project.root, &point, commit.as_deref(), &events);
        let folder = self.registry.places.past().join(key);
        let root = folder.join(project.root.file_name().unwrap_or(project.root.as_os_str()));
        if !folder.join(DESCRIPTION).is_file() {
            self.write_past(&project, &point, commit, &events, &folder, &root)?;
            self.collect_pasts(&folder);
        }
        let failed = |source| PastError::Write { path: folder.clone(), source };
        fs::write(folder.join(USED), b"").map_err(failed)?;
        let below = origin.directory.strip_prefix(&project.root).unwrap_or(Path::new(""));
        Ok(Origin { directory: root.join(below), project: Some(root), domain: None, ..origin.clone() })
    }

    /// Writes the files and journals of a past into a new folder, which gets its name when it is whole.
    fn write_past(
        &self,
        project: &Arc<Store>,
        point: &TimePoint,
        commit: Option<String>,
        events: &[Event],
        folder: &Path,
        root: &Path,
    ) -> Result<(), PastError> {
        let tree = match &commit {
            Some(commit) => self.bounded_tree(&project.root, commit)?,
            None => Tree::default(),
        };
        let draft = folder.with_extension(project.ledger.event_id(None, self.clock.now()).to_string());
        let failed = |source| PastError::Write { path: draft.clone(), source };
        let name = root.file_name().unwrap_or_default();
        let written = (|| {
            let private = |error: OpenError| failed(io::Error::other(error));
            Folder::private(&self.registry.places.past()).map_err(private)?;
            Folder::private(&draft).map_err(private)?;
            let root = draft.join(name);
            fs::create_dir_all(&root).map_err(failed)?;
            let git = Git::at(&project.root);
            git.contents(&tree.files, |file, content| write_file(&root, file, content)).map_err(failed)?;
            write_events(&root, events, self.clock.now())?;
            let past = PastRoot::new(&project.root, point, commit, tree.left_out);
            let description = serde_json::to_vec(&past).map_err(|error| failed(io::Error::other(error)))?;
            fs::write(draft.join(DESCRIPTION), description).map_err(failed)?;
            match fs::rename(&draft, folder) {
                // Another request made the same past meanwhile.
                Err(_) if folder.join(DESCRIPTION).is_file() => Ok(()),
                renamed => renamed.map_err(failed),
            }
        })();
        if draft.exists() {
            // What could not be deleted is deleted with the pasts that were not used lately.
            let _ = delete_folder(&draft);
        }
        written
    }

    /// Returns the files of a commit if they are within the bounds; those that no project indexes for their size are left out.
    fn bounded_tree(&self, root: &Path, commit: &str) -> Result<Tree, PastError> {
        let bounds = &self.settings.past;
        let tree = Git::at(root).tree(commit);
        let mut tree = tree.ok_or_else(|| PastError::Unlisted { commit: commit.to_owned() })?;
        let before = tree.files.len();
        tree.files.retain(|file| file.bytes <= bounds.file_bytes);
        tree.left_out += (before - tree.files.len()) as u64;
        let (files, bytes) = (tree.files.len() as u64, tree.files.iter().map(|file| file.bytes).sum());
        let (most_files, most_bytes) = (bounds.files, bounds.bytes);
        if files > most_files || bytes > most_bytes {
            return Err(PastError::TooLarge { commit: commit.to_owned(), files, bytes, most_files, most_bytes });
        }
        Ok(tree)
    }

    /// Deletes the pasts that were not used lately, with their indexes, except the newest and those that are open.
    fn collect_pasts(&self, newest: &Path) {
        let places = &self.registry.places;
        let changed = |folder: &Path| fs::metadata(folder).and_then(|folder| folder.modified()).ok();
        let now = changed(newest);
        let folders = fs::read_dir(places.past()).into_iter().flatten().flatten().map(|entry| entry.path());
        let (drafts, others): (Vec<PathBuf>, Vec<PathBuf>) =
            folders.filter(|folder| folder != newest).partition(|folder| folder.extension().is_some());
        for draft in drafts {
            let age = now.zip(changed(&draft)).and_then(|(now, then)| now.duration_since(then).ok());
            if age.is_some_and(|age| age > DRAFT_AGE) {
                // What cannot be deleted is tried again with the next past.
                let _ = delete_folder(&draft);
            }
        }
        let used = |folder: &PathBuf| changed(&folder.join(USED)).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut folders: Vec<(SystemTime, PathBuf)> = others.into_iter().map(|one| (used(&one), one)).collect();
        folders.sort_unstable_by(|a, b| b.cmp(a));
        for (_, folder) in folders.into_iter().skip(self.settings.past.kept.saturating_sub(1)) {
            for (root, index) in StoreFolder::all(places).into_iter().filter(|(root, _)| root.starts_with(&folder)) {
                if !self.registry.close_idle(&root) {
                    return;
                }
                let deleted = self.registry.delete_unused_index(&root, &index).map_err(|error| error.to_string());
                if deleted != Ok(true) || delete_folder(&index.path).is_err() {
                    tracing::debug!(root = %root.display(), ?deleted, "the index of a past is not deleted yet");
                    return;
                }
            }
            if let Err(error) = delete_folder(&folder) {
                tracing::debug!(folder = %folder.display(), %error, "a past is not deleted yet");
            }
        }
    }
}

fn delete_folder(folder: &Path) -> Result<(), OpenError> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { return Ok(()) };
    Folder::open(parent)?.remove(name)
}

fn write_file(root: &Path, file: &TreeFile, content: &[u8]) -> io::Result<()> {
    let path = root.join(file.path.as_str());
    fs::create_dir_all(path.parent().unwrap_or(root))?;
    fs::write(path, content)
}

/// Adds events to the journals of a root that do not have them.
fn write_events(root: &Path, events: &[Event], now: Timestamp) -> Result<(), PastError> {
    let storage: Arc<dyn Storage> = Arc::new(Disk::below(root, Path::new(PROJECT_FOLDER)));
    let unread = |source: ReadError| MemoryError::ReadJournal { source };
    let known: BTreeSet<EventId> =
        Follower::new(Arc::clone(&storage)).replay(now).map_err(unread)?.iter().map(|event| event.id).collect();
    let missing: Vec<Event> = events.iter().filter(|event| !known.contains(&event.id)).cloned().collect();
    if missing.is_empty() {
        return Ok(());
    }
    let folder = root.join(PROJECT_FOLDER);
    let failed = |source| MemoryError::OpenJournal { folder: folder.clone(), source };
    let journal = Journal::open(storage).map_err(failed)?;
    journal.append_all(&missing).map_err(|source| MemoryError::Write { folder: folder.clone(), source })?;
    Ok(())
}

/// Returns the name of the folder of a past: a hash of all that decides its content.
fn name_of(root: &Path, point: &TimePoint, commit: Option<&str>, events: &[Event]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("recall past of a project");
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(root.as_os_str().as_encoded_bytes());
    part(&point.at.0.to_le_bytes());
    part(commit.unwrap_or_default().as_bytes());
    for event in events {
        part(&event.id.0);
    }
    let mut name = hasher.finalize().to_hex().to_string();
    name.truncate(32);
    name
}
