//! Counts and latencies of requests.
//!
//! Latencies are histograms with fixed buckets: a quantile is at most an eighth too high, and the memory does not grow with requests.
//! A layer around the service counts, so that no handler can be forgotten; a request that is dropped counts as failed.

mod histogram;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tonic::body::Body;
use tonic::codegen::http::{Request, Response};

use crate::middleware::{Middleware, Next};
pub(crate) use histogram::{Histogram, Summary};

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

#[cfg(test)]
mod tests {
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
}
