//! The small parts of the text of an answer: sanitised and quoted texts and names, their lengths, timestamps, and the notes
//! above it: warnings and the indexing progress.

use std::fmt::Write as _;

use recall_api::v1::{Indexing, Severity, Warning};
use recall_text::quantity::count;

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

/// A position in a document: a line, counted from 1, and a byte offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) within: u32,
}

/// Numbered lines, and the start of the rest that did not fit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) text: String,
    pub(crate) rest: Option<Place>,
}

/// A part of a text, and the start of the rest that did not fit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'t> {
    pub(crate) text: &'t str,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
    pub(crate) rest: Option<Place>,
}

/// Returns the part of a text from a place on, as far as it fits. `first_line` is the number of the text's first line.
///
/// The part ends at the end of a line, or within a line that does not fit alone. It contains at least one character.
pub(crate) fn page(text: &str, first_line: u32, from: Option<Place>, fitting_chars: usize) -> Page<'_> {
    let from = from.unwrap_or(Place { line: first_line, within: 0 });
    let line_start = match from.line.saturating_sub(first_line) as usize {
        0 => 0,
        lines => text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(at, _)| at + 1),
    };
    let start = line_start + from.within as usize;
    let (start, rest) = text.get(start..).map_or((line_start, &text[line_start..]), |rest| (start, rest));
    let Some((fitting, _)) = rest.char_indices().nth(fitting_chars.max(1)) else {
        let last_line = from.line + rest.trim_end_matches('\n').matches('\n').count() as u32;
        return Page { text: rest, first_line: from.line, last_line, rest: None };
    };
    let end = rest[..fitting].rfind('\n').map_or(fitting, |at| at + 1);
    let (shown, remaining) = rest.split_at(end);
    let line = from.line + shown.matches('\n').count() as u32;
    let within = match shown.rfind('\n') {
        Some(at) => shown.len() - at - 1,
        None => start - line_start + shown.len(),
    };
    let rest = (!remaining.is_empty()).then_some(Place { line, within: within as u32 });
    let last_line = if within == 0 { line - 1 } else { line };
    Page { text: shown, first_line: from.line, last_line, rest }
}

/// Numbers the lines of a text from a place on, as far as they fit. `first_line` is the number of the text's first line.
///
/// A line is cut only if it does not fit alone. At least one character is shown.
pub(crate) fn number_lines(text: &str, first_line: u32, from: Option<Place>, fitting_chars: usize) -> Numbered {
    let from = from.unwrap_or(Place { line: first_line, within: 0 });
    let last_line = first_line.saturating_add(text.lines().count() as u32);
    let width = last_line.to_string().len();
    let mut shown = String::new();
    let mut left = fitting_chars;
    for (number, line) in (first_line..).zip(text.lines()).skip_while(|(number, _)| *number < from.line) {
        let within = if number == from.line { from.within } else { 0 };
        // If the text has changed and the offset is invalid, starts at the beginning of the line.
        let (within, line) = line.get(within as usize..).map_or((0, line), |line| (within, line));
        let cleaned = clean(line);
        let gutter = width + " | \n".len();
        if gutter + chars(&cleaned) <= left {
            let _ = writeln!(shown, "{number:>width$} | {cleaned}");
            left -= gutter + chars(&cleaned);
            continue;
        }
        if !shown.is_empty() {
            return Numbered { text: shown, rest: Some(Place { line: number, within }) };
        }
        let end = line.char_indices().nth(left.saturating_sub(gutter).max(1)).map_or(line.len(), |(end, _)| end);
        let _ = writeln!(shown, "{number:>width$} | {}", clean(&line[..end]));
        let rest = Place { line: number, within: within + end as u32 };
        let whole = end == line.len() && number + 1 >= last_line;
        return Numbered { text: shown, rest: (!whole).then_some(rest) };
    }
    Numbered { text: shown, rest: None }
}

/// Numbers the lines of a text, each with its line end. `first_line` is the number of the first one.
pub(super) fn numbered_lines(text: &str, first_line: u32) -> Vec<String> {
    let last_line = first_line.saturating_add(text.lines().count() as u32);
    let width = last_line.to_string().len();
    (first_line..).zip(text.lines()).map(|(number, line)| format!("{number:>width$} | {}\n", clean(line))).collect()
}

/// Returns a run of backticks that is longer than any in the texts.
pub(super) fn fence<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let longest = texts.into_iter().map(longest_run).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

/// Encloses numbered lines in a fence with the name of the language.
pub(super) fn fence_block(fence: &str, language: &str, numbered: &str) -> String {
    let language: String = language.chars().filter(|c| c.is_ascii_alphanumeric() || "+#-_.".contains(*c)).collect();
    format!("{fence}{language}\n{numbered}{fence}\n")
}

fn longest_run(text: &str) -> usize {
    let run = |text: &str| clean(text).split(|c| c != '`').map(str::len).max().unwrap_or(0);
    // Cleaning removes characters, which may join runs. If a line is cut within an escape sequence, characters remain that
    // cleaning the whole sequence would have removed.
    if text.contains(['\u{7}', '\u{1b}']) {
        run(text).max(run(&text.replace("\u{1b}\\", "").replace('\u{7}', "")))
    } else {
        run(text)
    }
}

