//! The languages that questions are translated from, their compound words (`Sitzungsverwaltung` is `Sitzung` and
//! `Verwaltung`), and the language of a question.

use std::collections::HashSet;
use std::sync::OnceLock;

use frostem::{Algorithm, Stemmer};
use recall_text::fold_case;
use recall_text::words::is_stop_word;
use rustc_hash::FxBuildHasher;

use super::dictionary::{self, Dictionary, FunctionWords, Meaning, Part};

/// A language with a dictionary.
pub(super) struct NaturalLanguage {
    /// Its name in English.
    pub(super) name: &'static str,
    pub(super) script: Script,
    /// What may join the parts of a compound word; empty if the language writes none.
    joints: &'static [&'static str],
    /// The forms of verbs that its stemmer keeps apart.
    verbs: Option<&'static VerbForms>,
    stemmer: Option<Algorithm>,
    /// The text of its dictionary.
    text: &'static str,
    function_words: OnceLock<FunctionWords>,
    dictionary: OnceLock<Dictionary>,
}

/// What the letters of a text say about its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Several languages: their words decide.
    Latin,
    Cyrillic,
    /// Chinese characters without kana.
    Han,
    /// Kana, with or without Chinese characters.
    Kana,
    Hangul,
}

impl NaturalLanguage {
    /// The dictionary, read at first use.
    pub(super) fn dictionary(&self) -> &Dictionary {
        self.dictionary
            .get_or_init(|| Dictionary::read(self.text, self.function_words(), self.stemmer.map(Stemmer::new)))
    }

    /// Whether a word in its folded form is a function word.
    pub(super) fn is_function_word(&self, word: &str) -> bool {
        self.function_words().contains_key(word)
    }

    pub(super) fn function_words(&self) -> &FunctionWords {
        self.function_words.get_or_init(|| dictionary::function_words(self.text))
    }

    /// What a word in its folded form means. A form that the stemmer does not know may be that of a verb.
    pub(super) fn meaning(&self, word: &str) -> Option<Meaning<'_>> {
        let dictionary = self.dictionary();
        let of_verb = || {
            let mut infinitives = self.roots(word).flat_map(|root| self.infinitives(root));
            infinitives.find_map(|verb| dictionary.meaning(&verb))
        };
        dictionary.meaning(word).or_else(of_verb)
    }

    /// The stem of a word in its folded form; `None` without one.
    pub(super) fn stem(&self, word: &str) -> Option<String> {
        self.dictionary().stem(word)
    }

    /// The equivalents of each part of a compound in its folded form. `None` if it is not one.
    pub(super) fn compound_parts(&self, word: &str) -> Option<Vec<&[&'static str]>> {
        compound_parts(word, self.joints, self.dictionary())
    }

    /// The roots of verbs that a word in its folded form may be a form of.
    pub(super) fn roots<'a>(&self, word: &'a str) -> impl Iterator<Item = &'a str> {
        let endings = self.verbs.iter().flat_map(|verbs| verbs.endings.iter().map(move |ending| (verbs, ending)));
        endings.flat_map(move |(verbs, ending)| {
            let root = word.strip_suffix(ending);
            let participle = root.and_then(|root| root.strip_prefix(verbs.participle));
            root.into_iter().chain(participle)
        })
    }

    fn infinitives(&self, root: &str) -> impl Iterator<Item = String> {
        self.verbs.iter().flat_map(|verbs| verbs.infinitives).map(move |ending| format!("{root}{ending}"))
    }
}

/// How the verbs of a language inflect.
pub(super) struct VerbForms {
    endings: &'static [&'static str],
    /// What participles begin with.
    participle: &'static str,
    /// The endings of infinitives.
    infinitives: &'static [&'static str],
}

static GERMAN_VERBS: VerbForms = VerbForms {
    endings: &["t", "te", "ten", "ter", "tes", "end", "ende", "enden"],
    participle: "ge",
    infinitives: &["en"],
};

const GERMAN_JOINTS: &[&str] = &["", "s", "es", "n", "en", "er", "e"];

static DUTCH_VERBS: VerbForms =
    VerbForms { endings: &["t", "d", "te", "de", "ten", "den", "end", "ende"], participle: "ge", infinitives: &["en"] };

/// In their folded form, in which `ı` is `i`.
static TURKISH_VERBS: VerbForms = VerbForms {
    endings: &[
        "iyor", "uyor", "üyor", "niyor", "nuyor", "nüyor", "liyor", "iliyor", "uluyor", "ülüyor", "iniyor", "unuyor",
        "ünüyor", "ir", "ur", "ür", "er", "ar", "nir", "nur", "nür", "ilir", "ulur", "ülür", "an", "en", "nan", "nen",
        "ilen", "ilan", "ulan", "ülen", "di", "du", "dü", "ti", "tu", "tü", "ildi", "uldu", "ndi", "mesi", "masi",
    ],
    participle: "",
    infinitives: &["mak", "mek"],
};

