//! The hits of an answer within its budget: whole lines, the best hit first.
//!
//! The first hit is quoted before the others are named, each in a line or two. What then is left goes to the rest of the first hit, then
//! to the second one, and so on.

use recall_text::tokens;

use super::hit::Parts;
use super::text::fence_block;
use crate::render::text::{ANSWER_CHARS, chars};

/// The lines of the first hit that are quoted before others are named: a signature and what it begins with.
pub(super) const FIRST_LINES: usize = 6;

/// The fewest lines of a further hit that are quoted. Fewer say no more than its title and its matching line.
const FEWEST_LINES: usize = 4;

/// What an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) tokens: usize,
}

impl Budget {
    /// Returns the cost of a text in tokens. A text of [`ANSWER_CHARS`] costs the whole budget, however few tokens it has.
    ///
    /// The cost of a text is at most the sum of the costs of its parts, if each ends with a line.
    pub(super) fn cost(self, text: &str) -> usize {
        let by_length = (chars(text) * self.tokens).div_ceil(ANSWER_CHARS);
        by_length.max(tokens::count(text) as usize)
    }
}

/// The hits that fit, as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fitted {
    pub(super) text: String,
    /// How many hits are shown.
    pub(super) shown: usize,
    /// How many lines of the first hit are quoted.
    pub(super) first_lines: usize,
    /// Whether each of them is shown whole.
    pub(super) is_whole: bool,
}

/// Formats as many hits as fit in `room` tokens. The first is always shown, with one line at least.
pub(super) fn fit(hits: &[Parts], fence: &str, budget: Budget, room: usize) -> Fitted {
    let mut blocks: Vec<Block> = Vec::new();
    let mut left = room;
    for parts in hits {
        let block = if blocks.is_empty() {
            // Half of the room; more if that does not hold the first lines.
            let least = Block::quoting(parts, FIRST_LINES, fence, budget);
            let share = (room / 2).max(least.cost).min(room);
            Block::largest(parts, fence, budget, share, 1)
        } else {
            Some(Block::naming(parts, budget))
        };
        let Some(block) = block.filter(|block| blocks.is_empty() || block.cost <= left) else { break };
        left = left.saturating_sub(block.cost);
        blocks.push(block);
    }
    for (place, (block, parts)) in blocks.iter_mut().zip(hits).enumerate() {
        if !block.is_whole(parts) {
            let fewest = if place == 0 { 1 } else { FEWEST_LINES };
            let larger = Block::largest(parts, fence, budget, block.cost + left, fewest);
            let Some(larger) = larger.filter(|larger| larger.lines > block.lines || larger.is_whole(parts)) else {
                break;
            };
            left = (left + block.cost).saturating_sub(larger.cost);
            *block = larger;
        }
        if !block.is_whole(parts) {
            break;
        }
    }
    Fitted {
        shown: blocks.len(),
        first_lines: blocks.first().map_or(0, |block| block.lines),
        is_whole: blocks.iter().zip(hits).all(|(block, parts)| block.is_whole(parts)),
        text: blocks.into_iter().map(|block| block.text).collect(),
    }
}

/// The text of a hit, with an empty line after it.
struct Block {
    text: String,
    cost: usize,
    /// How many lines are quoted.
    lines: usize,
    is_quote: bool,
}

impl Block {
    fn new(mut text: String, lines: usize, is_quote: bool, budget: Budget) -> Self {
        text.push('\n');
        Self { cost: budget.cost(&text), text, lines, is_quote }
    }

    /// Quotes the first lines of a hit.
    fn quoting(parts: &Parts, lines: usize, fence: &str, budget: Budget) -> Self {
        let lines = lines.min(parts.lines.len());
        let mut text = parts.head.clone() + &fence_block(fence, &parts.language, &parts.lines[..lines].concat());
        if lines < parts.lines.len() {
            text.push_str(&parts.rest_from(lines));
        }
        Self::new(text, lines, true, budget)
    }

    /// Names a hit, with the line that matches.
    fn naming(parts: &Parts, budget: Budget) -> Self {
        Self::new(format!("{}{}", parts.title, parts.matched), 0, false, budget)
    }

    /// Quotes as many lines of a hit as fit in `room`; `None` if those are fewer than `fewest`, except that of the first line there is
    /// always a quote.
    fn largest(parts: &Parts, fence: &str, budget: Budget, room: usize, fewest: usize) -> Option<Self> {
        let whole = Self::quoting(parts, parts.lines.len(), fence, budget);
        if whole.cost <= room {
            return Some(whole);
        }
        // The cost grows with the lines, so the largest number that fits is found by bisection.
        let (mut fitting, mut too_many) = (0, parts.lines.len());
        while too_many - fitting > 1 {
            let middle = usize::midpoint(fitting, too_many);
            let fits = Self::quoting(parts, middle, fence, budget).cost <= room;
            *(if fits { &mut fitting } else { &mut too_many }) = middle;
        }
        let lines = if fewest == 1 { fitting.max(1) } else { fitting };
        (lines >= fewest).then(|| Self::quoting(parts, lines, fence, budget))
    }

    fn is_whole(&self, parts: &Parts) -> bool {
        self.is_quote && self.lines == parts.lines.len()
    }
}
