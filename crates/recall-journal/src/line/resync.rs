//! Here is what a line holds; which events are on it, and what of it cannot be read?

use memchr::memmem;
use recall_core::Event;
use serde_json::Value;

use super::read::read_event;
use super::{BEGINNING, Line};
use crate::{Day, FaultKind};

/// The mark that some editors put at the beginning of a text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The marks of a merge that git left to a person.
const CONFLICT_MARKS: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];

/// How often a line is read on behind a part that cannot be read: each time may cost its whole length.
const RESUMPTIONS: usize = 64;

/// What ended the reading of values.
enum Stop {
    /// The end of the line.
    End,
    /// Bytes that are no text, so far behind the last value.
    NotUtf8 { behind: usize },
    /// Text that is no JSON.
    NotJson { reason: String },
}

/// What a line gave.
#[derive(Debug, Default)]
pub(crate) struct ReadLine {
    pub(crate) events: Vec<Event>,
    pub(crate) faults: Vec<FaultKind>,
}

/// Reads a line without its newline: no, one or several objects.
///
/// Behind a part that cannot be read, what begins like a line of ours is read again: somebody wrote behind a torn line.
pub(crate) fn read_line(bytes: &[u8], day: Day) -> ReadLine {
    let mut read = ReadLine::default();
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return read;
    }
    if is_conflict_mark(bytes) {
        read.faults.push(FaultKind::ConflictMarker);
        return read;
    }
    // A list would be taken for the fields in their order.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let text = std::str::from_utf8(bytes);
    if let Some(line) = text.ok().filter(|_| is_object).and_then(|text| serde_json::from_str(text).ok()) {
        read.object(line, day);
        return read;
    }
    read.objects(bytes, day);
    read
}

impl ReadLine {
    fn object(&mut self, line: Line, day: Day) {
        match read_event(line, day, &mut self.faults) {
            Ok(event) => self.events.push(event),
            Err(fault) => self.faults.push(fault),
        }
    }

    /// Reads objects one after another, beyond what cannot be read.
    fn objects(&mut self, bytes: &[u8], day: Day) {
        let mut column = 0;
        for _ in 0..RESUMPTIONS {
            let (read, stop) = self.well_formed(&bytes[column..], day);
            let begin = column + read;
            self.faults.push(match stop {
                Stop::End => return,
                Stop::NotUtf8 { behind } => FaultKind::NotUtf8 { column: begin + behind },
                Stop::NotJson { reason } => FaultKind::NotJson { column: begin, reason },
            });
            match memmem::find(&bytes[begin + 1..], BEGINNING) {
                Some(found) => column = begin + 1 + found,
                None => return,
            }
        }
    }

    /// Reads whole values; up to where, and what stopped it there.
    fn well_formed(&mut self, bytes: &[u8], day: Day) -> (usize, Stop) {
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("it is valid up to there"),
        };
        let is_text = valid.len() == bytes.len();
        let mut values = serde_json::Deserializer::from_str(valid).into_iter::<Value>();
        loop {
            let begin = values.byte_offset();
            let not_utf8 = Stop::NotUtf8 { behind: valid.len() - begin };
            match values.next() {
                Some(Ok(value)) => self.value(value, day),
                Some(Err(error)) if is_text || !error.is_eof() => {
                    return (begin, Stop::NotJson { reason: told(&error) });
                }
                None if is_text => return (begin, Stop::End),
                None | Some(Err(_)) => return (begin, not_utf8),
            }
        }
    }

    fn value(&mut self, value: Value, day: Day) {
        if !value.is_object() {
            self.faults.push(FaultKind::NotAnEvent { reason: "it is no object".to_owned() });
            return;
        }
        match serde_json::from_value(value) {
            Ok(line) => self.object(line, day),
            Err(error) => self.faults.push(FaultKind::NotAnEvent { reason: told(&error) }),
        }
    }
}

fn is_conflict_mark(bytes: &[u8]) -> bool {
    let is =
        |mark: &&[u8]| bytes.strip_prefix(*mark).is_some_and(|rest| rest.is_empty() || rest[0].is_ascii_whitespace());
    CONFLICT_MARKS.iter().any(is)
}

/// What the parser says, without its idea of lines and columns: it saw a part of one line.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
