//! Redaction of the parts of an output that differ between runs.

use std::path::Path;

/// Redacts paths and times in a text.
///
/// Each path is replaced by its name in square brackets, the longest path first; then timestamps
/// (`2026-11-20T10:00:00Z`) by `[time]`, and durations (`1.3 ms`, `20ms`, `4 s`) by `[duration]`.
pub fn redact(text: &str, places: &[(&Path, &str)]) -> String {
    let mut places: Vec<_> = places.iter().map(|(path, name)| (path.to_string_lossy(), name)).collect();
    places.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    let mut text = text.to_owned();
    for (path, name) in places {
        text = text.replace(&*path, &format!("[{name}]"));
    }
    redact_times(&text)
}

fn redact_times(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside_word = false;
    while let Some(c) = rest.chars().next() {
        let found = if inside_word || !c.is_ascii_digit() { None } else { time(rest) };
        if let Some((length, name)) = found {
            out.push_str(name);
            rest = &rest[length..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
        // Digits after a decimal point do not start a number.
        inside_word = c.is_alphanumeric() || matches!(c, '_' | '.');
    }
    out
}

/// Parses a time at the beginning of a text that begins with a digit: its length in bytes and its replacement.
fn time(text: &str) -> Option<(usize, &'static str)> {
    let word_end = |from: usize, inside: fn(char) -> bool| {
        text[from..].find(|c: char| !inside(c)).map_or(text.len(), |at| from + at)
    };
    let bytes = text.as_bytes();
    if bytes.len() > 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[10] == b'T' {
        return Some((word_end(0, |c| c.is_ascii_digit() || matches!(c, 'T' | 'Z' | ':' | '.' | '+' | '-')), "[time]"));
    }
    let number = word_end(0, |c| c.is_ascii_digit() || c == '.');
    let unit_start = number + usize::from(text[number..].starts_with(' '));
    let unit_end = word_end(unit_start, char::is_alphanumeric);
    matches!(&text[unit_start..unit_end], "ns" | "us" | "µs" | "ms" | "s").then_some((unit_end, "[duration]"))
}

/// Replaces the values of some fields, at any depth of a JSON value, by the field's name in square brackets.
pub fn redact_json(value: &mut serde_json::Value, fields: &[&str]) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if fields.contains(&name.as_str()) {
                    *member = format!("[{name}]").into();
                } else {
                    redact_json(member, fields);
                }
            }
        }
        serde_json::Value::Array(elements) => elements.iter_mut().for_each(|element| redact_json(element, fields)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_paths_are_replaced_and_nothing_else() {
        for (text, expected) in [
            ("took 1.3 ms, 20ms and 4 s", "took [duration], [duration] and [duration]"),
            ("at 2026-11-20T10:00:00.123Z: started", "at [time] started"),
            ("at 2026-11-20T10:00:00+01:00, done", "at [time], done"),
            ("/tmp/a/r/run and /tmp/a/x", "[home]/run and [sandbox]/x"),
            ("utf8 v1.2 5 symbols 10 KiB 3.5 x1 ms 7", "utf8 v1.2 5 symbols 10 KiB 3.5 x1 ms 7"),
            ("12 µs größer 2026-11-20", "[duration] größer 2026-11-20"),
            ("", ""),
        ] {
            let places = [(Path::new("/tmp/a"), "sandbox"), (Path::new("/tmp/a/r"), "home")];
            assert_eq!(redact(text, &places), expected, "{text:?}");
        }
    }

    #[test]
    fn fields_are_replaced_at_any_depth() {
        let mut value = serde_json::json!({"stats": {"took_ms": 3, "hits": 2}, "list": [{"took_ms": [1, 2]}]});
        redact_json(&mut value, &["took_ms"]);
        let expected =
            serde_json::json!({"stats": {"took_ms": "[took_ms]", "hits": 2}, "list": [{"took_ms": "[took_ms]"}]});
        assert_eq!(value, expected);
    }
}
