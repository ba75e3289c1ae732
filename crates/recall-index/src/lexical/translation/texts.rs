//! Texts in other languages than English.
//!
//! The index holds the English words for what such a text says beside its own words. A question is asked in English words, whatever
//! language it was in, so each language finds the texts of every other.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use recall_text::words::is_stop_word;
use recall_text::{fold_case, normalize_text};
use rustc_hash::FxBuildHasher;

use super::dictionary::{self, Meaning, Part, split};
use super::languages::{LANGUAGES, NaturalLanguage, Script, script_of};

/// The least share of function words in a text of a language. Prose has a third; comments among code have less.
const LEAST_SHARE: f32 = 0.15;

/// The fewest different function words of a text of a language. Code repeats names that are also function words: `val`, `con`, `li`.
const FEWEST_FUNCTION_WORDS: usize = 4;

/// The same for a text without an English function word, such as a memory of one sentence.
const FEWEST_IN_SENTENCE: usize = 2;
const LEAST_SHARE_IN_SENTENCE: f32 = 0.3;

/// The most English words for one word of a text. There are more than for a word of a question, for which the index chooses.
const MOST_EQUIVALENTS: usize = 4;

/// The English words for what a text in other languages says, separated by blanks. `None` if there are none, as for English text.
pub fn in_english(text: &str) -> Option<String> {
    let text = normalize_text(text);
    let of_script = match script_of(&text) {
        Script::Latin => None,
        script => LANGUAGES.iter().find(|language| language.script == script),
    };
    let latin = latin_language(&text);
    if of_script.is_none() && latin.is_none() {
        return None;
    }
    let mut english: Vec<&str> = Vec::new();
    let parts: Vec<Part<'_>> = text.split_whitespace().flat_map(split).collect();
    let mut rest = &parts[..];
    while let Some((first, behind)) = rest.split_first() {
        let language = if matches!(first, Part::Run(_)) { of_script } else { latin };
        if let Some((length, meaning)) = language.and_then(|language| language.dictionary().expression(rest)) {
            push(&mut english, Some(meaning));
            rest = &rest[length..];
            continue;
        }
        push_part(&mut english, *first, of_script, latin);
        rest = behind;
    }
    (!english.is_empty()).then(|| english.join(" "))
}

/// Adds the English words for a part of a text: a run by the language of its script, a word by that of its letters.
fn push_part(
    english: &mut Vec<&'static str>,
    part: Part<'_>,
    of_script: Option<&'static NaturalLanguage>,
    latin: Option<&'static NaturalLanguage>,
) {
    match part {
        Part::Name(_) => {}
        Part::Run(run) => {
            let Some(language) = of_script else { return };
            let folded = fold_case(run);
            for (_, meaning) in dictionary::unspaced_words(&folded, language.dictionary()) {
                push(english, meaning);
            }
        }
        Part::Word(word) => {
            let language = if script_of(word) == Script::Latin { latin } else { of_script };
            let Some(language) = language else { return };
            let folded = fold_case(word);
            let meaning = language.meaning(&folded);
            push(english, meaning);
            if meaning.is_none() {
                for equivalents in language.compound_parts(&folded).into_iter().flatten() {
                    push(english, Some(Meaning::Equivalents(equivalents)));
                }
            }
        }
    }
}

fn push(english: &mut Vec<&'static str>, meaning: Option<Meaning<'_>>) {
    if let Some(Meaning::Equivalents(equivalents)) = meaning {
        english.extend(equivalents.iter().take(MOST_EQUIVALENTS));
    }
}

/// The language of a text in Latin letters, if it is not English.
fn latin_language(text: &str) -> Option<&'static NaturalLanguage> {
    let mut counts = [Count::default(); LANGUAGES.len()];
    let mut words = 0;
    let mut folded = String::new();
    let mut english = 0;
    let mut seen: HashSet<&str, FxBuildHasher> = HashSet::default();
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1) {
        words += 1;
        folded.clear();
        folded.push_str(&fold_case(word));
        let is_english = is_stop_word(&folded);
        english += usize::from(is_english);
        let Some((&word, languages)) = languages_of().get_key_value(folded.as_str()) else { continue };
        let is_new = seen.insert(word);
        for &language in languages {
            let count = &mut counts[usize::from(language)];
            if is_english {
                count.shared += 1;
            } else {
                count.own += 1;
                count.different += usize::from(is_new);
            }
        }
    }
    let best =
        (0..LANGUAGES.len()).max_by_key(|&place| (counts[place].different, counts[place].own, counts[place].shared))?;
    let Count { own, different, shared } = counts[best];
    let share = own as f32 / words as f32;
    let is_text = different >= FEWEST_FUNCTION_WORDS && own + shared > english && share >= LEAST_SHARE;
    let is_sentence = different >= FEWEST_IN_SENTENCE && english == 0 && share >= LEAST_SHARE_IN_SENTENCE;
    let is_sure = is_text || is_sentence;
    is_sure.then(|| &LANGUAGES[best])
}

/// How many words of a text are function words of a language.
#[derive(Clone, Copy, Default)]
struct Count {
    /// Those that English lacks.
    own: usize,
    /// The different ones of these.
    different: usize,
    /// Those that English has too.
    shared: usize,
}

/// The languages in Latin letters that have a function word, by word, as places in [`LANGUAGES`].
fn languages_of() -> &'static HashMap<&'static str, Vec<u8>, FxBuildHasher> {
    static LANGUAGES_OF: OnceLock<HashMap<&'static str, Vec<u8>, FxBuildHasher>> = OnceLock::new();
    LANGUAGES_OF.get_or_init(|| {
        let mut languages_of: HashMap<&str, Vec<u8>, FxBuildHasher> = HashMap::default();
        let latin = (0..).zip(&LANGUAGES).filter(|(_, language)| language.script == Script::Latin);
        for (place, language) in latin {
            for word in language.function_words().keys() {
                languages_of.entry(word).or_default().push(place);
            }
        }
        languages_of
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_another_language_has_english_words() {
        for (text, expected) in [
            (
                "Eine Rückerstattung muss von zwei Mitarbeitern freigegeben und am selben Tag überwiesen werden.",
                "refund",
            ),
            ("Die Prüfungen werden beim Start geladen.", "load"),
            ("セッションの有効期限は三十分です。", "session"),
            ("fn f() {} // 释放连接 and return", "connection"),
            ("/* закрывает соединение */ void f(void);", "connection"),
            ("La session est fermée après le délai, et elle ne peut plus être rouverte.", "close"),
        ] {
            let english = in_english(text).unwrap_or_default();
            assert!(english.split(' ').any(|word| word == expected), "{text}: {english}");
        }
    }

    #[test]
    fn english_text_and_code_have_none() {
        for text in [
            "",
            "Stores the session until it expires, and closes the connection.",
            "let val = con.die(); for i in 0..n { w += z * a[i]; } // no default: per user",
            "int se = 0, un = 1, el = 2, la = 3; return se + un + el + la;",
            "<ul><li>a</li><li>b</li><li>c</li><li>d</li></ul>",
            "café naïve façade",
        ] {
            assert_eq!(in_english(text), None, "{text}");
        }
    }
}
