//! Sanitising of text and names.

pub(crate) use recall_core::clean;

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
