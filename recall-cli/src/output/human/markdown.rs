//! Markdown for a terminal: headings, emphasis, lists, quotations and code by styles, without the marks of the source.
//!
//! Tables and HTML are shown as they are written: a terminal shows the source of a table better than most layouts of it.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::Style;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::excerpt::Marked;
use super::style::{DIM, MATCH, STRONG, SYMBOL};
use super::text::{columns, printable};

/// A line of text in pieces, each with its style and safe for a terminal.
pub(crate) type StyledLine = Vec<(String, Style)>;

/// The least columns that a nested list or quotation leaves for its text.
const LEAST: usize = 16;

/// Renders a text in lines of at most `width` columns, except for code, which is not wrapped. `matches` are byte ranges of the
/// text, which are highlighted in prose.
pub(crate) fn lines(text: &str, matches: &[Range<usize>], width: usize) -> Vec<StyledLine> {
    let mut page = Page { width, matches, ..Page::default() };
    for (event, range) in
        Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS).into_offset_iter()
    {
        page.take(event, range);
    }
    page.end_line();
    while page.lines.last().is_some_and(Vec::is_empty) {
        page.lines.pop();
    }
    page.lines
}

/// The widest prose: longer lines are hard to read.
const WIDEST: usize = 100;

/// Renders a text for a terminal of `width` columns.
pub(crate) fn render(text: &str, width: usize) -> String {
    let mut shown = String::new();
    for line in lines(text, &[], width.min(WIDEST)) {
        for (piece, style) in line {
            let _ = write!(shown, "{style}{piece}{style:#}");
        }
        shown.push('\n');
    }
    shown
}

#[derive(Default)]
struct Page<'m> {
    width: usize,
    matches: &'m [Range<usize>],
    lines: Vec<StyledLine>,
    /// The words of the line that is being filled.
    current: StyledLine,
    taken: usize,
    /// The styles of the elements around the text.
    styles: Vec<Style>,
    /// What begins each line of the elements around the text: the indentation of lists, the bar of quotations.
    margins: Vec<String>,
    /// The numbers of the lists around the text; `None` for one without numbers.
    lists: Vec<Option<u64>>,
    /// What the next line begins with instead of the innermost margin: the mark of a list item.
    bullet: Option<String>,
    /// The language and the text of a block of code.
    code: Option<(String, String)>,
}

impl Page<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, range, Style::new()),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, range, SYMBOL),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, range, DIM),
            Event::SoftBreak if self.is_row() => self.end_line(),
            Event::SoftBreak => self.words(" ", Style::new()),
            Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.end_line();
                self.words("───", DIM);
                self.end_block();
            }
            Event::TaskListMarker(is_done) => self.words(if is_done { "[x] " } else { "[ ] " }, Style::new()),
            Event::FootnoteReference(name) => self.words(&format!("[{name}]"), DIM),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } | Tag::Strong => self.styles.push(STRONG),
            Tag::Emphasis => self.styles.push(Style::new().italic()),
            Tag::Strikethrough => self.styles.push(Style::new().strikethrough()),
            Tag::BlockQuote(_) => self.margins.push("│ ".to_owned()),
            Tag::List(first) => {
                self.end_line();
                self.lists.push(first);
            }
            Tag::Item => {
                self.end_line();
                let bullet = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.margins.push(" ".repeat(columns(&bullet)));
                self.bullet = Some(bullet);
            }
            Tag::CodeBlock(kind) => {
                self.end_line();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => {
                        language.split_whitespace().next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.margins.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.end_block();
            }
            TagEnd::Item => {
                self.end_line();
                self.margins.pop();
                self.bullet = None;
            }
            TagEnd::CodeBlock => self.end_code(),
            _ => {}
        }
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let marked = Marked { text: &code, first_line: 1, matches: &[], language: Some(&language) };
        for (_, mut pieces) in marked.styled_lines() {
            let margin = self.margin() + "  ";
            let is_blank = pieces.iter().all(|(piece, _)| piece.is_empty());
            pieces.insert(0, (if is_blank { margin.trim_end().to_owned() } else { margin }, Style::new()));
            self.lines.push(pieces);
        }
        self.end_block();
    }

    /// Appends a text whose source is at `range`, with its matches highlighted.
    fn text(&mut self, text: &str, range: Range<usize>, style: Style) {
        // The source of an escaped or coded text is longer than the text; its matches cannot be placed.
        let is_literal = range.len() == text.len();
        let mut from = 0;
        for found in
            self.matches.iter().filter(|found| is_literal && range.start <= found.start && found.end <= range.end)
        {
            let (begin, end) = (found.start - range.start, found.end - range.start);
            if begin >= from && text.is_char_boundary(begin) && text.is_char_boundary(end) {
                self.words(&text[from..begin], style);
                self.words(&text[begin..end], MATCH);
                from = end;
            }
        }
        self.words(&text[from..], style);
    }

    /// Appends words, and begins a new line where one does not fit.
    fn words(&mut self, text: &str, style: Style) {
        let style = self.styles.iter().fold(style, |style, outer| merge(style, *outer));
        for word in text.split_inclusive([' ', '\n']) {
            let mut shown = printable(word).into_owned();
            if self.taken + columns(shown.trim_end()) > self.width.max(LEAST) {
                self.break_line();
            }
            if self.current.is_empty() {
                shown.truncate(shown.trim_end_matches('\n').len());
                shown.drain(..shown.len() - shown.trim_start().len());
                let margin = self.margin();
                self.taken = columns(&margin);
                self.current.push((margin, DIM));
            }
            self.taken += columns(&shown);
            self.current.push((shown, style));
            if word.ends_with('\n') {
                self.end_line();
            }
        }
    }

    /// Begins a new line after the last space, with the pieces of the word that stands there. The first piece is the margin.
    fn break_line(&mut self) {
        let space = self.current.iter().rposition(|(piece, _)| piece.ends_with(' '));
        let Some(space) = space.filter(|&space| space > 0) else { return };
        let word = self.current.split_off(space + 1);
        self.end_line();
        if !word.is_empty() {
            let margin = self.margin();
            self.taken = columns(&margin) + word.iter().map(|(piece, _)| columns(piece)).sum::<usize>();
            self.current = [vec![(margin, DIM)], word].concat();
        }
    }

    /// Returns whether the line is a row of a table.
    fn is_row(&self) -> bool {
        self.current.get(1).is_some_and(|(first, _)| first.starts_with('|'))
    }

    /// Returns what the next line begins with.
    fn margin(&mut self) -> String {
        let Some(bullet) = self.bullet.take() else { return self.margins.concat() };
        let outer = self.margins.len().saturating_sub(1);
        self.margins[..outer].concat() + &bullet
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.current);
        if let Some((last, _)) = line.last_mut() {
            last.truncate(last.trim_end().len());
        }
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    /// Ends a block. A blank line follows, but not within a list.
    fn end_block(&mut self) {
        self.end_line();
        if self.lists.is_empty() && self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(Vec::new());
        }
    }
}

