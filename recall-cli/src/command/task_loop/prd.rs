//! The list of tasks: its file, its checks, the choice of the next task, and what is recorded in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_api::Reason;
use recall_os::Folder;
use recall_os::git::Repository;
use serde_json::{Map, Value};

use crate::Exit;
use crate::error::{CliError, CommandError};

/// The names under which the list of tasks is found in the file's object.
const LISTS: [&str; 4] = ["tasks", "userStories", "user_stories", "stories"];

/// The greatest size of the file. Every run of the loop reads and writes it as a whole.
const PRD_BYTES: u64 = 8 * 1024 * 1024;

/// The most mistakes that are reported at once.
const MISTAKES: usize = 10;

/// The list of tasks.
#[derive(Clone, Debug)]
pub(super) struct Prd {
    /// The path, with links resolved.
    path: PathBuf,
    text: String,
    /// The name of the list in the document; `None` if the document is the list.
    list: Option<&'static str>,
    pub(super) tasks: Vec<Task>,
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) criteria: Vec<String>,
    /// The ids of the tasks that must pass first.
    pub(super) depends_on: Vec<String>,
    pub(super) passes: bool,
    pub(super) skipped: bool,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The first open task whose dependencies pass.
    Task(Task),
    /// No task is open.
    Nothing,
    /// Each open task waits for one that was skipped, or that waits itself: what waits, and for what.
    Blocked(Vec<(String, Vec<String>)>),
}

/// What is recorded of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Passes,
    Skipped,
}

impl Prd {
    /// Reads and checks the file.
    ///
    /// # Errors
    /// It cannot be read, or is not a list of tasks; every mistake is named with its task and field.
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        let refused =
            |source| CliError::refusal(format!("cannot read the list of tasks `{}`", path.display()), &source);
        let given = path;
        let path = dunce::canonicalize(given).map_err(refused)?;
        check_inside(given, &path)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(CliError::usage(format!("`{}` is not a file", path.display())).into());
        };
        let read = Folder::open(folder).and_then(|folder| folder.read(name, PRD_BYTES + 1));
        let bytes = read.map_err(|error| refused(error.into()))?;
        if bytes.len() as u64 > PRD_BYTES {
            let message = format!("`{}` is too long; a list of tasks has at most {PRD_BYTES} bytes", path.display());
            return Err(CliError::usage(message).into());
        }
        let text =
            String::from_utf8(bytes).map_err(|error| refused(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        let wrong = |mistakes: Vec<String>| {
            let mut cli_error = CliError::usage(format!("`{}` is not a list of tasks", path.display()));
            cli_error.causes = mistakes;
            cli_error.with_hint("`docs/workflow.md` of recall shows the format")
        };
        let document: Value = serde_json::from_str(&text).map_err(|error| wrong(vec![format!("not JSON: {error}")]))?;
        let (list, entries) = entries(&document).map_err(|mistake| wrong(vec![mistake]))?;
        let mut mistakes = Vec::new();
        let tasks = entries.iter().enumerate().map(|(at, entry)| task(at, entry, &mut mistakes)).collect::<Vec<_>>();
        if mistakes.is_empty() {
            mistakes = mistakes_between(&tasks);
        }
        if !mistakes.is_empty() {
            let more = mistakes.len().saturating_sub(MISTAKES);
            mistakes.truncate(MISTAKES);
            mistakes.extend((more > 0).then(|| format!("and {more} more")));
            return Err(wrong(mistakes).into());
        }
        Ok(Self { path: path.clone(), list, tasks, text })
    }

    /// The path, with links resolved.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Chooses the next task.
    pub(super) fn next(&self) -> Next {
        let passing: BTreeSet<&str> =
            self.tasks.iter().filter(|task| task.passes).map(|task| task.id.as_str()).collect();
        let lacks = |task: &Task| -> Vec<String> {
            task.depends_on.iter().filter(|id| !passing.contains(id.as_str())).cloned().collect()
        };
        let open: Vec<&Task> = self.open().collect();
        if let Some(task) = open.iter().find(|task| lacks(task).is_empty()) {
            return Next::Task((*task).clone());
        }
        if open.is_empty() {
            return Next::Nothing;
        }
        Next::Blocked(open.into_iter().map(|task| (task.id.clone(), lacks(task))).collect())
    }

    /// The tasks that neither pass nor were skipped.
    pub(super) fn open(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| !task.passes && !task.skipped)
    }

    /// Finds a task.
    pub(super) fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Records something of a task: replaces the file atomically. Everything else in it stays as it is.
    ///
    /// # Errors
    /// A field of the task occurs twice, or the file cannot be written; then it is unchanged.
    pub(super) fn mark(&mut self, id: &str, mark: Mark) -> Result<(), CommandError> {
        let Some(at) = self.tasks.iter().position(|task| task.id == id) else { return Ok(()) };
        let field = match mark {
            Mark::Passes => "passes",
            Mark::Skipped => "skipped",
        };
        let text = recall_agents::set_json_member(&self.text, self.list, at, field, &Value::Bool(true))
            .map_err(|error| self.unwritten(&error).with_causes_of(&error))?;
        self.replace(&text)?;
        match mark {
            Mark::Passes => self.tasks[at].passes = true,
            Mark::Skipped => self.tasks[at].skipped = true,
        }
        self.text = text;
        Ok(())
    }

    fn replace(&self, text: &str) -> Result<(), CommandError> {
        let (folder, name) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str()));
        let (Some(folder), Some(name)) = (folder, name) else {
            return Err(self.unwritten(&"its name is not text").into());
        };
        let permissions = fs::metadata(&self.path).map(|found| found.permissions());
        Folder::open(folder)
            .and_then(|folder| folder.replace(name, text.as_bytes()))
            .map_err(|error| self.unwritten(&error).with_causes_of(&error))?;
        if let Ok(permissions) = permissions {
            // The content is in place; other permissions than before are not worth an error.
            let _ = fs::set_permissions(&self.path, permissions);
        }
        Ok(())
    }

    fn unwritten(&self, why: &dyn std::fmt::Display) -> CliError {
        CliError::new(Exit::Refused, Reason::Unavailable, format!("cannot write `{}`: {why}", self.path.display()))
    }
}

