//! How long does a test wait for something to happen?

use std::time::{Duration, Instant};

/// The longest wait for something that takes milliseconds on an idle machine.
///
/// Long, because a loaded machine with two cores must not fail a test; nothing waits longer than it has to.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// How often a condition that cannot be waited for is asked again.
const PAUSE: Duration = Duration::from_millis(5);

/// Asks again and again until there is an answer.
///
/// For what gives no event to a stranger, such as a file that another process writes.
///
/// # Panics
/// There is no answer within [`DEADLINE`]; `what` says what was waited for.
#[track_caller]
pub fn wait_until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "waited {DEADLINE:?} in vain: {what}");
        std::thread::park_timeout(PAUSE);
    }
}
