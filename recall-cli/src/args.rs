//! Command-line arguments of `recall`, and errors in them.

#[cfg(test)]
mod documented;
mod global;
mod value;

use std::ffi::OsString;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use crate::Exit;
use crate::command::Command;
use crate::complaint::Complaint;
use crate::output::{Color, Format, Output};

pub(crate) use global::Global;
pub(crate) use value::{document_type, language, memory_origin, memory_type, relation, scope};

/// One local memory for every coding agent on this machine.
///
/// Finds code, documents and decisions of a project by words, symbols and paths, in about a millisecond. A daemon keeps
/// the indexes open; it is started when it is needed.
#[derive(Debug, Parser)]
#[command(name = "recall", version, propagate_version = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Reports wrong arguments, or prints the help or the version.
pub(crate) fn refuse(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    best_first(&mut error);
    if !error.use_stderr() {
        // Help or version, not an error. A failed write means that the reader closed the pipe.
        let _ = error.print();
        return Exit::Done;
    }
    let wants_json = arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json");
    if wants_json {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let complaint = Complaint::usage(message).with_hint("see `recall --help`");
        let _ = Output::new(Format::Json, Color::Never).complain(&complaint);
    } else {
        let _ = error.print();
    }
    Exit::Usage
}

/// Reverses clap's suggestions: clap lists the likeliest one last.
fn best_first(error: &mut clap::Error) {
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        if let Some(ContextValue::Strings(names)) = error.get(kind) {
            let names = names.iter().rev().cloned().collect();
            error.insert(kind, ContextValue::Strings(names));
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches};

    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for line in [
            "recall",
            "recall nonsense",
            "recall search",
            "recall search x --scope everywhere",
            "recall search x --type novel",
            "recall search x --lang pyton",
            "recall list --lang klingon",
            "recall search x --k many",
            "recall search x --rerank --no-rerank",
            "recall add",
            "recall get",
            "recall get a --lines 9:3",
            "recall related",
            "recall graph",
            "recall graph x --relation calls",
            "recall graph x --depth deep",
            "recall rm",
            "recall remember",
            "recall remember x --type novel",
            "recall feedback L-0123abcd",
            "recall feedback L-0123abcd nice",
            "recall feedback L-0123abcd duplicate",
            "recall promote",
            "recall session",
            "recall session log",
            "recall session log decision",
            "recall session log decision x --metadata [1]",
            "recall session list --state lost",
            "recall session end --reason bored",
            "recall briefing --budget-tokens many",
            "recall completions cobol",
            "recall daemon dance",
            "recall models",
            "recall models add",
            "recall models use cook a",
            "recall models use embed",
            "recall models rm",
            "recall models runtime",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn of_similar_commands_the_likeliest_is_named_first() {
        let mut error = Cli::try_parse_from(["recall", "serch"]).expect_err("no command");
        best_first(&mut error);
        let told = error.to_string();
        let place = |name: &str| told.find(&format!("'{name}'")).unwrap_or(usize::MAX);
        assert!(place("search") < place("bench").min(place("graph")), "{told}");
    }

    /// Collects every command without subcommands, with the words that call it.
    fn leaves(command: &clap::Command, called: &str, found: &mut Vec<(String, clap::Command)>) {
        for child in command.get_subcommands().filter(|child| child.get_name() != "help") {
            let called = format!("{called} {}", child.get_name());
            if child.has_subcommands() {
                leaves(child, &called, found);
            } else {
                found.push((called, child.clone()));
            }
        }
    }

    #[test]
    fn every_help_ends_with_examples_that_are_understood() {
        let mut found = Vec::new();
        leaves(&Cli::command(), "recall", &mut found);
        assert!(found.len() > 30, "{}", found.len());
        for (called, command) in found {
            let examples = command.get_after_help().unwrap_or_else(|| panic!("`{called}` has no examples")).to_string();
            let lines: Vec<&str> = examples.lines().skip(1).map(str::trim).collect();
            assert!(examples.starts_with("Examples:\n") && !lines.is_empty(), "`{called}`: {examples}");
            for line in lines {
                let line = line.split(" | ").find(|part| part.starts_with("recall ")).expect(line);
                assert!(line.starts_with(&called), "`{called}`: {line}");
                let words = shlex::split(line).expect(line);
                let parsed = Cli::command().try_get_matches_from(&words).and_then(|it| Cli::from_arg_matches(&it));
                assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|error| error.to_string()).unwrap_or_default());
            }
        }
    }

    #[test]
    fn global_flags_are_accepted_before_and_after_the_command() {
        for line in ["recall --no-daemon --json search x", "recall search x --json --no-daemon"] {
            let cli = Cli::try_parse_from(line.split(' ')).expect(line);
            assert!(cli.global.no_daemon && cli.global.json, "{line}");
        }
    }
}
