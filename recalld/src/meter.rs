//! Counts and latencies of requests.
//!
//! Latencies are histograms with fixed buckets: a quantile is at most an eighth too high, and the memory does not grow with requests.
//! A layer around the service counts, so that no handler can be forgotten; a request that is dropped counts as failed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tonic::body::Body;
use tonic::codegen::http::{Request, Response};

use crate::middleware::{Middleware, Next};

/// The maximum number of RPC names with an entry of their own. The service has fewer; further names, which clients made up,
/// share one entry.
const MOST_NAMES: usize = 64;

/// Counts requests since the daemon started.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    requests: AtomicU64,
    errors: AtomicU64,
    in_flight: AtomicU32,
    latencies: Mutex<BTreeMap<String, Histogram>>,
}

impl Meter {
    /// Returns the number of answered requests.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of requests that failed.
    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Returns the number of requests in flight.
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Returns the latencies of each RPC, ordered by name. A stream is timed until it begins.
    pub(crate) fn latencies(&self) -> Vec<(String, Summary)> {
        let latencies = self.latencies.lock().unwrap_or_else(PoisonError::into_inner);
        latencies.iter().map(|(name, histogram)| (name.clone(), histogram.summary())).collect()
    }

    /// Counts a request until the returned value is dropped.
    fn enter(self: Arc<Self>, rpc: String) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight { meter: self, rpc, began: Instant::now(), outcome: Outcome::Failed }
    }

    fn record(&self, rpc: &str, took: Duration, outcome: Outcome) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if outcome == Outcome::Failed {
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
        let mut latencies = self.latencies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(histogram) = latencies.get_mut(rpc) {
            histogram.record(took);
            return;
        }
        let name = if latencies.len() < MOST_NAMES { rpc } else { "other" };
        latencies.entry(name.to_owned()).or_default().record(took);
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Answered,
    Failed,
}

/// A request in flight. It counts as failed unless [`end`](Self::end) is called: it is dropped without that if its client
/// cancels it or it takes too long.
struct InFlight {
    meter: Arc<Meter>,
    rpc: String,
    began: Instant,
    outcome: Outcome,
}

impl InFlight {
    /// Records the outcome of the request.
    fn end(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let Self { meter, rpc, began, outcome } = self;
        let took = began.elapsed();
        meter.in_flight.fetch_sub(1, Ordering::Relaxed);
        meter.record(rpc, took, *outcome);
        tracing::debug!(rpc, took_us = took.as_micros() as u64, ?outcome, "answered");
    }
}

/// Counts and times every request of a service.
impl Middleware for Arc<Meter> {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        // `/recall.v1.Recall/Search` is recorded as `Search`.
        let rpc = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let in_flight = self.enter(rpc);
        let answer = next.call(request);
        async move {
            let answer = answer.await;
            in_flight.end(answer.as_ref().map_or(Outcome::Failed, outcome));
            answer
        }
    }
}

/// Returns the outcome by the headers: a failed request is answered with headers only, which contain the code.
fn outcome(response: &Response<Body>) -> Outcome {
    match response.headers().get("grpc-status") {
        None => Outcome::Answered,
        Some(code) if code == "0" => Outcome::Answered,
        Some(_) => Outcome::Failed,
    }
}

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

    #[test]
    fn requests_are_counted_by_name() {
        let meter = Meter::default();
        meter.record("Search", Duration::from_millis(1), Outcome::Answered);
        meter.record("Search", Duration::from_millis(3), Outcome::Failed);
        meter.record("Get", Duration::from_millis(2), Outcome::Answered);
        assert_eq!((meter.requests(), meter.errors()), (3, 1));
        let counts: Vec<_> = meter.latencies().into_iter().map(|(name, summary)| (name, summary.count)).collect();
        assert_eq!(counts, [("Get".to_owned(), 1), ("Search".to_owned(), 2)]);
    }

    #[test]
    fn names_above_the_limit_share_one_entry() {
        let meter = Meter::default();
        for number in 0..1000 {
            meter.record(&format!("Made{number:04}"), Duration::ZERO, Outcome::Failed);
        }
        let latencies = meter.latencies();
        assert_eq!(latencies.len(), MOST_NAMES + 1);
        assert_eq!(latencies.last().map(|(name, summary)| (name.as_str(), summary.count)), Some(("other", 936)));
    }

    #[test]
    fn a_request_is_in_flight_until_it_ends() {
        let meter = Arc::new(Meter::default());
        let answered = Arc::clone(&meter).enter("Get".to_owned());
        let given_up = Arc::clone(&meter).enter("Search".to_owned());
        assert_eq!((meter.in_flight(), meter.requests()), (2, 0));
        answered.end(Outcome::Answered);
        drop(given_up);
        assert_eq!((meter.in_flight(), meter.requests(), meter.errors()), (0, 2, 1));
    }

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