const DUTCH_JOINTS: &[&str] = &["", "s", "e", "en"];

/// Declares a language of which the folder `translations` has a dictionary.
macro_rules! language {
    ($name:literal, $file:literal, $script:ident, $stemmer:expr) => {
        language!($name, $file, $script, $stemmer, &[], None)
    };
    ($name:literal, $file:literal, $script:ident, $stemmer:expr, $joints:expr, $verbs:expr) => {
        NaturalLanguage {
            name: $name,
            script: Script::$script,
            joints: $joints,
            verbs: $verbs,
            stemmer: $stemmer,
            text: include_str!(concat!("../../../translations/", $file, ".tsv")),
            function_words: OnceLock::new(),
            dictionary: OnceLock::new(),
        }
    };
}

/// All of them.
pub(super) static LANGUAGES: [NaturalLanguage; 12] = [
    language!("German", "de", Latin, Some(Algorithm::German), GERMAN_JOINTS, Some(&GERMAN_VERBS)),
    language!("Spanish", "es", Latin, Some(Algorithm::Spanish)),
    language!("French", "fr", Latin, Some(Algorithm::French)),
    language!("Italian", "it", Latin, Some(Algorithm::Italian)),
    language!("Japanese", "ja", Kana, None),
    language!("Korean", "ko", Hangul, None),
    language!("Dutch", "nl", Latin, Some(Algorithm::Dutch), DUTCH_JOINTS, Some(&DUTCH_VERBS)),
    language!("Polish", "pl", Latin, Some(Algorithm::Polish)),
    language!("Portuguese", "pt", Latin, Some(Algorithm::Portuguese)),
    language!("Russian", "ru", Cyrillic, Some(Algorithm::Russian)),
    language!("Turkish", "tr", Latin, Some(Algorithm::Turkish), &[], Some(&TURKISH_VERBS)),
    language!("Chinese", "zh", Han, None),
];

/// The fewest bytes of a part. Shorter ones are mostly endings of longer words.
const MIN_PART_BYTES: usize = 3;

/// The most parts of a word.
const MOST_PARTS: usize = 4;

/// The equivalents of each part of a compound in its folded form. `None` if it cannot be cut into words of the dictionary.
///
/// Longer first parts are tried first. `joints` may stand between two parts; without any the language has no compounds.
pub(super) fn compound_parts<'a>(
    word: &str,
    joints: &[&str],
    dictionary: &'a Dictionary,
) -> Option<Vec<&'a [&'static str]>> {
    let mut parts = Vec::new();
    (!joints.is_empty() && cut(word, joints, dictionary, &mut parts)).then_some(parts)
}

fn cut<'a>(word: &str, joints: &[&str], dictionary: &'a Dictionary, parts: &mut Vec<&'a [&'static str]>) -> bool {
    if let Some(Meaning::Equivalents(last)) = dictionary.meaning(word).filter(|_| !parts.is_empty()) {
        parts.push(last);
        return true;
    }
    if parts.len() + 1 >= MOST_PARTS {
        return false;
    }
    let ends = word.char_indices().map(|(at, _)| at).rev();
    for end in ends.filter(|&end| end >= MIN_PART_BYTES && word.len() - end >= MIN_PART_BYTES) {
        let (first, rest) = word.split_at(end);
        let bare =
            joints.iter().filter_map(|joint| first.strip_suffix(joint)).filter(|bare| bare.len() >= MIN_PART_BYTES);
        let known = bare.filter_map(|bare| match dictionary.exactly(bare)? {
            Meaning::Equivalents(equivalents) => Some(equivalents),
            Meaning::FunctionWord(_) => None,
        });
        for equivalents in known {
            parts.push(equivalents);
            if cut(rest, joints, dictionary, parts) {
                return true;
            }
            parts.pop();
        }
    }
    false
}

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
    /// Whether it may be of another language: it has accents, which English seldom has, or it is no English word that is known and the index
    /// lacks it.
    may_be_foreign: bool,
}

/// Whether a word in its folded form is a form of an English word that the dictionaries translate.
fn is_english(word: &str) -> bool {
    static STEMS: OnceLock<HashSet<String, FxBuildHasher>> = OnceLock::new();
    let stemmer = Stemmer::new(Algorithm::English);
    let stems = STEMS.get_or_init(|| {
        // The dictionaries have nearly the same English words. Each is stemmed once.
        let words = LANGUAGES.iter().flat_map(|language| dictionary::english_words(language.text));
        let words: HashSet<&str, FxBuildHasher> = words.collect();
        words.into_iter().map(|word| stemmer.stem(word).into_owned()).collect()
    });
    stems.contains(&*stemmer.stem(word))
}

