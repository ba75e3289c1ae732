//! A line of the input, up to a length, as a message of the protocol, and the id of a message that is not read as a whole.
//!
//! What a client meant is read where that is clear: half of a character as the sign of a missing one, bytes that are not UTF-8
//! likewise, and the arguments of a call written as a JSON text. Everything else is rejected with an error that says why.

use std::borrow::Cow;

use rmcp::model::{ErrorCode, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// A line that is not a message, and the error that answers it.
#[derive(Debug)]
pub(super) struct Rejected {
    /// The id of the call; `None` if the line has none that can be read.
    pub(super) id: Option<RequestId>,
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl Rejected {
    pub(super) fn too_long(id: Option<RequestId>, limit_bytes: usize) -> Self {
        let message = format!("the message is longer than {limit_bytes} bytes (setting `mcp.message_bytes`)");
        Self { id, code: ErrorCode::INVALID_PARAMS, message }
    }
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Received {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A batch of messages, each with the error that answers it if it is none.
    Batch(Vec<Result<RxJsonRpcMessage<RoleServer>, Rejected>>),
    /// It needs no answer: it is blank, or a notification or an answer that is not understood.
    Nothing,
}

/// Reads a line. An array is a batch if the revision of the protocol allows it.
pub(super) fn read(line: &[u8], batches_are_allowed: bool) -> Result<Received, Rejected> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(Received::Nothing);
    }
    let value: Value = serde_json::from_str(text)
        .or_else(|error| {
            let mended = with_whole_characters(text);
            if *mended == *text { Err(error) } else { serde_json::from_str(&mended) }
        })
        .map_err(|error| Rejected {
            id: IdScan::find_id(text.as_bytes()),
            code: ErrorCode::PARSE_ERROR,
            message: format!("the line is not JSON: {error}"),
        })?;
    match value {
        Value::Array(messages) if batches_are_allowed && !messages.is_empty() => {
            Ok(Received::Batch(messages.into_iter().filter_map(|message| read_value(message).transpose()).collect()))
        }
        value => Ok(read_value(value)?.map_or(Received::Nothing, |message| Received::Message(Box::new(message)))),
    }
}

/// Reads a message; `None` for one that needs no answer.
fn read_value(value: Value) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Rejected> {
    let Value::Object(mut message) = value else {
        let message = "a message is a JSON object on a line of its own; only revision 2025-03-26 has batches, which are \
                       not empty";
        return Err(Rejected { id: None, code: ErrorCode::INVALID_REQUEST, message: message.to_owned() });
    };
    let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    if message.get("method").and_then(Value::as_str) == Some("tools/call") {
        read_call(&mut message).map_err(|message| Rejected {
            id: id.clone(),
            code: ErrorCode::INVALID_PARAMS,
            message,
        })?;
    }
    let is_answer = message.contains_key("result") || message.contains_key("error");
    let has_method = message.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(Value::Object(message)) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_answer || (has_method && id.is_none()) => Ok(None),
        Err(error) => {
            let code = if has_method { ErrorCode::INVALID_PARAMS } else { ErrorCode::INVALID_REQUEST };
            Err(Rejected { id, code, message: format!("the line is not a message of the protocol: {error}") })
        }
    }
}

/// Checks the parameters of a call of a tool, and reads arguments that are the text of a JSON object.
///
/// # Errors
/// The tool has no name, or the arguments are not an object.
fn read_call(message: &mut Map<String, Value>) -> Result<(), String> {
    let parameters = message.get_mut("params").and_then(Value::as_object_mut);
    let parameters = parameters.ok_or("`params` must be an object with the name of a tool")?;
    if !parameters.get("name").is_some_and(Value::is_string) {
        return Err("`name` must be the name of a tool".to_owned());
    }
    let arguments = match parameters.get("arguments") {
        None | Some(Value::Object(_)) => return Ok(()),
        Some(Value::Null) => Map::new(),
        Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
        Some(Value::String(text)) => serde_json::from_str(text)
            .map_err(|error| format!("`arguments` must be an object, and their text is not one: {error}"))?,
        Some(_) => return Err("`arguments` must be an object".to_owned()),
    };
    parameters.insert("arguments".to_owned(), Value::Object(arguments));
    Ok(())
}

