//! How much nearness in meaning decides on the order, and the proximity of the query words in the texts of the best candidates.
//!
//! It counts twice. Within a kind, a ranker has learned what a cosine says, and an encoder's counts more than that. Between the kinds,
//! a relevance decides that was learned from words above all; a memory hardly shares words with the question, and code that describes
//! itself in the words of the question shares most. So each document's odds are multiplied by its nearness compared with all candidates.
//!
//! The proximity of the query words in the texts of the best candidates is computed for prose only. It improves prose by .03 nDCG@10; code gains nothing, because its names already keep words
//! together.

use recall_core::{ChunkRow, DocumentRow, QueryClass};
use recall_index::lexical::Closeness;

use super::candidates::{KindCandidates, StoreCandidates};
use super::context::Search;
use super::semantic::SemanticEvidence;
use crate::error::StoreError;
use crate::ranking::features::covered_share;
use crate::ranking::{ContentKind, FeatureSet, ZScore};
use crate::task_pool::Deferred;

/// The nearness of all candidates of a query, whatever their kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearness {
    set: FeatureSet,
    class: QueryClass,
    /// The share of the question that no candidate contains, 0 to 1.
    uncovered: f32,
    /// The scale of the cosines that compare kinds.
    scale: ZScore<f32>,
}

impl Nearness {
    /// Returns the nearness of the candidates of every store.
    pub(super) fn compute(candidates: &[StoreCandidates], set: FeatureSet, class: QueryClass) -> Self {
        let documents = || candidates.iter().flat_map(|of| of.evidence.documents.iter().map(move |one| (of, one)));
        let covered = documents().map(|(_, document)| covered_share(document)).fold(0.0, f32::max);
        let uncovered = (1.0 - covered).max(0.0);
        let cosine = |semantic: &SemanticEvidence, row| semantic.cosines(row).map(|cosines| cosines.preferred);
        let cosines: Vec<f32> =
            documents().filter_map(|(of, document)| cosine(of.semantic.as_ref()?, document.document)).collect();
        Self { set, class, uncovered, scale: ZScore::compute(&cosines).with_min_deviation(MIN_DEVIATION) }
    }

    /// Returns the factors on the odds of a document; 1 for one without an embedding.
    pub(super) fn odds(
        &self,
        kind: ContentKind,
        semantic: Option<&SemanticEvidence>,
        document: DocumentRow,
    ) -> NearnessOdds {
        let Some(cosines) = semantic.and_then(|semantic| semantic.cosines(document)) else { return NearnessOdds::EVEN };
        let score = f64::from(self.scale.score(cosines.preferred));
        let (paraphrase, of_kind) = (self.paraphrase_weight(), self.weight_of_kind(kind));
        let within = paraphrase + of_kind * self.share_within(kind);
        NearnessOdds { within: (within * score).exp(), between: ((paraphrase + of_kind) * score).exp() }
    }

    /// Returns the weight by how little of the question the candidates contain: the logarithm of the factor for each standard deviation of
    /// nearness.
    fn paraphrase_weight(&self) -> f64 {
        match self.set {
            FeatureSet::Words => 0.0,
            FeatureSet::Semantic => {
                PARAPHRASE * f64::from(((self.uncovered - COVERED_ENOUGH) / (1.0 - COVERED_ENOUGH)).max(0.0))
            }
            FeatureSet::Blended => ENCODER_PARAPHRASE * f64::from(self.uncovered).powi(ENCODER_POWER),
        }
    }

    /// Returns the share of [`Self::weight_of_kind`] that counts among the documents of the kind too. The rankers of code and prose know
    /// the built-in model's cosines.
    fn share_within(&self, kind: ContentKind) -> f64 {
        match (kind, self.set) {
            (ContentKind::Memory, _) => 1.0,
            (_, FeatureSet::Blended) => ENCODER_WITHIN,
            _ => 0.0,
        }
    }

    /// Returns whether the words of the question are in a candidate, as far as an answer needs them.
    pub(super) fn is_covered(&self) -> bool {
        self.uncovered <= COVERED_ENOUGH
    }

