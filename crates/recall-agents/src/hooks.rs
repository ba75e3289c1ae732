//! The hooks of recall in an agent's settings, and the contracts of the vendors.
//!
//! Only agents are listed whose vendor documents hooks that may add context. All files are JSON with the object `hooks`: for
//! each event a list of groups, each with a list of hooks.

use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstArray, CstObject};
use serde_json::{Map, Value, json};

use HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, SubagentStart};

use crate::document::json::{finish, input, object_in, parse, root_object};
use crate::document::{DocumentError, EmptySection, Format, split_mark};
use crate::hook_event::HookEvent;

/// The flag in the commands of the plugin's hooks.
pub const FROM_PLUGIN: &str = "--from-plugin";

/// The key of the object that holds the hooks.
pub(crate) const SECTION: &str = "hooks";

/// The program that hooks start, and its first argument.
const PROGRAM: (&str, &str) = ("recall", "hook");

/// The seconds after which an agent ends a hook. The hook limits itself to a fraction of a second.
const TIMEOUT_S: u32 = 5;

/// The largest settings that are searched for hooks while an agent waits.
const LIMIT_BYTES: u64 = 1 << 20;

/// The contract of a vendor: its events, and how a hook is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contract {
    /// Claude Code: the program and its arguments apart, so that no shell is started.
    Claude,
    /// Codex: one command line. The user trusts it by its hash, so it must be the same in every version of recall.
    Codex,
    /// Gemini CLI: its own names of events; a name for each hook; milliseconds.
    Gemini,
    /// Qwen Code: the names of Claude Code, and one command line.
    Qwen,
}

/// An event of a vendor: its name, the tools that it is for, recall's event, and whether the agent waits.
type EventRow = (&'static str, Option<&'static str>, HookEvent, Wait);

/// Whether an agent waits for a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Yes,
    No,
}

const CLAUDE: &[EventRow] = &[
    ("SessionStart", None, SessionStart, Wait::Yes),
    ("UserPromptSubmit", None, Prompt, Wait::Yes),
    ("PreToolUse", Some("Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob|Bash"), PreTool, Wait::Yes),
    ("PostToolUse", Some("Edit|Write|MultiEdit|NotebookEdit|Bash|TodoWrite|TaskCreate|TaskUpdate"), PostTool, Wait::No),
    // What is known about a failure comes with it, not a turn later.
    ("PostToolUseFailure", Some("Bash"), PostTool, Wait::Yes),
    ("SubagentStart", None, SubagentStart, Wait::Yes),
    ("PreCompact", None, PreCompact, Wait::Yes),
    // A hook that is not waited for is ended with the session, which in a run without a terminal is after the first turn.
    ("Stop", None, Stop, Wait::Yes),
    ("SessionEnd", None, SessionEnd, Wait::Yes),
];

const CODEX: &[EventRow] = &[
    ("SessionStart", None, SessionStart, Wait::Yes),
    ("UserPromptSubmit", None, Prompt, Wait::Yes),
    ("PostToolUse", Some("Bash"), PostTool, Wait::Yes),
    ("Stop", None, Stop, Wait::Yes),
];

const GEMINI: &[EventRow] = &[
    ("SessionStart", None, SessionStart, Wait::Yes),
    ("BeforeAgent", None, Prompt, Wait::Yes),
    ("AfterTool", Some("write_file|replace|run_shell_command"), PostTool, Wait::Yes),
    ("PreCompress", None, PreCompact, Wait::Yes),
    ("SessionEnd", None, SessionEnd, Wait::Yes),
];

const QWEN: &[EventRow] = &[
    ("SessionStart", None, SessionStart, Wait::Yes),
    ("UserPromptSubmit", None, Prompt, Wait::Yes),
    ("PreToolUse", Some("read_file|write_file|edit|grep_search|glob|run_shell_command"), PreTool, Wait::Yes),
    ("PostToolUse", Some("write_file|edit|run_shell_command"), PostTool, Wait::Yes),
    ("PostToolUseFailure", Some("run_shell_command"), PostTool, Wait::Yes),
    ("SubagentStart", None, SubagentStart, Wait::Yes),
    ("PreCompact", None, PreCompact, Wait::Yes),
    ("Stop", None, Stop, Wait::Yes),
    ("SessionEnd", None, SessionEnd, Wait::Yes),
];

