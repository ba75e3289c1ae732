//! Correctness of the exhaustive search.

use proptest::prelude::*;
use recall_core::{ChunkRow, NearestError, Quantised, RowFilter, RowSet, VectorIndex};
use recall_index::vector::Exact;

use crate::clusters::Clusters;
use crate::fixture;

#[test]
fn the_nearest_are_found_within_the_rounding_bound() {
    let mut clusters = Clusters::new(256, 2000, 1);
    let embeddings: Vec<_> = (0..2000).map(|_| clusters.draw()).collect();
    let exact = fixture::exact(0, &embeddings);
    let dot = |left: &[f32], right: &[f32]| -> f32 { left.iter().zip(right).map(|(left, right)| left * right).sum() };
    for _ in 0..20 {
        let query = clusters.draw();
        let mut naive: Vec<f32> = embeddings.iter().map(|embedding| dot(embedding, &query)).collect();
        let found = exact.nearest(&query, RowFilter::All, 10).unwrap();
        for neighbour in &found {
            let embedding = &embeddings[neighbour.row.0 as usize];
            let bound = Quantised::error_bound(embedding) + Quantised::error_bound(&query) / 32.0;
            let moved = (neighbour.cosine - dot(embedding, &query)).abs();
            assert!(moved <= bound, "{moved} > {bound}");
            assert!(bound < 0.05, "the bound is too loose: {bound}");
        }
        naive.sort_by(|left, right| right.total_cmp(left));
        let worst = found.last().unwrap().cosine;
        assert!((worst - naive[9]).abs() < 0.01, "{worst} instead of {}", naive[9]);
    }
}

#[test]
fn equal_cosines_are_ordered_by_row() {
    let mut exact = Exact::new(2);
    for row in [5, 3, 9, 1] {
        exact.insert(ChunkRow(row), &Quantised::quantise(&[1.0, 0.5]).unwrap());
    }
    let found = exact.nearest(&[1.0, 0.0], RowFilter::All, 3).unwrap();
    assert_eq!(found.iter().map(|neighbour| neighbour.row.0).collect::<Vec<_>>(), [1, 3, 5]);
}

#[test]
fn an_invalid_query_is_rejected() {
    let exact = Exact::new(2);
    let outcome = exact.nearest(&[1.0; 3], RowFilter::All, 1);
    assert!(matches!(outcome, Err(NearestError::Dimensions { expected: 2, found: 3 })), "{outcome:?}");
    let outcome = exact.cosines(&[f32::NAN, 1.0], &[]);
    assert!(matches!(outcome, Err(NearestError::NoDirection)), "{outcome:?}");
}

proptest! {
    #[test]
    fn nearest_and_cosines_agree(
        embeddings in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, 5), 1..40),
        query in prop::collection::vec(-1.0_f32..1.0, 5),
        allowed in prop::collection::btree_set(0_i64..50, 0..50),
        count in 0_usize..45,
    ) {
        prop_assume!(query.iter().any(|component| *component != 0.0));
        prop_assume!(embeddings.iter().all(|embedding| embedding.iter().any(|component| *component != 0.0)));
        let exact = fixture::exact(0, &embeddings);
        let rows: Vec<ChunkRow> = (0..50).map(ChunkRow).collect();
        let cosines = exact.cosines(&query, &rows).unwrap();
        let set = RowSet::from_rows(allowed.iter().copied().map(ChunkRow));
        let mut expected: Vec<(ChunkRow, f32)> = rows.iter().copied().zip(&cosines)
            .filter(|(row, _)| set.contains(*row))
            .filter_map(|(row, cosine)| Some((row, (*cosine)?)))
            .collect();
        expected.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        expected.truncate(count);
        let found = exact.nearest(&query, RowFilter::Only(&set), count).unwrap();
        prop_assert_eq!(found.iter().map(|n| (n.row, n.cosine)).collect::<Vec<_>>(), expected);
    }
}