/// Refuses a link in a project that leads out of it: the loop reads the file and writes it.
fn check_inside(given: &Path, real: &Path) -> Result<(), CommandError> {
    let folder = given.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = dunce::canonicalize(folder) else { return Ok(()) };
    let project = Repository::find(&folder).map_or(folder, |repository| repository.work_tree);
    if real.starts_with(project) {
        return Ok(());
    }
    let message = format!("the list of tasks `{}` is a link that leads out of the project", given.display());
    Err(CliError::usage(message).with_hint("name the file itself").into())
}

/// Returns the list in a document, with its name.
fn entries(document: &Value) -> Result<(Option<&'static str>, &Vec<Value>), String> {
    let found = match document {
        Value::Array(entries) => (None, entries),
        Value::Object(object) => {
            let named = LISTS.into_iter().find_map(|name| Some((name, object.get(name)?)));
            let Some((name, list)) = named else { return Err(format!("no field {}", LISTS.join(", "))) };
            let Value::Array(entries) = list else { return Err(format!("`{name}` is not a list")) };
            (Some(name), entries)
        }
        _ => return Err("neither an object nor a list".to_owned()),
    };
    if found.1.is_empty() { Err("the list of tasks is empty".to_owned()) } else { Ok(found) }
}

/// Reads a task and collects the mistakes in it.
fn task(at: usize, entry: &Value, mistakes: &mut Vec<String>) -> Task {
    let Value::Object(fields) = entry else {
        mistakes.push(format!("task {}: not an object", at + 1));
        return Task::default();
    };
    let id = fields.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let which = if id.is_empty() { format!("task {}", at + 1) } else { format!("task {} ({id})", at + 1) };
    let mut wrong = |field: &str, what: &str| mistakes.push(format!("{which}: `{field}` {what}"));
    if id.trim().is_empty() || id.contains(|c: char| c.is_whitespace() || c.is_control()) {
        wrong("id", "is not a text without spaces");
    }
    let title = fields.get("title").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    if title.is_empty() || title.contains(char::is_control) {
        wrong("title", "is not a text on one line");
    }
    let description = match fields.get("description") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => {
            wrong("description", "is not a text");
            String::new()
        }
    };
    let mut list = |names: [&str; 2]| match texts(fields, names) {
        Ok(texts) => texts,
        Err(field) => {
            wrong(field, "is not a list of texts");
            Vec::new()
        }
    };
    let criteria = list(["acceptance_criteria", "acceptanceCriteria"]);
    let depends_on = list(["depends_on", "dependsOn"]);
    let mut flag = |field: &str| match fields.get(field) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(_) => {
            wrong(field, "is neither true nor false");
            false
        }
    };
    let (passes, skipped) = (flag("passes"), flag("skipped"));
    Task { id, title, description, criteria, depends_on, passes, skipped }
}

