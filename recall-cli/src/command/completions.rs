//! `recall completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Exit;
use crate::args::Cli;
use crate::complaint::CommandError;
use crate::output::Output;

/// Arguments of `recall completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell, as in `recall completions bash > ~/.local/share/bash-completion/completions/recall`.
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> Result<Exit, CommandError> {
    Output::raw(&script(args.shell))?;
    Ok(Exit::Done)
}

fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "recall", &mut bytes);
    String::from_utf8(bytes).expect("the definitions of the arguments are text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_every_command() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = script(shell);
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell} does not know {}", command.get_name());
            }
        }
    }
}
