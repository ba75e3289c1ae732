//! Questions that people ask about a repository, with their answers, and the words that distinguish one text from
//! others.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use crate::quality::mine::MinedQuery;
use crate::training::comments::{self, Body, Uncommented};
use crate::training::sources::spread;
use recall_chunk::{ChunkLimits, Chunker};
use recall_core::{Limits, SymbolKind};
use recall_text::words::is_stop_word;
use recall_text::{DocPath, FileKind, Form, Language};

/// A question with the paths of its answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    answers: BTreeSet<String>,
    /// Documents that may or may not be answers.
    unjudged: BTreeSet<String>,
}

impl Question {
    /// Creates a question without answers.
    pub(crate) fn new(kind: &'static str, text: &str) -> Self {
        Self { kind, text: text.to_owned(), answers: BTreeSet::new(), unjudged: BTreeSet::new() }
    }

    fn answered_by<'a>(mut self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        self.answers.extend(paths.into_iter().map(ToOwned::to_owned));
        self
    }

    fn with_unjudged<'a>(mut self, paths: impl IntoIterator<Item = &'a str>) -> Self {
        self.unjudged.extend(paths.into_iter().map(ToOwned::to_owned));
        self
    }

    /// Whether the document at a path is an answer.
    pub(crate) fn is_answer(&self, path: &str) -> bool {
        self.answers.contains(path)
    }

    /// Whether the document at a path is unjudged.
    pub(crate) fn is_unjudged(&self, path: &str) -> bool {
        self.unjudged.contains(path)
    }
}

/// The number of questions of each kind per tree.
const COMMITS: usize = 20;
const COMMENTS: usize = 12;
const HEADINGS: usize = 16;
const SECTIONS: usize = 8;
const WORDS: usize = 10;
const NAMES: usize = 16;
const PATHS: usize = 8;
const TESTS: usize = 10;

/// The minimum length of a name; shorter ones are common words.
const MIN_NAME_CHARS: usize = 6;

/// The number of files that are parsed for definitions.
const READ_FILES: usize = 1_200;

/// The number of keywords of a section.
const KEYWORDS: usize = 3;

/// The number of memories asked for in each way.
const EACH: usize = 12;

/// The number of ways to ask for memories, used in turn.
const WAYS: usize = 5;

/// Returns the questions about a tree: definitions by their comments, which are removed from the files, documents by
/// their headings and keywords, and files by names, paths, tests and words.
pub(crate) fn tree_questions(tree: &Path, files: &[DocPath]) -> Result<Vec<Question>, Box<dyn Error + Send + Sync>> {
    let read = |path: &DocPath| fs::read_to_string(tree.join(path.as_str())).ok();
    let mut questions = Vec::new();
    let bared =
        spread(files, 8 * COMMENTS).filter_map(|path| Some((path, comments::without_comment(path, &read(path)?)?)));
    for (path, Uncommented { sentence, text }) in bared.take(COMMENTS) {
        fs::write(tree.join(path.as_str()), text)?;
        questions.push(Question::new("comment", &sentence).answered_by([path.as_str()]));
    }
    questions.extend(heading_questions(files, &read));
    questions.extend(section_questions(files, &read));
    questions.extend(name_questions(files, &read));
    questions.extend(path_questions(files));
    questions.extend(word_questions(files, &read));
    Ok(questions)
}

/// Documents by headings that only one document has.
fn heading_questions(files: &[DocPath], read: &impl Fn(&DocPath) -> Option<String>) -> Vec<Question> {
    let mut headings: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for path in files.iter().filter(|path| path.extension() == Some("md")) {
        for section in read(path).iter().flat_map(|text| comments::sections(text)) {
            if comments::is_descriptive(&section.heading) {
                headings.entry(section.heading).or_default().insert(path.as_str());
            }
        }
    }
    headings.retain(|_, paths| paths.len() == 1);
    let headings: Vec<_> = headings.into_iter().collect();
    let question = |(heading, paths): &(String, BTreeSet<&str>)| {
        Question::new("heading", heading).answered_by(paths.iter().copied())
    };
    spread(&headings, HEADINGS).map(question).collect()
}

/// Documents by three keywords of a section that no other document contains together.
fn section_questions(files: &[DocPath], read: &impl Fn(&DocPath) -> Option<String>) -> Vec<Question> {
    let documents = files.iter().filter(|path| path.extension() == Some("md"));
    let documents: Vec<(&DocPath, String)> = documents.filter_map(|path| Some((path, read(path)?))).collect();
    let mut vocabulary = Vocabulary::default();
    for (_, text) in &documents {
        vocabulary.add(text);
    }
    let words: Vec<BTreeSet<String>> = documents.iter().map(|(_, text)| distinguishing_words(text)).collect();
    let sections =
        documents.iter().flat_map(|(path, text)| comments::sections(text).into_iter().map(move |one| (*path, one)));
    let sections: Vec<_> = sections.collect();
    let question = |(path, section): &(&DocPath, comments::Section)| {
        let keywords = vocabulary.rarest(&section.text, KEYWORDS);
        let holding = words.iter().filter(|words| keywords.iter().all(|word| words.contains(word))).count();
        let is_descriptive = keywords.len() == KEYWORDS && holding == 1;
        is_descriptive.then(|| Question::new("keywords", &keywords.join(" ")).answered_by([path.as_str()]))
    };
    spread(&sections, 2 * SECTIONS).filter_map(question).take(SECTIONS).collect()
}

