//! What a release promises to people, scripts and agents: commands and options, exit codes, settings, and the tools of the MCP server.
//!
//! The messages, the JSON of answers and the reasons of errors are in `recall-api`, the lines of journals in `recall-journal`.

use std::collections::BTreeSet;
use std::fs;

use clap::{Arg, Command};
use recall_cli::Exit;
use recall_config::Shape;
use recall_testkit::check_promises;
use recall_tests::workspace;
use serde_json::Value;

#[track_caller]
fn check(list: &str, lines: &BTreeSet<String>) {
    check_promises(&workspace().join("tests/promises").join(list), lines);
}

#[test]
fn commands_keep_their_names_and_options() {
    let mut lines = BTreeSet::new();
    for program in [recall_cli::definition(), recall_bench::definition()] {
        list_command(&program, "recall", &mut lines);
    }
    check("commands.txt", &lines);
}

fn list_command(command: &Command, called: &str, lines: &mut BTreeSet<String>) {
    lines.insert(called.to_owned());
    for (at, argument) in command.get_positionals().enumerate() {
        lines.insert(format!("{called} <{}>", at + 1));
        if !argument.is_required_set() {
            lines.insert(format!("{called} <{}> may be left out", at + 1));
        }
        lines.extend(words_of(argument).map(|word| format!("{called} <{}> {word}", at + 1)));
    }
    for option in command.get_arguments().filter(|argument| !argument.is_positional()) {
        let takes_value = option.get_action().takes_values();
        let words = if takes_value { words_of(option).collect() } else { Vec::new() };
        for name in names_of(option) {
            lines.insert(format!("{called} {name}{}", if takes_value { " VALUE" } else { "" }));
            lines.extend(words.iter().map(|word| format!("{called} {name} {word}")));
        }
    }
    for inner in command.get_subcommands() {
        for name in [inner.get_name()].into_iter().chain(inner.get_all_aliases()) {
            list_command(inner, &format!("{called} {name}"), lines);
        }
    }
}

/// Returns the names of an option, its aliases among them.
fn names_of(option: &Arg) -> impl Iterator<Item = String> {
    let long = option.get_long().into_iter().chain(option.get_all_aliases().into_iter().flatten());
    let short = option.get_short().into_iter().chain(option.get_all_short_aliases().into_iter().flatten());
    long.map(|name| format!("--{name}")).chain(short.map(|name| format!("-{name}"))).collect::<Vec<_>>().into_iter()
}

/// Returns the words that an argument may be, if they are a fixed list.
fn words_of(argument: &Arg) -> impl Iterator<Item = String> {
    argument.get_possible_values().into_iter().map(|value| value.get_name().to_owned())
}

#[test]
fn exit_codes_keep_their_meanings_and_are_documented() {
    check("exit-codes.txt", &Exit::ALL.iter().map(|exit| format!("{} {exit:?}", exit.code())).collect());
    let page = fs::read_to_string(workspace().join("docs/json-output.md")).expect("the page");
    let (_, table) = page.split_once("## Exit codes\n").expect("the heading");
    let (table, _) = table.split_once("\n## ").expect("another heading");
    let documented = table.lines().filter_map(|row| row.strip_prefix("| ")?.split_once(' ')?.0.parse().ok());
    assert_eq!(documented.collect::<Vec<u8>>(), Exit::ALL.map(Exit::code), "docs/json-output.md");
}

#[test]
fn settings_keep_their_names_and_kinds() {
    let defaults = recall_config::defaults();
    let mut lines = BTreeSet::new();
    for row in defaults.rows() {
        lines.insert(format!("{}: {}", row.key, kind(&row.shape)));
        lines.extend(settable_words(&row.shape).iter().map(|word| format!("{} = \"{word}\"", row.key)));
        if row.reach.who() == "project" {
            lines.insert(format!("{} may be set by a project", row.key));
        }
    }
    check("settings.txt", &lines);
}

/// Returns what kind of value a setting takes. Its bounds and its words may become wider.
fn kind(shape: &Shape) -> String {
    match shape {
        Shape::Whole { .. } => "whole number".to_owned(),
        Shape::Number { .. } => "number".to_owned(),
        Shape::Size => "size".to_owned(),
        Shape::Duration => "duration".to_owned(),
        Shape::Bool => "bool".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::OneOf(_) => "word".to_owned(),
        Shape::List(inner) => format!("list of {}", kind(inner)),
        Shape::Table(inner) => format!("table of {}", kind(inner)),
        Shape::Any(shapes) => shapes.iter().map(kind).collect::<Vec<_>>().join(" or "),
    }
}

fn settable_words(shape: &Shape) -> Vec<&'static str> {
    match shape {
        Shape::OneOf(words) => words.clone(),
        Shape::List(inner) | Shape::Table(inner) => settable_words(inner),
        Shape::Any(shapes) => shapes.iter().flat_map(settable_words).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn tools_keep_their_names_and_arguments() {
    let folder = fs::read_dir(workspace().join("recall-shim/src/tool")).expect("the definitions of the tools");
    let paths = folder.map(|entry| entry.expect("readable").path());
    let mut lines = BTreeSet::new();
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let text = fs::read_to_string(&path).expect("readable");
        let tool: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (name, schema) = (tool["name"].as_str().expect("a name"), &tool["inputSchema"]);
        lines.insert(name.to_owned());
        for (argument, value) in schema["properties"].as_object().into_iter().flatten() {
            lines.insert(format!("{name} {argument}: {}", value["type"]));
            let words = value["enum"].as_array().or_else(|| value["items"]["enum"].as_array());
            lines.extend(words.into_iter().flatten().map(|word| format!("{name} {argument} {word}")));
            let required = schema["required"].as_array().into_iter().flatten();
            if !required.clone().any(|name| name == argument) {
                lines.insert(format!("{name} {argument} may be left out"));
            }
        }
    }
    check("tools.txt", &lines);
}
