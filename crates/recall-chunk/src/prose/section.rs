//! Cutting of long sections and merging of short ones.

use std::ops::Range;

use recall_core::ChunkKind;

use super::{Division, Heading, kind_of};
use crate::lines::{self, Lines};
use crate::window::pieces_of_line;

/// A smaller section is merged with the next one at its level or below: a heading with one sentence is read with its
/// neighbours.
const MIN_CHUNK_TOKENS: u32 = 40;

/// A fenced block is kept whole up to this many times the limit. A longer one is data, not an example.
const WHOLE_FENCE_FACTOR: u32 = 4;

/// A range of lines that becomes one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) lines: Range<usize>,
    /// A part of a line that is longer than the limit. `None` for whole lines.
    pub(super) bytes: Option<Range<usize>>,
    pub(super) kind: ChunkKind,
    /// The heading of the section that contains it.
    pub(super) heading: Option<usize>,
}

/// Cuts a text at its headings or cells. The pieces are in order and cover all lines that are not blank.
pub(super) fn cut(lines: &Lines<'_>, headings: &[Heading], division: Division, max_tokens: u32) -> Vec<Piece> {
    let sections = match division {
        Division::Document => join_small(lines, headings, by_heading(lines, headings), max_tokens),
        Division::Cells => by_cell(lines, headings),
    };
    let mut pieces = Vec::new();
    for Section { lines: section, heading } in sections {
        let whole = Piece { lines: section.clone(), bytes: None, kind: kind_of(division), heading };
        if lines.tokens(&section) <= max_tokens {
            pieces.push(whole);
        } else {
            split(lines, &whole, max_tokens, &mut pieces);
        }
    }
    pieces
}

struct Section {
    lines: Range<usize>,
    heading: Option<usize>,
}

