//! Text analysis: from words to index terms.
//!
//! Documents and queries go through the same code, or they would not meet. The stemmer is English in every text, because an index
//! does not know in which language a query will be (ADR 60); accents and case are folded, and scripts without spaces are cut into
//! pairs of letters (ADR 52). A change here changes the format of the index.

use frostem::{Algorithm, Stemmer};
use recall_text::{fold_case, normalize_text, without_accents};

use crate::lexical::words::{self, Word};

/// The longest term, in bytes; a longer word is truncated. Nobody searches for a longer word, and encoded data in a
/// text must not fill the term dictionary.
const MAX_TERM_BYTES: usize = 64;

/// Turns text into terms, the same way for documents and queries.
///
/// Words are [folded](fold_case). Plain words and the parts of compounds are stemmed with Snowball English (Porter2), and agent
/// nouns are reduced to the stem of their verb. A compound is also kept whole and unstemmed: `parseTokens` gives
/// `parsetokens`, `pars`, `token`. A word with accents gives a second term without them, so that each spelling finds the
/// other, and the same spelling matches with more terms.
#[derive(Clone)]
pub(crate) struct Analysis {
    folded: String,
    stems: StemCache,
}

impl Analysis {
    /// For indexing: caches thousands of stems.
    pub(crate) fn for_documents() -> Self {
        Self::remembering(StemCache::PLACES)
    }

    /// For a single text: caches a few hundred stems.
    pub(crate) fn for_text() -> Self {
        Self::remembering(StemCache::PLACES_OF_TEXT)
    }

    /// For a few words: filling a larger cache would cost more than computing the stems.
    pub(crate) fn for_queries() -> Self {
        Self::remembering(1)
    }

    fn remembering(places: usize) -> Self {
        let stemmer = Stemmer::new(Algorithm::English);
        Self { folded: String::new(), stems: StemCache { stemmer, size: places, places: Vec::new() } }
    }
}

/// One term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// The term in the index.
    pub(crate) indexed: &'a str,
    /// The word in its folded form, before stemming and truncation; without accents if the term is.
    pub(crate) folded: &'a str,
    /// The word as written in the normalized text.
    pub(crate) word: Word<'a>,
}

impl Analysis {
    /// Calls `emit` with each term of a text, in order.
    pub(crate) fn each(&mut self, text: &str, mut emit: impl FnMut(Term<'_>)) {
        words::split(&normalize_text(text), |word| self.each_of(word, &mut emit));
    }

    /// Calls `emit` with each term of a word of a normalized text: the first is the word itself, the second, if there is one,
    /// the word without accents.
    pub(crate) fn each_of(&mut self, word: Word<'_>, mut emit: impl FnMut(Term<'_>)) {
        fold_into(word.text(), &mut self.folded);
        let Self { folded, stems } = self;
        emit(Term { indexed: index_term(word, folded, stems), folded, word });
        if word.text().is_ascii() || word.is_unspaced() {
            return;
        }
        if let Some(plain) = without_accents(folded) {
            emit(Term { indexed: index_term(word, &plain, stems), folded: &plain, word });
        }
    }
}

fn index_term<'a>(word: Word<'_>, folded: &'a str, stems: &'a mut StemCache) -> &'a str {
    match word {
        Word::Plain(_) | Word::Part(_) => stems.stem(cut(folded)),
        Word::Compound(_) | Word::Pair(_) | Word::Letter(_) | Word::Alone(_) => cut(folded),
    }
}

/// Writes the folded form of a word.
fn fold_into(word: &str, fold: &mut String) {
    fold.clear();
    if word.is_ascii() {
        fold.push_str(word);
        fold.make_ascii_lowercase();
    } else {
        fold.push_str(&fold_case(word));
    }
}

/// Truncates a word to the longest term.
pub(crate) fn cut(word: &str) -> &str {
    if word.len() <= MAX_TERM_BYTES { word } else { &word[..word.floor_char_boundary(MAX_TERM_BYTES)] }
}

/// A direct-mapped cache of stems: each word has one slot, and a new word evicts the old one.
///
/// A few thousand common words make up nearly all of a text, and stemming costs ten times a lookup.
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
    /// A power of two. 8192 words with their stems take about 0.6 MB.
    const PLACES: usize = 8192;

    /// Enough for the repeated words of a text of 16 KiB.
    const PLACES_OF_TEXT: usize = 512;

    fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        // Words of one or two letters have no suffix, and the rules apply to English letters only.
        if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word;
        }
        if self.places.is_empty() {
            // Allocated at first use, because tokenizers are cloned for every field of every segment.
            self.places.resize(self.size, Stemmed::default());
        }
        let place = &mut self.places[hash(word) % self.size];
        if place.word != word {
            place.word.clear();
            place.word.push_str(word);
            place.stem.clear();
            let stem = self.stemmer.stem(word);
            place.stem.push_str(verb_of_agent(&self.stemmer, &stem).as_deref().unwrap_or(&stem));
        }
        &place.stem
    }
}

/// The stem of the verb of an agent noun: `pars` of `parser`, `write` of `writer`, `edit` of `editor`. `None` for other
/// stems.
///
/// Porter2 removes these endings from long words only, because few short words of prose with these endings derive from
/// a verb. In source code they are frequent, and questions use the verb: how are headers parsed, what writes the
/// journal.
fn verb_of_agent(stemmer: &Stemmer, stem: &str) -> Option<String> {
    let does = |root: &&str| root.ends_with('t') || root.ends_with("ss");
    let root = stem.strip_suffix("er").or_else(|| stem.strip_suffix("or").filter(does))?;
    // The rest of a shorter stem is another word: `us` of `user`, `ov` of `over`.
    if root.len() < MIN_VERB_BYTES {
        return None;
    }
    // The past tense restores a letter that the ending dropped and removes one that it doubled.
    let verb = stemmer.stem(&format!("{root}ed")).into_owned();
    (verb.len() >= MIN_VERB_BYTES).then_some(verb)
}

/// The fewest letters of such a verb.
const MIN_VERB_BYTES: usize = 3;

fn hash(word: &str) -> usize {
    let hash = word.bytes().fold(0_u64, |hash, byte| (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(SPREAD));
    (hash >> 32) as usize
}

/// The fractional part of the golden ratio in 64 bits: multiplying by it spreads neighbouring values (Knuth, vol. 3,
/// 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> String {
        let mut terms = Vec::new();
        Analysis::for_documents().each(text, |term| terms.push(term.indexed.to_owned()));
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
            ("Größe Ändern", "grösse gross ändern andern"),
            ("STRASSE Straße", "strass strass"),
            ("cafe\u{301} Café cafe", "café cafe café cafe cafe"),
            ("ｏｐｅｎＦｉｌｅｓ", "openfiles open file"),
            ("ΟΔΌΣ οδός", "οδόσ οδοσ οδόσ οδοσ"),
            ("İ", "i"),
            ("日本語", "日本 日 本語 本 語"),
        ] {
            assert_eq!(terms(text), expected, "{text:?}");
        }
    }

    #[test]
    fn agent_nouns_share_the_term_of_their_verb() {
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
    fn a_long_word_is_truncated_between_characters() {
        let long = format!("{}日本", "0".repeat(63));
        assert_eq!(terms(&long), format!("{} 日本 日 本", "0".repeat(63)));
        let long = format!("{}й", "a".repeat(63));
        assert_eq!(terms(&long), "a".repeat(63));
        assert_eq!(terms(&"0".repeat(500)).len(), MAX_TERM_BYTES);
    }

    #[test]
    fn an_evicted_stem_is_computed_again() {
        let mut analysis = Analysis::for_documents();
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
