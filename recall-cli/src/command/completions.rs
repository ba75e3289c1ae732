//! `recall completions`

use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};

use crate::Exit;
use crate::complete::VARIABLE;
use crate::error::CommandError;
use crate::output::Output;

/// The name of the program that is completed and that the script asks for candidates.
const PROGRAM: &str = "recall";

/// Arguments of `recall completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell, as in `recall completions bash > ~/.local/share/bash-completion/completions/recall`.
    shell: Shell,
}

/// A shell whose completions can be programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl Shell {
    fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Elvish => &Elvish,
            Self::Fish => &Fish,
            Self::Powershell => &Powershell,
            Self::Zsh => &Zsh,
        }
    }
}

/// Prints the script that completes `recall` in a shell. It asks this program for the candidates.
pub(super) fn run(args: &CompletionsArgs) -> Result<Exit, CommandError> {
    Output::raw(&script(args.shell))?;
    Ok(Exit::Done)
}

fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    let written = shell.completer().write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut bytes);
    written.expect("memory can be written");
    String::from_utf8(bytes).expect("scripts are text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_every_shell_asks_the_program() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            assert!(script.contains(VARIABLE) && script.contains(PROGRAM), "{shell:?}: {script}");
        }
    }
}
