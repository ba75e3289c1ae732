//! A dictionary from one language to English, and the words that are looked up: what stands between two blanks, or in a
//! run without spaces.
//!
//! A line of its file is an English word or expression, a tab, and the words that mean it, the most usual first, separated by
//! commas. Before the tab of function words stands nothing, or an English question word. The lines are in the order of how usual the
//! English words are in code and its documentation, which decides between equivalents in the same place.
//!
//! The dictionary decides where words begin: of all ways to cut a run, the one with the fewest words and the fewest letters that are
//! in no word. Function words are in the dictionary too, so that a particle does not join the noun before it.

use std::collections::HashMap;

use frostem::Stemmer;
use recall_text::fold_case;
use recall_text::words::{Piece, letters, pieces, runs};
use rustc_hash::FxBuildHasher;

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

/// English question words. They tell what kind of answer is wanted, as *explain* does.
const QUESTION_WORDS: &[&str] = &["explain", "how", "what", "when", "where", "which", "who", "why"];

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

/// The English words of the text of a dictionary that stand alone.
pub(super) fn english_words(text: &'static str) -> impl Iterator<Item = &'static str> {
    let english = text.lines().filter_map(|line| line.split_once('\t')).map(|(english, _)| english);
    english.filter(|english| !english.is_empty() && !english.contains(' '))
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
            // The parts of a word with hyphens are looked up one by one, so it is an expression.
            for (place, word) in words.map(|word| word.replace('-', " ")).enumerate() {
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

    /// The meaning of the longest expression of several words at the beginning of some parts, and the number of its words: `mot de passe`,
    /// `por qué`.
    pub(super) fn expression(&self, parts: &[Part<'_>]) -> Option<(usize, Meaning<'_>)> {
        let mut ends = Vec::new();
        let mut text = String::new();
        for part in &parts[..parts.len().min(self.most_words)] {
            let (Part::Word(word) | Part::Run(word)) = part else { break };
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&fold_case(word));
            ends.push(text.len());
        }
        let longer = ends.iter().enumerate().skip(1).rev();
        longer.into_iter().find_map(|(place, &end)| Some((place + 1, self.exactly(&text[..end])?)))
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

/// A part of what stands between two blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A name of code, a path or a number, which is the same in every language.
    Name(&'a str),
    Word(&'a str),
    /// Words of a script without spaces.
    Run(&'a str),
}

/// The parts of what stands between two blanks, in order: `Handler-Funktionen`, `Redisの接続`, `l'index`.
pub(super) fn split(word: &str) -> Vec<Part<'_>> {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    if bare.is_ascii() && bare.contains(['.', '_', ':', '@', '#']) {
        return vec![Part::Name(bare)];
    }
    // French has the words `don` and `t`.
    if ["n't", "n’t"].iter().any(|end| bare.ends_with(end)) {
        return Vec::new();
    }
    let bare = ["'s", "’s"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let mut parts = Vec::new();
    for part in bare.split('-') {
        if is_name(part) {
            parts.push(Part::Name(part));
            continue;
        }
        parts.extend(runs(part).flat_map(pieces).map(|piece| match piece {
            Piece::Spaced(word) if is_name(word) => Part::Name(word),
            Piece::Spaced(word) => Part::Word(word),
            Piece::Unspaced(run) => Part::Run(run),
        }));
    }
    parts
}

/// Whether a word is written like a name of code.
fn is_name(word: &str) -> bool {
    let has_inner_capital = || word.chars().skip(1).any(char::is_uppercase);
    let has_sign = || word.chars().any(|c| !c.is_ascii_alphabetic() && c != '\'');
    word.is_ascii() && (has_sign() || has_inner_capital())
}

/// What a word of several letters costs.
const WORD: u32 = 10;

/// What a word of one letter costs: one letter belongs to a longer word more often than it is one.
const LETTER: u32 = 16;

/// What a letter in no word costs: more than a word of one letter.
const UNKNOWN_LETTER: u32 = 22;

/// The best way to cut a run up to one of its letters.
#[derive(Clone, Copy)]
struct Cut {
    cost: u32,
    /// Where its last word begins, in letters.
    from: usize,
}

/// Cuts a run in its folded form into words, in order, with their meaning; `None` for neighbouring letters that are in no word.
pub(super) fn unspaced_words<'run, 'dictionary>(
    run: &'run str,
    dictionary: &'dictionary Dictionary,
) -> Vec<(&'run str, Option<Meaning<'dictionary>>)> {
    let ends: Vec<usize> = letters(run)
        .scan(0, |end, letter| {
            *end += letter.len();
            Some(*end)
        })
        .collect();
    let starts_at = |letter: usize| letter.checked_sub(1).map_or(0, |before| ends[before]);
    let mut best = vec![Cut { cost: 0, from: 0 }];
    for to in 1..=ends.len() {
        let unknown = Cut { cost: best[to - 1].cost + UNKNOWN_LETTER, from: to - 1 };
        let cuts = (to.saturating_sub(dictionary.longest())..to).filter_map(|from| {
            dictionary.exactly(&run[starts_at(from)..ends[to - 1]])?;
            Some(Cut { cost: best[from].cost + if to - from == 1 { LETTER } else { WORD }, from })
        });
        best.push(cuts.chain([unknown]).min_by_key(|cut| cut.cost).unwrap_or(unknown));
    }
    let mut words: Vec<(&str, Option<Meaning<'_>>)> = Vec::new();
    let mut to = ends.len();
    // From the end, because each cut knows the word before it.
    let mut end = run.len();
    while to > 0 {
        let from = best[to].from;
        let meaning = dictionary.exactly(&run[starts_at(from)..starts_at(to)]);
        if meaning.is_none() && words.last().is_some_and(|(_, meaning)| meaning.is_none()) {
            words.pop();
        } else {
            end = starts_at(to);
        }
        words.push((&run[starts_at(from)..end], meaning));
        to = from;
    }
    words.reverse();
    words
}
