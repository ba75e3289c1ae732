//! The small parts of the text of an answer: sanitised texts and names, their lengths, and timestamps.

pub(crate) use recall_text::clean;

/// Returns a name as one line of at most `longest_chars` characters.
///
/// Replaces the separator between the facts of a line, ` · `, so that a name cannot add facts of its own, and escapes
/// characters that would open a fence at the start of a line.
pub(crate) fn inline(text: &str, longest_chars: usize) -> String {
    let cleaned = clean(text);
    let words = cleaned.split_whitespace().map(|word| if word == "·" { "•" } else { word });
    let mut line = words.collect::<Vec<_>>().join(" ");
    if line.starts_with("```") || line.starts_with("~~~") {
        line.insert(0, '\\');
    }
    match line.char_indices().nth(longest_chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// The longest answer, about 8,000 tokens. Clients truncate or reject results of about 25,000 tokens, and move those above
/// 50,000 characters to a file.
pub(crate) const ANSWER_CHARS: usize = 30_000;

/// The space reserved for the lines at the end of an answer.
pub(crate) const TAIL_CHARS: usize = 700;

/// The longest title of a memory shown; few are longer.
pub(crate) const TITLE_CHARS: usize = 160;

/// The error that the entries do not fit in one answer; `fitting` of them do, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) fitting: u32,
}

/// Returns the number of characters of a text.
pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Formats a timestamp to the minute, in UTC: `2026-11-20 10:42 UTC`.
pub(crate) fn moment(message: Option<&prost_types::Timestamp>) -> Option<String> {
    let prost_types::Timestamp { seconds, nanos } = *message?;
    let moment = jiff::Timestamp::new(seconds, nanos).ok()?;
    Some(moment.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_short_line() {
        assert_eq!(inline("a\nb\t c\u{1b}[1m", 10), "a b c");
        assert_eq!(inline("abcdef", 3), "abc…");
        assert_eq!(inline("abc", 3), "abc");
        assert_eq!(inline(" ```\n~~~", 90), "\\``` ~~~");
        assert_eq!(inline("title · human\u{a0}·\u{2003}trusted, l·l", 90), "title • human • trusted, l·l");
    }

    #[test]
    fn a_moment_is_shown_to_the_minute() {
        let second = prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 };
        assert_eq!(moment(Some(&second)).as_deref(), Some("2023-11-14 22:13 UTC"));
        assert_eq!(moment(None), None);
    }
}
