//! Headings of prose texts.

use std::ops::Range;

use super::Markup;
use crate::lines::{self, Lines};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// Its lines, including any underline and overline.
    pub(super) lines: Range<usize>,
    /// 1 for the outermost.
    pub(super) level: usize,
    pub(super) title: String,
    /// The heading of the enclosing section.
    pub(super) parent: Option<usize>,
}

/// Finds the headings from line `from` on, in order.
pub(super) fn find(lines: &Lines<'_>, markup: Markup, from: usize) -> Vec<Heading> {
    /// A text with more headings is a log or a table. Each heading costs a symbol.
    const MAX: usize = 10_000;
    let mut found: Vec<Heading> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut marks: Vec<Mark> = Vec::new();
    let mut fence = None;
    let mut line = from;
    while line < lines.len() && found.len() < MAX {
        let text = lines.get(line);
        let before = fence;
        if matches!(markup, Markup::Markdown) {
            fence = lines::fence_after(fence, text);
        }
        let heading = if before.is_some() || fence.is_some() { None } else { at(lines, markup, line, &mut marks) };
        let Some((range, level, title)) = heading else {
            line += 1;
            continue;
        };
        line = range.end;
        while open.last().is_some_and(|&index| found[index].level >= level) {
            open.pop();
        }
        let parent = open.last().copied();
        open.push(found.len());
        found.push(Heading { lines: range, level, title, parent });
    }
    found
}

/// The heading that begins at a line: its lines, level and title.
fn at(lines: &Lines<'_>, markup: Markup, line: usize, marks: &mut Vec<Mark>) -> Option<(Range<usize>, usize, String)> {
    let text = lines.get(line);
    if text.len() > 400 {
        return None;
    }
    let (level, title) = match markup {
        Markup::Markdown => match leading(text.trim_start_matches(' '), '#', 6) {
            Some((level, rest)) if lines.indent(line) < 4 => (level, rest.trim_end_matches('#')),
            _ => return setext(lines, line),
        },
        Markup::AsciiDoc => leading(text, '=', 6)?,
        Markup::Org => leading(text, '*', 8)?,
        Markup::RestructuredText => return underline_level(lines, line, marks, MARKS),
        Markup::Plain => return underline_level(lines, line, marks, &['=', '-']),
    };
    let title = plain(title);
    (!title.is_empty()).then_some((line..line + 1, level, title))
}

/// `## Title`: the mark repeated once per level, then white space.
fn leading(text: &str, mark: char, deepest: usize) -> Option<(usize, &str)> {
    let rest = text.trim_start_matches(mark);
    let level = text.len() - rest.len();
    ((1..=deepest).contains(&level) && rest.starts_with([' ', '\t'])).then_some((level, rest))
}

/// Markdown's underlined headings: one line of text, then `===` or `---`.
fn setext(lines: &Lines<'_>, line: usize) -> Option<(Range<usize>, usize, String)> {
    let is_alone = line == 0 || lines.is_blank(line - 1);
    let text = lines.get(line);
    if !is_alone || line + 1 >= lines.len() || text.trim().is_empty() || lines.indent(line) >= 4 {
        return None;
    }
    if text.trim_start().starts_with(['-', '*', '+', '>', '|', '<', '`']) {
        return None;
    }
    let (mark, _) = rule(lines.get(line + 1), 2)?;
    let level = match mark {
        '=' => 1,
        '-' => 2,
        _ => return None,
    };
    Some((line..line + 2, level, plain(text)))
}

/// The underline characters of reStructuredText.
const MARKS: &[char] = &['=', '-', '~', '^', '"', '\'', '`', '#', '*', '+', '.', ':', '_', '<', '>'];

/// The mark of a heading level.
#[derive(PartialEq, Eq)]
struct Mark {
    mark: char,
    is_overlined: bool,
}

/// An underlined title, with or without an overline. The order in which marks first occur gives their levels.
fn underline_level(
    lines: &Lines<'_>,
    line: usize,
    marks: &mut Vec<Mark>,
    allowed: &[char],
) -> Option<(Range<usize>, usize, String)> {
    let is_mark = |text: &str| rule(text, 3).filter(|(mark, _)| allowed.contains(mark));
    let (title, end) = match is_mark(lines.get(line)) {
        Some(_) if line + 2 < lines.len() && is_mark(lines.get(line + 2)).is_some() => (line + 1, line + 3),
        Some(_) => return None,
        None => (line, line + 2),
    };
    let text = lines.get(title).trim();
    if end > lines.len() || text.is_empty() || (end == line + 2 && lines.indent(title) > 0) {
        return None;
    }
    let (mark, length) = is_mark(lines.get(end - 1))?;
    // A shorter line belongs to a table or is a rule. One character of tolerance allows for wide letters.
    if length + 1 < text.chars().count() {
        return None;
    }
    let mark = Mark { mark, is_overlined: end == line + 3 };
    let level = marks.iter().position(|known| *known == mark).unwrap_or_else(|| {
        marks.push(mark);
        marks.len() - 1
    });
    Some((line..end, level + 1, plain(text)))
}

/// A line that repeats one mark at least `least` times.
fn rule(line: &str, least: usize) -> Option<(char, usize)> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= least && line.chars().all(|c| c == mark)).then_some((mark, line.len()))
}

/// The title without marks for emphasis, code, anchors and links.
fn plain(title: &str) -> String {
    let mut text = title.trim();
    if let Some(anchor) = text.rfind("{#").filter(|_| text.ends_with('}')) {
        text = text[..anchor].trim_end();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let link = rest[open..].split_once("](").and_then(|(label, tail)| Some((label, tail.split_once(')')?.1)));
        let Some((label, tail)) = link else { break };
        plain.push_str(&rest[..open]);
        plain.push_str(label.trim_start_matches(['[', '!']));
        rest = tail;
    }
    plain.push_str(rest);
    plain.retain(|c| !matches!(c, '`' | '*'));
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markup: Markup, text: &str, expected: &[(usize, &str, Option<usize>)]) {
        let found = find(&Lines::new(text), markup, 0);
        let found: Vec<_> = found.iter().map(|h| (h.level, h.title.as_str(), h.parent)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn headings_of_every_markup_are_found() {
        check(
            Markup::Markdown,
            "# A `b` [c](d.md) #\n\n## B {#b}\n\nC\n--\n\nD\n==\n### E\n#no\n",
            &[(1, "A b c", None), (2, "B", Some(0)), (2, "C", Some(0)), (1, "D", None), (3, "E", Some(3))],
        );
        check(
            Markup::RestructuredText,
            "=====\nTitle\n=====\n\nOne\n---\n\ntext\n\nTwo\n---\n\n===== ===\n",
            &[(1, "Title", None), (2, "One", Some(0)), (2, "Two", Some(0))],
        );
        check(Markup::AsciiDoc, "= A\n\n== B\n", &[(1, "A", None), (2, "B", Some(0))]);
        check(Markup::Org, "* A\n** B\n", &[(1, "A", None), (2, "B", Some(0))]);
        check(Markup::Plain, "Title\n=====\n\ntext\n", &[(1, "Title", None)]);
    }

    #[test]
    fn a_heading_in_a_fence_is_code() {
        check(Markup::Markdown, "```sh\n# comment\n```\n# A\n", &[(1, "A", None)]);
    }

    #[test]
    fn lists_and_rules_are_not_headings() {
        check(Markup::Markdown, "- a\n---\n\n---\n\n| a |\n|---|\n\ntext\ntext\n---\n", &[]);
    }
}
