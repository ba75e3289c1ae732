//! What a client says about an event, read from its JSON.
//!
//! Unknown fields are ignored, and a field of another type than expected counts as absent.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::PathBuf;

use recall_api::v1::Replacement;
use recall_core::TaskState;
use serde_json::Value;

use crate::hook::replacement;
use crate::hook::result::{self, ToolResult};

/// The most bytes that are read. A client sends what a tool wrote and read, which is rarely above a megabyte.
const INPUT_BYTES: u64 = 16 * 1024 * 1024;

/// What a client says about an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Input {
    /// The client's name of the event; empty if it is not named.
    pub(crate) event: String,
    /// The agent that sends the event in the form of another one, whose hooks it runs: of Claude Code, or of Cline.
    pub(crate) host: Option<&'static str>,
    /// The session; empty if it is not named.
    pub(crate) session: String,
    /// The subagent in which the event happens; empty for the agent itself.
    pub(crate) subagent: String,
    /// The working directory, absolute; `None` if it is not named.
    pub(crate) directory: Option<PathBuf>,
    /// Why a session starts: `startup`, `resume`, `clear`, `compact`; empty if it is not named.
    pub(crate) source: String,
    /// The prompt; empty if there is none.
    pub(crate) prompt: String,
    /// The agent's last message; empty if there is none.
    pub(crate) message: String,
    /// The list of tasks that a tool was called with; `None` if it was not such a tool.
    pub(crate) tasks: Option<Vec<Task>>,
    /// The change of one task that a tool was called with; `None` if it was not such a tool.
    pub(crate) task: Option<TaskCall>,
    /// The call of a tool; `None` if there is none, or if nothing is known about the tool.
    pub(crate) call: Option<ToolCall>,
}

/// A task in the list of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// What is to be done.
    pub(crate) text: String,
    /// How far it is.
    pub(crate) state: TaskState,
}

/// A change of one task in the list of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskCall {
    /// It is new. The client says its id in the result of the call.
    Created { id: Option<String>, text: String },
    /// It is described anew, or its state has changed.
    Updated { id: String, text: Option<String>, state: Option<TaskState> },
    /// It is no longer in the list.
    Deleted { id: String },
}

/// A call of a tool, and its result if it has run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    /// What the tool does.
    pub(crate) kind: ToolKind,
    /// The file, the command or the pattern.
    pub(crate) subject: String,
    /// What an edit replaces in the file; empty if that is not known.
    pub(crate) replacements: Vec<Replacement>,
    /// Its result.
    pub(crate) result: ToolResult,
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolKind {
    /// It reads a file.
    Read,
    /// It writes a file.
    Edit,
    /// It searches files for a pattern.
    Search,
    /// It runs a command.
    Command,
}

/// The names of the fields of an event, as pointers. The first that a client sends counts.
const EVENT: &[&str] = &["/hook_event_name", "/hookEventName", "/agent_action_name"];
const SESSION: &[&str] = &["/session_id", "/sessionId", "/conversation_id", "/trajectory_id", "/taskId"];
const DIRECTORY: &[&str] = &["/cwd", "/workspace_roots/0", "/workspaceRoots/0", "/tool_info/cwd"];
const PROMPT: &[&str] = &["/prompt", "/userPromptSubmit/prompt", "/tool_info/user_prompt"];
const MESSAGE: &[&str] = &["/last_assistant_message", "/prompt_response", "/text", "/tool_info/response"];
const TOOL: &[&str] =
    &["/tool_name", "/toolName", "/preToolUse/toolName", "/postToolUse/toolName", "/agent_action_name"];
const ARGUMENTS: &[&str] =
    &["/tool_input", "/toolArgs", "/preToolUse/parameters", "/postToolUse/parameters", "/tool_info"];
const RESPONSE: &[&str] = &["/tool_response", "/tool_result", "/toolResult", "/tool_output", "/postToolUse"];

