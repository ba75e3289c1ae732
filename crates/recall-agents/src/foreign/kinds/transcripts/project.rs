//! The transcripts of one project, read in place and within bounds.
//!
//! A transcript is of a project if its agent worked in the project's root, in one of its work trees, or below them. One that does not
//! say where its agent worked is of none.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use recall_core::Timestamp;

use super::session::{Choice, Mask};
use super::{gemini, json_lines, open_code};
use crate::foreign::ReadError;
use crate::foreign::text_file::{self, files_below};
use crate::foreign::transcript::{Transcript, TranscriptClient};

/// The most sources that could not be read and are named.
const MOST_NAMED: usize = 20;

/// Whose transcripts are read, where they are, and how much of them.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptQuery<'a> {
    /// The project's root and its work trees.
    pub roots: &'a [PathBuf],
    /// The user's home folder.
    pub home: &'a Path,
    /// The folders of the agents' files, by the names of the agents; what is not here is at its usual place in the home folder.
    pub folders: &'a BTreeMap<&'static str, PathBuf>,
    /// A folder of the caller for a private copy of a database.
    pub scratch: &'a Path,
    /// Masks the secrets in each text.
    pub mask: Mask,
    /// The most transcripts that are read, the latest first.
    pub most: usize,
    /// Transcripts that did not change since then are not read.
    pub since: Timestamp,
    /// The most bytes of the files that are read.
    pub most_bytes: u64,
}

/// How much was read, and what was not.
#[derive(Debug, Default)]
pub struct TranscriptTally {
    /// The number of transcripts that were read.
    pub read: u64,
    /// The number that belong to other projects, among those that were looked at.
    pub elsewhere: u64,
    /// The number of files that are too old or too many. Those of other projects may be among them.
    pub older: u64,
    /// The number of files for which the bytes did not suffice.
    pub too_large: u64,
    /// The first files and folders that could not be read, with the reasons.
    pub unreadable: Vec<(PathBuf, ReadError)>,
}

/// A file that may be a transcript of the project.
struct Candidate {
    client: TranscriptClient,
    path: PathBuf,
    modified: Timestamp,
    bytes: u64,
}

/// Passes the transcripts of a project to `visit`, those first whose files changed last. A missing folder is one without transcripts.
pub fn read_transcripts(query: &TranscriptQuery<'_>, visit: &mut dyn FnMut(Transcript)) -> TranscriptTally {
    let mut reading =
        ProjectReading { query, tally: TranscriptTally::default(), left: query.most_bytes, seen: HashSet::new() };
    let mut candidates = reading.candidates();
    candidates.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    for candidate in &candidates {
        reading.read(candidate, visit);
    }
    reading.tally
}

/// The transcripts of a project while they are read.
struct ProjectReading<'a> {
    query: &'a TranscriptQuery<'a>,
    tally: TranscriptTally,
    /// The bytes that may still be read.
    left: u64,
    seen: HashSet<(TranscriptClient, String)>,
}