    /// Returns the weight that does not depend on what the candidates contain. Names and paths are found as they are written.
    fn weight_of_kind(&self, kind: ContentKind) -> f64 {
        match (self.class, self.set, kind) {
            (QueryClass::Symbol | QueryClass::Path, ..) | (_, FeatureSet::Words, _) => 0.0,
            (_, FeatureSet::Semantic, ContentKind::Memory) => MEMORY,
            (_, FeatureSet::Semantic, ContentKind::Code | ContentKind::Prose) => DOCUMENT,
            (_, FeatureSet::Blended, ContentKind::Memory) => ENCODER_MEMORY,
            (_, FeatureSet::Blended, ContentKind::Code | ContentKind::Prose) => ENCODER_DOCUMENT,
        }
    }
}

/// The factors of a document's nearness on its odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearnessOdds {
    /// Among the documents of its kind.
    pub(super) within: f64,
    /// Among those of all kinds.
    pub(super) between: f64,
}

impl NearnessOdds {
    const EVEN: Self = Self { within: 1.0, between: 1.0 };
}

/// Below this standard deviation, the cosines differ too little to tell documents apart.
const MIN_DEVIATION: f32 = 1e-3;

/// The weight for a question of which no candidate contains a word. The order by words is chance then.
const PARAPHRASE: f64 = 2.0;

/// The same with an encoder, whose cosines tell a paraphrase from chance.
const ENCODER_PARAPHRASE: f64 = 8.0;

/// The exponent of the uncovered share with an encoder. Most commit subjects have a word that their files lack, but are no paraphrases: with
/// an exponent of 1, nDCG@10 of commit subjects is .01 lower.
const ENCODER_POWER: i32 = 3;

/// The share of a question that no candidate needs to contain: a question in a sentence has words that its answer lacks.
const COVERED_ENOUGH: f32 = 0.3;

/// The weight for code and prose. `docs/benchmarks.md` has the figures.
const DOCUMENT: f64 = 0.6;

/// The weight for memories: short texts in other words than the question.
const MEMORY: f64 = 1.6;

/// The weights with an encoder. It finds a paraphrased memory by its cosine alone, among code too.
const ENCODER_DOCUMENT: f64 = 2.0;
const ENCODER_MEMORY: f64 = 4.0;

/// The share of the weight with an encoder that counts among documents of a kind. At 1, code and commit subjects rank lower.
const ENCODER_WITHIN: f64 = 0.25;

/// The weight of a document's nearness in its sort key among the documents of its kind.
///
/// The nearness is also a feature of the ranker of code. That ranker was learnt from commit subjects and the built-in model's
/// cosines. A question in plain English shares fewer words with the code that answers it than a commit subject does, and an
/// encoder's cosines are more reliable, so the ranker gives the nearness too little weight. `docs/benchmarks.md` has the figures.
/// The weight is 0 for names and paths, which are found as they are written, and for prose, whose rankers were learnt from
/// headings and, for two models, from the cosines of both.
pub(super) fn key_weight(set: FeatureSet, class: QueryClass, kind: ContentKind) -> f64 {
    match (kind, class, set) {
        (ContentKind::Prose | ContentKind::Memory, ..)
        | (_, QueryClass::Symbol | QueryClass::Path, _)
        | (.., FeatureSet::Words) => 0.0,
        (ContentKind::Code, _, FeatureSet::Semantic) => ONE_MODEL_WEIGHT,
        (ContentKind::Code, _, FeatureSet::Blended) => TWO_MODEL_WEIGHT,
    }
}

/// The weight if one model embeds, which is usually the built-in one. At 0.3 and more, commit subjects rank lower.
const ONE_MODEL_WEIGHT: f64 = 0.2;

/// The weight if an encoder and the built-in model embed. From 1 to 3, code and commit subjects differ by less than .007.
const TWO_MODEL_WEIGHT: f64 = 1.5;

/// The number of texts that are read. Reading one takes about 20 µs, and a document with a lower lexical score is seldom the
/// answer.
const MOST_TEXTS: usize = 12;

/// The proximity in the texts of one kind's documents, computed on the task pool.
pub(super) struct Texts {
    /// The number of documents.
    documents: usize,
    readings: Vec<TextReading>,
}

/// The pending results of one store.
struct TextReading {
    /// The indexes of the documents among those of all stores.
    places: Vec<usize>,
    closeness: Deferred<Result<Vec<Option<Closeness>>, StoreError>>,
}