/// The tools with the argument that names their file or command; some clients have several names for one.
const TOOLS: &[(&str, ToolKind, &str)] = &[
    // Claude Code, Codex and Factory Droid; with `path`, Cursor and Copilot CLI.
    ("Read", ToolKind::Read, "file_path"),
    ("Edit", ToolKind::Edit, "file_path"),
    ("Write", ToolKind::Edit, "file_path"),
    ("MultiEdit", ToolKind::Edit, "file_path"),
    ("NotebookEdit", ToolKind::Edit, "notebook_path"),
    ("Grep", ToolKind::Search, "pattern"),
    ("Glob", ToolKind::Search, "pattern"),
    ("Bash", ToolKind::Command, "command"),
    ("Read", ToolKind::Read, "path"),
    ("Edit", ToolKind::Edit, "path"),
    ("Write", ToolKind::Edit, "path"),
    ("Shell", ToolKind::Command, "command"),
    ("apply_patch", ToolKind::Edit, "command"),
    ("Create", ToolKind::Edit, "file_path"),
    ("Execute", ToolKind::Command, "command"),
    ("Glob", ToolKind::Search, "patterns"),
    ("ApplyPatch", ToolKind::Edit, "input"),
    // Gemini CLI and Qwen Code; with `path`, Cline.
    ("read_file", ToolKind::Read, "file_path"),
    ("edit", ToolKind::Edit, "file_path"),
    ("replace", ToolKind::Edit, "file_path"),
    ("write_file", ToolKind::Edit, "file_path"),
    ("grep_search", ToolKind::Search, "pattern"),
    ("search_file_content", ToolKind::Search, "pattern"),
    ("glob", ToolKind::Search, "pattern"),
    ("run_shell_command", ToolKind::Command, "command"),
    ("read_file", ToolKind::Read, "path"),
    ("write_to_file", ToolKind::Edit, "path"),
    ("replace_in_file", ToolKind::Edit, "path"),
    ("search_files", ToolKind::Search, "regex"),
    ("execute_command", ToolKind::Command, "command"),
    // Cline CLI, with lists of which the first counts.
    ("read_files", ToolKind::Read, "files"),
    ("editor", ToolKind::Edit, "path"),
    ("run_commands", ToolKind::Command, "commands"),
    // Copilot CLI, VS Code and Crush.
    ("view", ToolKind::Read, "file_path"),
    ("write", ToolKind::Edit, "file_path"),
    ("multiedit", ToolKind::Edit, "file_path"),
    ("create", ToolKind::Edit, "path"),
    ("edit", ToolKind::Edit, "path"),
    ("grep", ToolKind::Search, "pattern"),
    ("bash", ToolKind::Command, "command"),
    ("powershell", ToolKind::Command, "command"),
    ("create_file", ToolKind::Edit, "filePath"),
    ("replace_string_in_file", ToolKind::Edit, "filePath"),
    ("read_file", ToolKind::Read, "filePath"),
    ("grep_search", ToolKind::Search, "query"),
    ("run_in_terminal", ToolKind::Command, "command"),
    // Windsurf has no tools, but an event for each.
    ("post_write_code", ToolKind::Edit, "file_path"),
    ("post_run_command", ToolKind::Command, "command_line"),
];

/// The tools of Codex and Factory Droid that apply a patch. The patch names its files.
const PATCH_TOOLS: [&str; 2] = ["apply_patch", "ApplyPatch"];

/// The beginnings of the lines of a patch that name a file.
const PATCHED: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// The tools that write a list of tasks, with the arguments that are the list and the text of a task: those of Claude Code,
/// Codex, Qwen Code and Gemini CLI.
const TASK_TOOLS: &[(&str, &str, &str)] = &[
    ("TodoWrite", "todos", "content"),
    ("update_plan", "plan", "step"),
    ("todo_write", "todos", "content"),
    ("write_todos", "todos", "description"),
];

