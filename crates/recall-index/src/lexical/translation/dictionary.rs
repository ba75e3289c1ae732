//! A dictionary from one language to English.
//!
//! A line of its file is an English word or expression, a tab, and the words that mean it, the most usual first, separated by
//! commas. Before the tab of function words stands nothing, or an English question word. The lines are in the order of how usual the
//! English words are in code and its documentation, which decides between equivalents in the same place.

use std::collections::HashMap;

use frostem::Stemmer;
use recall_text::fold_case;
use recall_text::words::letters;
use rustc_hash::FxBuildHasher;

use super::parts::Part;

/// A dictionary in memory.
pub(super) struct Dictionary {
    /// By word in its folded form, and by its stem.
    entries: HashMap<String, Entry, FxBuildHasher>,
    stemmer: Option<Stemmer>,
    /// The number of letters of the longest word.
    longest: usize,
    /// The number of words of the longest expression.
    most_words: usize,
}

enum Entry {
    FunctionWord(Option<&'static str>),
    Equivalents(Vec<&'static str>),
}

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// The word is a function word. It has no English equivalent unless it is a question word.
    FunctionWord(Option<&'static str>),
    /// English words or expressions, the most usual first; at least one.
    Equivalents(&'a [&'static str]),
}

/// The fewest letters of a stem. A shorter one is shared by words that have nothing in common.
const MIN_STEM_LETTERS: usize = 3;

/// English question words. They tell what kind of answer is wanted.
const QUESTION_WORDS: &[&str] = &["how", "what", "when", "where", "which", "who", "why"];

/// The function words of a dictionary, in their folded form, each with the question word that it is.
pub(super) type FunctionWords = HashMap<String, Option<&'static str>, FxBuildHasher>;

/// Reads the function words of the text of a dictionary.
pub(super) fn function_words(text: &'static str) -> FunctionWords {
    let lines = lines(text).filter(|(english, _)| are_function_words(english));
    lines.flat_map(|(english, words)| words.map(move |word| (word, (!english.is_empty()).then_some(english)))).collect()
}

fn are_function_words(english: &str) -> bool {
    english.is_empty() || QUESTION_WORDS.contains(&english)
}

/// The lines of the text of a dictionary: English, and the words that mean it in their folded form.
fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, impl Iterator<Item = String>)> {
    let split = text.lines().filter_map(|line| line.split_once('\t'));
    split.map(|(english, words)| (english, words.split(',').map(|word| fold_case(word.trim()).into_owned())))
}

impl Dictionary {
    /// Reads the text of a dictionary. Words that inflect are also found by their stem.
    pub(super) fn read(text: &'static str, function_words: &FunctionWords, stemmer: Option<Stemmer>) -> Self {
        let mut dictionary = Self { entries: HashMap::default(), stemmer, longest: 0, most_words: 1 };
        let as_entry =
            |(word, question_word): (&String, &Option<_>)| (word.clone(), Entry::FunctionWord(*question_word));
        dictionary.entries.extend(function_words.iter().map(as_entry));
        let mut found: HashMap<String, Vec<(usize, &'static str)>, FxBuildHasher> = HashMap::default();
        for (english, words) in lines(text).filter(|(english, _)| !are_function_words(english)) {
            for (place, word) in words.enumerate() {
                if let Some(stem) = dictionary.stem(&word).filter(|stem| *stem != word) {
                    found.entry(stem).or_default().push((place, english));
                }
                found.entry(word).or_default().push((place, english));
            }
        }
        for (word, mut equivalents) in found {
            equivalents.sort_by_key(|&(place, _)| place);
            let mut distinct: Vec<&'static str> = Vec::with_capacity(equivalents.len());
            for (_, english) in equivalents {
                if !distinct.contains(&english) {
                    distinct.push(english);
                }
            }
            dictionary.entries.entry(word).or_insert(Entry::Equivalents(distinct));
        }
        dictionary.longest = dictionary.entries.keys().map(|word| letters(word).count()).max().unwrap_or(0);
        dictionary.most_words = dictionary.entries.keys().map(|word| word.split(' ').count()).max().unwrap_or(1);
        dictionary
    }

    /// The equivalents of the longest expression of several words at the beginning of some parts, and the number of its words:
    /// `mot de passe`.
    pub(super) fn expression(&self, parts: &[Part<'_>]) -> Option<(usize, &[&'static str])> {
        let mut ends = Vec::new();
        let mut text = String::new();
        for part in &parts[..parts.len().min(self.most_words)] {
            let Part::Word(word) = part else { break };
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&fold_case(word));
            ends.push(text.len());
        }
        let longer = ends.iter().enumerate().skip(1).rev();
        longer.into_iter().find_map(|(place, &end)| match self.exactly(&text[..end])? {
            Meaning::Equivalents(equivalents) => Some((place + 1, equivalents)),
            Meaning::FunctionWord(_) => None,
        })
    }

    /// What a word in its folded form means. `None` if the dictionary has neither it nor another form of it.
    pub(super) fn meaning(&self, word: &str) -> Option<Meaning<'_>> {
        self.exactly(word).or_else(|| self.exactly(&self.stem(word)?))
    }

    /// What a word means that is in the dictionary as it is.
    pub(super) fn exactly(&self, word: &str) -> Option<Meaning<'_>> {
        Some(match self.entries.get(word)? {
            Entry::FunctionWord(question_word) => Meaning::FunctionWord(*question_word),
            Entry::Equivalents(equivalents) => Meaning::Equivalents(equivalents),
        })
    }

    /// The number of letters of the longest word.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The stem of a word in its folded form; `None` if the words of the language do not inflect, or if too little is left of it.
    pub(super) fn stem(&self, word: &str) -> Option<String> {
        let stem = self.stemmer.as_ref()?.stem(word);
        (letters(&stem).count() >= MIN_STEM_LETTERS).then(|| stem.into_owned())
    }
}
