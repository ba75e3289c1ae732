//! The parts of a question: its words, and the names in it, which are the same in every language.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use recall_core::Understood;
use recall_text::words::{is_stop_word, unspaced_letters};
use recall_text::{fold_case, normalize_text};

use super::dictionary::{Part, split};
use super::languages::{KnownWords, LANGUAGES};

/// The parts of a question, in order. `text` is its normalized text. Paths are names, and so are identifiers in scripts with spaces. A quoted
/// text is a name if the index contains all of its words.
pub(super) fn parts_of_question<'a>(question: &Understood, text: &'a str, index: &dyn KnownWords) -> Vec<Part<'a>> {
    let identifiers = question.identifiers.iter().filter(|name| unspaced_letters(name) == 0);
    let names = question.paths.iter().chain(&question.possible_paths).chain(identifiers);
    let names: Vec<Cow<'_, str>> = names.map(|name| normalize_text(name)).collect();
    let phrases = question.phrases.iter().map(|phrase| phrase.split_whitespace().collect::<Vec<_>>().join(" "));
    let phrases =
        phrases.map(|phrase| normalize_text(&phrase).into_owned()).filter(|phrase| is_of_texts(phrase, index));
    let phrases: Vec<String> = phrases.collect();
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((start, length)) = first_of(&phrases, rest) {
        push_words(&mut parts, &rest[..start], &names, index);
        parts.push(Part::Name(&rest[start..start + length]));
        rest = &rest[start + length..];
    }
    push_words(&mut parts, rest, &names, index);
    parts
}

/// Whether the index contains all words of a text.
fn is_of_texts(text: &str, index: &dyn KnownWords) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| is_stop_word(&fold_case(word)) || index.contains(&fold_case(word)))
}

/// The place and the length of the first phrase that a text has.
fn first_of(phrases: &[String], text: &str) -> Option<(usize, usize)> {
    let places = phrases.iter().filter_map(|phrase| Some((text.find(phrase.as_str())?, phrase.len())));
    places.min_by_key(|&(start, length)| (start, Reverse(length)))
}

fn push_words<'a>(parts: &mut Vec<Part<'a>>, text: &'a str, names: &[Cow<'_, str>], index: &dyn KnownWords) {
    for word in text.split_whitespace() {
        match names.iter().find(|name| word.contains(name.as_ref())) {
            Some(name) => {
                let start = word.find(name.as_ref()).unwrap_or_default();
                parts.push(Part::Name(&word[start..start + name.len()]));
            }
            None => match option_of(word) {
                Some(option) => {
                    parts.push(Part::Name(&word[option.clone()]));
                    parts.extend(split(&word[option.end..]));
                }
                None => match written_as_name(word, index) {
                    Some(name) => parts.push(Part::Name(name)),
                    None => parts.extend(split(word)),
                },
            },
        }
    }
}

/// Where the option of a command is in what stands between two blanks: `--name` or `-n`, in quotation marks or not. A script without blanks may
/// go on behind it.
fn option_of(word: &str) -> Option<Range<usize>> {
    let start = word.find(|c: char| c.is_alphanumeric() || c == '-')?;
    let name = word[start..].trim_start_matches('-');
    let dashes = word.len() - start - name.len();
    let length = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(name.len());
    let is_option = dashes == 2 && length > 0 || dashes == 1 && length == 1;
    is_option.then(|| start..start + dashes + length)
}

/// The name in what stands between two blanks, if its signs say that it is one: a name in backquotes, or words of the texts with hyphens, as in
/// `compile-codec-direction`.
fn written_as_name<'a>(word: &'a str, index: &dyn KnownWords) -> Option<&'a str> {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    if bare.is_empty() || !bare.is_ascii() {
        return None;
    }
    // Some function words have hyphens: `est-ce`.
    let has_hyphen = bare.contains('-')
        && bare.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !LANGUAGES.iter().any(|language| language.is_function_word(bare));
    let is_known = |part: &str| part.chars().all(|c| c.is_ascii_digit()) || index.contains(part);
    let is_telling = |part: &&str| !is_stop_word(part);
    let are_words = || bare.split('-').all(is_known) && bare.split('-').filter(is_telling).nth(1).is_some();
    let is_in_backquotes = word.split_once(bare).is_some_and(|(before, _)| before.ends_with('`'));
    (is_in_backquotes || has_hyphen && are_words()).then_some(bare)
}
