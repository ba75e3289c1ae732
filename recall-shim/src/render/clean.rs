//! Takes out of a text what is not seen or moves what is seen.

pub(crate) use recall_core::clean;

/// The text on one line and no longer than that many characters, for names.
///
/// The mark between the facts of a line, ` · `, becomes another, so that no name brings facts of its own, and what would open
/// a fence at the beginning of a line is escaped.
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
}
