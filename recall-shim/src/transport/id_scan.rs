//! The id of a message that is not read as a whole: it is too long, or it is not JSON.

use rmcp::model::RequestId;

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
    pub(super) fn find_id(bytes: &[u8]) -> Option<RequestId> {
        let mut scan = Self::default();
        scan.feed(bytes);
        scan.id()
    }

    /// Reads the next part of the message.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
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
    use super::*;

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
