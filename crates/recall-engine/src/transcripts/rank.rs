//! The order of turns by the words of a query, which are compared without their endings: BM25, with what was said above what
//! commands printed; the passage that is shown, and its citation.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::session_log::story::first_chars;
use recall_agents::foreign::{Action, CommandRun, Transcript, TranscriptClient, Turn};
use recall_core::Timestamp;
use recall_text::words::{Word, is_stop_word, split};

/// The constants of BM25, as in most engines.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The weight of a word in the output of a command: logs repeat themselves.
const OUTPUT_WEIGHT: f64 = 0.4;

/// The most characters of a request, and the most commands and files of a turn, that an answer has.
const PROMPT_CHARS: usize = 300;
const COMMAND_CHARS: usize = 200;
const MOST_COMMANDS: usize = 8;
const MOST_FILES: usize = 12;

/// A turn that contains words of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidTurn {
    /// How it is cited.
    pub citation: String,
    /// The agent.
    pub client: TranscriptClient,
    /// The id of the session.
    pub session: String,
    /// The number of the turn in its session, from 1.
    pub number: usize,
    /// When it was asked.
    pub time: Option<Timestamp>,
    /// The beginning of the request.
    pub prompt: String,
    /// The passage with most of the query's words.
    pub excerpt: String,
    /// The first commands of the turn with their outcomes.
    pub commands: Vec<CommandOutcome>,
    /// The first files that were edited in it.
    pub edited: Vec<String>,
    /// Its BM25 score, comparable within one answer.
    pub score: f64,
}

/// A command and whether it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The command line.
    pub command: String,
    /// Whether it failed.
    pub has_failed: bool,
}

/// A turn with the counts of the query's words.
struct CountedTurn {
    turn: SaidTurn,
    counts: Vec<f64>,
    length: usize,
}

/// The turns of a project while they are read.
pub(super) struct TurnRanking {
    words: Words,
    turns: Vec<CountedTurn>,
    /// The number of turns and of their words, with and without a word of the query.
    all: usize,
    all_words: usize,
}

impl TurnRanking {
    pub(super) fn new(query: &str) -> Self {
        Self { words: Words::new(query), turns: Vec::new(), all: 0, all_words: 0 }
    }

    pub(super) fn add(&mut self, transcript: &Transcript) {
        for (at, turn) in transcript.turns.iter().enumerate() {
            let mut counts = vec![0.0; self.words.len()];
            let length = count(&self.words, turn, &mut counts);
            self.all += 1;
            self.all_words += length;
            if counts.iter().any(|count| *count > 0.0) {
                let turn = said_turn(transcript, at, turn, &self.words);
                self.turns.push(CountedTurn { turn, counts, length });
            }
        }
    }

    /// Returns the best turns, and the number of all with a word of the query.
    pub(super) fn finish(mut self, limit: usize) -> (Vec<SaidTurn>, u64) {
        let found = self.turns.len() as u64;
        let average = self.all_words as f64 / self.all.max(1) as f64;
        let rarity: Vec<f64> = (0..self.words.len()).map(|at| self.rarity(at)).collect();
        for CountedTurn { turn, counts, length } in &mut self.turns {
            let norm = K1 * (1.0 - B + B * *length as f64 / average.max(1.0));
            turn.score =
                counts.iter().zip(&rarity).map(|(count, rarity)| rarity * count * (K1 + 1.0) / (count + norm)).sum();
        }
        let mut turns: Vec<SaidTurn> = self.turns.into_iter().map(|counted| counted.turn).collect();
        turns.sort_by(|a, b| {
            let by_score = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
            by_score.then_with(|| b.time.cmp(&a.time)).then_with(|| a.citation.cmp(&b.citation))
        });
        turns.truncate(limit);
        (turns, found)
    }

    /// Returns how much a word of the query says: the less, the more turns have it.
    fn rarity(&self, word: usize) -> f64 {
        let with = self.turns.iter().filter(|turn| turn.counts[word] > 0.0).count() as f64;
        (1.0 + (self.all as f64 - with + 0.5) / (with + 0.5)).ln()
    }
}

fn count(words: &Words, turn: &Turn, counts: &mut [f64]) -> usize {
    let mut length = words.count(&turn.prompt, 1.0, counts);
    for step in &turn.steps {
        length += match &step.action {
            Action::Said(text) | Action::Edited(text) => words.count(text, 1.0, counts),
            Action::Ran(CommandRun { command, output, .. }) => {
                words.count(command, 1.0, counts) + words.count(output, OUTPUT_WEIGHT, counts)
            }
        };
    }
    length
}

fn said_turn(transcript: &Transcript, at: usize, turn: &Turn, words: &Words) -> SaidTurn {
    let (mut commands, mut edited) = (Vec::new(), Vec::new());
    for step in &turn.steps {
        match &step.action {
            Action::Ran(CommandRun { command, has_failed, .. }) if commands.len() < MOST_COMMANDS => {
                let command = first_chars(command, COMMAND_CHARS);
                commands.push(CommandOutcome { command, has_failed: *has_failed });
            }
            Action::Edited(file) if edited.len() < MOST_FILES && !edited.contains(file) => edited.push(file.clone()),
            Action::Said(_) | Action::Ran(_) | Action::Edited(_) => {}
        }
    }
    SaidTurn {
        citation: citation(transcript.client, &transcript.session, at + 1),
        client: transcript.client,
        session: transcript.session.clone(),
        number: at + 1,
        time: turn.time,
        prompt: first_chars(&turn.prompt, PROMPT_CHARS),
        excerpt: excerpt(turn, words),
        commands,
        edited,
        score: 0.0,
    }
}

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

