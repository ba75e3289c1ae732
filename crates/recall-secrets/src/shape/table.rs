//! Values in the columns of tables: of Markdown, of comma-separated files and of aligned listings.

use std::ops::Range;

use super::name::{keeps_secret, makes_public};
use super::{is_word, run};

/// The longest line that is taken for the head of a table.
const MOST_HEAD_BYTES: usize = 512;

/// The most rows of a table that are looked at, and the most bytes of them.
const MOST_ROWS: usize = 64;
const MOST_BYTES: usize = 16 * 1024;

/// Returns the cells below the head that contains the keyword, without the marks around them; none if it is not the head of a
/// table.
pub(crate) fn column(text: &str, keyword: &Range<usize>) -> Vec<Range<usize>> {
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_HEAD_BYTES));
    let start = text[from..keyword.start].rfind('\n').map_or(from, |at| from + at + 1);
    let length = run(text, keyword.end, MOST_HEAD_BYTES, |byte| byte != b'\n');
    let end = keyword.end + length;
    if text.as_bytes().get(end) != Some(&b'\n') || !text.is_char_boundary(end) {
        return Vec::new();
    }
    let (head, rest) = (&text[start..end], &text[end + 1..text.floor_char_boundary(end + 1 + MOST_BYTES)]);
    let Some(separator) = separator(head, rest) else { return Vec::new() };
    let place = head[..keyword.start - start].matches(separator).count();
    let name = trim(head.split(separator).nth(place).unwrap_or_default());
    let at = keyword.start - start;
    let is_name = name.bytes().all(|byte| is_word(byte) || matches!(byte, b' ' | b'-'));
    let word = run(head, at, keyword.len(), |byte| is_word(byte) || byte == b'-');
    let suffix = run(head, at + word, name.len(), |byte| is_word(byte) || byte == b'-');
    let before = at - head[..at].bytes().rev().take_while(|byte| is_word(*byte) || *byte == b'-').count();
    let denotes_secret =
        keeps_secret(&head[at..at + word], &head[at + word..at + word + suffix]) && !makes_public(&head[before..at]);
    if !is_name || !denotes_secret {
        return Vec::new();
    }
    let mut cells = Vec::new();
    let mut at = end + 1;
    let columns = head.matches(separator).count();
    for row in rest.split_inclusive('\n').take(MOST_ROWS) {
        if row.matches(separator).count() != columns {
            break;
        }
        let before: usize = row.split(separator).take(place).map(|cell| cell.len() + 1).sum();
        let cell = row.split(separator).nth(place).unwrap_or_default();
        let value = trim(cell);
        if !value.is_empty() {
            let start = at + before + (value.as_ptr() as usize - cell.as_ptr() as usize);
            cells.push(start..start + value.len());
        }
        at += row.len();
    }
    cells
}

/// Trims blanks, quotes and marks.
fn trim(cell: &str) -> &str {
    cell.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"' | '\''))
}

/// Returns what separates the cells of a table with this head; `None` if it is not one.
fn separator(head: &str, rest: &str) -> Option<char> {
    let next = rest.lines().next()?;
    if head.contains('|') {
        let is_rule = next.contains("--") && next.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'+'));
        return is_rule.then_some('|');
    }
    [',', ';', '\t'].into_iter().find(|separator| is_head(head, next, *separator))
}

/// Returns whether a line is a list of names, and the next one has as many cells.
fn is_head(head: &str, next: &str, separator: char) -> bool {
    let is_plain = |byte: u8| is_word(byte) || matches!(byte, b'-' | b' ');
    let is_name = |cell: &str| (1..=40).contains(&cell.len()) && cell.bytes().all(is_plain);
    let columns = head.matches(separator).count();
    columns > 0 && next.matches(separator).count() == columns && head.split(separator).map(trim).all(is_name)
}