/// Replaces each half of a surrogate pair without its other half, which is how JavaScript writes a character that was cut in two,
/// by the sign of a missing character.
fn with_whole_characters(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut halves = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                halves.push(at);
                6
            }
            _ => 2,
        };
    }
    if halves.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut whole = text.to_owned();
    for at in halves {
        whole.replace_range(at..at + 6, "\\ufffd");
    }
    Cow::Owned(whole)
}

/// The lines of an input.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    limit_bytes: usize,
    /// The line that is being read, or was returned last.
    bytes: Vec<u8>,
    is_whole: bool,
    /// The search for the id in a line that is too long, whose bytes are not kept.
    scan: Option<IdScan>,
}

/// A line.
pub(super) enum Line<'l> {
    /// Its bytes, without the line end.
    Whole(&'l [u8]),
    /// It is longer than the limit.
    TooLong { id: Option<RequestId>, limit_bytes: usize },
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, limit_bytes: usize) -> Self {
        Self { input: BufReader::new(input), limit_bytes, bytes: Vec::new(), is_whole: false, scan: None }
    }

    /// Returns the next line; `None` at the end of the input, also within a line, and if the input cannot be read. If the future is
    /// dropped, the next call goes on where it was.
    pub(super) async fn next(&mut self) -> Option<Line<'_>> {
        if std::mem::take(&mut self.is_whole) {
            self.bytes.clear();
        }
        loop {
            let available = self.input.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let read = end.map_or(available.len(), |end| end + 1);
            if self.scan.is_none() && self.bytes.len() + part.len() > self.limit_bytes {
                let mut scan = IdScan::default();
                scan.feed(&self.bytes);
                // Gives the memory back too.
                self.bytes = Vec::new();
                self.scan = Some(scan);
            }
            match &mut self.scan {
                Some(scan) => scan.feed(part),
                None => self.bytes.extend_from_slice(part),
            }
            self.input.consume(read);
            if end.is_some() {
                if let Some(scan) = self.scan.take() {
                    return Some(Line::TooLong { id: scan.id(), limit_bytes: self.limit_bytes });
                }
                self.is_whole = true;
                return Some(Line::Whole(&self.bytes));
            }
        }
    }
}

/// The longest id that is found.
const LONGEST_ID_BYTES: usize = 256;

/// A search for the id of a message in its bytes, which may come in parts. Needs a few hundred bytes for a message of any size.
#[derive(Debug, Default)]
pub(super) struct IdScan {
    /// How many objects and arrays are open.
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// Whether what comes next is the value of `key`.
    is_value: bool,
    key: Vec<u8>,
    value: Vec<u8>,
    id: Option<RequestId>,
}

impl IdScan {
    /// Returns the id of a message in its whole text.
    fn find_id(bytes: &[u8]) -> Option<RequestId> {
        let mut scan = Self::default();
        scan.feed(bytes);
        scan.id()
    }

