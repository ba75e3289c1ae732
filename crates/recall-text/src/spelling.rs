//! The spellings of a path: as it is written, as a `file:` URI, with `\\` between its components.
//!
//! Which of them names a file is not decided here: that takes a look at the disk.

use std::borrow::Cow;

/// Returns the paths that a text may spell, the likeliest first: that of a `file:` URI, otherwise the text itself; then
/// the same with `/` for `\\`.
///
/// ```
/// assert_eq!(recall_text::path_spellings("file:///w/a%20b.rs"), ["/w/a b.rs"]);
/// assert_eq!(recall_text::path_spellings(r"src\a.rs"), [r"src\a.rs", "src/a.rs"]);
/// ```
pub fn path_spellings(text: &str) -> Vec<Cow<'_, str>> {
    let written = path_of_uri(text).map_or(Cow::Borrowed(text), Cow::Owned);
    if written.contains('\\') {
        let slashed = written.replace('\\', "/");
        return vec![written, Cow::Owned(slashed)];
    }
    vec![written]
}

/// Returns the path of a `file:` URI of this machine; `None` if the text is not one.
pub fn path_of_uri(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    let path = decode_percent(path.starts_with('/').then_some(path)?)?;
    // `/C:/src` is the path `C:/src` on Windows.
    let is_drive = matches!(path.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    Some(if is_drive { path[1..].to_owned() } else { path })
}

/// Decodes `%20`; `None` if what is decoded is not UTF-8. A `%` that begins no escape stays.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, after) {
            (b'%', [high, low, further @ ..]) if digit(high).is_some() && digit(low).is_some() => {
                bytes.extend(digit(high).zip(digit(low)).map(|(high, low)| high * 16 + low));
                rest = further;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_uri_is_decoded() {
        for (uri, path) in [
            ("file:///w/a.rs", Some("/w/a.rs")),
            ("FILE://localhost/w/a%20b%C3%BC.rs", Some("/w/a b\u{fc}.rs")),
            ("file:/w/100%.md", Some("/w/100%.md")),
            ("file:///C:/w/a.rs", Some("C:/w/a.rs")),
            ("file://server/share/a.rs", None),
            ("file:a.rs", None),
            ("file:///w/%ff", None),
            ("https://host/a.rs", None),
            ("src/a.rs", None),
        ] {
            assert_eq!(path_of_uri(uri).as_deref(), path, "{uri}");
        }
    }

    #[test]
    fn backslashes_are_separators_only_if_the_text_is_no_name_itself() {
        assert_eq!(path_spellings(r"src\net\a.rs"), [r"src\net\a.rs", "src/net/a.rs"]);
        assert_eq!(path_spellings("src/a.rs"), ["src/a.rs"]);
    }
}
