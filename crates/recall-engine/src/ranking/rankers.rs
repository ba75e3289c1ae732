//! The set of learned rankers.

use std::sync::Arc;

use recall_rank::{MissingFeature, Ranker, ReadError};

use super::kind::{Basis, Kind};
use super::schema;

/// The learned rankers: those that order the documents of a kind, and those that estimate the relevance of any document. Clones
/// share them.
///
/// Each comes in two versions: one uses words only, one also the similarity of embeddings. Prose has a third one, for a similarity
/// that an encoder contributes to.
#[derive(Clone, Debug, Default)]
pub struct Rankers {
    code: OfBasis,
    prose: OfBasis,
    relevance: OfBasis,
}

/// The versions of a ranker for each [`Basis`].
#[derive(Clone, Debug, Default)]
struct OfBasis {
    words: Option<Arc<Ranker>>,
    meaning: Option<Arc<Ranker>>,
    together: Option<Arc<Ranker>>,
}

/// What determines the order of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankerUse {
    /// For code, a ranker that was trained on the project's history; for other kinds, the built-in rankers.
    Own,
    /// The built-in rankers.
    BuiltIn,
    /// No ranker: the weighted fusion of the retrievers' ranks.
    Fusion,
}

impl RankerUse {
    /// Returns its name, as a status shows it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
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
        /// The error.
        #[from]
        source: ReadError,
    },
    /// It was trained on a feature that is not computed.
    #[error("it was trained on a feature that this version does not have: train it again")]
    Feature {
        /// The feature.
        #[from]
        source: MissingFeature,
    },
    /// It uses words only, and one that uses the similarity of embeddings is expected.
    #[error("it uses words only, expected a ranker that uses embeddings")]
    WordsAlone,
}

const CODE: &[u8] = include_bytes!("../../rankers/code.ranker");
const PROSE: &[u8] = include_bytes!("../../rankers/prose.ranker");
const CODE_MEANING: &[u8] = include_bytes!("../../rankers/code-meaning.ranker");
const PROSE_MEANING: &[u8] = include_bytes!("../../rankers/prose-meaning.ranker");
const PROSE_TOGETHER: &[u8] = include_bytes!("../../rankers/prose-together.ranker");

const RELEVANCE: &[u8] = include_bytes!("../../rankers/relevance.ranker");
const RELEVANCE_MEANING: &[u8] = include_bytes!("../../rankers/relevance-meaning.ranker");

impl Rankers {
    /// Returns the built-in rankers.
    ///
    /// # Panics
    /// Never: a test checks that they fit the features.
    pub fn built_in() -> Self {
        let fits = "a test checks that the built-in rankers fit the features";
        let read = |bytes| Some(Arc::new(read(bytes).expect(fits)));
        Self {
            code: OfBasis { words: read(CODE), meaning: read(CODE_MEANING), together: None },
            prose: OfBasis { words: read(PROSE), meaning: read(PROSE_MEANING), together: read(PROSE_TOGETHER) },
            relevance: OfBasis { words: read(RELEVANCE), meaning: read(RELEVANCE_MEANING), together: None },
        }
    }

    /// Returns no rankers: candidates are ordered by weighted fusion.
    pub fn none() -> Self {
        Self::default()
    }

    /// Replaces the ranker of one kind, for the basis that it was trained on. A ranker that uses words only replaces those of
    /// every basis.
    ///
    /// # Errors
    /// The bytes are not a ranker, or it uses a feature that is not computed here.
    pub fn with(mut self, kind: Kind, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = Arc::new(read(bytes)?);
        let here = self.on(kind);
        if knows_meaning(&ranker) {
            here.meaning = Some(ranker);
        } else {
            *here = OfBasis { words: Some(ranker), ..OfBasis::default() };
        }
        Ok(self)
    }

    /// Replaces the ranker of one kind for [`Basis::Together`].
    ///
    /// # Errors
    /// As [`Rankers::with`], and if the ranker uses words only.
    pub fn with_together(mut self, kind: Kind, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = read(bytes)?;
        if !knows_meaning(&ranker) {
            return Err(RankerError::WordsAlone);
        }
        self.on(kind).together = Some(Arc::new(ranker));
        Ok(self)
    }

    fn on(&mut self, kind: Kind) -> &mut OfBasis {
        match kind {
            Kind::Code => &mut self.code,
            Kind::Prose | Kind::Memory => &mut self.prose,
        }
    }

