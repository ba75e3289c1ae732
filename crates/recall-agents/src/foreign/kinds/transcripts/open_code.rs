//! The sessions of OpenCode: the tables `session`, `message` and `part` of `~/.local/share/opencode/opencode.db`.
//!
//! Versions that kept a file for each part moved them into the database when they were updated, so only that is read.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use recall_core::Timestamp;
use serde_json::Value;

use super::session::{Choice, Draft, patch_files};
use crate::foreign::ReadError;
use crate::foreign::database::Database;
use crate::foreign::moment;

/// What the error of a database with other tables names.
const EXPECTED: &str = "a database of OpenCode";

/// The tools that write a file, which is in `filePath`.
const EDITS: [&str; 2] = ["edit", "write"];

/// The sessions of a project, and how many sessions are of others.
#[derive(Default)]
pub(super) struct OpenCodeSessions {
    pub(super) own: Vec<Draft>,
    pub(super) elsewhere: u64,
    /// The number of sessions of the project that are older or more than asked for.
    pub(super) older: u64,
}

/// Reads the sessions of a project that changed since a time, the latest first.
pub(super) fn read(
    path: &Path,
    choice: &Choice<'_>,
    since: Timestamp,
    most: usize,
    scratch: &Path,
) -> Result<OpenCodeSessions, ReadError> {
    let database = Database::open(path, scratch)?;
    database.require(EXPECTED, "session", &["id", "directory", "time_updated"])?;
    database.require(EXPECTED, "message", &["id", "session_id", "data"])?;
    database.require(EXPECTED, "part", &["message_id", "session_id", "data"])?;
    let mut sessions = OpenCodeSessions::default();
    let mut ids = Vec::new();
    let columns = ["id", "directory", "parent_id", "time_updated"];
    let _ = database.rows("session", &columns, None, "time_updated DESC, id", &mut |row| {
        // The session of a subagent is part of another one.
        let (Some(id), None) = (row.text(0), row.text(2)) else { return ControlFlow::Continue(()) };
        let directory = row.text(1).unwrap_or_default();
        if !choice.includes(&directory) {
            sessions.elsewhere += 1;
        } else if ids.len() >= most || moment_of(row.number(3)).is_some_and(|updated| updated < since) {
            sessions.older += 1;
        } else {
            ids.push((id, directory));
        }
        ControlFlow::Continue(())
    })?;
    for (id, directory) in ids {
        let mut draft = Draft::new(choice.mask);
        draft.directory = Some(directory);
        read_session(&database, &id, &mut draft)?;
        draft.id = Some(id);
        sessions.own.push(draft);
    }
    Ok(sessions)
}

fn read_session(database: &Database, id: &str, draft: &mut Draft) -> Result<(), ReadError> {
    let only = Some(("session_id", &id as &dyn rusqlite::ToSql));
    let mut roles: HashMap<String, String> = HashMap::new();
    let _ = database.rows("message", &["id", "data"], only, "id", &mut |row| {
        let message = row.text(1).and_then(|data| serde_json::from_str::<Value>(&data).ok());
        let role = message.as_ref().and_then(|message| message.get("role")?.as_str());
        if let (Some(id), Some(role)) = (row.text(0), role) {
            roles.insert(id, role.to_owned());
        }
        ControlFlow::Continue(())
    })?;
    let columns = ["message_id", "data", "time_created"];
    let _ = database.rows("part", &columns, only, "time_created, id", &mut |row| {
        let part = row.text(1).and_then(|data| serde_json::from_str::<Value>(&data).ok());
        let role = row.text(0).and_then(|message| roles.get(&message));
        if let (Some(part), Some(role)) = (part, role) {
            draft.at(moment_of(row.number(2)));
            read_part(role, &part, draft);
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}

fn read_part(role: &str, part: &Value, draft: &mut Draft) {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    match (role, text(part, "type").as_deref()) {
        // A synthetic text is what the agent inserts, such as the content of a file that the user named.
        (_, Some("text")) if part.get("synthetic").and_then(Value::as_bool) == Some(true) => {}
        ("user", Some("text")) => draft.add_question(&text(part, "text").unwrap_or_default()),
        ("assistant", Some("text")) => draft.add_answer(&text(part, "text").unwrap_or_default()),
        ("assistant", Some("tool")) => {
            let (tool, state) = (text(part, "tool").unwrap_or_default(), part.get("state").unwrap_or(&Value::Null));
            let argument = |name: &str| state.get("input").and_then(|input| text(input, name));
            let is_error = text(state, "status").as_deref() == Some("error");
            if EDITS.contains(&&*tool) {
                argument("filePath").filter(|_| !is_error).iter().for_each(|file| draft.add_edit(file));
            } else if let Some(patch) = argument("patchText").filter(|_| !is_error) {
                patch_files(&patch).for_each(|file| draft.add_edit(file));
            } else if let Some(command) = argument("command") {
                let output = text(state, "output").or_else(|| text(state, "error")).unwrap_or_default();
                let code = state.get("metadata").and_then(|metadata| metadata.get("exit")?.as_i64());
                draft.add_command(&command, &output, is_error || code.is_some_and(|code| code != 0));
            }
        }
        _ => {}
    }
}

fn moment_of(milliseconds: Option<i64>) -> Option<Timestamp> {
    milliseconds.and_then(|number| moment::from_number(number as f64))
}
