//! A histogram of durations in constant memory.

use std::time::Duration;

/// The number of buckets per power of two of microseconds: a quantile is at most an eighth too high.
const PER_OCTAVE: u64 = 8;
const OCTAVE_BITS: u32 = PER_OCTAVE.trailing_zeros();

/// The buckets end at 2^36 microseconds, 19 hours: no request takes longer.
const BUCKETS: usize = ((36 - OCTAVE_BITS as usize) + 1) * PER_OCTAVE as usize;

/// Counts durations in buckets whose width grows with the duration.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    buckets: Box<[u32; BUCKETS]>,
    count: u64,
    longest: Duration,
    total: Duration,
}

/// The count, quantiles and sum of the recorded durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// How many durations were recorded.
    pub(crate) count: u64,
    /// The median.
    pub p50: Duration,
    /// The 95th percentile.
    pub p95: Duration,
    /// The 99th percentile.
    pub p99: Duration,
    /// The maximum.
    pub(crate) longest: Duration,
    /// The sum.
    pub(crate) total: Duration,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: Box::new([0; BUCKETS]), count: 0, longest: Duration::ZERO, total: Duration::ZERO }
    }
}

impl Histogram {
    pub(crate) fn record(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = &mut self.buckets[bucket_of(micros)];
        *bucket = bucket.saturating_add(1);
        self.count += 1;
        self.longest = self.longest.max(took);
        self.total = self.total.saturating_add(took);
    }

    /// Returns the summary; all zero if nothing was recorded.
    pub(crate) fn summary(&self) -> Summary {
        Summary {
            count: self.count,
            p50: self.quantile(50),
            p95: self.quantile(95),
            p99: self.quantile(99),
            longest: self.longest,
            total: self.total,
        }
    }

    /// Returns the upper bound of the bucket that contains the given percentile.
    fn quantile(&self, percent: u64) -> Duration {
        let wanted = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (bucket, &count) in self.buckets.iter().enumerate() {
            seen += u64::from(count);
            if seen >= wanted {
                return Duration::from_micros(upper_bound(bucket)).min(self.longest);
            }
        }
        self.longest
    }
}

/// Returns the bucket of a duration: the duration itself below [`PER_OCTAVE`], otherwise determined by its highest bit and
/// the next [`OCTAVE_BITS`] bits.
fn bucket_of(micros: u64) -> usize {
    if micros < PER_OCTAVE {
        return micros as usize;
    }
    let octave = micros.ilog2() - OCTAVE_BITS;
    let within = (micros >> octave) - PER_OCTAVE;
    ((u64::from(octave) + 1) * PER_OCTAVE + within).min(BUCKETS as u64 - 1) as usize
}

/// Returns the longest duration of a bucket, in microseconds.
fn upper_bound(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < PER_OCTAVE {
        return bucket;
    }
    let octave = bucket / PER_OCTAVE - 1;
    let within = bucket % PER_OCTAVE;
    ((PER_OCTAVE + within + 1) << octave) - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn histogram(micros: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::default();
        micros.into_iter().for_each(|micros| histogram.record(Duration::from_micros(micros)));
        histogram
    }

    #[test]
    fn an_empty_histogram_is_all_zero() {
        assert_eq!(Histogram::default().summary(), Summary::default());
    }

    #[test]
    fn quantiles_of_a_hundred_different_durations() {
        let Summary { count, p50, p95, p99, longest, total } = histogram((1..=100).map(|n| n * 10)).summary();
        assert_eq!((count, total.as_micros(), longest.as_micros()), (100, 50_500, 1000));
        assert_eq!([p50, p95, p99].map(|d| d.as_micros()), [511, 959, 1000]);
    }

    proptest! {
        #[test]
        fn a_bucket_holds_its_durations_within_an_eighth(micros in 0_u64..1 << 36) {
            let bound = upper_bound(bucket_of(micros));
            prop_assert!(micros <= bound);
            prop_assert!(bound - micros <= micros / PER_OCTAVE);
        }

        #[test]
        fn buckets_keep_the_order(first in 0_u64..1 << 40, second in 0_u64..1 << 40) {
            prop_assert_eq!(first <= second && bucket_of(first) > bucket_of(second), false);
        }

        #[test]
        fn every_duration_has_a_bucket(micros: u64) {
            prop_assert!(bucket_of(micros) < BUCKETS);
        }
    }
}
