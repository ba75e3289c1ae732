//! Parsing of a line, with resynchronization after damaged parts.

use memchr::memmem;
use recall_core::Event;
use serde_json::Value;

use super::read::read_event;
use super::{BEGINNING, Line, parser_message};
use crate::{Day, FaultKind};

/// The UTF-8 byte order mark that some editors put at the beginning of a file.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The conflict markers of git.
const CONFLICT_MARKS: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];

/// How often parsing resumes after a damaged part of a line. Each attempt may scan the whole line.
const RESUMPTIONS: usize = 64;

/// Why the parser stopped.
enum Stop {
    /// The end of the line.
    End,
    /// Bytes that are not UTF-8, `after` bytes past the last value.
    NotUtf8 { after: usize },
    /// Text that is not JSON.
    NotJson { reason: String },
}

/// The events and faults of a line.
#[derive(Debug, Default)]
pub(crate) struct ReadLine {
    pub(crate) events: Vec<Event>,
    pub(crate) faults: Vec<FaultKind>,
}

/// Reads a line without its newline. It may hold any number of objects.
///
/// After a damaged part, parsing resumes at the next bytes that begin like a line of this crate: another process may
/// have appended after a torn line.
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
    // Serde would accept an array as the fields in order.
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

    /// Reads one object after another, resuming after damaged parts.
    fn objects(&mut self, bytes: &[u8], day: Day) {
        let mut column = 0;
        for _ in 0..RESUMPTIONS {
            let (read, stop) = self.count_well_formed(&bytes[column..], day);
            let begin = column + read;
            self.faults.push(match stop {
                Stop::End => return,
                Stop::NotUtf8 { after } => FaultKind::NotUtf8 { column: begin + after },
                Stop::NotJson { reason } => FaultKind::NotJson { column: begin, reason },
            });
            match memmem::find(&bytes[begin + 1..], BEGINNING) {
                Some(found) => column = begin + 1 + found,
                None => return,
            }
        }
    }

    /// Reads complete values. Returns the number of bytes read and why it stopped.
    fn count_well_formed(&mut self, bytes: &[u8], day: Day) -> (usize, Stop) {
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("`valid_up_to` ends on a character boundary")
            }
        };
        let is_text = valid.len() == bytes.len();
        let mut values = serde_json::Deserializer::from_str(valid).into_iter::<Value>();
        loop {
            let begin = values.byte_offset();
            let not_utf8 = Stop::NotUtf8 { after: valid.len() - begin };
            match values.next() {
                Some(Ok(value)) => self.value(value, day),
                Some(Err(error)) if is_text || !error.is_eof() => {
                    return (begin, Stop::NotJson { reason: parser_message(&error) });
                }
                None if is_text => return (begin, Stop::End),
                None | Some(Err(_)) => return (begin, not_utf8),
            }
        }
    }

    fn value(&mut self, value: Value, day: Day) {
        if !value.is_object() {
            self.faults.push(FaultKind::NotAnEvent { reason: "not a JSON object".to_owned() });
            return;
        }
        match serde_json::from_value(value) {
            Ok(line) => self.object(line, day),
            Err(error) => self.faults.push(FaultKind::NotAnEvent { reason: parser_message(&error) }),
        }
    }
}

fn is_conflict_mark(bytes: &[u8]) -> bool {
    let is =
        |mark: &&[u8]| bytes.strip_prefix(*mark).is_some_and(|rest| rest.is_empty() || rest[0].is_ascii_whitespace());
    CONFLICT_MARKS.iter().any(is)
}
