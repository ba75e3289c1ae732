//! The statistics of a comparison: means, percentiles, ranks, the paired bootstrap, and random numbers that a seed repeats.

/// The samples of a bootstrap, as many as `recall eval run --compare` takes.
const SAMPLES: usize = 4_000;

/// The ranks that count for nDCG.
const CUTOFF: usize = 10;

/// Random numbers by `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014): the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Shuffles by Fisher and Yates.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// Returns the mean; of nothing, 0.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Returns the value at a share of the sorted ones, by nearest rank; of nothing, 0.
pub(crate) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// A comparison of two programs on the same questions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    /// The mean of ours minus theirs.
    pub(crate) mean: f64,
    /// The 95 % percentile interval of a paired bootstrap.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The questions in which ours is greater, less and equal.
    pub(crate) greater: usize,
    pub(crate) less: usize,
    pub(crate) equal: usize,
}

impl Difference {
    /// Compares values question by question; both lists have the same questions in the same order.
    pub(crate) fn compare(ours: &[f64], theirs: &[f64], seed: u64) -> Self {
        let differences: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect();
        let mut random = Random::new(seed);
        let mut means: Vec<f64> = Vec::with_capacity(SAMPLES);
        for _ in 0..SAMPLES {
            let sample = (0..differences.len()).map(|_| differences[random.below(differences.len())]);
            means.push(sample.sum::<f64>() / differences.len().max(1) as f64);
        }
        Self {
            mean: mean(&differences),
            low: percentile(&means, 0.025),
            high: percentile(&means, 0.975),
            greater: differences.iter().filter(|difference| **difference > 0.0).count(),
            less: differences.iter().filter(|difference| **difference < 0.0).count(),
            equal: differences.iter().filter(|difference| **difference == 0.0).count(),
        }
    }
}

/// Returns the rank from 1 of each wanted item in a list of answers.
pub(crate) fn ranks(answers: &[String], wanted: &[String]) -> Vec<Option<usize>> {
    wanted.iter().map(|item| answers.iter().position(|answer| answer == item).map(|at| at + 1)).collect()
}

/// Returns nDCG@10 with gain 1 for each wanted item.
pub(crate) fn ndcg(ranks: &[Option<usize>]) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
    let ideal: f64 = (1..=ranks.len().min(CUTOFF)).map(discount).sum();
    let gain: f64 = ranks.iter().flatten().filter(|rank| **rank <= CUTOFF).map(|rank| discount(*rank)).sum();
    if ideal == 0.0 { 0.0 } else { gain / ideal }
}

/// Whether any wanted item is among the first `k`, as 1 or 0.
pub(crate) fn any_within(ranks: &[Option<usize>], k: usize) -> f64 {
    f64::from(u8::from(ranks.iter().flatten().any(|rank| *rank <= k)))
}

/// Whether all wanted items are among the first `k`, as 1 or 0.
pub(crate) fn all_within(ranks: &[Option<usize>], k: usize) -> f64 {
    f64::from(u8::from(ranks.iter().all(|rank| rank.is_some_and(|rank| rank <= k))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[track_caller]
    fn assert_equal(values: &[f64], expected: &[f64]) {
        let is_equal =
            values.len() == expected.len() && values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(is_equal, "{values:?} is not {expected:?}");
    }

    #[test]
    fn a_seed_repeats_its_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            [0; 4].map(|_: i32| random.below(1_000))
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        // The first number of the reference implementation for the seed 0.
        assert_eq!(Random::new(0).next(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn percentiles_are_values_of_the_list() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_equal(&[0.5, 0.95, 0.0].map(|share| percentile(&values, share)), &[2.0, 4.0, 1.0]);
        assert_equal(&[percentile(&[], 0.5)], &[0.0]);
    }

    #[test]
    fn a_bootstrap_contains_the_mean_and_is_repeated_by_its_seed() {
        let (ours, theirs) = ([1.0, 0.0, 1.0, 1.0, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let difference = Difference::compare(&ours, &theirs, 7);
        assert_eq!(difference, Difference::compare(&ours, &theirs, 7));
        assert_eq!((difference.greater, difference.less, difference.equal), (3, 1, 2));
        assert!(difference.low < difference.mean && difference.mean < difference.high, "{difference:?}");
        let same = Difference::compare(&[2.0, 3.0], &[1.0, 2.0], 7);
        // Equal differences leave no doubt.
        assert_equal(&[same.low, same.high], &[1.0, 1.0]);
    }

    #[test]
    fn ranks_and_what_is_computed_of_them() {
        let ranks = ranks(&strings(&["a", "b", "c"]), &strings(&["b", "z"]));
        assert_eq!(ranks, [Some(2), None]);
        assert_equal(&[ndcg(&ranks)], &[0.386_852_807_234_541_6]);
        assert_equal(&[any_within(&ranks, 1), any_within(&ranks, 2), all_within(&ranks, 10)], &[0.0, 1.0, 0.0]);
        assert_equal(&[ndcg(&[Some(1), Some(2)]), ndcg(&[Some(11)])], &[1.0, 0.0]);
    }
}
