//! Under which terms is a word found?

use frostem::{Algorithm, Stemmer};
use recall_core::words::{self, Word};

/// The longest term, in bytes; what is longer is cut. No word that a person searches for is longer, and encoded data in a
/// text must not fill the term dictionary.
const MAX_TERM_BYTES: usize = 64;

/// Turns text into terms, for the index and for queries alike.
///
/// Words are lower-cased; a plain word and each part of a compound are stemmed (Snowball English, Porter2, and who does
/// something goes by the verb), a compound is also kept whole and unstemmed: `parseTokens` gives `parsetokens`, `pars`, `token`.
#[derive(Clone)]
pub(crate) struct Analysis {
    lower: String,
    stems: StemCache,
}

impl Analysis {
    /// For indexing: remembers the stems of the words seen last.
    pub(crate) fn of_documents() -> Self {
        Self::remembering(StemCache::PLACES)
    }

    /// For one text: remembers the stems of some hundred words.
    pub(crate) fn of_text() -> Self {
        Self::remembering(StemCache::PLACES_OF_TEXT)
    }

    /// For a few words: filling a cache would cost more than all their stems.
    pub(crate) fn of_queries() -> Self {
        Self::remembering(1)
    }

    fn remembering(places: usize) -> Self {
        let stemmer = Stemmer::new(Algorithm::English);
        Self { lower: String::new(), stems: StemCache { stemmer, size: places, places: Vec::new() } }
    }
}

/// One term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// The term as the index holds it.
    pub(crate) indexed: &'a str,
    /// The word in lower case, before stemming and cutting.
    pub(crate) lower: &'a str,
    /// The word as it stands in the text.
    pub(crate) word: Word<'a>,
}

impl Analysis {
    /// Calls `emit` with each term of a text, in order.
    pub(crate) fn each(&mut self, text: &str, mut emit: impl FnMut(Term<'_>)) {
        words::split(text, |word| {
            self.fold(word);
            let Self { lower, stems } = self;
            emit(Term { indexed: indexed(word, lower, stems), lower, word });
        });
    }

    /// The term under which the index holds a word.
    pub(crate) fn term(&mut self, word: Word<'_>) -> &str {
        self.fold(word);
        indexed(word, &self.lower, &mut self.stems)
    }

    fn fold(&mut self, word: Word<'_>) {
        let (Word::Plain(written) | Word::Part(written) | Word::Compound(written)) = word;
        fold_into(written, &mut self.lower);
    }
}

fn indexed<'a>(word: Word<'_>, lower: &'a str, stems: &'a mut StemCache) -> &'a str {
    match word {
        Word::Plain(_) | Word::Part(_) => stems.stem(cut(lower)),
        Word::Compound(_) => cut(lower),
    }
}

/// Writes the lower-case form of a word.
pub(crate) fn fold_into(word: &str, lower: &mut String) {
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
}

fn cut(word: &str) -> &str {
    if word.len() <= MAX_TERM_BYTES { word } else { &word[..word.floor_char_boundary(MAX_TERM_BYTES)] }
}

/// The stems of the words seen last: a table in which each word has one place, and a newcomer evicts.
///
/// The few thousand commonest words make up nearly all of a text, and stemming costs ten times a lookup.
#[derive(Clone)]
struct StemCache {
    stemmer: Stemmer,
    size: usize,
    places: Vec<Stemmed>,
}

#[derive(Clone, Default)]
struct Stemmed {
    word: String,
    stem: String,
}

impl StemCache {
    /// A power of two; 8192 words with their stems are about 0.6 MB.
    const PLACES: usize = 8192;

    /// What a text of 16 KiB says again and again.
    const PLACES_OF_TEXT: usize = 512;

    fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        // Words of one or two letters have no suffix, and the rules are about English letters.
        if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        if self.places.is_empty() {
            // Filled on first use, because tokenizers are cloned for every field of every segment.
            self.places.resize(self.size, Stemmed::default());
        }
        let place = &mut self.places[hash(word) % self.size];
        if place.word != word {
            place.word.clear();
            place.word.push_str(word);
            place.stem.clear();
            let stem = self.stemmer.stem(word);
            place.stem.push_str(deed(&self.stemmer, &stem).as_deref().unwrap_or(&stem));
        }
        &place.stem
    }
}

/// The stem of the verb that somebody, or a part of a program, is called by: `pars` of `parser`, `write` of `writer`, `edit`
/// of `editor`. `None` for every other stem.
///
/// Porter2 takes these endings from long words alone, since in prose few short ones have anything to do with a verb. In
/// programs they are everywhere, and what they name is asked for by the verb: how are headers parsed, who writes the journal.
fn deed(stemmer: &Stemmer, stem: &str) -> Option<String> {
    let does = |root: &&str| root.ends_with('t') || root.ends_with("ss");
    let root = stem.strip_suffix("er").or_else(|| stem.strip_suffix("or").filter(does))?;
    // What is left of shorter ones is another word: `us` of `user`, `ov` of `over`.
    if root.len() < FEWEST_OF_VERB {
        return None;
    }
    // The rules for the past tense give back the letter that the ending took, and take the one that it doubled.
    let verb = stemmer.stem(&format!("{root}ed")).into_owned();
    (verb.len() >= FEWEST_OF_VERB).then_some(verb)
}

/// The fewest letters of a verb that somebody is called by.
const FEWEST_OF_VERB: usize = 3;

fn hash(word: &str) -> usize {
    let hash = word.bytes().fold(0_u64, |hash, byte| (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(SPREAD));
    (hash >> 32) as usize
}

/// The fractional part of the golden ratio in 64 bits: multiplying by it spreads neighbouring values (Knuth, vol. 3, 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> String {
        let mut terms = Vec::new();
        Analysis::of_documents().each(text, |term| terms.push(term.indexed.to_owned()));
        terms.join(" ")
    }

    #[test]
    fn words_become_terms() {
        for (text, expected) in [
            ("", ""),
            ("Connections were opened", "connect were open"),
            ("parseTokens", "parsetokens pars token"),
            ("HTTPServer2", "httpserver2 http server2"),
            ("MAX_SIZES", "max_sizes max size"),
            ("is a v1", "is a v1"),
            ("Größe Ändern", "größe ändern"),
            ("İ", "i\u{307}"),
            ("日本語", "日本語"),
        ] {
            assert_eq!(terms(text), expected, "{text:?}");
        }
    }

    #[test]
    fn who_does_something_goes_by_the_verb() {
        for (words, expected) in [
            ("parse parses parsing parsed parser parsers", "pars"),
            ("write writes writing writer Writers", "write"),
            ("read reading reader", "read"),
            ("handle handling handler", "handl"),
            ("log logging logger", "log"),
            ("route routes routing router", "rout"),
            ("edit edits editor", "edit"),
            ("process processing processor", "process"),
            ("filter filters filtering filtered", "filt"),
            ("use using", "use"),
            ("user users", "user"),
            ("over", "over"),
            ("color colors", "color"),
            ("error errors", "error"),
        ] {
            assert!(terms(words).split(' ').all(|term| term == expected), "{words}: {}", terms(words));
        }
    }

    #[test]
    fn a_long_word_is_cut_between_characters() {
        let long = format!("{}é", "a".repeat(63));
        assert_eq!(terms(&long), "a".repeat(63));
        assert_eq!(terms(&"0".repeat(500)).len(), MAX_TERM_BYTES);
    }

    #[test]
    fn an_evicted_stem_is_computed_again() {
        let mut analysis = Analysis::of_documents();
        for round in 0..3 {
            for number in 0..20_000_u32 {
                let word: String =
                    number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>()
                        + "ings";
                let mut seen = String::new();
                analysis.each(&word, |term| term.indexed.clone_into(&mut seen));
                assert_eq!(seen, Stemmer::new(Algorithm::English).stem(&word), "{word} in round {round}");
            }
        }
    }
}
