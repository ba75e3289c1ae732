//! JSON as the programs and the public benchmarks write it: a reader, and the quotation marks of a text.

use std::iter::Peekable;
use std::str::Chars;

/// How deep lists and objects may be nested; the reader calls itself.
const MOST_DEPTH: usize = 64;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// The members in the order of the file.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value, with nothing but space around it.
    ///
    /// # Errors
    /// Names the first character that JSON does not have there.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text.chars().peekable(), depth: 0 };
        let value = reader.value()?;
        reader.skip_space();
        match reader.rest.next() {
            None => Ok(value),
            Some(c) => Err(format!("`{c}` after the end of the JSON")),
        }
    }

    /// Returns a member; of anything but an object, and of one without it, null.
    pub(crate) fn at(&self, key: &str) -> &Self {
        let Self::Object(members) = self else { return &Self::Null };
        members.iter().find(|(name, _)| name == key).map_or(&Self::Null, |(_, value)| value)
    }

    /// Returns the members' elements; of anything but a list, none.
    pub(crate) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }
}

/// Returns a text as JSON.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c < ' ' => quoted.extend(format!("\\u{:04x}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        while self.rest.next_if(char::is_ascii_whitespace).is_some() {}
    }

    fn value(&mut self) -> Result<Json, String> {
        self.skip_space();
        match self.rest.peek() {
            Some('{') => self.read_nested(Self::object),
            Some('[') => self.read_nested(Self::list),
            Some('"') => self.string().map(Json::Text),
            Some(_) => self.word(),
            None => Err("the JSON ends too early".to_owned()),
        }
    }

    fn read_nested(&mut self, read: fn(&mut Self) -> Result<Json, String>) -> Result<Json, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("the JSON is nested more than {MOST_DEPTH} deep"));
        }
        self.rest.next();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Json, String> {
        let mut members = Vec::new();
        while !self.ends_with('}', members.len())? {
            self.skip_space();
            let name = self.string()?;
            self.skip_space();
            self.expect(':')?;
            members.push((name, self.value()?));
        }
        Ok(Json::Object(members))
    }

    fn list(&mut self) -> Result<Json, String> {
        let mut items = Vec::new();
        while !self.ends_with(']', items.len())? {
            items.push(self.value()?);
        }
        Ok(Json::List(items))
    }

    /// Whether a list or an object ends here; otherwise, reads the comma before another element.
    fn ends_with(&mut self, close: char, elements: usize) -> Result<bool, String> {
        self.skip_space();
        if self.rest.next_if_eq(&close).is_some() {
            return Ok(true);
        }
        if elements > 0 {
            self.expect(',')?;
        }
        Ok(false)
    }

    fn expect(&mut self, expected: char) -> Result<(), String> {
        match self.rest.next() {
            Some(c) if c == expected => Ok(()),
            c => Err(format!("expected `{expected}` in the JSON, not {c:?}")),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.rest.next().ok_or("a text of the JSON does not end")? {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        Ok(match self.rest.next().ok_or("a text of the JSON does not end")? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let first = self.code_unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                // The other half of a character outside of the basic plane.
                self.expect('\\')?;
                self.expect('u')?;
                let second = self.code_unit()?;
                let code = 0x1_0000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00) % 0x400;
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            c => c,
        })
    }

    fn code_unit(&mut self) -> Result<u32, String> {
        let digits: String = self.rest.by_ref().take(4).collect();
        u32::from_str_radix(&digits, 16).map_err(|_| format!("`\\u{digits}` is not an escape of JSON"))
    }

    fn word(&mut self) -> Result<Json, String> {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
            word.push(c);
        }
        match word.as_str() {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            word => word.parse().map(Json::Number).map_err(|_| format!("`{word}` is not JSON")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_with_its_members() {
        let json = Json::parse(r#" {"a": [1, -2.5e1, true, null], "b": {"c": "x\n\"\u00e9\ud83d\ude00"}, "d": []} "#);
        let json = json.expect("it is JSON");
        assert_eq!(json.at("a").items().iter().filter_map(Json::number).collect::<Vec<_>>(), [1.0, -25.0]);
        assert_eq!(json.at("b").at("c").text(), Some("x\n\"é😀"));
        assert_eq!(json.at("none").at("of").items(), []);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in ["", "{", "[1 2]", "{\"a\" 1}", "nul", "\"x", "1 2", &"[".repeat(100)] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_quoted_text_is_read_as_it_was() {
        let text = "a \"b\" \\ \n\t\u{1} é";
        assert_eq!(Json::parse(&quote(text)).expect("it is JSON").text(), Some(text));
    }
}
