//! The significant words of a text, by which a shared store finds chunks that share them.
//!
//! It computes what [`more_like_this`](crate::lexical::Searcher::more_like_this) does from postings.

use super::chunk_analysis::{ChunkAnalysis, KeyField, field_key, term_number};
use super::{Statistics, WeightedKey};
use crate::lexical::clause::{K1, inverse_document_frequency};
use crate::lexical::evidence::assemble::saturated_frequency;
use crate::lexical::searcher::{SIGNIFICANT_TERMS, frequent_terms};

/// The fields in which shared words are looked for: the text and the names, in the order of [`ChunkAnalysis::lengths`].
const FIELDS: [KeyField; 2] = [KeyField::Body, KeyField::Symbol];

/// The frequent words of a text. They are weighed when the statistics are known.
#[derive(Clone, Debug)]
pub struct SimilarQuery {
    /// The number of each term, and its weight.
    terms: Vec<(u32, f32)>,
}

/// The significant words of a text, with their weights.
#[derive(Clone, Debug)]
pub struct SimilarWords {
    words: Vec<SimilarWord>,
    /// The mean length of each field.
    means: [f32; 2],
}

/// A significant word.
#[derive(Clone, Copy, Debug)]
struct SimilarWord {
    term: u32,
    /// Its weight and count in each of the [`FIELDS`].
    fields: [(f32, u64); 2],
}

impl SimilarQuery {
    /// Reads the words of a text.
    pub fn new(text: &str) -> Self {
        let weigh = |(term, frequency): (String, u32)| (term_number(&term), 1.0 + (frequency as f32).ln());
        Self { terms: frequent_terms(text).into_iter().map(weigh).collect() }
    }

    /// The keys whose counts [`Statistics`] must have.
    pub fn keys(&self) -> Vec<u32> {
        self.terms.iter().flat_map(|(term, _)| FIELDS.map(|field| field_key(field, *term))).collect()
    }

    /// Selects the words that best distinguish the text, by frequency in the text times rarity in the store.
    pub fn weigh(self, statistics: &Statistics) -> SimilarWords {
        let count = |field, term| statistics.count(field_key(field, term));
        let rarity = |field, term| inverse_document_frequency(count(field, term), statistics.chunks);
        // A term that occurs in one chunk only leads to no other chunk.
        let mut terms: Vec<(u32, f32)> =
            self.terms.into_iter().filter(|(term, _)| count(KeyField::Body, *term) > 1).collect();
        let significance = |(term, weight): &(u32, f32)| weight * rarity(KeyField::Body, *term);
        terms.sort_by(|a, b| significance(b).total_cmp(&significance(a)).then(a.0.cmp(&b.0)));
        terms.truncate(SIGNIFICANT_TERMS);
        let in_field = |field, term, weight| (weight * rarity(field, term) * (K1 + 1.0), count(field, term));
        let words = terms.into_iter().map(|(term, weight)| {
            let fields = FIELDS.map(|field| in_field(field, term, weight));
            SimilarWord { term, fields }
        });
        let [body, symbol, ..] = statistics.lengths.to_array();
        let mean = |length: u64| (length as f32 / statistics.chunks.max(1) as f32).max(1.0);
        SimilarWords { words: words.collect(), means: [mean(body), mean(symbol)] }
    }
}

impl SimilarWords {
    /// The keys of chunks that have the words, with their parts of the score.
    pub fn keys(&self) -> Vec<WeightedKey> {
        self.words.iter().flat_map(SimilarWord::keys).filter(|one| one.count > 0).collect()
    }

    /// Returns the place of the chunk with the greatest score, the first of several, and the score; `None` if no chunk has one of the words.
    pub fn best_chunk(&self, chunks: &[ChunkAnalysis]) -> Option<(usize, f32)> {
        let scored = chunks.iter().map(|chunk| self.score(chunk)).enumerate();
        scored.filter(|(_, score)| *score > 0.0).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// The score of a chunk by BM25: greater if it has more of the words.
    fn score(&self, chunk: &ChunkAnalysis) -> f32 {
        self.words.iter().map(|word| word.score(chunk, self.means)).sum()
    }
}

impl SimilarWord {
    fn keys(&self) -> impl Iterator<Item = WeightedKey> + use<> {
        let Self { term, fields } = *self;
        FIELDS.into_iter().zip(fields).map(move |(field, (weight, count))| WeightedKey {
            key: field_key(field, term),
            weight,
            count,
        })
    }

    fn score(&self, chunk: &ChunkAnalysis, means: [f32; 2]) -> f32 {
        let Some(frequencies) = chunk.frequencies(self.term) else { return 0.0 };
        let lengths = chunk.rounded_lengths();
        let mut score = 0.0;
        for (field, (weight, _)) in self.fields.into_iter().enumerate() {
            if frequencies[field] > 0 {
                score += weight * saturated_frequency(frequencies[field], lengths[field] as f32 / means[field]);
            }
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::super::ChunkParts;
    use super::*;

    #[test]
    fn a_text_that_shares_rare_words_scores_higher() {
        let analyse = |body: &str| ChunkAnalysis::new(&ChunkParts { body, ..ChunkParts::default() });
        let text = "the breaker waits with jitter before the server retries";
        let chunks = ["a breaker with jitter", "the server", "the server retries", "nothing alike", text].map(analyse);
        let mut statistics = Statistics { chunks: chunks.len() as u64, ..Statistics::default() };
        for chunk in &chunks {
            chunk.add_lengths(&mut statistics.lengths);
            for key in chunk.keys() {
                *statistics.counts.entry(key).or_default() += 1;
            }
        }
        let query = SimilarQuery::new(text);
        assert!(query.keys().iter().any(|key| statistics.count(*key) > 0));
        let words = query.weigh(&statistics);
        let scores = chunks.each_ref().map(|chunk| words.score(chunk));
        assert!(scores[0] > scores[1] && scores[2] > scores[1] && scores[4] > scores[0], "{scores:?}");
        assert!(scores[3] <= 0.0, "{scores:?}");
        assert_eq!(words.best_chunk(&chunks).map(|(place, _)| place), Some(4));
        assert_eq!(words.best_chunk(&chunks[3..4]), None);
        assert!(words.keys().iter().all(|key| key.count > 1 && key.weight > 0.0), "{words:?}");
    }
}
