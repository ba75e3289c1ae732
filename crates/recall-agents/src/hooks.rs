//! The hooks of recall in an agent's files.
//!
//! Most files are JSON with the object `hooks`: for each event a list of groups with hooks, or of hooks. What stands in them is in
//! [`contract`]; some agents take a file of recall's own.

pub(crate) mod contract;
pub(crate) mod own_file;

use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstArray, CstObject};
use serde_json::{Map, Value, json};

use crate::document::json::{finish, input, object_in, parse, root_object};
use crate::document::{DocumentError, EmptySection, Format, split_mark};
use contract::{Contract, PROGRAM, SECTION};

/// The flag in the commands of the plugin's hooks.
pub const FROM_PLUGIN: &str = "--from-plugin";

/// The key of the version of a file's format.
const VERSION: &str = "version";

/// The largest settings that are searched for hooks while an agent waits.
const LIMIT_BYTES: u64 = 1 << 20;

/// Whether one of the settings files has hooks of recall that are not the plugin's. The plugin stands down then, so that
/// nothing is reported twice. A file that is missing, too large or unreadable has none.
pub fn settings_have_hooks(files: &[PathBuf]) -> bool {
    files.iter().any(|file| has_hooks(file))
}

fn has_hooks(file: &Path) -> bool {
    let is_small = file.metadata().is_ok_and(|seen| seen.is_file() && seen.len() <= LIMIT_BYTES);
    let text = if is_small { fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    // Most settings do not name the program, and need not be parsed.
    if !text.contains(PROGRAM.0) {
        return false;
    }
    let value = Format::Json.value(&text).unwrap_or_default();
    let groups = value.get(SECTION).and_then(Value::as_object).into_iter().flat_map(Map::values);
    let hooks = groups.filter_map(Value::as_array).flatten().filter_map(|group| group.get(SECTION)?.as_array());
    hooks.flatten().any(|hook| is_ours(hook) && !words(hook).iter().any(|word| word == FROM_PLUGIN))
}

/// Returns the text with recall's hooks, which it does not have yet.
pub(crate) fn with(text: &str, contract: &Contract, recall: &str) -> Result<String, DocumentError> {
    let (mark, text) = split_mark(text);
    let root = parse(text)?;
    let object = root_object(&root)?;
    if let Some(version) = contract.version().filter(|_| object.get(VERSION).is_none()) {
        object.insert(0, VERSION, input(&json!(version)));
    }
    let hooks = object_in(&object, SECTION)?;
    for (event, entry) in contract.entries(recall) {
        let entries = hooks.array_value_or_create(event);
        let entries = entries.ok_or_else(|| DocumentError::NotAnObject { what: format!("`hooks.{event}`") })?;
        entries.append(input(&entry));
        entries.ensure_multiline();
    }
    check(format!("{mark}{}", finish(&root, text)), text)
}

/// Returns the text without recall's hooks.
pub(crate) fn without(text: &str, empty: EmptySection) -> Result<String, DocumentError> {
    let (mark, text) = split_mark(text);
    let root = parse(text)?;
    let object = root.object_value();
    let Some(place) = object.and_then(|object| object.get(SECTION)) else { return Ok(format!("{mark}{text}")) };
    let Some(hooks) = place.object_value() else { return Ok(format!("{mark}{text}")) };
    if !remove_ours(&hooks) {
        return Ok(format!("{mark}{text}"));
    }
    if hooks.properties().is_empty() && empty == EmptySection::Remove {
        place.remove();
    }
    check(format!("{mark}{}", finish(&root, text)), text)
}

/// Whether a text has hooks of recall.
pub(crate) fn are_in(text: &str) -> Result<bool, DocumentError> {
    let root = parse(split_mark(text).1)?;
    let hooks = root.object_value().and_then(|object| object.object_value(SECTION));
    let events = hooks.into_iter().flat_map(|hooks| hooks.properties());
    let mut entries = events.filter_map(|event| event.array_value()).flat_map(|entries| entries.elements());
    Ok(entries.any(|entry| entry.to_serde_value().is_some_and(|entry| is_ours(&entry) || group_has_ours(&entry))))
}

/// Whether an object means nothing without hooks: it is empty, or only names the version of its format.
pub(crate) fn is_bare(object: &Map<String, Value>) -> bool {
    object.keys().all(|key| key == VERSION)
}

/// Removes recall's hooks, and the groups and events that become empty. Returns whether there were any.
fn remove_ours(hooks: &CstObject) -> bool {
    let mut any = false;
    for event in hooks.properties() {
        let Some(entries) = event.array_value() else { continue };
        if remove_from_list(&entries) {
            any = true;
            if entries.elements().is_empty() {
                event.remove();
            }
        }
    }
    any
}

/// Removes recall's hooks from a list of hooks and of groups with hooks.
fn remove_from_list(entries: &CstArray) -> bool {
    let mut any = false;
    for entry in entries.elements() {
        let group = entry.as_object().and_then(|group| group.array_value(SECTION));
        if entry.to_serde_value().is_some_and(|entry| is_ours(&entry)) {
            any = true;
            entry.remove();
        } else if let Some(list) = group.filter(remove_from_list) {
            any = true;
            if list.elements().is_empty() {
                entry.remove();
            }
        }
    }
    any
}

/// Checks that two texts mean the same, except for recall's hooks and the version of the format.
fn check(edited: String, before: &str) -> Result<String, DocumentError> {
    let (mut after, before) = (without_ours(&edited)?, without_ours(before)?);
    if before.get(VERSION).is_none() {
        after.as_object_mut().map(|object| object.shift_remove(VERSION));
    }
    if after == before { Ok(edited) } else { Err(DocumentError::Unclear) }
}

/// Returns the meaning of a text without recall's hooks and what is empty without them.
fn without_ours(text: &str) -> Result<Value, DocumentError> {
    let mut value = Format::Json.value(text)?;
    if let Some(hooks) = value.get_mut(SECTION).and_then(Value::as_object_mut) {
        for entries in hooks.values_mut().filter_map(Value::as_array_mut) {
            entries.iter_mut().filter_map(|group| group.get_mut(SECTION)?.as_array_mut()).for_each(|list| {
                list.retain(|hook| !is_ours(hook));
            });
            entries.retain(|entry| entry.get(SECTION) != Some(&json!([])) && !is_ours(entry));
        }
        hooks.retain(|_, entries| *entries != json!([]));
    }
    if value.get(SECTION) == Some(&json!({})) {
        value.as_object_mut().map(|object| object.shift_remove(SECTION));
    }
    Ok(if value.is_null() { json!({}) } else { value })
}

fn group_has_ours(group: &Value) -> bool {
    group.get(SECTION).and_then(Value::as_array).is_some_and(|list| list.iter().any(is_ours))
}

/// Whether a hook starts `recall hook`.
fn is_ours(hook: &Value) -> bool {
    let words = words(hook);
    let program = words.first().and_then(|program| program.rsplit(['/', '\\']).next());
    let program = program.and_then(|program| Path::new(program).file_stem());
    program == Some(PROGRAM.0.as_ref()) && words.get(1).map(String::as_str) == Some(PROGRAM.1)
}

/// Returns the program and the arguments of a hook.
fn words(hook: &Value) -> Vec<String> {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    match hook.get("args").and_then(Value::as_array) {
        Some(arguments) => {
            let arguments = arguments.iter().filter_map(Value::as_str);
            std::iter::once(command).chain(arguments).map(ToOwned::to_owned).collect()
        }
        None => shlex::split(command).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_added_to_those_of_others() {
        let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"theirs\" }] }\n    ]\n  }\n}\n";
        let edited = with(text, &contract::CLAUDE, "/opt/recall").expect("usable");
        let value = Format::Json.value(&edited).expect("valid");
        assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "theirs");
        assert_eq!(value["hooks"]["Stop"][1]["hooks"][0]["args"], json!(["hook", "stop"]));
        assert_eq!(value["hooks"]["PostToolUse"][0]["hooks"][0]["async"], true);
        assert!(are_in(&edited).expect("valid") && !are_in(text).expect("valid"));
        let rest = without(&edited, EmptySection::Keep).expect("usable");
        assert_eq!(Format::Json.value(&rest), Format::Json.value(text));
    }

    #[test]
    fn a_hook_that_was_moved_into_a_group_of_others_is_removed_alone() {
        let text = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"a\"},{\"command\":\"/x/recall hook stop\"}]}]}}";
        let rest = without(text, EmptySection::Remove).expect("usable");
        assert_eq!(Format::Json.value(&rest), Ok(json!({"hooks": {"Stop": [{"hooks": [{"command": "a"}]}]}})));
    }

    #[test]
    fn only_recall_s_own_commands_count_as_its_hooks() {
        for (hook, expected) in [
            (json!({"command": "recall", "args": ["hook", "stop"]}), true),
            (json!({"command": "'/a b/recall' hook stop --client codex"}), true),
            (json!({"command": r"C:\bin\recall.exe", "args": ["hook", "stop"]}), true),
            (json!({"command": "recall status"}), false),
            (json!({"command": "total-recall hook stop"}), false),
            (json!({"command": "echo recall hook"}), false),
            (json!({"url": "https://x"}), false),
        ] {
            assert_eq!(is_ours(&hook), expected, "{hook}");
        }
    }

    #[test]
    fn a_command_line_quotes_its_program() {
        for contract in [&contract::CODEX, &contract::GEMINI, &contract::QWEN, &contract::CURSOR, &contract::CRUSH] {
            for (event, entry) in contract.entries("/a b/recall") {
                let words = words(entry.pointer("/hooks/0").unwrap_or(&entry));
                assert_eq!((words[0].as_str(), words[1].as_str()), ("/a b/recall", "hook"), "{event}");
            }
        }
    }

    #[test]
    fn settings_with_hooks_are_recognised_whatever_else_they_hold() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |text: &str, expected: bool| {
            let file = folder.path().join("settings.json");
            fs::write(&file, text).expect("written");
            assert_eq!(settings_have_hooks(&[folder.path().join("missing"), file]), expected, "{text}");
        };
        check("{}", false);
        check("{\"hooks\": {\"Stop\": [", false);
        check("{\"mcpServers\": {\"recall\": {}}}", false);
        check(
            "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"recall\",\"args\":[\"hook\",\"stop\"]}]}]}} // c",
            true,
        );
        check(
            "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"recall\",\"args\":[\"hook\",\"stop\",\"--from-plugin\"]}]}]}}",
            false,
        );
        let claude = with("", &contract::CLAUDE, "/opt/recall").expect("usable");
        check(&claude, true);
    }
}
