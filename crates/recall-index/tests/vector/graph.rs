//! The recall of a walk against an exhaustive search.

use recall_core::{ChunkRow, RowFilter, RowSet, VectorIndex};
use recall_index::vector::Settings;

use crate::clusters::Clusters;
use crate::fixture::{DIMENSIONS, added, all, apply, eager, exact, open, recall, removed};

const TEXTS: usize = 3000;
const QUERIES: usize = 50;

fn texts() -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let mut clusters = Clusters::new(DIMENSIONS, TEXTS, 3);
    let texts = (0..TEXTS).map(|_| clusters.draw()).collect();
    (texts, (0..QUERIES).map(|_| clusters.draw()).collect())
}

#[test]
fn a_graph_has_high_recall() {
    let folder = tempfile::tempdir().unwrap();
    let (texts, queries) = texts();
    let vectors = open(folder.path(), Settings { expansion: 32, ..eager() });
    apply(&vectors, &added(1, &texts));
    vectors.merge().unwrap();
    let oracle = exact(1, &texts);
    let mut sum = 0.0;
    for query in &queries {
        let found = vectors.nearest(query, RowFilter::All, 10).unwrap();
        let expected = oracle.nearest(query, RowFilter::All, 10).unwrap();
        sum += recall(&found, &expected);
        for neighbour in found {
            let cosine = oracle.cosines(query, &[neighbour.row]).unwrap()[0];
            assert_eq!(Some(neighbour.cosine), cosine, "the graph's cosines are bit-identical to the oracle's");
        }
    }
    let recall = sum / QUERIES as f64;
    assert!(recall > 0.95, "{recall}");
}

#[test]
fn filters_of_every_size_are_exact_and_keep_recall() {
    let folder = tempfile::tempdir().unwrap();
    let (texts, queries) = texts();
    let vectors = open(folder.path(), Settings { node_cost: 5, ..eager() });
    apply(&vectors, &added(1, &texts));
    vectors.merge().unwrap();
    let gone = || (1..TEXTS as i64).filter(|row| row % 7 == 0);
    apply(&vectors, &removed(gone()));
    let mut oracle = exact(1, &texts);
    gone().for_each(|row| assert!(oracle.remove(ChunkRow(row))));
    for one_in in [1, 2, 10, 100, 1000] {
        let set =
            RowSet::from_rows((1..=TEXTS as i64).filter(|row| row * 2_654_435_761 % 1009 % one_in == 0).map(ChunkRow));
        let mut sum = 0.0;
        for query in &queries {
            let found = vectors.nearest(query, RowFilter::Only(&set), 10).unwrap();
            let expected = oracle.nearest(query, RowFilter::Only(&set), 10).unwrap();
            assert!(found.iter().all(|neighbour| set.contains(neighbour.row) && neighbour.row.0 % 7 != 0));
            assert_eq!(found.len(), expected.len(), "one in {one_in}");
            sum += recall(&found, &expected);
        }
        assert!(sum / QUERIES as f64 > 0.95, "one in {one_in}: {}", sum / QUERIES as f64);
    }
}

#[test]
fn a_filter_for_chunks_far_from_the_query_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let (texts, queries) = texts();
    let vectors = open(folder.path(), Settings { expansion: 8, ..eager() });
    apply(&vectors, &added(1, &texts));
    vectors.merge().unwrap();
    let oracle = exact(1, &texts);
    for query in queries.iter().take(10) {
        // The farther half. The walk passes through the nearer one.
        let far: Vec<_> = all(&oracle, query).into_iter().skip(TEXTS / 2).map(|neighbour| neighbour.row).collect();
        let set = RowSet::from_rows(far);
        let found = vectors.nearest(query, RowFilter::Only(&set), 10).unwrap();
        let expected = oracle.nearest(query, RowFilter::Only(&set), 10).unwrap();
        assert_eq!(found.len(), 10);
        assert!(recall(&found, &expected) >= 0.5);
    }
}

#[test]
fn many_threads_search_one_graph() {
    let folder = tempfile::tempdir().unwrap();
    let (texts, queries) = texts();
    let vectors = open(folder.path(), Settings { expansion: 16, ..eager() });
    apply(&vectors, &added(1, &texts));
    vectors.merge().unwrap();
    let alone: Vec<_> = queries.iter().map(|query| vectors.nearest(query, RowFilter::All, 5).unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                for (query, expected) in queries.iter().zip(&alone) {
                    assert_eq!(&vectors.nearest(query, RowFilter::All, 5).unwrap(), expected);
                }
            });
        }
    });
}
