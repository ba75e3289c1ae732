//! Comparison of two runs with a significance test.

use fastrand::Rng;

/// The difference between two runs of the same queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The number of queries.
    pub queries: usize,
    /// The mean of the first run.
    pub first: f64,
    /// The mean of the second run.
    pub second: f64,
    /// The mean of the second run minus that of the first.
    pub difference: f64,
    /// The 95 % confidence interval of the difference. If it contains 0, the difference is not significant.
    pub interval: (f64, f64),
    /// The number of queries for which the second run is better.
    pub wins: usize,
    /// The number of queries for which the first run is better.
    pub losses: usize,
    /// The number of queries with equal values.
    pub ties: usize,
}

/// The number of bootstrap samples; the ends of the interval are the 100th from below and above.
const SAMPLES: usize = 4000;

/// The fraction of the samples beyond either end of the interval.
const TAIL: f64 = 0.025;

/// A fixed seed, so that the same runs always compare equally.
const SEED: u64 = 20_060_806;

/// A smaller difference is a rounding error.
const TIE: f64 = 1e-9;

/// Compares the values of two runs, which are of the same queries in the same order.
///
/// The interval is the percentile interval of the paired bootstrap (Sakai, "Evaluating evaluation metrics based on the
/// bootstrap", SIGIR 2006): queries are resampled with replacement, and the mean of their differences is computed for
/// each sample. The same values give the same interval.
pub fn compare(first: &[f64], second: &[f64]) -> Comparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| second - first).collect();
    let count = |is: fn(f64) -> bool| differences.iter().filter(|difference| is(**difference)).count();
    let (wins, losses) = (count(|difference| difference > TIE), count(|difference| difference < -TIE));
    Comparison {
        queries: differences.len(),
        first: mean(first),
        second: mean(second),
        difference: mean(&differences),
        interval: interval(&differences),
        wins,
        losses,
        ties: differences.len() - wins - losses,
    }
}

fn interval(differences: &[f64]) -> (f64, f64) {
    if differences.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = Rng::with_seed(SEED);
    let mut sampled_mean = || {
        let drawn = (0..differences.len()).map(|_| differences[random.usize(..differences.len())]);
        drawn.sum::<f64>() / differences.len() as f64
    };
    let mut means: Vec<f64> = (0..SAMPLES).map(|_| sampled_mean()).collect();
    means.sort_unstable_by(f64::total_cmp);
    let beyond = (SAMPLES as f64 * TAIL) as usize;
    (means[beyond], means[SAMPLES - 1 - beyond])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wins_losses_and_ties_are_counted() {
        let Comparison { queries, first, second, difference, wins, losses, ties, interval: _ } =
            compare(&[0.0, 0.5, 1.0, 0.2], &[1.0, 0.5, 0.5, 0.4]);
        assert_eq!((queries, wins, losses, ties), (4, 2, 1, 1));
        for (found, expected) in [(first, 0.425), (second, 0.6), (difference, 0.175)] {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn a_difference_in_every_query_is_significant() {
        let (low, high) = compare(&[0.1; 30], &[0.3; 30]).interval;
        assert!((low - 0.2).abs() < 1e-9 && (high - 0.2).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn one_better_query_is_not_significant() {
        let mut second = [0.5; 30];
        second[7] = 1.0;
        let (low, high) = compare(&[0.5; 30], &second).interval;
        assert!(low.abs() < 1e-9 && high > 0.0, "{low} {high}");
    }

    #[test]
    fn the_interval_matches_the_normal_approximation() {
        // A coin flip per query: the standard error of the mean is 1 / sqrt(400), and 1.96 of it is 0.098.
        let (zeros, ones): (Vec<f64>, Vec<f64>) = (0..400).map(|query| (0.0, f64::from(query % 2) * 2.0 - 1.0)).unzip();
        let (low, high) = compare(&zeros, &ones).interval;
        assert!((low + 0.098).abs() < 0.01 && (high - 0.098).abs() < 0.01, "{low} {high}");
    }

    proptest! {
        #[test]
        fn an_interval_is_ordered_and_holds_no_impossible_difference(
            pairs in proptest::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 0..20),
        ) {
            let (first, second): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let Comparison { interval: (low, high), .. } = compare(&first, &second);
            prop_assert!(-1.0 <= low && low <= high && high <= 1.0);
            prop_assert_eq!(compare(&first, &second), compare(&first, &second));
        }
    }
}
