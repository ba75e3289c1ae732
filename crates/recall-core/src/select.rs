//! Selection of the ranked chunks that are shown.

use std::collections::HashMap;
use std::hash::Hash;

/// A ranked chunk that can be selected.
pub trait Selectable {
    /// Identifies the document that contains the chunk.
    type Document: Eq + Hash;

    /// The document that the chunk is a part of.
    fn document(&self) -> Self::Document;
}

/// Keeps at most `per_document` chunks of each document, in their order.
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
    fn each_document_keeps_its_first_chunks() {
        let ranked = vec![(1, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (3, 'e')];
        assert_eq!(select(ranked.clone(), 2), [(1, 'a'), (1, 'b'), (2, 'c'), (3, 'e')]);
        assert_eq!(select(ranked, 1), [(1, 'a'), (2, 'c'), (3, 'e')]);
    }
}
