//! Proptest strategies for rankers and rows.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::ranker::{Calibration, Parts};
use crate::tree::{Node, Side, Tree};

/// The number of features of the generated rankers.
pub(crate) const FEATURES: usize = 5;

/// Rankers of at most `most_trees` trees, each of at most `most_leaves` leaves.
pub(crate) fn parts(most_trees: usize, most_leaves: usize) -> impl Strategy<Value = Parts> {
    let calibration = vec((0.01..1.0_f32, 0.0..0.01_f32), 0..64).prop_map(calibration);
    (vec(tree(most_leaves), 0..=most_trees), vec(0.0..1e6_f32, FEATURES), calibration).prop_map(
        |(trees, gains, calibration)| Parts {
            features: (0..FEATURES).map(|feature| format!("feature {feature}")).collect(),
            gains,
            trees,
            calibration,
        },
    )
}

/// The mapping with these steps between its points.
fn calibration(steps: Vec<(f32, f32)>) -> Calibration {
    let add = |(score, probability): &mut (f32, f32), (wide, high)| {
        *score += wide;
        *probability += high;
        Some((*score, *probability))
    };
    let points = steps.into_iter().scan((-3.0, 0.0), add).collect();
    Calibration::from_points(points).expect("the steps ascend")
}

/// A row of ordinary, equal, missing and infinite values.
pub(crate) fn row() -> impl Strategy<Value = Vec<f32>> {
    vec(value(), FEATURES)
}

/// Fewer than `most` rows.
pub(crate) fn rows(most: usize) -> impl Strategy<Value = Vec<f32>> {
    vec(row(), 0..most).prop_map(|rows| rows.concat())
}

fn value() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -2.0..2.0_f32,
        4 => (-2..=2_i8).prop_map(f32::from),
        2 => Just(f32::NAN),
        1 => prop_oneof![Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(f32::MAX), Just(-0.0_f32)],
    ]
}

fn tree(most_leaves: usize) -> impl Strategy<Value = Tree> {
    let threshold = prop_oneof![(-2..=2_i8).prop_map(f32::from), -2.0..2.0_f32, Just(f32::MAX)];
    let missing = prop_oneof![Just(Side::Left), Just(Side::Right)];
    let split = (0..FEATURES as u16, threshold, missing);
    let leaf = (-1.0..1.0_f32, 1..1000_u32);
    vec((any::<bool>(), split, leaf), most_leaves * 2).prop_map(move |choices| {
        let mut choices = choices.into_iter();
        let mut splits = 0;
        let tree = Tree::in_pre_order(|| -> Result<Node, ()> {
            let (is_split, (feature, threshold, missing), (value, cover)) = choices.next().ok_or(())?;
            if is_split && splits + 1 < most_leaves {
                splits += 1;
                return Ok(Node::Split { feature, threshold, missing, right: 0 });
            }
            Ok(Node::Leaf { value, cover })
        });
        tree.expect("the choices suffice").expect("the leaves are within the limit")
    })
}
