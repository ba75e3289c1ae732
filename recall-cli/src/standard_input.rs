//! Texts from standard input.

use std::io::{self, IsTerminal, Read};

use recall_core::MEMORY_BYTES;
use recall_text::clean;

use crate::error::{CliError, CommandError};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_a_dash_are_the_question() {
        let words = ["how", "are", "carts", "priced"].map(str::to_owned);
        assert_eq!(question(&words).expect("a question"), "how are carts priced");
    }
}
