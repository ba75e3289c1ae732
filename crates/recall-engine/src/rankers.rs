//! Who decides on the order of candidates?

use std::sync::Arc;

use recall_core::{DocumentType, Traits};
use recall_rank::{Ranker, ReadError};

use crate::search::features;

/// The learned rankers, one for each side of a store. Clones share them.
#[derive(Clone, Debug)]
pub struct Rankers {
    code: Option<Arc<Ranker>>,
    prose: Option<Arc<Ranker>>,
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

impl Default for Rankers {
    /// Those that are built in.
    fn default() -> Self {
        let read = |bytes| read(bytes).expect("the built-in rankers fit the features, which a test holds");
        Self { code: Some(Arc::new(read(CODE))), prose: Some(Arc::new(read(PROSE))) }
    }
}

impl Rankers {
    /// None: candidates are ordered by weighted fusion.
    pub fn none() -> Self {
        Self { code: None, prose: None }
    }

    /// The same with another ranker for one side.
    ///
    /// # Errors
    /// The bytes are no ranker of the features that are computed here.
    pub fn with(mut self, side: Side, bytes: &[u8]) -> Result<Self, RankerError> {
        let ranker = Some(Arc::new(read(bytes)?));
        match side {
            Side::Code => self.code = ranker,
            Side::Prose => self.prose = ranker,
        }
        Ok(self)
    }

    /// The ranker of a side.
    pub fn of(&self, side: Side) -> Option<&Ranker> {
        match side {
            Side::Code => self.code.as_deref(),
            Side::Prose => self.prose.as_deref(),
        }
    }
}

fn read(bytes: &[u8]) -> Result<Ranker, RankerError> {
    let ranker = Ranker::read(bytes)?;
    let known = features::names();
    if ranker.features().iter().map(String::as_str).eq(known.iter().copied()) {
        Ok(ranker)
    } else {
        Err(RankerError::Features { found: ranker.features().len(), known: known.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rankers_fit_the_features() {
        for side in Side::ALL {
            assert!(Rankers::default().of(side).is_some_and(|ranker| ranker.trees() > 0), "{}", side.as_str());
        }
    }

    #[test]
    fn the_built_in_rankers_are_small() {
        assert!(CODE.len() + PROSE.len() <= 300 * 1024);
    }

    #[test]
    fn what_is_no_ranker_is_refused() {
        assert!(matches!(Rankers::none().with(Side::Code, b"no ranker"), Err(RankerError::Read { .. })));
    }
}
