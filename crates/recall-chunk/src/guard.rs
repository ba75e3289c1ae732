//! Detection of texts that could hang or crash a parser.
//!
//! A parser spends all its time on a million brackets. Some grammars' scanners write their state into a buffer of 1,024
//! bytes without a bounds check, or read past the end of a table, which aborts the process. One pass over the bytes
//! finds such texts before a parser sees them.

use std::collections::HashSet;

/// The deepest nesting of brackets that is parsed. Generated code and data reach a few hundred levels. Brackets in
/// strings and comments count too, because telling them apart takes a parser. Unmatched closing brackets do not count.
const MAX_DEPTH: u32 = 1_000;

/// State that a grammar's scanner keeps, or a table that it reads, without a bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hazard {
    /// None, or the scanner checks its bounds.
    None,
    /// The columns of open blocks.
    Columns {
        /// The number of distinct columns allowed.
        max: usize,
    },
    /// Type arguments, kept once for each way to read `a < b`: with `n` of them open the parser takes about `n²` bytes.
    Angles,
    /// The words of open heredocs and the literals around nested interpolations, five bytes each.
    Heredocs,
    /// No state, but the scanner calls C's `isdigit`, whose table has 256 entries, for the character after the brace of
    /// `{1..9}`: <https://github.com/tree-sitter/tree-sitter-bash/issues/337>.
    Digits,
}

/// The reason why a text is not parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Rejection {
    #[error("brackets are nested too deeply")]
    Nesting,
    #[error("blocks begin at too many columns")]
    Columns,
    #[error("type arguments are nested too deeply")]
    Angles,
    #[error("too many heredocs or interpolations are open at once")]
    Heredocs,
    #[error("a brace is followed by a character beyond Latin-1")]
    Digits,
}

/// Returns the reason not to parse a text, if there is one.
pub(crate) fn rejection(text: &str, hazard: Hazard) -> Option<Rejection> {
    match hazard {
        _ if nests_deeper(text, MAX_DEPTH) => Some(Rejection::Nesting),
        Hazard::Columns { max } if columns_exceed(text, max) => Some(Rejection::Columns),
        Hazard::Angles if angles_exceed(text) => Some(Rejection::Angles),
        Hazard::Heredocs if heredocs_exceed(text) => Some(Rejection::Heredocs),
        Hazard::Digits if digits_exceed(text) => Some(Rejection::Digits),
        Hazard::None | Hazard::Columns { .. } | Hazard::Angles | Hazard::Heredocs | Hazard::Digits => None,
    }
}

fn nests_deeper(text: &str, max: u32) -> bool {
    let mut depth = 0_u32;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > max
    })
}

/// Whether more `<` are open than nested types explain, within one statement or block.
fn angles_exceed(text: &str) -> bool {
    const MAX: u32 = 200;
    let mut open = 0_u32;
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, &byte)| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        match byte {
            b';' | b'{' | b'}' => open = 0,
            // Shifts, comparisons and arrows open no type arguments.
            b'<' if before != Some(b'<') && !matches!(bytes.get(at + 1), Some(b'<' | b'=' | b'-')) => open += 1,
            b'>' if !matches!(before, Some(b'-' | b'=')) => open = open.saturating_sub(1),
            _ => {}
        }
        open > MAX
    })
}

/// Whether blocks begin at more than `max` columns: at the first character of a line, or after `- `, `? ` and `: `.
fn columns_exceed(text: &str, max: usize) -> bool {
    let mut columns = HashSet::new();
    for line in text.lines() {
        let mut rest = line.trim_start();
        loop {
            columns.insert(line.len() - rest.len());
            let Some(rest_of_line) = rest.strip_prefix(['-', '?', ':']) else { break };
            let next = rest_of_line.trim_start();
            if next.len() == rest_of_line.len() || next.is_empty() || columns.len() > max {
                break;
            }
            rest = next;
        }
        if columns.len() > max {
            return true;
        }
    }
    false
}

