//! The commands of the documents, parsed as the program parses them.

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use super::Cli;

/// The shell operators that end a command on a line.
const SEPARATORS: &[&str] = &["|", "&&", ">"];

#[test]
fn every_documented_command_is_understood() {
    let mut found = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for words in commands(&text) {
            let parsed = Cli::command().try_get_matches_from(&words);
            assert!(parsed.is_ok(), "{}: `{}`: {}", path.display(), words.join(" "), parsed.unwrap_err());
            found += 1;
        }
    }
    assert!(found > 80, "{found} commands are found");
}

/// The README, and every page in `docs`.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the workspace");
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
