//! Idempotency keys, which make writing calls safe to repeat.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use recall_api::v1;

/// A request with an idempotency key.
pub(crate) trait Keyed {
    /// Sets a new key if the request has none.
    #[must_use]
    fn with_key(self) -> Self;
}

impl Keyed for v1::AddRequest {
    fn with_key(mut self) -> Self {
        fill(&mut self.idempotency_key);
        self
    }
}

impl Keyed for v1::LogEventRequest {
    fn with_key(mut self) -> Self {
        fill(&mut self.idempotency_key);
        self
    }
}

fn fill(key: &mut String) {
    if key.is_empty() {
        *key = new();
    }
}

/// Returns a key that is unique among all calls of all processes.
fn new() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    let chance = |what: &str| RandomState::new().hash_one((what, number, std::process::id()));
    format!("{:016x}{:016x}", chance("a"), chance("b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_gets_a_unique_key_unless_it_has_one() {
        let keys: std::collections::BTreeSet<_> =
            (0..100).map(|_| v1::AddRequest::default().with_key().idempotency_key).collect();
        assert_eq!(keys.len(), 100);
        let given = v1::LogEventRequest { idempotency_key: "mine".to_owned(), ..Default::default() };
        assert_eq!(given.with_key().idempotency_key, "mine");
    }
}