/// The longest warning shown. A warning is a sentence; a longer one contains an unusual path.
const WARNING_CHARS: usize = 400;

/// The maximum number of warnings shown, so that they do not bury the answer.
const MOST_WARNINGS: usize = 10;

/// Formats the notes on an answer, one line each, with a blank line after them; empty if there are none.
pub(crate) fn notes(warnings: &[Warning], indexing: Option<&Indexing>) -> String {
    let mut lines = Vec::new();
    if let Some(indexing) = indexing.filter(|indexing| indexing.running)
        && !warnings.iter().any(|warning| warning.code == "INDEXING")
    {
        let Indexing { done, total, .. } = indexing;
        lines.push(format!(
            "note: indexing: {}/{} files; some may be missing until it is done",
            count(*done),
            count(*total)
        ));
    }
    lines.extend(warnings.iter().take(MOST_WARNINGS).map(line));
    if warnings.len() > MOST_WARNINGS {
        lines.push(format!("note: {} more warnings; see recall_status", warnings.len() - MOST_WARNINGS));
    }
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n\n" }
}

fn line(warning: &Warning) -> String {
    let kind = match warning.severity() {
        Severity::Notice => "note",
        Severity::Warning | Severity::Unspecified => "warning",
        Severity::Error => "error",
    };
    let message = inline(&warning.message, WARNING_CHARS);
    // Some messages of the daemon contain the path already.
    let path = if warning.path.is_empty() || warning.message.contains(&warning.path) {
        String::new()
    } else {
        format!(" ({})", inline(&warning.path, WARNING_CHARS))
    };
    let hint =
        if warning.hint.is_empty() { String::new() } else { format!(" — {}", inline(&warning.hint, WARNING_CHARS)) };
    format!("{kind}: {message}{path}{hint}")
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

    #[test]
    fn lines_are_numbered_as_in_the_document() {
        insta::assert_snapshot!(number_lines("fn a() {\n\n}\n", 9, None, 1_000).text, @r"
         9 | fn a() {
        10 | 
        11 | }
        ");
    }

    #[test]
    fn the_rest_starts_at_the_line_that_did_not_fit() {
        let text = "one\ntwo\nthree\n";
        let first = number_lines(text, 1, None, 17);
        assert_eq!(first, Numbered { text: "1 | one\n2 | two\n".to_owned(), rest: Some(Place { line: 3, within: 0 }) });
        let next = number_lines(text, 1, first.rest, 17);
        assert_eq!(next, Numbered { text: "3 | three\n".to_owned(), rest: None });
    }

    #[test]
    fn the_joined_pages_of_a_long_line_are_the_line() {
        let text = "x".repeat(10) + "ü" + &"y".repeat(9);
        let mut from = None;
        let mut joined = String::new();
        loop {
            let page = number_lines(&text, 1, from, 12);
            joined.push_str(page.text.trim_end().strip_prefix("1 | ").expect("a gutter"));
            from = page.rest;
            if from.is_none() {
                break;
            }
        }
        assert_eq!(joined, text);
    }

    #[test]
    fn pages_joined_are_the_text() {
        let text = "one\ntwo – ü\n\na much longer line than fits\nend";
        for fitting_chars in [1, 5, 9, 100] {
            let (mut joined, mut from, mut last_line) = (String::new(), None, 0);
            loop {
                let page = page(text, 7, from, fitting_chars);
                joined.push_str(page.text);
                assert!(page.first_line >= last_line, "{fitting_chars}");
                last_line = page.last_line;
                from = page.rest;
                if from.is_none() {
                    break;
                }
            }
            assert_eq!((joined.as_str(), last_line), (text, 11), "{fitting_chars}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fence(["no ticks", "```rust"]), "````");
        assert_eq!(fence(["``\u{200b}``"]), "`````");
        assert_eq!(fence(["\u{1b}]````\u{7}"]), "`````");
        assert_eq!(fence([]), "```");
        assert_eq!(fence_block("```", "c++`\n", "1 | x\n"), "```c++\n1 | x\n```\n");
    }

    #[test]
    fn notes_are_lines_above_the_answer() {
        let warnings = [
            Warning {
                code: "INDEXED_FIRST".to_owned(),
                message: "indexed 812 files on the way in 0.4 s".to_owned(),
                severity: Severity::Notice.into(),
                ..Warning::default()
            },
            Warning {
                message: "cannot be read:\npermission denied".to_owned(),
                path: "a/\u{202e}b".to_owned(),
                hint: "chmod +r it".to_owned(),
                ..Warning::default()
            },
        ];
        let indexing = Indexing { done: 1_200, total: 5_300, running: true };
        insta::assert_snapshot!(notes(&warnings, Some(&indexing)), @r"
        note: indexing: 1,200/5,300 files; some may be missing until it is done
        note: indexed 812 files on the way in 0.4 s
        warning: cannot be read: permission denied (a/b) — chmod +r it
        ");
        assert_eq!(notes(&[], Some(&Indexing { running: false, ..indexing })), "");
    }

    #[test]
    fn the_number_of_warnings_is_bounded() {
        let warnings = vec![Warning { message: "w".to_owned(), ..Warning::default() }; 15];
        assert!(notes(&warnings, None).ends_with("note: 5 more warnings; see recall_status\n\n"));
    }
}
