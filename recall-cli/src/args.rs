//! Command-line arguments of `recall`.

mod global;
pub(crate) mod groups;
mod value;

use clap::Parser;

use crate::command::Command;

pub use global::Global;
pub(crate) use value::{
    context_type, cue, document_type, language, memory_id, memory_origin, memory_type, relation, scope,
};

/// One local memory for every coding agent on this machine.
///
/// Finds code, documents and decisions of a project by words, symbols and paths, in about a millisecond. A daemon keeps
/// the indexes open; it is started when it is needed.
#[derive(Debug, Parser)]
#[command(
    name = "recall",
    version,
    propagate_version = true,
    max_term_width = 110,
    after_help = "`recall` alone shows the state of the project. `recall COMMAND --help` explains a command."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for line in [
            "recall nonsense",
            "recall search",
            "recall search x --scope everywhere",
            "recall search x --type novel",
            "recall search x --lang pyton",
            "recall list --lang klingon",
            "recall search x --k many",
            "recall search x --rerank --no-rerank",
            "recall include",
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
            "recall service",
            "recall service start",
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
    fn global_flags_are_accepted_before_and_after_the_command() {
        for line in ["recall --no-daemon --json search x", "recall search x --json --no-daemon"] {
            let cli = Cli::try_parse_from(line.split(' ')).expect(line);
            assert!(cli.global.no_daemon && cli.global.json, "{line}");
        }
    }
}
