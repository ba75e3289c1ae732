//! Explorers without a language model: each looks for known lines with a fixed policy, and pays for what it calls and reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use super::recall::{CommandLine, Corpus, Passage};
use super::ripgrep;
use super::tree::{Place, Question};

/// An agent has given up after this many calls.
const MOST_CALLS: usize = 40;

/// The lines of one read.
const WINDOW: usize = 100;

/// The lines of one grep; an agent's tool cuts there or earlier.
const GREP_LINES: usize = 100;

/// A grep leads to this many files, and to this many windows in each.
const GREP_FILES: usize = 3;
const GREP_WINDOWS: usize = 2;

/// The passages of an answer, and what is read after it: the windows of the first files.
const PASSAGES: usize = 10;
const FIRST_FILES: usize = 5;
const FILE_WINDOWS: usize = 5;

/// The budget of a context.
const CONTEXT_TOKENS: &str = "4000";

/// The explorers, by name.
pub(crate) const EXPLORERS: [&str; 3] = ["grep and read", "recall search", "recall context"];

/// What was paid until something was read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Price {
    pub(crate) calls: usize,
    pub(crate) bytes: usize,
    pub(crate) ms: f64,
    /// Whether it was read at all.
    pub(crate) reached: bool,
}

impl Price {
    /// Four bytes a token, for every explorer alike.
    pub(crate) fn tokens(&self) -> f64 {
        self.bytes as f64 / 4.0
    }
}

/// What an explorer paid: for the first place of the answer, and for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) first: Price,
    pub(crate) all: Price,
}

/// Explores with one policy.
pub(crate) fn explore(name: &str, recall: &CommandLine, root: &Path, question: &Question) -> Result<Outcome, String> {
    let mut trail = Trail::new(root, &question.places);
    match name {
        "recall search" => search(&mut trail, recall, &question.text)?,
        "recall context" => {
            context(&mut trail, recall, &question.text)?;
            search(&mut trail, recall, &question.text)?;
        }
        _ => {}
    }
    grep(&mut trail, &question.text)?;
    Ok(trail.outcome())
}

/// Greps the words of the question, the rarest first, and reads around the matches in the files that have most of them. Which word
/// is rare, and which files have most matches, is told for nothing.
fn grep(trail: &mut Trail<'_>, question: &str) -> Result<(), String> {
    if trail.is_over() {
        return Ok(());
    }
    for (word, _) in ripgrep::by_rarity(trail.root, question, Corpus::Code)? {
        if trail.is_over() {
            return Ok(());
        }
        let begin = Instant::now();
        let lines = ripgrep::lines(trail.root, &word, Corpus::Code, &["--ignore-case"])?;
        let ms = milliseconds(begin);
        let answer: usize = lines.iter().take(GREP_LINES).map(|line| line.path.len() + line.text.len() + 8).sum();
        for line in lines.iter().take(GREP_LINES) {
            trail.show(&line.path, line.number, line.number);
        }
        trail.pay(&format!("rg -n -i '{word}'"), answer, ms);
        let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for line in &lines {
            files.entry(&line.path).or_default().push(line.number);
        }
        let mut files: Vec<(&str, Vec<usize>)> = files.into_iter().collect();
        files.sort_by_key(|(path, matches)| (std::cmp::Reverse(matches.len()), (*path).to_owned()));
        for (path, mut matches) in files.into_iter().take(GREP_FILES) {
            for _ in 0..GREP_WINDOWS {
                matches.retain(|line| !trail.is_shown_by_reading(path, *line));
                let Some(first) = densest_window(&matches) else { break };
                if trail.is_over() {
                    return Ok(());
                }
                trail.read(path, first)?;
            }
        }
    }
    Ok(())
}

/// Returns the first line of the window that has most of the matches, which begins some lines before its first match.
fn densest_window(matches: &[usize]) -> Option<usize> {
    /// What stands before a match explains it.
    const BEFORE: usize = 20;
    let covered = |first: usize| matches.iter().filter(|line| (first..first + WINDOW).contains(*line)).count();
    let starts = matches.iter().map(|line| line.saturating_sub(BEFORE).max(1));
    starts.max_by_key(|first| (covered(*first), std::cmp::Reverse(*first)))
}

