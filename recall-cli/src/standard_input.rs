//! What the program reads from the person: texts from standard input, and answers to questions at the terminal.

use std::io::{self, IsTerminal as _, Read, Write as _};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use recall_core::MEMORY_BYTES;
use recall_text::clean;
use tokio::sync::oneshot;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;

/// The word that stands for standard input among the words of a question.
const STANDARD_INPUT: &str = "-";

/// The most bytes that are read of a question. The daemon's setting `limits.query_bytes` is at most this.
const QUESTION_BYTES: usize = 1 << 20;

/// Reads the text of a memory, up to one byte more than it may have: enough for the daemon to reject it.
///
/// # Errors
/// Standard input is a terminal, or cannot be read as UTF-8.
pub(crate) fn memory() -> Result<String, CommandError> {
    let bytes = read_bytes(MEMORY_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
    text.map_err(|error| CliError::refusal("cannot read the text from standard input", &error).into())
}

/// Returns a question given in words, of which `-` stands for what is on standard input: the words, then the input on lines of its
/// own, without the colours of a terminal.
///
/// # Errors
/// Standard input is asked for, and is a terminal or cannot be read.
pub(crate) fn question(words: &[String]) -> Result<String, CommandError> {
    let asks = words.iter().filter(|word| *word != STANDARD_INPUT).map(String::as_str).collect::<Vec<_>>().join(" ");
    if !words.iter().any(|word| word == STANDARD_INPUT) {
        return Ok(asks);
    }
    let bytes = read_bytes(QUESTION_BYTES)?;
    let input = String::from_utf8_lossy(&bytes);
    let input = clean(&input);
    Ok(if asks.is_empty() { input.into_owned() } else { format!("{asks}\n{input}") })
}

fn read_bytes(most_bytes: usize) -> Result<Vec<u8>, CommandError> {
    let input = io::stdin();
    if input.is_terminal() {
        let cli_error = CliError::usage("there is nothing on standard input");
        return Err(cli_error.with_hint("pipe the text into it, or give it as an argument").into());
    }
    let mut bytes = Vec::new();
    let read = input.lock().take(most_bytes as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| CliError::refusal("cannot read the text from standard input", &error))?;
    Ok(bytes)
}

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

/// Asks a question on standard error and waits for one of some keys; `None` if the person leaves with Ctrl-C, Ctrl-D or Escape.
///
/// # Errors
/// The terminal cannot be used.
pub(crate) fn ask_key(question: &str, keys: &[char]) -> Result<Option<char>, CommandError> {
    let refused = |source: io::Error| CliError::refusal("cannot ask on the terminal", &source);
    let mut stderr = io::stderr();
    write!(stderr, "{question} ").and_then(|()| stderr.flush()).map_err(refused)?;
    enable_raw_mode().map_err(refused)?;
    let read = read_key(keys);
    let restored = disable_raw_mode();
    let key = read.map_err(refused)?;
    restored.map_err(refused)?;
    writeln!(stderr, "{}", key.unwrap_or(' ')).map_err(refused)?;
    Ok(key)
}

fn read_key(keys: &[char]) -> io::Result<Option<char>> {
    loop {
        let Event::Key(key) = crossterm::event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match key.code {
            KeyCode::Esc => return Ok(None),
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(None),
            KeyCode::Char(c) if keys.contains(&c.to_ascii_lowercase()) => return Ok(Some(c.to_ascii_lowercase())),
            _ => {}
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_a_dash_are_the_question() {
        let words = ["how", "are", "carts", "priced"].map(str::to_owned);
        assert_eq!(question(&words).expect("a question"), "how are carts priced");
    }
}
