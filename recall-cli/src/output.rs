//! Output to standard output and standard error, as text or JSON.
//!
//! Standard output has the answer and nothing else, so that it can be piped; notes and errors go to standard error. What depends on a
//! terminal (width, colour, relative times) is decided here once and passed on.

pub(crate) mod format;
pub(crate) mod human;
pub(crate) mod json;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use recall_api::v1::{Severity, Warning};
use recall_text::clean;
use serde::Serialize;

use crate::error::{CliError, CommandError};
pub(crate) use format::Color;
pub use format::Format;
use format::Screen;
use human::style::{self, ERROR, NOTE};

/// The indentation of the continued lines of a note.
const NOTE_INDENT: usize = 2;

/// The columns and lines of a terminal that does not say how many it has, as on a serial line and in some containers.
const ASSUMED_SIZE: (u16, u16) = (80, 24);

/// The format, colour and width of the output.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The format.
    pub format: Format,
    /// The width of the terminal on standard output, assumed if it is unknown; `None` for a pipe or a file, where nothing is cut.
    pub width: Option<usize>,
    /// The height of the terminal on standard output in lines; `None` for a pipe or a file.
    pub(crate) height: Option<usize>,
    color: Color,
}

impl Output {
    pub(crate) fn new(format: Format, color: Color) -> Self {
        let size = terminal_size::terminal_size_of(io::stdout());
        let size = size.map(|(terminal_size::Width(columns), terminal_size::Height(lines))| (columns, lines));
        let size = size.or_else(|| io::stdout().is_terminal().then_some(ASSUMED_SIZE));
        let (width, height) = size.map(|(columns, lines)| (columns.into(), lines.into())).unzip();
        Self { format, width, height, color }
    }

    /// Returns what a text for people is made for.
    pub(crate) fn screen(&self) -> Screen {
        Screen {
            width: self.width,
            now: self.width.map(|_| jiff::Timestamp::now()),
            highlights_code: self.is_colored(),
        }
    }

    /// Whether standard output is coloured.
    pub(crate) fn is_colored(&self) -> bool {
        match self.color {
            Color::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            Color::Always => true,
            Color::Never => false,
        }
    }

    /// Returns a styled text as standard output shows it: without styles if colours are off.
    pub(crate) fn style(&self, text: &str) -> String {
        if self.is_colored() { text.to_owned() } else { strip_str(text).to_string() }
    }

