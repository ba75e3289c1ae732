//! The cuts of an outlined text into pieces, and the merging of small pieces with a neighbour.
//!
//! Works from the outside in: a region that fits the limit stays whole; any other is cut before its shallowest lines
//! (members, then statements, then their parts). Small neighbours are then merged.

use std::ops::Range;

use recall_core::ChunkKind;

use crate::lines::Lines;
use crate::outline::{DefinitionNode, NO_CUT, Outline};
use crate::window::pieces_of_line;

/// The smallest definition that is a chunk of its own. A smaller chunk says too little to be found or read by itself.
const MIN_CHUNK_TOKENS: u32 = 40;

/// A nested function is a chunk of its own from this fraction of the limit on. Smaller ones stay in the enclosing
/// function.
const INNER_FUNCTION_DIVISOR: u32 = 4;

/// Pieces may exceed an even share by this fraction of the limit, to reach a better place to cut.
const SHARE_SLACK_DIVISOR: u32 = 8;

/// A range of lines that becomes one chunk.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) lines: Range<usize>,
    /// A part of a line that is longer than the limit. `None` for whole lines.
    pub(crate) bytes: Option<Range<usize>>,
    pub(crate) kind: ChunkKind,
    /// The definition that the piece contains, begins or continues.
    pub(crate) definition: Option<u32>,
    /// The definition that was cut to get this piece.
    owner: Option<u32>,
}

/// Cuts a text. The pieces are in order and cover all lines that are not blank.
pub(crate) fn cut(lines: &Lines<'_>, outline: &Outline, max_tokens: u32) -> Vec<Piece> {
    let mut cutter = Cutter { lines, outline, max_tokens, pieces: Vec::new() };
    let all = lines.trim(0..lines.len());
    if !all.is_empty() {
        cutter.divide_text(&all);
    }
    merge_small(cutter.pieces, lines, outline, max_tokens)
}

struct Cutter<'a> {
    lines: &'a Lines<'a>,
    outline: &'a Outline,
    max_tokens: u32,
    pieces: Vec<Piece>,
}

/// The lines between two cuts at the same level.
struct Segment {
    lines: Range<usize>,
    tokens: u32,
    /// The definition that the segment consists of.
    definition: Option<u32>,
}

