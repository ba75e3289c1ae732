//! Waiting for conditions.

use std::time::{Duration, Instant};

/// The longest wait for something that takes milliseconds on an idle machine.
///
/// It is long because a loaded machine with two cores must not fail a test. No test waits longer than necessary.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// The interval between checks of a condition.
const PAUSE: Duration = Duration::from_millis(5);

/// Polls a condition until it returns a value.
///
/// Used for conditions without an event, such as a file that another process writes.
///
/// # Panics
/// If there is no value within [`DEADLINE`]; `what` describes the condition.
#[track_caller]
pub fn wait_until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "timed out after {DEADLINE:?}: {what}");
        std::thread::park_timeout(PAUSE);
    }
}
