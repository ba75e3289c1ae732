//! How is a text cut about which nothing is known?

use std::ops::Range;

use recall_core::{Chunk, ChunkKind, tokens};

use crate::lines::Lines;

/// The most lines of a window: what fits a tall screen, and what the tokens of dense text allow anyway.
const MOST_LINES: usize = 100;
/// The lines that a window repeats of the one before, so that what straddles a cut is whole in one of them.
const OVERLAP_LINES: usize = 10;
/// How far back from a full window a blank line is looked for to cut at: a third keeps windows from getting small.
const BLANK_SEARCH_DIVISOR: usize = 3;

/// Cuts a text in windows of at most 100 lines and `max_tokens`, at blank lines where there are some.
///
/// A window that a blank line ends is whole, and the next begins behind it; one that was cut between two lines that are
/// not blank is overlapped by the next by at most 10 lines. A line over the limit is cut by itself; see
/// [`pieces_of_line`].
pub(crate) fn cut(lines: &Lines<'_>, max_tokens: u32) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if lines.is_blank(at) {
            at += 1;
            continue;
        }
        if lines.tokens(&(at..at + 1)) > max_tokens {
            for piece in pieces_of_line(lines, at, max_tokens) {
                push(lines, &mut chunks, lines.span_of_bytes(piece.start, piece.end));
            }
            at += 1;
            continue;
        }
        let full = longest_window(lines, at, max_tokens);
        let cut = cut_before(lines, at, full);
        let window = lines.trim(at..cut);
        push(lines, &mut chunks, lines.span(&window));
        at = if is_gap(lines, cut) || lines.tokens(&(cut..cut + 1)) > max_tokens {
            cut
        } else {
            overlap_start(lines, at, cut, max_tokens)
        };
    }
    chunks
}

/// The line behind the most lines from `at` that fit a window; at least one line.
fn longest_window(lines: &Lines<'_>, at: usize, max_tokens: u32) -> usize {
    let mut end = at + 1;
    while end < lines.len() && end - at < MOST_LINES && lines.tokens(&(at..end + 1)) <= max_tokens {
        end += 1;
    }
    end
}

/// Where to cut a window that could reach to `full`: behind the last blank line of its last third, else at `full`.
fn cut_before(lines: &Lines<'_>, at: usize, full: usize) -> usize {
    if full == lines.len() {
        return full;
    }
    let earliest = full - (full - at) / BLANK_SEARCH_DIVISOR;
    (earliest..=full).rev().find(|&line| line > at && lines.is_blank(line - 1)).unwrap_or(full)
}

/// Whether a cut before this line goes through no paragraph: a blank line or the text's end is on one side of it.
fn is_gap(lines: &Lines<'_>, cut: usize) -> bool {
    cut == lines.len() || lines.is_blank(cut - 1) || lines.is_blank(cut)
}

/// Where the window behind a cut begins: up to 10 lines back, never further than half of either window.
fn overlap_start(lines: &Lines<'_>, at: usize, cut: usize, max_tokens: u32) -> usize {
    let mut start = cut;
    while start > at + 1
        && cut - start < OVERLAP_LINES.min((cut - at) / 2)
        && lines.tokens(&(start - 1..cut)) <= max_tokens / 2
        && lines.tokens(&(start - 1..cut + 1)) <= max_tokens
    {
        start -= 1;
    }
    start
}

/// Cuts one line into pieces of at most `max_tokens`, behind white space where there is some, else between characters.
pub(crate) fn pieces_of_line(lines: &Lines<'_>, line: usize, max_tokens: u32) -> Vec<Range<usize>> {
    let text = lines.get(line);
    let offset = lines.start(line);
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        // A letter can count for a sixth of a token, so six times the limit is the longest that could fit; white space
        // counts nothing, so a piece of it alone may be any length.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let mut length = (max_tokens as usize).max(1) * 6;
        let end = loop {
            let end = rest.floor_char_boundary(length).max(first);
            if end == first || tokens::estimate(&rest[..end]) <= max_tokens {
                break end;
            }
            length = end - end.div_ceil(8);
        };
        let end = if end == rest.len() {
            end
        } else {
            rest[..end].rfind([' ', '\t']).filter(|&space| space > end / 2).map_or(end, |space| space + 1)
        };
        if !rest[..end].trim().is_empty() {
            pieces.push(offset + at..offset + at + end);
        }
        at += end;
    }
    pieces
}

fn push(lines: &Lines<'_>, chunks: &mut Vec<Chunk>, span: recall_core::Span) {
    let text = span.bytes.of(lines.text()).unwrap_or_default();
    chunks.push(Chunk {
        ordinal: chunks.len() as u32,
        kind: ChunkKind::Window,
        span,
        symbol: None,
        signature: None,
        doc_comment: None,
        tokens: tokens::estimate(text),
    });
}
