//! State of fenced code blocks, line by line.

/// The fence that is open after a line, given the one that is open before it.
///
/// A fence is a run of three or more `` ` `` or `~`. A run of the same character that is at least as long, with nothing
/// after it, closes it.
pub(crate) fn after<'a>(open: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    // Fences in lists are indented further than the three spaces allowed at the top level.
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    let run = mark.map_or("", |mark| &line[..line.len() - line.trim_start_matches(mark).len()]);
    let rest = &line[run.len()..];
    match open {
        Some(fence) if run.starts_with(fence) && rest.trim().is_empty() => None,
        Some(fence) => Some(fence),
        None if run.len() >= 3 && !(run.starts_with('`') && rest.contains('`')) => Some(run),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_fence_is_closed_by_its_own_kind_only() {
        for (open, line, expected) in [
            (None, "text", None),
            (None, "```rust", Some("```")),
            (None, "    ~~~~", Some("~~~~")),
            (None, "```inline``` code", None),
            (Some("```"), "~~~", Some("```")),
            (Some("```"), "```rust", Some("```")),
            (Some("```"), "````  ", None),
            (Some("````"), "```", Some("````")),
        ] {
            assert_eq!(super::after(open, line), expected, "{open:?} {line:?}");
        }
    }
}
