//! The set of learned rankers.

use std::sync::Arc;

use recall_rank::{MissingFeature, Ranker, ReadError};
use recall_text::nearest;

use super::features;
use super::inputs::{ContentKind, FeatureSet};

/// The learned rankers: those that order the documents of a kind, and those that estimate the relevance of any document. Clones
/// share them.
///
/// Each comes in two versions: one uses words only, one also the similarity of embeddings. Prose has a third one, for a similarity
/// that an encoder contributes to.
#[derive(Clone, Debug, Default)]
pub struct Rankers {
    code: BySet,
    prose: BySet,
    relevance: BySet,
}

/// The versions of a ranker, one for each [`FeatureSet`].
#[derive(Clone, Debug, Default)]
struct BySet {
    words: Option<Arc<Ranker>>,
    semantic: Option<Arc<Ranker>>,
    blended: Option<Arc<Ranker>>,
}

/// What determines the order of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankerUse {
    /// The built-in rankers.
    BuiltIn,
    /// No ranker: the weighted fusion of the retrievers' ranks.
    Fusion,
}

impl RankerUse {
    /// Returns its name, as a status shows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Fusion => "none",
        }
    }
}

/// A ranker cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RankerError {
    /// It is damaged or not a ranker.
    #[error("it cannot be read")]
    Read {
        /// What is wrong with the bytes.
        #[from]
        source: ReadError,
    },
    /// It uses a feature that this version does not compute.
    #[error("it uses the unknown feature `{name}`{}: train it again", in_place_of(*.nearest))]
    UnknownFeature {
        /// The feature's name.
        name: String,
        /// The known name that is spelled nearest to it.
        nearest: Option<&'static str>,
    },
    /// It uses words only, and one that uses the similarity of embeddings is expected.
    #[error("it uses words only, expected a ranker that uses embeddings")]
    WordsAlone,
}

fn in_place_of(nearest: Option<&str>) -> String {
    nearest.map(|known| format!(" (the nearest known one is `{known}`)")).unwrap_or_default()
}

const CODE: &[u8] = include_bytes!("../../rankers/code.ranker");
const PROSE: &[u8] = include_bytes!("../../rankers/prose.ranker");
const CODE_SEMANTIC: &[u8] = include_bytes!("../../rankers/code-meaning.ranker");
const PROSE_SEMANTIC: &[u8] = include_bytes!("../../rankers/prose-meaning.ranker");
const PROSE_BLENDED: &[u8] = include_bytes!("../../rankers/prose-together.ranker");

const RELEVANCE: &[u8] = include_bytes!("../../rankers/relevance.ranker");
const RELEVANCE_SEMANTIC: &[u8] = include_bytes!("../../rankers/relevance-meaning.ranker");

impl Rankers {
    /// Returns the built-in rankers.
    ///
    /// # Panics
    /// Never: a test checks that they fit the features.
    pub fn built_in() -> Self {
        let fits = "a test checks that the built-in rankers fit the features";
        let read = |bytes| Some(Arc::new(read(bytes).expect(fits)));
        Self {
            code: BySet { words: read(CODE), semantic: read(CODE_SEMANTIC), blended: None },
            prose: BySet { words: read(PROSE), semantic: read(PROSE_SEMANTIC), blended: read(PROSE_BLENDED) },
            relevance: BySet { words: read(RELEVANCE), semantic: read(RELEVANCE_SEMANTIC), blended: None },
        }
    }

    /// Returns no rankers: candidates are ordered by weighted fusion.
    pub fn none() -> Self {
        Self::default()
    }

    /// Replaces the ranker of one kind, for the feature set that it was trained on. A ranker that uses words only replaces those
    /// of every set.
    ///
    /// # Errors
    /// The bytes are not a ranker, or it uses an unknown feature.
    pub fn with(mut self, kind: ContentKind, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = Arc::new(read(bytes)?);
        let here = self.on(kind);
        if is_semantic(&ranker) {
            here.semantic = Some(ranker);
        } else {
            *here = BySet { words: Some(ranker), ..BySet::default() };
        }
        Ok(self)
    }

