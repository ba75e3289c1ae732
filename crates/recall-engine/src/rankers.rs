//! Who decides on the order of candidates?

use std::sync::Arc;

use recall_core::{DocumentType, Traits};
use recall_rank::{Ranker, ReadError};

use crate::search::features;

/// The learned rankers, for each side of a store one that knows words alone and one that knows the meaning beside; for prose one
/// more, where an encoder tells it too. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Rankers {
    code: OfSide,
    prose: OfSide,
}

/// The rankers of one side.
#[derive(Clone, Debug, Default)]
struct OfSide {
    words: Option<Arc<Ranker>>,
    meaning: Option<Arc<Ranker>>,
    together: Option<Arc<Ranker>>,
}

/// What is known of candidates when they are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Words, names, paths and the graph.
    Words,
    /// That, and how near in meaning they are to the query.
    Meaning,
    /// The same, where an encoder and the model that follows at once tell the meaning together.
    Together,
}

/// The two kinds of text that are ranked each by its own ranker: what speaks for a file of code says little about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Source code, configuration and data.
    Code,
    /// Documentation, decisions, memories.
    Prose,
}

/// What puts candidates in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankerUse {
    /// A ranker that was learnt from the project's history, for code.
    Own,
    /// The built-in rankers.
    BuiltIn,
    /// No ranker: the weighted fusion of the retrievers' ranks.
    Fusion,
}

impl RankerUse {
    /// Its name, as a status writes it.
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
    /// It is none, or damaged.
    #[error("it cannot be read")]
    Read {
        /// What is wrong with it.
        #[from]
        source: ReadError,
    },
    /// It was trained on other features than these.
    #[error("it was trained on other features ({found} of them, {known} here): train it again")]
    Features {
        /// How many it knows.
        found: usize,
        /// How many there are.
        known: usize,
    },
}

const CODE: &[u8] = include_bytes!("../rankers/code.ranker");
const PROSE: &[u8] = include_bytes!("../rankers/prose.ranker");
const CODE_MEANING: &[u8] = include_bytes!("../rankers/code-meaning.ranker");
const PROSE_MEANING: &[u8] = include_bytes!("../rankers/prose-meaning.ranker");
const PROSE_TOGETHER: &[u8] = include_bytes!("../rankers/prose-together.ranker");

impl Side {
    /// Both, in a fixed order.
    pub const ALL: [Self; 2] = [Self::Code, Self::Prose];

    /// The side that a document is on.
    pub fn of(traits: Traits) -> Self {
        if traits.document_type == DocumentType::Code { Self::Code } else { Self::Prose }
    }

    /// The side's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
        }
    }
}

impl Rankers {
    /// Those that are built in.
    ///
    /// # Panics
    /// Never: a test holds that they fit the features.
    pub fn built_in() -> Self {
        let all = [(Side::Code, CODE), (Side::Prose, PROSE), (Side::Code, CODE_MEANING), (Side::Prose, PROSE_MEANING)];
        let fits = "the built-in rankers fit the features, which a test holds";
        let rankers =
            all.into_iter().fold(Self::none(), |rankers, (side, bytes)| rankers.with(side, bytes).expect(fits));
        rankers.with_together(Side::Prose, PROSE_TOGETHER).expect(fits)
    }

    /// None: candidates are ordered by weighted fusion.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same with another ranker for one side: for the basis that it was trained on. One that knows words alone decides
    /// there on either basis.
    ///
    /// # Errors
    /// The bytes are no ranker of the features that are computed here.
    pub fn with(mut self, side: Side, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = Ranker::read(bytes)?;
        let knows_meaning = knows_meaning(&ranker)?;
        let (here, ranker) = (self.on(side), Some(Arc::new(ranker)));
        if knows_meaning {
            here.meaning = ranker;
        } else {
            *here = OfSide { words: ranker, ..OfSide::default() };
        }
        Ok(self)
    }

    /// The same with another ranker for one side, for where an encoder and the model that follows at once tell the meaning
    /// together.
    ///
    /// # Errors
    /// The bytes are no ranker of the features that are computed here, or of one that knows words alone.
    pub fn with_together(mut self, side: Side, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = Ranker::read(bytes)?;
        if !knows_meaning(&ranker)? {
            return Err(other_features(&ranker));
        }
        self.on(side).together = Some(Arc::new(ranker));
        Ok(self)
    }

    fn on(&mut self, side: Side) -> &mut OfSide {
        match side {
            Side::Code => &mut self.code,
            Side::Prose => &mut self.prose,
        }
    }

    /// Whether one of them knows the meaning.
    pub fn know_meaning(&self) -> bool {
        [&self.code, &self.prose].into_iter().any(|of_side| of_side.meaning.is_some())
    }

    /// The ranker of a side on a basis; where there is none, that of the next simpler one.
    pub fn of(&self, side: Side, basis: Basis) -> Option<&Ranker> {
        let OfSide { words, meaning, together } = match side {
            Side::Code => &self.code,
            Side::Prose => &self.prose,
        };
        let meaning = || meaning.as_deref().or(words.as_deref());
        match basis {
            Basis::Words => words.as_deref(),
            Basis::Meaning => meaning(),
            Basis::Together => together.as_deref().or_else(meaning),
        }
    }
}

/// Whether a ranker was trained on the meaning beside the words.
fn knows_meaning(ranker: &Ranker) -> Result<bool, RankerError> {
    let is = |basis: Basis| ranker.features().iter().map(String::as_str).eq(features::names(basis));
    if is(Basis::Meaning) {
        Ok(true)
    } else if is(Basis::Words) {
        Ok(false)
    } else {
        Err(other_features(ranker))
    }
}

fn other_features(ranker: &Ranker) -> RankerError {
    RankerError::Features { found: ranker.features().len(), known: features::COUNT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rankers_fit_the_features() {
        let rankers = Rankers::built_in();
        for (side, basis) in Side::ALL.into_iter().flat_map(|side| [(side, Basis::Words), (side, Basis::Meaning)]) {
            let ranker = rankers.of(side, basis).expect("there is one");
            assert!(ranker.trees() > 0, "{}", side.as_str());
            assert_eq!(knows_meaning(ranker).ok(), Some(basis == Basis::Meaning), "{}", side.as_str());
        }
        let of = |side, basis| rankers.of(side, basis).map(Ranker::features);
        assert_eq!(of(Side::Code, Basis::Together), of(Side::Code, Basis::Meaning));
        assert_ne!(rankers.of(Side::Prose, Basis::Together), rankers.of(Side::Prose, Basis::Meaning));
    }

    #[test]
    fn a_ranker_of_words_alone_is_none_for_two_models() {
        assert!(matches!(Rankers::none().with_together(Side::Prose, PROSE), Err(RankerError::Features { .. })));
    }

    #[test]
    fn the_built_in_rankers_are_small() {
        let all = [CODE, PROSE, CODE_MEANING, PROSE_MEANING, PROSE_TOGETHER];
        assert!(all.iter().map(|bytes| bytes.len()).sum::<usize>() <= 300 * 1024);
    }

    #[test]
    fn what_is_no_ranker_is_refused() {
        assert!(matches!(Rankers::none().with(Side::Code, b"no ranker"), Err(RankerError::Read { .. })));
    }
}