/// Files of all kinds by a word that no other file contains.
fn word_questions(files: &[DocPath], read: &impl Fn(&DocPath) -> Option<String>) -> Vec<Question> {
    let texts: Vec<(&DocPath, String)> = spread(files, READ_FILES)
        .filter_map(|path| Some((path, read(path).filter(|text| text.len() < 400_000)?)))
        .collect();
    let mut vocabulary = Vocabulary::default();
    for (_, text) in &texts {
        vocabulary.add(text);
    }
    let question = |(path, text): &(&DocPath, String)| {
        let word = vocabulary.rarest(text, 1).into_iter().find(|word| vocabulary.texts(word) == 1)?;
        Some(Question::new("word", &word).answered_by([path.as_str()]))
    };
    // Many files have no unique word.
    spread(&texts, 4 * WORDS).filter_map(question).take(WORDS).collect()
}

/// Definitions by their names, in their own or another spelling, and tests by the names that they contain.
fn name_questions(files: &[DocPath], read: &impl Fn(&DocPath) -> Option<String>) -> Vec<Question> {
    let mut chunker = Chunker::new(ChunkLimits::from(&Limits::default()));
    let mut defined: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut tests: Vec<(&str, String)> = Vec::new();
    for path in spread(files, READ_FILES) {
        let Some(text) = read(path).filter(|text| text.len() < 400_000) else { continue };
        let language = Language::detect(path, &text);
        if Form::for_language(language.as_ref()) != Form::Program {
            continue;
        }
        let is_test = FileKind::from_path(path) == FileKind::Test;
        let parsed = chunker.parse(path, language.as_ref(), &text);
        for symbol in parsed.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Module) {
            if symbol.name.len() >= MIN_NAME_CHARS && symbol.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            {
                defined.entry(symbol.name.clone()).or_default().insert(path.as_str());
            }
        }
        if is_test {
            tests.push((path.as_str(), text));
        }
    }
    let is_main = |path: &str| DocPath::new(path).is_ok_and(|path| FileKind::from_path(&path) == FileKind::Main);
    defined.retain(|_, paths| paths.len() == 1 && paths.iter().all(|path| is_main(path)));
    let names: Vec<(&String, &str)> =
        defined.iter().filter_map(|(name, paths)| Some((name, paths.first().copied()?))).collect();
    let mut questions = Vec::new();
    for (number, (name, path)) in spread(&names, NAMES).enumerate() {
        questions.push(Question::new("symbol", name).answered_by([*path]));
        let other = if number % 2 == 0 { name.to_lowercase() } else { misspell(name, number) };
        let kind = if number % 2 == 0 { "lower" } else { "misspelled" };
        questions.push(Question::new(kind, &other).answered_by([*path]));
    }
    let tested: Vec<(&String, Vec<&str>)> = spread(&names, 40 * TESTS)
        .map(|(name, _)| {
            let holds = tests.iter().filter(|(_, text)| contains_word(text, name));
            (*name, holds.map(|(path, _)| *path).collect())
        })
        .filter(|(_, holding): &(_, Vec<&str>)| !holding.is_empty())
        .collect();
    for (number, (name, holding)) in spread(&tested, TESTS).enumerate() {
        let text = match number % 3 {
            0 => format!("tests for {name}"),
            1 => format!("test of {name}"),
            _ => format!("how is {name} tested"),
        };
        questions.push(Question::new("tests", &text).answered_by(holding.iter().copied()));
    }
    questions
}

/// Returns a name with a letter missing or two letters swapped.
fn misspell(name: &str, number: usize) -> String {
    let at = 2 + number % (name.len() - 4);
    let (before, after) = name.split_at(at);
    if number % 4 == 1 {
        format!("{before}{}", &after[1..])
    } else {
        format!("{before}{}{}{}", &after[1..2], &after[..1], &after[2..])
    }
}

/// Whether a text contains a name as a whole word.
fn contains_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

/// Files by their paths, and by names that occur once.
fn path_questions(files: &[DocPath]) -> Vec<Question> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in files {
        names.entry(path.file_name()).or_default().push(path.as_str());
    }
    let once: Vec<(&str, &str)> =
        names.iter().filter(|(_, paths)| paths.len() == 1).map(|(name, paths)| (*name, paths[0])).collect();
    let whole = spread(files, PATHS).map(|path| Question::new("path", path.as_str()).answered_by([path.as_str()]));
    let by_name = spread(&once, PATHS).map(|(name, path)| Question::new("file", name).answered_by([*path]));
    whole.chain(by_name).collect()
}

