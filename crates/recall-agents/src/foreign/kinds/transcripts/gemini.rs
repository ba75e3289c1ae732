//! The transcripts of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.json`, or `.jsonl` of newer versions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::session::{Draft, LINE_BYTES};
use crate::foreign::ReadError;
use crate::foreign::item::ForeignSession;
use crate::foreign::moment;
use crate::foreign::text_file::{self, BoundedLines, FILE_BYTES};

/// The tools that write a file, which is in `file_path`.
const EDITS: [&str; 3] = ["replace", "write_file", "edit"];

/// Returns whether a file is a chat: `session-*` in a folder `chats`.
pub(super) fn is_chat(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("chats"))
        && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("session-"))
}

pub(super) fn read(path: &Path, root: Option<&Path>) -> Result<Option<ForeignSession>, ReadError> {
    let mut draft = Draft::default();
    let mut project = None;
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        let mut lines = BoundedLines::new(text_file::open(path)?, LINE_BYTES);
        while let Some(line) = lines.next().map_err(|source| text_file::read_error(path, source))? {
            let Some(record) = line.and_then(|line| serde_json::from_slice::<Value>(line).ok()) else { continue };
            read_head(&record, &mut draft, &mut project);
            read_message(&record, &mut draft);
        }
    } else {
        let text = text_file::read(path, FILE_BYTES)?;
        let chat: Value = serde_json::from_str(&text).map_err(|error| ReadError::Unexpected {
            path: path.to_owned(),
            expected: "a chat of Gemini CLI",
            found: format!("it is not JSON: {error}"),
        })?;
        read_head(&chat, &mut draft, &mut project);
        for message in chat.get("messages").and_then(Value::as_array).into_iter().flatten() {
            read_message(message, &mut draft);
        }
    }
    if root.is_some_and(|root| !is_of(path, project.as_deref(), root)) {
        return Ok(None);
    }
    draft.directory = root.map(|root| root.to_string_lossy().into_owned());
    Ok(draft.finish("gemini", path))
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
    if of == "user" {
        match message.get("content") {
            Some(Value::String(asked)) => draft.add_question(asked),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                draft.add_question(&texts.collect::<Vec<_>>().join("\n"));
            }
            _ => {}
        }
    }
    for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let (name, arguments) = (text(call.get("name")).unwrap_or_default(), call.get("args"));
        let argument = |name: &str| text(arguments.and_then(|arguments| arguments.get(name)));
        let is_error = text(call.get("status")).is_some_and(|status| status == "error");
        if EDITS.contains(&&*name) {
            argument("file_path").filter(|_| !is_error).iter().for_each(|file| draft.add_edit(file));
        } else if let Some(command) = argument("command") {
            if is_error { draft.add_failure(&command) } else { draft.ran(&command) }
        }
    }
}
