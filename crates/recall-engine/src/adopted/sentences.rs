//! The sentences of a Markdown text, with the lines of fenced commands, and repeats among the files of agents.
//!
//! Front matter, comments and code are left out, and so is what stands under a heading that says that it is about examples or
//! about what is not there.
//!
//! People copy one text into the file of each agent. Nearly equal chunks of any files become one hit already. Here a chunk also repeats another one if that has all its statements and
//! more, and a file repeats another one if it differs only in front matter, blanks and the marks of lists.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use recall_core::Document;
use recall_text::DocPath;

use super::project::is_adopted;
use crate::engine::MountedStore;
use crate::error::StoreError;

/// A sentence, or a line of a fenced block of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The text on one line.
    pub(super) text: String,
    /// Where each line of it begins in `text`, with the number of the line, from 1; ascending.
    lines: Vec<(usize, u32)>,
    pub(super) form: Form,
}

/// What a sentence was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Prose,
    /// A command in a fenced block.
    Command,
}

impl Sentence {
    /// Returns the number of the line on which a byte of the text stands.
    pub(super) fn line_at(&self, at: usize) -> u32 {
        self.lines.iter().take_while(|(start, _)| *start <= at).last().map_or(1, |(_, line)| *line)
    }
}

/// The languages of fenced blocks that hold commands.
const SHELLS: [&str; 7] = ["bash", "sh", "shell", "zsh", "console", "shell-session", "shellscript"];

/// Words of a heading under which nothing is claimed to be there.
const UNREAL: [&str; 13] = [
    "example",
    "examples",
    "deprecated",
    "removed",
    "legacy",
    "history",
    "changelog",
    "todo",
    "todos",
    "future",
    "planned",
    "proposed",
    "roadmap",
];

/// Splits a text into its sentences, in order.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut reading = SentenceReading { found: Vec::new(), block: Block::default() };
    let mut fence: Option<Fence> = None;
    let mut is_comment = false;
    let mut unreal: Option<usize> = None;
    let body = after_front_matter(text);
    for (number, line) in (1..).zip(text.lines()).skip(body) {
        let trimmed = line.trim();
        if let Some(open) = &fence {
            if open.is_closed_by(trimmed) {
                fence = None;
            } else if open.has_commands && unreal.is_none() {
                reading.command(trimmed, number);
            }
            continue;
        }
        if is_comment || trimmed.starts_with("<!--") {
            is_comment = !trimmed.contains("-->");
            reading.end_block();
            continue;
        }
        if let Some(opened) = Fence::opened_by(trimmed) {
            reading.end_block();
            fence = Some(opened);
            continue;
        }
        if let Some(level) = heading_level(trimmed) {
            reading.end_block();
            if unreal.is_some_and(|above| level <= above) {
                unreal = None;
            }
            if unreal.is_none() && says_unreal(trimmed) {
                unreal = Some(level);
            }
            continue;
        }
        if unreal.is_some() {
            continue;
        }
        let begins_item = is_item(trimmed) || trimmed.starts_with('|');
        if trimmed.is_empty() || begins_item {
            reading.end_block();
        }
        if !trimmed.is_empty() {
            reading.block.push(trimmed, number);
        }
    }
    reading.end_block();
    reading.found
}

/// The state of the reading.
struct SentenceReading {
    found: Vec<Sentence>,
    block: Block,
}

impl SentenceReading {
    fn command(&mut self, line: &str, number: u32) {
        let text = line.strip_prefix("$ ").unwrap_or(line);
        if !text.is_empty() && !text.starts_with('#') {
            self.found.push(Sentence { text: text.to_owned(), lines: vec![(0, number)], form: Form::Command });
        }
    }

