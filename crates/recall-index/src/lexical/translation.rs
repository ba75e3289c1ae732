//! Questions in another language than the texts.
//!
//! Code and its documentation are mostly in English, and half of the people who search it think in another language. A question
//! about `Sitzungen` shares no word with `session`. Here each word of such a question is replaced by the English words that mean
//! it, from a dictionary of the words of code and its documentation, one for each language.
//!
//! Other ways were a multilingual encoder, which takes hundreds of megabytes and tens of milliseconds, and a table of aligned word
//! vectors, which finds neighbours of a meaning (`open` beside `close`) where a dictionary has the word. A dictionary costs one
//! lookup a word, and anybody can read and correct it.
//!
//! A word that the index contains is kept beside its translations, with its other forms: documents in the language of the question
//! are found by it. The index itself stems English only, because it does not know in which language a query will be.
//!
//! ADR 60 and 92 have the measurements. The parts in their order: `languages` (which language,
//! and which compound words), `parts` (which words and names the question has), `dictionary` (what they mean), `texts` (the same for texts that
//! are indexed).

mod dictionary;
mod languages;
mod parts;
mod texts;

use recall_core::{QueryClass, Understood};
use recall_text::words::is_stop_word;
use recall_text::{fold_case, normalize_text};

use dictionary::{Meaning, Part};
pub use languages::KnownWords;
use languages::{Extent, NaturalLanguage};
use parts::parts_of_question;
pub use texts::in_english;

/// The most English words for one word of a question, of those that the index contains.
const MOST_EQUIVALENTS: usize = 2;

/// The most other forms of a word of a question that are searched for.
const MOST_FORMS: usize = 2;

/// The most letters that a language adds to an English word to inflect it.
const LONGEST_LOAN_ENDING: usize = 2;

/// The fewest letters of such an English word. The beginning of a shorter one is often another word.
const MIN_LOAN_BYTES: usize = 4;

/// The fewest letters of the root of such a verb.
const MIN_ROOT_BYTES: usize = 3;

/// A question in English words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    /// The language of the question, in English: `German`.
    pub language: &'static str,
    /// The question: its words in their order, each replaced by the English words that mean it. Names and words that the dictionary
    /// lacks are as they were.
    pub text: String,
    /// The question in the most usual English word for each of its words, by which its form is read.
    pub english: String,
}

/// Translates a question into English. `None` if it is in English, in a language without a dictionary, a path, or a name that the
/// index contains.
pub fn translate(question: &Understood, index: &dyn KnownWords) -> Option<Translated> {
    let text = normalize_text(&question.text);
    let is_known_name = question.class == QueryClass::Symbol && index.contains(&text);
    if question.class == QueryClass::Path || is_known_name {
        return None;
    }
    let parts = parts_of_question(question, &text, index);
    let (language, extent) = languages::language_of(&text, &parts, index)?;
    let mut translation = Translation { language, extent, index, words: Vec::new(), english: Vec::new() };
    translation.push_all(&parts);
    let translated = translation.words.join(" ");
    let english = translation.english.join(" ");
    let says_more = !translated.is_empty() && !translated.eq_ignore_ascii_case(text.trim());
    says_more.then_some(Translated { language: language.name, text: translated, english })
}

/// A translation in progress.
struct Translation<'a> {
    language: &'static NaturalLanguage,
    extent: Extent,
    index: &'a dyn KnownWords,
    /// The words so far, each once.
    words: Vec<String>,
    /// Those that are English or names.
    english: Vec<String>,
}

