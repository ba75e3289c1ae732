//! The transcripts of Codex CLI: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::session::{Choice, Draft, LINE_BYTES, MOST_CALLS, patch_files, stated_exit_code, text_of};
use crate::foreign::ReadError;
use crate::foreign::moment;
use crate::foreign::text_file::{self, BoundedLines};

pub(super) fn read(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
    let failed = |source| text_file::read_error(path, source);
    let mut lines = BoundedLines::new(text_file::open(path)?, LINE_BYTES);
    let mut draft = Draft::new(choice.mask);
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
                if !choice.includes(directory.as_deref().unwrap_or_default()) {
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
            ("event_msg", "agent_message") => draft.add_answer(&text(payload, "message").unwrap_or_default()),
            ("response_item", "message") if text(payload, "role").as_deref() == Some("assistant") => {
                draft.add_answer(&payload.get("content").map(text_of).unwrap_or_default());
            }
            ("response_item", "function_call" | "custom_tool_call") => {
                read_call(payload, &mut draft, &mut calls);
            }
            ("response_item", "function_call_output" | "custom_tool_call_output") => {
                let call = text(payload, "call_id").and_then(|id| calls.remove(&id));
                let Some(command) = call else { continue };
                let (output, code) = outcome(payload.get("output").unwrap_or(&Value::Null));
                draft.add_command(&command, &output, code.is_some_and(|code| code != 0));
            }
            _ => {}
        }
    }
    Ok(Some(draft))
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

/// Returns what a call wrote and its exit code, if the output states it: in its metadata, or in its first lines.
fn outcome(output: &Value) -> (String, Option<i64>) {
    let code = |value: &Value| value.get("metadata")?.get("exit_code")?.as_i64();
    let written = |value: &Value| value.get("output").and_then(Value::as_str).unwrap_or_default().to_owned();
    if output.is_object() {
        return (written(output), code(output));
    }
    let text = text_of(output);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if value.is_object() => (written(&value), code(&value)),
        _ => {
            let code = stated_exit_code(&text);
            (text, code)
        }
    }
}