impl Cutter<'_> {
    /// Cuts the whole text. A text that is a single definition and fits becomes one piece of that definition, even if
    /// deeper lines could be cut.
    ///
    /// If it does not fit, the symbol paths of its parts begin below the definition. A file that is one module is
    /// already named by its path, and repeating the module's words in the path of every function costs Elixir .03
    /// nDCG@10, where all files have this shape.
    fn divide_text(&mut self, text: &Range<usize>) {
        let mut outermost = self.children(None);
        let only = match (outermost.next(), outermost.next()) {
            (Some((index, found)), None) if found.lines.start <= text.start && found.lines.end >= text.end => {
                Some(index)
            }
            _ => None,
        };
        drop(outermost);
        if only.is_some() && self.tokens(text) <= self.max_tokens {
            self.push(text.clone(), self.kind_of(only, None), only, None);
        } else {
            self.divide(text, None);
        }
    }

    /// Cuts a region that does not fit, or the whole text, at its shallowest lines.
    ///
    /// The recursion ends: each level cuts deeper lines, and the depth of the walk bounds the number of levels.
    fn divide(&mut self, region: &Range<usize>, owner: Option<u32>) {
        let cost = region.clone().skip(1).map(|line| self.outline.cut_costs[line]).min().unwrap_or(NO_CUT);
        if cost == NO_CUT {
            return self.split_by_indent(region, owner);
        }
        let segments = self.segments(region, cost, owner);
        let group_limit = self.group_limit(region, &segments, owner);
        let mut group = region.start..region.start;
        let mut group_definition = GroupDefinition::Nothing;
        for segment in segments {
            let is_too_large = segment.tokens > self.max_tokens;
            if is_too_large || self.is_own_chunk(&segment, owner) {
                self.flush(&group, group_definition, region, owner);
                group = segment.lines.end..segment.lines.end;
                group_definition = GroupDefinition::Nothing;
                match segment.definition {
                    _ if is_too_large => self.divide_segment(&segment, owner),
                    definition => self.push(segment.lines, self.kind_of(definition, owner), definition, owner),
                }
                continue;
            }
            if !group.is_empty() && self.tokens(&(group.start..segment.lines.end)) > group_limit {
                self.flush(&group, group_definition, region, owner);
                group = segment.lines.start..segment.lines.start;
                group_definition = GroupDefinition::Nothing;
            }
            group.end = segment.lines.end;
            group_definition = group_definition.and(segment.definition);
        }
        self.flush(&group, group_definition, region, owner);
    }

    fn divide_segment(&mut self, segment: &Segment, owner: Option<u32>) {
        let lines = self.lines.trim(segment.lines.clone());
        self.divide(&lines, segment.definition.or(owner));
    }

    /// The ranges between the lines with this cut cost, without blank lines at either end.
    fn segments(&self, region: &Range<usize>, cost: u16, owner: Option<u32>) -> Vec<Segment> {
        let starts = region.clone().filter(|&line| line == region.start || self.outline.cut_costs[line] == cost);
        let mut starts = starts.peekable();
        let mut segments = Vec::new();
        let mut definitions = self.children(owner).peekable();
        while let Some(start) = starts.next() {
            let lines = self.lines.trim(start..starts.peek().copied().unwrap_or(region.end));
            while definitions.next_if(|&(_, found)| found.lines.start < lines.start).is_some() {}
            let mut inside = Vec::new();
            while let Some(child) = definitions.next_if(|&(_, found)| found.lines.start < lines.end) {
                inside.push(child);
            }
            let definition = match inside.as_slice() {
                [(index, _)] if self.is_most_of(*index, &lines) => Some(*index),
                _ => None,
            };
            segments.push(Segment { tokens: self.tokens(&lines), lines, definition });
        }
        segments
    }

    /// The outermost definitions inside a definition, or of the whole text.
    fn children(&self, owner: Option<u32>) -> impl Iterator<Item = (u32, &DefinitionNode)> {
        let all = &self.outline.definitions;
        let (mut next, end) = match owner {
            Some(index) => (index + 1, all[index as usize].subtree_end),
            None => (0, all.len() as u32),
        };
        std::iter::from_fn(move || {
            let index = (next < end).then_some(next)?;
            let found = &all[index as usize];
            // Never go backwards, even in the tree of a malformed text.
            next = found.subtree_end.max(index + 1);
            Some((index, found))
        })
    }

    /// The most tokens in a group: an even share if all segments are small, so that no small rest is left at the end.
    fn group_limit(&self, region: &Range<usize>, segments: &[Segment], owner: Option<u32>) -> u32 {
        let is_even =
            segments.iter().all(|segment| segment.tokens <= self.max_tokens && !self.is_own_chunk(segment, owner));
        if !is_even {
            return self.max_tokens;
        }
        let tokens = self.tokens(region);
        let share = tokens.div_ceil(tokens.div_ceil(self.max_tokens.max(1)).max(1));
        (share + self.max_tokens / SHARE_SLACK_DIVISOR).min(self.max_tokens)
    }

    fn is_own_chunk(&self, segment: &Segment, owner: Option<u32>) -> bool {
        let Some(definition) = segment.definition else { return false };
        let least = match owner {
            Some(owner) if is_function(self.kind(owner)) => self.max_tokens / INNER_FUNCTION_DIVISOR,
            _ => MIN_CHUNK_TOKENS,
        };
        self.kind(definition) != ChunkKind::Group && segment.tokens >= least.max(MIN_CHUNK_TOKENS)
    }

    /// Makes one piece of a group of small segments.
    fn flush(&mut self, group: &Range<usize>, only: GroupDefinition, region: &Range<usize>, owner: Option<u32>) {
        let group = self.lines.trim(group.clone());
        if group.is_empty() {
            return;
        }
        let is_head = group.start == region.start;
        let (kind, definition) = match (owner.map(|owner| self.kind(owner)), only) {
            (Some(kind @ (ChunkKind::Type | ChunkKind::Module)), _) if is_head && self.begins(owner, &group) => {
                (kind, owner)
            }
            (Some(ChunkKind::Function | ChunkKind::Method), _) => (ChunkKind::Part, owner),
            (_, GroupDefinition::One(definition)) if self.is_most_of(definition, &group) => {
                (self.kind_of(Some(definition), owner), Some(definition))
            }
            (Some(ChunkKind::Group), _) => (ChunkKind::Part, owner),
            _ => (ChunkKind::Group, owner),
        };
        self.push(group, kind, definition, owner);
    }

    /// Cuts a region that has no preferred cut lines, at the least indented lines that keep the limit.
    fn split_by_indent(&mut self, region: &Range<usize>, owner: Option<u32>) {
        let kind = if owner.is_some() { ChunkKind::Part } else { ChunkKind::Group };
        let mut at = region.start;
        while at < region.end {
            if self.tokens(&(at..at + 1)) > self.max_tokens {
                for bytes in pieces_of_line(self.lines, at, self.max_tokens) {
                    self.pieces.push(Piece { lines: at..at + 1, bytes: Some(bytes), kind, definition: owner, owner });
                }
                at += 1;
                continue;
            }
            let mut end = at + 1;
            while end < region.end && self.tokens(&(at..end + 1)) <= self.max_tokens {
                end += 1;
            }
            if end < region.end {
                let half = at + (end - at).div_ceil(2);
                end = (half.max(at + 1)..=end).rev().min_by_key(|&line| self.lines.indent(line)).unwrap_or(end);
            }
            self.push(self.lines.trim(at..end), kind, owner, owner);
            at = end;
        }
    }

    fn push(&mut self, lines: Range<usize>, kind: ChunkKind, definition: Option<u32>, owner: Option<u32>) {
        let lines = self.lines.trim(lines);
        if lines.is_empty() {
            return;
        }
        if self.tokens(&lines) > self.max_tokens {
            return self.split_by_indent(&lines, definition);
        }
        self.pieces.push(Piece { lines, bytes: None, kind, definition, owner });
    }

    fn tokens(&self, lines: &Range<usize>) -> u32 {
        self.lines.tokens(lines)
    }

    fn kind(&self, definition: u32) -> ChunkKind {
        self.outline.definitions[definition as usize].kinds.chunk
    }

    /// The chunk kind of a definition. A function of a type is a method.
    fn kind_of(&self, definition: Option<u32>, owner: Option<u32>) -> ChunkKind {
        let Some(definition) = definition else { return ChunkKind::Group };
        let found = &self.outline.definitions[definition as usize];
        let belongs = found.scope.is_some() || owner.is_some_and(|owner| self.kind(owner) == ChunkKind::Type);
        if found.kinds.chunk == ChunkKind::Function && belongs { ChunkKind::Method } else { found.kinds.chunk }
    }

    /// Whether a definition covers at least three fifths of some lines.
    fn is_most_of(&self, definition: u32, lines: &Range<usize>) -> bool {
        let found = &self.outline.definitions[definition as usize].lines;
        let covered = found.end.min(lines.end).saturating_sub(found.start.max(lines.start));
        covered * 5 >= lines.len() * 3
    }

    fn begins(&self, owner: Option<u32>, group: &Range<usize>) -> bool {
        owner.is_some_and(|owner| {
            let found = &self.outline.definitions[owner as usize];
            group.start <= found.lines.start && found.lines.start < group.end
        })
    }
}

