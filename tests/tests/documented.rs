//! The commands in the documents, in their recording and in the examples of the help, parsed as the programs parse them; and how pages
//! begin.

use std::fs;
use std::path::PathBuf;

use clap::Command;
use recall_tests::workspace;

/// The commands of `recall` that the program `recall-bench` runs.
const BENCH: &[&str] = &["bench", "eval"];

/// The shell operators that end a command on a line.
const SEPARATORS: &[&str] = &["|", "&&", ">", "<"];

/// The most bytes of a recording.
const MOST_RECORDED: usize = 60_000;

#[test]
fn every_documented_command_is_understood() {
    let mut found = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for words in commands(&text) {
            assert_eq!(error_of(&words), None, "{}: `{}`", path.display(), words.join(" "));
            found += 1;
        }
    }
    assert!(found > 80, "{found} commands are found");
}

#[test]
fn every_recorded_command_is_understood() {
    let readme = fs::read_to_string(workspace().join("README.md")).expect("readable");
    for theme in ["dark", "light"] {
        let path = format!("docs/images/recall-{theme}.svg");
        assert!(readme.contains(&path), "the README does not show {path}");
        let drawing = fs::read_to_string(workspace().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(drawing.len() <= MOST_RECORDED, "{path} has {} bytes", drawing.len());
        let (_, said) = drawing.split_once("<desc id=\"d\">").expect("what is shown in words");
        let said = said.split("</desc>").next().unwrap_or_default();
        let recorded = commands(&said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"));
        assert!(recorded.len() > 3, "{path}: {recorded:?}");
        for words in recorded {
            assert_eq!(error_of(&words), None, "{path}: `{}`: `cargo xtask record` draws it again", words.join(" "));
        }
    }
}

#[test]
fn every_page_begins_with_what_it_is_for() {
    for path in documents().iter().filter(|path| !path.ends_with("README.md")) {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let first = text.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default();
        assert!(begins_with_a_task(first), "{} does not begin with a task: {first}", path.display());
    }
    assert!(!begins_with_a_task("`recall` is a command."));
}

/// Whether a page begins with what a person wants to do, or with what went wrong.
fn begins_with_a_task(line: &str) -> bool {
    ["To ", "If "].iter().any(|word| line.starts_with(word))
}

#[test]
fn every_help_ends_with_examples_that_are_understood() {
    for (program, at_least) in [(recall_cli::definition(), 30), (recall_bench::definition(), 2)] {
        let mut found = Vec::new();
        leaves(&program, "recall", &mut found);
        assert!(found.len() >= at_least, "{}", found.len());
        for (called, command) in found {
            let examples = command.get_after_help().unwrap_or_else(|| panic!("`{called}` has no examples")).to_string();
            let lines: Vec<&str> = examples.lines().skip(1).map(str::trim).collect();
            assert!(examples.starts_with("Examples:\n") && !lines.is_empty(), "`{called}`: {examples}");
            for line in lines {
                let line = line.split(" | ").find(|part| part.starts_with("recall ")).expect(line);
                assert!(line.starts_with(&called), "`{called}`: {line}");
                assert_eq!(error_of(&shlex::split(line).expect(line)), None, "{line}");
            }
        }
    }
}

/// The page has the groups of the help, with the same commands in the same order.
#[test]
fn the_page_lists_the_commands_in_the_groups_of_the_help() {
    let help = recall_cli::definition().render_help().to_string();
    let (_, lists) = help.split_once("\n\n").and_then(|(_, rest)| rest.split_once("\n\n")).expect("the lists");
    let page = fs::read_to_string(workspace().join("docs/cli.md")).expect("the page");
    let groups: Vec<_> = lists.split("\n\n").take_while(|group| !group.starts_with("Options:")).collect();
    assert_eq!(groups.len(), 5, "{groups:#?}");
    for group in groups {
        let (title, commands) = group.split_once(":\n").expect("a heading");
        let names = commands.lines().filter_map(|line| line.split_whitespace().next());
        let row = format!("| {title} | {} |", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn a_command_that_does_not_exist_is_found_in_both_programs() {
    for line in ["recall serch x", "recall search x --lang pyton", "recall bench --yours", "recall eval walk"] {
        assert!(error_of(&shlex::split(line).expect(line)).is_some(), "{line}");
    }
}

/// The error of the program that parses a command; `None` if it understands the command. A request for help counts as
/// understood.
fn error_of(words: &[String]) -> Option<String> {
    let is_bench = |name: &str| BENCH.contains(&name);
    let error = match recall_cli::definition().try_get_matches_from(words) {
        Ok(matches) if matches.subcommand_name().is_some_and(is_bench) => {
            recall_bench::definition().try_get_matches_from(words).err()
        }
        parsed => parsed.err(),
    };
    error.filter(clap::Error::use_stderr).map(|error| error.to_string())
}

/// Collects every command without subcommands, with the words that call it.
fn leaves(command: &Command, called: &str, found: &mut Vec<(String, Command)>) {
    for child in command.get_subcommands().filter(|child| child.get_name() != "help") {
        let called = format!("{called} {}", child.get_name());
        if child.has_subcommands() {
            leaves(child, &called, found);
        } else {
            found.push((called, child.clone()));
        }
    }
}

/// The README, and every page in `docs`.
fn documents() -> Vec<PathBuf> {
    let root = workspace();
    let pages = fs::read_dir(root.join("docs")).expect("there are documents");
    let pages =
        pages.map(|page| page.expect("a page").path()).filter(|path| path.extension().is_some_and(|it| it == "md"));
    pages.chain([root.join("README.md")]).collect()
}

/// The words of each `recall` command after a prompt.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let words = shlex::split(line).unwrap_or_else(|| panic!("`{line}` is not a line of a shell"));
        for command in words.split(|word| SEPARATORS.contains(&word.as_str())) {
            let command: Vec<_> = command.iter().skip_while(|word| word.contains('=')).cloned().collect();
            commands.extend(command.first().is_some_and(|program| program == "recall").then_some(command));
        }
    }
    commands
}

#[test]
fn commands_are_found_after_the_prompt() {
    let text = "$ A=b recall search \"a b\" | jq .x   # a comment\nrecall no\n$ git log | recall remember - && recall status > x";
    let expected = [vec!["recall", "search", "a b"], vec!["recall", "remember", "-"], vec!["recall", "status"]];
    assert_eq!(commands(text), expected);
}
