//! Transcripts in lines of JSON: Claude Code (`~/.claude/projects/<folder>/<session>.jsonl`), Codex CLI
//! (`~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`) and GitHub Copilot CLI
//! (`~/.copilot/session-state/<session>/events.jsonl`).

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::session::{Choice, Draft, LINE_BYTES, MOST_CALLS, patch_files, stated_exit_code, text_of};
use crate::foreign::text_file::BoundedLines;
use crate::foreign::{ReadError, moment, text_file};

pub(super) fn read_codex(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
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

/// The tools that write a file, which is in `file_path` or `notebook_path`.
const CLAUDE_CODE_EDITS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Returns the name of the folder with the transcripts of a project.
pub(super) fn claude_code_folder(root: &Path) -> String {
    root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

pub(super) fn read_claude_code(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
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
            if CLAUDE_CODE_EDITS.contains(&&*name) {
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

/// The name of the file in the folder of a session.
pub(super) const COPILOT_FILE: &str = "events.jsonl";

/// The tools that write a file, which is in `path`. Newer versions list the files in the result too.
const COPILOT_EDITS: [&str; 4] = ["edit", "create", "str_replace_editor", "write"];

pub(super) fn read_copilot(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
    let mut lines = BoundedLines::new(text_file::open(path)?, LINE_BYTES);
    let mut draft = Draft::new(choice.mask);
    let mut calls: HashMap<String, String> = HashMap::new();
    while let Some(line) = lines.next().map_err(|source| text_file::read_error(path, source))? {
        let Some(record) = line.and_then(|line| serde_json::from_slice::<Value>(line).ok()) else { continue };
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let (Some(kind), Some(data)) = (text(&record, "type"), record.get("data")) else { continue };
        draft.at(record.get("timestamp").and_then(moment::from_json));
        if kind == "session.start" {
            let place = data.get("context").unwrap_or(&Value::Null);
            draft.directory = text(place, "cwd");
            if !choice.includes(draft.directory.as_deref().unwrap_or_default()) {
                return Ok(None);
            }
            draft.id = text(data, "sessionId");
            draft.branch = text(place, "branch");
            draft.commit = text(place, "headCommit");
        }
        // What a subagent does is not part of the conversation.
        if data.get("parentToolCallId").is_some() {
            continue;
        }
        match &*kind {
            "user.message" => draft.add_question(&text(data, "content").unwrap_or_default()),
            "assistant.message" => draft.add_answer(&text(data, "content").unwrap_or_default()),
            "tool.execution_start" => {
                let argument = |name: &str| data.get("arguments").and_then(|arguments| text(arguments, name));
                let tool = text(data, "toolName").unwrap_or_default();
                if COPILOT_EDITS.contains(&&*tool) {
                    if let Some(file) = argument("path") {
                        draft.add_edit(&file);
                    }
                } else if let (Some(command), Some(id)) = (argument("command"), text(data, "toolCallId"))
                    && calls.len() < MOST_CALLS
                {
                    calls.insert(id, command);
                }
            }
            "tool.execution_complete" => {
                let call = text(data, "toolCallId").and_then(|id| calls.remove(&id));
                let Some(command) = call else { continue };
                let content = data.get("result").and_then(|result| result.get("content"));
                let message = || data.get("error").and_then(|error| error.get("message"));
                let output = content.or_else(message).map(text_of).unwrap_or_default();
                let stated = data.get("shellExecution").and_then(|shell| shell.get("exitCode")?.as_i64());
                let code = stated.or_else(|| stated_exit_code(&output));
                let is_refused = data.get("success").and_then(Value::as_bool) == Some(false);
                draft.add_command(&command, &output, is_refused || code.is_some_and(|code| code != 0));
            }
            _ => {}
        }
    }
    Ok(Some(draft))
}
