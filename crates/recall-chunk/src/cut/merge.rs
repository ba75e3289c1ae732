//! Merging of small pieces with a neighbour.

use std::ops::Range;

use recall_core::ChunkKind;

use super::{MIN_CHUNK_TOKENS, Piece};
use crate::lines::Lines;
use crate::outline::Outline;

/// Merges each piece that is too small to be a chunk with a neighbour inside the same definition, preferably the next
/// one. Also merges consecutive parts of one definition that fit together. The result has the kind and name of the
/// larger piece.
pub(super) fn merge_small(pieces: Vec<Piece>, lines: &Lines<'_>, outline: &Outline, max_tokens: u32) -> Vec<Piece> {
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
