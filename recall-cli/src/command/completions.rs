//! `recall completions`

use clap::Args;
use clap_complete::Shell;

use crate::Exit;
use crate::complaint::CommandError;
use crate::output::Output;

/// Arguments of `recall completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell, as in `recall completions bash > ~/.local/share/bash-completion/completions/recall`.
    shell: Shell,
}

/// Prints the completion script of the program that `definition` describes.
pub(super) fn run(args: &CompletionsArgs, definition: clap::Command) -> Result<Exit, CommandError> {
    Output::raw(&script(args.shell, definition))?;
    Ok(Exit::Done)
}

fn script(shell: Shell, mut definition: clap::Command) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut definition, "recall", &mut bytes);
    String::from_utf8(bytes).expect("the definitions of the arguments are text")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_shell_completes_every_command() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = script(shell, Cli::command());
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell} does not know {}", command.get_name());
            }
        }
    }
}
