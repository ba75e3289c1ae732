//! Running scores of chunks and documents, and the evidence that is assembled from them, wherever the postings were
//! read.

use recall_core::{ChunkRow, DocumentRow, Traits};

use super::{DocumentEvidence, QueryStats};
use crate::lexical::chunk_document::SiblingKeys;
use crate::lexical::clause::{B, K1};
use crate::lexical::fields::FieldWeights;

/// The weight of a chunk that defines a name of the query, when the chunk that represents its document is chosen. In
/// units of the whole query, so that a definition outranks any match of words.
pub(crate) const NAMED_EQUAL: f32 = 2.0;
pub(crate) const NAMED_FOLDED: f32 = 1.5;

/// The unit of the weight of a named chunk.
pub(crate) fn named_unit(query: &QueryStats) -> f32 {
    query.weight * (K1 + 1.0) * 4.0
}

/// A document whose postings were read.
pub(crate) struct ReadDocument<'a> {
    pub(crate) row: DocumentRow,
    /// The row of the first of `chunks`. The others follow without gaps.
    pub(crate) first_chunk: ChunkRow,
    pub(crate) traits: Traits,
    pub(crate) keys: SiblingKeys,
    pub(crate) stats: &'a DocumentStats,
    pub(crate) chunks: &'a [ChunkStats],
    /// Whether a chunk passes the filters, so that it may represent the document.
    pub(crate) passes: &'a dyn Fn(usize) -> bool,
    /// The number of terms in the text, the names and the comments of the document.
    pub(crate) lengths: [u32; 3],
    /// The number of terms in the text of a chunk.
    pub(crate) chunk_length: &'a dyn Fn(usize) -> u32,
    /// The number of terms in the names of a chunk.
    pub(crate) symbol_length: &'a dyn Fn(usize) -> u32,
    pub(crate) stem_length: u32,
    pub(crate) folder_length: u32,
}

impl ReadDocument<'_> {
    /// The evidence. `term_weights` are the inverse document frequencies of the query's terms; `rarest` is the index of the
    /// rarest.
    pub(crate) fn evidence(
        &self,
        query: &QueryStats,
        term_weights: &[f32],
        rarest: usize,
        weights: &FieldWeights,
    ) -> DocumentEvidence {
        let (document, chunks) = (self.stats, self.chunks);
        let score = |chunk: &ChunkStats| {
            weights.body * chunk.body.score
                + weights.symbol * chunk.symbol.score
                + weights.comment * chunk.comment.score
        };
        // The first chunk that defines a name of the query, since a type precedes its constructors and methods.
        // Otherwise the best; a chunk with a rare word that the query is about precedes those without it.
        let worth = |chunk: &ChunkStats| match chunk.named {
            named if named > 0.0 => named,
            _ if chunk.has_subject => named_unit(query) + score(chunk),
            _ => score(chunk),
        };
        // A file that the whole query names begins at its beginning: no part of it is asked for.
        let is_named = document.path_equal || document.path_ends;
        let chosen = (0..chunks.len())
            .filter(|place| (self.passes)(*place))
            .take(if is_named { 1 } else { chunks.len() })
            .max_by(|&a, &b| worth(&chunks[a]).total_cmp(&worth(&chunks[b])).then(b.cmp(&a)))
            .unwrap_or_default();
        let chunk = &chunks[chosen];
        let all = query.weight.max(f32::MIN_POSITIVE);
        let coverage = |stats: &FieldStats| stats.terms.weight(term_weights) / all;
        let share = |stats: &FieldStats, length: u32| (stats.terms.len() as f32 / length.max(1) as f32).min(1.0);
        let best = |of: fn(&ChunkStats) -> f32| chunks.iter().map(of).fold(0.0, f32::max);
        let [tokens, symbol_tokens, comment_tokens] = self.lengths.map(|length| length as f32);
        let matched = chunks.iter().filter(|chunk| chunk.body.score > 0.0).count();
        DocumentEvidence {
            document: self.row,
            chunk: ChunkRow(self.first_chunk.0 + chosen as i64),
            traits: self.traits,
            folder: self.keys.folder,
            stem: self.keys.stem,
            chunks: chunks.len() as f32,
            symbol_tokens,
            comment_tokens,
            tokens,
            chunk_tokens: (self.chunk_length)(chosen) as f32,
            place: chosen as f32 / (chunks.len() - 1).max(1) as f32,
            matched_chunks: matched as f32 / chunks.len() as f32,
            body_best: best(|chunk| chunk.body.score),
            body_top: sum_of_best(chunks.iter().map(|chunk| chunk.body.score)),
            body_whole: document.body.score,
            symbol_best: best(|chunk| chunk.symbol.score),
            symbol_whole: document.symbol.score,
            comment_best: best(|chunk| chunk.comment.score),
            comment_whole: document.comment.score,
            chunk_score: score(chunk),
            path: document.path.score,
            body_coverage: coverage(&document.body),
            chunk_coverage: coverage(&chunk.body),
            symbol_coverage: coverage(&document.symbol),
            chunk_symbol_coverage: chunks.iter().map(|chunk| coverage(&chunk.symbol)).fold(0.0, f32::max),
            symbol_share: chunks
                .iter()
                .enumerate()
                .map(|(place, chunk)| share(&chunk.symbol, (self.symbol_length)(place)))
                .fold(0.0, f32::max),
            comment_coverage: coverage(&document.comment),
            path_coverage: coverage(&document.path),
            stem_coverage: coverage(&document.stem),
            stem_share: share(&document.stem, self.stem_length),
            folder_share: share(&document.folder, self.folder_length),
            names_equal: document.names_equal.len() as f32,
            names_folded: document.names_folded.len() as f32,
            names_begun: document.names_begun.len() as f32,
            names_stem: document.names_stem.len() as f32,
            names_near: document.names_near.len() as f32,
            phrase_equal: f32::from(u8::from(document.phrase_equal)),
            path_equal: match (document.path_equal, document.path_ends) {
                (true, _) => 1.0,
                (false, true) => 0.5,
                (false, false) => 0.0,
            },
            holds_rarest: f32::from(u8::from(document.body.terms.contains(rarest))),
            telling: document.telling,
            literal: 0.0,
            framed: 0.0,
            holds_rare: f32::from(u8::from(document.is_rare)),
        }
    }
}

