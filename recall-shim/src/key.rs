//! Random keys, for sessions and for calls that must not count twice.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a random key, which no other call of any process has.
pub(crate) fn key() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    let chance = |what: &str| RandomState::new().hash_one((what, number, std::process::id()));
    format!("{:016x}{:016x}", chance("a"), chance("b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_its_own_key() {
        let keys: std::collections::BTreeSet<_> = (0..100).map(|_| key()).collect();
        assert_eq!(keys.len(), 100);
    }
}