impl Texts {
    /// Starts reading the chunk that represents each of the best documents.
    pub(super) fn read(search: &Search<'_>, kinds: &[KindCandidates<'_>]) -> Self {
        if kinds.iter().any(|kind| kind.kind == ContentKind::Code) {
            let documents = kinds.iter().map(|kind| kind.documents.len()).sum();
            return Self { documents, readings: Vec::new() };
        }
        let all = kinds.iter().enumerate();
        let documents: Vec<_> =
            all.flat_map(|(store, kind)| kind.documents.iter().zip(&kind.ties).map(move |one| (store, one))).collect();
        let tie = |place: usize| (documents[place].0, documents[place].1.1, place);
        let worth = |place: usize| documents[place].1.0.chunk_score;
        let mut best: Vec<usize> = (0..documents.len()).collect();
        best.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then_with(|| tie(a).cmp(&tie(b))));
        best.truncate(MOST_TEXTS);
        let mut readings = Vec::new();
        for (number, store) in search.searched.iter().enumerate() {
            let places: Vec<usize> = best.iter().copied().filter(|&place| documents[place].0 == number).collect();
            let rows: Vec<ChunkRow> = places.iter().map(|&place| documents[place].1.0.chunk).collect();
            let chunks = kinds[number].of_store.evidence.query.chunks as u64;
            if !rows.is_empty() {
                readings.push(TextReading { places, closeness: store.closeness(search, rows, chunks) });
            }
        }
        Self { documents: documents.len(), readings }
    }

    /// Returns the proximity of each document, store by store; `None` if the text was not read.
    ///
    /// # Errors
    /// A store cannot be read.
    pub(super) fn closeness(self) -> Result<Vec<Option<Closeness>>, StoreError> {
        let mut all = vec![None; self.documents];
        for TextReading { places, closeness } in self.readings {
            for (place, one) in places.into_iter().zip(closeness.join()?) {
                all[place] = one;
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearness(set: FeatureSet, class: QueryClass, uncovered: f32) -> Nearness {
        Nearness { set, class, uncovered, scale: ZScore { mean: 0.2, deviation: 0.1 } }
    }

    #[test]
    fn nearness_counts_for_questions_about_code_and_most_with_an_encoder() {
        let of = |set, class| key_weight(set, class, ContentKind::Code);
        let (together, alone) =
            (of(FeatureSet::Blended, QueryClass::Question), of(FeatureSet::Semantic, QueryClass::Question));
        assert!(together > alone && alone > 0.0, "{together} {alone}");
        assert!(of(FeatureSet::Words, QueryClass::Question).abs() < 1e-9);
        for class in [QueryClass::Symbol, QueryClass::Path] {
            assert!(of(FeatureSet::Blended, class).abs() < 1e-9, "{class}");
        }
        for kind in [ContentKind::Prose, ContentKind::Memory] {
            let weight = key_weight(FeatureSet::Blended, QueryClass::Question, kind);
            assert!(weight.abs() < 1e-9, "{}", kind.as_str());
        }
    }

    #[test]
    fn a_memory_gains_most_from_nearness_and_a_name_nothing() {
        let weight = |set, class, kind| nearness(set, class, 0.0).weight_of_kind(kind);
        for set in [FeatureSet::Semantic, FeatureSet::Blended] {
            let question = |kind| weight(set, QueryClass::Question, kind);
            assert!(question(ContentKind::Memory) > question(ContentKind::Code), "{set:?}");
            for class in [QueryClass::Symbol, QueryClass::Path] {
                assert!(weight(set, class, ContentKind::Memory).abs() < 1e-9, "{class}");
            }
        }
        assert!(weight(FeatureSet::Words, QueryClass::Question, ContentKind::Memory).abs() < 1e-9);
    }

    #[test]
    fn the_less_of_a_question_is_in_any_candidate_the_more_nearness_counts() {
        let weight = |set, uncovered| nearness(set, QueryClass::Question, uncovered).paraphrase_weight();
        for set in [FeatureSet::Semantic, FeatureSet::Blended] {
            assert!(weight(set, 1.0) > weight(set, 0.6), "{set:?}");
        }
        // Words that hardly any answer contains are no sign of a paraphrase for the built-in model.
        assert!(weight(FeatureSet::Semantic, 0.2).abs() < 1e-9);
        assert!(weight(FeatureSet::Words, 1.0).abs() < 1e-9);
    }
}
