//! The learned ranker: trees, feature names and calibration.

use crate::contributions::{self, Contributions};
use crate::forest::{Columns, Forest};
use crate::format::{self, ReadError};
use crate::tree::Tree;

/// A learned ranking function: a sum of regression trees over named features.
///
/// Scores of one ranker are comparable within a query. Across queries, compare [`confidence`](Self::confidence)
/// instead.
#[derive(Debug, Clone)]
pub struct Ranker {
    pub(crate) parts: Parts,
    forest: Forest,
}

/// A ranker splits on a feature that is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no feature is named `{name}`")]
pub struct MissingFeature {
    /// The feature's name.
    pub name: String,
}

/// The stored parts of a ranker.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    /// The names; at least one.
    pub(crate) features: Vec<String>,
    /// The total gain of the splits on each feature; one entry per feature.
    pub(crate) gains: Vec<f32>,
    pub(crate) trees: Vec<Tree>,
    pub(crate) calibration: Calibration,
}

impl Ranker {
    pub(crate) fn new(parts: Parts) -> Self {
        let forest = Forest::new(parts.features.len(), &parts.trees);
        Self { parts, forest }
    }

    /// Decodes a ranker that [`write`](Self::write) encoded.
    ///
    /// # Errors
    /// Fails at the first deviation from the format; nothing is repaired.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        format::read(bytes).map(Self::new)
    }

    /// Encodes the ranker; equal rankers give equal bytes.
    pub fn write(&self) -> Vec<u8> {
        format::write(&self.parts)
    }

    /// Returns the names of the features, in the order of a row.
    pub fn features(&self) -> &[String] {
        &self.parts.features
    }

    /// Returns the number of trees.
    pub fn trees(&self) -> usize {
        self.parts.trees.len()
    }

    /// Returns the importance of each feature in training: its name and the total gain of the splits on it, in
    /// descending order.
    pub fn importance(&self) -> Vec<(&str, f32)> {
        let mut importance: Vec<_> =
            self.parts.features.iter().map(String::as_str).zip(self.parts.gains.iter().copied()).collect();
        importance.sort_by(|left, right| right.1.total_cmp(&left.1));
        importance
    }

    /// Scores each candidate; a higher score ranks first.
    ///
    /// `candidates` has one column per feature, in the order of [`features`](Self::features); further columns are
    /// ignored. `scores` is cleared and receives one score per candidate. A score does not depend on the other
    /// candidates, to the last bit.
    ///
    /// # Panics
    /// If there are fewer columns than features.
    pub fn score(&self, candidates: &Columns, scores: &mut Vec<f32>) {
        assert!(candidates.features() >= self.parts.features.len(), "there is a column for each feature");
        scores.clear();
        self.forest.score(candidates, scores);
    }

    /// Like [`score`](Self::score), for consecutive rows of one candidate each.
    ///
    /// # Panics
    /// If `rows` is not a whole number of rows.
    pub fn score_rows(&self, rows: &[f32], scores: &mut Vec<f32>) {
        self.score(&Columns::from_rows(self.parts.features.len(), rows), scores);
    }

    /// Returns the contribution of each feature to a row's score.
    ///
    /// # Panics
    /// If the length of the row is not the number of features.
    pub fn contributions(&self, row: &[f32]) -> Contributions {
        assert_eq!(row.len(), self.parts.features.len(), "a row has a value for each feature");
        contributions::decompose(&self.parts.trees, row)
    }

    /// Returns the probability, from 0 to 1, that a candidate with this score is relevant. It does not decrease as the
    /// score increases.
    ///
    /// Without a calibration this is the logistic function of the score, which is only monotone and not calibrated.
    pub fn confidence(&self, score: f32) -> f32 {
        self.parts.calibration.probability(score)
    }

    /// Adapts the ranker to rows of other features, which are matched by name.
    ///
    /// # Errors
    /// A feature that a tree splits on is not among the names. Features that no tree uses may be missing.
    pub fn over(mut self, features: &[String]) -> Result<Self, MissingFeature> {
        let places: Vec<Option<u16>> = self
            .parts
            .features
            .iter()
            .map(|name| features.iter().position(|known| known == name).and_then(|place| u16::try_from(place).ok()))
            .collect();
        for tree in &mut self.parts.trees {
            tree.map_features(|feature| places[usize::from(feature)])
                .map_err(|feature| MissingFeature { name: self.parts.features[usize::from(feature)].clone() })?;
        }
        let mut gains = vec![0.0; features.len()];
        for (place, gain) in places.iter().zip(&self.parts.gains) {
            if let Some(place) = place {
                gains[usize::from(*place)] = *gain;
            }
        }
        self.parts.gains = gains;
        self.parts.features = features.to_vec();
        Ok(Self::new(self.parts))
    }

    /// Replaces the calibration.
    #[must_use]
    pub fn with_calibration(mut self, calibration: Calibration) -> Self {
        self.parts.calibration = calibration;
        self
    }
}

impl PartialEq for Ranker {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// A monotone mapping from scores to probabilities.
///
/// The default is empty, which means the logistic function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// Scores increase strictly, probabilities do not decrease.
    pub(crate) points: Vec<(f32, f32)>,
}

impl Calibration {
    /// Builds a mapping from stored points; returns `None` if the scores or probabilities are invalid or not ascending.
    pub(crate) fn from_points(points: Vec<(f32, f32)>) -> Option<Self> {
        let is_sound = |(score, probability): &(f32, f32)| score.is_finite() && (0.0..=1.0).contains(probability);
        let rises = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        (rises && points.iter().all(is_sound)).then_some(Self { points })
    }

    /// Returns the points: scores with their probabilities, both ascending.
    pub fn points(&self) -> &[(f32, f32)] {
        &self.points
    }

    /// Returns the probability at a score, interpolated linearly between points and constant beyond the ends.
    pub fn probability(&self, score: f32) -> f32 {
        let after = self.points.partition_point(|point| point.0 < score);
        match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (None, None) => 1.0 / (1.0 + (-score).exp()),
            (Some((_, probability)), None) | (None, Some(&(_, probability))) => probability,
            (Some((low, from)), Some(&(high, to))) => {
                let share = (f64::from(score) - f64::from(low)) / (f64::from(high) - f64::from(low));
                ((f64::from(from) + share * (f64::from(to) - f64::from(from))) as f32).min(to)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_interpolated_between_points() {
        let calibration = Calibration::from_points(vec![(-2.0, 0.25), (2.0, 0.75)]).expect("they ascend");
        for (score, expected) in [(-9.0, 0.25), (-2.0, 0.25), (0.0, 0.5), (1.0, 0.625), (9.0, 0.75)] {
            assert!((calibration.probability(score) - expected).abs() < 1e-6, "{score}");
        }
    }

    #[test]
    fn without_points_the_function_is_logistic() {
        let calibration = Calibration::default();
        assert!((calibration.probability(0.0) - 0.5).abs() < 1e-6);
        assert!(calibration.probability(3.0) > 0.9);
    }
}
