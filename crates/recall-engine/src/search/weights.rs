//! Weights of the retrievers by query class.

use recall_core::{QueryClass, Retriever, Weights};

/// Returns the weights of a request, with those of the store as defaults.
pub(super) fn given(request: &Weights, store: &Weights) -> Weights {
    let Weights { vector, bm25, ppr } = *request;
    Weights { vector: vector.or(store.vector), bm25: bm25.or(store.bm25), ppr: ppr.or(store.ppr) }
}

/// Returns the weight of each retriever: the weight of the class, unless `given` sets one.
pub(super) fn of(class: QueryClass, given: &Weights) -> Vec<(Retriever, f64)> {
    let Weights { vector, bm25, ppr: _ } = given;
    let (lexical, symbol, path, semantic) = match class {
        QueryClass::Symbol => (1.0, 1.5, 0.5, 0.25),
        QueryClass::Path => (0.5, 0.25, 1.5, 0.1),
        QueryClass::Question | QueryClass::Decision | QueryClass::Docs | QueryClass::Relationship => {
            (1.0, 0.5, 0.25, 0.75)
        }
    };
    let lexical = bm25.map_or(lexical, f64::from);
    let semantic = vector.map_or(semantic, f64::from);
    vec![
        (Retriever::Lexical, lexical),
        (Retriever::Symbol, symbol),
        (Retriever::Path, path),
        (Retriever::Semantic, semantic),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_wins_over_its_store_and_both_over_the_class() {
        let bm25 = |weight| Weights { bm25: weight, ..Weights::default() };
        let lexical = |request, store| of(QueryClass::Question, &given(&bm25(request), &bm25(store)))[0];
        assert_eq!(lexical(None, None), (Retriever::Lexical, 1.0));
        assert_eq!(lexical(None, Some(0.5)), (Retriever::Lexical, 0.5));
        assert_eq!(lexical(Some(0.0), Some(0.5)), (Retriever::Lexical, 0.0));
    }
}