impl Translation<'_> {
    fn push_all(&mut self, mut parts: &[Part<'_>]) {
        while let Some((first, rest)) = parts.split_first() {
            let expression = self.language.dictionary().expression(parts).filter(|_| self.extent == Extent::Whole);
            if let Some((length, meaning)) = expression {
                match meaning {
                    Meaning::FunctionWord(Some(question_word)) => self.keep(question_word),
                    Meaning::FunctionWord(None) => self.keep_question_words(&parts[..length]),
                    Meaning::Equivalents(equivalents) => {
                        self.keep_forms_of(&parts[..length]);
                        self.push_english(equivalents);
                    }
                }
                parts = &parts[length..];
                continue;
            }
            match first {
                Part::Name(name) => self.keep(name),
                Part::Word(word) => self.push_word(word),
                Part::Run(run) => self.push_run(run),
            }
            parts = rest;
        }
    }

    /// Adds the question words of an expression: `où est` asks where.
    fn keep_question_words(&mut self, parts: &[Part<'_>]) {
        for part in parts {
            if let Part::Word(word) = part
                && let Some(Some(question_word)) = self.language.function_words().get(&*fold_case(word))
            {
                self.keep(question_word);
            }
        }
    }

    /// Adds the words of an expression that are no function words, as far as the index contains them.
    fn keep_forms_of(&mut self, parts: &[Part<'_>]) {
        for part in parts {
            if let Part::Word(word) = part
                && !self.language.is_function_word(&fold_case(word))
            {
                self.keep_forms(&fold_case(word));
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        let folded = fold_case(word);
        let is_english = || is_stop_word(&folded) || folded.is_ascii() && self.index.contains(&folded);
        if self.extent == Extent::SingleWords && is_english() {
            return self.keep(word);
        }
        match self.language.meaning(&folded) {
            Some(Meaning::FunctionWord(question_word)) => question_word.iter().for_each(|word| self.keep(word)),
            Some(Meaning::Equivalents(equivalents)) => self.push_equivalents(&folded, equivalents),
            None if self.keep_forms(&folded) => push_new(&mut self.english, word),
            None => self.push_unknown(word, &folded),
        }
    }

    /// Translates a word that neither the dictionary nor the index has as it is.
    fn push_unknown(&mut self, word: &str, folded: &str) {
        if let Some(loan) = self.loan_word(folded) {
            return self.keep(loan);
        }
        match self.language.compound_parts(folded) {
            Some(parts) => parts.into_iter().for_each(|equivalents| self.push_english(equivalents)),
            // One letter is what is left of `l'index`.
            None if folded.chars().nth(1).is_some() => self.keep(word),
            None => {}
        }
    }

    /// The English word that a word is an inflected form of: `handler` of `Handlern`, `spawn` of `gespawnte`.
    fn loan_word<'a>(&self, folded: &'a str) -> Option<&'a str> {
        let shorter = folded.char_indices().rev().take(LONGEST_LOAN_ENDING).map(|(end, _)| &folded[..end]);
        let shorter = shorter.filter(|word| word.len() >= MIN_LOAN_BYTES);
        // A root doubles the last letter of a short verb: `mappt`.
        let roots = self.language.roots(folded).flat_map(|root| [root, without_doubled_end(root)]);
        let roots = roots.filter(|root| root.len() >= MIN_ROOT_BYTES);
        shorter.chain(roots).find(|word| word.is_ascii() && self.index.contains(word))
    }

    /// Translates a run of a script without spaces between words. A run that the index contains as a whole is not cut: it may be a
    /// name.
    fn push_run(&mut self, run: &str) {
        let folded = fold_case(run);
        let is_whole = self.index.contains(&folded);
        if is_whole {
            self.keep(&folded);
        }
        for (word, meaning) in dictionary::unspaced_words(&folded, self.language.dictionary()) {
            match meaning {
                Some(Meaning::FunctionWord(question_word)) => question_word.iter().for_each(|word| self.keep(word)),
                Some(Meaning::Equivalents(equivalents)) if is_whole => self.push_english(equivalents),
                Some(Meaning::Equivalents(equivalents)) => self.push_equivalents(word, equivalents),
                None if is_whole => {}
                None if self.keep_forms(word) => push_new(&mut self.english, word),
                None => {}
            }
        }
    }

    fn push_equivalents(&mut self, word: &str, equivalents: &[&'static str]) {
        self.keep_forms(word);
        self.push_english(equivalents);
    }

    /// Adds a word and its other forms, as far as the index contains them. Returns whether it contains any.
    fn keep_forms(&mut self, word: &str) -> bool {
        let mut forms: Vec<String> = self.index.contains(word).then(|| word.to_owned()).into_iter().collect();
        if let Some(stem) = self.language.stem(word) {
            let others = self.index.beginning_with(&stem).into_iter();
            let others = others.filter(|form| form != word && self.language.stem(form).as_ref() == Some(&stem));
            forms.extend(others.take(MOST_FORMS));
        }
        for form in &forms {
            push_new(&mut self.words, form);
        }
        !forms.is_empty()
    }

    /// Adds the best equivalents that the index contains. Without one the best of all, which may be near in meaning to its texts. The English
    /// question gets the best of all alone: the form of the question shows in its usual words, whether texts have them or not.
    fn push_english(&mut self, equivalents: &[&'static str]) {
        let known = equivalents.iter().filter(|english| english.split(' ').all(|word| self.index.contains(word)));
        let known: Vec<&str> = known.copied().take(MOST_EQUIVALENTS).collect();
        let chosen = if known.is_empty() { &equivalents[..1] } else { &known[..] };
        equivalents[0].split(' ').for_each(|word| push_new(&mut self.english, word));
        chosen.iter().flat_map(|english| english.split(' ')).for_each(|word| push_new(&mut self.words, word));
    }

    fn keep(&mut self, word: &str) {
        push_new(&mut self.words, word);
        push_new(&mut self.english, word);
    }
}

fn push_new(words: &mut Vec<String>, word: &str) {
    if !words.iter().any(|known| known == word) {
        words.push(word.to_owned());
    }
}

/// A word without the second of two equal letters at its end.
fn without_doubled_end(word: &str) -> &str {
    match word.as_bytes() {
        [.., before, last] if before == last && last.is_ascii() => &word[..word.len() - 1],
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    /// An index with these words.
    struct Words<'a>(&'a str);

    impl KnownWords for Words<'_> {
        fn contains(&self, word: &str) -> bool {
            self.0.split(' ').any(|known| known == word)
        }

        fn beginning_with(&self, prefix: &str) -> Vec<String> {
            self.0.split(' ').filter(|known| known.starts_with(prefix)).map(ToOwned::to_owned).collect()
        }
    }

    /// Checks the translation of a question, `None` for none, over an index that contains `indexed`.
    fn check(question: &str, indexed: &str, expected: Option<(&str, &str)>) {
        let translated = translate(&understand(question), &Words(indexed));
        let found = translated.as_ref().map(|translated| (translated.language, translated.text.as_str()));
        assert_eq!(found, expected, "{question}");
    }

    const CODE: &str =
        "session store register route handler timeout connection close request error handling spawn value return";

    #[test]
    fn a_question_is_asked_in_the_english_words_that_the_index_contains() {
        for (question, language, expected) in [
            ("Wo werden die Sitzungen gespeichert?", "German", "where session store"),
            ("Où sont stockées les sessions ?", "French", "where store session"),
            ("¿Dónde se guardan las sesiones?", "Spanish", "where store session"),
            ("gdzie są przechowywane sesje", "Polish", "where store session"),
            ("где хранятся сессии", "Russian", "where store session"),
            ("会话存储在哪里？", "Chinese", "session store where"),
            ("會話儲存在哪裡？", "Chinese", "session store where"),
            ("セッションはどこに保存されますか", "Japanese", "session where store"),
            ("세션은 어디에 저장되나요", "Korean", "session where store"),
            ("dove vengono salvate le sessioni", "Italian", "where store session"),
        ] {
            check(question, CODE, Some((language, expected)));
        }
    }

    #[test]
    fn names_and_loan_words_stay() {
        for (question, language, expected) in [
            ("wie registriert Router::merge die Routen", "German", "how register Router::merge route"),
            ("wie werden Tasks gespawnt und von Handlern beendet", "German", "how Tasks spawn handler terminate"),
            ("什么时候关闭 HttpClient 的连接", "Chinese", "when close HttpClient connection"),
        ] {
            check(question, CODE, Some((language, expected)));
        }
    }

    #[test]
    fn names_and_paths_in_other_languages_stay() {
        for (question, expected) in [
            ("wo ist BerechneGröße registriert", "where BerechneGröße register"),
            ("wo steht der Wert in docs/übersicht.md", "where value docs/übersicht.md"),
            ("这个 合计.py 的返回值", "合计.py return value"),
        ] {
            let language = if question.starts_with('这') { "Chinese" } else { "German" };
            check(question, CODE, Some((language, expected)));
        }
        check("合计.py", CODE, None);
        check("Sitzung", "sitzung session", None);
        check("会话存储", "会话存储 session store", None);
    }

    #[test]
    fn options_quoted_texts_and_words_with_hyphens_stay() {
        let words = "session store route-table null input table file path must be an array compile direction";
        for (question, language, expected) in [
            ("was macht --null-input", "German", "what --null-input"),
            ("что делает `table`?", "Russian", "what table"),
            ("--tab是做什么的", "Chinese", "--tab"),
            ("wo ist die Datei compile-direction?", "German", "where file compile-direction"),
            ("pourquoi « path must be an array » ?", "French", "why path must be an array"),
            ("なぜ「path must be an array」と出ますか", "Japanese", "why path must be an array"),
        ] {
            check(question, words, Some((language, expected)));
        }
    }

    #[test]
    fn one_function_word_makes_a_sentence_with_a_word_that_the_index_lacks() {
        check("quelles classes implémentent Reader", "class", Some(("French", "which class implement Reader")));
        check("erkläre MAX_SIZE", "explain", Some(("German", "explain MAX_SIZE")));
        check("comment contribuer ?", "comment", Some(("French", "how contribute")));
        check("man registration", CODE, None);
    }

    #[test]
    fn compounds_are_translated_part_by_part() {
        check("die Fehlerbehandlung im Handler", CODE, Some(("German", "error handling handler")));
        check("Rückgabewert", CODE, Some(("German", "return value")));
    }

    #[test]
    fn verbs_are_found_in_forms_that_the_stemmer_keeps() {
        check("bağlantılar nerede okunuyor", "connection read", Some(("Turkish", "connection where read")));
        check("wie werden Werte registriert", "value register", Some(("German", "how value register")));
    }

    #[test]
    fn expressions_of_several_words_are_translated_as_a_whole() {
        check("où est vérifié le mot de passe", "password check word", Some(("French", "where check password")));
        check("por qué se cierra la sesión", "session close", Some(("Spanish", "why close session")));
        check("환경 변수는 어디에 있나요", "environment variable", Some(("Korean", "environment variable where")));
        let both = "password check passe";
        check("où est vérifié le mot de passe", both, Some(("French", "where check passe password")));
    }

    #[test]
    fn a_word_that_the_index_contains_is_kept_beside_its_translation() {
        let both = format!("{CODE} sitzung сессий 会话");
        check("Wo werden die Sitzungen gespeichert?", &both, Some(("German", "where sitzung session store")));
        check("где хранятся сессии", &both, Some(("Russian", "where store сессий session")));
        check("会话存储在哪里？", &both, Some(("Chinese", "会话 session store where")));
    }

    #[test]
    fn the_english_question_has_no_words_of_another_language() {
        let check = |question: &str, indexed: &str, expected: &str| {
            let translated = translate(&understand(question), &Words(indexed));
            assert_eq!(translated.map(|translated| translated.english).as_deref(), Some(expected), "{question}");
        };
        let both = format!("{CODE} sitzung сессий 会话 cart");
        check("Wo werden die Sitzungen gespeichert?", &both, "where session store");
        check("где хранятся сессии", &both, "where store session");
        check("会话存储在哪里？", &both, "session store where");
        check("was ist neu in Version 2", "was ist neu version new", "what new version 2");
        check("где хранятся сессии", "store save session", "where store session");
        check("Wo werden Cart und Store::open gespeichert?", &both, "where Cart Store::open store");
    }

    #[test]
    fn one_foreign_word_among_english_ones_is_translated_alone() {
        check("session Zeitüberschreitung", CODE, Some(("German", "session timeout")));
        check("Zeitüberschreitung", CODE, Some(("German", "timeout")));
    }

    #[test]
    fn english_stays_english() {
        for question in [
            "where are the sessions stored",
            "man page",
            "die on error",
            "session store",
            "Store::open",
            "src/store.rs",
            "retrun vlaue",
            "how does it work in the main loop so far",
            "composition of routes",
            "fix broken links",
            "ci: fix the tests in ci",
            "make tests fail",
            "don't sync the branch",
            "",
            "?",
        ] {
            check(question, CODE, None);
        }
    }

    #[test]
    fn words_without_a_translation_are_kept() {
        check("Wo ist der Grüffelo", CODE, Some(("German", "where Grüffelo")));
        check("ЖЖЖ", CODE, None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(question in "\\PC{0,40}|[一-倐あ-ぐ가-갠а-яa-zäß' -]{0,40}") {
            let _ = translate(&understand(&question), &Words(CODE));
        }
    }
}
