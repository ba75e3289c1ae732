//! Which of the ranked chunks are shown?

use std::collections::HashMap;
use std::hash::Hash;

/// What selection needs to know of a ranked chunk.
pub trait Selectable {
    /// Names the document that the chunk is a part of.
    type Document: Eq + Hash;

    /// The document.
    fn document(&self) -> Self::Document;
}

/// Keeps at most `per_document` chunks of each document.
///
/// The order of what is kept does not change.
pub fn select<T: Selectable>(ranked: Vec<T>, per_document: usize) -> Vec<T> {
    let mut kept: HashMap<T::Document, usize> = HashMap::new();
    ranked
        .into_iter()
        .filter(|item| {
            let count = kept.entry(item.document()).or_default();
            *count += 1;
            *count <= per_document
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Selectable for (u8, char) {
        type Document = u8;

        fn document(&self) -> u8 {
            self.0
        }
    }

    #[test]
    fn a_document_shows_few_chunks() {
        let ranked = vec![(1, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (3, 'e')];
        assert_eq!(select(ranked.clone(), 2), [(1, 'a'), (1, 'b'), (2, 'c'), (3, 'e')]);
        assert_eq!(select(ranked, 1), [(1, 'a'), (2, 'c'), (3, 'e')]);
    }
}
