//! The language of a question.

use recall_core::fold_case;
use recall_core::words::is_stop_word;

use super::dictionary::Meaning;
use super::known_words::KnownWords;
use super::languages::{LANGUAGES, NaturalLanguage, Script};
use super::parts::{Part, split};

/// How much of a question is in another language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// It is a sentence of the language.
    Whole,
    /// Single words, which have accents or which the index lacks, may be.
    SingleWords,
}

/// The language of a question, if a dictionary translates it. `None` for English.
///
/// Most scripts tell the language. For Latin letters the function words decide, which every sentence has. Words without any may be in
/// the language whose dictionary has those that the index lacks.
pub(super) fn language_of(question: &str, index: &dyn KnownWords) -> Option<(&'static NaturalLanguage, Extent)> {
    match script_of(question) {
        Script::Latin => latin(question, index),
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

/// What the words of a question say for a language.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Signs {
    /// Function words that English lacks, less those of English that the language lacks.
    function_words: isize,
    /// Other words of its dictionary that have accents or that the index lacks.
    words: usize,
    /// All other words of its dictionary, which decides between neighbours such as German and Dutch.
    known: usize,
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

impl Signs {
    fn count(language: &NaturalLanguage, words: &[QuestionWord]) -> Self {
        let mut function_words = 0;
        let mut others = Vec::new();
        for word in words {
            match (language.is_function_word(&word.text), word.is_english_stop_word) {
                (true, false) => function_words += 1,
                (false, true) => function_words -= 1,
                (true, true) => {}
                (false, false) => others.push(word),
            }
        }
        // Most questions are in English and end here, before the dictionary is read.
        if function_words < 0 || function_words == 0 && !others.iter().any(|word| word.may_be_foreign) {
            return Self { function_words, ..Self::default() };
        }
        let is_known = |word: &str| language.meaning(word).is_some() || language.compound_parts(word).is_some();
        Self {
            function_words,
            words: others.iter().filter(|word| word.may_be_foreign && is_of(language, &word.text)).count(),
            known: others.iter().filter(|word| is_known(&word.text)).count(),
        }
    }

    fn extent(self) -> Option<Extent> {
        match self {
            // One function word alone does not make a sentence: `man page` is English.
            Self { function_words: 2.., .. } | Self { function_words: 1, words: 1.., .. } => Some(Extent::Whole),
            Self { function_words: 0, words: 1.., .. } => Some(Extent::SingleWords),
            _ => None,
        }
    }
}

/// Whether a dictionary has a word, other than one that is nearly the same in English, such as `composition`.
fn is_of(language: &NaturalLanguage, word: &str) -> bool {
    let is_like = |english: &str| english.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count() >= LIKE_BYTES;
    match language.meaning(word) {
        Some(Meaning::Equivalents(equivalents)) => !equivalents.iter().any(|english| is_like(english)),
        Some(Meaning::FunctionWord(_)) => false,
        None => language.compound_parts(word).is_some(),
    }
}

/// Words that share so many bytes at their beginning are nearly the same.
const LIKE_BYTES: usize = 4;

fn latin(question: &str, index: &dyn KnownWords) -> Option<(&'static NaturalLanguage, Extent)> {
    let parts = question.split_whitespace().flat_map(split);
    let words = parts.filter_map(|part| match part {
        Part::Word(word) => Some(QuestionWord::new(word, index)),
        Part::Name(_) | Part::Run(_) => None,
    });
    let words: Vec<QuestionWord> = words.collect();
    let candidates = LANGUAGES.iter().filter(|language| language.script == Script::Latin);
    let signs = candidates.map(|language| (Signs::count(language, &words), language));
    let (signs, language) = signs.max_by_key(|(signs, _)| *signs)?;
    Some((language, signs.extent()?))
}