/// Whether the state of Ruby's scanner could exceed its buffer. The state holds the heredocs of one line for each
/// interpolation left open at the end of a line, and the literals around nested interpolations.
fn heredocs_exceed(text: &str) -> bool {
    /// Together at most 4 × 100 + 5 × 100 + 2 bytes.
    const MAX_WORD_BYTES_PER_LINE: usize = 100;
    const MAX_OPEN_INTERPOLATIONS: usize = 3;
    const MAX_LITERAL_DEPTH: u32 = 100;

    if nests_deeper(text, MAX_LITERAL_DEPTH) {
        return true;
    }
    let mut braces: Vec<Brace> = Vec::new();
    for line in text.lines() {
        let mut word_bytes = 0;
        let bytes = line.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b'{' if at > 0 && bytes[at - 1] == b'#' => braces.push(Brace::Interpolation),
                b'{' => braces.push(Brace::Block),
                b'}' => drop(braces.pop()),
                b'<' if at > 0 && bytes[at - 1] == b'<' => word_bytes += heredoc_bytes(&bytes[at + 1..]),
                _ => {}
            }
        }
        let open = braces.iter().filter(|brace| **brace == Brace::Interpolation).count();
        if word_bytes > MAX_WORD_BYTES_PER_LINE || open > MAX_OPEN_INTERPOLATIONS {
            return true;
        }
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    Block,
    Interpolation,
}

/// The bytes that a heredoc takes in the buffer, given the text after `<<`. 0 if none begins there.
fn heredoc_bytes(rest: &[u8]) -> usize {
    let rest = rest.strip_prefix(b"~").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
    let quote = rest.first().copied().filter(|quote| matches!(quote, b'"' | b'\'' | b'`'));
    let length = match quote {
        Some(quote) => rest[1..].iter().take_while(|&&byte| byte != quote).count(),
        None => rest.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80).count(),
    };
    if length == 0 { 0 } else { length + 4 }
}

/// Whether a character beyond Latin-1 follows a brace and any digits and dots after it.
fn digits_exceed(text: &str) -> bool {
    text.split('{').skip(1).any(|after| {
        let after = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        after.starts_with(|c: char| c > '\u{FF}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Hazard = Hazard::Columns { max: 100 };

    fn check(text: &str, hazard: Hazard, expected: Option<Rejection>) {
        assert_eq!(rejection(text, hazard), expected, "{} bytes for {hazard:?}", text.len());
    }

    #[test]
    fn only_extreme_nesting_is_rejected() {
        check(&("(".repeat(500) + &")".repeat(500)), Hazard::None, None);
        check(&"()".repeat(10_000), Hazard::None, None);
        check(&")".repeat(10_000), Hazard::None, None);
        check(&"{(".repeat(600), Hazard::None, Some(Rejection::Nesting));
        check("", Hazard::None, None);
    }

    #[test]
    fn too_many_block_columns_are_rejected() {
        check(&"- a: 1\n  b: 2\n".repeat(1_000), COLUMNS, None);
        check(&"- ".repeat(99), COLUMNS, None);
        check(&"- ".repeat(200), COLUMNS, Some(Rejection::Columns));
        check(&format!("a: {}", "x - ".repeat(300)), COLUMNS, None);
        let stairs: Vec<String> = (0..150).map(|level| " ".repeat(level) + "a:\n").collect();
        check(&stairs.concat(), COLUMNS, Some(Rejection::Columns));
    }

    #[test]
    fn too_deeply_nested_types_are_rejected() {
        check(&"if (a < b && c <= d) { x << 1; }\n".repeat(1_000), Hazard::Angles, None);
        check(&"Map<String, List<Integer>> a;\n".repeat(1_000), Hazard::Angles, None);
        check(&"a<b<\n".repeat(200), Hazard::Angles, Some(Rejection::Angles));
    }

    #[test]
    fn too_many_open_heredocs_are_rejected() {
        check(&"x = <<~SQL\n  select 1\nSQL\n".repeat(1_000), Hazard::Heredocs, None);
        check(&"array << value << \"b\"\n".repeat(1_000), Hazard::Heredocs, None);
        check(&format!("<<{}\n", "A".repeat(1_019)), Hazard::Heredocs, Some(Rejection::Heredocs));
        check(&"<<A,".repeat(100), Hazard::Heredocs, Some(Rejection::Heredocs));
        check(&"<<~A\n#{\n".repeat(10), Hazard::Heredocs, Some(Rejection::Heredocs));
        check(&"\"#{".repeat(101), Hazard::Heredocs, Some(Rejection::Heredocs));
    }

    #[test]
    fn a_brace_before_a_wide_character_is_rejected() {
        check("echo {1..9} {é} { 漢; } ${a:-漢} {", Hazard::Digits, None);
        for text in ["{漢", "{1漢", "{1..漢", "{{1..9漢"] {
            check(text, Hazard::Digits, Some(Rejection::Digits));
        }
    }
}
