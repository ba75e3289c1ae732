//! How many candidates each retriever returns, and the weights of the retrievers, by query class.

use recall_core::{QueryClass, Retriever, Understood, Weights};

/// The weight of each retriever; 0 leaves it out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrieverWeights {
    /// The weight of the words.
    pub lexical: f64,
    /// The weight of the names of definitions.
    pub symbol: f64,
    /// The weight of the paths, by which a file is found by its name.
    pub path: f64,
    /// The weight of the embeddings.
    pub semantic: f64,
}

impl RetrieverWeights {
    /// Returns the weights of a class, replaced by those that `given` sets.
    pub(crate) fn resolve(class: QueryClass, given: &Weights) -> Self {
        let Weights { vector, bm25 } = given;
        let (lexical, symbol, path, semantic) = match class {
            QueryClass::Symbol => (1.0, 1.5, 0.5, 0.25),
            QueryClass::Path => (0.5, 0.25, 1.5, 0.1),
            QueryClass::Question | QueryClass::Decision | QueryClass::Docs | QueryClass::Relationship => {
                (1.0, 0.5, 0.25, 0.75)
            }
        };
        let (lexical, semantic) = (bm25.map_or(lexical, f64::from), vector.map_or(semantic, f64::from));
        Self { lexical, symbol, path, semantic }
    }

    /// Returns the weight of a retriever.
    pub fn get(&self, retriever: Retriever) -> f64 {
        match retriever {
            Retriever::Lexical => self.lexical,
            Retriever::Symbol => self.symbol,
            Retriever::Path => self.path,
            Retriever::Semantic => self.semantic,
        }
    }

    /// Returns whether the search uses embeddings.
    pub fn asks_semantic(&self) -> bool {
        self.semantic > 0.0
    }

    /// Sets the weights of the retrievers that do not satisfy the condition to 0.
    pub(super) fn retain(mut self, is_kept: impl Fn(Retriever) -> bool) -> Self {
        let Self { lexical, symbol, path, semantic } = &mut self;
        let weights = [
            (Retriever::Lexical, lexical),
            (Retriever::Symbol, symbol),
            (Retriever::Path, path),
            (Retriever::Semantic, semantic),
        ];
        for (retriever, weight) in weights {
            if !is_kept(retriever) {
                *weight = 0.0;
            }
        }
        self
    }
}

/// Returns the weights of a request, with those of the store as defaults.
pub(super) fn merge(request: &Weights, store: &Weights) -> Weights {
    let Weights { vector, bm25 } = *request;
    Weights { vector: vector.or(store.vector), bm25: bm25.or(store.bm25) }
}

/// The number of candidates of each lexical retriever: words, names and paths.
pub(super) const DEPTH: usize = 100;

/// The number of nearest chunks that are retrieved. With 100, quality does not improve (code, commit subjects and dialogues
/// within .001, headings .005 less), and a search over 100,000 chunks takes a quarter longer.
pub(super) const NEAREST_DEPTH: usize = 50;

/// The number of words of a query that are looked up as they are written: as many as its terms.
pub(super) const RARE_WORDS: usize = 64;

/// Returns whether a query may name a file: it contains a path or an identifier, is one word, or asks
/// about the project as a whole. For other questions, paths
/// that share some of their words are not candidates: they cost the public code search benchmark .004 nDCG@10.
pub(super) fn may_name_a_file(understood: &Understood) -> bool {
    let is_one_word = !understood.text.contains(char::is_whitespace);
    let names_any = !understood.paths.is_empty() || !understood.identifiers.is_empty();
    is_one_word || names_any || !understood.telling_paths.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_wins_over_its_store_and_both_over_the_class() {
        let check = |request, store, expected: f64| {
            let bm25 = |weight| Weights { bm25: weight, ..Weights::default() };
            let weights = RetrieverWeights::resolve(QueryClass::Question, &merge(&bm25(request), &bm25(store)));
            assert!((weights.get(Retriever::Lexical) - expected).abs() < 1e-9, "{weights:?}");
        };
        check(None, None, 1.0);
        check(None, Some(0.5), 0.5);
        check(Some(0.0), Some(0.5), 0.0);
    }

    #[test]
    fn retrievers_are_left_out_by_name() {
        for left_out in Retriever::ALL {
            let all = RetrieverWeights::resolve(QueryClass::Symbol, &Weights::default());
            let weights = all.retain(|retriever| retriever != left_out);
            for retriever in Retriever::ALL {
                let expected = if retriever == left_out { 0.0 } else { all.get(retriever) };
                assert!((weights.get(retriever) - expected).abs() < 1e-9, "{weights:?}");
            }
            assert_eq!(weights.asks_semantic(), left_out != Retriever::Semantic);
        }
    }
}
