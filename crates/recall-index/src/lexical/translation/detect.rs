//! The language of a question.

use recall_text::fold_case;
use recall_text::words::is_stop_word;

use super::dictionary::{Meaning, Part};
use super::languages::{LANGUAGES, NaturalLanguage, Script};

/// How much of a question is in another language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// It is a sentence of the language.
    Whole,
    /// Only single words: those that have accents or that the index lacks.
    SingleWords,
}

/// The language of a question, if a dictionary translates it. `None` for English.
///
/// Most scripts tell the language. For Latin letters the function words decide, which every sentence has. Words without any may be in
/// the language whose dictionary has those that the index lacks. `parts` are those of the question.
pub(super) fn language_of(
    question: &str,
    parts: &[Part<'_>],
    index: &dyn KnownWords,
) -> Option<(&'static NaturalLanguage, Extent)> {
    match script_of(question) {
        Script::Latin => latin(parts, index),
        script => Some((LANGUAGES.iter().find(|language| language.script == script)?, Extent::Whole)),
    }
}

/// The script of the letters that are not Latin, if there are any. Kana decide against Chinese characters, which Japanese has too.
pub(super) fn script_of(question: &str) -> Script {
    if question.is_ascii() {
        return Script::Latin;
    }
    let scripts = question.chars().filter_map(|c| match c {
        '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Some(Script::Kana),
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Some(Script::Hangul),
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => Some(Script::Han),
        _ => None,
    });
    scripts.fold(Script::Latin, |script, next| match (script, next) {
        (Script::Latin, next) | (Script::Han, next @ (Script::Kana | Script::Hangul)) => next,
        (script, _) => script,
    })
}

/// A word of a question in its folded form.
struct QuestionWord {
    text: String,
    is_english_stop_word: bool,
    /// Whether it may be of another language: it has accents, which English seldom has, or the index lacks it.
    may_be_foreign: bool,
}

impl QuestionWord {
    fn new(word: &str, index: &dyn KnownWords) -> Self {
        let text = fold_case(word).into_owned();
        let is_english_stop_word = is_stop_word(&text);
        let may_be_foreign = !is_english_stop_word && (!text.is_ascii() || !index.contains(&text));
        Self { text, is_english_stop_word, may_be_foreign }
    }
}

/// The language of words in Latin letters.
fn latin(parts: &[Part<'_>], index: &dyn KnownWords) -> Option<(&'static NaturalLanguage, Extent)> {
    let words = parts.iter().filter_map(|part| match part {
        Part::Word(word) => Some(QuestionWord::new(word, index)),
        Part::Name(_) | Part::Run(_) => None,
    });
    let words: Vec<QuestionWord> = words.collect();
    let languages = LANGUAGES.iter().filter(|language| language.script == Script::Latin);
    let counted: Vec<_> = languages.map(|language| (function_words(language, &words), language)).collect();
    let most = counted.iter().map(|(count, _)| *count).max()?;
    // Most questions are in English and end here, before a dictionary is read.
    if most < 0 || most == 0 && !words.iter().any(|word| word.may_be_foreign) {
        return None;
    }
    let nearest = counted.into_iter().filter(|(count, _)| *count == most);
    let (known, language) =
        nearest.map(|(_, language)| (KnownOf::count(language, &words), language)).max_by_key(|it| it.0)?;
    let extent = match (most, known.foreign) {
        // One function word alone does not make a sentence: `man page` is English.
        (2.., _) | (1, 1..) => Extent::Whole,
        (0, 1..) => Extent::SingleWords,
        _ => return None,
    };
    Some((language, extent))
}

/// The number of function words of a language that English lacks, less those of English that the language lacks.
fn function_words(language: &NaturalLanguage, words: &[QuestionWord]) -> isize {
    let sign = |word: &QuestionWord| match (language.is_function_word(&word.text), word.is_english_stop_word) {
        (true, false) => 1,
        (false, true) => -1,
        (true, true) | (false, false) => 0,
    };
    words.iter().map(sign).sum()
}

/// How many other words of a question the dictionary of a language has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KnownOf {
    /// Those that may be foreign and are not nearly the same in English.
    foreign: usize,
    /// All of them, which decides between neighbours such as German and Dutch.
    all: usize,
}

impl KnownOf {
    fn count(language: &NaturalLanguage, words: &[QuestionWord]) -> Self {
        let mut known = Self { foreign: 0, all: 0 };
        for word in words.iter().filter(|word| !word.is_english_stop_word) {
            let is_like_english = match language.meaning(&word.text) {
                Some(Meaning::Equivalents(equivalents)) => {
                    equivalents.iter().any(|english| begin_alike(english, &word.text))
                }
                None if language.compound_parts(&word.text).is_some() => false,
                Some(Meaning::FunctionWord(_)) | None => continue,
            };
            known.all += 1;
            known.foreign += usize::from(word.may_be_foreign && !is_like_english);
        }
        known
    }
}

/// Whether two words have the same beginning, such as `compose` and `composition`.
fn begin_alike(a: &str, b: &str) -> bool {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count() >= ALIKE_BYTES
}

/// The fewest bytes that two words must share at their beginning to count as one word in two languages.
const ALIKE_BYTES: usize = 4;

/// What an index says about words.
pub trait KnownWords {
    /// Whether a text contains a word, in any form that the index regards as the same.
    fn contains(&self, word: &str) -> bool;

    /// Some words of the texts that begin with a prefix.
    fn beginning_with(&self, prefix: &str) -> Vec<String>;
}
