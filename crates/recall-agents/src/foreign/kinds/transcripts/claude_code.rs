//! The transcripts of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::session::{Choice, Draft, LINE_BYTES, MOST_CALLS, text_of};
use crate::foreign::ReadError;
use crate::foreign::moment;
use crate::foreign::text_file::{self, BoundedLines};

/// The tools that write a file, which is in `file_path` or `notebook_path`.
const EDITS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Returns the name of the folder with the transcripts of a project.
pub(super) fn folder_of(root: &Path) -> String {
    root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

pub(super) fn read(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
    let failed = |source| text_file::read_error(path, source);
    let mut lines = BoundedLines::new(text_file::open(path)?, LINE_BYTES);
    let mut draft = Draft::new(choice.mask);
    let mut calls: HashMap<String, String> = HashMap::new();
    let (mut number, mut known) = (0_u64, 0_u64);
    while let Some(line) = lines.next().map_err(failed)? {
        let Some(line) = line.filter(|line| !line.is_empty()) else { continue };
        number += 1;
        let Ok(record) = serde_json::from_slice::<Value>(line) else { continue };
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        let Some(of) = text("type") else { continue };
        known += 1;
        if record.get("isSidechain").and_then(Value::as_bool) == Some(true)
            || record.get("isMeta").and_then(Value::as_bool) == Some(true)
            || record.get("isCompactSummary").and_then(Value::as_bool) == Some(true)
        {
            continue;
        }
        if let Some(directory) = text("cwd").filter(|_| draft.directory.is_none()) {
            if !choice.includes(directory) {
                return Ok(None);
            }
            draft.directory = Some(directory.to_owned());
        }
        draft.id = draft.id.take().or_else(|| text("sessionId").map(str::to_owned));
        draft.branch = draft.branch.take().or_else(|| text("gitBranch").map(str::to_owned)).filter(|it| !it.is_empty());
        draft.at(record.get("timestamp").and_then(moment::from_json));
        let content = record.get("message").and_then(|message| message.get("content"));
        match (of, content) {
            ("user", Some(Value::String(asked))) => draft.add_question(asked),
            ("user" | "assistant", Some(Value::Array(blocks))) => {
                for block in blocks {
                    read_block(of, block, &mut draft, &mut calls);
                }
            }
            _ => {}
        }
    }
    if known == 0 && number > 0 {
        let found = "none of its lines is a record of Claude Code, Codex CLI or Gemini CLI".to_owned();
        return Err(ReadError::Unexpected { path: path.to_owned(), expected: "a transcript", found });
    }
    Ok(Some(draft))
}

fn read_block(of: &str, block: &Value, draft: &mut Draft, calls: &mut HashMap<String, String>) {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let Some(kind) = text(block, "type") else { return };
    match (of, &*kind) {
        ("assistant", "text") => draft.add_answer(&text(block, "text").unwrap_or_default()),
        ("user", "text") => draft.add_question(&text(block, "text").unwrap_or_default()),
        ("user", "tool_result") => {
            let call = text(block, "tool_use_id").and_then(|id| calls.remove(&id));
            let Some(command) = call else { return };
            let output = block.get("content").map(text_of).unwrap_or_default();
            let has_failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
            draft.add_command(&command, &output, has_failed);
        }
        ("assistant", "tool_use") => {
            let (Some(name), Some(input)) = (text(block, "name"), block.get("input")) else { return };
            if EDITS.contains(&&*name) {
                let file = text(input, "file_path").or_else(|| text(input, "notebook_path"));
                if let Some(file) = file {
                    draft.add_edit(&file);
                }
            } else if let (Some(command), Some(id)) = (text(input, "command"), text(block, "id"))
                && calls.len() < MOST_CALLS
            {
                calls.insert(id, command);
            }
        }
        _ => {}
    }
}
