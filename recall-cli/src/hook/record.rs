//! Events of a session that follow from the use of tools.

use std::path::Path;
use std::sync::LazyLock;

use recall_api::v1;
use recall_config::CaptureSettings;
use recall_core::{ContentHash, HookRecord, ITEMS, TASKS};
use recall_secrets::{Masker, Settings};
use recall_text::{PROJECT_FOLDER, boxes};
use serde_json::{Map, Value, json};

use crate::hook::input::{Task, ToolCall, ToolKind};
use crate::hook::result::ToolResult;
use crate::hook::seen::Seen;

/// The most characters of a command, of its output, and of an agent's message.
const COMMAND_CHARS: usize = 160;
const OUTPUT_CHARS: usize = 600;
const MESSAGE_CHARS: usize = 300;

/// The most characters of a goal: what a person reads in a list.
const GOAL_CHARS: usize = 200;

/// The most bytes of a text that are masked and read. It may have megabytes; its beginning is enough for the longest line.
const MOST_READ: usize = 16 * 1024;

/// The masker of the daemon with the same rules.
static MASKER: LazyLock<Masker> =
    LazyLock::new(|| Masker::new(Settings::default()).expect("these settings turn off no rule"));

/// The most items of a message that are recorded.
const MOST_ITEMS: usize = 30;

/// The prefix of the entry with the hash of the last list of tasks.
const LIST: &str = "tasks ";

/// The entry that says that files were changed since the agent's last message.
const HAS_CHANGED: &str = "changed";

/// Returns the event of a tool that has run; `None` if it is not worth one. A failing command is recorded until it succeeds.
pub(crate) fn tool_event(
    call: &ToolCall,
    directory: &Path,
    capture: CaptureSettings,
    seen: &mut Seen,
) -> Option<v1::LogEventRequest> {
    match (call.kind, &call.result) {
        // recall's own files are not what the session is about.
        (ToolKind::Edit, ToolResult::Fine(_)) if !is_own(&call.subject, directory) => {
            seen.add(HAS_CHANGED);
            capture.edits.then(|| edit_event(call, directory))
        }
        (ToolKind::Command, result) => command_event(&call.subject, result, capture, seen),
        (ToolKind::Read | ToolKind::Edit | ToolKind::Search, _) => None,
    }
}

/// Whether a file is in a folder of recall's own files.
fn is_own(file: &str, directory: &Path) -> bool {
    let file = Path::new(file);
    file.strip_prefix(directory).unwrap_or(file).components().any(|name| name.as_os_str() == PROJECT_FOLDER)
}

/// Returns the event of an agent's last message in its turn; `None` if nothing was changed since the one before, and it has no
/// list of tasks. The items of its lists are recorded as items.
pub(crate) fn message_event(message: &str, seen: &mut Seen) -> Option<v1::LogEventRequest> {
    let message = &mask_beginning(message);
    let item = |(text, is_done): (&str, bool)| json!({"text": first_chars(text, MESSAGE_CHARS), "done": is_done});
    let items: Vec<Value> = boxes(message).take(MOST_ITEMS).map(item).collect();
    let mut said = first_chars(&one_line(&without_items(message)), MESSAGE_CHARS);
    if said.is_empty() && !items.is_empty() {
        said = format!(
            "a list of {}",
            if items.len() == 1 { "one item".to_owned() } else { format!("{} items", items.len()) }
        );
    }
    let has_changed = !said.is_empty() && seen.remove(HAS_CHANGED);
    if !has_changed && items.is_empty() {
        return None;
    }
    let mut metadata = Map::new();
    if !items.is_empty() {
        metadata.insert(ITEMS.to_owned(), Value::Array(items));
    }
    Some(with_record(HookRecord::Message, event("observation", said), metadata))
}

