//! The transcripts of coding agents, as sessions.
//!
//! An imported session gets what was asked, the files that were edited, the commands that failed, and the commits. The conversation
//! itself, with answers and outputs, is never stored: [`read_transcripts`] reads it in place. Thoughts are not read.

mod gemini;
mod json_lines;
mod open_code;
mod project;
mod session;

use std::path::{Path, PathBuf};

use super::notes::unreadable;
use crate::foreign::database::expected_tables;
use crate::foreign::item::ForeignSession;
use crate::foreign::text_file::{self, Found, files_below};
use crate::foreign::transcript::TranscriptClient;
use crate::foreign::{Item, ReadError, Sink};
use recall_core::ForeignKind;

pub use project::{TranscriptQuery, TranscriptTally, read_transcripts};
pub use session::Mask;

use session::Choice;

/// The largest transcript that is read.
const TRANSCRIPT_BYTES: u64 = 1024 * 1024 * 1024;

pub(super) fn read(path: &Path, root: Option<&Path>, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let mut all = transcripts(path, root)?;
    if all.is_empty() && !text_file::metadata(path)?.is_dir() {
        let found = "its name does not end in `.jsonl` or `.json`".to_owned();
        let expected = expected_tables(ForeignKind::Transcripts);
        return Err(ReadError::Unexpected { path: path.to_owned(), expected, found });
    }
    // The newest first, so that a limit leaves out the oldest.
    all.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    for found in all {
        let item = match read_one(&found.path, root) {
            Ok(Some(session)) => Item::Session(Box::new(session)),
            Ok(None) => continue,
            Err(error) => Item::LeftOut(unreadable(&found.below, &error)),
        };
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

/// Returns the files that may be transcripts. Below the folder of all projects of Claude Code, only those of this project are
/// looked at, by the name of their folder.
fn transcripts(path: &Path, root: Option<&Path>) -> Result<Vec<Found>, ReadError> {
    if text_file::metadata(path)?.is_file() {
        let modified = text_file::metadata(path)?.modified().ok().map(recall_core::Timestamp::from);
        let is_one = ["jsonl", "json"].iter().any(|it| path.extension().is_some_and(|extension| extension == *it));
        let below = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = Found { below, path: path.to_owned(), modified };
        return Ok(is_one.then_some(found).into_iter().collect());
    }
    let of_project =
        root.map(json_lines::claude_code_folder).map(|name| path.join(name)).filter(|folder| folder.is_dir());
    let is_claude = path.ends_with(".claude/projects");
    let folder: PathBuf = match of_project {
        Some(folder) => folder,
        None if is_claude && root.is_some() => return Ok(Vec::new()),
        None => path.to_owned(),
    };
    let mut all = files_below(&folder, "jsonl")?;
    all.extend(files_below(&folder, "json")?.into_iter().filter(|found| gemini::is_chat(&found.path)));
    all.retain(|found| !found.below.contains("/subagents/"));
    Ok(all)
}

/// Reads a transcript; `None` if it is that of another project, or has no request.
fn read_one(path: &Path, root: Option<&Path>) -> Result<Option<ForeignSession>, ReadError> {
    let bytes = text_file::metadata(path)?.len();
    if bytes > TRANSCRIPT_BYTES {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes, limit: TRANSCRIPT_BYTES });
    }
    let roots: Vec<PathBuf> = root.map(Path::to_owned).into_iter().collect();
    // An import masks what it stores.
    let choice = Choice { roots: &roots, mask: |_| {} };
    let client = client_of(path);
    let draft = match client {
        TranscriptClient::Gemini => gemini::read(path, &choice),
        TranscriptClient::Codex => json_lines::read_codex(path, &choice),
        TranscriptClient::Copilot => json_lines::read_copilot(path, &choice),
        TranscriptClient::ClaudeCode | TranscriptClient::OpenCode => json_lines::read_claude_code(path, &choice),
    };
    Ok(draft?.and_then(|draft| draft.finish(client, path)))
}

/// Returns the agent whose transcript a file is, by its place and name.
fn client_of(path: &Path) -> TranscriptClient {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if gemini::is_chat(path) {
        TranscriptClient::Gemini
    } else if name.starts_with("rollout-") {
        TranscriptClient::Codex
    } else if name == json_lines::COPILOT_FILE {
        TranscriptClient::Copilot
    } else {
        TranscriptClient::ClaudeCode
    }
}