/// The definition that a group consists of.
#[derive(Clone, Copy)]
enum GroupDefinition {
    Nothing,
    One(u32),
    Many,
}

impl GroupDefinition {
    fn and(self, definition: Option<u32>) -> Self {
        match (self, definition) {
            (Self::Nothing, Some(definition)) => Self::One(definition),
            (_, None) => self,
            (Self::One(_) | Self::Many, Some(_)) => Self::Many,
        }
    }
}

fn is_function(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Function | ChunkKind::Method)
}

/// Merges each piece that is too small to be a chunk with a neighbour inside the same definition, preferably the next
/// one. Also merges consecutive parts of one definition that fit together. The result has the kind and name of the
/// larger piece.
fn merge_small(pieces: Vec<Piece>, lines: &Lines<'_>, outline: &Outline, max_tokens: u32) -> Vec<Piece> {
    let merger = Merger { lines, outline, max_tokens };
    let with_next =
        merger.fold(pieces, |before, after| merger.is_small(before) && merger.may_join(before, after, before));
    merger.fold(with_next, |before, after| {
        merger.is_continued(before, after) || (merger.is_small(after) && merger.may_join(before, after, after))
    })
}

struct Merger<'a> {
    lines: &'a Lines<'a>,
    outline: &'a Outline,
    max_tokens: u32,
}