    /// Reads the next part of the message.
    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.is_in_text {
                self.read_text(byte);
            } else {
                self.read_mark(byte);
            }
        }
    }

    /// Returns the id in the parts that were read.
    pub(super) fn id(self) -> Option<RequestId> {
        self.id
    }

    fn read_text(&mut self, byte: u8) {
        self.note(byte);
        if self.is_escaped {
            self.is_escaped = false;
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == b'"' {
            self.is_in_text = false;
        }
    }

    fn read_mark(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.is_in_text = true;
                if self.depth == 1 && !self.is_value {
                    self.key.clear();
                }
                self.note(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_value = true;
                self.value.clear();
            }
            b',' => self.end_member(),
            _ => self.note(byte),
        }
    }

    /// Keeps a byte of a key or a value of the message itself.
    fn note(&mut self, byte: u8) {
        let kept = if self.is_value { &mut self.value } else { &mut self.key };
        if self.depth == 1 && kept.len() < LONGEST_ID_BYTES {
            kept.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth == 1 && self.is_value {
            self.is_value = false;
            if self.key.trim_ascii() == b"\"id\"" {
                self.id = serde_json::from_slice(&self.value).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(arguments: &Value) -> String {
        let params = json!({"name": "recall_search", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string()
    }

    /// Reads a line; returns the arguments of the call, or the code of the error with the id.
    fn check(line: &[u8]) -> String {
        match read(line, false) {
            Ok(Received::Message(message)) => {
                let message = serde_json::to_value(&message).expect("plain data");
                message["params"]["arguments"].to_string()
            }
            Ok(Received::Batch(_)) => "a batch".to_owned(),
            Ok(Received::Nothing) => "nothing".to_owned(),
            Err(Rejected { id, code, .. }) => format!("{} {id:?}", code.0),
        }
    }

    #[test]
    fn half_a_character_and_foreign_bytes_are_replaced() {
        let line = call(&json!({"query": "HERE"}));
        let with = |replacement: &[u8]| {
            let (before, after) = line.split_once("HERE").expect("it is there");
            check(&[before.as_bytes(), replacement, after.as_bytes()].concat())
        };
        assert_eq!(with(br"heron \ud83d"), json!({"query": "heron \u{fffd}"}).to_string());
        assert_eq!(with(br"\udc00\ud83d\ude00\\ud83d"), json!({"query": "\u{fffd}\u{1f600}\\ud83d"}).to_string());
        assert_eq!(with(b"caf\xe9"), json!({"query": "caf\u{fffd}"}).to_string());
    }

    #[test]
    fn arguments_may_be_a_text() {
        assert_eq!(check(call(&json!(r#"{"query":"q"}"#)).as_bytes()), r#"{"query":"q"}"#);
        for empty in [json!(""), Value::Null, json!({})] {
            assert_eq!(check(call(&empty).as_bytes()), "{}", "{empty}");
        }
    }

    #[test]
    fn what_is_not_a_message_is_rejected_with_its_id() {
        for (line, expected) in [
            (call(&json!("not an object")), "-32602 Some(Number(7))"),
            (call(&json!([1])), "-32602 Some(Number(7))"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#.to_owned(), "-32602 Some(Number(7))"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#.to_owned(), "-32602 Some(Number(7))"),
            (r#"{"jsonrpc":"2.0","id":7,"x":}"#.to_owned(), "-32700 Some(Number(7))"),
            (r#"{"jsonrpc":"2.0","id":7}"#.to_owned(), "-32600 Some(Number(7))"),
            ("garbage".to_owned(), "-32700 None"),
            ("[]".to_owned(), "-32600 None"),
            (r#"{"jsonrpc":"2.0","error":3}"#.to_owned(), "nothing"),
            ("\u{feff} ".to_owned(), "nothing"),
        ] {
            assert_eq!(check(line.as_bytes()), expected, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_or_rejected(line in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = (read(&line, false), read(&line, true));
        }
    }

    #[test]
    fn the_id_of_the_message_itself_is_found_wherever_it_is() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#, Some(RequestId::Number(7))),
            (r#"{"params":{"id":1,"a":["id",{"id":2}]},"id" : "a\"b" }"#, Some(RequestId::String("a\"b".into()))),
            (r#"{"method":"say \"id\":3, and","id":4,"#, Some(RequestId::Number(4))),
            (r#"{"id":5"#, None),
            (r#"{"id":{"x":1}}"#, None),
            ("garbage", None),
        ] {
            assert_eq!(IdScan::find_id(text.as_bytes()), expected, "{text}");
            let mut scan = IdScan::default();
            text.as_bytes().iter().for_each(|byte| scan.feed(&[*byte]));
            assert_eq!(scan.id(), expected, "{text} byte by byte");
        }
    }
}
