//! The tasks of a measurement of agents: a file with one JSON object a line.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use recall_cli::CliError;
use serde::Deserialize;

use crate::error::BenchError;

/// A task for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentTask {
    /// A unique name, of letters, digits, `-`, `_` and `.`: it is part of the name of a file.
    pub(super) id: String,
    /// The prompt.
    pub(super) instruction: String,
    /// The repository or folder to work in, absolute once it is read.
    pub(super) repository: PathBuf,
    /// The commit that is checked out; `None` for the newest one, or for a folder without git.
    #[serde(default)]
    pub(super) commit: Option<String>,
    /// A line for the shell, run in the working folder after the agent. The task is solved if it exits with 0.
    pub(super) check: String,
    /// What recall knows before the agent begins.
    #[serde(default)]
    pub(super) memories: Vec<GivenMemory>,
}

/// A memory that is stored before an agent begins.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenMemory {
    pub(super) text: String,
    /// As for `recall remember --type`.
    #[serde(default = "note", rename = "type")]
    pub(super) kind: String,
    /// The files that it is about, below the repository.
    #[serde(default)]
    pub(super) files: Vec<String>,
}

fn note() -> String {
    "note".to_owned()
}

impl AgentTask {
    /// Reads the tasks of a file. Relative paths of repositories begin at its folder.
    pub(super) fn read_all(path: &Path) -> Result<Vec<Self>, BenchError> {
        let text = fs::read_to_string(path)
            .map_err(|error| CliError::usage(format!("cannot read {}", path.display())).with_causes_of(&error))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut tasks: Vec<Self> = Vec::new();
        let mut ids = HashSet::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let refused = |why: String| CliError::usage(format!("{}:{number}: {why}", path.display()));
            let task: Self = serde_json::from_str(line).map_err(|error| refused(error.to_string()))?;
            let repository = folder.join(&task.repository);
            if !is_file_name(&task.id) {
                return Err(refused(format!("`{}` is not an id of letters, digits, `-`, `_` and `.`", task.id)).into());
            }
            if !ids.insert(task.id.clone()) {
                return Err(refused(format!("the id `{}` is repeated", task.id)).into());
            }
            if !repository.is_dir() {
                return Err(refused(format!("{} is not a folder", repository.display())).into());
            }
            tasks.push(Self { repository, ..task });
        }
        if tasks.is_empty() {
            return Err(CliError::usage(format!("{} has no tasks", path.display())).into());
        }
        Ok(tasks)
    }
}

fn is_file_name(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    id.starts_with(|c: char| c.is_ascii_alphanumeric()) && id.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<AgentTask>, String> {
        let place = tempfile::tempdir().expect("a folder");
        fs::create_dir(place.path().join("shop")).expect("made");
        let path = place.path().join("tasks.jsonl");
        fs::write(&path, text).expect("written");
        AgentTask::read_all(&path).map_err(|BenchError(error)| format!("{error:?}"))
    }

    #[test]
    fn a_task_has_defaults() {
        let line = r#"{"id":"a","instruction":"Do it.","repository":"shop","check":"true","memories":[{"text":"m"}]}"#;
        let tasks = read(&format!("{line}\n\n")).expect("right");
        assert_eq!((tasks.len(), &tasks[0].commit, tasks[0].memories[0].kind.as_str()), (1, &None, "note"));
        assert!(tasks[0].repository.is_absolute());
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let good = r#"{"id":"a","instruction":"x","repository":"shop","check":"true"}"#;
        for (text, expected) in [
            (String::new(), "has no tasks"),
            (format!("{good}\n{good}"), "tasks.jsonl:2: the id `a` is repeated"),
            (good.replace("shop", "none"), "tasks.jsonl:1: "),
            (good.replace("\"a\"", "\"../a\""), "is not an id"),
            (good.replace("check", "checks"), "unknown field `checks`"),
        ] {
            let error = read(&text).expect_err(&text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