impl Merger<'_> {
    /// Merges each piece into its predecessor if `is_joined` holds for the two.
    fn fold(&self, pieces: Vec<Piece>, is_joined: impl Fn(&Piece, &Piece) -> bool) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match joined.last_mut() {
                Some(before) if is_joined(before, &piece) => *before = self.join(before, &piece),
                _ => joined.push(piece),
            }
        }
        joined
    }

    fn is_small(&self, piece: &Piece) -> bool {
        piece.bytes.is_none() && self.lines.tokens(&piece.lines) < MIN_CHUNK_TOKENS
    }

    /// Whether two parts of one definition, cut at different levels, fit together.
    fn is_continued(&self, before: &Piece, after: &Piece) -> bool {
        let is_part = |piece: &Piece| piece.kind == ChunkKind::Part && piece.bytes.is_none();
        is_part(before)
            && is_part(after)
            && before.definition == after.definition
            && self.lines.tokens(&(before.lines.start..after.lines.end)) <= self.max_tokens
    }

    /// Whether two neighbours may be merged: both lie in the region that `small` was cut from, and together they fit
    /// the limit.
    fn may_join(&self, before: &Piece, after: &Piece, small: &Piece) -> bool {
        let region = self.region(small);
        let is_inside = |piece: &Piece| piece.lines.start >= region.start && piece.lines.end <= region.end;
        before.bytes.is_none()
            && after.bytes.is_none()
            && self.may_leave(small, if std::ptr::eq(before, small) { after } else { before })
            && is_inside(before)
            && is_inside(after)
            && self.lines.tokens(&(before.lines.start..after.lines.end)) <= self.max_tokens
    }

    /// Whether a piece may be merged with that neighbour. A definition stays with its siblings or its own members.
    fn may_leave(&self, small: &Piece, other: &Piece) -> bool {
        if small.owner == other.owner {
            return true;
        }
        let own = small.definition.filter(|_| small.definition != small.owner);
        own.map(|index| &self.outline.definitions[index as usize]).is_none_or(|found| {
            found.kinds.chunk == ChunkKind::Group
                || (found.lines.start <= other.lines.start && other.lines.end <= found.lines.end)
        })
    }

    fn region(&self, piece: &Piece) -> Range<usize> {
        match piece.owner {
            Some(owner) => self.outline.definitions[owner as usize].lines.clone(),
            None => 0..self.lines.len(),
        }
    }

    fn join(&self, before: &Piece, after: &Piece) -> Piece {
        let lines = before.lines.start..after.lines.end;
        let (small, large) = if self.lines.tokens(&before.lines) < self.lines.tokens(&after.lines) {
            (before, after)
        } else {
            (after, before)
        };
        // Two small neighbours form a group, unless one continues or begins the other.
        let is_group = self.is_small(large) && small.definition != large.definition && small.owner == large.owner;
        let owner = if before.owner == after.owner { before.owner } else { small.owner };
        if is_group && large.owner.is_none() {
            return Piece { lines, bytes: None, kind: ChunkKind::Group, definition: owner, owner };
        }
        Piece { lines, bytes: None, kind: large.kind, definition: large.definition, owner }
    }
}