    /// Replaces the ranker of one kind for [`FeatureSet::Blended`].
    ///
    /// # Errors
    /// As [`Rankers::with`], and if the ranker uses words only.
    pub fn with_blended(mut self, kind: ContentKind, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = read(bytes)?;
        if !is_semantic(&ranker) {
            return Err(RankerError::WordsAlone);
        }
        self.on(kind).blended = Some(Arc::new(ranker));
        Ok(self)
    }

    fn on(&mut self, kind: ContentKind) -> &mut BySet {
        match kind {
            ContentKind::Code => &mut self.code,
            ContentKind::Prose | ContentKind::Memory => &mut self.prose,
        }
    }

    /// Returns whether one of them uses the similarity of embeddings.
    pub fn are_semantic(&self) -> bool {
        [&self.code, &self.prose].into_iter().any(|of_kind| of_kind.semantic.is_some())
    }

    /// Returns the ranker of a kind for a feature set; if there is none, that for the next smaller set.
    pub fn ranker(&self, kind: ContentKind, set: FeatureSet) -> Option<&Ranker> {
        match kind {
            ContentKind::Code => self.code.ranker(set),
            ContentKind::Prose | ContentKind::Memory => self.prose.ranker(set),
        }
    }

    /// Returns the ranker whose scores are the log odds that a document of any kind is relevant.
    pub fn relevance(&self, set: FeatureSet) -> Option<&Ranker> {
        self.relevance.ranker(set)
    }
}

impl BySet {
    fn ranker(&self, set: FeatureSet) -> Option<&Ranker> {
        let semantic = || self.semantic.as_deref().or(self.words.as_deref());
        match set {
            FeatureSet::Words => self.words.as_deref(),
            FeatureSet::Semantic => semantic(),
            FeatureSet::Blended => self.blended.as_deref().or_else(semantic),
        }
    }
}

/// Reads a ranker and maps its features by name to the columns that are computed.
///
/// A ranker may lack features that were added after it was trained, and may list unknown ones that it does not use.
fn read(bytes: &[u8]) -> Result<Ranker, RankerError> {
    let all: Vec<String> = features::all_names().into_iter().map(ToOwned::to_owned).collect();
    Ranker::read(bytes)?.over(&all).map_err(|MissingFeature { name }| {
        let nearest = nearest(&name, features::all_names());
        RankerError::UnknownFeature { name, nearest }
    })
}

/// Returns whether a ranker splits on a feature of embeddings.
fn is_semantic(ranker: &Ranker) -> bool {
    ranker.importance().into_iter().any(|(name, gain)| gain > 0.0 && features::is_semantic(name))
}

#[cfg(test)]
mod tests {
    use recall_rank::{Judged, JudgedQuery, Parameters};

    use super::*;

    #[test]
    fn the_built_in_rankers_fit_the_features() {
        let rankers = Rankers::built_in();
        for (kind, set) in
            ContentKind::ALL.into_iter().flat_map(|kind| [(kind, FeatureSet::Words), (kind, FeatureSet::Semantic)])
        {
            for ranker in [rankers.ranker(kind, set), rankers.relevance(set)] {
                let ranker = ranker.expect("there is one");
                assert!(ranker.trees() > 0, "{}", kind.as_str());
                assert_eq!(is_semantic(ranker), set == FeatureSet::Semantic, "{}", kind.as_str());
            }
        }
        assert_eq!(
            rankers.ranker(ContentKind::Code, FeatureSet::Blended),
            rankers.ranker(ContentKind::Code, FeatureSet::Semantic)
        );
        assert_ne!(
            rankers.ranker(ContentKind::Prose, FeatureSet::Blended),
            rankers.ranker(ContentKind::Prose, FeatureSet::Semantic)
        );
    }

    #[test]
    fn a_ranker_of_words_only_is_rejected_for_two_models() {
        assert!(matches!(Rankers::none().with_blended(ContentKind::Prose, PROSE), Err(RankerError::WordsAlone)));
    }

