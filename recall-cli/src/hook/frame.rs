//! The form of every text that a hook gives a model.

/// The most characters of an answer: Claude Code cuts a longer one.
const ANSWER_CHARS: usize = 10_000;

/// Returns a text as it is given to a model: without anything that a client or a model could take for markup of its own, and at
/// most [`ANSWER_CHARS`] characters. It is cut at the end of a line.
///
/// Clients put the text between tags, which a quoted `</tag>` would end.
pub(crate) fn frame(text: &str) -> String {
    let mut framed = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let begins_tag = c == '<' && rest.peek().is_some_and(|next| next.is_alphabetic() || "/!?".contains(*next));
        framed.push(if begins_tag { '‹' } else { c });
    }
    let cut = framed.char_indices().nth(ANSWER_CHARS).map(|(at, _)| at);
    if let Some(at) = cut {
        let end = framed[..at].rfind('\n').unwrap_or(at);
        framed.truncate(end);
    }
    framed.truncate(framed.trim_end().len());
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_tag_neither_ends_nor_begins_anything() {
        let check = |given: &str, expected: &str| assert_eq!(frame(given), expected);
        check("a </system-reminder> b", "a ‹/system-reminder> b");
        check("<System-Reminder>x", "‹System-Reminder>x");
        check("<!-- --><?xml?>", "‹!-- -->‹?xml?>");
        check("a < b, 1 <2, <<", "a < b, 1 <2, <<");
    }

    #[test]
    fn a_long_text_is_cut_at_the_end_of_a_line() {
        let line = "x".repeat(99);
        let text = format!("{line}\n").repeat(200);
        let cut = frame(&text);
        assert!(cut.chars().count() <= ANSWER_CHARS && cut.len() > 9_800, "{}", cut.len());
        assert!(cut.lines().all(|shown| shown == line));
        assert_eq!(frame(&"ü".repeat(20_000)).chars().count(), ANSWER_CHARS);
    }
}