/// Reads a list of texts, or one text, under one of its names. Returns the name of a field that is neither.
fn texts<'n>(fields: &Map<String, Value>, names: [&'n str; 2]) -> Result<Vec<String>, &'n str> {
    let Some(name) = names.into_iter().find(|name| fields.contains_key(*name)) else { return Ok(Vec::new()) };
    match &fields[name] {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(entries) => entries.iter().map(|entry| entry.as_str().map(str::to_owned).ok_or(name)).collect(),
        _ => Err(name),
    }
}

/// Returns repeated ids, unknown dependencies and circles.
fn mistakes_between(tasks: &[Task]) -> Vec<String> {
    let mut mistakes = Vec::new();
    let mut by_id: BTreeMap<&str, &Task> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        if by_id.insert(&task.id, task).is_some() {
            mistakes.push(format!("task {}: the id `{}` is that of an earlier task", at + 1, task.id));
        }
    }
    for (at, task) in tasks.iter().enumerate() {
        for id in task.depends_on.iter().filter(|id| !by_id.contains_key(id.as_str())) {
            let which = format!("task {} ({})", at + 1, task.id);
            mistakes.push(format!("{which}: `depends_on` names `{id}`, which is not a task"));
        }
    }
    if mistakes.is_empty() {
        mistakes
            .extend(circle(tasks, &by_id).map(|circle| format!("tasks wait for each other: {}", circle.join(" → "))));
    }
    mistakes
}