/// The saturated term frequency of BM25 for a text of this length relative to the mean. Less than 1.
pub(crate) fn saturated_frequency(frequency: u32, relative_length: f32) -> f32 {
    let frequency = frequency as f32;
    frequency / (frequency + K1 * (1.0 - B + B * relative_length))
}

/// The sum of the three largest.
fn sum_of_best(scores: impl Iterator<Item = f32>) -> f32 {
    let mut best = [0.0_f32; 3];
    for score in scores {
        if score > best[2] {
            best[2] = score;
            best.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }
    best.iter().sum()
}

/// The most terms distinguished in a coverage: the number of bits of [`Terms`].
pub(crate) const MAX_TERMS: usize = 64;

/// A set of terms of the query, by their indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms(u64);

impl Terms {
    pub(crate) fn insert(&mut self, place: usize) {
        self.0 |= 1 << (place % MAX_TERMS);
    }

    pub(crate) fn contains(self, place: usize) -> bool {
        self.0 & (1 << (place % MAX_TERMS)) != 0
    }

    /// The sum of the weights of the terms in the set.
    pub(crate) fn weight(self, weights: &[f32]) -> f32 {
        let mut rest = self.0;
        let mut sum = 0.0;
        while rest != 0 {
            sum += weights.get(rest.trailing_zeros() as usize).copied().unwrap_or_default();
            rest &= rest - 1;
        }
        sum
    }

    pub(crate) fn len(self) -> u32 {
        self.0.count_ones()
    }
}

/// The score of one field of a chunk or document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FieldStats {
    /// The BM25 sum over the terms read so far.
    pub(crate) score: f32,
    /// The terms found.
    pub(crate) terms: Terms,
}

/// The scores of one chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChunkStats {
    pub(crate) body: FieldStats,
    pub(crate) symbol: FieldStats,
    pub(crate) comment: FieldStats,
    /// How well the names it defines match the names of the query. 0 if none does.
    pub(crate) named: f32,
    /// Whether it contains a word that the query is about: a rare one, or one with punctuation in it.
    pub(crate) has_subject: bool,
}

/// The scores of one document.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the document")]
pub(crate) struct DocumentStats {
    /// The frequency of the current term in the current field.
    pub(crate) frequency: u32,
    pub(crate) body: FieldStats,
    pub(crate) symbol: FieldStats,
    pub(crate) comment: FieldStats,
    pub(crate) path: FieldStats,
    pub(crate) stem: FieldStats,
    pub(crate) folder: FieldStats,
    /// The names of the query, by index, that it defines in the same case, in another case, as a prefix, or that are
    /// its file name.
    pub(crate) names_equal: Terms,
    pub(crate) names_folded: Terms,
    pub(crate) names_begun: Terms,
    pub(crate) names_stem: Terms,
    /// The spelling suggestions that it defines or that are its name, by index.
    pub(crate) names_near: Terms,
    /// Whether its title, a heading or its first sentence equals the query.
    pub(crate) phrase_equal: bool,
    /// Whether its text contains the rare word of the query.
    pub(crate) is_rare: bool,
    /// How telling its name is for a question about the project as a whole.
    pub(crate) telling: f32,
    /// Whether its path equals the query.
    pub(crate) path_equal: bool,
    /// Whether its path ends with the query.
    pub(crate) path_ends: bool,
}
