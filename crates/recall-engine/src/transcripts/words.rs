//! The words of a query and of what was said, compared without their endings.

use std::collections::{HashMap, HashSet};

use recall_text::words::{Word, is_stop_word, split};

/// The shortest stem that an ending is cut from.
const STEM_BYTES: usize = 3;

/// English endings, the longest first. Transcripts mix languages, so a stemmer of one would not do better.
const ENDINGS: [&str; 5] = ["ing", "ed", "es", "s", "e"];

/// The words of a query.
pub(crate) struct Words {
    /// Distinct stems, in the order of the query.
    terms: Vec<String>,
    places: HashMap<String, usize>,
}

impl Words {
    /// Reads the words of a query: those without meaning of their own only if there is no other.
    pub(crate) fn new(query: &str) -> Self {
        let mut all = Vec::new();
        let mut meaning = Vec::new();
        each_word(query, &mut |word| {
            all.push(stem(word).to_owned());
            if !is_stop_word(word) {
                meaning.push(stem(word).to_owned());
            }
        });
        let mut terms = if meaning.is_empty() { all } else { meaning };
        let mut seen = HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        let places = terms.iter().enumerate().map(|(at, term)| (term.clone(), at)).collect();
        Self { terms, places }
    }

    /// Returns the number of distinct words.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Adds the weight for each word of the query in a text to `counts`, which has one entry for each word of the query. Returns the
    /// number of words of the text.
    pub(crate) fn count(&self, text: &str, weight: f64, counts: &mut [f64]) -> usize {
        let mut length = 0;
        each_word(text, &mut |word| {
            length += 1;
            if let Some(at) = self.places.get(stem(word)) {
                counts[*at] += weight;
            }
        });
        // A script without blanks has no words to compare, so its terms are looked for as they are.
        for (at, term) in self.terms.iter().enumerate().filter(|(_, term)| !term.is_ascii()) {
            if counts[at] == 0.0 {
                counts[at] = weight * text.matches(term.as_str()).count() as f64;
            }
        }
        length
    }

    /// Returns which of the first 64 words of the query are in a text, a bit for each.
    pub(crate) fn set_of(&self, text: &str) -> u64 {
        let mut counts = vec![0.0; self.len()];
        self.count(text, 1.0, &mut counts);
        counts.iter().take(64).enumerate().filter(|(_, count)| **count > 0.0).fold(0, |set, (at, _)| set | 1 << at)
    }

    /// Returns how many distinct words of the query are in a text.
    pub(crate) fn distinct(&self, text: &str) -> usize {
        let mut counts = vec![0.0; self.len()];
        self.count(text, 1.0, &mut counts);
        counts.iter().filter(|count| **count > 0.0).count()
    }
}

/// Returns the share of the words of a text that are in another one, 0 to 1.
pub(crate) fn share_of(words: &Words, text: &str) -> f64 {
    if words.len() == 0 { 0.0 } else { words.distinct(text) as f64 / words.len() as f64 }
}

fn each_word(text: &str, visit: &mut dyn FnMut(&str)) {
    split(text, |word| match word {
        Word::Plain(word) | Word::Part(word) | Word::Compound(word) if word.chars().any(char::is_uppercase) => {
            visit(&word.to_lowercase());
        }
        Word::Plain(word) | Word::Part(word) | Word::Compound(word) => visit(word),
    });
}

fn stem(word: &str) -> &str {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() >= STEM_BYTES);
    let stem = ENDINGS.iter().find_map(|ending| cut(ending)).unwrap_or(word);
    // Of *retry*, *retries* and *retried*.
    stem.strip_suffix(['y', 'i']).filter(|stem| stem.len() >= STEM_BYTES).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_with_other_endings_and_as_parts_of_names() {
        let words = Words::new("the retries of parseHTTPHeader");
        for (text, expected) in
            [("we retry and retried", 1), ("parse_header", 2), ("parseHTTPHeader retries", 5), ("nothing of that", 0)]
        {
            assert_eq!(words.distinct(text), expected, "{text}");
        }
        assert_eq!(Words::new("what is it").len(), 3, "a query of stop words has these");
        assert_eq!(Words::new("有効期限").distinct("セッションの有効期限は"), 1);
    }
}
