//! How much does each retriever count for a class of query?

use recall_core::{QueryClass, Retriever, Weights};

/// The weight of each retriever: by class, unless the request gives its own.
pub(super) fn of(class: QueryClass, given: &Weights) -> Vec<(Retriever, f64)> {
    let Weights { vector: _, bm25, ppr: _ } = given;
    let (lexical, symbol, path) = match class {
        QueryClass::Symbol => (1.0, 1.5, 0.5),
        QueryClass::Path => (0.5, 0.25, 1.5),
        QueryClass::Question | QueryClass::Decision | QueryClass::Docs | QueryClass::Relationship => (1.0, 0.5, 0.25),
    };
    let lexical = bm25.map_or(lexical, f64::from);
    vec![(Retriever::Lexical, lexical), (Retriever::Symbol, symbol), (Retriever::Path, path)]
}