/// Finds a circle of dependencies: ids, the first one again at the end.
fn circle(tasks: &[Task], by_id: &BTreeMap<&str, &Task>) -> Option<Vec<String>> {
    let mut clear: BTreeSet<&str> = BTreeSet::new();
    for start in tasks {
        // The path from `start`, each task with the number of its dependencies that were followed.
        let mut path: Vec<(&Task, usize)> = vec![(start, 0)];
        while let Some((task, followed)) = path.last_mut() {
            let Some(id) = task.depends_on.get(*followed) else {
                clear.insert(&task.id);
                path.pop();
                continue;
            };
            *followed += 1;
            if clear.contains(id.as_str()) {
                continue;
            }
            if let Some(begin) = path.iter().position(|(task, _)| task.id == *id) {
                let ids = path[begin..].iter().map(|(task, _)| task.id.clone());
                return Some(ids.chain([id.clone()]).collect());
            }
            path.push((by_id[id.as_str()], 0));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(tempfile::TempDir, Prd), Vec<String>> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("PRD.json");
        fs::write(&path, text).expect("written");
        match Prd::read(&path) {
            Ok(prd) => Ok((folder, prd)),
            Err(CommandError::Failed(error)) => Err(error.causes),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn mistakes(text: &str) -> Vec<String> {
        read(text).map(|(_, prd)| prd).expect_err("refused")
    }

    #[test]
    fn the_first_open_task_whose_dependencies_pass_is_next() {
        let check = |tasks: &str, expected: &str| {
            let (_folder, prd) = read(&format!("[{tasks}]")).expect("well-formed");
            let next = match prd.next() {
                Next::Task(task) => task.id,
                Next::Nothing => "nothing".to_owned(),
                Next::Blocked(waiting) => format!("{waiting:?}"),
            };
            assert_eq!(next, expected, "{tasks}");
        };
        let (a, b) = (r#"{"id":"A","title":"a","depends_on":["B"]}"#, r#"{"id":"B","title":"b"}"#);
        check(&format!("{a},{b}"), "B");
        check(&format!(r#"{a},{{"id":"B","title":"b","passes":true}}"#), "A");
        check(&format!(r#"{a},{{"id":"B","title":"b","skipped":true}}"#), r#"[("A", ["B"])]"#);
        check(r#"{"id":"B","title":"b","passes":true},{"id":"C","title":"c","skipped":true}"#, "nothing");
    }

    #[test]
    fn mistakes_are_named_with_their_task_and_field() {
        for (text, expected) in [
            ("[", "not JSON: EOF while parsing a list at line 1 column 1"),
            ("3", "neither an object nor a list"),
            ("{}", "no field tasks, userStories, user_stories, stories"),
            (r#"{"tasks": {}}"#, "`tasks` is not a list"),
            (r#"{"tasks": []}"#, "the list of tasks is empty"),
            (r#"["x"]"#, "task 1: not an object"),
            (r#"[{"title":"t"}]"#, "task 1: `id` is not a text without spaces"),
            (r#"[{"id":"A 1","title":"t"}]"#, "task 1 (A 1): `id` is not a text without spaces"),
            (r#"[{"id":"A"}]"#, "task 1 (A): `title` is not a text on one line"),
            (r#"[{"id":"A","title":"t","passes":"no"}]"#, "task 1 (A): `passes` is neither true nor false"),
            (r#"[{"id":"A","title":"t","depends_on":[1]}]"#, "task 1 (A): `depends_on` is not a list of texts"),
            (
                r#"[{"id":"A","title":"t","dependsOn":["B"]}]"#,
                "task 1 (A): `depends_on` names `B`, which is not a task",
            ),
            (r#"[{"id":"A","title":"t"},{"id":"A","title":"t"}]"#, "task 2: the id `A` is that of an earlier task"),
            (
                r#"[{"id":"Z","title":"t","depends_on":["A"]},{"id":"A","title":"t","depends_on":["B"]},{"id":"B","title":"t","depends_on":["A"]}]"#,
                "tasks wait for each other: A → B → A",
            ),
        ] {
            assert_eq!(mistakes(text), [expected], "{text}");
        }
        let many = format!("[{}]", ["1"; 12].join(","));
        assert_eq!((mistakes(&many).len(), mistakes(&many)[10].as_str()), (11, "and 2 more"));
    }

    #[test]
    fn a_mark_changes_nothing_else_of_the_file() {
        let check = |text: &str, mark: Mark, expected: &str| {
            let (_folder, mut prd) = read(text).expect("well-formed");
            prd.mark("A", mark).expect("written");
            assert_eq!(fs::read_to_string(prd.path()).expect("readable"), expected);
        };
        let text = "{\n\t\"zeta\": 1.50,  \"list\": [1,2, 3],\r\n   \"userStories\": [\n { \"id\": \"A\", \"passes\" : false, \
                    \"title\": \"\\u00e9\",\n      \"notes\": {\"x\": []} },\n{\"id\":\"B\",\"title\":\"b\"}]}";
        check(text, Mark::Passes, &text.replace("false", "true"));
        check(r#"[{"id":"A","title":"t"}]"#, Mark::Skipped, r#"[{"id":"A","title":"t","skipped":true}]"#);
        let spaced = r#"{"tasks": [{"id": "B", "title": "b"}, { "id": "A", "title": "t" }]}"#;
        check(spaced, Mark::Passes, &spaced.replace("\"t\" ", "\"t\", \"passes\": true "));
        let lines = "[\n    {\n        \"id\": \"A\",\n        \"title\": \"t\"\n    }\n]\n";
        check(lines, Mark::Skipped, &lines.replace("\"t\"\n", "\"t\",\n        \"skipped\": true\n"));
    }

    #[test]
    fn a_list_that_cannot_be_edited_stays_as_it_is() {
        let text = r#"[{"id":"A","title":"t","passes":false,"passes":false}]"#;
        let (_folder, mut prd) = read(text).expect("the last one counts");
        assert!(prd.mark("A", Mark::Passes).is_err());
        assert_eq!(fs::read_to_string(prd.path()).expect("readable"), text);
    }
}
