//! Who decides on the order of candidates?

use std::sync::Arc;

use recall_core::{DocumentType, Traits};
use recall_rank::{Ranker, ReadError};

use crate::search::features;

/// The learned rankers, for each side of a store one that knows words alone and one that knows the meaning beside. Clones
/// share them.
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
}

/// What is known of candidates when they are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Words, names, paths and the graph.
    Words,
    /// That, and how near in meaning they are to the query.
    Meaning,
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
        all.into_iter().fold(Self::none(), |rankers, (side, bytes)| {
            rankers.with(side, bytes).expect("the built-in rankers fit the features, which a test holds")
        })
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
        let basis = basis_of(&ranker)?;
        let here = match side {
            Side::Code => &mut self.code,
            Side::Prose => &mut self.prose,
        };
        match basis {
            Basis::Words => *here = OfSide { words: Some(Arc::new(ranker)), meaning: None },
            Basis::Meaning => here.meaning = Some(Arc::new(ranker)),
        }
        Ok(self)
    }

    /// Whether one of them knows the meaning.
    pub fn know_meaning(&self) -> bool {
        [&self.code, &self.prose].into_iter().any(|of_side| of_side.meaning.is_some())
    }

    /// The ranker of a side on a basis; where none knows the meaning, the one that knows words alone.
    pub fn of(&self, side: Side, basis: Basis) -> Option<&Ranker> {
        let OfSide { words, meaning } = match side {
            Side::Code => &self.code,
            Side::Prose => &self.prose,
        };
        match basis {
            Basis::Words => words.as_deref(),
            Basis::Meaning => meaning.as_deref().or(words.as_deref()),
        }
    }
}

/// What a ranker was trained on.
fn basis_of(ranker: &Ranker) -> Result<Basis, RankerError> {
    let is = |basis: &Basis| ranker.features().iter().map(String::as_str).eq(features::names(*basis));
    let known = [Basis::Words, Basis::Meaning].into_iter().find(is);
    known.ok_or_else(|| RankerError::Features { found: ranker.features().len(), known: features::COUNT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rankers_fit_the_features() {
        for (side, basis) in Side::ALL.into_iter().flat_map(|side| [(side, Basis::Words), (side, Basis::Meaning)]) {
            let rankers = Rankers::built_in();
            let ranker = rankers.of(side, basis).expect("there is one");
            assert!(ranker.trees() > 0, "{}", side.as_str());
            assert_eq!(basis_of(ranker).ok(), Some(basis), "{}", side.as_str());
        }
    }

    #[test]
    fn the_built_in_rankers_are_small() {
        let all = [CODE, PROSE, CODE_MEANING, PROSE_MEANING];
        assert!(all.iter().map(|bytes| bytes.len()).sum::<usize>() <= 300 * 1024);
    }

    #[test]
    fn what_is_no_ranker_is_refused() {
        assert!(matches!(Rankers::none().with(Side::Code, b"no ranker"), Err(RankerError::Read { .. })));
    }
}
