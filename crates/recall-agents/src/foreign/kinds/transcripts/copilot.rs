//! The transcripts of GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::session::{Choice, Draft, LINE_BYTES, MOST_CALLS, stated_exit_code, text_of};
use crate::foreign::ReadError;
use crate::foreign::moment;
use crate::foreign::text_file::{self, BoundedLines};

/// The name of the file in the folder of a session.
pub(super) const FILE: &str = "events.jsonl";

/// The tools that write a file, which is in `path`. Newer versions list the files in the result too.
const EDITS: [&str; 4] = ["edit", "create", "str_replace_editor", "write"];

pub(super) fn read(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
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
                if EDITS.contains(&&*tool) {
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
