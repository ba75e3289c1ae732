//! Output to standard output and standard error, as text or JSON.

mod format;
pub(crate) mod human;
pub(crate) mod json;

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use recall_proto::v1::{Severity, Warning};
use serde::Serialize;

use crate::complaint::{CommandError, Complaint};
pub(crate) use format::{Color, Format};
use human::style;

/// The indentation of the continued lines of a note.
const NOTE_INDENT: usize = 2;

/// The format, colour and width of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    /// The width of the terminal on standard output; `None` for a pipe or a file, where nothing is cut.
    pub(crate) width: Option<usize>,
    color: Color,
}

impl Output {
    pub(crate) fn new(format: Format, color: Color) -> Self {
        let width = terminal_size::terminal_size_of(io::stdout()).map(|(terminal_size::Width(columns), _)| columns);
        Self { format, width: width.map(usize::from), color }
    }

    /// Writes styled text to standard output. Styles are stripped if colours are off.
    pub(crate) fn text(&self, text: &str) -> Result<(), CommandError> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.color.into());
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| lost(&error))
    }

    /// Writes data unchanged, byte for byte.
    pub(crate) fn raw(text: &str) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| lost(&error))
    }

    /// Writes one JSON object: indented on a terminal, otherwise on one line.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), CommandError> {
        if self.width.is_some() {
            let text = serde_json::to_string_pretty(value).expect("the schema has text keys only");
            return Self::raw(&(text + "\n"));
        }
        self.json_line(value)
    }

    /// Writes one JSON object on one line.
    #[expect(clippy::unused_self, reason = "reads as its siblings do")]
    pub(crate) fn json_line(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string(value).expect("the schema has text keys only");
        Self::raw(&(text + "\n"))
    }

    /// Writes a note for a person to standard error. Programs find the same in the data.
    pub(crate) fn say(&self, text: &str) {
        if self.format == Format::Human {
            self.talk(&format!("{text}\n"));
        }
    }

    /// Writes a note only if standard error is a terminal, for what is not worth a line in a log.
    pub(crate) fn murmur(&self, text: &str) {
        if io::stderr().is_terminal() {
            let dim = style::DIM;
            self.say(&format!("{dim}{text}{dim:#}"));
        }
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
            let about = if path.is_empty() { String::new() } else { format!("{path}: ") };
            let text = human::text::printable(&format!("{about}{message}")).into_owned();
            self.say(&format!("{style}{word}{style:#}: {text}"));
            if !hint.is_empty() {
                self.say(&format!("{NOTE}hint{NOTE:#}: {hint}", NOTE = style::NOTE));
            }
        }
    }

    /// Reports an error.
    pub(crate) fn complain(&self, complaint: &Complaint) -> Result<(), CommandError> {
        match self.format {
            Format::Json => self.json(&json::failed(complaint)),
            Format::Human => {
                self.talk(&human::complaint::render(complaint));
                Ok(())
            }
        }
    }

    fn talk(&self, text: &str) {
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
fn lost(error: &io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return CommandError::ReaderGone;
    }
    Complaint::refused("cannot write the output", error).into()
}
