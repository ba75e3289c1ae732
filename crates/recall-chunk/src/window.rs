//! Cutting of texts without known structure, in windows of lines.

use std::ops::Range;

use recall_core::{Chunk, ChunkKind};
use recall_text::tokens;

use crate::lines::Lines;

/// The most lines in a window: about what a tall screen shows, and what the token limit allows for dense text anyway.
const MAX_LINES: usize = 100;
/// The lines repeated from the window before, so that a passage across a cut is whole in one of the two windows.
const OVERLAP_LINES: usize = 10;
/// The last part of a full window that is searched for a blank line to cut at. A third keeps windows from getting
/// small.
const BLANK_SEARCH_DIVISOR: usize = 3;

/// Cuts a text in windows of at most 100 lines and `max_tokens`, at blank lines if there are any.
///
/// After a cut at a blank line the next window begins there. After a cut between two lines that are not blank, the next
/// window repeats at most 10 lines. A line over the limit is cut by itself; see [`pieces_of_line`].
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

/// The end of the longest window from `at`; at least one line.
fn longest_window(lines: &Lines<'_>, at: usize, max_tokens: u32) -> usize {
    let mut end = at + 1;
    while end < lines.len() && end - at < MAX_LINES && lines.tokens(&(at..end + 1)) <= max_tokens {
        end += 1;
    }
    end
}

/// The cut of a window that could reach to `full`: after the last blank line of its last third, or else at `full`.
fn cut_before(lines: &Lines<'_>, at: usize, full: usize) -> usize {
    if full == lines.len() {
        return full;
    }
    let earliest = full - (full - at) / BLANK_SEARCH_DIVISOR;
    (earliest..=full).rev().find(|&line| line > at && lines.is_blank(line - 1)).unwrap_or(full)
}

/// Whether a cut before this line splits no paragraph: a blank line or the end of the text is on one side of it.
fn is_gap(lines: &Lines<'_>, cut: usize) -> bool {
    cut == lines.len() || lines.is_blank(cut - 1) || lines.is_blank(cut)
}

/// The start of the window after a cut: up to 10 lines back, and at most half of either window.
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

/// Cuts one line into pieces of at most `max_tokens`, after white space if possible, else between characters.
pub(crate) fn pieces_of_line(lines: &Lines<'_>, line: usize, max_tokens: u32) -> Vec<Range<usize>> {
    let text = lines.get(line);
    let offset = lines.start(line);
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        // A letter counts for at least a sixth of a token, so no piece is longer than six times the limit. White space
        // counts nothing, so a piece of white space can have any length.
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
    let text = span.bytes.slice(lines.text()).unwrap_or_default();
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