impl Input {
    /// Reads the JSON to its end, so that the client can write all of it.
    ///
    /// # Errors
    /// It cannot be read, is larger than [`INPUT_BYTES`], or is not a JSON object.
    pub(crate) fn read(mut from: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        from.by_ref().take(INPUT_BYTES).read_to_end(&mut bytes)?;
        if io::copy(&mut from, &mut io::sink())? > 0 {
            let problem = format!("the input is larger than {INPUT_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        let value: Value = serde_json::from_str(&String::from_utf8_lossy(&bytes))?;
        if !value.is_object() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the input is not a JSON object"));
        }
        Ok(Self::parse(&value))
    }

    fn parse(value: &Value) -> Self {
        let directory = Some(PathBuf::from(text(value, DIRECTORY))).filter(|directory| directory.is_absolute());
        Self {
            event: text(value, EVENT),
            host: host(value),
            session: text(value, SESSION),
            subagent: text(value, &["/agent_id"]),
            directory,
            source: text(value, &["/source"]),
            prompt: text(value, PROMPT),
            message: text(value, MESSAGE),
            tasks: tasks(value),
            task: task(value),
            call: call(value),
        }
    }
}

/// Returns the agent that sends an event in the form of another one, whose hooks it runs.
fn host(value: &Value) -> Option<&'static str> {
    // Cline names its events like types, its command line like fields.
    let is_cline_cli = value["hookName"].as_str().is_some_and(|name| name.contains('_'));
    let hosts = [
        ("cursor", value.get("cursor_version").is_some()),
        ("vscode", value.get("hookEventName").is_some()),
        ("cline-cli", is_cline_cli),
    ];
    hosts.into_iter().find_map(|(host, is_it)| is_it.then_some(host))
}

/// Returns the first text of some fields that is not empty; empty if there is none.
fn text(value: &Value, fields: &[&str]) -> String {
    let mut texts = fields.iter().filter_map(|field| value.pointer(field)?.as_str());
    texts.find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

/// Returns the first of some fields that is there.
fn field<'a>(value: &'a Value, fields: &[&str]) -> &'a Value {
    fields.iter().find_map(|field| value.pointer(field)).unwrap_or(&Value::Null)
}

/// Returns the arguments of a tool. Some clients send them as the text of an object.
fn arguments(value: &Value) -> Cow<'_, Value> {
    let arguments = field(value, ARGUMENTS);
    let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.map_or(Cow::Borrowed(arguments), Cow::Owned)
}

/// Reads a list of tasks. Cancelled ones are left out.
fn tasks(value: &Value) -> Option<Vec<Task>> {
    let name = field(value, TOOL).as_str()?;
    let (_, list, text) = *TASK_TOOLS.iter().find(|(known, ..)| *known == name)?;
    let task = |task: &Value| {
        let state = TaskState::from_name(task["status"].as_str()?)?;
        Some(Task { text: task[text].as_str()?.to_owned(), state })
    };
    Some(arguments(value)[list].as_array()?.iter().filter_map(task).collect())
}

/// Reads the change of one task: Claude Code's `TaskCreate` and `TaskUpdate`.
fn task(value: &Value) -> Option<TaskCall> {
    let input = arguments(value);
    let subject = input["subject"].as_str().filter(|subject| !subject.trim().is_empty()).map(str::to_owned);
    match field(value, TOOL).as_str()? {
        "TaskCreate" => Some(TaskCall::Created { id: created_id(field(value, RESPONSE)), text: subject? }),
        "TaskUpdate" => {
            let id = id(&input["taskId"])?;
            if input["status"] == "deleted" {
                return Some(TaskCall::Deleted { id });
            }
            let state = input["status"].as_str().and_then(TaskState::from_name);
            (subject.is_some() || state.is_some()).then_some(TaskCall::Updated { id, text: subject, state })
        }
        _ => None,
    }
}

/// Returns the id of a new task: a field of the result, or the number in its words (`Task #3 created`).
fn created_id(response: &Value) -> Option<String> {
    let fields = [&response["task"]["id"], &response["taskId"], &response["id"]];
    fields.into_iter().find_map(id).or_else(|| {
        let words = result::output(response);
        let (_, number) = words.split_once('#')?;
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        Some(digits).filter(|digits| !digits.is_empty())
    })
}

fn id(value: &Value) -> Option<String> {
    let id = value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()));
    id.filter(|id| !id.trim().is_empty())
}

