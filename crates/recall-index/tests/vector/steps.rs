//! A model test: after any sequence of steps, an index has the contents of a map.

use std::collections::BTreeMap;

use proptest::prelude::*;
use recall_core::{ChunkRow, Generation, RowFilter, RowSet, VectorIndex};
use recall_index::vector::{Change, Difference, Exact, Settings, Vectors};

use crate::fixture::{DIMENSIONS, eager, open, plain, quantised};

#[derive(Clone, Debug)]
enum Step {
    Change { removed: Vec<i64>, added: Vec<(i64, Vec<f32>)> },
    Merge,
    Reopen,
    Search { query: Vec<f32>, count: usize, allowed: Option<Vec<i64>> },
}

fn embedding() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec((-100_i8..101).prop_map(f32::from), DIMENSIONS).prop_map(|mut embedding| {
        embedding[0] += 0.5;
        embedding
    })
}

fn step() -> impl Strategy<Value = Step> {
    let row = || 0_i64..60;
    prop_oneof![
        4 => (prop::collection::vec(row(), 0..6), prop::collection::vec((row(), embedding()), 0..20))
            .prop_map(|(removed, added)| Step::Change { removed, added }),
        1 => Just(Step::Merge),
        1 => Just(Step::Reopen),
        3 => (embedding(), 0_usize..30, prop::option::of(prop::collection::vec(0_i64..70, 0..40)))
            .prop_map(|(query, count, allowed)| Step::Search { query, count, allowed }),
    ]
}

/// Runs the steps on an index and on a map.
fn play(settings: &Settings, steps: Vec<Step>) {
    let folder = tempfile::tempdir().unwrap();
    let mut vectors = open(folder.path(), settings.clone());
    let mut known: BTreeMap<i64, Vec<f32>> = BTreeMap::new();
    let mut generation = Generation(0);
    for step in steps {
        match step {
            Step::Change { removed, added } => {
                generation = generation.next();
                let change = Change {
                    removed: removed.iter().copied().map(ChunkRow).collect(),
                    added: added.iter().map(|(row, embedding)| (ChunkRow(*row), quantised(embedding))).collect(),
                };
                vectors.apply(generation, &change).unwrap();
                known.retain(|row, _| !removed.contains(row));
                known.extend(added);
            }
            Step::Merge => vectors.merge().unwrap(),
            Step::Reopen => {
                drop(vectors);
                vectors = open(folder.path(), settings.clone());
            }
            Step::Search { query, count, allowed } => {
                let allowed = allowed.map(|rows| RowSet::from_rows(rows.into_iter().map(ChunkRow)));
                let filter = allowed.as_ref().map_or(RowFilter::All, RowFilter::Only);
                let oracle = oracle(&known);
                let expected = oracle.nearest(&query, filter, count).unwrap();
                assert_eq!(vectors.nearest(&query, filter, count).unwrap(), expected);
                let rows: Vec<ChunkRow> = (0..70).map(ChunkRow).collect();
                assert_eq!(vectors.cosines(&query, &rows).unwrap(), oracle.cosines(&query, &rows).unwrap());
            }
        }
        agree(&vectors, &known, generation);
    }
}

fn oracle(known: &BTreeMap<i64, Vec<f32>>) -> Exact {
    let mut exact = Exact::new(DIMENSIONS);
    for (row, embedding) in known {
        exact.insert(ChunkRow(*row), &quantised(embedding));
    }
    exact
}

fn agree(vectors: &Vectors, known: &BTreeMap<i64, Vec<f32>>, generation: Generation) {
    assert_eq!(vectors.len(), known.len());
    assert_eq!(vectors.generation(), generation);
    let even = RowSet::from_rows((0..70).filter(|row| row % 2 == 0).map(ChunkRow));
    let Difference { missing, mut orphaned } = vectors.difference(&even);
    orphaned.sort_unstable();
    assert_eq!(missing, even.iter().filter(|row| !known.contains_key(&row.0)).collect::<Vec<_>>());
    assert_eq!(orphaned, known.keys().copied().map(ChunkRow).filter(|row| !even.contains(*row)).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_index_without_a_graph_behaves_like_a_map(steps in prop::collection::vec(step(), 1..40)) {
        play(&plain(), steps);
    }

    #[test]
    fn an_index_with_a_graph_behaves_like_a_map(steps in prop::collection::vec(step(), 1..40)) {
        // An expansion beyond the number of embeddings, so that a walk misses nothing.
        play(&Settings { expansion: 1000, ..eager() }, steps);
    }

    #[test]
    fn an_index_of_many_small_bases_behaves_like_a_map(
        steps in prop::collection::vec(step(), 1..60), base_most in 1_usize..30, graph_from in 1_usize..30
    ) {
        play(&Settings { expansion: 1000, base_most, graph_from, delta_least: 2, ..eager() }, steps);
    }
}