/// Returns the event of a list of tasks; `None` if it is the same as before.
pub(crate) fn tasks_event(tasks: &[Task], seen: &mut Seen) -> Option<v1::LogEventRequest> {
    let one = |task: &Task| {
        let text = first_chars(&one_line(&task.text), MESSAGE_CHARS);
        (!text.is_empty()).then(|| json!({"text": text, "status": task.state.as_str()}))
    };
    let list: Vec<Value> = tasks.iter().take(MOST_ITEMS).filter_map(one).collect();
    let entry = format!("{LIST}{}", ContentHash::hash(Value::from(list.clone()).to_string().as_bytes()).short());
    if list.is_empty() || seen.has(&entry) {
        return None;
    }
    seen.remove_all(LIST);
    seen.add(&entry);
    let done = tasks.iter().take(MOST_ITEMS).filter(|task| task.state.is_done()).count();
    let told = event("observation", format!("{done} of {} tasks done", list.len()));
    Some(with_record(HookRecord::Tasks, told, Map::from_iter([(TASKS.to_owned(), Value::Array(list))])))
}

/// Returns a text without the items of task lists, and without the lines that introduce them.
fn without_items(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if boxes(line).next().is_none() {
            kept.push(line);
        } else if kept.last().is_some_and(|before| before.trim_end().ends_with(':')) {
            kept.pop();
        }
    }
    kept.join("\n")
}

/// Returns the goal of a session that begins with a prompt; `None` if the prompt says nothing, or is a command of the client.
pub(crate) fn goal_of(prompt: &str) -> Option<String> {
    let goal = first_chars(&one_line(prompt), GOAL_CHARS);
    let is_command = goal.starts_with('/');
    (goal.chars().any(char::is_alphanumeric) && !is_command).then_some(goal)
}

fn edit_event(call: &ToolCall, directory: &Path) -> v1::LogEventRequest {
    let ToolCall { subject: file, replacements, .. } = call;
    let shown =
        Path::new(file).strip_prefix(directory).map_or_else(|_| file.clone(), |below| below.display().to_string());
    let edited = v1::LogEventRequest {
        related_files: vec![file.clone()],
        replacements: replacements.clone(),
        ..event("observation", format!("edited {}", one_line(&shown)))
    };
    with_record(HookRecord::Edit, edited, Map::new())
}

fn command_event(
    command: &str,
    result: &ToolResult,
    capture: CaptureSettings,
    seen: &mut Seen,
) -> Option<v1::LogEventRequest> {
    let failing = format!("failing {}", ContentHash::hash(command.as_bytes()).short());
    let failed = || format!("`{}` failed", first_chars(&one_line(command), COMMAND_CHARS));
    match result {
        ToolResult::Failed(_) if !capture.failures => None,
        ToolResult::Failed(output) => seen.add(&failing).then(|| v1::LogEventRequest {
            rationale: first_chars(mask_beginning(output.trim()).trim(), OUTPUT_CHARS),
            ..event("error", failed())
        }),
        // The summary of the session shows the failure with its resolution.
        ToolResult::Fine(_) if seen.remove(&failing) => {
            Some(v1::LogEventRequest { resolution: "it succeeded later".to_owned(), ..event("error", failed()) })
        }
        ToolResult::Fine(output) if is_commit(command) => {
            seen.add(HAS_CHANGED);
            if !capture.commits {
                return None;
            }
            let of_commit = |commit| event("milestone", format!("committed {commit}"));
            commit_in(output).map(|commit| with_record(HookRecord::Commit, of_commit(commit), Map::new()))
        }
        ToolResult::Fine(_) | ToolResult::Interrupted => None,
    }
}

/// Whether a command line runs `git commit`.
fn is_commit(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| !word.ends_with("git"));
    words.next().is_some() && words.any(|word| word == "commit")
}

/// Returns the commit that git reports, as `0123abc subject`.
fn commit_in(output: &str) -> Option<String> {
    let of_line = |line: &str| {
        let (head, subject) = line.strip_prefix('[')?.split_once("] ")?;
        let hash = head.rsplit(' ').next()?;
        let is_hash = hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| format!("{hash} {}", first_chars(&one_line(subject), COMMAND_CHARS)))
    };
    output.lines().find_map(of_line)
}