fn call(value: &Value) -> Option<ToolCall> {
    let name = field(value, TOOL).as_str()?;
    let arguments = arguments(value);
    let (kind, subject) = TOOLS.iter().filter(|(known, ..)| *known == name).find_map(|(_, kind, argument)| {
        let given = &arguments[argument];
        // Of a list, the first counts.
        let subject = given.as_str().or_else(|| given[0].as_str());
        subject.filter(|subject| !subject.trim().is_empty()).map(|subject| (*kind, subject))
    })?;
    let is_patch = PATCH_TOOLS.contains(&name);
    let replacements = match kind {
        ToolKind::Edit if is_patch => replacement::in_patch(subject),
        ToolKind::Edit => replacement::replacements(&arguments),
        ToolKind::Read | ToolKind::Search | ToolKind::Command => Vec::new(),
    };
    let subject = if is_patch {
        patched_file(subject)?.to_owned()
    } else {
        first_item(subject).unwrap_or_else(|| subject.to_owned())
    };
    Some(ToolCall { kind, subject, replacements, result: result::read(value, field(value, RESPONSE)) })
}

/// Returns the first item of a list that is sent as its text: a text, or the path of an object.
fn first_item(text: &str) -> Option<String> {
    let list: Vec<Value> = serde_json::from_str(text).ok()?;
    let first = list.first()?;
    first.as_str().or_else(|| first["path"].as_str()).map(str::to_owned)
}