/// Adds the style of an outer element to that of an inner one, whose colour wins.
fn merge(inner: Style, outer: Style) -> Style {
    inner.fg_color(inner.get_fg_color().or(outer.get_fg_color())).effects(inner.get_effects() | outer.get_effects())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, width: usize) -> String {
        let lines = lines(text, &[], width);
        let line = |line: &StyledLine| line.iter().map(|(piece, _)| piece.as_str()).collect::<String>() + "\n";
        lines.iter().map(line).collect()
    }

    #[test]
    fn marks_of_the_source_are_not_shown() {
        let text = "# Retries\n\nUse `backoff` with **jitter**,\nnot [a loop](https://example.org).\n\n- first\n  - nested\n- \
                    second\n\n1. one\n2. two\n\n> quoted words\n\n```rust\nlet a = 1;\n\nlet b = 2;\n```\n\n- [x] done\n";
        insta::assert_snapshot!(plain(text, 60), @r"
        Retries

        Use backoff with jitter, not a loop.

        • first
          • nested
        • second

        1. one
        2. two

        │ quoted words

          let a = 1;

          let b = 2;

        • [x] done
        ");
    }

    #[test]
    fn lines_are_wrapped_between_words_with_their_margin() {
        insta::assert_snapshot!(plain("- one two three four five six\n\nseven eight nine ten eleven", 18), @r"
        • one two three
          four five six

        seven eight nine
        ten eleven
        ");
        let pieces = "one two three (`src/session.rs`, **bold**), and so on";
        assert_eq!(plain(pieces, 24), "one two three\n(src/session.rs, bold),\nand so on\n");
        assert_eq!(plain("(`a_name_that_has_no_space`)", 16), "(a_name_that_has_no_space)\n");
    }

    #[test]
    fn a_table_is_shown_as_it_is_written_and_any_text_is_safe() {
        let table = "> | a | b |\n> |---|---|\n> | 1 | `2` |";
        assert_eq!(plain(table, 60), "│ | a | b |\n│ |---|---|\n│ | 1 | 2 |\n");
        for text in ["", "\u{1b}[31mred", "```", "> - 1. `", "<b>x</b>", "&amp; \\*", "\n\n\n", "#"] {
            let shown = plain(text, 3);
            assert!(!shown.contains('\u{1b}'), "{shown:?}");
        }
    }

    #[test]
    fn styles_are_those_of_the_elements_and_of_the_matches() {
        let text = "A `lock` is **held**.";
        let all: Vec<_> = lines(text, &[3..7, 14..18], 60).concat();
        let style_of = |word: &str| all.iter().find(|(piece, _)| piece == word).map(|(_, style)| *style);
        assert_eq!(style_of("held"), Some(merge(MATCH, STRONG)));
        assert_eq!(style_of("lock"), Some(SYMBOL), "the source of code is longer than its text");
    }
}