impl ProjectReading<'_> {
    fn candidates(&mut self) -> Vec<Candidate> {
        use TranscriptClient::{ClaudeCode, Codex, Copilot, Gemini, OpenCode};
        let home = self.query.home;
        let mut all = Vec::new();
        for folder in self.claude_folders() {
            self.list(ClaudeCode, &folder, "jsonl", |path| path.parent() == Some(&folder), &mut all);
        }
        let is_rollout = |path: &Path| name_of(path).starts_with("rollout-");
        self.list(Codex, &self.folder_of("codex").join("sessions"), "jsonl", is_rollout, &mut all);
        for extension in ["jsonl", "json"] {
            self.list(Gemini, &self.folder_of("gemini").join("tmp"), extension, gemini::is_chat, &mut all);
        }
        let is_events = |path: &Path| name_of(path) == json_lines::COPILOT_FILE;
        self.list(Copilot, &self.folder_of("copilot").join("session-state"), "jsonl", is_events, &mut all);
        let open_code = home.join(".local/share/opencode/opencode.db");
        if let Ok(metadata) = open_code.metadata() {
            // The latest sessions are in the log.
            let log = open_code.with_file_name("opencode.db-wal").metadata().ok();
            let files = || [Some(&metadata), log.as_ref()].into_iter().flatten();
            let modified =
                files().filter_map(|file| file.modified().ok()).max().map(Timestamp::from).unwrap_or_default();
            let bytes = files().map(fs::Metadata::len).sum();
            all.push(Candidate { client: OpenCode, path: open_code, modified, bytes });
        }
        all
    }

    /// Returns the folder of an agent's files.
    fn folder_of(&self, agent: &str) -> PathBuf {
        self.query.folders.get(agent).cloned().unwrap_or_else(|| self.query.home.join(format!(".{agent}")))
    }

    /// Returns the folders of Claude Code that may hold transcripts of the project. The name of a folder below a root begins like that
    /// of the root, and so may the name of a neighbour; the transcript itself decides.
    fn claude_folders(&mut self) -> Vec<PathBuf> {
        let projects = self.folder_of("claude").join("projects");
        let roots: Vec<String> = self.query.roots.iter().map(|root| json_lines::claude_code_folder(root)).collect();
        let is_own = |name: &str| roots.iter().any(|root| name.strip_prefix(&**root).is_some_and(ends_or_goes_on));
        let entries = match fs::read_dir(&projects) {
            Ok(entries) => entries,
            Err(source) => {
                self.note(&projects, text_file::read_error(&projects, source));
                return Vec::new();
            }
        };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.filter(|entry| entry.file_name().to_str().is_some_and(is_own)).map(|entry| entry.path()).collect()
    }

    fn list(
        &mut self,
        client: TranscriptClient,
        folder: &Path,
        extension: &str,
        is_one: impl Fn(&Path) -> bool,
        all: &mut Vec<Candidate>,
    ) {
        let files = match files_below(folder, extension) {
            Ok(files) => files,
            Err(error) => return self.note(folder, error),
        };
        for file in files.into_iter().filter(|file| is_one(&file.path)) {
            let bytes = file.path.metadata().map(|metadata| metadata.len()).unwrap_or_default();
            let modified = file.modified.unwrap_or_default();
            all.push(Candidate { client, path: file.path, modified, bytes });
        }
    }

    /// Notes what cannot be read. An agent that is not used has no folder.
    fn note(&mut self, path: &Path, error: ReadError) {
        if !matches!(error, ReadError::Missing { .. }) && self.tally.unreadable.len() < MOST_NAMED {
            self.tally.unreadable.push((path.to_owned(), error));
        }
    }

    fn read(&mut self, candidate: &Candidate, visit: &mut dyn FnMut(Transcript)) {
        let Candidate { client, path, modified, bytes } = candidate;
        if *modified < self.query.since || self.tally.read >= self.query.most as u64 {
            self.tally.older += 1;
            return;
        }
        if *bytes > self.left {
            self.tally.too_large += 1;
            return;
        }
        let choice = Choice { roots: self.query.roots, mask: self.query.mask };
        let draft = match client {
            TranscriptClient::ClaudeCode => json_lines::read_claude_code(path, &choice),
            TranscriptClient::Codex => json_lines::read_codex(path, &choice),
            TranscriptClient::Gemini => gemini::read(path, &choice),
            TranscriptClient::Copilot => json_lines::read_copilot(path, &choice),
            TranscriptClient::OpenCode => return self.read_open_code(candidate, visit),
        };
        match draft {
            Ok(Some(draft)) if draft.directory.is_some() => {
                self.left -= bytes;
                self.show(draft.into_transcript(*client, path), visit);
            }
            Ok(_) => self.tally.elsewhere += 1,
            Err(error) => self.note(path, error),
        }
    }

    fn read_open_code(&mut self, candidate: &Candidate, visit: &mut dyn FnMut(Transcript)) {
        let TranscriptQuery { roots, since, most, scratch, mask, .. } = *self.query;
        let most = most.saturating_sub(self.tally.read as usize);
        match open_code::read(&candidate.path, &Choice { roots, mask }, since, most, scratch) {
            Ok(sessions) => {
                self.left -= candidate.bytes;
                self.tally.elsewhere += sessions.elsewhere;
                self.tally.older += sessions.older;
                for draft in sessions.own {
                    self.show(draft.into_transcript(candidate.client, &candidate.path), visit);
                }
            }
            Err(error) => self.note(&candidate.path, error),
        }
    }

    /// Passes a transcript on, unless it has no turn, or the same session was in a file that changed later.
    fn show(&mut self, transcript: Option<Transcript>, visit: &mut dyn FnMut(Transcript)) {
        if let Some(transcript) = transcript
            && self.seen.insert((transcript.client, transcript.session.clone()))
        {
            self.tally.read += 1;
            visit(transcript);
        }
    }
}

/// Returns whether what follows the name of a root's folder names the root itself, or a folder below it.
fn ends_or_goes_on(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('-')
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