/// Returns the first file that a patch names.
fn patched_file(patch: &str) -> Option<&str> {
    patch.lines().find_map(|line| PATCHED.iter().find_map(|start| line.strip_prefix(start))).map(str::trim)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Input {
        Input::read(value.to_string().as_bytes()).expect("a JSON object")
    }

    #[test]
    fn fields_of_another_type_count_as_absent() {
        let value = json!({"session_id": 7, "cwd": "relative", "prompt": ["x"], "source": null, "tool_name": {},
            "tool_input": "x", "new_field": {"a": [1, 2]}});
        assert_eq!(read(&value), Input::default());
        let value = json!({"session_id": "s", "cwd": "/p", "prompt": "why", "source": "startup"});
        let expected = Input {
            session: "s".to_owned(),
            directory: Some(PathBuf::from("/p")),
            prompt: "why".to_owned(),
            source: "startup".to_owned(),
            ..Input::default()
        };
        assert_eq!(read(&value), expected);
    }

    #[test]
    fn lists_of_tasks_are_read_from_every_form() {
        let check = |tool: &str, input: Value| {
            let told = read(&json!({"tool_name": tool, "tool_input": input})).tasks.expect("a list");
            let expected = [("Dig", TaskState::Completed), ("Fill", TaskState::InProgress)];
            let told: Vec<_> = told.iter().map(|task| (task.text.as_str(), task.state)).collect();
            assert_eq!(told, expected, "{tool}");
        };
        let todos = |field: &str| {
            json!({"todos": [
                {field: "Dig", "status": "completed", "activeForm": "Digging"},
                {field: "Fill", "status": "in_progress"},
                {field: "Paint", "status": "cancelled"},
                {"status": "pending"}, 7,
            ]})
        };
        check("TodoWrite", todos("content"));
        check("todo_write", todos("content"));
        check("write_todos", todos("description"));
        let plan = json!([{"step": "Dig", "status": "completed"}, {"step": "Fill", "status": "in_progress"}]);
        check("update_plan", json!({"explanation": "x", "plan": plan}));
        assert_eq!(read(&json!({"tool_name": "TodoWrite", "tool_input": {"todos": 7}})).tasks, None);
    }

    #[test]
    fn changes_of_one_task_are_read_from_every_form() {
        let check = |tool: &str, input: Value, response: Value, expected: Option<TaskCall>| {
            let told = read(&json!({"tool_name": tool, "tool_input": input, "tool_response": response})).task;
            assert_eq!(told, expected, "{input} {response}");
        };
        let created = |id: Option<&str>| Some(TaskCall::Created { id: id.map(str::to_owned), text: "Dig".to_owned() });
        let dig = json!({"subject": "Dig", "description": "A hole.", "activeForm": "Digging"});
        check("TaskCreate", dig.clone(), json!({"task": {"id": "3", "subject": "Dig"}}), created(Some("3")));
        check("TaskCreate", dig.clone(), json!("Task #12 created successfully: Dig"), created(Some("12")));
        check("TaskCreate", dig.clone(), json!({"id": 4}), created(Some("4")));
        check("TaskCreate", dig, json!({}), created(None));
        check("TaskCreate", json!({"subject": " "}), json!({}), None);
        let updated = |text: Option<&str>, state| {
            Some(TaskCall::Updated { id: "3".to_owned(), text: text.map(str::to_owned), state })
        };
        let done = updated(None, Some(TaskState::Completed));
        check("TaskUpdate", json!({"taskId": "3", "status": "completed"}), json!({"success": true}), done);
        check("TaskUpdate", json!({"taskId": 3, "subject": "Dig deep"}), json!({}), updated(Some("Dig deep"), None));
        check("TaskUpdate", json!({"taskId": "3", "owner": "me"}), json!({}), None);
        let deleted = Some(TaskCall::Deleted { id: "3".to_owned() });
        check("TaskUpdate", json!({"taskId": "3", "status": "deleted"}), json!({}), deleted);
        check("TaskList", json!({}), json!({}), None);
    }

    #[test]
    fn what_is_not_a_json_object_is_an_error() {
        for bytes in [&b""[..], b"[1]", b"{\"a\":", b"null", b"\xff\xfe", b"{\"a\":\"\\ud800\"}"] {
            assert!(Input::read(bytes).is_err(), "{bytes:?}");
        }
        let deep = "[".repeat(100_000);
        assert!(Input::read(deep.as_bytes()).is_err());
        assert_eq!(Input::read(&b"{\"prompt\":\"caf\xe9\"}"[..]).expect("replaced").prompt, "caf\u{fffd}");
    }

    #[test]
    fn an_input_above_the_limit_is_read_to_its_end_and_refused() {
        let mut from = io::repeat(b' ').take(INPUT_BYTES + 10);
        assert!(Input::read(&mut from).is_err());
        assert_eq!(from.limit(), 0);
    }

    #[test]
    fn the_calls_of_tools_are_read_under_the_names_of_each_client() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** End Patch\n";
        for (tool, arguments, kind, subject) in [
            ("Execute", json!({"command": "make", "riskLevel": "low"}), ToolKind::Command, "make"),
            ("Create", json!({"file_path": "src/a.rs", "content": "x"}), ToolKind::Edit, "src/a.rs"),
            ("ApplyPatch", json!({"input": patch}), ToolKind::Edit, "src/a.rs"),
            ("apply_patch", json!({"command": patch}), ToolKind::Edit, "src/a.rs"),
            ("Glob", json!({"patterns": ["*.rs", "*.py"]}), ToolKind::Search, "*.rs"),
            ("Glob", json!({"patterns": "*.rs"}), ToolKind::Search, "*.rs"),
            ("run_in_terminal", json!({"command": "make"}), ToolKind::Command, "make"),
            ("read_file", json!({"filePath": "src/a.rs", "startLine": 1}), ToolKind::Read, "src/a.rs"),
            ("read_files", json!({"files": "[{\"path\":\"src/a.rs\"}]"}), ToolKind::Read, "src/a.rs"),
        ] {
            let call = read(&json!({"tool_name": tool, "tool_input": arguments})).call.expect("a call");
            assert_eq!((call.kind, call.subject.as_str()), (kind, subject), "{tool}");
            assert_eq!(call.replacements.len(), usize::from(arguments.to_string().contains("-a")), "{tool}");
        }
        for (tool, arguments) in [("LS", json!({"directory_path": "src"})), ("Glob", json!({"patterns": []}))] {
            assert_eq!(read(&json!({"tool_name": tool, "tool_input": arguments})).call, None, "{tool}");
        }
    }
}