    /// Returns whether one of them uses the similarity of embeddings.
    pub fn know_meaning(&self) -> bool {
        [&self.code, &self.prose].into_iter().any(|of_kind| of_kind.meaning.is_some())
    }

    /// Returns the ranker of a kind for a basis; if there is none, that for the next simpler basis.
    pub fn of(&self, kind: Kind, basis: Basis) -> Option<&Ranker> {
        match kind {
            Kind::Code => self.code.on(basis),
            Kind::Prose | Kind::Memory => self.prose.on(basis),
        }
    }

    /// Returns the ranker whose scores are the log odds that a document of any kind is relevant.
    pub fn relevance(&self, basis: Basis) -> Option<&Ranker> {
        self.relevance.on(basis)
    }
}

impl OfBasis {
    fn on(&self, basis: Basis) -> Option<&Ranker> {
        let meaning = || self.meaning.as_deref().or(self.words.as_deref());
        match basis {
            Basis::Words => self.words.as_deref(),
            Basis::Meaning => meaning(),
            Basis::Together => self.together.as_deref().or_else(meaning),
        }
    }
}

/// Reads a ranker and maps its features by name to the current ones. It ignores features that were added after it was trained.
fn read(bytes: &[u8]) -> Result<Ranker, RankerError> {
    let all: Vec<String> = schema::all().into_iter().map(ToOwned::to_owned).collect();
    Ok(Ranker::read(bytes)?.over(&all)?)
}

/// Returns whether a ranker splits on a feature of embeddings.
fn knows_meaning(ranker: &Ranker) -> bool {
    ranker.importance().into_iter().any(|(name, gain)| gain > 0.0 && schema::is_of_meaning(name))
}

#[cfg(test)]
mod tests {
    use recall_rank::{Judged, JudgedQuery, Parameters};

    use super::*;

    #[test]
    fn the_built_in_rankers_fit_the_features() {
        let rankers = Rankers::built_in();
        for (kind, basis) in Kind::ALL.into_iter().flat_map(|kind| [(kind, Basis::Words), (kind, Basis::Meaning)]) {
            for ranker in [rankers.of(kind, basis), rankers.relevance(basis)] {
                let ranker = ranker.expect("there is one");
                assert!(ranker.trees() > 0, "{}", kind.as_str());
                assert_eq!(knows_meaning(ranker), basis == Basis::Meaning, "{}", kind.as_str());
            }
        }
        assert_eq!(rankers.of(Kind::Code, Basis::Together), rankers.of(Kind::Code, Basis::Meaning));
        assert_ne!(rankers.of(Kind::Prose, Basis::Together), rankers.of(Kind::Prose, Basis::Meaning));
    }

    #[test]
    fn a_ranker_of_words_only_is_rejected_for_two_models() {
        assert!(matches!(Rankers::none().with_together(Kind::Prose, PROSE), Err(RankerError::WordsAlone)));
    }

    #[test]
    fn a_ranker_with_an_unknown_feature_is_rejected_with_the_name_of_the_feature() {
        let query = |at: usize| JudgedQuery {
            group: format!("group {at}"),
            kind: "planted".to_owned(),
            weight: 1.0,
            rows: (0..100).map(|row| (row % 2) as f32).collect(),
            labels: (0..100).map(|row| (row % 2) as f32).collect(),
            missed: 0,
        };
        let judged = Judged { features: vec!["of_another_version".to_owned()], queries: (0..20).map(query).collect() };
        let parameters = Parameters { trees: 1, feature_fraction: 1.0, ..Parameters::default() };
        let other = recall_rank::train(&judged, &parameters).expect("there is something to learn");
        match Rankers::none().with(Kind::Code, &other.write()) {
            Err(RankerError::Feature { source }) => assert_eq!(source.name, "of_another_version"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_built_in_rankers_are_small() {
        let all = [CODE, PROSE, CODE_MEANING, PROSE_MEANING, PROSE_TOGETHER, RELEVANCE, RELEVANCE_MEANING];
        assert!(all.iter().map(|bytes| bytes.len()).sum::<usize>() <= 300 * 1024);
    }

    #[test]
    fn bytes_that_are_not_a_ranker_are_rejected() {
        assert!(matches!(Rankers::none().with(Kind::Code, b"no ranker"), Err(RankerError::Read { .. })));
    }
}
