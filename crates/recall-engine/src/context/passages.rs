//! The passages of a file that a report is about.
//!
//! A file is found by the title of a report. Which of its functions is meant, the rest of the report says too: it names what was
//! called, and quotes what was printed. So the passages of a file are compared with each other by all of its words.

use std::collections::BTreeMap;

use recall_index::lexical::terms;
use recall_text::Report;
use rustc_hash::{FxHashMap, FxHashSet};

/// The weight of a term of the title; the other terms of a report count half of it.
const TITLE: f32 = 1.0;

/// The most terms of a report that are compared.
const MOST_TERMS: usize = 600;

/// The parameters of BM25. Passages are long or short by what they define, which says less than the length of a page.
const K1: f32 = 1.2;
const B: f32 = 0.5;

/// The words of a report, with their weights.
pub(crate) struct ReportTerms(BTreeMap<String, f32>);

/// Reads the words of a task that is a report; `None` if it is a question.
pub(crate) fn read_report(task: &str) -> Option<ReportTerms> {
    Report::read(task).map(|_| ReportTerms::read(task))
}

impl ReportTerms {
    /// Reads a report, the title in its first line.
    pub(crate) fn read(report: &str) -> Self {
        let mut weights = BTreeMap::new();
        let lines = report.trim_start().lines().filter(|line| !line.trim().is_empty());
        for (number, line) in lines.enumerate() {
            for term in terms(line) {
                if weights.len() < MOST_TERMS {
                    weights.entry(term).or_insert(if number == 0 { TITLE } else { TITLE / 2.0 });
                }
            }
        }
        Self(weights)
    }

    /// Returns the places of the passages with words of the report, the most telling first. A passage is its name and its text.
    ///
    /// A term counts by how few of the passages have it, and again if it is in the name.
    pub(crate) fn rank(&self, passages: &[(&str, &str)]) -> Vec<usize> {
        let passages: Vec<ComparedPassage> =
            passages.iter().map(|(name, text)| ComparedPassage::new(name, text)).collect();
        let mean_length = passages.iter().map(|passage| passage.length).sum::<f32>() / passages.len().max(1) as f32;
        let all = passages.len() as f32;
        let weights: Vec<(&String, f32)> = self
            .0
            .iter()
            .map(|(term, weight)| {
                let with = passages.iter().filter(|passage| passage.frequencies.contains_key(term)).count() as f32;
                (term, weight * (1.0 + (all - with + 0.5) / (with + 0.5)).ln())
            })
            .collect();
        let scores = passages.iter().map(|passage| passage.score(&weights, mean_length.max(1.0)));
        let mut ranked: Vec<(usize, f32)> = scores.enumerate().filter(|(_, score)| *score > 0.0).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.into_iter().map(|(place, _)| place).collect()
    }
}

/// The words of a passage.
struct ComparedPassage {
    name: FxHashSet<String>,
    frequencies: FxHashMap<String, f32>,
    length: f32,
}

impl ComparedPassage {
    fn new(name: &str, text: &str) -> Self {
        let frequencies = frequencies(text);
        Self { name: terms(name).into_iter().collect(), length: frequencies.values().sum(), frequencies }
    }

    fn score(&self, weights: &[(&String, f32)], mean_length: f32) -> f32 {
        let length = K1 * (1.0 - B + B * self.length / mean_length);
        let mut score = 0.0;
        for (term, weight) in weights {
            let Some(frequency) = self.frequencies.get(*term) else { continue };
            let in_name = if self.name.contains(*term) { 1.0 } else { 0.0 };
            score += weight * (frequency * (K1 + 1.0) / (frequency + length) + in_name);
        }
        score
    }
}

/// Counts the lines of a text that have each term.
fn frequencies(text: &str) -> FxHashMap<String, f32> {
    let mut counts = FxHashMap::default();
    for term in text.lines().flat_map(terms) {
        *counts.entry(term).or_default() += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_whole_report_choose_the_passage() {
        let passages = [
            ("open_session", "def open_session(user):\n    return Session(user)"),
            ("close_session", "def close_session(session):\n    session.flush()\n    session.done = True"),
            ("flush", "def flush(self):\n    self.stream.write(self.pending)"),
        ];
        let check = |report: &str, expected: &[usize]| {
            assert_eq!(ReportTerms::read(report).rank(&passages), expected, "{report}");
        };
        check("Sessions are lost\n\nI call `close_session` and see no `done`.", &[1, 0]);
        check("Pending data is not written\n\nIt stays in the stream.", &[2]);
        check("Colours are wrong", &[]);
    }
}