    /// Checks that a built-in ranker that was stored over other features loads as if nothing had happened.
    fn check_stored_over(bytes: &[u8], names: &[&str]) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let stored = Ranker::read(bytes).expect("it is a ranker").over(&names);
        let stored = stored.expect("the names include all that it splits on");
        assert_eq!(stored.features(), names);
        let built_in = read(bytes).expect("it fits");
        let loaded = Rankers::none().with(ContentKind::Code, &stored.write()).expect("the names are known");
        let set = if is_semantic(&built_in) { FeatureSet::Semantic } else { FeatureSet::Words };
        let loaded = loaded.ranker(ContentKind::Code, set).expect("it was given");
        let mut random = oorandom::Rand32::new(7);
        let width = features::all_names().len();
        let rows: Vec<f32> = (0..40 * width).map(|_| random.rand_float() * 4.0 - 1.0).collect();
        let scores = |ranker: &Ranker| {
            let mut scores = Vec::new();
            ranker.score_rows(&rows, &mut scores);
            scores.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(scores(loaded), scores(&built_in));
        assert!(scores(loaded).windows(2).any(|two| two[0] != two[1]), "the rows differ");
    }

    #[test]
    fn a_ranker_with_permuted_features_gives_the_same_scores() {
        for bytes in [CODE, PROSE, CODE_SEMANTIC, PROSE_SEMANTIC, PROSE_BLENDED] {
            let mut names = features::all_names();
            names.reverse();
            check_stored_over(bytes, &names);
            names.sort_unstable();
            check_stored_over(bytes, &names);
        }
    }

    #[test]
    fn a_ranker_that_was_trained_before_a_feature_was_added_gives_the_same_scores() {
        for bytes in [CODE, PROSE, CODE_SEMANTIC, PROSE_SEMANTIC, PROSE_BLENDED] {
            let ranker = read(bytes).expect("it fits");
            let importance = ranker.importance();
            let (added, _) = importance.iter().find(|(_, gain)| *gain <= 0.0).expect("it does not use all features");
            let names: Vec<&str> = features::all_names().into_iter().filter(|name| name != added).collect();
            check_stored_over(bytes, &names);
        }
    }

    /// A ranker that splits on the only feature.
    fn trained_on(name: &str) -> Ranker {
        let query = |at: usize| JudgedQuery {
            group: format!("group {at}"),
            kind: "planted".to_owned(),
            weight: 1.0,
            rows: (0..100).map(|row| (row % 2) as f32).collect(),
            labels: (0..100).map(|row| (row % 2) as f32).collect(),
            missed: 0,
        };
        let judged = Judged { features: vec![name.to_owned()], queries: (0..20).map(query).collect() };
        let parameters = Parameters { trees: 1, feature_fraction: 1.0, ..Parameters::default() };
        recall_rank::train(&judged, &parameters).expect("there is something to learn")
    }

    #[test]
    fn a_ranker_with_an_unknown_feature_is_rejected_with_the_nearest_known_name() {
        let check = |unknown: &str, expected: &str| {
            let error = Rankers::none().with(ContentKind::Code, &trained_on(unknown).write()).expect_err("unknown");
            assert_eq!(error.to_string(), expected);
        };
        check(
            "body_bset",
            "it uses the unknown feature `body_bset` (the nearest known one is `body_best`): train it again",
        );
        check("of_another_version", "it uses the unknown feature `of_another_version`: train it again");
    }

    #[test]
    fn an_unknown_feature_without_a_split_does_no_harm() {
        let names = ["removed", "body_best"].map(str::to_owned);
        let ranker = trained_on("body_best").over(&names).expect("it has its feature");
        assert!(Rankers::none().with(ContentKind::Code, &ranker.write()).is_ok());
    }

    #[test]
    fn the_built_in_rankers_are_small() {
        let all = [CODE, PROSE, CODE_SEMANTIC, PROSE_SEMANTIC, PROSE_BLENDED, RELEVANCE, RELEVANCE_SEMANTIC];
        assert!(all.iter().map(|bytes| bytes.len()).sum::<usize>() <= 300 * 1024);
    }

    #[test]
    fn bytes_that_are_not_a_ranker_are_rejected() {
        assert!(matches!(Rankers::none().with(ContentKind::Code, b"no ranker"), Err(RankerError::Read { .. })));
    }
}
