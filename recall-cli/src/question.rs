//! Questions to the person at the terminal.

use std::io::{self, IsTerminal as _, Write as _};

use tokio::sync::oneshot;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;

/// Whether a person can be asked: standard input and standard error are terminals, and the output is for people.
pub(crate) fn can_ask(context: &CommandContext) -> bool {
    context.output.format == Format::Human && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on standard error and returns the answer without the white space around it; `None` at the end of the
/// input.
///
/// Other tasks go on meanwhile: the answer is read on a thread, which ends with the process.
///
/// # Errors
/// The terminal cannot be written or read.
pub(crate) async fn ask(question: &str) -> Result<Option<String>, CommandError> {
    let refused = |source| CliError::refusal("cannot ask on the terminal", &source);
    let mut stderr = io::stderr();
    write!(stderr, "{question} ").and_then(|()| stderr.flush()).map_err(refused)?;
    let (answered, answer) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line).map(|bytes| (bytes > 0).then(|| line.trim().to_owned()));
        // Nobody waits for the answer after an interrupt.
        let _ = answered.send(read);
    });
    let read = answer.await.unwrap_or(Ok(None));
    Ok(read.map_err(refused)?)
}

/// Asks for a yes or a no. An empty answer is `default`; the end of the input is a no.
///
/// # Errors
/// Those of [`ask`].
pub(crate) async fn ask_yes(question: &str, default: bool) -> Result<bool, CommandError> {
    let choices = if default { "[Y/n]" } else { "[y/N]" };
    loop {
        let Some(answer) = ask(&format!("{question} {choices}")).await? else { return Ok(false) };
        match answer.to_ascii_lowercase().as_str() {
            "" => return Ok(default),
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => {}
        }
    }
}