/// Asks recall, and reads on in the files that the answer names.
fn search(trail: &mut Trail<'_>, recall: &CommandLine, question: &str) -> Result<(), String> {
    if trail.is_over() {
        return Ok(());
    }
    let (passages, answer) = recall.search(trail.root, question, Corpus::Code)?;
    let passages = &passages[..passages.len().min(PASSAGES)];
    let mut bytes = 0;
    for passage in passages {
        bytes += passage.path.len() + passage.text.len() + 16;
        trail.show(&passage.path, passage.first, passage.last);
    }
    trail.pay(&format!("recall search '{question}'"), bytes, answer.ms);
    let mut files: Vec<&str> = Vec::new();
    for passage in passages {
        if !files.contains(&passage.path.as_str()) {
            files.push(&passage.path);
        }
    }
    for path in files.into_iter().take(FIRST_FILES) {
        for first in windows_of(path, passages, trail.lines_of(path)) {
            if trail.is_over() {
                return Ok(());
            }
            trail.read(path, first)?;
        }
    }
    Ok(())
}

/// Returns the first lines of the windows of a file: around its best passage, after it, before it, and so on outwards.
fn windows_of(path: &str, passages: &[Passage], lines: usize) -> Vec<usize> {
    let best = passages.iter().find(|passage| passage.path == path).map_or(1, |passage| passage.first);
    let middle = best.saturating_sub(WINDOW / 4).max(1);
    let outwards = (1..lines / WINDOW + 2).flat_map(|step| {
        let before = (middle > (step - 1) * WINDOW + 1).then(|| middle.saturating_sub(step * WINDOW).max(1));
        [Some(middle + step * WINDOW), before]
    });
    std::iter::once(middle).chain(outwards.flatten()).filter(|first| *first <= lines).take(FILE_WINDOWS).collect()
}

/// Asks recall for a context.
fn context(trail: &mut Trail<'_>, recall: &CommandLine, question: &str) -> Result<(), String> {
    let arguments = ["context", "--scope", "project", "--budget-tokens", CONTEXT_TOKENS, "--", "-"];
    let answer = recall.ask(trail.root, &arguments, question)?;
    let text = answer.json["context"]["text"].as_str().unwrap_or_default();
    for (path, first, last, lines) in blocks(text) {
        trail.show_block(path, first, last, &lines);
    }
    trail.pay(&format!("recall context '{question}'"), text.len(), answer.ms);
    Ok(())
}

/// Returns the quoted blocks of a context: a heading `### path:first-last`, and the lines in its fence.
fn blocks(text: &str) -> Vec<(&str, usize, usize, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut heading = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(place) = line.strip_prefix("### ") {
            heading = place_of(place);
        } else if let (Some((path, first, last)), true) = (heading, line.starts_with("```")) {
            let fence: String = line.chars().take_while(|c| *c == '`').collect();
            let quoted: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != fence).collect();
            blocks.push((path, first, last, quoted));
        }
    }
    blocks
}

fn place_of(heading: &str) -> Option<(&str, usize, usize)> {
    let (path, lines) = heading.split_whitespace().next()?.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    Some((path, first.parse().ok()?, last.parse().ok()?))
}

/// What an explorer has seen and paid.
struct Trail<'a> {
    root: &'a Path,
    /// The lines of the answer that were not shown yet, a set a place. Of a place without lines any line of the file is enough.
    missing: Vec<(&'a str, Option<BTreeSet<usize>>)>,
    /// The lines that reads have shown.
    read: BTreeMap<String, BTreeSet<usize>>,
    spent: Price,
    first: Option<Price>,
    all: Option<Price>,
}

impl<'a> Trail<'a> {
    fn new(root: &'a Path, places: &'a [Place]) -> Self {
        let place = |place: &'a Place| (place.path.as_str(), place.lines.map(|(first, last)| (first..=last).collect()));
        let missing = places.iter().map(place).collect();
        let mut trail = Self { root, missing, read: BTreeMap::new(), spent: Price::default(), first: None, all: None };
        // A line after the end of the file cannot be read: what was inserted there is on one side only.
        for at in 0..trail.missing.len() {
            let last = trail.lines_of(trail.missing[at].0);
            if let Some(lines) = &mut trail.missing[at].1 {
                lines.retain(|line| *line <= last);
            }
        }
        trail
    }

    fn lines_of(&self, path: &str) -> usize {
        fs::read(self.root.join(path)).map_or(0, |bytes| String::from_utf8_lossy(&bytes).lines().count())
    }

    /// Counts lines as read.
    fn show(&mut self, path: &str, first: usize, last: usize) {
        for (of, lines) in self.missing.iter_mut().filter(|(of, _)| *of == path) {
            debug_assert_eq!(*of, path);
            match lines {
                Some(lines) => lines.retain(|line| !(first..=last).contains(line)),
                None => *lines = Some(BTreeSet::new()),
            }
        }
    }

