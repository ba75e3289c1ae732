//! Where does output go, and in which form?

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

/// How far the continued lines of a note are indented.
const NOTE_INDENT: usize = 2;

/// Where output goes, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    /// The columns of the terminal that data goes to; `None` for a pipe or a file, where nothing is cut.
    pub(crate) width: Option<usize>,
    color: Color,
}

impl Output {
    pub(crate) fn new(format: Format, color: Color) -> Self {
        let width = terminal_size::terminal_size_of(io::stdout()).map(|(terminal_size::Width(columns), _)| columns);
        Self { format, width: width.map(usize::from), color }
    }

    /// Writes data for people, with styles that are taken off where they do not belong.
    pub(crate) fn text(&self, text: &str) -> Result<(), CommandError> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.color.into());
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| lost(&error))
    }

    /// Writes data byte by byte as it is.
    pub(crate) fn raw(text: &str) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| lost(&error))
    }

    /// Writes one JSON object: over several lines for a person who looks on, otherwise on one.
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

    /// Tells a person something beside the data. Programs find it in the data.
    pub(crate) fn say(&self, text: &str) {
        if self.format == Format::Human {
            self.talk(&format!("{text}\n"));
        }
    }

    /// Tells a person who looks on something that is not worth a line in a log.
    pub(crate) fn murmur(&self, text: &str) {
        if io::stderr().is_terminal() {
            let dim = style::DIM;
            self.say(&format!("{dim}{text}{dim:#}"));
        }
    }

    /// Tells a person what the daemon tells beside its answer.
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

    /// Tells why the command did not end well.
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
        // Nobody listens when standard error is closed; the data matters more.
        let _ = AutoStream::new(io::stderr().lock(), self.stderr_color()).write_all(text.as_bytes());
    }

    fn stderr_color(&self) -> ColorChoice {
        self.color.into()
    }
}

/// Standard output did not take the data.
fn lost(error: &io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return CommandError::ReaderGone;
    }
    Complaint::refused("cannot write the output", error).into()
}