fn by_heading(lines: &Lines<'_>, headings: &[Heading]) -> Vec<Section> {
    let first = headings.first().map_or(lines.len(), |heading| heading.lines.start);
    let mut sections = vec![Section { lines: lines.trim(0..first), heading: None }];
    for (index, heading) in headings.iter().enumerate() {
        let end = headings.get(index + 1).map_or(lines.len(), |next| next.lines.start);
        sections.push(Section { lines: lines.trim(heading.lines.start..end), heading: Some(index) });
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// Two blank lines outside a fence end a cell. The heading of a cell is the last one that begins before the cell's end.
fn by_cell(lines: &Lines<'_>, headings: &[Heading]) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut fence = None;
    let mut start = 0;
    for line in 0..=lines.len() {
        let is_end = line == lines.len()
            || (fence.is_none() && line >= start + 2 && lines.is_blank(line - 1) && lines.is_blank(line - 2));
        if is_end {
            let cell = lines.trim(start..line);
            if !cell.is_empty() {
                let heading = headings.partition_point(|heading| heading.lines.start < cell.end).checked_sub(1);
                sections.push(Section { lines: cell, heading });
            }
            start = line;
        }
        if line < lines.len() {
            fence = lines::fence_after(fence, lines.get(line));
        }
    }
    sections
}

/// Merges a section that is too small with the next one, if that is its child or its sibling.
///
/// The merged section gets the heading that both share.
fn join_small(lines: &Lines<'_>, headings: &[Heading], sections: Vec<Section>, max_tokens: u32) -> Vec<Section> {
    let mut joined: Vec<Section> = Vec::with_capacity(sections.len());
    for section in sections {
        if let Some(before) = joined.last_mut()
            && lines.tokens(&before.lines).min(lines.tokens(&section.lines)) < MIN_CHUNK_TOKENS
            && lines.tokens(&(before.lines.start..section.lines.end)) <= max_tokens
            && belong_together(headings, before.heading, section.heading)
        {
            before.lines.end = section.lines.end;
            before.heading = shared_heading(headings, before.heading, section.heading);
            continue;
        }
        joined.push(section);
    }
    joined
}

/// Whether a section and the one after it may be one chunk: the second is a child of the first, or both have the same
/// parent. The text before the first heading belongs to that heading.
fn belong_together(headings: &[Heading], before: Option<usize>, after: Option<usize>) -> bool {
    let parent = |index: Option<usize>| index.and_then(|index| headings[index].parent);
    before.is_none() || parent(after) == before || (parent(before) == parent(after) && parent(before).is_some())
}

/// The heading shared by two sections that may be merged.
fn shared_heading(headings: &[Heading], before: Option<usize>, after: Option<usize>) -> Option<usize> {
    let parent = |index: Option<usize>| index.and_then(|index| headings[index].parent);
    match before {
        None => after,
        Some(_) if parent(after) == before => before,
        Some(_) => parent(before),
    }
}

/// Cuts a section over the limit between paragraphs into even parts, with fenced blocks whole.
fn split(lines: &Lines<'_>, section: &Piece, max_tokens: u32, pieces: &mut Vec<Piece>) {
    let tokens = lines.tokens(&section.lines);
    let share = tokens.div_ceil(tokens.div_ceil(max_tokens.max(1)).max(1)) + max_tokens / 8;
    let room = share.min(max_tokens);
    let mut at = section.lines.start;
    let mut push = |range: Range<usize>, bytes: Option<Range<usize>>| {
        let range = lines.trim(range);
        if !range.is_empty() {
            pieces.push(Piece { lines: range, bytes, ..section.clone() });
        }
    };
    for paragraph in paragraphs(lines, &section.lines) {
        let is_over = lines.tokens(&(at..paragraph.end)) > room;
        if is_over && at < paragraph.start {
            push(at..paragraph.start, None);
            at = paragraph.start;
        }
        let tokens = lines.tokens(&paragraph);
        let limit = if is_fenced(lines, &paragraph) { max_tokens * WHOLE_FENCE_FACTOR } else { max_tokens };
        if tokens > limit {
            split_paragraph(lines, &paragraph, max_tokens, &mut push);
            at = paragraph.end;
        } else if tokens > room {
            push(at..paragraph.end, None);
            at = paragraph.end;
        }
    }
    push(at..section.lines.end, None);
}

/// Cuts a paragraph over the limit between lines, and a line over the limit between words.
fn split_paragraph(
    lines: &Lines<'_>,
    paragraph: &Range<usize>,
    max_tokens: u32,
    push: &mut impl FnMut(Range<usize>, Option<Range<usize>>),
) {
    let mut at = paragraph.start;
    for line in paragraph.clone() {
        if lines.tokens(&(at..line + 1)) <= max_tokens {
            continue;
        }
        if at < line {
            push(at..line, None);
            at = line;
        }
        if lines.tokens(&(line..line + 1)) > max_tokens {
            for bytes in pieces_of_line(lines, line, max_tokens) {
                push(line..line + 1, Some(bytes));
            }
            at = line + 1;
        }
    }
    push(at..paragraph.end, None);
}

/// The ranges between blank lines. A fenced block is one range, together with the line that introduces it.
fn paragraphs(lines: &Lines<'_>, section: &Range<usize>) -> Vec<Range<usize>> {
    let mut paragraphs = Vec::new();
    let mut fence = None;
    let mut start = section.start;
    for line in section.clone() {
        if lines.is_blank(line) && fence.is_none() {
            if start < line {
                paragraphs.push(start..line);
            }
            start = line + 1;
        }
        fence = lines::fence_after(fence, lines.get(line));
    }
    if start < section.end {
        paragraphs.push(start..section.end);
    }
    paragraphs
}

fn is_fenced(lines: &Lines<'_>, paragraph: &Range<usize>) -> bool {
    let mut fence = None;
    paragraph.clone().any(|line| {
        fence = lines::fence_after(fence, lines.get(line));
        fence.is_some()
    })
}