    /// Counts those lines of a span as read that a quotation has; it may leave some out.
    fn show_block(&mut self, path: &str, first: usize, last: usize, quoted: &[&str]) {
        let Ok(bytes) = fs::read(self.root.join(path)) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let mut rest = quoted.iter().peekable();
        for (at, line) in text.lines().enumerate().skip(first.saturating_sub(1)).take(last + 1 - first.min(last)) {
            while rest.next_if(|quoted| quoted.trim() == "…").is_some() {}
            if rest.next_if(|quoted| quoted.trim_end() == line.trim_end()).is_some() {
                self.show(path, at + 1, at + 1);
            }
        }
    }

    /// Whether a line was in a read, and not only in a list of matches.
    fn is_shown_by_reading(&self, path: &str, line: usize) -> bool {
        self.read.get(path).is_some_and(|lines| lines.contains(&line))
    }

    /// Reads a window of a file, with the numbers of its lines.
    fn read(&mut self, path: &str, first: usize) -> Result<(), String> {
        let begin = Instant::now();
        let bytes = fs::read(self.root.join(path)).map_err(|error| format!("cannot read {path}: {error}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let answer: usize = text.lines().skip(first - 1).take(WINDOW).map(|line| line.len() + 8).sum();
        self.show(path, first, first + WINDOW - 1);
        self.read.entry(path.to_owned()).or_default().extend(first..first + WINDOW);
        self.pay(&format!("read {path} {first}"), answer, milliseconds(begin));
        Ok(())
    }

    /// Pays for a call, and notes what is read by now.
    fn pay(&mut self, call: &str, answer: usize, ms: f64) {
        self.spent.calls += 1;
        self.spent.bytes += call.len() + answer;
        self.spent.ms += ms;
        let is_read = |(_, lines): &(&str, Option<BTreeSet<usize>>)| lines.as_ref().is_some_and(BTreeSet::is_empty);
        let reached = Price { reached: true, ..self.spent };
        if self.first.is_none() && self.missing.iter().any(is_read) {
            self.first = Some(reached);
        }
        if self.all.is_none() && self.missing.iter().all(is_read) {
            self.all = Some(reached);
        }
    }

    fn is_over(&self) -> bool {
        self.all.is_some() || self.spent.calls >= MOST_CALLS
    }

    /// Returns the prices; of what was never read, what was spent in vain.
    fn outcome(&self) -> Outcome {
        Outcome { first: self.first.unwrap_or(self.spent), all: self.all.unwrap_or(self.spent) }
    }
}

fn milliseconds(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_covers_most_matches() {
        assert_eq!(densest_window(&[5, 300, 310, 390]), Some(280));
        assert_eq!(densest_window(&[5]), Some(1));
        assert_eq!(densest_window(&[]), None);
    }

    #[test]
    fn windows_go_outwards_from_the_best_passage() {
        let passage = Passage { path: "a".to_owned(), first: 225, last: 230, text: String::new() };
        assert_eq!(windows_of("a", &[passage], 350), [200, 300, 100, 1]);
        assert_eq!(windows_of("b", &[], 50), [1]);
    }

    #[test]
    fn a_context_quotes_blocks() {
        let text = "## Code\n### src/a.rs:3-6\n```rust\nlet a;\n…\nlet c;\n```\n### b.rs:1-2 fn b()\ntext\n";
        assert_eq!(blocks(text), [("src/a.rs", 3, 6, vec!["let a;", "…", "let c;"])]);
    }

    #[test]
    fn prices_are_noted_at_the_first_place_and_at_all() {
        let folder = std::env::temp_dir().join(format!("proof-trail-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let lines: Vec<String> = (1..=300).map(|line| format!("line {line}\n")).collect();
        fs::write(folder.join("a.rs"), lines.concat()).expect("written");
        let place = |lines| Place { path: "a.rs".to_owned(), lines: Some(lines) };
        let places = [place((150, 151)), place((300, 301))];
        let mut trail = Trail::new(&folder, &places);
        trail.read("a.rs", 1).expect("read");
        assert!(trail.first.is_none());
        trail.show_block("a.rs", 149, 152, &["line 149", "…", "line 151"]);
        trail.show("a.rs", 150, 150);
        trail.pay("x", 0, 0.0);
        assert_eq!(trail.first.map(|price| price.calls), Some(2));
        assert!(trail.all.is_none() && !trail.is_over());
        trail.read("a.rs", 250).expect("read");
        assert_eq!(trail.all.map(|price| (price.calls, price.reached)), Some((3, true)), "line 301 is not there");
        fs::remove_dir_all(&folder).expect("deleted");
    }
}