impl QuestionWord {
    fn new(word: &str, index: &dyn KnownWords) -> Self {
        let text = fold_case(word).into_owned();
        let is_english_stop_word = is_stop_word(&text);
        let may_be_foreign =
            !is_english_stop_word && (!text.is_ascii() || !index.contains(&text) && !is_english(&text));
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
        // A project with pages in the language has its words. What the index lacks and the dictionary has is of the language, even
        // if it is nearly the same in English.
        (1, 0) if known.unlike_english > 0 || known.lacking > 0 || are_function_words(language, &words) => {
            Extent::Whole
        }
        (0, 1..) => Extent::SingleWords,
        _ => return None,
    };
    Some((language, extent))
}

/// Whether all words are function words of a language, one of them in no text: "was macht `open`".
fn are_function_words(language: &NaturalLanguage, words: &[QuestionWord]) -> bool {
    words.iter().all(|word| language.is_function_word(&word.text)) && words.iter().any(|word| word.may_be_foreign)
}

/// The number of different function words of a language that English lacks, less those of English that the language lacks.
fn function_words(language: &NaturalLanguage, words: &[QuestionWord]) -> isize {
    let sign = |word: &QuestionWord| match (language.is_function_word(&word.text), word.is_english_stop_word) {
        (true, false) => 1,
        (false, true) => -1,
        (true, true) | (false, false) => 0,
    };
    let mut distinct: Vec<&QuestionWord> = Vec::with_capacity(words.len());
    for word in words {
        if distinct.iter().all(|known| known.text != word.text) {
            distinct.push(word);
        }
    }
    distinct.into_iter().map(sign).sum()
}

/// How many other words of a question the dictionary of a language has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KnownOf {
    /// Those that may be foreign and are not nearly the same in English.
    foreign: usize,
    /// All of them, which decides between neighbours such as German and Dutch.
    all: usize,
    /// Those that may be foreign.
    lacking: usize,
    /// Those that are not nearly the same in English.
    unlike_english: usize,
}

impl KnownOf {
    fn count(language: &NaturalLanguage, words: &[QuestionWord]) -> Self {
        let mut known = Self { foreign: 0, all: 0, lacking: 0, unlike_english: 0 };
        for word in words.iter().filter(|word| !word.is_english_stop_word) {
            let is_like_english = match language.meaning(&word.text) {
                Some(Meaning::Equivalents(equivalents)) => {
                    equivalents.iter().any(|english| begin_alike(english, &word.text))
                }
                None if language.compound_parts(&word.text).is_some() => false,
                Some(Meaning::FunctionWord(_)) | None => continue,
            };
            known.all += 1;
            known.lacking += usize::from(word.may_be_foreign);
            known.foreign += usize::from(word.may_be_foreign && !is_like_english);
            known.unlike_english += usize::from(!is_like_english && !is_english(&word.text));
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

#[cfg(test)]
mod tests {
    use recall_text::{fold_case, normalize_text};

    use super::*;

    /// The problem of a line of a dictionary, if there is one.
    fn problem(line: &str) -> Option<&'static str> {
        let Some((english, words)) = line.split_once('\t') else { return Some("no tab") };
        let words: Vec<&str> = words.split(", ").collect();
        if !english.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '\'')) {
            return Some("not English");
        }
        if words.iter().any(|word| word.trim() != *word || word.is_empty()) {
            return Some("a word is empty or has a blank around it");
        }
        if words.iter().any(|word| normalize_text(word) != *word || word.chars().any(char::is_uppercase)) {
            return Some("a word is not in its normalized form or not in lower case");
        }
        let distinct: HashSet<_> = words.iter().map(|word| fold_case(word)).collect();
        (distinct.len() < words.len()).then_some("a word stands twice")
    }

    #[test]
    fn every_line_of_a_dictionary_is_well_formed() {
        for language in &LANGUAGES {
            let mut seen = HashSet::new();
            for (number, line) in (1..).zip(language.text.lines()) {
                assert_eq!(problem(line), None, "{} line {number}: {line}", language.name);
                let english = line.split_once('\t').map_or("", |(english, _)| english);
                assert!(english.is_empty() || seen.insert(english), "{}: `{english}` has two lines", language.name);
            }
            assert!(language.function_words().len() > 100 && seen.len() > 2000, "{}", language.name);
        }
    }
}