    fn end_block(&mut self) {
        let Block { text, lines } = std::mem::take(&mut self.block);
        let mut start = 0;
        for end in ends(&text) {
            let sentence = text[start..end].trim_end();
            if !sentence.is_empty() {
                let before = lines.iter().rev().find(|(at, _)| *at <= start).map_or(1, |(_, line)| *line);
                let within = lines.iter().filter(|(at, _)| *at > start && *at < end);
                let lines = std::iter::once((0, before)).chain(within.map(|(at, line)| (at - start, *line)));
                let lines = lines.collect();
                self.found.push(Sentence { text: sentence.to_owned(), lines, form: Form::Prose });
            }
            start = end;
        }
    }
}

/// The lines of a paragraph or a list item, joined by blanks.
#[derive(Default)]
struct Block {
    text: String,
    lines: Vec<(usize, u32)>,
}

impl Block {
    fn push(&mut self, line: &str, number: u32) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), number));
        self.text.push_str(line);
    }
}

/// Returns where the sentences of a block end: after a full stop, outside of backticks, before a blank.
fn ends(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut ends, mut is_code) = (Vec::new(), false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'`' => is_code = !is_code,
            b'.' | b'!' | b'?' if !is_code && bytes.get(at + 1) == Some(&b' ') && !is_abbreviation(&text[..at]) => {
                ends.push(at + 2);
            }
            _ => {}
        }
    }
    ends.push(text.len());
    ends
}

fn is_abbreviation(before: &str) -> bool {
    ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|short| before.ends_with(short))
}

struct Fence {
    mark: char,
    length: usize,
    has_commands: bool,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = line.chars().take_while(|c| *c == mark).count();
        let language = line[length..].trim();
        if length < 3 || (mark == '`' && language.contains('`')) {
            return None;
        }
        let language = language.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        Some(Self { mark, length, has_commands: SHELLS.contains(&language.as_str()) })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

/// Returns how many lines the front matter has.
fn after_front_matter(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    lines.position(|line| line.trim_end() == "---").map_or(0, |end| end + 2)
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    ((1..=6).contains(&level) && line[level..].starts_with(' ')).then_some(level)
}

fn says_unreal(heading: &str) -> bool {
    let words = heading.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.into_iter().any(|word| UNREAL.contains(&word.as_str()))
}

fn is_item(line: &str) -> bool {
    let bullet = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    bullet || (digits > 0 && (line[digits..].starts_with(". ") || line[digits..].starts_with(") ")))
}

/// The most files that are compared.
const MOST_FILES: usize = 300;

/// A line with fewer words, such as a heading, states too little to be recognised.
const FEW_WORDS: usize = 4;

/// What a text states: the hashes of its lines, without the marks of lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statements(BTreeSet<u64>);

impl Statements {
    pub(crate) fn read(text: &str) -> Self {
        let lines = body(text).map(words).filter(|words| words.len() >= FEW_WORDS);
        Self(lines.map(|words| hash_of(&words)).collect())
    }

    /// Returns whether every statement is one of the other text. A text without statements repeats nothing.
    pub(crate) fn repeat(&self, other: &Self) -> bool {
        !self.0.is_empty() && self.0.is_subset(&other.0)
    }
}

/// The files of agents that are listed once, with the other places of their texts.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// By the place of the store and the path there: the other places, as the client sees them.
    places: HashMap<(usize, DocPath), Vec<String>>,
    /// The files that another one stands for.
    repeats: HashSet<(usize, DocPath)>,
}

impl Repeats {
    /// Compares the files of agents that are wanted.
    pub(crate) fn among(stores: &[MountedStore], is_wanted: impl Fn(&Document) -> bool) -> Result<Self, StoreError> {
        let mut found = Self::default();
        let mut first: HashMap<u64, (usize, DocPath)> = HashMap::new();
        for (place, store) in stores.iter().enumerate() {
            let known = store.index.known_documents();
            let paths: BTreeSet<DocPath> = known.file_paths().filter(|path| is_adopted(store, path)).collect();
            for path in paths.into_iter().take(MOST_FILES) {
                let Some((document, text)) = read(store, &path)? else { continue };
                let words: Vec<&str> = body(&text).flat_map(words).collect();
                if words.is_empty() || !is_wanted(&document) {
                    continue;
                }
                match first.get(&hash_of(&words)) {
                    Some(known) => {
                        found.places.entry(known.clone()).or_default().push(store.mount.outer(path.as_str()));
                        found.repeats.insert((place, path));
                    }
                    None => _ = first.insert(hash_of(&words), (place, path)),
                }
            }
        }
        Ok(found)
    }

