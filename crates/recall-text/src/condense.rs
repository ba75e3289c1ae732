//! A long text, such as a pasted log, as a query of a bounded length.
//!
//! What a log repeats says little: lines that differ in times, numbers and ids only are one line. Of the others, those are kept whose
//! words are rare in the text, names and paths before others. Nothing is parsed: the text may be a log, a trace, a document or all of
//! them.

use crate::doc_path::{looks_like_identifier, looks_like_path};
use crate::words::is_stop_word;
use std::collections::{HashMap, HashSet};

/// A longer line is divided, so that a text without line ends can be condensed too.
const LINE_BYTES: usize = 300;

/// The digits of a number that may be an id or a time. Shorter ones may be a status, a port or a line.
const ID_DIGITS: usize = 6;

/// How much more a name or a path says than a word.
const NAME_FACTOR: f64 = 2.0;

/// How much more a line says that reports a failure.
const FAILURE_FACTOR: f64 = 1.5;

/// The words of such a line.
const FAILURES: [&str; 9] =
    ["error", "exception", "panic", "panicked", "failed", "failure", "fatal", "cannot", "caused"];

/// The names of inline filters. In a pasted text they are words.
const FILTERS: [&str; 6] = ["type", "lang", "language", "path", "tag", "scope"];

/// A text in fewer words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condensed {
    /// What is kept, in the order of the text. Never empty if the text has a word.
    pub text: String,
    /// The number of lines of the text that are not blank.
    pub lines: usize,
    /// The number of lines that are kept.
    pub kept: usize,
}

/// Shortens a text to at most `most_bytes`, at least 1,024, so that it can be searched for.
///
/// The first and the last line are kept if there is room, since a question stands before or after what was pasted. Times, dates and ids
/// are left out. Neither quotation marks nor filters of the query language are left.
///
/// ```
/// let log = "10:00:01 ERROR refused (attempt 1)\n10:00:02 ERROR refused (attempt 2)\n";
/// assert_eq!(recall_text::condense(log, 1_000).text, "ERROR refused (attempt 1)");
/// ```
pub fn condense(text: &str, most_bytes: usize) -> Condensed {
    let lines: Vec<&str> = text.lines().flat_map(pieces).filter(|line| !line.trim().is_empty()).collect();
    let mut seen = HashSet::new();
    let distinct: Vec<Line> =
        lines.iter().filter_map(|line| Line::read(line)).filter(|line| seen.insert(line.shape())).collect();
    let mut documents: HashMap<&str, usize> = HashMap::new();
    for line in &distinct {
        for word in line.words.iter().collect::<HashSet<_>>() {
            *documents.entry(word.as_str()).or_default() += 1;
        }
    }
    let count = distinct.len() as f64;
    let rarity = |word: &str| (count / documents.get(word).map_or(count, |&lines| lines as f64)).ln() + 0.1;
    let mut order: Vec<(f64, usize)> = distinct.iter().enumerate().map(|(at, line)| (line.worth(rarity), at)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let ends = [Some(0), distinct.len().checked_sub(1)].into_iter().flatten().filter(|&at| at < distinct.len());
    let mut kept: Vec<usize> = Vec::new();
    let mut left = most_bytes;
    for at in ends.chain(order.iter().map(|&(_, at)| at)) {
        let bytes = distinct[at].text.len() + 1;
        if !kept.contains(&at) && bytes <= left {
            kept.push(at);
            left -= bytes;
        }
    }
    kept.sort_unstable();
    let text = kept.iter().map(|&at| distinct[at].text.as_str()).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        // Ids and times only: they are searched for as they are.
        let end =
            lines.concat().char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most_bytes).last();
        let text = lines.concat()[..end.unwrap_or(0)].to_owned();
        return Condensed { text, lines: lines.len(), kept: usize::from(end.is_some()) };
    }
    Condensed { text, lines: lines.len(), kept: kept.len() }
}

/// Divides a line at white space into pieces of at most [`LINE_BYTES`], or within a word that is longer.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let fitting = rest.floor_char_boundary(LINE_BYTES.min(rest.len()));
        let end = match rest[..fitting].rfind(char::is_whitespace) {
            _ if fitting == rest.len() => fitting,
            Some(at) if at > 0 => at,
            _ => fitting,
        };
        let (piece, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(piece)
    })
}

/// A line without times and ids.
struct Line {
    text: String,
    /// Its words in lower case, without marks at their ends, as they are counted.
    words: Vec<String>,
    /// Which of them are names or paths.
    names: HashSet<String>,
}