fn event(event_type: &str, content: String) -> v1::LogEventRequest {
    v1::LogEventRequest { r#type: event_type.to_owned(), content, ..v1::LogEventRequest::default() }
}

/// Marks an event as what a hook recorded.
fn with_record(
    record: HookRecord,
    event: v1::LogEventRequest,
    mut metadata: Map<String, Value>,
) -> v1::LogEventRequest {
    metadata.insert(HookRecord::KEY.to_owned(), record.as_str().into());
    v1::LogEventRequest { metadata: Some(recall_api::json::to_struct(metadata)), ..event }
}

/// Returns the beginning of a text with its secrets masked.
///
/// Call it before lines are joined or a text is cut: many rules need the line of a secret, and no rule finds half a token. The
/// daemon masks what it is sent, but by then the lines are gone.
pub(crate) fn mask_beginning(text: &str) -> String {
    let mut start = &text[..text.floor_char_boundary(MOST_READ)];
    if start.len() < text.len() {
        // The last word may be half a secret.
        start = start.rfind(char::is_whitespace).map_or(start, |end| &start[..end]);
    }
    MASKER.mask(start).into_owned()
}

/// Joins a text to one line, with its secrets masked.
pub(crate) fn one_line(text: &str) -> String {
    mask_beginning(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_chars(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use recall_config::{Dirs, Environment};
    use recall_core::TaskState;

    use super::*;

    #[test]
    fn edits_failures_and_commits_become_events() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let mut seen = Seen::open(&dirs, "s").expect("opened");
        let mut check = |kind: ToolKind, subject: &str, result: ToolResult, expected: &str| {
            let call = ToolCall { kind, subject: subject.to_owned(), replacements: Vec::new(), result };
            let event = tool_event(&call, Path::new("/p"), CaptureSettings::default(), &mut seen);
            let told = event.map_or_else(String::new, |event| {
                let v1::LogEventRequest { r#type, content, rationale, resolution, related_files, .. } = event;
                [&[r#type, content, rationale, resolution], &*related_files].concat().join("|")
            });
            assert_eq!(told, expected, "{subject}");
        };
        let fine = |text: &str| ToolResult::Fine(text.to_owned());
        let failed = |text: &str| ToolResult::Failed(text.to_owned());
        check(ToolKind::Read, "/p/a.rs", fine(""), "");
        check(ToolKind::Edit, "/p/a.rs", fine(""), "observation|edited a.rs|||/p/a.rs");
        check(ToolKind::Edit, "/p/a.rs", fine(""), "observation|edited a.rs|||/p/a.rs");
        check(ToolKind::Edit, "/p/b.rs", failed("no such text"), "");
        check(ToolKind::Edit, "/p/.recall/profile.md", fine(""), "");
        check(ToolKind::Command, "make\ntest", failed("2 failed"), "error|`make test` failed|2 failed|");
        check(ToolKind::Command, "make\ntest", failed("1 failed"), "");
        check(ToolKind::Command, "make\ntest", fine("ok"), "error|`make test` failed||it succeeded later");
        check(ToolKind::Command, "make\ntest", fine("ok"), "");
        check(ToolKind::Command, "make\ntest", ToolResult::Interrupted, "");
        let output = "[main 0123abc] Add jitter\n 1 file changed";
        check(
            ToolKind::Command,
            "git add . && git -C x commit -m y",
            fine(output),
            "milestone|committed 0123abc Add jitter||",
        );
        check(ToolKind::Command, "git log", fine(output), "");
        check(ToolKind::Command, "git commit -q", fine(""), "");
    }

    #[test]
    fn secrets_that_need_their_line_are_masked_before_lines_are_joined_or_cut() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let secret = "hX7kQ2mW9pLr4t";
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
        let at_the_cut = |most: usize| format!("{} {token}", "x".repeat(most - 12));
        let shapes = [
            format!("kubectl apply -f - <<E\nenv:\n- name: DB_PASSWORD\n  value: {secret}\nE"),
            format!("cat > a.yml <<E\npassword: >-\n  {secret}\nE"),
            format!("cat > Dockerfile <<E\nFROM x\nENV DB_PASSWORD {secret}\nE"),
            at_the_cut(COMMAND_CHARS),
            at_the_cut(MESSAGE_CHARS),
            at_the_cut(OUTPUT_CHARS),
        ];
        for (number, text) in shapes.iter().enumerate() {
            let mut seen = Seen::open(&dirs, &format!("s{number}")).expect("opened");
            let failed = |result: &str| ToolResult::Failed(result.to_owned());
            let call = |subject: &str, result| ToolCall {
                kind: ToolKind::Command,
                subject: subject.to_owned(),
                replacements: Vec::new(),
                result,
            };
            let mut events = Vec::new();
            for call in [call(text, failed("no")), call("make", failed(text))] {
                events.push(tool_event(&call, Path::new("/p"), CaptureSettings::default(), &mut seen));
            }
            events.push(tasks_event(&[Task { text: text.clone(), state: TaskState::Pending }], &mut seen));
            events.push(message_event(&format!("{text}\n- [ ] then {token}"), &mut seen));
            let told = format!("{events:?} {:?}", goal_of(text));
            assert!(!told.contains(secret) && !told.contains("ghp_"), "{text}: {told}");
            assert!(events.iter().all(Option::is_some), "{text}: {told}");
        }
    }

    #[test]
    fn a_secret_at_the_end_of_what_is_read_is_left_out() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
        let long = format!("{}\n{token}", " ".repeat(MOST_READ - 11));
        assert_eq!(one_line(&long), "");
    }

    #[test]
    fn the_last_message_of_a_turn_with_changes_is_an_event() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let mut seen = Seen::open(&dirs, "s").expect("opened");
        assert_eq!(message_event("Nothing to do.", &mut seen), None);
        seen.add(HAS_CHANGED);
        assert_eq!(message_event(" \n", &mut seen), None);
        let said = message_event(&format!("Done:\n{}", "x ".repeat(1_000_000)), &mut seen).expect("an event");
        assert!(said.content.starts_with("Done: x x") && said.content.chars().count() <= MESSAGE_CHARS + 1);
        assert_eq!(message_event("Done.", &mut seen), None);
    }

    #[test]
    fn a_list_of_tasks_is_an_event_when_it_changes() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let mut seen = Seen::open(&dirs, "s").expect("opened");
        let list = |state| {
            vec![
                Task { text: "Dig\nit".to_owned(), state },
                Task { text: "Fill".to_owned(), state: TaskState::Pending },
            ]
        };
        let mut told = |state| tasks_event(&list(state), &mut seen).map(|event| event.content);
        assert_eq!(told(TaskState::InProgress).as_deref(), Some("0 of 2 tasks done"));
        assert_eq!(told(TaskState::InProgress), None);
        assert_eq!(told(TaskState::Completed).as_deref(), Some("1 of 2 tasks done"));
        assert_eq!(told(TaskState::InProgress).as_deref(), Some("0 of 2 tasks done"));
        assert_eq!(tasks_event(&[], &mut seen), None);
    }

    #[test]
    fn the_items_of_a_message_are_items_of_the_event() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let mut seen = Seen::open(&dirs, "s").expect("opened");
        let message = "It redirects.\n\nLeft open:\n- [ ] add a test\n- [x] mention it\n";
        let said = message_event(message, &mut seen).expect("nothing changed, but there is a list");
        assert_eq!(said.content, "It redirects.");
        let metadata = format!("{:?}", said.metadata.expect("metadata"));
        assert!(metadata.contains("add a test") && metadata.contains("mention it"), "{metadata}");
        assert_eq!(message_event("- [ ] one", &mut seen).expect("an event").content, "a list of one item");
    }

    #[test]
    fn a_prompt_that_says_something_is_a_goal() {
        let check = |prompt: &str, expected: Option<&str>| assert_eq!(goal_of(prompt).as_deref(), expected);
        check("Fix the\n  redirect", Some("Fix the redirect"));
        for nothing in ["", " \n", "/clear", "?!"] {
            check(nothing, None);
        }
        assert!(goal_of(&"x ".repeat(1_000_000)).is_some_and(|goal| goal.chars().count() <= GOAL_CHARS + 1));
    }
}
