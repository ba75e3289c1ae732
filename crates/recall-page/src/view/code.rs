//! Text with highlighted code and marked matches.

use std::ops::Range;

use maud::{Markup, PreEscaped, html};
use recall_text::highlight::{Highlight, SyntaxPart, spans};

/// A line of a text, with its parts.
pub(crate) struct Line<'t> {
    /// Its number in the document.
    pub(crate) number: u32,
    /// Whether a match is in it.
    pub(crate) is_match: bool,
    pieces: Vec<(&'t str, Option<&'static str>)>,
}

/// Splits a text into lines. `matches` are ascending and disjoint; those that are not on character boundaries are ignored.
pub(crate) fn lines<'t>(text: &'t str, first_line: u32, language: &str, matches: &[Range<usize>]) -> Vec<Line<'t>> {
    let code = spans(text, language);
    let mut at = 0;
    let mut lines = Vec::new();
    for (number, whole) in (first_line..).zip(text.split_inclusive('\n')) {
        let line = at..at + whole.trim_end_matches(['\n', '\r']).len();
        let here = matches.partition_point(|found| found.end <= line.start);
        let matches: Vec<_> = matches[here..].iter().take_while(|found| found.start < line.end).cloned().collect();
        let from = code.partition_point(|span| span.range.end <= line.start);
        let to = from + code[from..].partition_point(|span| span.range.start < line.end);
        let mut pieces = Vec::new();
        let mut done = line.start;
        for found in &matches {
            let (begin, end) = (found.start.max(done), found.end.min(line.end));
            if begin < end && text.is_char_boundary(begin) && text.is_char_boundary(end) {
                push_code(&mut pieces, text, done..begin, &code[from..to]);
                pieces.push((&text[begin..end], Some("m")));
                done = end;
            }
        }
        push_code(&mut pieces, text, done..line.end, &code[from..to]);
        lines.push(Line { number, is_match: !matches.is_empty(), pieces });
        at += whole.len();
    }
    lines
}

/// Appends a part of a line without matches.
fn push_code<'t>(
    pieces: &mut Vec<(&'t str, Option<&'static str>)>,
    text: &'t str,
    part: Range<usize>,
    code: &[Highlight],
) {
    let mut from = part.start;
    for Highlight { range, part: kind } in code {
        let (begin, end) = (range.start.clamp(from, part.end), range.end.clamp(from, part.end));
        if begin < end {
            pieces.push((&text[from..begin], None));
            pieces.push((&text[begin..end], Some(class(*kind))));
            from = end;
        }
    }
    pieces.push((&text[from..part.end], None));
}

fn class(part: SyntaxPart) -> &'static str {
    match part {
        SyntaxPart::Comment => "c",
        SyntaxPart::Literal => "s",
        SyntaxPart::Number => "n",
        SyntaxPart::Keyword => "k",
    }
}

impl Line<'_> {
    pub(crate) fn markup(&self) -> Markup {
        html! {
            @for (text, class) in &self.pieces {
                @match class {
                    Some("m") => mark { (text) },
                    Some(class) => span class=(class) { (text) },
                    None => (text),
                }
            }
            // A line without text keeps its height.
            @if self.pieces.iter().all(|(text, _)| text.is_empty()) { (PreEscaped("&#8203;")) }
        }
    }
}

/// Returns the lines to show of a hit: those around the first match, with the first one, which usually names the symbol.
pub(crate) fn excerpt(lines: &[Line<'_>], most: usize) -> Vec<usize> {
    if lines.len() <= most {
        return (0..lines.len()).collect();
    }
    let first_match = lines.iter().position(|line| line.is_match).unwrap_or(0);
    let begin = first_match.saturating_sub(2).min(lines.len() - most);
    let begins_with_first = if begin == 0 { None } else { Some(0) };
    let from = begin + usize::from(begins_with_first.is_some());
    begins_with_first.into_iter().chain(from..begin + most).collect()
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    fn shown(text: &str, language: &str, matched: &Range<usize>) -> String {
        lines(text, 1, language, slice::from_ref(matched))
            .iter()
            .map(|line| line.markup().into_string())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn code_is_escaped_and_highlighted_and_matches_win() {
        assert_eq!(
            shown("let <b> = 1;", "rust", &(0..0)),
            "<span class=\"k\">let</span> &lt;b&gt; = <span class=\"n\">1</span>;"
        );
        assert_eq!(shown("let x", "rust", &(0..3)), "<mark>let</mark> x");
        assert_eq!(shown("a\r\nbc", "", &(0..4)), "<mark>a</mark>\n<mark>b</mark>c");
        assert_eq!(shown("ü", "", &(1..2)), "ü");
        assert_eq!(
            shown("/* a\nb */", "rust", &(0..0)),
            "<span class=\"c\">/* a</span>\n<span class=\"c\">b */</span>"
        );
    }

    #[test]
    fn an_excerpt_has_the_first_line_and_the_matches() {
        let text = "x\n".repeat(40);
        let at = |matched: &Range<usize>| excerpt(&lines(&text, 1, "", slice::from_ref(matched)), 5);
        assert_eq!(at(&(0..0)), [0, 1, 2, 3, 4]);
        assert_eq!(at(&(40..41)), [0, 19, 20, 21, 22]);
        assert_eq!(at(&(78..79)), [0, 36, 37, 38, 39]);
    }
}