impl Line {
    /// Reads a line; `None` if nothing is left of it.
    fn read(line: &str) -> Option<Self> {
        let mut read = Self { text: String::new(), words: Vec::new(), names: HashSet::new() };
        for written in line.split_whitespace() {
            let bare =
                written.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '$' | '@'));
            if !is_id(bare) {
                read.push(written);
                let word = bare.to_lowercase();
                if looks_like_path(bare) || looks_like_identifier(bare) {
                    read.names.insert(word.clone());
                }
                read.words.extend(Some(word).filter(|word| !word.is_empty()));
            }
        }
        (!read.words.is_empty()).then_some(read)
    }

    /// Adds a word to the text, as one that is neither a phrase nor a filter.
    fn push(&mut self, written: &str) {
        let plain = written.replace('"', " ");
        for word in plain.split_whitespace() {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            let mut rest = word;
            while let Some((key, value)) = rest.split_once(':').filter(|(key, _)| FILTERS.contains(key)) {
                self.text.push_str(key);
                self.text.push_str(": ");
                rest = value;
            }
            self.text.push_str(rest);
        }
    }

    /// Returns what is equal for lines that differ in numbers only.
    fn shape(&self) -> String {
        let without_digits = |word: &String| word.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        self.words.iter().map(without_digits).collect::<Vec<_>>().join(" ")
    }

    /// Returns how much a line says for its length.
    fn worth(&self, rarity: impl Fn(&str) -> f64) -> f64 {
        let distinct: HashSet<&String> = self.words.iter().collect();
        let of_word = |word: &&String| {
            let is_name = self.names.contains(*word);
            let factor = if is_name { NAME_FACTOR } else { f64::from(u8::from(!is_stop_word(word))) };
            factor * rarity(word)
        };
        let words: f64 = distinct.iter().map(of_word).sum();
        let fails = FAILURES.iter().any(|failure| self.words.iter().any(|word| word.contains(failure)));
        words * if fails { FAILURE_FACTOR } else { 1.0 } / (self.text.len() as f64 + 1.0).sqrt()
    }
}

/// Whether a word is a time, a date, a hash or another id, of which no text speaks twice.
fn is_id(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_hex = word.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '-' | 'x'));
    let is_time = digits >= 3 && letters <= 3 && word.contains([':', '-', '.', '/']) && !word.contains('_');
    let is_number = is_time || digits >= ID_DIGITS;
    (is_number && digits > letters) || (is_hex && digits >= 2 && word.len() >= 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_that_differ_in_times_and_numbers_are_one() {
        let line = |number: u32| {
            let minute = number % 60;
            format!(
                "2026-11-26T10:{minute:02}:01Z ERROR [pool-{number}] UpstreamError: connect_upstream refused ({number})"
            )
        };
        let log = (0..500).map(line).collect::<Vec<_>>().join("\n");
        let Condensed { text, lines, kept } = condense(&log, 10_240);
        assert_eq!(text, "ERROR [pool-0] UpstreamError: connect_upstream refused (0)");
        assert_eq!((lines, kept), (500, 1));
    }

    #[test]
    fn rare_names_are_kept_and_common_words_are_not() {
        let common = ["the request was served", "the cache was asked", "the queue was read", "the answer was sent"];
        let mut lines: Vec<String> = (0..2_000)
            .map(|at| {
                let words: Vec<&str> = (0..4).map(|place| common[(at >> (2 * place)) % 4]).collect();
                format!("worker says {}", words.join(" and "))
            })
            .collect();
        lines.insert(900, "src/heron/sweeper.rs: panicked in HeronSweeper::run_once".to_owned());
        lines.push("why does the sweeper stop?".to_owned());
        let text = condense(&lines.join("\n"), 1_024).text;
        assert!(text.len() <= 1_024);
        assert!(text.contains("HeronSweeper::run_once") && text.ends_with("why does the sweeper stop?"), "{text}");
    }

    #[test]
    fn a_text_without_line_ends_is_divided() {
        let words: Vec<String> =
            (0..5_000).map(|at| if at == 3_000 { "HeronSweeper".into() } else { format!("w{}", at % 7) }).collect();
        let condensed = condense(&words.join(" "), 1_024);
        assert!(condensed.text.contains("HeronSweeper"), "{}", condensed.text);
    }

    #[test]
    fn numbers_that_may_mean_something_stay() {
        let text =
            condense("port 5432 answered 404 at 10:22:03.123 (id 7f3a9c21, 550e8400-e29b-41d4-a716-446655440000)", 999)
                .text;
        assert_eq!(text, "port 5432 answered 404 at (id");
    }

    proptest! {
        #[test]
        fn a_condensed_text_fits_and_has_a_word(text in "(\\PC|\n){0,2000}", most_bytes in 1_024..2_000_usize) {
            let condensed = condense(&text, most_bytes);
            prop_assert!(condensed.text.len() <= most_bytes);
            prop_assert!(condensed.kept <= condensed.lines);
            prop_assert_eq!(condensed.text.trim().is_empty(), text.trim().is_empty(), "{:?}", condensed.text);
        }
    }
}