    /// Writes styled text to standard output. Styles are stripped if colours are off.
    pub fn text(&self, text: &str) -> Result<(), CommandError> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.color.into());
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| write_error(&error))
    }

    /// Writes data unchanged, byte for byte. Only a terminal gets it without control characters, which would control it.
    pub(crate) fn raw(text: &str) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        let text = if stdout.is_terminal() { clean(text) } else { Cow::Borrowed(text) };
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| write_error(&error))
    }

    /// Writes one JSON object: indented on a terminal, otherwise on one line.
    ///
    /// # Panics
    /// If the value has a map whose keys are not text. The schema has none.
    pub fn json(&self, value: &impl Serialize) -> Result<(), CommandError> {
        if self.width.is_some() {
            let text = serde_json::to_string_pretty(value).expect("the schema has text keys only");
            return Self::raw(&(text + "\n"));
        }
        self.json_line(value)
    }

    /// Writes an answer as JSON, within the fields that surround every answer.
    pub(crate) fn answer(&self, body: &impl Serialize) -> Result<(), CommandError> {
        self.json(&recall_api::json::answer(body))
    }

    /// Writes one JSON object on one line.
    #[expect(clippy::unused_self, reason = "reads as its siblings do")]
    pub(crate) fn json_line(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string(value).expect("the schema has text keys only");
        Self::raw(&(text + "\n"))
    }

    /// Writes a note for a person to standard error. Programs find the same in the data.
    pub(crate) fn note(&self, text: &str) {
        if self.format == Format::Human {
            self.write_stderr(&format!("{text}\n"));
        }
    }

    /// Writes a note only if standard error is a terminal, for what is not worth a line in a log.
    pub(crate) fn status_line(&self, text: &str) {
        if io::stderr().is_terminal() {
            let dim = style::DIM;
            self.note(&format!("{dim}{text}{dim:#}"));
        }
    }

    /// Writes that the answer goes on, also into a pipe: who reads a part must not take it for the whole.
    pub(crate) fn left_out(&self, text: &str) {
        let dim = style::DIM;
        let line = if io::stderr().is_terminal() { "\n" } else { "" };
        self.note(&format!("{dim}{line}{text}{dim:#}"));
    }

    /// Writes the daemon's warnings for a person.
    pub(crate) fn warn(&self, warnings: &[Warning]) {
        for warning in warnings {
            let Warning { code: _, message, hint, path, severity } = warning;
            let (style, word) = match Severity::try_from(*severity) {
                Ok(Severity::Notice) => (style::NOTE, "note"),
                Ok(Severity::Error) => (style::ERROR, "error"),
                Ok(Severity::Warning | Severity::Unspecified) | Err(_) => (style::WARNING, "warning"),
            };
            let about = if message.contains(path) { String::new() } else { format!("{path}: ") };
            let text = human::text::printable(&format!("{about}{message}")).into_owned();
            self.note(&format!("{style}{word}{style:#}: {text}"));
            if !hint.is_empty() {
                self.note(&format!("{NOTE}hint{NOTE:#}: {hint}"));
            }
        }
    }

    /// Reports an error.
    pub(crate) fn report(&self, cli_error: &CliError) -> Result<(), CommandError> {
        match self.format {
            Format::Json => self.json(&json::failure_envelope(cli_error)),
            Format::Human => {
                self.write_stderr(&error_text(cli_error));
                Ok(())
            }
        }
    }

    fn write_stderr(&self, text: &str) {
        let width = terminal_size::terminal_size_of(io::stderr()).map(|(terminal_size::Width(columns), _)| columns);
        let text = human::text::wrap(text, width.map(usize::from), NOTE_INDENT);
        // A closed standard error must not stop the data.
        let _ = AutoStream::new(io::stderr().lock(), self.stderr_color()).write_all(text.as_bytes());
    }

    fn stderr_color(&self) -> ColorChoice {
        self.color.into()
    }
}

/// Converts an error of writing to standard output.
fn write_error(error: &io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return CommandError::ReaderGone;
    }
    CliError::refusal("cannot write the output", error).into()
}

/// Formats an error, its causes and its hint.
fn error_text(cli_error: &CliError) -> String {
    let CliError { exit: _, reason: _, message, causes, hint, details: _ } = cli_error;
    let mut text = format!("{ERROR}error{ERROR:#}: {}\n", human::text::printable(message));
    for cause in causes {
        let _ = writeln!(text, "  caused by: {}", human::text::printable(cause));
    }
    if let Some(hint) = hint {
        let _ = writeln!(text, "{NOTE}hint{NOTE:#}: {}", human::text::printable(hint));
    }
    text
}

#[cfg(test)]
mod tests {
    use recall_api::Reason;

    use super::*;
    use crate::Exit;

    #[test]
    fn an_error_says_what_why_and_what_to_do() {
        let mut cli_error = CliError::new(Exit::Unreachable, Reason::Unavailable, "the daemon is not running")
            .with_hint("start it with `recall daemon start`");
        cli_error.causes.push("cannot connect to \u{1b}[2J`/run/recalld.sock`".to_owned());
        insta::assert_snapshot!(anstream::adapter::strip_str(&error_text(&cli_error)), @r"
        error: the daemon is not running
          caused by: cannot connect to `/run/recalld.sock`
        hint: start it with `recall daemon start`
        ");
    }
}
