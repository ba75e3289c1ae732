//! The passage of a turn that has most of a query's words.

use recall_agents::foreign::{Action, CommandRun, Turn};

use super::words::Words;
use crate::session_log::story::first_chars;

/// The lines of a passage, and the most characters of it.
const LINES: usize = 8;
const CHARS: usize = 700;

/// Returns the passage, cut to a few lines: the earliest of those with the most words.
pub(super) fn excerpt(turn: &Turn, words: &Words) -> String {
    let mut best = BestLines::default();
    best.improve(&turn.prompt, words);
    for step in &turn.steps {
        match &step.action {
            Action::Said(text) => best.improve(text, words),
            Action::Ran(CommandRun { command, output, .. }) => best.improve(&format!("$ {command}\n{output}"), words),
            Action::Edited(file) => best.improve(&format!("edited {file}"), words),
        }
    }
    first_chars(&best.text, CHARS)
}

/// Some lines, with the number of distinct words of the query in them.
#[derive(Default)]
struct BestLines {
    words: u32,
    text: String,
}

impl BestLines {
    /// Takes the lines of a text with the most words, if they have more.
    fn improve(&mut self, text: &str, words: &Words) {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let sets: Vec<u64> = lines.iter().map(|line| words.set_of(line)).collect();
        for (at, window) in sets.windows(LINES.min(sets.len().max(1))).enumerate() {
            let found = window.iter().fold(0, |all, set| all | set).count_ones();
            if found > self.words {
                *self = Self { words: found, text: lines[at..at + window.len()].join("\n") };
            }
        }
    }
}
