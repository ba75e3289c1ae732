//! How likely is it that a candidate of this score is relevant?
//!
//! Isotonic regression by pooling adjacent violators (Ayer et al. 1955; for classifiers Zadrozny and Elkan, KDD 2002): the
//! rising step function that is nearest to what was judged. Its steps become the points of a piecewise-linear table.

/// Fewer candidates than these say little about a probability: their step joins its neighbour.
const FEWEST_CANDIDATES: usize = 20;

/// So many points draw any curve finely enough, and take half a kilobyte.
const MOST_POINTS: usize = 64;

/// A rising table from scores to probabilities.
///
/// The default is empty: the logistic function stands for what was never measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// Scores rise, probabilities do not fall.
    points: Vec<(f32, f32)>,
}

/// Candidates next to each other by score that are taken to be equally likely relevant.
#[derive(Debug, Clone, Copy)]
struct Step {
    candidates: usize,
    weight: f64,
    /// The weighted sum of the scores.
    score: f64,
    /// The weight of the relevant ones.
    relevant: f64,
}

impl Step {
    fn probability(&self) -> f64 {
        self.relevant / self.weight
    }

    fn join(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.weight += other.weight;
        self.score += other.score;
        self.relevant += other.relevant;
    }

    /// By how much the squared error grows if two steps become one.
    fn cost_of_joining(&self, other: &Self) -> f64 {
        let distance = other.probability() - self.probability();
        self.weight * other.weight / (self.weight + other.weight) * distance * distance
    }
}

impl Calibration {
    /// Fits a table to scores that a ranker gave to candidates it had not seen: score, whether relevant, positive weight.
    ///
    /// Scores that are not finite are left out; without any other the table is empty.
    pub fn fit(samples: impl IntoIterator<Item = (f32, bool, f32)>) -> Self {
        let mut samples: Vec<_> = samples.into_iter().filter(|(score, ..)| score.is_finite()).collect();
        samples.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut steps: Vec<Step> = Vec::new();
        for run in samples.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
            let mut step = Step { candidates: 0, weight: 0.0, score: 0.0, relevant: 0.0 };
            for &(score, is_relevant, weight) in run {
                let weight = f64::from(weight);
                let relevant = if is_relevant { weight } else { 0.0 };
                step.join(Step { candidates: 1, weight, score: weight * f64::from(score), relevant });
            }
            while let Some(last) = steps.pop_if(|last| last.probability() >= step.probability()) {
                step.join(last);
            }
            steps.push(step);
        }
        join_light(&mut steps);
        join_alike(&mut steps);
        let points = steps.iter().map(|step| ((step.score / step.weight) as f32, step.probability() as f32));
        let mut points: Vec<(f32, f32)> = points.collect();
        // Two steps may be so near each other that their means are one number of 32 bits.
        points.dedup_by(|next, kept| next.0 <= kept.0);
        Self { points }
    }

    /// Takes a table as it was stored; `None` if it is not a rising one of finite scores and of probabilities.
    pub(crate) fn from_points(points: Vec<(f32, f32)>) -> Option<Self> {
        let is_sound = |(score, probability): &(f32, f32)| score.is_finite() && (0.0..=1.0).contains(probability);
        let rises = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        (rises && points.iter().all(is_sound)).then_some(Self { points })
    }

    /// The table: scores with their probabilities, both rising.
    pub fn points(&self) -> &[(f32, f32)] {
        &self.points
    }

    /// The probability at a score: between two points on their line, beyond the ends that of the end.
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

/// Joins steps, from the greatest score down, until each has candidates enough.
fn join_light(steps: &mut Vec<Step>) {
    let mut joined: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps.drain(..).rev() {
        match joined.last_mut() {
            Some(last) if last.candidates < FEWEST_CANDIDATES => last.join(step),
            _ => joined.push(step),
        }
    }
    if let Some(last) = joined.pop_if(|last| last.candidates < FEWEST_CANDIDATES) {
        match joined.last_mut() {
            Some(before) => before.join(last),
            None => joined.push(last),
        }
    }
    steps.extend(joined.into_iter().rev());
}

/// Joins the two neighbours that are most alike until there are few enough steps.
fn join_alike(steps: &mut Vec<Step>) {
    while steps.len() > MOST_POINTS {
        let costs = steps.windows(2).map(|pair| pair[0].cost_of_joining(&pair[1]));
        let (at, _) =
            costs.enumerate().min_by(|left, right| left.1.total_cmp(&right.1)).expect("there are more than two steps");
        let next = steps.remove(at + 1);
        steps[at].join(next);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_tells_how_many_were_relevant() {
        let samples = (0..400).map(|at| {
            let is_high = at % 2 == 0;
            (if is_high { 2.0 } else { -2.0 }, at % 8 < if is_high { 5 } else { 2 }, 1.0)
        });
        let calibration = Calibration::fit(samples);
        assert_eq!(calibration.points(), [(-2.0, 0.25), (2.0, 0.75)]);
        for (score, expected) in [(-9.0, 0.25), (-2.0, 0.25), (0.0, 0.5), (1.0, 0.625), (9.0, 0.75)] {
            assert!((calibration.probability(score) - expected).abs() < 1e-6, "{score}");
        }
    }

    #[test]
    fn without_samples_it_is_logistic() {
        let calibration = Calibration::fit([(f32::NAN, true, 1.0)]);
        assert!((calibration.probability(0.0) - 0.5).abs() < 1e-6);
        assert!(calibration.probability(3.0) > 0.9);
    }

    proptest! {
        #[test]
        fn it_never_falls_and_is_a_sound_table(
            samples in vec((-3.0..3.0_f32, any::<bool>(), 0.1..2.0_f32), 0..3000),
            mut scores in vec(-4.0..4.0_f32, 2),
        ) {
            let calibration = Calibration::fit(samples);
            prop_assert!(calibration.points().len() <= MOST_POINTS);
            prop_assert_eq!(Calibration::from_points(calibration.points().to_vec()), Some(calibration.clone()));
            scores.sort_by(f32::total_cmp);
            prop_assert!(calibration.probability(scores[0]) <= calibration.probability(scores[1]));
        }
    }
}
