//! The transcripts of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.json`, or `.jsonl` of newer versions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::session::{Choice, Draft, LINE_BYTES, stated_exit_code, text_of};
use crate::foreign::ReadError;
use crate::foreign::moment;
use crate::foreign::text_file::{self, BoundedLines, FILE_BYTES};

/// The tools that write a file, which is in `file_path`.
const EDITS: [&str; 3] = ["replace", "write_file", "edit"];

/// Returns whether a file is a chat: `session-*` in a folder `chats`.
pub(super) fn is_chat(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("chats"))
        && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("session-"))
}

pub(super) fn read(path: &Path, choice: &Choice<'_>) -> Result<Option<Draft>, ReadError> {
    let mut draft = Draft::new(choice.mask);
    let mut project = None;
    let mut messages = Vec::new();
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        let mut lines = BoundedLines::new(text_file::open(path)?, LINE_BYTES);
        while let Some(line) = lines.next().map_err(|source| text_file::read_error(path, source))? {
            let Some(record) = line.and_then(|line| serde_json::from_slice::<Value>(line).ok()) else { continue };
            read_head(&record, &mut draft, &mut project);
            follow(record, &mut messages);
        }
    } else {
        let text = text_file::read(path, FILE_BYTES)?;
        let mut chat: Value = serde_json::from_str(&text).map_err(|error| ReadError::Unexpected {
            path: path.to_owned(),
            expected: "a chat of Gemini CLI",
            found: format!("it is not JSON: {error}"),
        })?;
        read_head(&chat, &mut draft, &mut project);
        if let Some(Value::Array(all)) = chat.get_mut("messages").map(Value::take) {
            messages = all;
        }
    }
    let root = choice.roots.iter().find(|root| is_of(path, project.as_deref(), root));
    if root.is_none() && !choice.roots.is_empty() {
        return Ok(None);
    }
    for message in &messages {
        read_message(message, &mut draft);
    }
    draft.directory = root.map(|root| root.to_string_lossy().into_owned());
    Ok(Some(draft))
}

/// Follows a record of the newer format: a message is written again when it changes, and a rewind takes back those from one on.
fn follow(record: Value, messages: &mut Vec<Value>) {
    let place = |messages: &[Value], id: Option<&Value>| {
        messages.iter().rposition(|known| id.is_some() && known.get("id") == id)
    };
    if let Some(id) = record.get("$rewindTo") {
        let from = place(messages, Some(id)).unwrap_or_default();
        messages.truncate(from);
    } else if let Some(at) = place(messages, record.get("id")) {
        messages[at] = record;
    } else if record.get("type").is_some() {
        messages.push(record);
    }
}

/// Returns whether a chat is of a project: by the hash of the project's path, or by the file that names it.
fn is_of(path: &Path, project: Option<&str>, root: &Path) -> bool {
    let mut hash = String::new();
    for byte in Sha256::digest(root.to_string_lossy().as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    let folder = path.parent().and_then(Path::parent);
    let named = folder.and_then(|folder| fs::read_to_string(folder.join(".project_root")).ok());
    project == Some(&*hash)
        || folder.is_some_and(|folder| folder.ends_with(&hash))
        || named.is_some_and(|named| Path::new(named.trim()) == root)
}

fn read_head(record: &Value, draft: &mut Draft, project: &mut Option<String>) {
    let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
    draft.id = draft.id.take().or_else(|| text("sessionId"));
    *project = project.take().or_else(|| text("projectHash"));
    draft.at(record.get("startTime").and_then(moment::from_json));
}

fn read_message(message: &Value, draft: &mut Draft) {
    let Some(of) = message.get("type").and_then(Value::as_str) else { return };
    draft.at(message.get("timestamp").and_then(moment::from_json));
    let content = message.get("content").map(text_of).unwrap_or_default();
    match of {
        "user" => draft.add_question(&content),
        "gemini" => draft.add_answer(&content),
        _ => {}
    }
    for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let (name, arguments) = (text(call.get("name")).unwrap_or_default(), call.get("args"));
        let argument = |name: &str| text(arguments.and_then(|arguments| arguments.get(name)));
        let is_error = text(call.get("status")).is_some_and(|status| status == "error");
        if EDITS.contains(&&*name) {
            argument("file_path").filter(|_| !is_error).iter().for_each(|file| draft.add_edit(file));
        } else if let Some(command) = argument("command") {
            let output = call_output(call);
            let has_failed = is_error || stated_exit_code(&output).is_some_and(|code| code != 0);
            draft.add_command(&command, &output, has_failed);
        }
    }
}

/// Returns what a call wrote: what the model got, else what the person saw.
fn call_output(call: &Value) -> String {
    let parts = call.get("result").and_then(Value::as_array).into_iter().flatten();
    let output = |part: &Value| {
        let response = part.get("functionResponse")?.get("response")?;
        Some(text_of(response.get("output").or_else(|| response.get("error"))?))
    };
    let outputs: Vec<String> = parts.filter_map(output).collect();
    if outputs.is_empty() { call.get("resultDisplay").map(text_of).unwrap_or_default() } else { outputs.join("\n") }
}