/// Returns how answers cite a turn, which is counted from 1: `transcript:claude-code/0f3c#4`. A session that goes on keeps the
/// numbers of its turns.
pub(crate) fn citation(client: TranscriptClient, session: &str, turn: usize) -> String {
    format!("transcript:{client}/{session}#{turn}")
}

/// Returns the agent, the session and the number of a cited turn; `None` if the text cites none.
pub(super) fn parse_citation(cited: &str) -> Option<(TranscriptClient, &str, usize)> {
    let (client, rest) = cited.trim().strip_prefix("transcript:")?.split_once('/')?;
    let (session, number) = rest.rsplit_once('#')?;
    Some((TranscriptClient::from_name(client)?, session, number.parse().ok()?))
}

/// The shortest stem that an ending is cut from.
const STEM_BYTES: usize = 3;

/// English endings, the longest first. Transcripts mix languages, so a stemmer of one would not do better.
const ENDINGS: [&str; 5] = ["ing", "ed", "es", "s", "e"];

/// The words of a query.
pub(crate) struct Words {
    /// Distinct stems, in the order of the query.
    terms: Vec<String>,
    places: HashMap<String, usize>,
}

impl Words {
    /// Reads the words of a query: those without meaning of their own only if there is no other.
    pub(crate) fn new(query: &str) -> Self {
        let mut all = Vec::new();
        let mut meaning = Vec::new();
        each_word(query, &mut |word| {
            all.push(stem(word).to_owned());
            if !is_stop_word(word) {
                meaning.push(stem(word).to_owned());
            }
        });
        let mut terms = if meaning.is_empty() { all } else { meaning };
        let mut seen = HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        let places = terms.iter().enumerate().map(|(at, term)| (term.clone(), at)).collect();
        Self { terms, places }
    }

    /// Returns the number of distinct words.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Adds the weight for each word of the query in a text to `counts`, which has one entry for each word of the query. Returns the
    /// number of words of the text.
    pub(crate) fn count(&self, text: &str, weight: f64, counts: &mut [f64]) -> usize {
        let mut length = 0;
        each_word(text, &mut |word| {
            length += 1;
            if let Some(at) = self.places.get(stem(word)) {
                counts[*at] += weight;
            }
        });
        // A script without blanks has no words to compare, so its terms are looked for as they are.
        for (at, term) in self.terms.iter().enumerate().filter(|(_, term)| !term.is_ascii()) {
            if counts[at] == 0.0 {
                counts[at] = weight * text.matches(term.as_str()).count() as f64;
            }
        }
        length
    }

    /// Returns which of the first 64 words of the query are in a text, a bit for each.
    pub(crate) fn set_of(&self, text: &str) -> u64 {
        let mut counts = vec![0.0; self.len()];
        self.count(text, 1.0, &mut counts);
        counts.iter().take(64).enumerate().filter(|(_, count)| **count > 0.0).fold(0, |set, (at, _)| set | 1 << at)
    }

    /// Returns how many distinct words of the query are in a text.
    pub(crate) fn distinct(&self, text: &str) -> usize {
        let mut counts = vec![0.0; self.len()];
        self.count(text, 1.0, &mut counts);
        counts.iter().filter(|count| **count > 0.0).count()
    }
}

/// Returns the share of the words of a text that are in another one, 0 to 1.
pub(crate) fn share_of(words: &Words, text: &str) -> f64 {
    if words.len() == 0 { 0.0 } else { words.distinct(text) as f64 / words.len() as f64 }
}

fn each_word(text: &str, visit: &mut dyn FnMut(&str)) {
    split(text, |word| match word {
        Word::Plain(word) | Word::Part(word) | Word::Compound(word) if word.chars().any(char::is_uppercase) => {
            visit(&word.to_lowercase());
        }
        Word::Plain(word) | Word::Part(word) | Word::Compound(word) => visit(word),
    });
}

fn stem(word: &str) -> &str {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() >= STEM_BYTES);
    let stem = ENDINGS.iter().find_map(|ending| cut(ending)).unwrap_or(word);
    // Of *retry*, *retries* and *retried*.
    stem.strip_suffix(['y', 'i']).filter(|stem| stem.len() >= STEM_BYTES).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_names_its_turn() {
        let cited = citation(TranscriptClient::Codex, "0f#3c", 12);
        assert_eq!(cited, "transcript:codex/0f#3c#12");
        assert_eq!(parse_citation(&cited), Some((TranscriptClient::Codex, "0f#3c", 12)));
        for other in ["src/a.rs", "transcript:codex/x", "transcript:nobody/x#1", "transcript:codex/x#y"] {
            assert_eq!(parse_citation(other), None, "{other}");
        }
    }

    #[test]
    fn words_match_with_other_endings_and_as_parts_of_names() {
        let words = Words::new("the retries of parseHTTPHeader");
        for (text, expected) in
            [("we retry and retried", 1), ("parse_header", 2), ("parseHTTPHeader retries", 5), ("nothing of that", 0)]
        {
            assert_eq!(words.distinct(text), expected, "{text}");
        }
        assert_eq!(Words::new("what is it").len(), 3, "a query of stop words has these");
        assert_eq!(Words::new("有効期限").distinct("セッションの有効期限は"), 1);
    }
}