    /// Returns how many files of each store are repeats.
    pub(crate) fn counts(&self) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        for (store, _) in &self.repeats {
            *counts.entry(*store).or_default() += 1;
        }
        counts
    }

    /// Returns whether another file stands for this one.
    pub(crate) fn has(&self, store: usize, path: &DocPath) -> bool {
        self.repeats.contains(&(store, path.clone()))
    }

    /// Takes the other places of a file's text.
    pub(crate) fn take_places(&mut self, store: usize, path: &DocPath) -> Vec<String> {
        self.places.remove(&(store, path.clone())).unwrap_or_default()
    }
}

fn read(store: &MountedStore, path: &DocPath) -> Result<Option<(Document, String)>, StoreError> {
    store.index.read(|snapshot| {
        let Some(stored) = snapshot.document_at(path)? else { return Ok(None) };
        Ok(snapshot.text(stored.row)?.map(|text| (stored.document, text)))
    })
}

/// Returns the lines of a text after its front matter.
fn body(text: &str) -> impl Iterator<Item = &str> {
    let has_front_matter = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    let end = text.lines().skip(1).position(|line| line.trim_end() == "---").filter(|_| has_front_matter);
    text.lines().skip(end.map_or(0, |end| end + 2))
}

/// Returns the words of a line without the marks before it.
fn words(line: &str) -> Vec<&str> {
    line.trim_start_matches(['-', '*', '+', '#', '>', ' ', '\t']).split_whitespace().collect()
}

fn hash_of(words: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(u32, &str)]) {
        let found = sentences(text);
        let found: Vec<(u32, &str)> = found.iter().map(|sentence| (sentence.line_at(0), &*sentence.text)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_block_is_split_into_sentences_with_their_lines() {
        check(
            "# Title\n\nOne `a. b` here, e.g. this. Two goes\non. Three!\n- item\n  continued\n- next\n",
            &[
                (3, "One `a. b` here, e.g. this."),
                (3, "Two goes on."),
                (4, "Three!"),
                (5, "- item continued"),
                (7, "- next"),
            ],
        );
        let sentence = &sentences("Two goes\non and on")[0];
        assert_eq!([0, 8, 9, 12].map(|at| sentence.line_at(at)), [1, 1, 2, 2]);
    }

    #[test]
    fn code_comments_and_front_matter_are_left_out() {
        check("---\ndescription: x\n---\nText.\n", &[(4, "Text.")]);
        check("<!-- a\nb -->\nText.\n```rust\ncode\n```\nMore.", &[(3, "Text."), (7, "More.")]);
        check("````md\n```sh\nmake x\n```\n````\n", &[]);
    }

    #[test]
    fn fenced_commands_are_lines() {
        check("```bash\n# build\n$ make all\nnpm run x\n```\n", &[(3, "make all"), (4, "npm run x")]);
    }

    #[test]
    fn examples_and_plans_claim_nothing() {
        check("## Example layout\nSee a.\n### More\nb.\n## Layout\nSee c.\n", &[(6, "See c.")]);
    }

    fn check_repeats(text: &str, other: &str, expected: bool) {
        assert_eq!(Statements::read(text).repeat(&Statements::read(other)), expected, "{text:?} in {other:?}");
    }

    #[test]
    fn a_text_repeats_one_that_states_the_same_and_more() {
        let long = "# Rules\n\n- Run `make check` before each commit.\n- Never edit the generated files.\n";
        check_repeats("---\nglobs: src/**\n---\n* Run `make check`  before each commit.\n", long, true);
        check_repeats("Never edit the generated files.\nKeep functions short and plain.\n", long, false);
        check_repeats("# Rules\n", long, false);
        check_repeats(long, "- Run `make check` before each commit.\n", false);
        check_repeats("", long, false);
    }
}
