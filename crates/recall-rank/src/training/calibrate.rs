//! Fitting of a calibration to samples.
//!
//! Isotonic regression by pooling adjacent violators (Ayer et al. 1955; for classifiers Zadrozny and Elkan, KDD 2002):
//! the non-decreasing step function closest to the labels. The steps become the points of a piecewise linear function.

use crate::ranker::Calibration;

/// The minimum number of candidates per step. A smaller step is merged with its neighbour, since its probability is
/// unreliable.
const MIN_CANDIDATES: usize = 20;

/// The maximum number of points: enough for any curve, and half a kilobyte.
const MAX_POINTS: usize = 64;

/// A run of candidates, adjacent by score, with one estimated probability.
#[derive(Debug, Clone, Copy)]
struct CalibrationStep {
    candidates: usize,
    weight: f64,
    /// The weighted sum of the scores.
    score: f64,
    /// The weight of the relevant candidates.
    relevant: f64,
}

impl CalibrationStep {
    fn probability(&self) -> f64 {
        self.relevant / self.weight
    }

    fn merge(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.weight += other.weight;
        self.score += other.score;
        self.relevant += other.relevant;
    }

    /// The increase of the squared error if two steps are merged.
    fn merge_cost(&self, other: &Self) -> f64 {
        let distance = other.probability() - self.probability();
        self.weight * other.weight / (self.weight + other.weight) * distance * distance
    }
}

impl Calibration {
    /// Fits a mapping to samples of a ranker on held-out candidates: score, relevance, positive weight.
    ///
    /// Scores that are not finite are ignored; without any finite score the mapping is empty.
    pub fn fit(samples: impl IntoIterator<Item = (f32, bool, f32)>) -> Self {
        let mut samples: Vec<_> = samples.into_iter().filter(|(score, ..)| score.is_finite()).collect();
        samples.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut steps: Vec<CalibrationStep> = Vec::new();
        for run in samples.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
            let mut step = CalibrationStep { candidates: 0, weight: 0.0, score: 0.0, relevant: 0.0 };
            for &(score, is_relevant, weight) in run {
                let weight = f64::from(weight);
                let relevant = if is_relevant { weight } else { 0.0 };
                step.merge(CalibrationStep { candidates: 1, weight, score: weight * f64::from(score), relevant });
            }
            while let Some(last) = steps.pop_if(|last| last.probability() >= step.probability()) {
                step.merge(last);
            }
            steps.push(step);
        }
        merge_small_steps(&mut steps);
        merge_similar_steps(&mut steps);
        let points = steps.iter().map(|step| ((step.score / step.weight) as f32, step.probability() as f32));
        let mut points: Vec<(f32, f32)> = points.collect();
        // The means of two adjacent steps may round to the same 32-bit number.
        points.dedup_by(|next, kept| next.0 <= kept.0);
        Self { points }
    }
}

/// Merges steps, from the highest score down, until each has enough candidates.
fn merge_small_steps(steps: &mut Vec<CalibrationStep>) {
    let mut joined: Vec<CalibrationStep> = Vec::with_capacity(steps.len());
    for step in steps.drain(..).rev() {
        match joined.last_mut() {
            Some(last) if last.candidates < MIN_CANDIDATES => last.merge(step),
            _ => joined.push(step),
        }
    }
    if let Some(last) = joined.pop_if(|last| last.candidates < MIN_CANDIDATES) {
        match joined.last_mut() {
            Some(before) => before.merge(last),
            None => joined.push(last),
        }
    }
    steps.extend(joined.into_iter().rev());
}

/// Merges the two most similar neighbours until the number of steps is within the limit.
fn merge_similar_steps(steps: &mut Vec<CalibrationStep>) {
    while steps.len() > MAX_POINTS {
        let costs = steps.windows(2).map(|pair| pair[0].merge_cost(&pair[1]));
        let (at, _) =
            costs.enumerate().min_by(|left, right| left.1.total_cmp(&right.1)).expect("there are more than two steps");
        let next = steps.remove(at + 1);
        steps[at].merge(next);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn probabilities_are_the_observed_frequencies() {
        let samples = (0..400).map(|at| {
            let is_high = at % 2 == 0;
            (if is_high { 2.0 } else { -2.0 }, at % 8 < if is_high { 5 } else { 2 }, 1.0)
        });
        let calibration = Calibration::fit(samples);
        assert_eq!(calibration.points(), [(-2.0, 0.25), (2.0, 0.75)]);
    }

    #[test]
    fn scores_that_are_not_finite_are_ignored() {
        assert_eq!(Calibration::fit([(f32::NAN, true, 1.0)]), Calibration::default());
    }

    proptest! {
        #[test]
        fn probabilities_never_decrease_and_points_are_valid(
            samples in vec((-3.0..3.0_f32, any::<bool>(), 0.1..2.0_f32), 0..3000),
            mut scores in vec(-4.0..4.0_f32, 2),
        ) {
            let calibration = Calibration::fit(samples);
            prop_assert!(calibration.points().len() <= MAX_POINTS);
            prop_assert_eq!(Calibration::from_points(calibration.points().to_vec()), Some(calibration.clone()));
            scores.sort_by(f32::total_cmp);
            prop_assert!(calibration.probability(scores[0]) <= calibration.probability(scores[1]));
        }
    }
}
