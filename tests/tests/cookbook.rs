//! The commands of `docs/cookbook.md`, run in a small project in the order of the page.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use recall_testkit::{Outcome, Project, Running, Sandbox};
use recall_tests::{sandbox, settle, workspace};
use serde_json::Value;

const FILES: &[(&str, &str)] = &[
    ("src/retry.rs", "/// The retry limit.\npub const LIMIT: u32 = 3;\n\n/// Tries again.\npub fn retry() {}\n"),
    ("docs/retry.md", "# Retries\n\nThe retry limit is in `src/retry.rs`.\n"),
    ("build.sh", "echo 'src/retry.rs:5: error: retry() does nothing' >&2\n"),
];

/// The memory that the page calls by this id.
const ID: &str = "L-3f9a1c07";

/// A block of the page: what it is written in, and its lines.
struct Block<'a> {
    language: &'a str,
    text: String,
}

#[test]
fn every_command_of_the_cookbook_runs() {
    let page = fs::read_to_string(workspace().join("docs/cookbook.md")).expect("the page is there");
    let sandbox = sandbox!();
    let project = sandbox.project("shop", FILES);
    let shop = Shop { sandbox: &sandbox, project: &project };
    shop.succeeds("git init -q && git config user.name t && git config user.email t@localhost && git add . && git commit -qm files");
    let memory = "Retries need jitter: `retry` is called by a thousand clients at once.";
    let saved = shop.succeeds(&format!("recall remember '{memory}' --type lesson --file src/retry.rs --json"));
    let saved: Value = serde_json::from_str(&saved.stdout).expect("JSON");
    let id = saved["id"].as_str().expect("an id");
    shop.succeeds("recall remember 'The limit is three attempts.' --type decision && recall session start --goal 'Bound the retries'");
    settle(&sandbox, &project);
    let mut ran = 0;
    for Block { language, text } in blocks(&page.replace(ID, id)) {
        let commands: Vec<&str> = match language {
            "console" => text.lines().filter_map(|line| line.strip_prefix("$ ")).collect(),
            "yaml" => text.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect(),
            "sh" => {
                shop.refuses_to_commit_what_no_longer_holds(&text);
                continue;
            }
            "json" => {
                ran += shop.runs_the_tasks(&text);
                continue;
            }
            _ => {
                ran += understands(&text);
                continue;
            }
        };
        assert!(!commands.is_empty(), "a block without commands: {text}");
        for command in commands {
            shop.runs(command);
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran} commands were found");
}

/// A project with the programs on `PATH`.
struct Shop<'a> {
    sandbox: &'a Sandbox,
    project: &'a Project,
}

impl Shop<'_> {
    fn shell(&self, command: &str) -> Outcome {
        let programs = self.sandbox.binaries().recall.parent().expect("in a folder");
        let mut shell = self.sandbox.command(Path::new("/bin/sh"), self.project.root());
        shell.args(["-c", command]).env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
        Running::to_end(shell)
    }

    #[track_caller]
    fn succeeds(&self, command: &str) -> Outcome {
        let outcome = self.shell(command);
        assert_eq!(outcome.code, Some(0), "`{command}`: {outcome:?}");
        outcome
    }

    /// Runs a command. Of a pipe to jq, which may not be here, it runs the part before, and looks for what the filter takes.
    #[track_caller]
    fn runs(&self, command: &str) {
        let Some((command, filter)) = command.split_once(" | jq ") else {
            self.succeeds(command);
            return;
        };
        let answer: Value = serde_json::from_str(&self.succeeds(command).stdout).expect("JSON");
        let path = filter.trim_start_matches("-r ").trim_matches('\'');
        assert!(takes_something(&answer, path), "`{path}` takes nothing from the answer of `{command}`: {answer:#}");
    }

    /// A hook of git lets a commit pass while the memories hold, and refuses it afterwards.
    #[track_caller]
    fn refuses_to_commit_what_no_longer_holds(&self, hook: &str) {
        let path = self.project.root().join(".git/hooks/pre-commit");
        fs::create_dir_all(path.parent().expect("in a folder")).expect("writable");
        fs::write(&path, hook).expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        self.succeeds("git commit -q --allow-empty -m 'holds'");
        let changed = FILES[0].1.replace("retry() {}", "retry() { std::process::abort() }");
        self.project.write(FILES[0].0, changed);
        let outcome = self.shell("git commit -q --allow-empty -m 'no longer holds'");
        assert!(outcome.code == Some(1) && outcome.stderr.contains("no longer holds"), "{outcome:?}");
    }

    /// Runs the tasks of VS Code, with its variables replaced.
    #[track_caller]
    fn runs_the_tasks(&self, text: &str) -> usize {
        let file = self.project.root().join(FILES[0].0);
        let text = text.replace("${selectedText}", "retry").replace("${file}", &file.display().to_string());
        let tasks: Value = serde_json::from_str(&text).expect("JSON");
        let tasks = tasks["tasks"].as_array().expect("a list");
        for task in tasks {
            assert_eq!(task["command"], "recall");
            let words: Vec<&str> = task["args"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            let outcome = self.sandbox.recall(self.project, &words);
            assert_eq!(outcome.code, Some(0), "{task}: {outcome:?}");
        }
        tasks.len()
    }
}

/// The blocks of a page.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> =
                lines.by_ref().take_while(|line| *line != "```").flat_map(|line| [line, "\n"]).collect();
            let text = text.concat();
            blocks.push(Block { language, text });
        }
    }
    blocks
}

/// Whether a filter of jq that is a path takes a value which is not null.
fn takes_something(answer: &Value, path: &str) -> bool {
    let Some(path) = path.strip_prefix('.') else { return !answer.is_null() };
    if let Some(rest) = path.strip_prefix("[]") {
        return answer.as_array().is_some_and(|items| items.iter().any(|item| takes_something(item, rest)));
    }
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    let rest = if rest.starts_with('[') { format!(".{rest}") } else { rest.to_owned() };
    takes_something(&answer[name], &rest)
}

/// The commands in the configuration of an editor or of tmux, which the command line must understand. Returns their number.
fn understands(text: &str) -> usize {
    let lines = text
        .lines()
        .filter_map(|line| line.split_once("recall ").filter(|(before, _)| before.ends_with(['\'', '"', '!'])));
    lines
        .map(|(_, rest)| {
            let words = rest.split(['\'', '"']).next().unwrap_or_default();
            // What the editor puts in.
            let words = std::iter::once("recall").chain(words.split_whitespace()).chain(["word"]);
            recall_cli::definition()
                .try_get_matches_from(words.clone())
                .unwrap_or_else(|error| panic!("{text}: {error}"));
        })
        .count()
}

#[test]
fn a_path_of_jq_takes_what_is_there() {
    let answer = serde_json::json!({"results": [{"doc": {"path": null}}, {"doc": {"path": "a.rs"}}], "total": 0});
    for (path, expected) in
        [(".results[].doc.path", true), (".total", true), (".results[].path", false), (".none", false)]
    {
        assert_eq!(takes_something(&answer, path), expected, "{path}");
    }
}
