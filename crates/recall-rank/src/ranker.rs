//! The learned ranker: what holds the trees, their features and their calibration together.

use crate::calibrate::Calibration;
use crate::columns::Columns;
use crate::contributions::{self, Contributions};
use crate::forest::Forest;
use crate::format::{self, ReadError};
use crate::tree::Tree;

/// A learned order: a sum of regression trees over named features.
///
/// Scores of one ranker are comparable with each other within a query; between queries [`confidence`](Self::confidence) is.
#[derive(Debug, Clone)]
pub struct Ranker {
    pub(crate) parts: Parts,
    forest: Forest,
}

/// A ranker splits on a feature that is not computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no feature is named `{name}`")]
pub struct MissingFeature {
    /// The name of the feature.
    pub name: String,
}

/// What of a ranker is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    /// At least one.
    pub(crate) features: Vec<String>,
    /// The total gain of the splits on each feature; as many as features.
    pub(crate) gains: Vec<f32>,
    pub(crate) trees: Vec<Tree>,
    pub(crate) calibration: Calibration,
}

impl Ranker {
    pub(crate) fn new(parts: Parts) -> Self {
        let forest = Forest::new(parts.features.len(), &parts.trees);
        Self { parts, forest }
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// Whatever is not exactly that is refused, with the first thing that is wrong; nothing is repaired.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        format::read(bytes).map(Self::new)
    }

    /// Writes the ranker in its binary form; equal rankers give equal bytes.
    pub fn write(&self) -> Vec<u8> {
        format::write(&self.parts)
    }

    /// The names of the features, in the order of a row.
    pub fn features(&self) -> &[String] {
        &self.parts.features
    }

    /// How many trees are added up.
    pub fn trees(&self) -> usize {
        self.parts.trees.len()
    }

    /// What each feature was worth in training: its name and the total gain of the splits on it, the most important first.
    pub fn importance(&self) -> Vec<(&str, f32)> {
        let mut importance: Vec<_> =
            self.parts.features.iter().map(String::as_str).zip(self.parts.gains.iter().copied()).collect();
        importance.sort_by(|left, right| right.1.total_cmp(&left.1));
        importance
    }

    /// Scores each candidate; a greater score ranks first.
    ///
    /// `candidates` has a column a feature, in the order of [`features`](Self::features), and may have more behind them, which
    /// are not looked at. `scores` is cleared and gets one score a candidate. A score is the same to the last bit whatever other
    /// candidates stand beside it.
    ///
    /// # Panics
    /// If there are fewer columns than features.
    pub fn score(&self, candidates: &Columns, scores: &mut Vec<f32>) {
        assert!(candidates.features() >= self.parts.features.len(), "there is a column for each feature");
        scores.clear();
        self.forest.score(candidates, scores);
    }

    /// As [`score`](Self::score), of rows that hold one candidate each, one after the other.
    ///
    /// # Panics
    /// If `rows` is not a whole number of rows.
    pub fn score_rows(&self, rows: &[f32], scores: &mut Vec<f32>) {
        self.score(&Columns::of_rows(self.parts.features.len(), rows), scores);
    }

    /// Tells what each feature contributed to a row's score.
    ///
    /// # Panics
    /// If the row has not one value a feature.
    pub fn contributions(&self, row: &[f32]) -> Contributions {
        assert_eq!(row.len(), self.parts.features.len(), "a row has a value for each feature");
        contributions::of_row(&self.parts.trees, row)
    }

    /// The probability that a candidate of that score is relevant, between 0 and 1; it never falls as the score rises.
    ///
    /// Without a calibration it is the logistic function of the score, which is right about the order only.
    pub fn confidence(&self, score: f32) -> f32 {
        self.parts.calibration.probability(score)
    }

    /// The same order over rows of other features: each feature is found by its name, wherever it stands there.
    ///
    /// # Errors
    /// A feature that a tree splits on is not among the names; a feature that no tree splits on may be missing.
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

    /// The same order with another calibration.
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