impl Contract {
    fn events(self) -> &'static [EventRow] {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Qwen => QWEN,
        }
    }

    /// Returns the vendor's names of an event, in the order of the table.
    pub(crate) fn event_names(self, event: HookEvent) -> impl Iterator<Item = &'static str> {
        self.events().iter().filter(move |(_, _, answered, _)| *answered == event).map(|(name, ..)| *name)
    }

    /// Returns the vendor's events with the groups that start `recall`.
    pub(crate) fn groups(self, recall: &str) -> Vec<(&'static str, Value)> {
        let group = |(name, matcher, event, wait): &EventRow| {
            let mut group = Map::new();
            if let Some(matcher) = matcher {
                group.insert("matcher".to_owned(), json!(matcher));
            }
            group.insert(SECTION.to_owned(), json!([self.hook(recall, event.as_str(), *wait)]));
            (*name, Value::Object(group))
        };
        self.events().iter().map(group).collect()
    }

    fn hook(self, recall: &str, event: &str, wait: Wait) -> Value {
        let line = |client: &str| {
            let recall = shlex::try_quote(recall).unwrap_or(recall.into());
            format!("{recall} hook {event} --client {client}")
        };
        match self {
            Self::Claude => {
                let args = ["hook", event];
                let mut hook = json!({ "type": "command", "command": recall, "args": args, "timeout": TIMEOUT_S });
                if wait == Wait::No {
                    hook["async"] = json!(true);
                }
                hook
            }
            Self::Codex => json!({ "type": "command", "command": line("codex"), "timeout": TIMEOUT_S }),
            Self::Gemini => {
                let timeout = TIMEOUT_S * 1000;
                let name = format!("recall-{event}");
                json!({ "name": name, "type": "command", "command": line("gemini"), "timeout": timeout })
            }
            // Its versions disagree on the unit of `timeout`; its default is a minute.
            Self::Qwen => json!({ "name": format!("recall-{event}"), "type": "command", "command": line("qwen") }),
        }
    }
}

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
pub(crate) fn with(text: &str, contract: Contract, recall: &str) -> Result<String, DocumentError> {
    let (mark, text) = split_mark(text);
    let root = parse(text)?;
    let hooks = object_in(&root_object(&root)?, SECTION)?;
    for (event, group) in contract.groups(recall) {
        let groups = hooks.array_value_or_create(event);
        let groups = groups.ok_or_else(|| DocumentError::NotAnObject { what: format!("`hooks.{event}`") })?;
        groups.append(input(&group));
        groups.ensure_multiline();
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
    let groups = hooks.into_iter().flat_map(|hooks| hooks.properties());
    let mut groups = groups.filter_map(|event| event.array_value()).flat_map(|groups| groups.elements());
    Ok(groups.any(|group| group.to_serde_value().is_some_and(|group| group_has_ours(&group))))
}

/// Removes recall's hooks, and the groups and events that become empty. Returns whether there were any.
fn remove_ours(hooks: &CstObject) -> bool {
    let mut any = false;
    for event in hooks.properties() {
        let Some(groups) = event.array_value() else { continue };
        if remove_from_groups(&groups) {
            any = true;
            if groups.elements().is_empty() {
                event.remove();
            }
        }
    }
    any
}

fn remove_from_groups(groups: &CstArray) -> bool {
    let mut any = false;
    for group in groups.elements() {
        let Some(list) = group.as_object().and_then(|group| group.array_value(SECTION)) else { continue };
        for hook in list.elements() {
            if hook.to_serde_value().is_some_and(|hook| is_ours(&hook)) {
                any = true;
                hook.remove();
            }
        }
        if any && list.elements().is_empty() {
            group.remove();
        }
    }
    any
}

/// Checks that two texts mean the same, except for recall's hooks.
fn check(edited: String, before: &str) -> Result<String, DocumentError> {
    if without_ours(&edited)? == without_ours(before)? { Ok(edited) } else { Err(DocumentError::Unclear) }
}

/// Returns the meaning of a text without recall's hooks and what is empty without them.
fn without_ours(text: &str) -> Result<Value, DocumentError> {
    let mut value = Format::Json.value(text)?;
    if let Some(hooks) = value.get_mut(SECTION).and_then(Value::as_object_mut) {
        for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
            groups.iter_mut().filter_map(|group| group.get_mut(SECTION)?.as_array_mut()).for_each(|list| {
                list.retain(|hook| !is_ours(hook));
            });
            groups.retain(|group| group.get(SECTION) != Some(&json!([])));
        }
        hooks.retain(|_, groups| *groups != json!([]));
    }
    if value.get(SECTION) == Some(&json!({})) {
        value.as_object_mut().map(|object| object.shift_remove(SECTION));
    }
    Ok(value)
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
        let edited = with(text, Contract::Claude, "/opt/recall").expect("usable");
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
        for contract in [Contract::Codex, Contract::Gemini, Contract::Qwen] {
            for (event, group) in contract.groups("/a b/recall") {
                let words = words(&group["hooks"][0]);
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
        let claude = with("", Contract::Claude, "/opt/recall").expect("usable");
        check(&claude, true);
    }
}
