//! The transcripts of Codex CLI: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::session::{Draft, LINE_BYTES, is_inside, patch_files};
use crate::foreign::ReadError;
use crate::foreign::item::ForeignSession;
use crate::foreign::moment;
use crate::foreign::text_file::{self, BoundedLines};

/// The most calls whose results are awaited.
const MOST_CALLS: usize = 256;

pub(super) fn read(path: &Path, root: Option<&Path>) -> Result<Option<ForeignSession>, ReadError> {
    let failed = |source| text_file::read_error(path, source);
    let mut lines = BoundedLines::new(text_file::open(path)?, LINE_BYTES);
    let mut draft = Draft::default();
    let mut calls: HashMap<String, String> = HashMap::new();
    while let Some(line) = lines.next().map_err(failed)? {
        let Some(record) = line.and_then(|line| serde_json::from_slice::<Value>(line).ok()) else { continue };
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        draft.at(record.get("timestamp").and_then(moment::from_json));
        let (Some(of), Some(payload)) = (text(&record, "type"), record.get("payload")) else { continue };
        let kind = text(payload, "type").unwrap_or_default();
        match (&*of, &*kind) {
            ("session_meta", _) => {
                let directory = text(payload, "cwd");
                if root.is_some_and(|root| !directory.as_deref().is_some_and(|cwd| is_inside(cwd, root))) {
                    return Ok(None);
                }
                draft.directory = directory;
                draft.id = text(payload, "id");
                let git = payload.get("git");
                draft.branch = git.and_then(|git| text(git, "branch"));
                draft.commit = git.and_then(|git| text(git, "commit_hash"));
            }
            // The messages of the user among `response_item` include what the agent inserts.
            ("event_msg", "user_message") => draft.add_question(&text(payload, "message").unwrap_or_default()),
            ("response_item", "function_call" | "custom_tool_call") => {
                read_call(payload, &mut draft, &mut calls);
            }
            ("response_item", "function_call_output" | "custom_tool_call_output") => {
                let call = text(payload, "call_id").and_then(|id| calls.remove(&id));
                let Some(command) = call else { continue };
                if has_failed(payload.get("output")) { draft.add_failure(&command) } else { draft.ran(&command) }
            }
            _ => {}
        }
    }
    Ok(draft.finish("codex", path))
}

fn read_call(payload: &Value, draft: &mut Draft, calls: &mut HashMap<String, String>) {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let raw = text("arguments").or_else(|| text("input")).unwrap_or_default();
    patch_files(raw).for_each(|file| draft.add_edit(file));
    let Ok(arguments) = serde_json::from_str::<Value>(raw) else { return };
    if let Some(patch) = arguments.get("input").and_then(Value::as_str) {
        patch_files(patch).for_each(|file| draft.add_edit(file));
    }
    let command = match arguments.get("command").or_else(|| arguments.get("cmd")) {
        Some(Value::String(command)) => command.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            if let ["apply_patch", patch] = words[..] {
                patch_files(patch).for_each(|file| draft.add_edit(file));
            }
            words.join(" ")
        }
        _ => return,
    };
    if let Some(id) = text("call_id")
        && calls.len() < MOST_CALLS
    {
        calls.insert(id.to_owned(), command);
    }
}

/// Returns whether the output of a call says that the command failed: by its exit code.
fn has_failed(output: Option<&Value>) -> bool {
    let code = |value: &Value| value.get("metadata")?.get("exit_code")?.as_i64();
    match output {
        Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
            Ok(value) => code(&value).is_some_and(|code| code != 0),
            Err(_) => text.lines().take(8).any(|line| {
                let exited =
                    line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "));
                exited.is_some_and(|code| code.trim() != "0")
            }),
        },
        Some(value) => code(value).is_some_and(|code| code != 0),
        None => false,
    }
}
