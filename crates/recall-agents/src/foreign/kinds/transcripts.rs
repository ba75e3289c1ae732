//! The transcripts of coding agents, as sessions.
//!
//! A session gets what was asked, the files that were edited, the commands that failed, and the commits. Answers, tool output
//! and thoughts are not read.

mod claude_code;
mod codex;
mod gemini;
mod session;

use std::path::{Path, PathBuf};

use recall_core::ForeignKind;

use super::serena::unreadable;
use crate::foreign::database::expected_tables;
use crate::foreign::item::ForeignSession;
use crate::foreign::text_file::{self, Found, files_below};
use crate::foreign::{Item, ReadError, Sink};

/// The format of a transcript, by the agent that writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TranscriptFormat {
    ClaudeCode,
    Codex,
    Gemini,
}

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
    let of_project = root.map(claude_code::folder_of).map(|name| path.join(name)).filter(|folder| folder.is_dir());
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
    match format_of(path) {
        TranscriptFormat::ClaudeCode => claude_code::read(path, root),
        TranscriptFormat::Codex => codex::read(path, root),
        TranscriptFormat::Gemini => gemini::read(path, root),
    }
}

fn format_of(path: &Path) -> TranscriptFormat {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if gemini::is_chat(path) {
        TranscriptFormat::Gemini
    } else if name.starts_with("rollout-") {
        TranscriptFormat::Codex
    } else {
        TranscriptFormat::ClaudeCode
    }
}
