//! The mapping of scores to probabilities of relevance.

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
