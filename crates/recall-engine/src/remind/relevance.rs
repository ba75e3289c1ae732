//! Which memories about a file are shown before it is read or edited.
//!
//! Most edits of a file have nothing to do with most of what is remembered about it, and the more is remembered, the less one memory
//! is likely to matter. So a memory counts by what it shares with the session: the words of its first prompt or of one of the latest,
//! by their rarity (ADR 79), or if it was made with the lines that are replaced (ADR 83). The definition that is edited says hardly
//! anything, as measured on histories: several memories are about a definition that changes often.

use std::collections::HashSet;

use recall_core::Memory;

use crate::ledger::words::{WordRarity, telling_words};

/// The most memories about a file of which all are shown if no goal is known.
const FEW: usize = 3;

/// The most memories that are shown for a goal. The threshold was chosen for one; a second one was not measured.
const MOST_FOR_GOAL: usize = 1;

/// How much more a word says that stands in the title too.
const TITLE_SHARE: f64 = 0.5;

/// How much the natural logarithm of the number of memories about the file counts against one of them.
const CROWD: f64 = 2.0;

/// The weight of shared words that counts as certain. A tenth of it, about two rare words, is the default confidence.
const CERTAIN: f64 = 80.0;

/// What it counts that a memory was made with the lines that are replaced: as much as about three rare words. It outweighs fifty memories
/// about the file at the default confidence, so that such a memory needs no word of the goal.
const WRITTEN: f64 = 16.0;

/// The share of the replaced lines that must be from the time of a memory. An edit touches lines of others on its way.
const LEAST_WRITTEN: f64 = 0.25;

/// A memory about a file that is about to be read or edited.
#[derive(Clone, Copy, Debug)]
pub(super) struct AboutFile<'m> {
    pub(super) memory: &'m Memory,
    /// The rarities of its store.
    pub(super) rarity: &'m WordRarity,
    /// The share of the replaced lines that were written in its commit.
    pub(super) written: f64,
}

impl AboutFile<'_> {
    pub(super) fn is_of_the_lines(&self) -> bool {
        self.written > LEAST_WRITTEN
    }
}

/// Returns the places of those memories about a file that are worth showing, the best first.
///
/// `memories` are all that are in force, the newest first. `goals` has the words of each request to the session that are not in the file's
/// name, and the best one counts: a sum would let long conversations share words with anything.
/// Without a goal and without such lines, few memories are all shown, and many not at all.
pub(super) fn choose(memories: &[AboutFile<'_>], goals: &[HashSet<String>], least_confidence: f64) -> Vec<usize> {
    if goals.is_empty() && !memories.iter().any(AboutFile::is_of_the_lines) {
        return if memories.len() <= FEW { (0..memories.len()).collect() } else { Vec::new() };
    }
    let against = CROWD * (memories.len() as f64 + 1.0).ln();
    let weighed = memories.iter().map(|about| {
        let of_the_lines = if about.is_of_the_lines() { WRITTEN } else { 0.0 };
        (shared_weight(about.memory, about.rarity, goals) + of_the_lines - against) / CERTAIN
    });
    let mut confident: Vec<(usize, f64)> = weighed.enumerate().filter(|(_, it)| *it >= least_confidence).collect();
    // The sort is stable: of equal ones the newest comes first.
    confident.sort_by(|a, b| b.1.total_cmp(&a.1));
    confident.into_iter().take(MOST_FOR_GOAL).map(|(place, _)| place).collect()
}

/// Returns the weight of the words that a memory shares with the goal that it shares most with.
fn shared_weight(memory: &Memory, rarity: &WordRarity, goals: &[HashSet<String>]) -> f64 {
    let title = telling_words(&memory.title);
    let all: HashSet<String> = telling_words(&memory.content).union(&title).cloned().collect();
    let weights = goals
        .iter()
        .map(|goal| rarity.weight(goal.intersection(&all)) + TITLE_SHARE * rarity.weight(goal.intersection(&title)));
    weights.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::memory::tests::view;
    use super::*;

    const LESSON: &str = "All clients retry at once without jitter.";

    /// Returns which of some memories are chosen, each with the title "Retries need jitter".
    fn choose_among(texts: &[&str], goals: &[&str], least: f64) -> Vec<usize> {
        let memories: Vec<Memory> = texts.iter().map(|text| view("L-0123abcd", text).memory).collect();
        let rarity = WordRarity::default();
        let about = |memory| AboutFile { memory, rarity: &rarity, written: 0.0 };
        let goals: Vec<HashSet<String>> = goals.iter().map(|goal| telling_words(goal)).collect();
        choose(&memories.iter().map(about).collect::<Vec<_>>(), &goals, least)
    }

    #[test]
    fn the_memory_of_the_replaced_lines_needs_no_word_of_the_goal() {
        let memories: Vec<Memory> = vec![view("L-0123abcd", LESSON).memory; 20];
        let rarity = WordRarity::default();
        let about = |memory| AboutFile { memory, rarity: &rarity, written: 0.0 };
        let mut about: Vec<_> = memories.iter().map(about).collect();
        let goals = [telling_words("Make the page green")];
        about[7].written = 0.5;
        assert_eq!(choose(&about, &goals, 0.1), [7]);
        assert_eq!(choose(&about, &[], 0.1), [7], "nothing else is known");
        about[7].written = 0.2;
        assert_eq!(choose(&about, &goals, 0.1), [0; 0], "most of the lines are of others");
    }

    #[test]
    fn the_memory_that_shares_most_with_the_goal_is_shown() {
        let goal = "The queue is full because all clients come back at once";
        assert_eq!(choose_among(&["It is slow.", LESSON, "The queue is bounded."], &[goal], 0.1), [1]);
        assert_eq!(choose_among(&["It is slow.", "The page is green."], &[goal], 0.1), [0; 0]);
    }

    #[test]
    fn the_best_of_several_requests_counts() {
        let goal = "The queue is full because all clients come back at once";
        for goals in [["Make the page green", goal], [goal, "Make the page green"]] {
            assert_eq!(choose_among(&["It is slow.", LESSON], &goals, 0.1), [1], "{goals:?}");
        }
        let halves = ["The queue is full because all clients", "They come back at once"];
        assert_eq!(choose_among(&["It is slow.", LESSON], &halves, 0.1), [0; 0], "words of two requests do not add up");
    }

    #[test]
    fn the_more_is_remembered_the_more_must_be_shared() {
        let goal = "Add jitter to the timer";
        let mut texts = vec![LESSON];
        assert_eq!(choose_among(&texts, &[goal], 0.09), [0]);
        texts.extend(["It is slow."; 5]);
        assert_eq!(choose_among(&texts, &[goal], 0.09), [0; 0]);
    }

    #[test]
    fn without_a_goal_few_are_shown_and_many_are_not() {
        assert_eq!(choose_among(&[LESSON; 3], &[], 0.9), [0, 1, 2]);
        assert_eq!(choose_among(&[LESSON; 4], &[], 0.0), [0; 0]);
    }
}