/// Files by the subjects of the commits that changed them, if the tree has them.
pub(crate) fn commit_questions(tree: &Path, commits: &[MinedQuery]) -> Vec<Question> {
    let question = |commit: &MinedQuery| {
        let there = commit.relevant.iter().map(String::as_str).filter(|path| tree.join(path).is_file());
        Question::new("commit", &commit.text).answered_by(there).with_unjudged(commit.tests.iter().map(String::as_str))
    };
    spread(commits, COMMITS).map(question).filter(|question| !question.answers.is_empty()).collect()
}

/// A memory by the subject of its commit, its first sentence, its title, the reason for its subject, or a word that
/// only it contains, if there is one.
///
/// The files of the commit are unjudged in questions by subject: they may be answers too.
pub(crate) fn memory_question(number: usize, body: &Body, id: &str, vocabulary: &Vocabulary) -> Option<Question> {
    if number >= WAYS * EACH {
        return None;
    }
    let files = || body.files.iter().map(String::as_str);
    let question = match number % WAYS {
        0 => Question::new("subject", &body.subject).with_unjudged(files()),
        1 => Question::new("verbatim", &first_sentence(&body.text)),
        WITH_TITLE => Question::new("title", &title(body)),
        3 => Question::new("why", &format!("why {}", body.subject.trim_end_matches('.'))).with_unjudged(files()),
        _ => {
            let word = vocabulary.rarest(&body.text, 1).into_iter().find(|word| vocabulary.texts(word) == 1)?;
            Question::new("word", &word)
        }
    };
    Some(question.answered_by([id]))
}

/// The way of asking for which a memory has a title of its own.
const WITH_TITLE: usize = 2;

/// Whether a memory has a title of its own.
pub(crate) fn is_titled(number: usize) -> bool {
    number % WAYS == WITH_TITLE
}

/// Returns the title of such a memory: the subject of its commit.
pub(crate) fn title(body: &Body) -> String {
    body.subject.trim_end_matches('.').to_owned()
}

/// Returns the first sentence of a text, at most 160 bytes.
fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let end = end.filter(|&at| text[at..].is_empty() || text[at..].starts_with(' ')).find(|&at| at > 20);
    text[..text.floor_char_boundary(end.unwrap_or(160).min(160))].to_owned()
}

/// The minimum length of a keyword.
const MIN_CHARS: usize = 5;

/// The number of texts that contain each word.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary(BTreeMap<String, usize>);

impl Vocabulary {
    /// Counts the distinct words of a text.
    pub(crate) fn add(&mut self, text: &str) {
        for word in distinguishing_words(text) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// Returns the words of a text that the fewest other texts contain, the rarest first, then in alphabetic order.
    pub(crate) fn rarest(&self, text: &str, most: usize) -> Vec<String> {
        let mut words: Vec<String> = distinguishing_words(text).into_iter().collect();
        words.sort_by_key(|word| self.texts(word));
        words.truncate(most);
        words
    }

    /// Returns the number of texts that contain a word.
    pub(crate) fn texts(&self, word: &str) -> usize {
        self.0.get(word).copied().unwrap_or_default()
    }
}

/// Returns the words of a text in lower case, without stop words and words with other characters than letters.
pub(crate) fn distinguishing_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| word.len() >= MIN_CHARS && word.chars().all(|c| c.is_ascii_alphabetic()));
    words.map(str::to_ascii_lowercase).filter(|word| !is_stop_word(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_lacks_a_letter_or_has_two_swapped() {
        assert_eq!(misspell("ClientSession", 1), "ClintSession");
        assert_eq!(misspell("ClientSession", 3), "ClienSte".to_owned() + "ssion");
    }

    #[test]
    fn only_whole_words_match() {
        assert!(contains_word("let x = open_store();", "open_store"));
        assert!(!contains_word("let x = reopen_store();", "open_store"));
        assert!(!contains_word("open_stores", "open_store"));
    }

    #[test]
    fn a_sentence_is_cut_at_its_end() {
        assert_eq!(first_sentence("Retries wait for a while now.\nMore."), "Retries wait for a while now.");
        assert_eq!(first_sentence(&"word ".repeat(60)).len(), 160);
    }

    #[test]
    fn the_rarest_words_of_a_text_come_first() {
        let mut vocabulary = Vocabulary::default();
        for text in ["Retries wait before sending", "Retries carry jitter", "Sending retries"] {
            vocabulary.add(text);
        }
        assert_eq!(vocabulary.rarest("retries carry jitter", 2), ["carry", "jitter"]);
        assert_eq!(vocabulary.rarest("Sending RETRIES again", 9), ["again", "sending", "retries"]);
        assert_eq!((vocabulary.texts("retries"), vocabulary.texts("never")), (3, 0));
    }

    #[test]
    fn a_word_has_only_letters() {
        assert_eq!(
            distinguishing_words("open_store uses version2 about lockfiles").into_iter().collect::<Vec<_>>(),
            ["lockfiles"]
        );
    }
}
